"""An answer as chat clients show it: its text with numbered references, the sources below it, and annotations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from hopweave.apps.server.inert_markdown import inert
from hopweave.citations.marking import WHOLE_CORPUS, WITHHELD, says_unknown
from hopweave.citations.shortfalls import certainty_in_words, standing_in_words
from hopweave.core.characters import whole
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Answer, Citation, Passage
from hopweave.record import Record
from hopweave.text.citation_marks import Mark, leading_mark, single_marks
from hopweave.text.document_names import full_heading

NO_ANSWER = "I found no answer to that in the corpus."
_MARKUP = lazy_pattern(r"([\\`*_\[\]<>!#|~])")
_WEB = ("https://", "http://")
_MAX_QUOTE = 300
_AGAINST = "Says otherwise:"

_Source = tuple[Citation, Passage]


@dataclass(frozen=True, slots=True)
class Cited:
    """The answer as a message.

    Attributes:
        text: with its sources below it.
        annotations: one for each passage that a reference in the text rests on, as OpenAI's API has them.
        citations: one for each quote that a reference rests on, with the exact words.
    """

    text: str
    annotations: tuple[Mapping[str, Any], ...]
    citations: tuple[Mapping[str, Any], ...]


def cited(record: Record, address: str) -> Cited:
    """The answer of a record as a message.

    Args:
        record: of a question that did not fail.
        address: of the corpus on this server; the id of a passage is appended.
    """
    answer = record.answer
    if answer is None or not (answer.text or answer.short):
        return Cited(NO_ANSWER, (), ())
    said = inert(whole(answer.text or answer.short), [passage for _, passage in record.cited_passages()])
    sources: dict[int, list[_Source]] = {}
    for citation, passage in dict.fromkeys(record.cited_passages()):
        sources.setdefault(citation.mark, []).append((citation, passage))
    marks = list(single_marks(said, sources))
    used = [source for number in sorted({mark.number for mark in marks}) for source in sources[number]]
    against = [_line(_AGAINST, *source) for source in record.passages_against()]
    below = "\n".join([*(_line(f"[{citation.mark}]", citation, passage) for citation, passage in used), *against])
    text = "\n\n".join(filter(None, [said, _note(answer), below]))
    annotations = tuple(
        _annotation(mark, passage, address)
        for mark in marks
        for passage in {passage.id: passage for _, passage in sources[mark.number]}.values()
    )
    return Cited(text, annotations, tuple(_citation(*source, address) for source in used))


def without_sources(text: str) -> str:
    """A message without the sources that `cited` puts below it: what an answer says, as a turn of a conversation."""
    said, _, below = text.rstrip().rpartition("\n\n")
    return said if below and all(map(_is_source, below.split("\n"))) else text


def _is_source(line: str) -> bool:
    return (leading_mark(line) is not None or line.startswith(_AGAINST)) and ': "' in line and line.endswith('"')


def _annotation(mark: Mark, passage: Passage, address: str) -> dict[str, Any]:
    title = whole(full_heading(passage) or passage.id)  # clients show nothing else of the passage
    place = {"start_index": mark.start, "end_index": mark.end, "title": title, "url": _url(passage, address)}
    return {"type": "url_citation", "url_citation": place}


def _note(answer: Answer) -> str:
    """How the answer stands, below it; empty if that goes without saying, or if its text is about nothing else."""
    verdict = answer.verdict
    if answer.how in WITHHELD | WHOLE_CORPUS or says_unknown(answer) or (verdict.has_tick and verdict.confidence is None):
        return ""
    return f"({', '.join(filter(None, [standing_in_words(answer), certainty_in_words(verdict)]))}.)"


def _citation(citation: Citation, passage: Passage, address: str) -> dict[str, Any]:
    return {
        "mark": citation.mark,
        "passage_id": whole(passage.id),
        "title": whole(passage.heading),
        "source": whole(passage.source),
        "url": _url(passage, address),
        "quote": whole(citation.quote),
        "start": citation.start,
        "end": citation.end,
    }


def _line(before: str, citation: Citation, passage: Passage) -> str:
    quoted = " ".join(citation.quote.split())
    shown = quoted if len(quoted) <= _MAX_QUOTE else quoted[: _MAX_QUOTE - 3] + "..."
    title = passage.heading or passage.id
    file = f" ({_plain(passage.source)})" if passage.source not in ("", title) and not passage.source.startswith(_WEB) else ""
    return f'{before} {_plain(title)}{file}: "{_plain(shown)}"'


def _plain(text: str) -> str:
    """Words of a passage, escaped for clients that render Markdown: they become no link, image or markup."""
    return _MARKUP.sub(r"\\\1", whole(" ".join(text.split())))


def _url(passage: Passage, address: str) -> str:
    """Where a passage can be read: on the web, if it comes from there, else on this server."""
    if passage.source.startswith(_WEB) and passage.source.isprintable():
        return whole(passage.source)
    return address + quote(whole(passage.id))
