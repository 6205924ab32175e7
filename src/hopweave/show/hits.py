"""Hits as text: the passage, what led to it, and which words of the query it contains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hopweave.core.types import Hit, Passage, Via
from hopweave.show.plain import one_line
from hopweave.text.content_words import stems_of, words_of
from hopweave.text.document_names import words_above
from hopweave.text.scripts import in_pairs, runs_together
from hopweave.text.sentences import sentence_spans

_LED = {"link": "linked with", "reference": "referred to by", "words": "by words from"}
_MAX_SOURCES = 3
_ENDS = (".", "!", "?", "…", "。", "！", "？", "।", "؟")


def via_text(via: Via | None) -> str:
    """What led to a hit, in a few words; empty if the query itself found it.

    >>> via_text(Via("p1", "The Long Tide", "link"))
    'linked with The Long Tide'
    """
    if via is None:
        return ""
    return f"{_LED[via.by]} {one_line(via.title or via.passage_id)}"


def matched_words(query: str, passage: Passage) -> list[str]:
    """The words of a query that are in a passage's text or above it, in any inflection, in the order of the query.

    In scripts without spaces, such as Japanese, these are pairs of letters.
    """
    text = f"{words_above(passage)}\n{passage.text}"
    held = stems_of(text)
    words = [word for word in dict.fromkeys(words_of(query)) if stems_of(word) <= held and not runs_together(word)]
    return words + [pair for pair in dict.fromkeys(in_pairs(query).split()) if runs_together(pair) and pair in text]


def nearest_sentence(query: str, passage: Passage) -> str:
    """The sentence of a passage that shares the most words with a query; empty for an empty passage.

    Of those that tie it is the first that ends as sentences do, and no heading, else the first.
    """
    asked = stems_of(" ".join(words_of(query)) or query)
    sentences = [passage.text[span.start : span.end] for span in sentence_spans(passage.text)]
    return one_line(max(sentences, key=lambda one: (len(asked & stems_of(one)), one.endswith(_ENDS)), default=""))


def hit_lines(query: str, hits: Sequence[Hit], also_in: Mapping[str, Sequence[str]] | None = None) -> list[str]:
    """Hits as lines for a terminal: rank, score, title, id and file, then what led to the hit, shared words, and a sentence.

    Args:
        query: that found them.
        hits: in order.
        also_in: by the ids of passages, the sources of other documents that have the same text.
    """
    lines = []
    for hit in hits:
        title, place = one_line(hit.passage.heading), one_line(_place(hit.passage))
        lines.append(f"{hit.rank:>3}  {hit.score:8.4f}  {f'{title} ({place})' if title else place}")
        if via := via_text(hit.via):
            lines.append(f"     {via}")
        if others := (also_in or {}).get(hit.passage.id):
            lines.append(f"     also in {', '.join(map(one_line, others[:_MAX_SOURCES]))}{_more(len(others))}")
        lines.append(f"     words: {', '.join(map(one_line, matched_words(query, hit.passage))) or 'none'}")
        lines.append(f"     {nearest_sentence(query, hit.passage)}")
    return lines


def _place(passage: Passage) -> str:
    """The id of a passage, and the file that it is from unless the id says so, as for a row of a table."""
    file = passage.source.partition("#")[0]
    return passage.id if not file or "://" in file or file in passage.id else f"{passage.id} in {file}"


def _more(num_sources: int) -> str:
    return f" and {num_sources - _MAX_SOURCES:,} more" if num_sources > _MAX_SOURCES else ""
