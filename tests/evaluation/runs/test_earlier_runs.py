"""A run that an earlier version began goes on where its methods do the same, and is refused, with the reason, where not."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from support.questions import RULES, put_questions

from hopweave.core.errors import DataError, SettingsError
from hopweave.core.types import Example, Gold, GoldSentence, Question
from hopweave.evaluation.integrity import manifest as manifest_file
from hopweave.evaluation.runs.folder import DatasetPlan, MethodPlan, Plan, RunFolder
from hopweave.evaluation.runs.run import RunOptions, evaluate
from hopweave.evaluation.runs.run_plan import Flags, in_full, read_plan
from hopweave.run.settings import read_settings


@pytest.fixture(autouse=True)
def scene(own_folders):
    """Three questions, and a model that says one thing."""
    Path("rules.toml").write_text(RULES)
    put_questions(3)


async def evaluated(**more):
    given = {"llm": "scripted", "llms": {"scripted": {"rules_file": "rules.toml"}}, **more}
    plan = read_plan(None, Flags(["jsonl"], ["cot"], Path("questions.jsonl"), settings=given))
    settings = read_settings(plan.settings)
    await evaluate(Path("run"), in_full(plan, settings), settings, RunOptions())
    return [*RunFolder.open(Path("run")).records("jsonl", "cot")]


def altered(place, change):
    """Changes a JSON document as if an earlier version had written it."""
    document = json.loads(Path(place).read_text())
    change(document)
    Path(place).write_text(json.dumps(document, indent=1))


def as_an_earlier_version_left_it():
    """Without a setting and a field that were added since, and with a question that is still to be answered."""
    altered("run/plan.json", lambda plan: plan["settings"].pop("require_support"))
    examples = Path("run/examples/jsonl.jsonl")
    rows = [json.loads(line) for line in examples.read_text().splitlines()]
    for row in rows:
        del row["question"]["dataset"]
    examples.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for place in Path("run/records/jsonl").iterdir():
        lines = place.read_text().splitlines(keepends=True)
        place.write_text("".join(lines[:-1]))


async def test_a_run_begun_before_a_setting_and_a_field_were_added_goes_on():
    before = await evaluated()
    as_an_earlier_version_left_it()
    after = await evaluated()
    assert [record.question.id for record in after] == [record.question.id for record in before]
    assert [record.answer for record in after] == [record.answer for record in before]


@pytest.mark.slow
async def test_a_setting_that_was_added_and_is_not_at_its_default_is_another_plan():
    await evaluated()
    as_an_earlier_version_left_it()
    with pytest.raises(SettingsError, match="require_support was false, is now true"):
        await evaluated(require_support=True)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda options: options.update(max_tokens=7), "option max_tokens of cot was 7, is now "),
        (lambda options: options.pop("max_tokens"), "option max_tokens of cot was not there, is now "),
    ],
)
async def test_a_run_whose_method_works_otherwise_by_now_is_refused(change, reason):
    await evaluated()
    known = manifest_file.Manifest.read(Path("run"))
    methods = {label: dict(options) for label, options in known.methods.items()}
    change(methods["cot"])
    replace(known, methods=methods).write(Path("run"))
    with pytest.raises(DataError, match=reason):
        await evaluated()


def test_gold_sentences_are_kept_and_without_them_an_example_is_kept_as_before_there_were_any(tmp_path):
    run = RunFolder.create(tmp_path / "kept", Plan({"own": DatasetPlan("jsonl")}, {"cot": MethodPlan("cot")}))
    bare = Example(Question("a", "Which?"), Gold(("Ulm",), ("p",)))
    told = Example(Question("b", "\ud800 Where?"), Gold(("Ulm",), ("p",), sentences=(GoldSentence("p", 2, 9),)))
    run.keep_examples("own", [bare, told])
    first, second = (json.loads(line) for line in run.examples_path("own").read_text().splitlines())
    assert list(first["gold"]) == ["answers", "passage_ids", "facts", "steps"]
    assert second["gold"]["sentences"] == [{"passage_id": "p", "start": 2, "end": 9}]
    assert [one.gold for one in run.examples("own")] == [bare.gold, told.gold]
    run.keep_examples("own", run.examples("own"))
