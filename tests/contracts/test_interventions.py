"""What is changed of a record, in every method: all before it is replayed without the model, what follows is asked anew."""

import asyncio
import random
from collections import Counter

import pytest
from support.parts import METHODS
from support.tiers import first_of

from hopweave.core.catalog import entries, load
from hopweave.core.errors import MissingExtra
from hopweave.core.retries import Retries
from hopweave.core.types import Hit, Passage, Question, Reading, Span
from hopweave.models.llms.scripted import Scripted
from hopweave.record import ModelCall, Record, Search
from hopweave.run.components import Components
from hopweave.run.settings import read_settings
from hopweave.run.store.store import Store
from hopweave.run.weaver import Weaver

QUESTION = Question("towns", "Which house stands in the town where the mayor of Orlau was born?")
LONG = Question("towns", "Why does the mayor of Orlau go to Tromvik?", "long")
SEARCHING = [name for name in METHODS if entries("methods")[name].group != "never searches"]
TO_SEARCH = {"toqd": {"use_self_verify": False}, "verify_and_edit": {"gate": "always"}}
"""The options with which a method searches although its model knows an answer, and the same one each time."""
PASSAGES = [
    Passage("orlau", "Orlau has 900 inhabitants. Its mayor is Ida Renn.", "Orlau"),
    Passage("renn", "Ida Renn was born in Tromvik in 1902.", "Ida Renn"),
    Passage("tromvik", "Tromvik is a port. The Lantern House stands there.", "Tromvik"),
    Passage("falk", "Otto Falk was born in Kiel.", "Otto Falk"),
]
MAYOR, BORN, HOUSE = "Who is the mayor of Orlau?", "Where was Ida Renn born?", "Which house stands in Tromvik?"
PIECES = [
    "Ida Renn", "Tromvik", "Lantern House", "The mayor of Orlau is Ida Renn.", "Ida Renn was born in Tromvik.", "1902", "yes",
    f"[Query 1]: {MAYOR}\n[Answer 1]: Ida Renn\n", f"[Query 2]: {BORN}\n[Answer 2]: Kiel\n", f"[Unsolved Query]: {HOUSE}\n",
    f"1. {MAYOR}\n2. {BORN}\n3. {HOUSE}\n", "1 -> 2\n2 -> 3\n3 -> Q\n", f"Follow up: {BORN}\nIntermediate answer: Tromvik\n",
    f"Thought 1: {MAYOR}\nAction 1: Search[Orlau]\n", "Action 2: Finish[Tromvik]\n", '[WikiSearch("Orlau")]',
    "So the final answer is: Tromvik.", "\n", f"<search> {BORN} </search>", "<answer> Tromvik </answer>", "\\boxed{Tromvik}",
    f"<|begin_search_query|>{HOUSE}<|end_search_query|>", "Final information: Ida Renn was born in Tromvik.",
]  # fmt: skip
EDITED = "1. Who was Otto Falk?\nOtto Falk was born in Zwiesel. So the final answer is: Zwiesel."


class Corpus:
    identity = "corpus"

    def __init__(self):
        self.queries = []

    def search(self, queries, max_hits):
        self.queries += queries
        return [[Hit(one, 1.0 / rank, rank) for rank, one in enumerate(_ranked(query), 1)][:max_hits] for query in queries]

    def close(self):
        pass


def _ranked(query):
    return sorted(PASSAGES, key=lambda one: -len(set(one.title.split()) & set(query.replace("?", " ").split())))


class Reader:
    identity = "names"

    def read(self, pairs):
        return [Reading(passage.text[:8], Span(0, 8), len(query) % 5 - 1.5) for query, passage in pairs]


def model(seed):
    """Says anything, the same for the same prompt."""

    def say(messages, sampling):
        chance = random.Random(f"{seed} {messages[-1].text}")
        return " ".join(chance.choices(PIECES, k=chance.randrange(2, 9)))

    return Scripted(say)


@pytest.fixture(autouse=True)
def store(tmp_path):
    """Where a call that wants log-probabilities is kept whole; records hold the rest."""
    KEPT["in"] = tmp_path / "store.sqlite"


KEPT = {}


def weaver(method, llm, options):
    try:
        load("methods", method)
        settings = read_settings({"method": method, "budget": {"max_llm_calls": 30}, "methods": {method: options}})
    except MissingExtra as error:
        pytest.skip(str(error))
    detector = load("duplicate_detectors", "normalized")()
    parts = Components(
        llm,
        retriever=Corpus(),
        reader=Reader(),
        duplicate_detector=detector,
        retries=Retries(1),
        store=Store(KEPT["in"]),
    )
    return Weaver(settings, components=parts)


async def asked(method, seed=0, question=QUESTION, options=None):
    async with weaver(method, model(seed), options or {}) as one:
        return await one.answer(question)


async def searched(method):
    """The first record of a method with a search, and its seed."""
    question = LONG if method == "cot_sc_then_react" else QUESTION  # it searches only if its samples disagree
    for seed in range(40):
        KEPT["in"] = KEPT["in"].with_name(f"{seed}.sqlite")
        record = await asked(method, seed, question, TO_SEARCH.get(method))
        if steps_of(record, Search):
            return record, seed
    raise AssertionError(f"{method} never searches")


async def again(record, *changes, seed=0):
    """The record of the changed run, and the prompts that the model was sent for it."""
    llm = model(seed)
    async with asyncio.timeout(60), weaver(record.setup.method, llm, record.setup.options) as one:
        branch = await one.again(Record.from_json(record.to_json()), changes)
    assert Record.from_json(branch.to_json()) == branch
    return branch, [messages for messages, _ in llm.calls]


def began_before(record, step):
    """The calls and searches that began before a step, as they are told apart from others."""
    calls = [one for one in record.steps if isinstance(one, ModelCall | Search)]
    return [seen(record, one) for one in calls if one.timing.started_seconds < step.timing.started_seconds]


def seen(record, step):
    if isinstance(step, Search):
        return (step.queries, step.max_hits, step.hits)
    return (*(record.messages[index] for index in step.messages), repr(step.sampling), step.sample, step.text)


def steps_of(record, kind):
    """The first, one in the middle, and the last."""
    found = [step for step in record.steps if isinstance(step, kind) and step.error is None]
    return list({step.id: step for step in (found[:1] + found[len(found) // 2 :][:1] + found[-1:])}.values())


@pytest.mark.parametrize("method", METHODS)
async def test_all_before_an_edited_answer_is_replayed_without_a_call_and_the_edited_words_count(method):
    record = await asked(method)
    for step in steps_of(record, ModelCall):
        branch, sent = await again(record, {"change": "reply", "step": step.id, "was": step.text, "now": EDITED})
        _check_what_stands_before(record, branch, step, sent)
        changed = changed_in(branch, "was")
        assert (changed.text, changed.was, changed.timing.from_store) == (EDITED, step.text, True)
        for claim in branch.answer.claims:
            is_mine = "Zwiesel" in claim.text and claim.origin in ("model", "verified", "retrieved")
            assert not is_mine, claim


def _check_what_stands_before(record, branch, step, sent):
    """That it is replayed, and that no more calls were made than what is new."""
    assert branch.answer is not None, branch.error
    assert branch.branch.of == record.fingerprint
    assert not [one for one in branch.steps if getattr(one, "label", "") == "drift"]
    made = [one for one in branch.steps if isinstance(one, ModelCall) and not one.timing.from_store]
    assert len(sent) == sum(not one.timing.is_merged for one in made)
    is_kept = Counter(seen(branch, one) for one in branch.steps if isinstance(one, ModelCall) and one.timing.from_store)
    is_kept += Counter(seen(branch, one) for one in branch.steps if isinstance(one, Search))
    assert Counter(began_before(record, step)) <= is_kept


def changed_in(branch, field):
    """The first step that is not as it would have been, in time."""
    found = [step for step in branch.steps if getattr(step, field, None) not in (None, ())]
    return min(found, key=lambda step: step.timing.started_seconds)


@pytest.mark.parametrize("method", first_of(SEARCHING, 15))
async def test_an_edited_query_is_searched_for_in_place_of_the_methods(method):
    record, seed = await searched(method)
    for step in steps_of(record, Search):
        query = step.queries[-1]
        change = {"change": "query", "step": step.id, "was": query, "now": "Otto Falk"}
        branch, sent = await again(record, change, seed=seed)
        _check_what_stands_before(record, branch, step, sent)
        changed = changed_in(branch, "was")
        assert changed.queries == tuple("Otto Falk" if one == query else one for one in step.queries)
        assert changed.was == step.queries
        assert changed.hits[-1][0].passage_id == "falk"


@pytest.mark.parametrize("method", first_of(SEARCHING, 15))
async def test_a_forbidden_passage_is_found_no_more_from_its_step_on_and_others_take_its_place(method):
    record, seed = await searched(method)
    for step in steps_of(record, Search):
        hidden = step.hits[0][0].passage_id
        change = {"change": "forbid", "step": step.id, "passage": hidden}
        branch, sent = await again(record, change, seed=seed)
        _check_what_stands_before(record, branch, step, sent)
        first = changed_in(branch, "forbidden")
        assert (first.queries, first.forbidden) == (step.queries, (hidden,))
        assert len(first.hits[0]) == min(step.max_hits, len(PASSAGES) - 1)
        for one in branch.steps:
            if isinstance(one, Search) and one.timing.started_seconds >= first.timing.started_seconds:
                assert one.forbidden == (hidden,)
                assert hidden not in [hit.passage_id for hits in one.hits for hit in hits]


@pytest.mark.parametrize("method", first_of(SEARCHING, 9))
async def test_a_pinned_passage_is_the_first_hit_of_its_search_alone(method):
    record, seed = await searched(method)
    for step in steps_of(record, Search):
        last = record.passages[-1].id
        change = {"change": "pin", "step": step.id, "passage": last}
        branch, sent = await again(record, change, seed=seed)
        _check_what_stands_before(record, branch, step, sent)
        pinned = changed_in(branch, "pinned")
        assert pinned.pinned == (last,)
        assert all(
            hits[0].passage_id == last and len(hits) == len(before) for hits, before in zip(pinned.hits, step.hits, strict=True)
        )
        assert all(len({hit.passage_id for hit in hits}) == len(hits) for hits in pinned.hits)


@pytest.mark.parametrize("method", first_of(METHODS, 15))
async def test_a_branch_of_a_branch_keeps_what_the_first_one_changed(method):
    record = await asked(method)
    first = steps_of(record, ModelCall)[0]
    once, _ = await again(record, {"change": "reply", "step": first.id, "now": EDITED})
    later = [step for step in steps_of(once, ModelCall) if step.was is None]
    if not later:
        pytest.skip(f"{method} asks no more after a reply with an answer")
    twice, sent = await again(once, {"change": "reply", "step": later[-1].id, "now": EDITED})
    _check_what_stands_before(once, twice, later[-1], sent)
    edited = [one for one in twice.steps if isinstance(one, ModelCall) and one.was is not None]
    assert first.text in [one.was for one in edited]
    assert len(edited) >= 2
