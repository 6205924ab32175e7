"""How stale answers are printed, for the commands that look for them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

import typer

from hopweave.apps.cli._terminal import say
from hopweave.show.plain import counted, cut, one_line, plain_json

if TYPE_CHECKING:
    from hopweave.run.staleness import Checked, StaleAnswer, StaleCitation, StaleClaim

_MAX_QUOTE_CHARACTERS = 400


def say_stale(found: Iterator[StaleAnswer], checked: Checked, *, as_json: bool = False) -> int:
    """Prints each stale answer as it is found, then what was checked; returns how many there are.

    Args:
        found: in order.
        checked: what has been checked so far.
        as_json: print a line of JSON for each, and on standard error only what could not be checked.
    """
    num_stale = 0
    for answer in found:
        num_stale += 1
        if as_json:
            typer.echo(plain_json(json.dumps(answer.to_json(), ensure_ascii=False)))
        else:
            for line in _answer_lines(answer):
                say(line)
    for what in checked.unchecked:
        say(f"not checked: {what}", err=True)
    if not as_json:
        moved = f"; {counted(checked.num_moved, 'citation')} moved unchanged" if checked.num_moved else ""
        looked_at = f"{counted(checked.num_answers, 'answer')} with {counted(checked.num_citations, 'citation')}"
        say(f"{num_stale:,} stale of {looked_at}{moved}")
    return num_stale


def _answer_lines(stale: StaleAnswer) -> Iterator[str]:
    answer = stale.record.answer
    yield f"{stale.place}: {one_line(stale.record.question.text)}"
    if answer is not None:
        yield f"  answer: {one_line(answer.short) or '(none)'}; {_change(answer.verdict.support, stale.support)}"
    for claim in stale.claims:
        yield from _claim_lines(claim)


def _claim_lines(stale: StaleClaim) -> Iterator[str]:
    from hopweave.show.outline import ARROW

    claim = stale.claim
    change = _change(claim.support, stale.now.support)
    yield f"  claim {stale.number}: {one_line(claim.query)} {ARROW} {one_line(claim.text)}; {change}"
    for citation in stale.citations:
        yield from _citation_lines(citation)


def _citation_lines(stale: StaleCitation) -> Iterator[str]:
    citation = stale.citation
    name = f"[{citation.mark}]" if citation.mark else "against it:"
    what = f"the title {stale.what}" if stale.in_title else stale.what
    yield f"    {name} {one_line(citation.passage_id)} {what}"
    yield f"      was: {cut(one_line(citation.quote), _MAX_QUOTE_CHARACTERS)}"
    if stale.now:
        where = f" (in {one_line(stale.passage_id)})" if stale.passage_id != citation.passage_id else ""
        yield f"      now: {cut(one_line(stale.now), _MAX_QUOTE_CHARACTERS)}{where}"


def _change(was: str, now: str) -> str:
    return f"still {now}" if was == now else f"was {was}, now {now}"
