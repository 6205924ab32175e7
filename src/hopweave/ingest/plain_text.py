"""Plain text and its headings: underlined, numbered, in capitals, of an outline or of a release, each on a line of its own.

Where all other text is indented, any short line that is not indented may be one.

The rule is conservative, since a line that is taken for a heading is shown above all that follows: a heading stands after a
blank line, is short, does not end like a sentence, and has text of its own below it. That text may follow without a blank line
if the line ends before it is full, and the headings count up (`4. Payment`) or nothing else in the text is a heading.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from itertools import accumulate, groupby, takewhile
from typing import NamedTuple

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.ingest.aligned_tables import with_rows
from hopweave.ingest.counted_headings import FEWEST, WAYS, counting_up, reads_like_a_heading, ways_to_count
from hopweave.ingest.deadline import Check
from hopweave.ingest.document import PARAGRAPH, Document, Heading, Part
from hopweave.ingest.entries import paragraphs_of
from hopweave.ingest.letterhead import is_in_capitals, title_of
from hopweave.ingest.log_lines import log_of
from hopweave.ingest.main_text import main_text

_UNDERLINE = lazy_pattern(r"([=\-~^*#+])\1{2,199}")
_NUMBERED = lazy_pattern(
    r"(?P<number>\d{1,3}(?:\.\d{1,3}){0,4}|[A-Z](?:\.\d{1,3}){1,4})(?P<dot>\.?)[ \t\xa0]{1,4}"
    r"(?P<said>(?:\d[\d-]{0,3}[ \t\xa0]?)?[^\W\d_][^\n]{1,80})"
)
_NUMBER = lazy_pattern(r"((?:\d{1,3}|[A-Z])(?:\.\d{1,3})*)[.):]?")
"""A word that is a number: the first, or the second of `Appendix A. Notes`."""
_ARTICLE = lazy_pattern(
    r"(?P<word>§|art(?:icles?|ikel|ículo|icolo|igo)?\b\.?|se(?:ction|cción|zione|cção|ção|ctie)|abschnitt|cha(?:pter|pitre)"
    r"|kapit(?:el|ola)|cap(?:ítulo|itolo)|hoofdstuk|part(?:ie|e)?|teil|deel|tit(?:le|re|olo)|título|cl(?:ause|[áa]usula|ausola)"
    r"|anne?xe?|anexo|anhang|allegato|appendix|schedule|exhibit|rozdział|глава|статья|раздел|čl(?:\.|ánek)|(?:agenda )?item|top"
    r"|(?:dagsordens)?punkt|r[ée]solution)[ \t\xa0]?(?:n[°ºor]\.?[ \t\xa0]?)?"
    r"(?P<number>\d{1,3}|[IVX]{1,5}\b)(?:[ \t\xa0]*[-–—:.)]+)?(?:[ \t\xa0]+(?P<said>[^\W_][^\n]{1,80}))?",
    re.IGNORECASE,
)
"""`§ 2 Fees`, `Article 3 - Hours`, `SECTION 4: First aid`, in the words of several languages."""
_ANNEX = lazy_pattern(r"anne?xe?|anexo|anhang|allegato|appendix|schedule|exhibit")
"""Those of these words for what comes after the chapters and is level with them."""
_OUTLINE = lazy_pattern(r"(?P<stars>\*{1,4}) (?P<said>\S.*)")
_RELEASE = lazy_pattern(
    r"(?:(?:[\w.+-]+ ){0,2}(?:version|release|changes (?:in|since|for|from)|news for)\s[^.!?]{0,30}?\d\S*(?:\s.*)?"
    r"|v?\d+(?:[.-]\d+)+(?:\s.*)?"
    r"|[\w.+-]+ \(\S*\d\S*\) [\w -]+; urgency=\w+)",
    re.IGNORECASE,
)
"""What a list of changes begins a section with: `version 1.2 - 3 May 2021`, `orla (1.2-1) unstable; urgency=low`."""
_LETTERED = lazy_pattern(r"(?P<number>[A-Z])[ \t\xa0]{1,4}(?P<said>[^\W\d_][^\n]{1,80})")
"""`A Tables of tides`, which may be an appendix."""
_AROUND_CHAPTERS = lazy_pattern(
    r"abstract|(?:executive )?summary|foreword|preface|acknowledge?ments?|conclusions?|limitations|references|bibliography"
    r"|glossary|appendi(?:x|ces)|supplementary materials?|zusammenfassung|vorwort|danksagung|literatur(?:verzeichnis)?|glossar"
    r"|anhang|résumé|avant-propos|remerciements|bibliographie|références|glossaire|annexes?|resumen|prólogo|agradecimientos"
    r"|bibliografía|referencias|glosario|anexos?|sommario|prefazione|ringraziamenti|bibliografia|glossario|appendice"
    r"|samenvatting|voorwoord|dankwoord|literatuur(?:lijst)?|bijlagen?",
    re.IGNORECASE,
)
"""What stands without a number before and after numbered chapters, and is level with them."""
_TITLE = lazy_pattern(r"[^\W\d_a-z][^\n.:;,!?|<>=/\\{}\[\]_*#\t]{2,40}")
"""`Returns`, `What happened`: what may be a heading directly above its text by its words alone."""
_BESIDE_TEXT = lazy_pattern(r"[^\W\d_a-z](?:(?![|<>=\\{}\[\]_*#\t;]|\s{3}).)*[^\s.,;:!?。！？：；，、]")
"""`Abstract`, `Appendix A.  Notes`: what may be a heading where all other text is indented."""
_OVERSTRUCK = lazy_pattern(r".\x08")

_LONGEST = 80
_MIN_SHARE_OF_TEXT = 0.5
"""If more than half of the lines look like headings, they are a list."""
_FIRST_NUMBER = lazy_pattern(r"[012]\b")
_CAPITAL, _OUTLINED, _RELEASED, _NUMBER_ALONE, _IN_ARTICLES = "capitals", "outline", "release", "number alone", "article "
_TITLED, _OUTDENTED = "title", "outdented"
_COUNTED = " counted"
_SHARE_INDENTED = 0.75
"""Of the lines of paragraphs, if headings are known by not being indented."""
_MIN_RELEASES = 3
_MOST_WORDS, _FEWEST_BELOW = 5, 6
"""Words of a title, and of the paragraph below it."""
_MOST_WORDS_OUTDENTED = 12
_FEWEST_APPENDICES = 2
_TO_COUNT = frozenset({_NUMBER_ALONE, *WAYS})


class _Found(NamedTuple):
    """A line that looks like a heading: its number, how it is marked, its depth if it is numbered, and its text."""

    line: int
    style: str
    depth: int
    text: str


def read_plain(content: str, check: Check) -> Document:
    """A text with its headings, and rows of tables as `aligned_tables` has them, and entries of lists as `entries` has them.

    `letterhead` says what its title is.

    Args:
        content: the text.
        check: called for every line.
    """
    text, running = main_text(_OVERSTRUCK.sub("", content), check)
    text = text.strip()
    title = title_of(text)
    if (log := log_of(text, check)) is not None:
        return Document(title, (log,))
    if running:
        text = f"{running}{PARAGRAPH}{text}"
    lines = with_rows(text).split("\n")
    found = _consistent(_candidates(lines, check), lines)
    for one in found:
        if one.style == _OUTLINED:
            lines[one.line] = one.text
        elif one.style != _CAPITAL and _begins_text(lines, one.line + 1):  # else a quote of its first sentence has the heading
            lines[one.line] += "\n"
    pieces = _with_entries(lines, {one.line for one in found})
    starts = [0, *accumulate(0 if piece is None else len(piece) + 1 for piece in pieces)]
    levels = _levels(found)
    headings = (Heading(starts[one.line], level, one.text) for one, level in zip(found, levels, strict=True))
    text = "\n".join(piece for piece in pieces if piece is not None)
    return Document(title, (Part(text, tuple(headings)),))


def _with_entries(lines: Sequence[str], headings: Collection[int]) -> list[str | None]:
    """The text of each line; where entries begin, all of them, and nothing for the other lines that they take up."""
    pieces: list[str | None] = [line if line.strip() else "" for line in lines]
    for is_text, numbers in groupby(range(len(lines)), key=lambda at: bool(lines[at].strip()) and at not in headings):
        first, *others = numbers
        if is_text and len(paragraphs := paragraphs_of([lines[at] for at in (first, *others)])) > 1:
            pieces[first] = PARAGRAPH.join(paragraphs)
            for at in others:
                pieces[at] = None
    return pieces


def _candidates(lines: Sequence[str], check: Check) -> list[_Found]:
    found = []
    longest = max(map(len, lines))
    are_indented = _are_indented(lines)
    for at, line in enumerate(lines):
        check()
        is_first = at == 0 or not lines[at - 1].strip()
        if not is_first or not line.strip() or len(line) > _LONGEST:
            continue
        below = lines[at + 1] if at + 1 < len(lines) else ""
        said = " ".join(line.split())
        if _is_underline(below, line):
            found.append(_Found(at, below.strip()[0], 0, said))
        elif line[0] in " \t":
            continue
        elif not below.strip() and (match := _OUTLINE.fullmatch(line.rstrip())):
            found.append(_Found(at, _OUTLINED, len(match["stars"]), " ".join(match["said"].split())))
        elif not below.strip() and (match := _NUMBERED.fullmatch(line.rstrip())) and _is_heading(match):
            depth = match["number"].count(".")
            style = "numbered" if depth or match["dot"] else _NUMBER_ALONE
            found.append(_Found(at, style, depth + 1, said))
        elif (ways := ways_to_count(line)) and _ends_early(line, _directly_below(lines, at), longest):
            found += [_Found(at, way, 1, said) for way in ways]
        elif (match := _ARTICLE.fullmatch(line.rstrip())) and _is_heading(match) and not below.strip()[:1].islower():
            found.append(_Found(at, f"{_IN_ARTICLES}{match['word'].casefold()}", 0, said))
        elif not below.strip() and said[-1] not in ".,;:!?" and _RELEASE.fullmatch(said):
            found.append(_Found(at, _RELEASED, 0, said))
        elif is_in_capitals(said) and _is_above_text(lines, at):
            found.append(_Found(at, _CAPITAL, 0, said))
        elif style := _by_place(lines, at, longest, are_indented=are_indented):
            found.append(_Found(at, style, int(style == _OUTDENTED), said))
    return found


def _by_place(lines: Sequence[str], at: int, longest: int, *, are_indented: bool) -> str:
    """The style of a line that only its place tells to be a heading; empty if it does not."""
    if are_indented and _is_outdented(lines, at):
        return _OUTDENTED
    return _TITLED if _is_title_above_text(lines, at, longest) else ""


def _is_underline(line: str, above: str) -> bool:
    """Whether a line of signs is about as long as the text above it, and begins below it."""
    if not _UNDERLINE.fullmatch(line.strip()) or not any(map(str.isalpha, above)):
        return False
    indents = abs(len(line) - len(line.lstrip()) - (len(above) - len(above.lstrip())))
    return indents <= 1 and abs(len(line.strip()) - len(above.strip())) <= 3


def _is_heading(match: re.Match[str]) -> bool:
    """Whether a numbered line reads like a heading; one that asks is an item of a list, unless its number has several parts."""
    return reads_like_a_heading(match["said"] or match[0], may_ask="." in match["number"])


def _begins_text(lines: Sequence[str], at: int) -> bool:
    """Whether there is a line with text, and none of signs that underlines the one above it."""
    return at < len(lines) and any(map(str.isalnum, lines[at]))


def _ends_early(line: str, below: Sequence[str], longest: int) -> bool:
    """Whether a line stands alone, or the next word would have fitted in it, so that the text below it is a new paragraph."""
    if not below or below[0].lstrip()[0].islower():
        return not below
    width = max(map(len, below)) if len(below) > 1 else longest
    return len(f"{line.rstrip()} {below[0].split()[0]}") <= width


def _directly_below(lines: Sequence[str], at: int) -> list[str]:
    """The lines below one, up to a blank one."""
    return list(takewhile(str.strip, (lines[after] for after in range(at + 1, len(lines)))))


def _is_title_above_text(lines: Sequence[str], at: int, longest: int) -> bool:
    """Whether a few words stand directly above a paragraph that ends like one."""
    line = lines[at].rstrip()
    if not _TITLE.fullmatch(line) or "  " in line or len(line.split()) > _MOST_WORDS:
        return False
    below = _directly_below(lines, at)
    if not _ends_early(line, below, longest):
        return False
    words = " ".join(below).split()
    return len(words) >= _FEWEST_BELOW and below[0][0] not in " \t" and not words[0][0].islower() and words[-1][-1] in ".!?:)"


def _are_indented(lines: Sequence[str]) -> bool:
    """Whether all text is, but for lines that stand alone and some others."""
    blocks = [list(block) for is_text, block in groupby(lines, key=lambda line: bool(line.strip())) if is_text]
    text = [line for block in blocks if len(block) > 1 or block[0][0] in " \t" or len(block[0]) > _LONGEST for line in block]
    return bool(text) and sum(1 for line in text if line[0] in " \t") >= _SHARE_INDENTED * len(text)


def _is_outdented(lines: Sequence[str], at: int) -> bool:
    """Whether a short line stands alone above text that is indented, or above a heading with a number."""
    is_short = len(lines[at].split()) <= _MOST_WORDS_OUTDENTED and _BESIDE_TEXT.fullmatch(lines[at].rstrip()) is not None
    is_alone = at + 1 < len(lines) and not lines[at + 1].strip()
    below = next(filter(str.strip, lines[at + 1 : at + 5]), "")
    return is_short and is_alone and (below[:1] in {" ", "\t"} or _NUMBERED.fullmatch(below.rstrip()) is not None)


def _is_above_text(lines: Sequence[str], at: int) -> bool:
    """Whether the next line with text is indented, as in manual pages, or follows a blank one; and is text."""
    below = next((line for line in lines[at + 1 : at + 4] if line.strip()), "")
    is_apart = at + 1 < len(lines) and not lines[at + 1].strip()
    return bool(below) and (below[0] in " \t" or is_apart) and any(map(str.islower, below))


def _consistent(found: Sequence[_Found], lines: Sequence[str]) -> list[_Found]:
    """Those that are not all there is: numbers begin at the beginning, and a single line in capitals is a cry or a name.

    Items of a list begin with one star as well, and a single line with a version says something of it.
    """
    num_lines = sum(1 for line in lines if line.strip())
    counted = {one.line: one._replace(style="numbered") for one in _counted(found)}
    counted |= {one.line: one for way in WAYS for one in _above_text(found, way)}
    ruled = (counted.get(one.line, one) for one in found if one.style not in _TO_COUNT or one.line in counted)
    found = list(dict.fromkeys(ruled))  # a letter that is also a Roman number was there twice
    numbered = [one for one in found if one.style == "numbered"]
    is_counted = len(numbered) > 1 and bool(_FIRST_NUMBER.match(numbered[0].text))
    if is_counted:
        found = sorted(({one.line: one for one in found} | {one.line: one for one in _beside_chapters(lines)}).values())
    are_several = sum(1 for one in found if one.style == _CAPITAL) > 1
    depths = {one.depth for one in found if one.style == _OUTLINED}
    are_releases = sum(1 for one in found if one.style == _RELEASED) >= _MIN_RELEASES
    articles = Counter(one.style for one in found if one.style.startswith(_IN_ARTICLES))
    says = {"numbered": is_counted, _CAPITAL: are_several, _OUTLINED: {1, 2} <= depths, _RELEASED: are_releases}
    says[_OUTDENTED] = is_counted or sum(1 for one in found if one.style == _OUTDENTED) >= FEWEST
    says |= {style: num >= FEWEST for style, num in articles.items()}
    titled = [one for one in found if one.style == _TITLED]
    kept = [one for one in found if one.style != _TITLED and says.get(one.style, True)]
    kept = kept or (titled if len(titled) >= FEWEST else [])
    return kept if len(kept) <= _MIN_SHARE_OF_TEXT * num_lines and any(len(line.split()) > 5 for line in lines) else []


def _counted(found: Sequence[_Found]) -> list[_Found]:
    """Those without a dot behind their number if these count up, which amounts and the numbers of lines do not."""
    counted: list[_Found] = []
    for one in found:
        if one.style == _NUMBER_ALONE and one.text.split()[0] == str(len(counted) + 1):
            counted.append(one)
    return counted if len(counted) >= FEWEST else []


def _beside_chapters(lines: Sequence[str]) -> list[_Found]:
    """What stands alone and is level with numbered chapters: what has no number, and appendices if their letters count up."""
    around: list[_Found] = []
    appendices: list[_Found] = []
    for at, (above, line, below) in enumerate(zip(["", *lines], lines, [*lines[1:], ""], strict=False)):
        said = " ".join(line.split())
        if above.strip() or below.strip() or not said or line[0] in " \t" or len(line) > _LONGEST:
            continue
        letter = match["number"] if (match := _LETTERED.fullmatch(line.rstrip())) and _is_heading(match) else ""
        if _AROUND_CHAPTERS.fullmatch(said):
            around.append(_Found(at, "numbered", 1, said))
        elif letter == chr(ord("A") + len(appendices)):
            appendices.append(_Found(at, "numbered", 1, said))
    return around + (appendices if len(appendices) >= _FEWEST_APPENDICES else [])


def _above_text(found: Sequence[_Found], way: str) -> list[_Found]:
    """Those that count up in one way; of those with digits, also those that have a blank line below them."""
    among = [one for one in found if one.style == way or (way == "digits" and one.style == "numbered" and one.depth == 1)]
    style = "numbered" if way == "digits" else f"{way}{_COUNTED}"
    return [among[at]._replace(style=style) for at in counting_up([one.text for one in among], way)]


def _levels(found: Sequence[_Found]) -> list[int]:
    """The level of each: by the order in which the styles appear, and by which numbers it is within (`3.2.1` below `3.2`).

    What is level with chapters: `Abstract`, then `1. Introduction`; a section whose chapter is missing; and what comes after
    them, such as `Annex 1`.
    """
    styles = ["numbered" if one.style == _OUTDENTED else one.style for one in found]
    order = list(dict.fromkeys(styles))
    level_with = _style_of_chapters(styles)
    levels = []
    within: list[str] = []
    for style, one in zip(styles, found, strict=True):
        inner = max(one.depth, 1)
        if style == "numbered":
            number = next((match[1] for match in map(_NUMBER.fullmatch, one.text.split()[:2]) if match), "")
            within = [outer for outer in within if number.startswith(f"{outer}.")]
            inner = len(within) + 1
            within.append(number)
        levels.append(order.index(level_with if _is_of_annexes(style) else style) + inner)
    return levels


def _style_of_chapters(styles: Sequence[str]) -> str:
    """The style that annexes are level with: of what comes before them, the first that counts, or else the first of several.

    Annexes without chapters before them are level with each other.
    """
    before = list(takewhile(lambda style: not _is_of_annexes(style), styles))
    counting = (style for style in before if style == "numbered" or style.endswith(_COUNTED) or style.startswith(_IN_ARTICLES))
    several = (style for style in before if before.count(style) > 1)
    return next(counting, "") or next(several, "") or next(filter(_is_of_annexes, styles), "")


def _is_of_annexes(style: str) -> bool:
    return style.startswith(_IN_ARTICLES) and _ANNEX.fullmatch(style.removeprefix(_IN_ARTICLES)) is not None
