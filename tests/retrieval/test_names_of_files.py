import pytest

from hopweave.core.types import Passage
from hopweave.retrieval.engines.bm25 import BM25
from hopweave.retrieval.engines.weave import Weave
from hopweave.retrieval.index.analysis import ENGLISH
from hopweave.retrieval.servers.server_rows import row_of
from hopweave.text.document_names import full_heading, full_title, words_above

TEXT = "The program comes without warranty, and nobody is liable for what it does."
LICENCES = [Passage(f"{n}", TEXT, "General Public Licence", f"licences/GPL-{n}.txt") for n in (1, 2, 3)]


@pytest.mark.parametrize("engine", [BM25, Weave])
def test_a_question_that_names_a_file_finds_it_among_documents_of_one_title(tmp_path, engine):
    BM25.build(tmp_path / "index", LICENCES)
    [hits] = engine(tmp_path / "index").search(["Who is liable according to GPL-2?"], 3)
    assert hits[0].passage.id == "2"
    assert hits[0].score > hits[1].score


def test_engines_on_servers_count_the_words_of_a_file_name_as_those_of_a_title():
    row = row_of(LICENCES[1], (), ENGLISH)
    assert row.title_terms["gpl"] == 1
    assert row.terms["gpl"] == 1


def test_a_word_that_title_and_file_name_share_counts_once():
    passage = Passage("1", TEXT, "Supply Agreement", "Supply_Agreement-2024.pdf#page=2")
    assert words_above(passage) == "Supply Agreement\n2024"


@pytest.mark.parametrize(
    "source", ["https://orlau.example/fees", "fees.html", "fees.xhtml.gz", "rows.jsonl", "rows.ndjson.gz", "rows.json", ""]
)
def test_addresses_and_files_of_many_records_say_nothing_of_a_passage(source):
    assert words_above(Passage("1", TEXT, "Title", source)) == "Title"


@pytest.mark.parametrize(
    ("source", "title"),
    [
        ("Fees_2024-03.pdf", "Fees (2024-03)"),
        ("Orlau_fees_20240315.pdf", "Fees (Orlau 20240315)"),
        ("3f2b8c1e-9d4a-4b7e-8f1a-2c3d4e5f6a7b.pdf", "Fees"),
        ("fees-9c1e2b7f04.pdf", "Fees"),
        ("IMG_1700000000123.png", "Fees (IMG)"),
        ("facade.pdf", "Fees (facade)"),
        ("fees.pdf", "Fees"),
        ("https://orlau.example/2024/fees", "Fees"),
    ],
)
def test_a_title_as_models_see_it_has_what_the_name_of_the_file_adds_but_no_identifiers(source, title):
    assert full_title(Passage("1", TEXT, "Fees", source)) == title


def test_a_passage_without_a_title_is_called_by_its_file():
    assert full_heading(Passage("1", TEXT, "", "minutes_2024-03.txt", sections=("Budget",))) == "minutes 2024-03 > Budget"
