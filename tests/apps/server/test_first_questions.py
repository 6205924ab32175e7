"""What a corpus holds and the questions to begin with: natural, answered by the passages shown, the same each time."""

import json
from pathlib import Path

import pytest
from support.served_app import KEY, OTHER_KEY, QUESTION, app_over, bearer, client_of, index_of, keys

import hopweave
from hopweave.apps.server.first_questions import MAX_READ, overview_of, questions_from
from hopweave.core.types import Passage
from hopweave.core.visibility import PUBLIC, Visible
from hopweave.ingest.read import read_corpus

KERROW = Passage(
    "kerrow", "Kerrow Light stands above Sula. It was designed by Ada Finch and lit in 1871.", "Kerrow Light", "k.html"
)
FINCH = Passage("finch", "Ada Finch was an engineer. She was born in Orlau in 1833.", "Ada Finch", "f.md")
ORLAU = Passage("orlau", "Orlau is a town on the Teel, where Ada Finch was born.", "Orlau", "o.pdf#page=2")


def test_a_question_leads_through_one_passage_to_another():
    assert questions_from([KERROW, FINCH])[0] == "Where was the designer of Kerrow Light born?"


def test_without_a_fact_about_the_other_there_is_no_such_question():
    mute = Passage("finch", "Ada Finch was an engineer.", "Ada Finch")
    assert not any("designer" in question for question in questions_from([KERROW, mute]))


@pytest.mark.parametrize(
    ("passages", "question"),
    [
        ([Passage("a", "Turn the key.", "How to light the lamp")], "How do I light the lamp?"),
        ([Passage("a", "Oil.", "what does the lamp burn at night?")], "What does the lamp burn at night?"),
        ([Passage("a", "Oil.", "What is it that burns here?")], None),
        ([FINCH, Passage("b", "The engineer Ada Finch drew it.", "")], "Who was Ada Finch?"),
        ([Passage("a", "Brass is a metal.", "x"), Passage("b", "made of Brass here", "")], "What is Brass?"),
        (
            [Passage("a", "Die Lampe brennt mit Tran.", "Die Lampe von Orlau")],
            "What do the documents say about Die Lampe von Orlau?",
        ),
        ([Passage("a", "Nothing.", "Introduction"), Passage("b", "Nothing.", "notes/a_b.txt"), Passage("c", "1", "3.1")], None),
        ([Passage("a#1", "One.", "The Lamp", start=0), Passage("b#1", "Two.", "The Lamp", start=0)], None),
    ],
)
def test_headings_and_beginnings_become_natural_questions(passages, question):
    assert questions_from(passages)[:1] == ((question,) if question else ())


@pytest.mark.parametrize(
    ("sections", "question"),
    [
        (("Configuring replication",), "What do the documents say about configuring replication?"),
        (("3.2 Configuring Replication", "OPTIONS"), "What do the documents say about configuring replication?"),
        (("How to replace a disk",), "How do I replace a disk?"),
        (("Guide", "What happens when a disk fails?"), "What happens when a disk fails?"),
        (("The lamp of Orlau",), "What do the documents say about The lamp of Orlau?"),
        (("See also",), None),
        (("Introduction", "Getting started"), None),
        (("Early life and education",), None),
        (("EXIT STATUS OF LAMPS",), None),
    ],
)
def test_headings_of_sections_become_questions_if_they_say_what_the_section_is_about(sections, question):
    passages = [Passage("a#1", "To keep replication simple, set copies.", "manual", sections=sections)]
    assert questions_from(passages) == ((question,) if question else ())


def test_the_number_of_a_heading_is_no_part_of_its_topic():
    def asked(*headings):
        return questions_from([Passage(f"{one}#1", "Some words.", one, start=0, sections=(one,)) for one in headings])

    first, second = asked("1 Harbour Signals of Kerrow", "2 Ferry Staff")
    assert first == "What do the documents say about Harbour Signals of Kerrow?"
    assert second == "What do the documents say about Ferry Staff?"
    assert asked("12 Angry Keepers of Kerrow") == ("What do the documents say about 12 Angry Keepers of Kerrow?",)


def test_a_heading_that_several_documents_have_is_no_topic_and_those_of_the_only_document_say_what_it_holds():
    one, other = (Passage(f"{name}#1", "Text.", "x", start=0, sections=("Replacing a disk",)) for name in "ab")
    assert questions_from([one, other]) == ()
    assert overview_of([one], PUBLIC).titles == ("Replacing a disk",)


def test_two_passages_that_name_each_other_are_asked_about_together():
    mutual = Passage("finch", "Ada Finch was an engineer from Orlau.", "Ada Finch")
    assert questions_from([mutual, ORLAU])[0] == "How are Ada Finch and Orlau connected?"
    assert not any("connected" in question for question in questions_from([KERROW, ORLAU]))


def test_questions_are_about_different_things_and_the_same_each_time():
    passages = [KERROW, FINCH, ORLAU]
    first = questions_from(passages)
    assert first == questions_from(passages)
    assert len(first) == len(set(first)) <= 3
    assert sum("Kerrow" in question for question in first) <= 1


def test_hidden_passages_are_neither_counted_nor_asked_about():
    secret = Passage("pay", "The pay is 90 pounds.", "Secret Pay", "pay.csv", access=("board",))
    seen = overview_of([secret, KERROW], PUBLIC)
    assert (seen.num_passages, seen.num_documents, seen.num_records, seen.formats) == (1, 1, 0, ("HTML",))
    assert not any("Secret" in text for text in (*seen.titles, *seen.questions))
    assert "Secret Pay" in overview_of([secret, KERROW], Visible(("board",))).titles


def test_a_filter_on_metadata_holds_for_questions_too():
    old = Passage("old", "Old.", "The Old Lamp", metadata={"year": "1833"})
    seen = overview_of([old, KERROW], Visible((), {"year": "1833"}))
    assert seen.titles == ("The Old Lamp",)
    assert seen.questions == ("What do the documents say about The Old Lamp?",)


def test_of_a_large_corpus_only_the_first_passages_are_read_and_nothing_is_said_of_its_size():
    num_read = 0

    def endless():
        nonlocal num_read
        while True:
            num_read += 1
            yield Passage(f"p{num_read}", "Ada Finch drew it.", "Ada Finch" if num_read == 1 else "")

    seen = overview_of(endless(), PUBLIC)
    assert num_read == MAX_READ + 1
    assert (seen.num_passages, seen.num_documents, seen.num_records, seen.num_files) == (None,) * 4
    assert seen.questions == ("What do the documents say about Ada Finch?",)


def test_the_starter_corpus_begins_with_three_questions():
    seen = overview_of(read_corpus([Path(hopweave.__file__).parent / "starter" / "passages.jsonl"]), PUBLIC)
    assert (seen.num_documents, seen.num_records, seen.num_files) == (187, 187, 1)
    assert seen.questions == (
        "Where was the designer of Villa Tugendhat born?",
        "Where was the director of 2001: A Space Odyssey born?",
        "How are Marie Curie and Pierre Curie connected?",
    )


def overview(client, name="light", query="", key=""):
    return client.get(f"/v1/corpora/{name}/overview{query}", headers=bearer(key) if key else {})


def test_the_server_says_what_each_caller_may_see(tmp_path):
    with client_of(app_over(tmp_path, keys=keys(access=("board",)))) as client:
        anna = overview(client, key=KEY).json()
        assert anna["num_passages"] == 3
        assert "Keepers" in anna["titles"]
        assert overview(client, key=OTHER_KEY).status_code == 404
        bob = overview(client, "other", key=OTHER_KEY).json()
        assert (bob["num_passages"], bob["titles"]) == (1, ["Carrow Head"])
        assert overview(client).status_code == 401


def test_the_list_of_corpora_says_how_large_they_are_but_not_to_holders_of_keys(tmp_path):
    with client_of(app_over(tmp_path / "open")) as client:
        assert client.get("/v1/corpora").json()["corpora"] == [
            {"name": "light", "num_passages": 3},
            {"name": "other", "num_passages": 1},
        ]
    with client_of(app_over(tmp_path / "closed", keys=keys())) as client:
        told = client.get("/v1/corpora", headers=bearer(KEY)).json()["corpora"]
    assert [one["num_passages"] for one in told] == [None, None]


def test_the_overview_of_a_filtered_corpus_is_that_of_its_part(tmp_path):
    with client_of(app_over(tmp_path)) as client:
        part = overview(client, query="?where=year=1833").json()
        assert (part["num_passages"], part["titles"]) == (1, ["Ines Halloran"])
        refused = overview(client, query="?where=1833")
        assert refused.status_code == 422
        assert "KEY=VALUE" in refused.json()["error"]["message"]


def test_an_updated_index_is_looked_over_again(tmp_path):
    corpora = {"light": index_of(tmp_path / "light", (KERROW,))}
    with client_of(app_over(tmp_path, corpora=corpora)) as client:
        assert overview(client).json()["titles"] == ["Kerrow Light"]
        index_of(tmp_path / "light", (FINCH,))
        assert overview(client).json()["titles"] == ["Ada Finch"]


def test_a_stream_begins_with_how_long_the_method_usually_takes_once_it_is_known(tmp_path):
    def started(client, question):
        text = client.post("/v1/answers", json={"question": question, "stream": True}).text
        return json.loads(text.split("\n")[1].removeprefix("data: "))["usual"]

    with client_of(app_over(tmp_path)) as client:
        assert started(client, QUESTION) is None
        usual = started(client, QUESTION)
        assert usual["num_answers"] == 1
        assert usual["seconds"] > 0
        assert started(client, QUESTION) == usual  # what the store replayed does not count


def test_formats_are_told_as_people_know_them():
    sources = ["a.md", "b.htm", "ls.1.gz", "Apache-2.0", "README.Debian", "notes.txt", "rows.csv.gz", "r.pdf#page=3", "x.py"]
    seen = overview_of([Passage(source, "Some words.", source, source) for source in sources], PUBLIC)
    assert set(seen.formats) == {"Markdown", "HTML", "text", "CSV", "PDF", "PY"}
    assert seen.formats[0] == "text"


def test_the_name_of_a_file_is_no_topic():
    passages = [Passage(name, "Some words.", name) for name in ("gnupg-README", "zlib-copyright", "Kerrow Light")]
    seen = overview_of(passages, PUBLIC)
    assert seen.titles == ("Kerrow Light",)
    assert not any("README" in question or "copyright" in question for question in seen.questions)
