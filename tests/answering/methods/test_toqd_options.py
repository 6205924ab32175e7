"""What each option of ToQD does, what the ablations leave out, and where a budget ends the work."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter

import pytest
from support.bench import calls, decisions, purposes, queries, told, verdicts
from support.toqd import Plays, bench, listed

from hopweave.answering.demonstrations import sample
from hopweave.answering.methods.toqd.toqd import ToQD
from hopweave.core.types import Passage, Reply, TokenLogprob
from hopweave.models.llms.scripted import Line
from hopweave.run.settings import read_settings

MAIN = "Who is older, the mayor of Orlau or the painter of Blue Hill?"
MAYOR, PAINTER = "Who is the mayor of Orlau?", "Who painted Blue Hill?"
AGE_1, AGE_2 = "When was the mayor born?", "When was the painter born?"
BORN_1, BORN_2 = "When was Ida Renn born?", "When was Otto Falk born?"
QUESTIONS = [MAYOR, PAINTER, AGE_1, AGE_2]

FOUND = {
    MAYOR: Passage("mayor", "Orlau's mayor is Ida Renn."),
    PAINTER: Passage("painter", "Blue Hill was painted by Otto Falk."),
    BORN_1: Passage("renn", "Ida Renn was born in 1951."),
    BORN_2: Passage("falk", "Otto Falk was born in 1949."),
    AGE_1: Passage("mayors", "Mayors are born."),
    AGE_2: Passage("painters", "Painters are born in 1949, too."),
}
PLAYS = Plays(
    sub_questions={MAIN: QUESTIONS},
    arrows={MAIN: "1 -> 3 -> Q\n2 -> 4 -> Q"},
    rewrites={AGE_1: BORN_1, AGE_2: BORN_2},
    knows={PAINTER: "Otto Falk", BORN_1: "1951"},
    reads={MAYOR: "Ida Renn", PAINTER: "Otto Falk", BORN_1: "1951", BORN_2: "1949", AGE_1: "1951", AGE_2: "1949"},
    summary="Ida Renn [1] was born in 1951 [3], Otto Falk [2] in 1949 [4]. So the final answer is the painter.",
)
ANSWERED_SIMPLY = {
    (kind, asked): answer
    for asked, answer in {**PLAYS.reads, PAINTER: "Otto Falk"}.items()
    for kind in ("answer_simply", "answer_with_pairs")
}
"""What the model says of a node where it may not retrieve."""
KEPT, INTERNAL, NO = 4, 2, 2  # sub-questions, internal ones, and those answered NO!


async def counts(plays: Plays = PLAYS, **options) -> Counter[str]:
    return Counter(purposes(await bench(plays, FOUND).ask(MAIN, "toqd", **options)))


# -- the answer comes from the graph -----------------------------------------------------------------------------------


ABLATIONS = [
    {},
    *({name: False} for name in ("use_critique", "use_construct", "use_self_verify", "use_rewrite", "use_retrieval")),
    {"use_retrieval": False, "use_self_verify": False},
]


@pytest.mark.parametrize("ablation", ABLATIONS, ids=lambda options: ", ".join(options) or "default")
async def test_the_answer_is_summed_up_from_the_graphs_answers_by_default_and_in_each_ablation(ablation):
    knows = PLAYS.knows if ablation.get("use_retrieval", True) else PLAYS.reads
    record = await bench(dataclasses.replace(PLAYS, knows=knows, raw=ANSWERED_SIMPLY), FOUND).ask(MAIN, "toqd", **ablation)
    assert purposes(record)[-1] == "summary"
    last = calls(record, "summary")[-1][-1].text
    nodes = [step.data["answer"] for step in decisions(record, "verdict")]
    assert len(nodes) == len(QUESTIONS)
    assert all(f"? {answer}\n" in last for answer in nodes)
    assert MAIN not in queries(record)  # nothing is retrieved for the question itself
    assert record.answer.short == "the painter"


# -- the ablations: exactly their own calls ----------------------------------------------------------------------------


async def test_the_full_system_makes_the_calls_of_the_formula():
    full = await counts()
    assert full == {
        "decompose": 1,
        "critique": 1,
        "construct": 1,
        "rewrite": INTERNAL,
        "self_verify": KEPT,
        "self_verify_with_passages": NO,
        "summary": 1,
    }
    assert full.total() == 3 + KEPT + INTERNAL + NO + 1


async def test_without_critique_only_that_call_is_left_out():
    assert await counts() - await counts(use_critique=False) == {"critique": 1}
    assert await counts(use_critique=False) - await counts() == {}


async def test_without_construct_the_questions_form_a_chain_and_all_but_the_first_are_internal():
    chain = Plays(**{name: getattr(PLAYS, name) for name in PLAYS.__dataclass_fields__} | {"knows": {}})
    record = await bench(chain, FOUND).ask(MAIN, "toqd", use_construct=False)
    made = Counter(purposes(record))
    assert made["construct"] == 0
    assert made.total() == 2 + KEPT + (KEPT - 1) + KEPT + 1
    assert told(record, "graph") == ["1 -> 2, 2 -> 3, 3 -> 4, 4 -> Q"]
    seen = [call[-1].text for call in calls(record, "rewrite")]
    assert [text.count("\n[") for text in seen] == [1, 2, 3]
    assert [node.after == () for node in decisions(record, "node")] == [True, False, False, False]


async def test_without_construct_the_same_chain_differs_from_the_full_system_in_that_call_alone():
    chain = dataclasses.replace(PLAYS, arrows={MAIN: "1 -> 2 -> 3 -> 4 -> Q"})
    assert await counts(chain) - await counts(chain, use_construct=False) == {"construct": 1}
    assert await counts(chain, use_construct=False) - await counts(chain) == {}


async def test_without_self_verify_every_node_retrieves_and_answers_and_none_is_decomposed():
    record = await bench(PLAYS, FOUND).ask(MAIN, "toqd", use_self_verify=False)
    made = Counter(purposes(record))
    assert made == {
        "decompose": 1,
        "critique": 1,
        "construct": 1,
        "rewrite": INTERNAL,
        "answer_with_passages": KEPT,
        "summary": 1,
    }
    assert made.total() == 3 + INTERNAL + KEPT + 1
    assert sorted(queries(record)) == sorted([MAYOR, PAINTER, BORN_1, BORN_2])
    assert {verdict for _, _, verdict in verdicts(record)} == {"supported"}


async def test_without_rewrite_an_internal_question_is_asked_and_searched_as_it_was_written():
    plays = dataclasses.replace(PLAYS, knows={PAINTER: "Otto Falk", AGE_1: "1951"})
    record = await bench(plays, FOUND).ask(MAIN, "toqd", use_rewrite=False)
    assert await counts() - Counter(purposes(record)) == {"rewrite": INTERNAL}
    assert Counter(purposes(record)).total() == 3 + KEPT + NO + 1
    assert sorted(queries(record)) == sorted([MAYOR, AGE_2])
    assert "Ida Renn" not in "".join(call[-1].text for call in calls(record) if AGE_1 in call[-1].text.split("\n")[-1])


@pytest.mark.parametrize("use_rewrite", [True, False])
async def test_without_rewrite_the_answers_before_a_node_reach_the_summary_alone(use_rewrite):
    asked = BORN_1 if use_rewrite else AGE_1
    plays = dataclasses.replace(
        PLAYS,
        knows={PAINTER: "Otto Falk"},
        reads={MAYOR: "Ida Renn", BORN_2: "1949", AGE_2: "1949", "Part?": "1951"},
        further={asked: ["Part?"]},
        arrows={**PLAYS.arrows, asked: "1 -> Q"},
        sums_up={asked: "1951"},
    )
    record = await bench(plays, FOUND).ask(MAIN, "toqd", use_rewrite=use_rewrite)
    before = f"[1] {MAYOR} Ida Renn"
    further, summary_of_node = calls(record, "decompose")[1][0].text, calls(record, "summary_of_node")[0][0].text
    assert all(prompt.endswith(f"Question: {asked}") for prompt in (further, summary_of_node))
    assert [before in prompt for prompt in (further, summary_of_node)] == [use_rewrite] * 2
    assert "Part? 1951" in summary_of_node
    assert f"{MAYOR} Ida Renn" in calls(record, "summary")[0][0].text


async def test_without_retrieval_what_the_model_does_not_know_is_decomposed_further_and_nothing_is_searched():
    plays = dataclasses.replace(
        PLAYS,
        knows={**PLAYS.knows, BORN_2: "1949", "Part one?": "x", "Part two?": "y"},
        further={MAYOR: ["Part one?", "Part two?"]},
        arrows={**PLAYS.arrows, MAYOR: "1 -> 2 -> Q"},
        sums_up={MAYOR: "Ida Renn"},
    )
    record = await bench(plays, FOUND).ask(MAIN, "toqd", use_retrieval=False)
    assert len(purposes(record)) == (3 + KEPT + INTERNAL + 1) + (3 + 2 + 1 + 1)
    assert told(record, "decomposition") == ["YES", "NO", "NO", "NO", "NO", "NO"]
    assert told(record, "retrieve") == queries(record) == []
    assert calls(record, "decompose")[1][0].text.startswith("The question below cannot be answered outright.")
    assert {verdict for _, _, verdict in verdicts(record)} == {"unsupported"}
    assert record.answer.passage_ids == ()
    assert (MAYOR, "Ida Renn", "unsupported") in verdicts(record)


async def test_without_retrieval_the_decomposition_of_an_internal_node_sees_the_answers_before_it_but_no_passages():
    plays = dataclasses.replace(PLAYS, knows={MAYOR: "Ida Renn", **PLAYS.knows}, further={BORN_2: ["Part one?"]})
    record = await bench(plays, FOUND).ask(MAIN, "toqd", use_retrieval=False)
    prompt = next(call[-1].text for call in calls(record, "decompose") if call[-1].text.endswith(BORN_2))
    assert prompt.startswith(f"Already answered:\n[1] {PAINTER} Otto Falk\n\nThe question below cannot")
    assert "assage" not in prompt


async def test_without_retrieval_and_self_verify_every_node_is_answered_from_memory():
    record = await bench(PLAYS, FOUND).ask(MAIN, "toqd", use_retrieval=False, use_self_verify=False)
    made = Counter(purposes(record))
    assert made.total() == 3 + KEPT + INTERNAL + 1
    assert made["answer_simply"] == KEPT - INTERNAL
    assert made["answer_with_pairs"] == INTERNAL
    assert queries(record) == []
    assert {verdict for _, _, verdict in verdicts(record)} == {"unsupported"}
    assert record.answer.passage_ids == ()
    prompt = next(call[-1].text for call in calls(record, "answer_with_pairs") if BORN_1 in call[-1].text)
    assert prompt.startswith(f"Already answered:\n[1] {MAYOR} something\n")


async def test_a_child_graph_adds_the_formula_of_its_own_with_its_node_among_those_that_said_no():
    plays = dataclasses.replace(
        PLAYS,
        reads={BORN_2: "1949", "Part one?": "x", "Part two?": "y"},
        further={MAYOR: ["Part one?", "Part two?"]},
        arrows={**PLAYS.arrows, MAYOR: "1 -> 2 -> Q"},
        sums_up={MAYOR: "Ida Renn"},
    )
    assert (await counts(plays)).total() == (3 + KEPT + INTERNAL + NO + 1) + (3 + 2 + 1 + 2 + 1)


# -- other options -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("num_passages", [1, 5])
async def test_so_many_passages_are_retrieved_and_shown(num_passages):
    many = [Passage(f"p{n}", f"Text {n}. The mayor is Ida Renn.") for n in range(7)]
    record = await bench(PLAYS, {**FOUND, MAYOR: many}).ask(MAIN, "toqd", num_passages=num_passages)
    assert record.answer.passage_ids[:num_passages] == tuple(f"p{n}" for n in range(num_passages))
    assert calls(record, "self_verify_with_passages")[0][0].text.count("<passage>") == num_passages


async def test_sampling_is_the_runs_unless_the_options_say_otherwise():
    made = bench(PLAYS, FOUND)
    await made.ask(MAIN, "toqd")
    assert {(sampling.temperature, sampling.top_p) for _, sampling in made.llm.calls} == {(0.0, 1.0)}
    made = bench(PLAYS, FOUND)
    await made.ask(MAIN, "toqd", temperature=0.1, top_p=0.1)
    assert {(sampling.temperature, sampling.top_p) for _, sampling in made.llm.calls} == {(0.1, 0.1)}


async def test_the_arrows_are_constrained_to_nodes_that_there_are_where_the_endpoint_can():
    made = bench(PLAYS, FOUND)
    await made.ask(MAIN, "toqd")
    [schema] = [sampling.json_schema for _, sampling in made.llm.calls if sampling.json_schema]
    arrows = schema["properties"]["arrows"]["items"]["enum"]
    assert len(arrows) == 4 * 4
    assert {"1 -> 2", "2 -> 1", "4 -> Q"} < set(arrows)
    assert not {"1 -> 1", "Q -> 1", "1 -> 5"} & set(arrows)
    made = bench(PLAYS, FOUND)
    record = await made.ask(MAIN, "toqd", use_json_schema=False)
    assert not any(sampling.json_schema for _, sampling in made.llm.calls)
    assert "graph_writing.construct" in record.setup.prompts
    assert "graph_writing.construct_json" not in record.setup.prompts


async def test_the_model_is_asked_for_as_many_sub_questions_as_the_option_says():
    record = await bench(PLAYS, FOUND).ask(MAIN, "toqd", most_sub_questions=6)
    assert "2 to 6 simple sub-questions" in calls(record, "decompose")[0][0].text


@pytest.mark.parametrize("add", [True, False])
async def test_marks_that_the_model_forgot_are_added_if_the_option_says_so(add):
    plays = dataclasses.replace(PLAYS, summary="The mayor is Ida Renn. So the final answer is the painter.")
    record = await bench(plays, FOUND).ask(MAIN, "toqd", add_missing_marks=add)
    assert ("The mayor is Ida Renn [1]." in record.answer.text) == add


# -- budgets -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", range(1, 13))
async def test_calls_that_run_out_anywhere_end_in_the_best_answer_so_far(limit):
    record = await bench(PLAYS, FOUND).ask(MAIN, "toqd", budget={"max_llm_calls": limit})
    assert record.error is None
    assert record.totals().llm_calls == limit
    assert record.answer.stopped_because == ("max_llm_calls" if limit < 12 else "finished")
    answered = [text for _, text, _ in verdicts(record) if text]
    assert record.answer.short == ("the painter" if limit == 12 else answered[-1] if answered else "")
    assert bool(record.answer.citations) == (limit >= 5)
    again = await bench(PLAYS, FOUND).ask(MAIN, "toqd", budget={"max_llm_calls": limit})
    assert again.fingerprint == record.fingerprint


async def test_where_no_search_is_left_the_nodes_that_the_model_knows_and_the_summary_go_on():
    record = await bench(PLAYS, FOUND).ask(MAIN, "toqd", budget={"max_searches": 1})
    assert record.answer.stopped_because == "max_searches"
    assert verdicts(record)[1] == (PAINTER, "Otto Falk", "unsupported")
    assert purposes(record)[-1] == "summary"
    assert record.answer.short == "the painter"


async def test_time_that_runs_out_in_one_branch_and_the_other_ends_in_the_best_answer_so_far():
    def say(messages, sampling):
        text = PLAYS(messages, sampling)
        last = messages[-1].text.split("\n")[-1]
        return Line(text, stalls=True) if BORN_1 in last or BORN_2 in last else text

    record = await bench(say, FOUND).ask(MAIN, "toqd", budget={"max_seconds": 0.5})
    assert record.error is None
    assert record.answer.stopped_because == "max_seconds"
    assert verdicts(record) == [
        (MAYOR, "Ida Renn", "supported"),
        (PAINTER, "Otto Falk", "unsupported"),
        (BORN_1, "", "unsupported"),
        (BORN_2, "", "unsupported"),
    ]
    assert record.answer.short == "Otto Falk"
    assert record.answer.text.startswith(f"{MAYOR} Ida Renn [1].")


# -- settings ----------------------------------------------------------------------------------------------------------


def test_profile_paper_toqd_holds_the_papers_numbers():
    assert read_settings({"profile": "paper_toqd"}).part("methods", "toqd") == ToQD(
        max_graphs=6,  # appendix A.2: r_max
        most_sub_questions=4,  # table 11
        num_passages=5,  # section 4.1
        max_tokens_passages=0,  # section 4.1: passages
        least_probability=0,  # section 3.2: the reply alone decides
        max_critique_retries=3,  # the released code
        temperature=0.1,  # section 4.1
        top_p=0.1,
        use_json_schema=False,  # table 12: arrows as text
        cite_with_reader=False,  # the paper has no reader
        add_missing_marks=False,
        skip_needless=False,  # Algorithm 1, lines 2 and 3; Algorithm 2, line 2
        may_abstain=False,  # table 14: the answer is demanded
    )


# -- demonstrations ----------------------------------------------------------------------------------------------------


async def decomposing(question, **options):
    text = question if isinstance(question, str) else question.text
    plays = Plays(sub_questions={text: ["Who?", "Where?"]}, arrows={text: "1 -> Q"}, knows={"Who?": "Liv", "Where?": "Nes"})
    return calls(await bench(plays).ask(question, "toqd", **options), "decompose")[0][0].text


async def test_worked_decompositions_stand_before_the_question_and_refer_to_earlier_answers_by_number():
    [first, second] = sample(2, seed=4)
    prompt = await decomposing("Where is Orlau?", n_demos=2, seed=4)
    examples = "\n\n".join(f"Question: {one.question}\n{listed(one.sub_questions)}" for one in (first, second))
    assert prompt.endswith(f'"1. ..."\n\n{examples}\n\nQuestion: Where is Orlau?')
    assert "the answer to 1" in examples


# -- a small model at its best -----------------------------------------------------------------------------------------

TOWN = "In which town was Liv Aas born?"
BORN = Passage("liv", "She was born in the town of Nesbyen. Her sister taught there.", "Liv Aas")


def sure(probability: float):
    """A model that says Oslo by itself with that probability, and Nesbyen from passages."""
    plays = Plays(sub_questions={TOWN: [TOWN]}, arrows={TOWN: "1 -> Q"}, reads={TOWN: "Nesbyen"})

    def say(messages, sampling):
        is_alone = messages[-1].text.startswith("If you know the answer")
        tokens = (TokenLogprob("Oslo", math.log(probability)),) if sampling.top_logprobs else ()
        return Reply("Oslo", logprobs=tokens) if is_alone else plays(messages, sampling)

    return bench(say, {TOWN: [BORN]})


@pytest.mark.parametrize(("probability", "bound", "answer"), [(0.8, 0.85, "Nesbyen"), (0.9, 0.85, "Oslo"), (0.1, 0.0, "Oslo")])
async def test_what_the_model_is_not_sure_to_know_is_looked_up(probability, bound, answer):
    record = await sure(probability).ask(TOWN, "toqd", least_probability=bound)
    assert verdicts(record)[0][1] == answer
    assert told(record, "retrieve") == ["NO" if answer == "Oslo" else "YES"]


async def test_the_probability_of_what_it_knows_is_in_the_trace():
    [step] = decisions(await sure(0.8).ask(TOWN, "toqd", least_probability=0.85), "retrieve")
    assert step.data == {"probability": 0.8}


@pytest.mark.parametrize(("max_tokens", "is_whole"), [(0, True), (14, False)])
async def test_a_node_is_shown_whole_passages_or_their_likeliest_sentences(max_tokens, is_whole):
    record = await sure(0.1).ask(TOWN, "toqd", max_tokens_passages=max_tokens, least_probability=0.85)
    shown = calls(record, "self_verify_with_passages")[0][-1].text
    assert "She was born in the town of Nesbyen." in shown
    assert ("Her sister taught there." in shown) == is_whole
