"""Which part of the rule gives and takes which tick, and what fitted confidences are worth."""

import json
import sys
from pathlib import Path

import pytest
from support.markdown_tables import tables_in

from hopweave.core.types import Passage
from hopweave.record.signals import SIGNALS
from hopweave.retrieval.engines.bm25 import BM25

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

import small_model
import ticks

CASES = {
    # what only this part of the rule refuses: a question, a wrong answer, and the passages that have its words
    "kind": ("Who founded Orlau?", "1839", ["Orlau was founded in 1839."]),
    "subject": ("When was the harbour of Sula opened?", "1846", ["The harbour of Tromvik was opened in 1846."]),
    "relation": ("Where was Ada Finch born?", "Carrowhaven", ["Ada Finch kept a shop in Carrowhaven."]),
    "denial": ("Who keeps the ferry of Harl?", "Una Marsh", ["The ferry of Harl is not kept by Una Marsh."]),
    "hedge": ("Who built Orrin Pier?", "Lem Cask", ["Orrin Pier was possibly built by Lem Cask."]),
    "replaced": ("Which oil do the lamps of Selk burn?", "rape oil", ["Status: withdrawn\n\nThe lamps of Selk burn rape oil."]),
    "rivals": (
        "When was Kerrow Light finished?",
        "1851",
        ["Kerrow Light was finished in 1851 by the harbour board.", "Kerrow Light was finished in 1862 by the harbour board."],
    ),
}
STATED = ("Where did Ida Renn die?", "Ida Renn kept bees in Nithdale.", ["Ida Renn kept bees in Nithdale."])
"""A statement that names its subject: what it says does not answer the question."""
RIGHT = ("Where was Tam Orrin born?", "Teelmouth", ["Tam Orrin was born in Teelmouth."])
COMPARED = (
    "Who was born first, Bo Lind or Cy Marr?",
    "Bo Lind",
    ["Bo Lind (born 1801) kept goats.", "Cy Marr (born 1822) sailed."],
)
THOUGHTS = [
    ("Cy Marr was born in 1822.", "So the answer is: Bo Lind."),
    ("Bo Lind was born in 1801.", "Cy Marr was born in 1822. "),
    (
        "first, Bo Lind",
        ["Bo Lind was born in 1801. ", "Bo Lind was born in 1801. Cy Marr was born in 1822. So the answer is: Bo Lind."],
    ),
]


def built(folder, cases, rules=()):
    """A ground with a question for each case, and a model that gives its answer."""
    texts = ["Nothing happens here.", *(text for _, _, passages in cases.values() for text in passages)]
    passages = [Passage(f"p{number}", text, f"Page {number}") for number, text in enumerate(texts)]
    folder.mkdir(parents=True)
    BM25.build(folder / "index", passages)
    BM25.build(folder / "index-without-gold", [passage for passage in passages if "Teelmouth" not in passage.text])
    right = {
        name: answer if name in {"right", "compared"} or name.startswith("even") else "Nithing"
        for name, (_, answer, _) in cases.items()
    }
    lines = [
        {"id": name, "question": question, "answers": [right[name]], "type": "unanswerable" if name == "kind" else "look_up"}
        for name, (question, _, _) in cases.items()
    ]
    (folder / "questions.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    said = [{"find": question, "say": f"So the answer is: {answer}"} for question, answer, _ in cases.values()]
    Path("rules.json").write_text(json.dumps({"rules": [*({"find": find, "say": say} for find, say in rules), *said]}))


@pytest.fixture(autouse=True)
def _own_folders(own_folders):
    """Runs and grounds are in a folder of the test."""


def shown(capsys, monkeypatch, script, *arguments):
    monkeypatch.setattr(sys, "argv", [script.__name__, *map(str, arguments)])
    script.main()
    return tables_in(capsys.readouterr().out)


def asked(capsys, monkeypatch, method, *more):
    """The tables of a run on the ground."""
    model = ["--llm", "scripted", "--set", "llms.scripted.rules_file=rules.json", "--retriever", "bm25"]
    where = ["--ground", "ground", "--out", "out", "--half", "choose"]
    return shown(capsys, monkeypatch, small_model, *where, *model, "--methods", method, *more)


def ticks_of(rows, of="documentation"):
    """How many ticks there are, and how many of them are right, by the first cell of the rows of all questions."""
    return {next(iter(row.values())): (int(row["ticks"]), int(row["ticks right"])) for row in rows if row["questions of"] == of}


@pytest.mark.slow
def test_each_part_of_the_rule_keeps_its_own_wrong_answer_from_a_tick(capsys, monkeypatch):
    built(Path("ground/choose"), {**CASES, "statement": STATED, "right": RIGHT})
    asked(capsys, monkeypatch, "direct_retrieval")
    tables = shown(capsys, monkeypatch, ticks, "out/documentation-choose-9/direct_retrieval")
    assert ticks_of(tables["As recorded"]) == {"documentation-choose-9/direct_retrieval": (2, 1)}
    parts = tables["Parts: documentation-choose-9/direct_retrieval"]
    one_more = {f"without {part}": (3, 1) for part in CASES}
    assert ticks_of(parts) == {
        "the rule": (2, 1),
        **one_more,
        "without comparisons": (2, 1),
        "without statements that name their subject": (1, 1),
        "the words alone": (9, 1),
    }
    assert {row["otherwise"] for row in parts} == {"0"}


def test_a_comparison_has_its_tick_from_both_sides_alone(capsys, monkeypatch):
    built(Path("ground/choose"), {"compared": COMPARED}, THOUGHTS)
    asked(capsys, monkeypatch, "ircot")
    parts = shown(capsys, monkeypatch, ticks, "out/documentation-choose-1/ircot")["Parts: documentation-choose-1/ircot"]
    none = {"without comparisons", "without statements that name their subject", "the words alone"}
    assert ticks_of(parts) == {row["rule"]: (0, 0) if row["rule"] in none else (1, 1) for row in parts}
    assert len(parts) > len(none)


def test_a_question_that_now_needs_another_reply_counts_as_its_record_says(capsys, monkeypatch):
    built(Path("ground/choose"), {"right": RIGHT})
    asked(capsys, monkeypatch, "direct_retrieval")
    run = Path("out/documentation-choose-1/direct_retrieval")
    BM25.build(Path("ground/other"), [Passage("other", "Tam Orrin was born in Teelmouth, by the sea.", "Another page")])
    plan = json.loads((run / "plan.json").read_text())
    plan["datasets"]["documentation"]["corpus"] = "ground/other"
    (run / "plan.json").write_text(json.dumps(plan))
    [row, *_] = shown(capsys, monkeypatch, ticks, run)["Parts: documentation-choose-1/direct_retrieval"]
    assert (row["ticks"], row["otherwise"]) == ("1", "1")


def test_a_run_without_its_store_is_refused_in_a_line_that_says_what_to_do(capsys, monkeypatch):
    built(Path("ground/choose"), {"right": RIGHT})
    asked(capsys, monkeypatch, "direct_retrieval")
    Path("out/store.sqlite").unlink()
    with pytest.raises(SystemExit, match="ticks: there is nothing to replay"):
        shown(capsys, monkeypatch, ticks, "out/documentation-choose-1/direct_retrieval")


@pytest.mark.slow
def test_of_the_signals_the_one_that_tells_right_from_wrong_is_shown_to(capsys, monkeypatch):
    numbers = range(36)
    cases = {
        f"{'even' if number % 2 == 0 else 'odd'}-{number}": (
            f"When was the lock of Carrow{number} opened?",
            f"{1800 + number}",
            [f"The lock of Carrow{number} was opened in {1800 + number if number % 2 == 0 else 1700}."],
        )
        for number in numbers
    }
    built(Path("ground/confirm"), dict(list(cases.items())[:6]))
    built(Path("ground/choose"), cases)
    for half in ("choose", "confirm"):
        asked(capsys, monkeypatch, "direct_retrieval", "--half", half)
    chosen, given = (f"out/documentation-{name}/direct_retrieval" for name in ("choose-36", "confirm-6"))
    rows = shown(capsys, monkeypatch, ticks, given, "--no-parts", "--fit", chosen)[
        f"Signals: fitted on 36 answers of {chosen[4:]}"
    ]
    by_name = {row["signals"]: row for row in rows}
    assert len(rows) == 2 + 2 * len(SIGNALS)
    assert {(row["questions"], row["ticks"], row["ticks right"]) for row in rows} == {("6", "3", "3")}
    assert by_name["supported alone"]["AUROC"] == by_name["all"]["AUROC"] == "1.000"
    assert by_name["hops alone"]["AUROC"] == "0.500"
    assert float(by_name["supported alone"]["Brier"]) < 0.1 < 0.2 < float(by_name["hops alone"]["Brier"])


def test_what_cannot_be_answered_is_counted_by_itself_and_without_gold_as_wrong(capsys, monkeypatch):
    built(Path("ground/choose"), {"kind": CASES["kind"], "subject": CASES["subject"], "right": RIGHT})
    with_gold = asked(capsys, monkeypatch, "direct_retrieval", "--set", "methods.direct_retrieval.num_passages=3")["Ticks"]
    assert {row["questions of"]: (row["questions"], row["ticks"], row["ticks right"]) for row in with_gold} == {
        "documentation": ("3", "1", "1"),
        "answerable ones": ("2", "1", "1"),
        "unanswerable ones": ("1", "0", "0"),
    }
    without = asked(capsys, monkeypatch, "direct_retrieval", "--without-gold")
    assert {row["ticks"] for row in without["Ticks, without the gold passages: every tick is wrong"]} == {"0"}
    assert Path("out/documentation-choose-without-gold-3/direct_retrieval/records").is_dir()
