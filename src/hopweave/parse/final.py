"""Reads the bare answer off the model's final words, and says how it was found."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hopweave.parse.sentences import sentence_spans
from hopweave.types import AnswerForm, Question

MARKER = "So the final answer is"

_LADDER = (
    ("marker", re.compile(r"so\s+the\s+final\s+answer\s+is\b", re.IGNORECASE)),
    ("alt-marker", re.compile(r"the\s+final\s+answer\s+is\b", re.IGNORECASE)),
    ("alt-marker", re.compile(r"so,?\s+the\s+answer\s+is\b", re.IGNORECASE)),
    ("alt-marker", re.compile(r"the\s+answer\s+is\b", re.IGNORECASE)),
    ("alt-marker", re.compile(r"answer\s+is\b", re.IGNORECASE)),
    ("alt-marker", re.compile(r"(?:final\s+)?answer\s*\]?\s*\**:", re.IGNORECASE)),
)
_MARK = re.compile(r"\s*\[\d{1,3}(?:\s*[,;]\s*\d{1,3})*\]")
_ABBREVIATION = re.compile(r"(?:\b[A-Za-z]\.){2,}$|\b(?:Jr|Sr|Inc|Ltd|Co|Corp|St|Mt|Dr|Mr|Mrs|Ms)\.$")
_SYNONYMS = {"true": "yes", "false": "no", "supported": "supports", "refuted": "refutes"}
_OPPOSITE = {synonym: label for label, synonym in _SYNONYMS.items()}


def final_answer(text: str, question: Question) -> tuple[str, str]:
    """The bare answer in a text, by the form that the question asks for.

    Args:
        text: final words of a model.
        question: decides the form: for `short`, what follows the last marker; for `label`, one of the labels; for `long`,
            the whole text without marks and without the closing sentence that repeats the answer.

    Returns:
        The answer and how it was found: `marker`, `alt-marker`, `full`, `label-anywhere`, or `empty` (with an empty answer).
    """
    readers = {"short": _short, "label": _label, "long": _long}
    return readers[question.form](text, question.labels)


def short_form(text: str) -> str:
    """An answer without quotation marks, Markdown, `[k]` marks and its full stop."""
    line = _MARK.sub("", text).strip()
    line = line.strip("*_` \t").lstrip(": \t").strip("*_` \t")
    if line.endswith(".") and not _ABBREVIATION.search(line):
        line = line[:-1].rstrip()
    if len(line) > 1 and line[0] in "\"'“‘" and line[-1] in "\"'”’" and line[0] not in line[1:-1]:
        line = line[1:-1]
    return " ".join(line.split()).rstrip(" ,;:")


def map_label(text: str, labels: Sequence[str]) -> str:
    """The first of the labels that stands in a text as whole words, in the labels' own spelling; empty if none does."""
    best: tuple[int, str] | None = None
    for label in labels:
        words = {label.lower(), _SYNONYMS.get(label.lower(), ""), _OPPOSITE.get(label.lower(), "")} - {""}
        match = re.search(rf"(?<!\w)(?:{'|'.join(map(re.escape, sorted(words)))})(?!\w)", text, re.IGNORECASE)
        if match and (best is None or match.start() < best[0]):
            best = (match.start(), label)
    return best[1] if best else ""


def _after_marker(text: str) -> tuple[str, str] | None:
    for how, pattern in _LADDER:
        matches = list(pattern.finditer(text))
        if matches:
            return text[matches[-1].end() :], how
    return None


def _short(text: str, _: Sequence[str]) -> tuple[str, str]:
    found = _after_marker(text)
    if found is None:
        whole = short_form(text)
        return (whole, "full") if whole else ("", "empty")
    tail, how = found
    line = next((part for part in tail.lstrip(" :*").split("\n") if part.strip()), "")
    spans = sentence_spans(line)
    answer = short_form(line[spans[0].start : spans[0].end] if spans else line)
    return (answer, how) if answer else ("", "empty")


def _label(text: str, labels: Sequence[str]) -> tuple[str, str]:
    found = _after_marker(text)
    if found is not None and (label := map_label(found[0], labels)):
        return label, found[1]
    for line in reversed(text.split("\n")):
        if label := map_label(line, labels):
            return label, "label-anywhere"
    return "", "empty"


def _long(text: str, _: Sequence[str]) -> tuple[str, str]:
    spans = sentence_spans(text)
    if len(spans) > 1 and _LADDER[0][1].search(text, spans[-1].start):
        spans = spans[:-1]
    whole = " ".join(_MARK.sub("", text[span.start : span.end]).strip() for span in spans)
    return (whole, "full") if whole else ("", "empty")


def demanded(form: AnswerForm, labels: Sequence[str]) -> str:
    """How the last sentence of an answer is asked for, by form."""
    if form == "label":
        return f'"{MARKER} X.", where X is one of: {", ".join(labels)}'
    if form == "long":
        return "a full explanation of several sentences"
    return f'"{MARKER} X.", where X is as short as possible'
