"""Values that hold on a condition with a number: `3% above EUR 20,000; 5% above EUR 50,000`."""

from __future__ import annotations

from hopweave.citations.rules.parts import parts_with
from hopweave.core.types import Span
from hopweave.text.languages import is_foreign_beside
from hopweave.text.table_rows import is_row
from hopweave.text.values import normalize_values
from hopweave.text.values_alike import Value, are_alike, value_at, values_in


def is_under_other_condition(query: str, sentence: str, focus: Span) -> bool:
    """Whether a value stands in a part with another number than a query names, which is in a part with another value.

    >>> told = "The bonus is 3% above EUR 20,000, and 5% above EUR 50,000."
    >>> asked = "What is the bonus above EUR 50,000?"
    >>> [is_under_other_condition(asked, told, place) for place in (Span(13, 15), Span(38, 40))]
    [True, False]
    >>> is_under_other_condition("What is its pH at 5%?", "Its pH is 1.1 (pure), 1.9 (at 5%).", Span(10, 13))
    True
    """
    values = values_in(sentence)
    own = value_at(focus, values)
    if own is None or is_foreign_beside(sentence, query) or is_row(sentence):
        return False
    asked = [(value.kind, _said(query, value)) for value in values_in(query) if value.kind != "date"]
    if not asked:
        return False
    parts = parts_with(sentence, [value for value in values if are_alike(value.kind, own.kind)])
    here = next((part.span for part in parts if part.span.start <= own.span.start < part.span.end), None)
    others = [part for part in parts if part.span != here]
    if here is None:
        return False
    for kind, said in asked:
        conditions = [value for value in values if value.kind == kind != own.kind]
        within = [value for value in conditions if here.start <= value.span.start < here.end]
        asked_for = [value for value in conditions if _said(sentence, value) == said]
        if within and not any(value in within for value in asked_for):
            return bool(asked_for)
        if not within and any(part.span.start <= value.span.start < part.span.end for value in asked_for for part in others):
            return True
    return False


def _said(text: str, value: Value) -> str:
    return normalize_values(text[value.span.start : value.span.end])
