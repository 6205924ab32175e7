"""Where sentences begin and end: where the `sentencex` library ends them, unless `text.sentence_ends` says that they go on."""

from __future__ import annotations

from collections.abc import Iterator

from hopweave.core.characters import whole
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.memoize import remembered
from hopweave.core.types import Span
from hopweave.text.languages import language_of
from hopweave.text.list_marks import MARKS_OF_ITEM
from hopweave.text.sentence_ends import goes_on

# The library cannot handle these: white space of several bytes before a full stop makes its Rust code panic, which no
# `except Exception` catches; half a character, as from a broken escape, is an error. Each is replaced by one character, so
# offsets stay valid.
_WIDE_SPACE = lazy_pattern(r"[^\S\x00-\x7f]")

# The library ends no sentence before a small letter, with which many a sentence of Japanese or Chinese begins: `。mount は`.
_ENDS_IN_SIGNS = lazy_pattern(r"[。！？](?=\s*[a-z])")

# It takes every letter before a full stop for an initial: also that of a unit ("for 8 h.", "at 5 ml/h."), and the name of one
# of several things ("in group B."); and some words for abbreviations ("in May.", "The answer is no.").
_NAMED_BY_A_LETTER = """
[Aa]rm [Tt]ype [Pp]lan [Gg]roup [Cc]lass [Gg]rade [Ss]tage [Pp]hase [Aa]nnex [Cc]ohort [Oo]ption [Vv]itamin [Aa]ppendix
[Ss]chedule [Hh]epatitis"""
_NO_ABBREVIATIONS = "May art etc ill me miss no ok ore"
_LETTERS = (
    *(r"\d[a-z]", r"\d[ \u00a0][a-z]", r"[^\W\d_]/[A-Za-z]", r"\d min", r"\d sec"),
    *(rf"(?<![^\W_]){word}" for word in _NO_ABBREVIATIONS.split()),
    *(rf"(?<![^\W_]){name} [A-Z]" for name in _NAMED_BY_A_LETTER.split()),
)
# From the full stop, since that is quickly found.
_ENDS_IN_A_LETTER = lazy_pattern(rf"\.(?=\s+[A-Z][a-z])(?:{'|'.join(rf'(?<={letter}[.])' for letter in _LETTERS)})")

# In Russian and Ukrainian, it takes every abbreviation for one that goes on: also those of money and of a year, which may end a
# sentence.
_ENDS_IN_RUSSIAN = lazy_pattern(
    r"\.(?=\s+[А-ЯЁІЇЄҐ][а-яёіїєґ])(?:(?<=[\d.нд]\sруб[.])|(?<=\d\sкоп[.])|(?<=\d\sгрн[.])"
    r"|(?<=(?:19|20)\d\d\s[гр][.])(?<!\d\d{4}\s[гр][.]))"
)

_MORE_ENDS = {"en": _ENDS_IN_A_LETTER, "ru": _ENDS_IN_RUSSIAN, "uk": _ENDS_IN_RUSSIAN}

_DEEPEST = 3
"""How many lists within lists are looked into."""

_LEADING = """
a an the of and or its their der die das den dem des ein eine einer einem einen eines und oder le la les un une des du de et ou
el los las una del il lo gli della het een en van och og att i w z и в"""
_NEVER_LAST = frozenset(_LEADING.split())
"""Words with which no sentence ends, so that the line goes on."""
_SHORT_ITEM = lazy_pattern(r"[^\n.:;!?]{1,59}\n(?=[A-Z][a-z])")
"""An item that ends with its line, which is too short to go on in the next, though no full stop says so."""

# The library's time grows with the square of the number of quotation marks, so a long text is passed to it in parts.
_PART_LENGTH = 5_000


def sentence_spans(text: str, language: str = "") -> list[Span]:
    """Spans of the sentences of a text, in order, without surrounding white space.

    Args:
        text: any text; a line break alone does not end a sentence, an empty line does. Abbreviations are those of its language
            (`text.languages`).
        language: the ISO 639-1 code of that, if it is known.
    """
    return list(sentence_spans_of_long(text, language) if language else _sentence_spans(text))


@remembered
def sentences_in(text: str) -> tuple[str, ...]:
    """The sentences of a text, in order, without surrounding white space; see `sentence_spans`."""
    return tuple(text[span.start : span.end] for span in sentence_spans(text))


@remembered
def _sentence_spans(text: str) -> tuple[Span, ...]:
    return tuple(sentence_spans_of_long(text))


def sentence_spans_of_long(text: str, language: str = "") -> Iterator[Span]:
    """Like `sentence_spans`, but yields one span at a time, so that those of a long text are never all in memory."""
    language = language or language_of(text) or "en"
    last: Span | None = None
    start = 0
    for end in _ends(whole(_WIDE_SPACE.sub(" ", text)), language):
        piece = text[start:end]
        if inner := piece.strip():
            begin = start + piece.index(inner)
            if last is not None and not goes_on(text, last, begin, language):
                yield last
                last = None
            last = Span(begin if last is None else last.start, begin + len(inner))
        start = end
    if last is not None:
        yield last


def _ends(text: str, language: str) -> Iterator[int]:
    """Yields the positions where sentences end.

    A part ends at the end of a paragraph if possible. Otherwise its last sentence may be cut off, so the next part begins with
    that sentence; a sentence that is longer than a part continues in the next.
    """
    start = 0
    while start < len(text):
        part = text[start : start + _PART_LENGTH]
        is_whole = start + len(part) == len(text)
        if not is_whole and (behind := part.rfind("\n\n") + 2) > 2:
            part, is_whole = part[:behind], True
        ends = [start + end for end in _ends_of_part(part, language)]
        yield from ends if is_whole else ends[:-1]
        start = ends[-2] if len(ends) > 1 and not is_whole else start + len(part)


def _ends_of_part(part: str, language: str) -> list[int]:
    ends: list[int] = []
    position = 0
    for piece in _pieces(language, part):
        found = part.find(piece, position)
        start = position if found < 0 else found
        position = start + len(piece)
        ends += [match.end() for match in _ENDS_IN_SIGNS.finditer(part, start, position)]
        if (more := _MORE_ENDS.get(language)) is not None:
            ends += [match.end() for match in more.finditer(part, start, position) if match.end() < position]
        ends.append(position)
    return [*ends[:-1], len(part)]


def _pieces(language: str, part: str, depth: int = _DEEPEST) -> Iterator[str]:
    """The sentences of a part as the library tells them, and those within items of lists, of which it ends none there."""
    import sentencex

    for piece in sentencex.segment(language, part):
        mark = MARKS_OF_ITEM.match(piece)
        if mark is None or not depth:
            yield piece
            continue
        line = _SHORT_ITEM.match(piece, mark.end())
        if line is not None and line[0].split()[-1] in _NEVER_LAST:
            line = None
        begun = line.end() if line is not None else mark.end()
        inside = _pieces(language, piece[begun:], depth - 1)
        yield piece[:begun] + ("" if line is not None else next(inside, ""))
        yield from inside


def first_sentence(text: str) -> str:
    """The first sentence of a text; empty if there is none.

    A title such as `Dr.`, a number after `No.`, and a name with a mark in it such as `Panic! at the Disco` do not end it.

    >>> first_sentence("The film Dr. No was made in 1962. It was the first.")
    'The film Dr. No was made in 1962.'
    """
    end = 0
    for span in sentence_spans(text):
        if end and not _continues(text[span.start]):
            break
        end = span.end
    return text[:end].strip()


def _continues(first: str) -> bool:
    """Whether what follows is no new sentence for a reader of one reply, judged by its first character."""
    return first.islower() or first in ".,;:)"


def sentence_around(text: str, span: Span) -> Span:
    """The smallest run of complete sentences that covers a span of the text."""
    touching = [s for s in sentence_spans(text) if s.start < span.end and span.start < s.end]
    if not touching:
        return span
    return Span(min(span.start, touching[0].start), max(span.end, touching[-1].end))
