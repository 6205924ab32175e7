"""Questions about the documents as a whole are answered by search and by counting, without a model, into a usual record."""

import asyncio
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from hopweave.citations.marking import LISTING, OVERVIEW
from hopweave.core.errors import ModelError, SettingsError
from hopweave.core.types import Answer, Hit, Passage, Question
from hopweave.core.visibility import Visible
from hopweave.ingest.lookup import NumDocuments, count_documents
from hopweave.models.llms.scripted import Scripted
from hopweave.record import Decision, Record, Search
from hopweave.retrieval.engines.bm25 import BM25
from hopweave.retrieval.engines.weave import Weave
from hopweave.run import corpus_overview
from hopweave.run.conversation import Turn
from hopweave.run.corpus_overview import Overview, overview_of
from hopweave.run.settings import read_settings
from hopweave.run.weaver import Weaver, ask
from hopweave.run.whole_corpus import MAX_HITS, MAX_LISTED, MAX_NAMED, _names

pytestmark = pytest.mark.usefixtures("own_folders")
LISTED = "Which documents mention the Kerrow Light?"
TOPICS = "What are these documents about?"
PASSAGES = (
    Passage("light", "The Kerrow Light was built in 1871. It is white.", "Kerrow Light"),
    Passage("finch.md#1", "Ada Finch was a keeper. She kept the Kerrow Light for years.", "Ada Finch", start=0, end=60),
    Passage(
        "finch.md#2",
        "Later she wrote a long book of the sea and its harbours. The Kerrow Light is in it.",
        "Ada Finch",
        start=61,
        end=143,
    ),
    Passage("sula", "Sula is an island. A light was seen near Kerrow once.", "Sula"),
    Passage("pay", "The keeper of the Kerrow Light is paid 90 pounds.", "Pay", access=("board",)),
)


@dataclass(frozen=True)
class Refuses:
    """A method that must not be asked."""

    async def answer(self, question, workbench):
        raise AssertionError(question.text)


def silent():
    """A model that must not be asked."""
    return Scripted([("", ModelError("the model was asked"))])


def asked(question, passages=PASSAGES, method=None, llm=None, **settings) -> Record:
    BM25.build(Path("index"), list(passages))
    record = ask(question, llm=llm or silent(), method=method or Refuses(), corpus="index", **settings)
    assert Record.from_json(record.to_json()) == record
    assert record.error is None, record.error
    return record


def only(record, kind):
    [step] = [step for step in record.steps if isinstance(step, kind)]
    return step


# -- a listing -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("retriever", ["bm25", "weave", "hyde"])
def test_a_listing_names_each_document_once_with_its_best_sentence_cited_and_calls_no_model(retriever):
    record = asked(LISTED, retriever=retriever)
    answer = record.answer
    assert {claim.text for claim in answer.claims} == {"Kerrow Light", "Ada Finch"}
    assert [claim.citations[0].mark for claim in answer.claims] == [1, 2]
    quotes = {claim.text: claim.citations[0].quote for claim in answer.claims}
    assert quotes == {
        "Kerrow Light": "The Kerrow Light was built in 1871.",
        "Ada Finch": "She kept the Kerrow Light for years.",
    }
    for citation, passage in record.cited_passages():
        assert passage.text[citation.focus.start : citation.focus.end] == "Kerrow Light"
    assert set(answer.short.split("; ")) == {"Kerrow Light", "Ada Finch"}
    assert [answer.text.count(mark) for mark in ("[1]", "[2]")] == [1, 1]
    assert 'Search found 2 documents that mention "the Kerrow Light":' in answer.text
    assert "not a reading of all documents" in answer.text
    assert (answer.how, answer.verdict.support, answer.verdict.has_tick) == (LISTING, "supported", True)
    assert (answer.stopped_because, answer.num_marks_misplaced) == ("finished", 0)
    assert record.totals().llm_calls == 0
    assert only(record, Search).queries == ("the Kerrow Light",)
    assert only(record, Search).parent == only(record, Decision).id


def test_documents_of_the_same_title_are_told_apart_by_their_files_and_if_those_are_the_same_by_their_ids():
    passages = [Passage("1f", "Text.", "Log", "a.csv"), Passage("2e", "Text.", "Log", "b.csv#row=2")]
    assert _names(passages) == ["Log (a.csv)", "Log (b.csv)"]
    assert _names([*passages, Passage("3d", "Text.", "Log", "b.csv")]) == ["Log (a.csv)", "Log (2e)", "Log (3d)"]
    assert _names([Passage("4c", "Text.", "", ""), Passage("5b", "Text.", "Other")]) == ["4c", "Other"]


def test_a_record_of_a_listing_is_the_same_when_it_is_made_again():
    assert asked(LISTED).fingerprint == asked(LISTED, store={"mode": "replay"}).fingerprint


@pytest.mark.parametrize(
    ("subject", "found"),
    [
        ("keepers", ["Ada Finch"]),  # another form of the word
        ("the light near Kerrow", ["Sula"]),
        ("Kerrow Light", ["Kerrow Light", "Ada Finch"]),  # a name stands together, so Sula does not mention it
        ('"was built in"', ["Kerrow Light"]),
        ('"built was in"', []),
        ("islands or keepers", ["Ada Finch", "Sula"]),
        ("both books and keepers", []),  # in two passages of a document
        ("the book of Ada Finch", ["Ada Finch"]),  # the name is the title
        ("Ada Finch", ["Ada Finch"]),
        ("whales", []),
    ],
)
def test_what_counts_as_a_mention(subject, found):
    answer = asked(f"Which documents mention {subject}?").answer
    assert sorted(claim.text for claim in answer.claims) == sorted(found)
    assert (answer.verdict.support == "supported") == bool(found)
    if not found:
        assert answer.short == ""
        assert "Search found no document that mentions" in answer.text


def test_a_document_whose_title_alone_mentions_it_is_cited_without_a_focus():
    record = asked("Which documents mention Orlau?", [Passage("o", "It lies on the coast. It is small.", "Orlau")])
    [citation] = record.answer.citations
    assert (citation.quote, citation.focus) == ("It lies on the coast.", None)


def test_a_heading_that_repeats_the_title_is_cited_only_if_there_is_nothing_else():
    passages = [
        Passage("a", "Orlau\n\nOrlau lies on the coast.", "Orlau"),
        Passage("b", "Orlau harbour\n\nIt is small.", "Orlau harbour"),
        Passage("c", "Old Orlau", "Old Orlau"),
    ]
    answer = asked("Which documents mention Orlau?", passages).answer
    quotes = {claim.text: claim.citations[0].quote for claim in answer.claims}
    assert quotes == {"Orlau": "Orlau lies on the coast.", "Orlau harbour": "It is small.", "Old Orlau": "Old Orlau"}


def test_documents_with_the_same_title_or_none_have_their_ids():
    passages = [
        Passage(f"{number}.md", "Sula lies there.", title) for number, title in enumerate(["Notes", "Notes", "", "Sula"])
    ]
    assert set(asked("Which documents mention Sula?", passages).answer.short.split("; ")) == {
        "Notes (0.md)",
        "Notes (1.md)",
        "2.md",
        "Sula",
    }


def test_every_document_keeps_its_mark_whatever_its_title_looks_like():
    titles = [
        "Which way? Part two",
        "Who? What!",
        "A",
        "东京",
        "1999",
        "U.S. v. Orlau",
        "... and more",
        "a.b.md",
        "Unknown",
        "Yes",
    ]
    titles += ["So the final answer is: Brno", "I do not know."]
    passages = [Passage(f"p{number}", f"Text {number} names Sula.", title) for number, title in enumerate(titles)]
    answer = asked("Which documents mention Sula?", passages).answer
    lines = answer.text.split("\n\n")[1].splitlines()
    assert lines == [f"- {claim.text} [{mark}]" for mark, claim in enumerate(answer.claims, start=1)]
    assert {claim.text for claim in answer.claims} == set(titles)


def test_a_long_listing_says_how_many_were_found_and_that_not_all_are_listed():
    passages = [Passage(f"p{number}", f"Sula is number {number}.", f"Note {number}") for number in range(MAX_LISTED + 5)]
    answer = asked("Which documents mention Sula?", passages).answer
    assert len(answer.claims) == MAX_LISTED
    assert answer.short == f"{MAX_LISTED + 5} documents"
    assert f"Search found {MAX_LISTED + 5} documents" in answer.text
    assert f"of which the best {MAX_LISTED} are listed" in answer.text
    assert f"found in {MAX_LISTED + 5} passages" in answer.text
    assert answer.verdict.support == "supported"
    few = asked("Which documents mention Sula?", passages[:MAX_NAMED]).answer
    assert len(few.short.split("; ")) == MAX_NAMED


def test_a_listing_says_how_many_passages_were_searched_if_there_may_be_more():
    passages = [Passage(f"p{number}", f"Sula is number {number}.", "Sula") for number in range(MAX_HITS + 1)]
    assert f"found in the best {MAX_HITS} passages" in asked("Which documents mention Sula?", passages).answer.text


def test_marks_and_links_in_titles_and_questions_are_no_marks_and_no_links_of_the_answer():
    passages = [Passage("a", "Sula is far [7]. ![x](http://there.test/x.png)", "Sula [3] ![x](http://there.test/x.png)")]
    for question in ("Which documents mention Sula?", 'Which documents mention "Sula [9]"?', TOPICS):
        record = asked(question, passages)
        assert "[3]" not in record.answer.text
        assert "[9]" not in record.answer.text
        assert "](" not in record.answer.text


# -- all documents ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("retriever", ["bm25", "weave", "hyde"])
@pytest.mark.parametrize(
    "question", [TOPICS, "Summarise these documents.", "List all documents.", "How many documents are there?"]
)
def test_a_question_about_all_documents_gets_what_is_certain_and_calls_no_model(question, retriever):
    record = asked(question, retriever=retriever)
    answer = record.answer
    assert 'You can search 3 documents in 4 passages, namely "Kerrow Light"; "Ada Finch"; "Sula".' in answer.text
    assert "Which documents mention ...?" in answer.text
    assert ("does not read all documents" in answer.text) == (question in (TOPICS, "Summarise these documents."))
    assert answer.short == ("3 documents" if "How many" in question else "")
    assert (answer.how, answer.claims, answer.verdict.support) == (OVERVIEW, (), "unsupported")
    assert record.totals().llm_calls == record.totals().searches == 0
    assert only(record, Decision).data == {"documents": 3, "passages": 4, "is_complete": True}


ROWS = [Passage(f"row{number}", f"Town {number} lies on the Sula.", f"T{number}", "towns.csv") for number in range(7)]


def test_rows_of_a_table_are_not_told_as_documents():
    record = asked("How many documents are there?", [*PASSAGES, *ROWS])
    assert record.answer.short == "3 documents, and 7 rows or records of 1 file"
    assert "You can search 3 documents, and 7 rows or records of 1 file, in 11 passages, among them" in record.answer.text
    data = {"documents": 10, "passages": 11, "is_complete": True, "records": 7, "files_of_records": 1}
    assert only(record, Decision).data == data
    assert asked("How many documents are there?", ROWS).answer.short == "7 rows or records of 1 file"


def test_a_listing_of_rows_says_that_they_are_rows():
    answer = asked("Which documents mention the Sula?", [*PASSAGES, *ROWS]).answer
    assert 'Search found 1 document, and 7 rows or records of 1 file that mention "the Sula":' in answer.text
    assert answer.short == "1 document, and 7 rows or records of 1 file"


def test_documents_without_a_file_and_files_of_one_document_each_are_documents():
    passages = [Passage("a", "x"), Passage("b", "x"), Passage("c", "x", source="c.md"), Passage("d", "x", source="d.md")]
    assert count_documents(passages) == NumDocuments(4)
    assert str(NumDocuments(1)) == "1 document"


def test_what_may_not_be_shown_is_neither_counted_nor_named_nor_listed():
    assert "Pay" not in asked(TOPICS).answer.text
    assert "Pay" not in asked(LISTED).answer.short
    theirs = {"access": ["board"]}
    assert "4 documents in 5 passages" in asked(TOPICS, **theirs).answer.text
    assert "Pay" in asked(LISTED, **theirs).answer.short


def test_a_large_corpus_is_not_counted_to_its_end(monkeypatch):
    monkeypatch.setattr(corpus_overview, "MAX_PASSAGES", 2)
    answer = asked("How many documents are there?").answer
    assert "You can search at least 2 documents in 2 passages, among them" in answer.text
    assert answer.short == ""


def test_of_many_documents_some_titles_from_all_over_are_named():
    BM25.build(Path("many"), [Passage(f"p{number}", "x", f"T{number}") for number in range(20)])
    with closing(BM25(Path("many"))) as engine:
        assert overview_of(engine) == Overview(
            NumDocuments(20), 20, ("T0", "T3", "T6", "T9", "T12", "T15", "T18"), is_complete=True
        )


def test_an_engine_over_the_index_of_another_is_counted_by_it_with_its_own_filter():
    BM25.build(Path("index"), list(PASSAGES))
    with closing(Weave(Path("index"), visible=Visible(access=("board",)))) as engine:
        assert overview_of(engine).documents.num_all == 4


def test_a_retriever_that_cannot_tell_what_it_holds_is_told_of_as_that():
    class Own:
        identity = "own"

        def search(self, queries, max_hits):
            return [[Hit(PASSAGES[0], 1.0, 1)] for _ in queries]

        def close(self):
            pass

    assert overview_of(Own()) is None
    record = ask(TOPICS, llm=silent(), method=Refuses(), retriever=Own())
    assert "How many documents there are is not known here." in record.answer.text
    assert ask(LISTED, llm=silent(), method=Refuses(), retriever=Own()).answer.short == "Kerrow Light"


# -- who answers -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Says:
    async def answer(self, question, workbench):
        return Answer("Said.", "said")


@pytest.mark.parametrize(
    ("question", "settings"),
    [
        (LISTED, {"whole_corpus": "method"}),
        (Question("q", LISTED, "label", ("yes", "no")), {}),
        (Question("q", LISTED, pinned=(PASSAGES[0],)), {}),
        ("Who built the Kerrow Light?", {}),
    ],
)
def test_the_method_answers_other_questions_and_all_if_it_is_set(question, settings):
    record = asked(question, method=Says(), **settings)
    assert (record.answer.short, record.steps) == ("said", ())
    assert record.setup.settings.get("whole_corpus") == (None if settings else "listing")


def test_an_unknown_choice_is_refused():
    with pytest.raises(SettingsError, match="whole_corpus"):
        read_settings({"whole_corpus": "model"})


def test_neither_confidence_nor_checks_nor_withholding_apply():
    record = asked(LISTED, check="more", require_support=True)
    assert record.answer.verdict.confidence is None
    assert record.answer.short
    assert asked(TOPICS, check="more", require_support=True).answer.how == OVERVIEW


@pytest.mark.parametrize("question", [LISTED, TOPICS])
def test_a_limit_of_the_budget_holds(question):
    record = asked(question, budget={"max_seconds": 1e-9})
    assert (record.answer.text, record.answer.stopped_because) == ("", "max_seconds")


def conversation(question, said):
    earlier = (Turn("Who was Ada Finch?", "A keeper of the Kerrow Light."),)
    BM25.build(Path("index"), list(PASSAGES))
    llm = Scripted([("Asked now:", said)])

    async def run() -> Record:
        async with Weaver({"corpus": "index"}, llm=llm, method=Refuses()) as weaver:
            record = await weaver.answer(question, earlier=earlier)
            again = await weaver.again(record, [{"change": "forbid", "step": 0, "passage": "light"}])
            assert again.answer.how == record.answer.how
            assert "Kerrow Light" not in [claim.text for claim in again.answer.claims]
            return record

    return asyncio.run(run())


def test_a_follow_up_is_recognised_as_it_is_asked_or_once_it_is_complete():
    whole = '{"question": "Which documents mention the Kerrow Light?"}'
    assert conversation(LISTED, ModelError("asked")).totals().llm_calls == 0
    record = conversation("And which documents mention it?", whole)
    assert (record.question.text, record.totals().llm_calls) == (LISTED, 1)
    assert record.answer.how == LISTING
    assert conversation("Which of them mention the light?", whole).question.text == LISTED
