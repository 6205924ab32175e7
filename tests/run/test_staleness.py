"""Answers that cite words which were edited or deleted are found, and no others."""

import asyncio
import json
import random
import shutil
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from hopweave.citations.support import claim_of
from hopweave.core.errors import DataError
from hopweave.core.types import Answer, Passage, Question, Reading, Span
from hopweave.ingest.intake import Intake
from hopweave.ingest.read import CorpusOptions
from hopweave.models.llms.scripted import Scripted
from hopweave.retrieval.engines.bm25 import BM25
from hopweave.run.opening import open_passages
from hopweave.run.settings import read_settings
from hopweave.run.staleness import Checked, kept_records, stale_answers
from hopweave.run.store.store import Store
from hopweave.run.weaver import Weaver

pytestmark = pytest.mark.usefixtures("corpus")

ENGINEER = (
    "Ines Halloran was an engineer of harbours and lights. She was born in Port Merrow. "
    "She learned her trade from Tom Carey. She died in Kerrow in 1902."
)
LAMP = "Carrow Head Light was designed by Ines Halloran. It was first lit in 1874."
ASKED = {"Where was Ines Halloran born?": "Port Merrow", "From whom did she learn her trade?": "Tom Carey",
         "In which year did Ines Halloran die?": "1902", "When was Carrow Head Light first lit?": "1874"}  # fmt: skip


@dataclass(frozen=True)
class Says:
    """Answers with words, and cites what the rule of support finds for them among the hits."""

    words: str = ""
    query: str = ""
    reads: bool = False

    async def answer(self, question, workbench):
        query = self.query or question.text
        [hits] = await workbench.search([query], 3)
        passages = [*question.pinned, *(hit.passage for hit in hits)]
        for passage in question.pinned:
            workbench.keep_passage(passage)
        readings = {}
        if self.reads:
            readings = {passage.id: await workbench.read(query, passage) for passage in passages}
        claim = claim_of(1, query, self.words, "model", passages, readings)
        marks = " [1]" if claim.citations else ""
        return Answer(f"{self.words}{marks}.", self.words, (claim,))


@pytest.fixture
def corpus(own_folders):
    """A folder of documents and its index, in the working directory."""
    write(engineer=ENGINEER, lamp=LAMP)
    sync()


def write(**texts):
    Path("docs").mkdir(exist_ok=True)
    for name, text in texts.items():
        Path("docs", f"{name}.txt").write_text(text)


def sync(**options):
    intake = Intake([Path("docs")], sync=True, options=CorpusOptions(lenient=True, **options))
    BM25.take_in(Path("index"), intake, update=Path("index").exists())


def edit(old, new):
    """Replaces words in both documents and brings the index in line."""
    write(engineer=ENGINEER.replace(old, new), lamp=LAMP.replace(old, new))
    sync()


def settings(**more):
    return read_settings({"corpus": "index", "retriever": "bm25", "store": {"mode": "off"}, "llm": "scripted", **more})


def answered(question, method, reader=None, **more):
    async def run():
        async with Weaver(settings(**more), method=method, llm=Scripted(), reader=reader) as weaver:
            return await weaver.answer(question)

    record = asyncio.run(run())
    assert record.error is None, record.error
    return record


def put_record(**fields):
    """Puts a document of one record next to the others and brings the index in line."""
    Path("docs/records.jsonl").write_text(json.dumps({"id": "r", **fields}))
    sync()


def keep(*records, to="answers.jsonl"):
    with Path(to).open("a") as file:
        file.writelines(record.to_json() + "\n" for record in records)


def keep_all():
    keep(*(answered(question, Says(words)) for question, words in ASKED.items()))


def look(*paths, corpus=""):
    checked = Checked()
    found = list(
        stale_answers([Path(path) for path in paths or ("answers.jsonl",)], settings(), corpus=corpus, checked=checked)
    )
    return found, checked


def questions(found):
    return [one.record.question.text for one in found]


# -- what is stale -----------------------------------------------------------------------------------------------------------


def test_exactly_the_answers_that_cite_the_edited_words_are_stale():
    keep_all()
    assert look()[0] == []
    for (question, words), old in zip(ASKED.items(), ("Port Merrow", "Tom Carey", "1902", "1874"), strict=True):
        edit(old, "Ulm")
        found, checked = look()
        assert questions(found) == [question]
        assert (checked.num_answers, checked.num_citations) == (4, 4)
        [claim] = found[0].claims
        [citation] = claim.citations
        assert words in citation.citation.quote
        assert (citation.what, citation.now) == ("changed", citation.citation.quote.replace(old, "Ulm"))
        assert (claim.claim.support, claim.now.support, found[0].support) == ("supported", "unsupported", "unsupported")


@pytest.mark.slow
def test_any_edit_of_a_document_makes_stale_who_cites_a_sentence_that_is_not_there_any_more():
    keep_all()
    quotes = {
        record.question.text: record.answer.citations[0].quote for _, record in kept_records([Path("answers.jsonl")], Checked())
    }
    draw = random.Random(7)
    for _ in range(25):
        words = ENGINEER.split(" ")
        for _ in range(draw.randint(1, 4)):
            at = draw.randrange(len(words))
            words[at : at + draw.randint(0, 2)] = draw.choices(["Ulm.", "She", "was", "Ada"], k=draw.randint(0, 3))
        text = " ".join(words)
        write(engineer=text)
        sync()
        assert questions(look()[0]) == [asked for asked, quote in quotes.items() if quote not in text and quote not in LAMP]


def test_words_that_only_moved_are_not_stale():
    keep_all()
    write(engineer="A page about an engineer. " * 3 + ENGINEER)
    sync()
    assert look()[0] == []
    write(engineer="A page about an engineer. " * 60 + ENGINEER)
    sync(max_words=20)  # the words now stand in other passages of the document, with other ids
    found, checked = look()
    assert (found, checked.num_moved) == ([], 3)
    Path("docs/engineer.txt").rename("docs/person.txt")
    sync(max_words=20)
    found, checked = look()
    assert (found, checked.num_moved) == ([], 3)


def test_what_was_deleted_has_vanished_and_nothing_bears_its_claim_out():
    keep_all()
    edit("She was born in Port Merrow. ", "")
    [one] = look()[0]
    assert one.claims[0].citations[0].what == "vanished"
    assert one.claims[0].citations[0].now == ""
    Path("docs/engineer.txt").unlink()
    sync()
    found, _ = look()
    assert questions(found) == list(ASKED)[:3]
    assert {citation.what for one in found for citation in one.claims[0].citations} == {"vanished"}
    assert {one.support for one in found} == {"unsupported"}


def test_a_claim_that_the_new_words_support_as_well_stays_supported_and_cites_them():
    keep_all()
    edit("She was born in Port Merrow.", "She was born in the town of Port Merrow in 1836.")
    [one] = look()[0]
    [claim] = one.claims
    assert (claim.now.support, one.support) == ("supported", "supported")
    assert [cited.quote for cited in claim.now.citations] == ["She was born in the town of Port Merrow in 1836."]


def test_a_passage_that_was_not_found_for_the_query_does_not_rescue_a_claim():
    write(noise="Port Merrow lies at the mouth of the river Sill.")
    sync()
    record = answered("Where was she born?", Says("Port Merrow", query="engineer of harbours"))
    assert {passage.id for passage in record.passages} == {"engineer.txt"}
    keep(record)
    edit("Port Merrow", "Kiel")
    assert look()[0][0].support == "unsupported"


class Reads:
    """Reads the word after `born in`, surely."""

    identity = "born in"

    def read(self, pairs):
        found = []
        for _, passage in pairs:
            at = passage.text.find("born in ") + len("born in ")
            end = passage.text.find(".", at)
            found.append(
                Reading(passage.text[at:end], Span(at, end), 5.0) if at >= len("born in ") else Reading("", None, -5.0)
            )
        return found


def test_words_that_contradicted_a_claim_are_cited_words_as_well():
    keep(answered("Where was Ines Halloran born?", Says("Kiel", reads=True), reader=Reads()))
    write(engineer="Foreword. " + ENGINEER)
    sync()
    assert look()[0] == []
    edit("Port Merrow", "Kiel")
    [one] = look()[0]
    assert one.claims[0].claim.contradicted_by is not None
    assert (one.claims[0].claim.support, one.claims[0].now.support, one.support) == ("contradicted", "supported", "supported")


def test_a_reading_counts_as_long_as_its_words_stand_wherever_they_are_now():
    keep(answered("Where was Ines Halloran born?", Says("Kiel", reads=True), reader=Reads()))
    write(engineer="Foreword. " + ENGINEER.replace("She was born in", "This engineer was born in"))
    sync()
    [one] = look()[0]
    assert one.claims[0].now.support == "contradicted"
    assert one.claims[0].now.contradicted_by.quote == "This engineer was born in Port Merrow."


def test_a_claim_that_rests_on_a_title_is_stale_when_the_title_changes():
    put_record(title="River Sill", text="It flows past the mill.")
    keep(answered("Which river flows past the mill?", Says("River Sill")))
    put_record(title="River Teel", text="It flows past the mill.")
    [one] = look()[0]
    assert (one.claims[0].citations[0].in_title, one.claims[0].citations[0].now) == (True, "River Teel")
    assert one.support == "unsupported"


def test_a_passage_that_came_with_the_question_cannot_be_stale():
    pinned = Passage("given", "The mill of Kerrow was built by Ada Moss.")
    keep(answered(Question("q", "Who built the mill of Kerrow?", pinned=(pinned,)), Says("Ada Moss")))
    found, checked = look()
    assert (found, checked.num_citations) == ([], 1)


def test_an_answer_is_compared_with_the_corpus_as_its_user_sees_it():
    put_record(text="The keeper is paid 90 pounds.", access="board")
    keep(answered("What is the keeper paid?", Says("90 pounds"), access=["board"]))
    assert look()[0] == []
    put_record(text="The keeper is paid 90 pounds.", access="crown")
    assert look()[0][0].claims[0].citations[0].what == "vanished"


# -- what is looked at -------------------------------------------------------------------------------------------------------


def test_records_are_found_in_files_folders_and_runs_each_once():
    keep_all()
    for folder in ("kept/a", "run/records/jsonl", "run/examples"):
        Path(folder).mkdir(parents=True)
    shutil.copy("answers.jsonl", "kept/a/one.jsonl")
    shutil.copy("answers.jsonl", "run/records/jsonl/direct.jsonl")
    Path("run/plan.json").write_text("{}")
    Path("run/examples/jsonl.jsonl").write_text('{"not": "a record"}\n')
    edit("1874", "1875")
    found, checked = look("answers.jsonl", "kept", "run", "answers.jsonl")
    assert checked.unchecked == []
    assert [one.place for one in found] == [
        "answers.jsonl, line 4",
        "kept/a/one.jsonl, line 4",
        "run/records/jsonl/direct.jsonl, line 4",
    ]


def test_what_cannot_be_compared_is_told_and_the_rest_is_compared():
    keep(answered("Where was Ines Halloran born?", Says("Port Merrow"), retriever="bm25"))
    line = Path("answers.jsonl").read_text()
    over_another = line.replace('"corpus":"index"', '"corpus":"gone"')
    Path("answers.jsonl").write_text(f"{{}}\n\xe9\n{over_another}{line}{line[:90]}")
    with Path("answers.jsonl").open("ab") as file:
        file.write(b"\n\xff\n")
    edit("Port Merrow", "Kiel")
    found, checked = look()
    assert [one.place for one in found] == ["answers.jsonl, line 4"]
    assert [what.partition(":")[0] for what in checked.unchecked] == [
        "answers.jsonl, line 1",
        "answers.jsonl, line 2",
        "answers.jsonl, line 3 and others over the same corpus",
        "answers.jsonl, line 5",
        "answers.jsonl, line 6",
    ]
    assert "hopweave index" in checked.unchecked[2]
    assert [one.place for one in look(corpus="index")[0]] == ["answers.jsonl, line 3", "answers.jsonl, line 4"]


def test_a_path_without_records_is_an_error_that_says_what_to_give():
    Path("empty").mkdir()
    for path in ("empty", "nothing"):
        with pytest.raises(DataError, match="hopweave ask --out"):
            look(path)


def test_no_model_is_called(monkeypatch):
    keep_all()
    write(engineer="Nothing is left.")
    sync()

    def refuse(*_, **__):
        raise AssertionError

    monkeypatch.setattr(Store, "__init__", refuse)
    monkeypatch.setattr(Scripted, "reply", refuse)
    assert len(look()[0]) == 3


# -- passages by id ----------------------------------------------------------------------------------------------------------


def test_an_index_gives_passages_by_their_own_ids_and_by_their_documents(tmp_path):
    cut = [Passage("a#1", "One.", start=0, end=4), Passage("a#2", "Two.", start=5, end=9)]
    passages = [*cut, Passage("b#1", "Whole."), Passage("c", "X.", access=("x",))]
    BM25.build(tmp_path / "index", passages)
    with closing(open_passages(settings(corpus=str(tmp_path / "index")))) as lookup:
        assert [passage.id for passage in lookup.passages_of(["a"])] == ["a#1", "a#2"]
        assert [passage.id for passage in lookup.passages_of(["b#1", "a#2", "a#2", "b", "c", "", "\ud800"])] == ["a#2", "b#1"]
    with closing(open_passages(settings(corpus=str(tmp_path / "index"), access=["x"]))) as lookup:
        assert lookup.passages_of(["c"]) == [passages[3]]
