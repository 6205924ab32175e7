"""What the first lines of a plain text say that it is: who writes, and of what.

Text has no field for a title, so who wrote it put it above the rest, in capitals or on short lines of its own. The rule is
conservative, since what is taken for a title is shown with each passage: text whose first lines read like sentences, rows
of a table, code or labels with values has none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.text.answer_kinds import is_date

_CAPITALS = lazy_pattern(r"[^\W\d_][^\W_]*(?:[ \t,./&'’\"«»„“”():_–—-]+[^\W_]+[)»”“\"]?)*[.]?")
_MIN_CAPITALS = 4
"""Letters; fewer are an abbreviation."""
_MOST_HEADING_WORDS, _MOST_TITLE_WORDS = 8, 14
_LONGEST, _LONGEST_IN_ALL, _LONGEST_LINE = 90, 120, 250
_LONGEST_ALONE, _FEWEST_WORDS_ALONE = 160, 6
"""Characters and words of a line that stands alone, as the title of a paper does, which may have a colon, too."""
_MOST_LINES = 3
_FEWEST_LINES = 5
"""Lines with text that follow a title that is not in capitals."""
_GAP = lazy_pattern(r"\t|[ ]{3,}")
_NO_TITLE = lazy_pattern(
    r"[{}<>=$|\\;]|::|//|^\W*[-*•#>\d]|^[^\w«„“¿¡]|^\w{2,3},? \d|[.,:!?…]$|[a-z]{3}[.!?] [A-Z]|\b(?:https?|www)\b|(?:(.)\1){3}"
    r"|\s(?:a|an|and|are|as|at|by|for|from|in|is|of|on|or|that|the|this|to|was|were|which|with|we|you)$"
)
_RELEASE = lazy_pattern(r"(?:noteworthy |overview of )?(?:changes|version)\b.*\d", re.IGNORECASE)
"""How the last section of a list of changes begins, which is no title of the others."""
_LABEL = lazy_pattern(r"[^\W\d_][\w /-]{1,24} ?: ?\S")
_SENDER = lazy_pattern(
    r"(?:from|von|de|da|van|fra|från|od|от|от кого|kimden|lähettäjä|feladó|差出人|发件人|보낸 사람)[ \t\u00a0]?[:：].*",
    re.IGNORECASE,
)
_SUBJECT = lazy_pattern(
    r"(?:subject|betreff|objet|asunto|oggetto|onderwerp|assunto|emne|ämne|temat|předmět|тема|konu|aihe|tárgy|件名|主题|제목)"
    r"[ \t\u00a0]?[:：][ \t]*(?:(?:re|fwd?|aw|wg|tr|rv|r|i|sv|vs|odp|ynt|antw|回复)[ \t]?[:：][ \t]*)*(?P<said>\S.*)",
    re.IGNORECASE,
)
_SALUTATION = lazy_pattern(
    r"(?:dear|to whom|sehr geehrte[rn]?|liebe[rn]?|madame|monsieur|messieurs|chers?|chères?|estimad[oa]s?|muy señor\w*"
    r"|gentil[ei]|gentilissim[aoi]|egregi[oa]?|spettabile|prezad[oa]s?|car[oa]|geachte|beste|bästa|kære|kjære|szanown[aiey]|vážen[áíý]"
    r"|уважаем\w+|шановн\w+|hyvä|tisztelt|sayın|stimat[ăe])\b[^.!?]{0,80}[,:!]",
    re.IGNORECASE,
)
"""The first line of a letter, after which it speaks to somebody."""
_MARKED_SUBJECT = lazy_pattern(
    r"(?:re|subject|concerning|betreff|betr\.|betrifft|objet|asunto|oggetto|onderwerp|betreft|assunto|emne|ämne|dotyczy|věc|тема)"
    r"[ \u00a0]?[:：.][ ]?(?P<said>\S.{2,150})",
    re.IGNORECASE,
)
_NO_SUBJECT = lazy_pattern(
    r"[.,;:?!]$|^\d{3,6}\s\S+$|^\D{3,30}\s\d{1,3}[a-z]?$|^[^\W\d_][\w /-]{1,24} ?: ?\S|@|https?:|\b(?:tel|fax|phone|telefon)\b",
    re.IGNORECASE,
)
_MOST_LINES_OF_A_SUBJECT = 2
_FEWEST_OF_A_SUBJECT = 2
_OF_A_PAGE = lazy_pattern(r"(?P<name>\w[\w.+-]*\(\d\w{0,3}\))\s.*\s(?P=name)", re.IGNORECASE)
"""The first line of a rendered manual page: `LS(1)  User Commands  LS(1)`."""
_ADDRESS = lazy_pattern(r"[,/].*\d|^\(")
"""What stands below a title and is none: an address, a date, something in brackets."""
_IN_BRACKETS = lazy_pattern(r"(?<!\s)\s*\([^()]*\)$")
_WRAPPED = 60
"""A line with more letters may go on in the next one."""
_EMPTY_LINES = lazy_pattern(r"\n(?:[ \t]*\n)+")
_LONGEST_HEAD = 4000
_FEWEST_IN_COLUMNS = 2
"""Lines of a head, such as `Category: Informational      May 1997`."""
_MOST_CENTRED, _MOST_OFF_CENTRE = 5, 4
"""Lines of a title that stands in the middle, and columns that they are away from it."""
_NUMBER_OF_RFC = lazy_pattern(r"(?mi)^(?:request for comments|(?:nwg/)?rfc)[:# \t]{1,4}(?P<number>\d{1,5})\b")
_FIELD = lazy_pattern(rf"(?m)^(Name|Version): *(\S{{1,{_LONGEST}}})$")


def title_of(text: str) -> str:
    r"""The title of a plain text; empty if its first lines tell none.

    It is the package that core metadata (`METADATA`, `PKG-INFO`) are about, the subject of a mail or a letter, the name of a
    manual page, or what stands on the first lines, up to three; these say who wrote a letter.

    >>> title_of("TRAVEL POLICY OF ORLAU LTD\nValid from May."), title_of("Travel policy.\nIt is short.")
    ('TRAVEL POLICY OF ORLAU LTD', '')
    >>> title_of("From: Ida Renn\nTo: all\nSubject: Re: The new lamp\n\nIt is lit.")
    'The new lamp'
    >>> title_of("LS(1)      User Commands      LS(1)\n\nNAME"), title_of("ORLAU\nSALES\nin 2024")
    ('ls(1)', 'ORLAU - SALES')
    """
    if text.startswith("Metadata-Version:"):
        found = dict(_FIELD.findall(text.partition("\n\n")[0]))
        return " ".join(found[name] for name in ("Name", "Version") if name in found)
    first, _, rest = text.partition("\n")
    if _SENDER.fullmatch(first):
        subjects = map(_SUBJECT.fullmatch, text.partition("\n\n")[0].split("\n"))
        return next((match["said"].strip() for match in subjects if match is not None), "")
    if len(first) > _LONGEST_LINE:
        return ""
    if (page := _OF_A_PAGE.fullmatch(first)) is not None:
        return page["name"].lower()
    in_capitals = is_in_capitals(" ".join(_GAP.split(_IN_BRACKETS.sub("", first.strip()))[0].split()), _MOST_TITLE_WORDS)
    if in_capitals and not any(map(str.islower, rest)):
        return ""
    lines = list(_first_lines(text, in_capitals=in_capitals))
    said = " - ".join(lines)
    if subject := subject_of_letter(text):
        return f"{subject} - {said}" if said and len(subject) + len(said) < _LONGEST_IN_ALL else subject
    return said if len(said.split()) > 1 else _below_letterhead(text)


def subject_of_letter(text: str) -> str:
    r"""What a letter says that it is about, just above or below its salutation; empty if the text is no letter, or does not.

    >>> subject_of_letter("Port Office\n\n7 April 2025\n\nMV SULA - SURVEY\n\nDear Ms Crombie,\n\nThe raft is new.")
    'MV SULA - SURVEY'
    >>> subject_of_letter("7 April 2025\n\nDear Ms Crombie,\n\nThe raft is new.")
    ''
    """
    blocks = [block.strip() for block in _EMPTY_LINES.split(text[:_LONGEST_HEAD])]
    at = next((place for place, block in enumerate(blocks) if _SALUTATION.fullmatch(block)), -1)
    if at < 0:
        return ""
    beside = [*blocks[at + 1 : at + 2], *reversed(blocks[max(0, at - 1) : at])]
    return next((found for block in beside if (found := _subject_in(block))), "")


def _subject_in(block: str) -> str:
    """The subject that a block beside a salutation is; empty if it is an address, a date or a sentence."""
    said = " ".join(block.split())
    if marked := _MARKED_SUBJECT.fullmatch(said):
        return marked["said"]
    is_short = block.count("\n") < _MOST_LINES_OF_A_SUBJECT and len(said) <= _LONGEST_IN_ALL
    is_title = is_short and len(said.split()) >= _FEWEST_OF_A_SUBJECT and said[0].isalnum()
    return said if is_title and not _NO_SUBJECT.search(said) and not _is_dated(said) else ""


def _is_dated(said: str) -> bool:
    """Whether a line is the date of a letter, which may begin with a place."""
    place, comma, behind = said.partition(", ")
    return is_date(behind if comma and not any(map(str.isdigit, place)) else said)


def _below_letterhead(text: str) -> str:
    """The title that stands in the middle of its lines, below a head in two columns; with the number of an RFC before it."""
    head, *blocks = _EMPTY_LINES.split(text[:_LONGEST_HEAD])
    rows = head.split("\n")
    if sum(1 for row in rows if _GAP.search(row.strip())) < _FEWEST_IN_COLUMNS:
        return ""
    below = (block.split("\n") for block in blocks)
    lines = next((lines for lines in below if not any(_GAP.search(line.strip()) for line in lines)), [])
    said = " ".join(" ".join(lines).split())
    width = max(map(len, rows))
    is_title = any(map(str.isalpha, said)) and said[-1] not in ".,:;" and len(lines) <= _MOST_CENTRED
    if not is_title or any(abs(_middle(line) - width / 2) > _MOST_OFF_CENTRE for line in lines):
        return ""
    number = _NUMBER_OF_RFC.search(head)
    return said if number is None else f"RFC {number['number']}: {said}"


def _middle(line: str) -> float:
    """The column in the middle of what a line says."""
    return (len(line) - len(line.lstrip()) + len(line.rstrip())) / 2


def is_in_capitals(said: str, most_words: int = _MOST_HEADING_WORDS) -> bool:
    """Whether a line is in capitals, of whatever script has them, and neither a number nor an abbreviation.

    >>> is_in_capitals("ÖFFNUNGSZEITEN"), is_in_capitals("Öffnungszeiten"), is_in_capitals("ISO"), is_in_capitals("A 1 2 3")
    (True, False, False, False)
    """
    words = said.split()
    are_words = len(words) <= most_words and sum(map(str.isdigit, words)) <= 1  # several numbers are those of a row
    has_letters = sum(map(str.isalpha, said)) >= _MIN_CAPITALS
    return are_words and has_letters and said.isupper() and _CAPITALS.fullmatch(said) is not None


def _first_lines(text: str, *, in_capitals: bool) -> Iterator[str]:
    """Yields the first lines of a text that are its title; none if they read like something else.

    Below a line in capitals, a label with its value may say of what it is: `Product: Ferrolin`.
    """
    block, _, rest = text.partition("\n\n")
    if not in_capitals and sum(1 for line in rest.split("\n", 200) if line.strip()) < _FEWEST_LINES:
        return
    length = 0
    lines = block.split("\n", _MOST_LINES)
    is_alone = len(lines) == 1 and bool(rest) and len(block.split()) >= _FEWEST_WORDS_ALONE
    longest, longest_in_all = (_LONGEST_ALONE, _LONGEST_ALONE) if is_alone else (_LONGEST, _LONGEST_IN_ALL)
    if not in_capitals and lines[1:2] and lines[1].lstrip()[:1].islower():
        return  # a sentence goes on
    for number, line in enumerate(lines[:_MOST_LINES]):
        cells = _GAP.split(line.strip())
        said = " ".join(cells[0].split())
        length += len(said)
        if not said or len(said) > longest or length > longest_in_all:
            return
        is_label = number == 1 and in_capitals and _LABEL.match(said) is not None
        if not (is_label or is_in_capitals(said, _MOST_TITLE_WORDS)):
            is_none = (
                said[0].islower()
                or _NO_TITLE.search(said)
                or _RELEASE.match(said)
                or (_LABEL.match(said) and not is_alone)
                or (number and _ADDRESS.search(said))
            )
            if is_none or len(cells) > 1:
                return
        yield said
        if is_label or len(said) > _WRAPPED:
            return
