"""Every word and sign that is printed is explained, and an answer that rests on nothing never looks like one that does."""

from __future__ import annotations

import ast
from dataclasses import replace
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import get_args

import pytest
from rich.console import Console
from support.sample_records import LIGHTHOUSE, all_records, cite, searchain

from hopweave.citations.marking import verdict_of
from hopweave.core.types import Answer, Citation, Claim, Origin, Standing, Support, Verdict
from hopweave.record import Record
from hopweave.show.legend import LABELS, ORIGINS, SUPPORT, banner_of, legend_of
from hopweave.show.outline import SIGNS, TONES, make_outline
from hopweave.show.record_html import draw_page
from hopweave.show.terminal import draw_record

SOURCE = Path(__file__).parents[2] / "src" / "hopweave"


def labels_of_decisions() -> set[str]:
    """The labels that the package itself gives to decisions: texts and constants of a module as first arguments of `decide`."""
    found: set[object] = set()
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "decide" and node.args:
                parts = list(ast.walk(node.args[0]))
                found |= {one.value for one in parts if isinstance(one, ast.Constant)}
                found |= {value_of(path, one.id) for one in parts if isinstance(one, ast.Name) and one.id.isupper()}
    return {label for label in found if isinstance(label, str)}


def value_of(path: Path, name: str) -> object:
    """The value of a constant of a module, which may have imported it."""
    module = import_module(".".join(path.relative_to(SOURCE.parent).with_suffix("").parts))
    return getattr(module, name)


def shown(record: Record, *, colour: bool = False) -> str:
    console = Console(file=StringIO(), width=100, force_terminal=colour, color_system="standard" if colour else None)
    console.print(draw_record(record))
    return console.file.getvalue()


def answered(support: Support) -> Record:
    against = cite(0, LIGHTHOUSE, "Ines Halloran") if support == "contradicted" else None
    citations = (cite(1, LIGHTHOUSE, "Ines Halloran"),) if support == "supported" else ()
    claim = Claim("Who designed it?", "Ines Halloran", "model", support, citations, against)
    verdict = Verdict(support, 1, 1, int(support == "supported"), int(support == "contradicted"))
    return replace(searchain(), answer=Answer("It was Ines Halloran.", "Ines Halloran", (claim,), verdict=verdict))


def test_every_label_origin_and_support_has_its_meaning():
    assert labels_of_decisions() - LABELS.keys() == set()
    assert ORIGINS.keys() == set(get_args(Origin))
    assert SUPPORT.keys() == set(get_args(Standing))
    assert SUPPORT.keys() <= SIGNS.keys() & TONES.keys()


@pytest.mark.parametrize("short", ["unknown", "NO!", "The passages do not say"])
def test_an_answer_that_is_not_known_is_neither_good_nor_bad(short: str):
    banner = banner_of(Answer(f"So the final answer is {short}", short, (Claim("Who designed it?", "", "model"),)))
    assert (banner.sign, banner.tone, banner.headline) == ("-", "quiet", "The answer was not found")


def test_none_as_a_value_that_a_passage_states_is_an_answer():
    claim = Claim("What is the default?", "None", "retrieved", "supported", (cite(1, LIGHTHOUSE, "Ines Halloran"),))
    banner = banner_of(Answer("It is None [1].", "None", (claim,), verdict=Verdict("supported", 1, 1, 1)))
    assert (banner.tone, banner.headline) == ("good", "The answer rests on a passage")


@pytest.mark.parametrize("record", all_records())
def test_the_legend_names_what_is_shown_and_nothing_else(record: Record):
    outline = make_outline(record, calls=True)
    words = {entry.word.split()[-1] for entry in legend_of(record, outline)}
    labels = {node.label for node, _ in outline.walk() if node.kind == "decision"}
    assert words & LABELS.keys() - {"parse failure"} == labels & LABELS.keys()
    assert all(entry.word in " ".join(shown(record).split()) for entry in legend_of(record, make_outline(record, calls=False)))
    assert all(f"<dt>{entry.word}</dt>" in draw_page(record) for entry in legend_of(record, outline))


LOOKS = {
    "supported": ("✓ The answer rests on a passage: 1 of 1 claim rests on a passage.", "1;32", "good"),
    "contradicted": ("✗ A passage says otherwise: 0 of 1 claim rests on a passage; 1 is contradicted by one.", "31", "bad"),
    "unsupported": ("○ The answer rests on no passage: 0 of 1 claim rests on a passage.", "33", "warn"),
}


@pytest.mark.parametrize("support", get_args(Support))
def test_the_three_verdicts_look_different_with_and_without_colour_and_on_the_page(support: Support):
    words, colour, tone = LOOKS[support]
    assert words in shown(answered(support))
    assert f"\x1b[{colour}mInes Halloran\x1b[0m" in shown(answered(support), colour=True)
    assert f'<div class="answer tone-{tone}">' in draw_page(answered(support))


def test_an_answer_whose_passage_does_not_settle_it_is_not_said_to_rest_on_nothing():
    record = answered("unsupported")
    citations = answered("supported").answer.claims[-1].citations
    claim = replace(record.answer.claims[-1], citations=citations, shortfall="relation")
    answer = replace(record.answer, claims=(*record.answer.claims[:-1], claim))
    assert answer.cites_without_support
    assert banner_of(answer).headline == (
        "The passage that is cited does not settle it: the sentence that has its words does not say what was asked"
    )
    assert not record.answer.cites_without_support


def test_an_answer_that_one_passage_has_and_another_contradicts_is_one_on_which_passages_disagree():
    answer = answered("contradicted").answer
    citations = answered("supported").answer.claims[-1].citations
    assert banner_of(answer).headline == "A passage says otherwise"
    assert banner_of(replace(answer, claims=(replace(answer.claims[-1], citations=citations),))).headline == "Passages disagree"


def test_where_other_claims_rest_on_passages_it_is_the_answer_itself_that_rests_on_none():
    verdict = Verdict("unsupported", num_claims=2, num_supported=1)
    banner = banner_of(Answer("Tromvik.", "Tromvik", verdict=verdict))
    assert banner.headline == "The answer itself rests on no passage"
    assert banner.counts == "1 of 2 claims rest on a passage"


def test_theta_and_what_says_otherwise_are_explained():
    assert "threshold theta" in " ".join(shown(searchain()).split())
    assert "against claim 1: Carrow Head Light" in shown(answered("contradicted"))
    assert "against claim 1" in draw_page(answered("contradicted"))


def test_an_abstention_is_neither_good_nor_bad():
    assert banner_of(Answer("Not found.", "")).tone == "quiet"


@pytest.mark.parametrize(
    ("supports", "headline"),
    [
        (("supported", "supported"), "The answer rests on a passage"),
        (("supported", "unsupported"), "Not every sentence of the answer rests on a passage"),
        (("unsupported", "unsupported"), "The answer rests on no passage"),
    ],
)
def test_the_banner_of_an_explanation_says_whether_some_of_its_sentences_rest_on_a_passage(supports, headline):
    sentences = ("Open the lid of the lamp.", "Turn the wick down slowly.")
    claims = tuple(
        Claim("How do I dim it?", one, "retrieved", support, (Citation(number, "p", 0, 4, "Open"),) * (support == "supported"))
        for number, (one, support) in enumerate(zip(sentences, supports, strict=True), start=1)
    )
    answer = Answer(" ".join(sentences), " ".join(sentences), claims)
    assert banner_of(replace(answer, verdict=verdict_of(answer))).headline == headline


def test_an_explanation_is_shown_once_with_its_marks_and_its_claims_without_the_question():
    steps = "Do this:\n1. Look at Carrow Head Light [1].\n2. It was designed by Ines Halloran [2]."
    said = ("Look at Carrow Head Light.", "It was designed by Ines Halloran.")
    claims = tuple(
        Claim("How do I find out?", one, "retrieved", "supported", (cite(number, LIGHTHOUSE, "Ines Halloran"),))
        for number, one in enumerate(said, start=1)
    )
    answer = Answer(steps, "Do this:\n1. Look at Carrow Head Light.\n2. It was designed by Ines Halloran.", claims)
    record = replace(searchain(), answer=replace(answer, verdict=verdict_of(answer)))
    printed = shown(record)
    assert f"Answer\n{steps}\n✓ The answer rests on a passage" in printed
    assert printed.count(said[0][:-1]) == 2
    assert "How do I find out?" not in printed
    page = draw_page(record)
    assert '<p class="short"' not in page
    assert page.count("Do this:") == 1
