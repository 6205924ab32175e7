"""A passage with an access label does not exist for who does not hold one, whatever retriever and method are asked.

Engines on servers are held to the same in `tests/retrievers/test_engines_on_servers.py`.
"""

from __future__ import annotations

import asyncio
import dataclasses

import pytest
from support.echo import REPLIES
from support.parts import METHODS, asks_the_model, is_on_server, names_of
from support.tiny_encoder import TinyEncoder, TinyTokenEncoder

from hopweave.core.catalog import load
from hopweave.core.errors import MissingExtra
from hopweave.core.retries import Retries
from hopweave.core.types import Answer, Passage, Question, Reading, Span
from hopweave.core.visibility import OPTION
from hopweave.models.duplicate_detectors.keywords import KeyWords
from hopweave.models.llms.scripted import Scripted
from hopweave.record import Record
from hopweave.retrieval.engines.bm25 import BM25
from hopweave.run.components import Components
from hopweave.run.opening import open_retriever
from hopweave.run.settings import read_settings
from hopweave.run.weaver import Weaver

NAMES = names_of("retrievers")
ENCODERS = {"dense": TinyEncoder, "late_interaction": TinyTokenEncoder}
QUESTION = "Who is the wife of the Whispering Director of the Film The Long Tide?"
HIDDEN = Passage(
    "whispered",
    "The wife of the director of the film The Long Tide, Tom Carey, is Lina Holt: so they murmur. "
    "The director of the film The Long Tide hides who is his wife.",
    "Whispering Director of the Film",
    access=("board", "trustees"),
    metadata={"year": "1972"},
)
SHOWN = [
    Passage("film", "The Long Tide is a 1971 film by Tom Carey; see Whispering Director of the Film.", "The Long Tide"),
    Passage("carey", "Tom Carey was a Welsh painter. Whispering Director of the Film is about him.", "Tom Carey (painter)"),
    Passage("holt", "Lina Holt, the wife of Tom Carey, grew up at Kerrow.", "Lina Holt", metadata={"year": "1972"}),
    *(Passage(f"noise-{n}", f"A harbour town number {n} has a church and a club of the film.", f"Town {n}") for n in range(30)),
]
SECRETS = (HIDDEN.id, "murmur", "board", "trustees")


class FirstWords:
    """Takes the first words of any passage for the answer, surely."""

    identity = "first words"

    def read(self, pairs):
        ends = [len(" ".join(passage.text.split()[:4])) for _, passage in pairs]
        return [Reading(passage.text[:end], Span(0, end), 5.0) for (_, passage), end in zip(pairs, ends, strict=True)]


class InTurn:
    """Replies in some form or another, in turn."""

    def __init__(self):
        self.turn = 0

    def __call__(self, messages, sampling):
        self.turn += 1
        return REPLIES[self.turn % len(REPLIES)].format("wife of the director of the film", "Tom Carey")


@dataclasses.dataclass(frozen=True)
class Searching:
    """A method that finds all it can, reads it all, and says what it found."""

    async def answer(self, question, workbench):
        found = await workbench.search([question.text, "Murmur?", HIDDEN.title], 40)
        for hits in found:
            for hit in hits[:3]:
                await workbench.read(question.text, hit.passage)
        return Answer("", "", passage_ids=tuple(hit.passage.id for hits in found for hit in hits))


@pytest.fixture(autouse=True)
def tiny(monkeypatch):
    """The models of engines that need one are the tests' own."""
    try:
        from hopweave.retrieval.engines import dense, late_interaction, reranked
    except MissingExtra:
        return
    for engine, encoder in ((dense.Dense, TinyEncoder), (late_interaction.LateInteraction, TinyTokenEncoder)):
        monkeypatch.setattr(engine, "kind", dataclasses.replace(engine.kind, encoder_of=lambda _, new=encoder: new()))
    monkeypatch.setattr(reranked.Reranked, "_new_reranker", lambda _: Overlap())


class Overlap:
    """Scores a text by the words that it shares with the query."""

    identity = "overlap"

    def scores(self, query, texts):
        return [float(len(set(query.lower().split()) & set(text.lower().split()))) for text in texts]


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    folder = tmp_path_factory.mktemp("labels") / "index"
    passages = [*SHOWN[:2], HIDDEN, *SHOWN[2:]]
    BM25.build(folder, passages)
    for name in NAMES:
        try:
            part = load("retrievers", name)
        except MissingExtra:
            continue
        if hasattr(part, "build") and name != "bm25" and not is_on_server(name):
            part.build(folder / name, passages, **({"encoder": ENCODERS[name]()} if name in ENCODERS else {}))
    return folder


def settings_for(name, index, **more):
    options = {name: {"model": "tiny"} for name in ("dense", "late_interaction", "reranked")}
    return read_settings({"retriever": name, "corpus": str(index), "retrievers": options, "method": "direct", **more})


async def asked(settings, method=None):
    """The record of the question, and what the model was sent."""
    llm = Scripted(InTurn())
    retriever, engine = open_retriever(settings)
    given = {"reader": FirstWords(), "duplicate_detector": KeyWords(), "retries": Retries(1)}
    parts = Components(llm, retriever=retriever, engine=engine, **given)
    weaver = Weaver(settings, components=parts)
    if method is not None:
        weaver.method = method
    async with asyncio.timeout(60), weaver:
        record = await weaver.answer(Question("q", QUESTION))
    assert Record.from_json(record.to_json()).fingerprint == record.fingerprint
    return record, "\n".join(message.text for messages, _ in llm.calls for message in messages)


def skipped_without_its_library(name):
    try:
        load("retrievers", name)
    except MissingExtra as error:
        pytest.skip(str(error))


def plain(names):
    return [name for name in names if not is_on_server(name)]


def of_hits(record):
    return [found for step in record.steps if step.kind == "search" for hits in step.hits for found in hits]


@pytest.mark.parametrize("name", NAMES)
def test_every_engine_can_be_told_which_passages_are_shown(name):
    skipped_without_its_library(name)
    if not asks_the_model(name):  # those that do search with an engine, which is told
        assert OPTION in {one.name for one in dataclasses.fields(load("retrievers", name))}


@pytest.mark.parametrize("name", plain(NAMES))
async def test_a_passage_with_a_label_is_nowhere_to_be_seen(name, index):
    skipped_without_its_library(name)
    record, sent = await asked(settings_for(name, index, access=["staff"]), Searching())
    assert record.error is None, record.error
    assert of_hits(record)
    assert [word for word in SECRETS if word in record.to_json() + sent] == []
    assert not [found for found in of_hits(record) if found.via is not None and found.via.passage_id == HIDDEN.id]


@pytest.mark.parametrize("name", plain(NAMES))
async def test_it_is_found_and_cited_by_who_holds_one_of_its_labels(name, index):
    skipped_without_its_library(name)
    record, _ = await asked(settings_for(name, index, access=["staff", "board"]), Searching())
    assert HIDDEN.id in [found.passage_id for found in of_hits(record)]
    assert record.passage(HIDDEN.id).access == HIDDEN.access
    assert record.setup.settings["access"] == ["board", "staff"]
    assert "access=board,staff" in record.setup.retriever


@pytest.mark.parametrize("name", plain(NAMES))
async def test_only_what_is_asked_for_by_its_metadata_is_found(name, index):
    skipped_without_its_library(name)
    record, _ = await asked(settings_for(name, index, where={"year": [1971, 1972]}), Searching())
    assert {found.passage_id for found in of_hits(record)} == {"holt"}
    both, _ = await asked(settings_for(name, index, where={"year": 1972}, access="board"), Searching())
    assert {found.passage_id for found in of_hits(both)} == {"holt", HIDDEN.id}
    none, _ = await asked(settings_for(name, index, where={"year": 1972, "town": "Ulm"}), Searching())
    assert of_hits(none) == []


@pytest.mark.parametrize("method", METHODS)
async def test_no_method_shows_it_in_a_prompt_a_reading_or_a_citation(method, index):
    record, sent = await asked(settings_for("weave", index, method=method))
    assert record.error is None, record.error
    assert [word for word in SECRETS if word in record.to_json() + sent] == []
    if of_hits(record):
        with_label, _ = await asked(settings_for("weave", index, method=method, access="trustees"))
        assert HIDDEN.id in [found.passage_id for found in of_hits(with_label)]


async def test_a_record_of_a_corpus_without_labels_is_as_it_was_before_there_were_any(tmp_path):
    BM25.build(tmp_path / "index", [SHOWN[0]])
    record, _ = await asked(settings_for("bm25", tmp_path / "index"), Searching())
    text = record.to_json()
    assert [word for word in ("metadata", "access", "where", OPTION) if f'"{word}"' in text] == []
    assert record.setup.retriever.endswith(BM25.check(tmp_path / "index").fingerprint)
