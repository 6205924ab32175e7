"""Tables without a column for the text."""

import json

import pytest

from hopweave.core.errors import DataError
from hopweave.ingest.read import CorpusOptions, read_corpus

CITIES = "id,city,river,note\n7,Ulm,Danube,It is old.\n8,Tübingen,Neckar,\n"


def test_a_row_without_a_text_is_its_cells_with_the_names_of_the_columns(tmp_path):
    (tmp_path / "a.csv").write_text(CITIES, encoding="utf-8")
    assert [(p.id, p.title, p.text) for p in read_corpus([tmp_path])] == [
        ("7", "Ulm", "id: 7; city: Ulm; river: Danube; note: It is old."),
        ("8", "Tübingen", "id: 8; city: Tübingen; river: Neckar."),
    ]


@pytest.mark.parametrize("name", ["a.json", "a.jsonl"])
def test_flat_records_of_json_without_a_text_are_rows_of_a_table(tmp_path, name):
    rows = [
        {"id": 7, "product": "Orla 450", "price": 12.5, "in stock": True, "note": None, "access": ["sales"]},
        {"id": 8, "product": "Orla 600", "price": 19, "in stock": False, "note": "Sold with a cable."},
    ]
    text = json.dumps(rows) if name == "a.json" else "\n".join(map(json.dumps, rows))
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert [(p.id, p.title, p.access, p.text) for p in read_corpus([tmp_path])] == [
        ("7", "Orla 450", ("sales",), "id: 7; product: Orla 450; price: 12.5; in stock: true."),
        ("8", "Orla 600", (), "id: 8; product: Orla 600; price: 19; in stock: false; note: Sold with a cable."),
    ]


@pytest.mark.parametrize(
    "rows",
    [
        [{"id": 7, "text": "The text."}, {"id": 8, "words": "no text"}],
        [{"id": 7, "sizes": [1, 2]}],
        [{"id": 7}],
        [{"city": "Ulm", "river": "Danube"}, {"city": "Brno", "rivers": {"north": "Svratka"}}],
    ],
)
def test_records_of_json_that_are_no_rows_of_a_table_need_a_text(tmp_path, rows):
    (tmp_path / "a.json").write_text(json.dumps(rows), encoding="utf-8")
    with pytest.raises(DataError, match=r"has no field text or .*--text-field$"):
        list(read_corpus([tmp_path]))


def test_a_later_row_of_a_table_of_json_may_have_lists_and_long_texts(tmp_path):
    rows = [{"city": "Ulm", "river": "Danube"}, {"city": "Brno", "rivers": ["Svratka", "Svitava"]}]
    (tmp_path / "a.json").write_text(json.dumps(rows), encoding="utf-8")
    assert [one.text for one in read_corpus([tmp_path])][1] == "city: Brno; rivers: Svratka, Svitava."


def test_empty_cells_may_be_left_out_at_the_end_of_a_row(tmp_path):
    (tmp_path / "a.csv").write_text("series,created,release\nOrla,2001,2002\nSula,2003\n", encoding="utf-8")
    found = [one.text for one in read_corpus([tmp_path])]
    assert found == ["series: Orla; created: 2001; release: 2002.", "series: Sula; created: 2003."]


def test_the_title_and_the_id_can_be_named(tmp_path):
    (tmp_path / "a.tsv").write_text(CITIES.replace(",", "\t"), encoding="utf-8")
    found = list(read_corpus([tmp_path], options=CorpusOptions(id_field="city", title_field="river")))
    assert [(p.id, p.title) for p in found] == [("Ulm", "Danube"), ("Tübingen", "Neckar")]


def test_a_cell_that_is_as_long_as_a_text_is_no_title(tmp_path):
    long, short = "It came late and was broken. " * 4, "x" * 100
    (tmp_path / "a.csv").write_text(f"feedback,product\n{long},Kettle\n{short},Kettle\n{long},{long}\n", encoding="utf-8")
    assert [p.title for p in read_corpus([tmp_path])] == ["Kettle", short, ""]


def test_a_column_of_texts_is_the_text_and_other_columns_are_left_alone(tmp_path):
    (tmp_path / "a.csv").write_text("id,text,note\n7,The text.,a note\n")
    assert [p.text for p in read_corpus([tmp_path])] == ["The text."]


@pytest.mark.parametrize("option", ["id_field", "title_field", "text_field"])
def test_a_field_that_was_asked_for_by_name_must_be_a_column(tmp_path, option):
    (tmp_path / "a.csv").write_text(CITIES, encoding="utf-8")
    with pytest.raises(DataError, match=rf"line 2 has no field nothing .*--{option.replace('_', '-')}$"):
        list(read_corpus([tmp_path], options=CorpusOptions(**{option: "nothing"})))


@pytest.mark.parametrize("header", ["7,Ulm", "city,city", "city,", "Ulm,2024-01-05", f"city,{'word ' * 30}", "Ulm"])
def test_a_first_line_that_is_no_header_is_an_error_and_not_a_guess(tmp_path, header):
    (tmp_path / "a.csv").write_text(f"{header}\n" + ",".join("ab"[: header.count(",") + 1]) + "\n")
    with pytest.raises(DataError, match=r"line 2 has no field text or .*--text-field$"):
        list(read_corpus([tmp_path]))
