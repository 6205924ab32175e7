"""Subtitles (SubRip, WebVTT): what is said, in parts of about a minute that are named by the time at which they begin."""

from __future__ import annotations

from html import unescape

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.ingest.deadline import Check
from hopweave.ingest.document import Document, Part

_TIMES = lazy_pattern(r"\s*(?:(\d{1,3}):)?(\d{1,2}):(\d{2})[.,]\d{1,3}[ \t]+-->[ \t]+\S+.*")
_SPEAKER = lazy_pattern(r"<v(?:\.[\w.-]*)?[ \t]+([^<>]{1,100})>")
_MARKUP = lazy_pattern(r"</?[a-zA-Z\d][^<>]{0,200}>|\{\\[^{}]{0,200}\}")
_SENTENCE_END = lazy_pattern(r"[.!?。！？…][\"'”’)]*$")

_SECONDS = 60
_MAX_SECONDS = 120
"""A part that goes on for so long ends, even within a sentence."""


def read_subtitles(content: str, check: Check) -> Document:
    """Reads subtitles. A line that repeats the one before, as captions that roll up do, is left out.

    Args:
        content: the file.
        check: called for every line.
    """
    parts: list[Part] = []
    said: list[str] = []
    begun = now = 0
    is_text = False
    last = ""
    for line in content.split("\n"):
        check()
        if times := _TIMES.fullmatch(line):
            now = int(times[1] or 0) * 3600 + int(times[2]) * 60 + int(times[3])
            is_over = now - begun >= _SECONDS and (not said or _SENTENCE_END.search(said[-1]) is not None)
            if is_over or now - begun >= _MAX_SECONDS:
                parts += _part(said, begun)
            begun = begun if said else now
            is_text = True
        elif not line.strip():
            is_text = False
        elif is_text:
            shown = " ".join(unescape(_MARKUP.sub("", _SPEAKER.sub(r"\1: ", line))).split())
            if shown and shown != last:
                said.append(shown)
            last = shown
    return Document("", (*parts, *_part(said, begun)))


def _part(said: list[str], begun: int) -> list[Part]:
    """The part of what was said since the last one, of which nothing is left."""
    text = "\n".join(said)
    said.clear()
    return [Part(text, place=f"t={begun // 3600:02}:{begun // 60 % 60:02}:{begun % 60:02}")] if text else []
