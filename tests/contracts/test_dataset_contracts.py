"""What every dataset must keep to: a new file is held to this without a list being edited.

The rows are those that the docstring shows, so they are checked too.
"""

import importlib
import inspect
import json
import re
from pathlib import Path

import pytest
from support.docstring_files import content, shown_files
from support.parts import names_of

from hopweave.answering.demonstrations import demonstrations, family_of
from hopweave.core.building import build
from hopweave.core.catalog import load
from hopweave.core.errors import DataError
from hopweave.core.protocols import Dataset, PassageSource
from hopweave.core.types import Example, Passage
from hopweave.ingest.lookup import content_id
from hopweave.ingest.read import CorpusOptions, read_corpus

NAMES = names_of("datasets")


def made(name, shown, **more):
    values = {"path": str(shown.path), **{key: str(path) for key, path in shown.options.items()}, **more}
    return build(load("datasets", name), values, f"datasets.{name}")


@pytest.fixture(params=NAMES)
def name(request):
    return request.param


@pytest.fixture
def layouts(name, tmp_path):
    return shown_files(name, tmp_path)


def test_a_dataset_says_its_address_its_licence_and_shows_a_row(name, layouts):
    doc = inspect.getdoc(importlib.import_module(f"hopweave.evaluation.datasets.{name}"))
    assert re.search(r"[Aa]ddress|\bURL\b|https?://", doc)
    assert re.search(r"[Ll]icence", doc)
    assert layouts


def test_the_rows_that_a_docstring_shows_are_loaded_as_examples(name, layouts):
    for shown in layouts:
        dataset = made(name, shown)
        assert isinstance(dataset, Dataset)
        examples = list(dataset.examples())
        assert examples
        for example in examples:
            assert type(example) is Example
            question, gold = example.question, example.gold
            assert question.id.strip()
            assert question.text.strip()
            assert all(isinstance(answer, str) and answer.strip() for answer in gold.answers)
            assert len(set(gold.answers)) == len(gold.answers)
            assert len(set(gold.passage_ids)) == len(gold.passage_ids)
            assert (question.form == "label") == bool(question.labels)
            assert question.form != "label" or set(gold.answers) <= set(question.labels)
            assert demonstrations(family_of(question))
            assert all(isinstance(value, str | int) and value != "" for value in example.traits.values())
            hash(question), hash(gold)
        assert any(example.gold.answers for example in examples)


def test_ids_are_unique_and_the_order_is_fixed(name, layouts):
    for shown in layouts:
        dataset = made(name, shown)
        first, again = list(dataset.examples()), list(made(name, shown).examples())
        assert first == again == list(dataset.examples())
        assert len({example.question.id for example in first}) == len(first)


def test_gold_passages_and_steps_name_passages_that_the_dataset_brings(name, layouts):
    for shown in layouts[:1]:
        dataset = made(name, shown)
        if not isinstance(dataset, PassageSource):
            continue
        passages = list(dataset.passages())
        assert all(type(passage) is Passage and passage.id for passage in passages)
        ids = {passage.id for passage in passages}
        golds = [example.gold for example in dataset.examples()]
        named = {one for gold in golds for one in (*gold.passage_ids, *(step.passage_id for step in gold.steps)) if one}
        assert named
        assert named <= ids


def test_passages_without_an_id_of_their_own_get_the_one_that_an_index_gives(tmp_path):
    (tmp_path / "a.jsonl").write_text(json.dumps({"title": "Carrow", "text": "A harbour."}))
    (passage,) = read_corpus([tmp_path / "a.jsonl"], options=CorpusOptions())
    assert passage.id == content_id("Carrow", "A harbour.")


def test_rows_of_any_other_kind_than_json_and_columns_are_written_as_they_are_shown():
    assert content(Path("cards.txt"), "Who?  | Ines {Halloran}\nWhere? |") == "Who?  | Ines {Halloran}\nWhere? |\n"
    assert content(Path("a.jsonl"), '{"a":\n 1}') == '{"a": 1}\n'
    assert content(Path("a.tsv"), "q1  p1  1") == "q1\tp1\t1\n"


def damaged(shown, damage):
    """The shown rows with the last one damaged; how they are named in an error."""
    text = shown.rows.read_text(encoding="utf-8")
    if shown.rows.suffix == ".csv":
        shown.rows.write_text(text + "\n\n" + damage + "\tnothing\n")
        return "line 4"
    if shown.rows.suffix != ".json":
        lines = text.splitlines()
        lines.append(damage)
        shown.rows.write_text("\n".join(lines))
        return f"line {len(lines)}"
    whole = json.loads(text)
    rows = whole if isinstance(whole, list) else next(value for value in whole.values() if isinstance(value, list))
    rows.append(json.loads(damage))
    written = json.dumps(whole, indent=1)
    shown.rows.write_text(written)
    needle = json.dumps(rows[-1], indent=1).split("\n")[0]
    lines = written.splitlines()
    at = max(number for number, line in enumerate(lines, start=1) if line.strip() == needle)
    return f"line {at} (record {len(rows)})"


@pytest.mark.parametrize("damage", ['{"nonsense": 1}', "[1]"])
def test_a_broken_row_is_an_error_that_names_file_line_and_reason(name, layouts, damage):
    for shown in layouts:
        where = damaged(shown, damage)
        with pytest.raises(DataError) as caught:
            list(made(name, shown).examples())
        message = str(caught.value)
        assert message.startswith(f"{shown.rows.as_posix()}, {where}"), message
        reason, _, advice = message.partition(where)[2].partition("; ")
        assert re.search(r"\w+ \w+", reason), message
        assert advice
        assert "\n" not in message


def test_a_row_that_comes_twice_is_an_error_that_names_both_lines(name, layouts):
    for shown in layouts:
        if shown.rows.suffix != ".jsonl" or '"id"' not in shown.rows.read_text():
            continue
        line = shown.rows.read_text().splitlines()[0]
        shown.rows.write_text(f"{line}\n\n{line}\n")
        with pytest.raises(DataError, match=r"line 3: its id .* is also that of .*line 1; give each row its own id"):
            list(made(name, shown).examples())


def test_rows_of_json_that_are_no_json_are_an_error_that_names_the_line(name, layouts):
    for shown in layouts:
        if not shown.rows.read_text().startswith(("{", "[")):
            continue
        shown.rows.write_text('[\n{"a": 1},\n{"b": }\n]' if shown.rows.suffix == ".json" else '\n\n{"b": }')
        with pytest.raises(DataError, match=r"line [23].*"):
            list(made(name, shown).examples())


def test_a_file_that_is_not_there_or_empty_is_an_error_that_names_it(name, layouts):
    for shown in layouts:
        shown.rows.write_text("")
        with pytest.raises(DataError, match=r"is empty|no question that can be asked"):
            list(made(name, shown).examples())
        shown.rows.unlink()
        with pytest.raises(DataError, match=re.escape(shown.rows.name)):
            list(made(name, shown).examples())
