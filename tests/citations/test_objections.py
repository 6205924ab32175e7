"""The rules by which a place does not support an answer: each speaks for itself, by its name, as the page about them says."""

import re
from typing import NamedTuple

import pytest
from support.pages import ROOT

from hopweave.citations.objections import RULES
from hopweave.citations.support import judge
from hopweave.core.types import Passage

PAGE = (ROOT / "docs" / "support_rules.md").read_text(encoding="utf-8")
BESIDE = {
    "it is a term that is defined elsewhere": {"source": "one.md", "start": 100, "end": 190},
    "another row is what is asked for": {"source": "other.csv"},
}
"""Where what is found beside an example stands."""


class Case(NamedTuple):
    """A row of the page."""

    rule: str
    shortfall: str
    query: str
    answer: str
    title: str
    text: str


ROWS = re.findall(r"^\| (.+) \| `(\w+)` \| (.+) \| (.+) \| (.+) \| (.+) \|$", PAGE.partition("|---")[2], re.MULTILINE)
CASES = [Case(*row) for row in ROWS]


def found_of(case):
    text, _, also = case.text.replace("<br>", "\n").partition("\nalso: ")
    title, _, other = also.partition(": ")
    beside = [Passage("other", other, title, **BESIDE[case.rule])] if also else []
    return judge(case.query, case.answer, [Passage("one", text, case.title, "one.md")], beside=beside)


def test_the_page_has_every_rule_in_the_order_in_which_they_are_asked():
    assert [(case.rule, case.shortfall) for case in CASES] == [(rule.says, rule.shortfall) for rule in RULES]
    assert len({rule.says for rule in RULES}) == len(RULES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.rule)
def test_a_rule_is_named_with_the_reason_where_it_withholds_support(case):
    found = found_of(case)
    assert (found.support, found.shortfall, found.rule) == ("unsupported", case.shortfall, case.rule)


def test_a_supported_answer_names_no_rule():
    found = judge("What does the red pass cost?", "£18", [Passage("one", "The red pass costs £18.", "Passes")])
    assert (found.support, found.shortfall, found.rule) == ("supported", "", "")
