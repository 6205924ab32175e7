"""Parses the answers that a model proposes: a JSON object, a list in any form, a line for each, or a single answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hopweave.answering.parsing.announcing import lines_said
from hopweave.answering.parsing.json_object import parse_json_object
from hopweave.answering.parsing.numbered import parse_numbered
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.prompt import unescape
from hopweave.core.types import Question
from hopweave.text.final import final_answer, has_marker, map_label, short_form
from hopweave.text.matching import normalize_answer
from hopweave.text.refusal import does_not_know, is_refusal

_FIELDS = ("answer", "candidate", "text", "value", "name")
_LABEL = lazy_pattern(r"[\W_]*+(?:answer|candidate|option)[ \t#]*+\d{1,2}[*_` \t]*+[.):–—-][*_` \t]*+", re.IGNORECASE)
_LONGEST, _MOST_WORDS = 60, 3
"""Characters of a line that may be an answer as it is; and words, if it ends in a full stop."""

_DASH = lazy_pattern(r"[ \t]++[-–—][ \t]++")
_BOLD_BEFORE_DASH = lazy_pattern(
    r"^([ \t]*+(?:\d{1,2}[.)]|[-*•])[ \t]++\*\*[^*\n]{1,200}\*\*)[ \t]++[-–—][ \t].*$", re.MULTILINE
)
_EXPLAINS = lazy_pattern(
    r"\b(?:is|was|are|were|has|had|have|did|does|he|she|it|they|because|since|according|passages?|mentioned|stated)\b"
)
"""Words of a sentence, or a reference; in lower case, since a name may have them, too."""


@dataclass(frozen=True, slots=True)
class Proposed:
    """The answers, each once, in the order written, and one line for each thing that could not be read."""

    answers: tuple[str, ...]
    problems: tuple[str, ...] = ()


def parse_candidates(text: str, question: Question, num: int) -> Proposed:
    r"""Reads up to `num` answers of the form that the question asks for. Any text is accepted.

    Answers that only say that nothing is known are left out, and so is what is no label where one is asked for. What explains a
    short answer behind a dash is left out, too.

    >>> parse_candidates('{"answers": ["the Teel", "the Orl", "The Teel."]}', Question("1", "Which river?"), 2).answers
    ('the Teel', 'the Orl')
    >>> parse_candidates("1. The Teel - passage 1 names it.\n2. The Orl - West", Question("1", "Which river?"), 2).answers
    ('The Teel', 'The Orl - West')
    """
    found = [_answer(item, question) for item in _listed(text, question)]
    if not any(found):
        found = _on_lines(text, question) or [_single(text, question)]
    kept: dict[str, str] = {}
    for one in found:
        if any(map(str.isalnum, one)) and not does_not_know(one):
            kept.setdefault(normalize_answer(one) or one, one)
    if kept:
        return Proposed(tuple(kept.values())[:num])
    return Proposed((), ("no answer is in the reply" if text.strip() else "the reply is empty",))


def _listed(text: str, question: Question) -> Sequence[str]:
    """The items of a list, or of lines such as `Answer 1: ...`."""
    listed = parse_json_object(text, {"answers": list}).values.get("answers")
    if listed:
        return [_text_of(item) for item in listed]
    items = parse_numbered(_BOLD_BEFORE_DASH.sub(r"\1", text) if question.form == "short" else text).items
    return items or [_LABEL.sub("", line, count=1) for line in text.splitlines() if _LABEL.match(line)]


def _text_of(item: Any) -> str:
    """The text of an item, or of the field of an object that holds the answer; empty if there is none."""
    if isinstance(item, dict):
        texts = [value for value in item.values() if isinstance(value, str)]
        item = next((item[name] for name in _FIELDS if name in item), next(iter(texts), ""))
    return str(item) if isinstance(item, str | int | float) else ""


def _on_lines(text: str, question: Question) -> list[str]:
    """The answers of a reply in which each is a line of its own, without a mark; none if a marker introduces one."""
    lines = [] if has_marker(text) or "{" in text else lines_said(text)
    if question.form == "short":
        return [_answer(line, question) for line in lines if _may_be_answer(line)]
    labels = {normalize_answer(label): label for label in question.labels}
    found = [labels.get(normalize_answer(line), "") for line in lines]
    return found if all(found) else []


def _may_be_answer(line: str) -> bool:
    """Whether a line is no sentence and no refusal."""
    is_sentence = line.rstrip("*_` ").endswith((".", "!", "?")) and len(line.split()) > _MOST_WORDS
    return len(line) <= _LONGEST and not is_sentence and not is_refusal(line)


def _answer(item: str, question: Question) -> str:
    words = unescape(item)
    if question.form == "label":
        return map_label(words, question.labels)
    return " ".join(words.split()) if question.form == "long" else short_form(_without_explanation(words))


def _without_explanation(item: str) -> str:
    dashes = list(_DASH.finditer(item))
    ends = [*(dash.start() for dash in dashes[1:]), len(item)]
    explained = (dash.start() for dash, end in zip(dashes, ends, strict=False) if _EXPLAINS.search(item, dash.end(), end))
    return item[: next(explained, len(item))] or item


def _single(text: str, question: Question) -> str:
    """The answer of a reply that lists none: what follows a marker or, for a long answer, the whole reply."""
    short, how = final_answer(text, question)
    return _answer(short, question) if how != "full" or question.form == "long" else ""
