"""Whether a sentence goes on at a place where the `sentencex` library ends it.

The library knows abbreviations and initials, but also ends sentences within names and titles ("Who Killed the Electric Car? is
a 2006 documentary"), within addresses, and where no mark stands at all. Each rule names one reason why a sentence goes on; all
of them see only a bounded piece of the text around the place. Nowhere is an end added.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Span
from hopweave.text.languages import months
from hopweave.text.list_marks import IN_BRACKETS

_LOOK_BACK = 80
_DEEPEST_INDENT = 40
_LOOK_AHEAD = 240

_LETTER = lazy_pattern(r"[^\W_]")
_WORD = lazy_pattern(r"[^\W_]+")
_EMPTY_LINE = lazy_pattern(
    r"[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]\s*[\n\x0b\x0c\x1c-\x1e\x85\u2028\u2029]|\r\s*\r|\u2029|\x0c"
)
_LINE_END = lazy_pattern(r"[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_UNMARKED = lazy_pattern(r"[^\W_]\s*$|[,:;-]\s*$")

# Abbreviations before a number (the library knows a few of them; streets of German addresses end in one), and those that may
# precede a number in words.
_COUNTS = lazy_pattern(
    r"(?<!\w)(?:nos?|vols?|approx|ca?|figs?|pp?|chap|ch|secs?|arts?|op|pts?|eqs?|vers?|est|max|min|avg|nr|pos|par|rev|ref|tel|ext"
    r"|\w+str)\.$",
    re.IGNORECASE,
)
_ABOUT = lazy_pattern(r"(?<!\w)(?:approx|ca|est|max|min|avg)\.$", re.IGNORECASE)

_ITEM = lazy_pattern(rf"\d{{1,2}}\.|{IN_BRACKETS}|\d{{1,3}}(?:\.\d{{1,3}}){{1,4}}\.")
_LABEL = lazy_pattern(
    r"(?:Table|Fig(?:ure|\.)|Example|Listing|Chapter|Section|Part|Appendix|Annex) (?:[A-Z]|\d{1,3})(?:[.-]\d{1,3}){0,3}\.",
    re.IGNORECASE,
)
_ITEM_OF_A_PARAGRAPH = lazy_pattern(r"(?:(?:\d{1,3}[a-z]?|[A-Za-z]|[ivxlc]{2,6}|[IVXLC]{2,6})\.\s*)+")
"""Numbers that are items only where a paragraph begins: elsewhere they may well be an answer, as in `It is A. B is wrong.`"""
_LONGEST_ITEM = len("Appendix 10.10.10.")
_ASKED = lazy_pattern(r"[?!]$")
_ASKED_AND_CLOSED = lazy_pattern(r"[?!][\"'”’)\]]*$")
_IN_BRACKETS = lazy_pattern(r"\(\s*([^()]+)\)")
_PAUSED = lazy_pattern(r"(?P<word>[^\W_]+)(?P<space>\s*)(?:\.{3,}|…)$")
_ADDRESS = lazy_pattern(r"(?<!\w)(?:www\.|https?://)\S*$", re.IGNORECASE)
_CAPITALS = lazy_pattern(r"[A-Z]{2,}")
_CAPITALS_BEFORE = lazy_pattern(r"[A-Z]{2,}\.$")
_TITLES = "Dr|Mr|Mrs|Ms|Mme|Mlle|Messrs|Prof|Mt"
_SAINTS = "St|Ste|Sta|Ft"
_BEFORE_A_PERSON = lazy_pattern(rf"(?<!\w)(?:{_TITLES})\.$")
_BEFORE_A_SAINT = lazy_pattern(rf"(?<!\w)(?:{_SAINTS})\.$")
# Those of other languages, of which the library knows some: before a number, and before a name.
_COUNTS_ELSEWHERE = lazy_pattern(
    r"(?<!\w)(?:nr|abs|abb|abschn|art|kap|tab|bd|s|ca|etwa|vgl|p|pp|págs?|pag|núm|n|chap|fig|éd|cf|env|см|рис|стр|гл|табл|п|пп|разд"
    r"|т|вып|ст|ок|ред|rys|str|ust|č|obr)\.$",
    re.IGNORECASE,
)
_LONG_ENOUGH = lazy_pattern(r"[^\W\d_]{2,}\.$")
_TITLES_ELSEWHERE = (
    "Hr|Fr|Frl|Hrn|Prof|Profa|Dr|Dra|Dipl|Ing|St|MM|Mme|Mlle|Mgr|Sr|Sra|Sres|Srta|Dña|Sig|Dott|Avv|Geom|Mevr|Mw|Dhr|Drs|Sn|Av|Fa"
    "|mevr|mw|dhr|drs|sig|dott|avv|geom|sra|profa|ul|św|проф|акад|доц|им|гр|г-н|д-р|ул|просп|ดร"
)
_BEFORE_A_NAME_ELSEWHERE = lazy_pattern(rf"(?<!\w)(?:{_TITLES_ELSEWHERE}|M|D|[А-ЯЁІЇЄ])\.$|(?<!\w)(?<!\d\s)[دأ]\.$")
_ORDINALS_WITH_STOP = frozenset({"de", "da", "sv", "fi", "cs", "hu", "pl"})
_ORDINAL = lazy_pattern(r"(?<![\w.,])\d{1,2}\.$")
_DAY_AND_MONTH = lazy_pattern(r"(?<![\w.,])\d{1,2}\.\s?\d{1,2}\.$")
_MONTH_AND_YEAR = lazy_pattern(r"\d{1,2}\.\s?(?:19|20)\d\d(?!\d)")
_YEAR = lazy_pattern(r"(?:19|20)\d\d(?!\d)")
_DAY_AND_SHORT_MONTH = lazy_pattern(r"(?<![\w.,])\d{1,2}(?:er|\.|º|°)?\s(?:de\s)?(?P<month>[^\W\d_]{3,5})\.$")
_OTHER_SHORT_MONTHS = ("mrt",)  # which begin no name of a month
_BEFORE_AN_ORDINAL = lazy_pattern(
    r"(?<!\w)(?:de[rmns]|die|das|am|im|vom|zum|zur|beim|ab|seit|jede[rsmn]?|eine[rsmn]?|den|dne|il|et)\s\d{1,2}\.$",
    re.IGNORECASE,
)

_UNFINISHED = "acc|excl|incl|resp|ekskl|exkl|inkl|vč|zzgl"
"""Abbreviations with which no sentence ends."""
_GOES_WITH_MORE = lazy_pattern(rf"(?<!\w)(?:{_UNFINISHED})\.$", re.IGNORECASE)
_OF_MONEY = lazy_pattern(r"(?<!\w)(?:kr|руб|коп|Kč|Fr)\.$")
_GOES_ON_AT_ONCE = lazy_pattern(r":|-[^\W\d_]")
_INITIAL = lazy_pattern(r"(?<!\w)[^\W\d_]\.$")
_INITIALS = lazy_pattern(r"[^\W\d_]\.")

# A year with an abbreviation may end a sentence, or only open one: `W 2024 r. Rada ...`.
_YEAR_IN_SHORT = r"(?:(?:\d{1,2}\s[^\W\d_]{3,12}|\d{1,2}\.\d{1,2}\.)\s?)?(?:19|20)\d\d\s?[rгр]\.$"
_OPENED_BY_A_YEAR = lazy_pattern(
    r"(?:^|[,;:(–—]\s|\s(?:a|i|oraz|а|и|но)\s)(?:a\s|i\s|oraz\s|а\s|и\s|но\s)?"
    rf"(?:(?:w|we|z|od|do|po|przed|w dniu|z dniem|dnia|в|с|со|до|к|по|после|на|от|у|від|з)\s)?{_YEAR_IN_SHORT}",
    re.IGNORECASE,
)
_OPENED_BY_AN_ACT = lazy_pattern(
    r"^(?:zgodnie z|na (?:podstawie|mocy)|w (?:związku z|sprawie|odpowiedzi na)|stosownie do|stan na|według|согласно"
    "|в соответствии с|на основании|по состоянию на|в связи с|відповідно до|згідно з|на підставі|станом на)"
    rf"\s[^,;]{{0,60}}?{_YEAR_IN_SHORT}",
    re.IGNORECASE,
)
_ACT = lazy_pattern(rf"(?<!\w)z dnia {_YEAR_IN_SHORT}")
_KIND_OF_ACT = lazy_pattern(r"(?:Prawo|Kodeks|Ordynacja)(?!\w)")

# Before a capital letter, most sentences end without any of these, which is all that has to be known of them. The library knows
# initials in ASCII.
_ODD_END = lazy_pattern(rf"(?:[^.]|\.\.|(?<!\w)(?:{_TITLES}|{_SAINTS}|{_UNFINISHED}|www|[^\W\x00-\x7f])\.)\Z")
_LONGEST_ODD_END = len(" Messrs.")

# Words with which a sentence begins more often than a name does; words after `?`, after which a sentence in lower case may
# begin; words with which none begins; words at which none ends; words in lower case that are part of names.
_BEGIN = (
    "A After All Also An And As At Before But By During For From He Her Here His However I If In It Its My On One Our She "
    "Since So Some That The Their Then There These They This Those Though To We What When Where While With You"
)
_REPLY = "yes no so thus hence because therefore"
_DO_NOT_BEGIN = "is was are were has had and or of that which who whose"
_PRECEDE_A_NAME = "a an and as at by for from her his in its of on or our the their to with"
_JOIN_A_NAME = "a an and at by de for in la of on or s t the to"
_BEGINNERS, _REPLIES, _NO_BEGINNING, _BEFORE_A_NAME, _WITHIN_A_NAME = (
    frozenset(words.split()) for words in (_BEGIN, _REPLY, _DO_NOT_BEGIN, _PRECEDE_A_NAME, _JOIN_A_NAME)
)


@dataclass(frozen=True, slots=True)
class _Place:
    """A place where the library ends a sentence.

    Attributes:
        said: the end of the sentence so far, at most `_LOOK_BACK` characters.
        is_all: whether that is the whole of it.
        is_paragraph: whether it begins a paragraph that is not the first.
        opening: the first letter or digit of the sentence; empty if it begins with too many other characters.
        gap: the white space before what follows.
        language: the ISO 639-1 code of the language of the text.
        rest: the beginning of what follows, at most `_LOOK_AHEAD` characters.
    """

    said: str
    is_all: bool
    is_paragraph: bool
    opening: str
    gap: str
    language: str
    rest: str

    @property
    def word(self) -> str:
        """The first word of what follows; empty if it begins with something else."""
        found = _WORD.match(self.rest)
        return found[0] if found else ""


def goes_on(text: str, last: Span, begin: int, language: str) -> bool:
    """Whether a sentence continues where the library ends it, because no mark, or the mark of a name, is before that place."""
    gap = text[last.end : begin]
    is_plain = language == "en" and gap and text[begin].isupper() and not _ends_oddly(text, last)
    if is_plain or _EMPTY_LINE.search(gap):
        return False
    opening = _LETTER.search(text, last.start, min(last.end, last.start + _LOOK_BACK))
    place = _Place(
        said=text[max(last.start, last.end - _LOOK_BACK) : last.end],
        is_all=last.end - last.start <= _LOOK_BACK,
        is_paragraph=_begins_paragraph(text, last.start),
        opening=opening[0] if opening else "",
        gap=gap,
        language=language,
        rest=text[begin : begin + _LOOK_AHEAD],
    )
    return any(rule(place) for rule in _RULES)


def is_cut_short(said: str, rest: str) -> bool:
    """Whether words of an unknown language end with an abbreviation or the day of a date in any, and not where a sentence ends.

    >>> is_cut_short("am 3.", "Mai 2024"), is_cut_short("mevr.", "De Vries"), is_cut_short("am 3.", "It is late.")
    (True, True, False)
    """
    said, rest = said[-_LOOK_BACK:], rest[:_LOOK_AHEAD]
    first = _WORD.match(rest)
    if first is None or first[0] in _BEGINNERS:
        return False
    if _ORDINAL.search(said):
        return first[0].casefold() in months() or _BEFORE_AN_ORDINAL.search(said) is not None
    known = _COUNTS_ELSEWHERE if rest[0].isdigit() else _BEFORE_A_NAME_ELSEWHERE
    return known.search(said) is not None and _LONG_ENOUGH.search(said) is not None


def _begins_paragraph(text: str, start: int) -> bool:
    """Whether an empty line is above, and only an indent before."""
    return text[max(0, start - _DEEPEST_INDENT) : start].rstrip(" \t").endswith("\n\n")


def _ends_oddly(text: str, last: Span) -> bool:
    """Whether a sentence ends with anything but a word and a full stop; titles such as `Mrs.` are no words."""
    return (
        last.end - last.start <= _LONGEST_ITEM
        or _ODD_END.search(text, max(last.start, last.end - _LONGEST_ODD_END), last.end) is not None
    )


def _says_nothing_yet(place: _Place) -> bool:
    """`...And Justice for All is a film`: only marks so far."""
    return place.is_all and not place.opening


def _numbers_an_item(place: _Place) -> bool:
    """`1.   The size.`, `8.4. Loans`, `(2) (a) The end.`: the number of an item or a heading, whatever the space after it."""
    item = _ITEM_OF_A_PARAGRAPH if place.is_paragraph else _ITEM
    return place.is_all and item.fullmatch(place.said) is not None


def _labels_what_follows(place: _Place) -> bool:
    """`Table 8.1. How it is bought`, `Chapter 8. Loans`: the number of a caption or heading."""
    return place.is_all and _LABEL.fullmatch(place.said) is not None


def _is_listed(place: _Place) -> bool:
    """`title: Who Is She?; year: 1961`, `日本。; 1961`, `Art.-No.: 12`: no sentence begins with such a mark."""
    return place.rest[0] in ";," or (
        not place.gap and _GOES_ON_AT_ONCE.match(place.rest) is not None and place.said.endswith(".")
    )


def _lacks_a_mark(place: _Place) -> bool:
    """`Songwriter (s) Todd Pipes`, `2014 -- 17`: what comes before is no end. A Greek question ends with `;`."""
    if place.language == "el" and place.said.endswith(";"):
        return False
    return _UNMARKED.search(place.said) is not None and not _LINE_END.search(place.gap)


def _counts(place: _Place) -> bool:
    """`approx. 5 km`, `Vol. 2`, `ca. five`."""
    if place.rest[0].isdigit():
        return _COUNTS.search(place.said) is not None
    return place.rest[0].islower() and _ABOUT.search(place.said) is not None


def _is_unfinished(place: _Place) -> bool:
    """`incl. VAT`, `acc. to the list`, `5 kr. (before: 4 kr.)`."""
    if _OF_MONEY.search(place.said):
        return place.rest[0] == "(" or place.rest[0].islower()
    return _GOES_WITH_MORE.search(place.said) is not None


def _is_an_initial(place: _Place) -> bool:
    """`Ö. Demir`, `Å. Berg`; not `A. The`, since the library knows initials in ASCII."""
    initial = _INITIAL.search(place.said)
    if initial is None or initial[0].isascii() or not initial[0].isupper():
        return False
    return place.rest[0].isupper() and place.word not in _BEGINNERS


def _asks_or_exclaims_in_a_name(place: _Place) -> bool:
    """`Who Killed the Electric Car? is a documentary`, `Panic! at the Disco`; not `is it? yes, it is`."""
    return _ASKED.search(place.said) is not None and _is_lower_within(place) and place.word not in _REPLIES


def _is_explained(place: _Place) -> bool:
    """`Boy or Girl? (Spanish: Chico o chica) is a film`, but not `He left! (He came back.)`."""
    if not _ASKED_AND_CLOSED.search(place.said) or not place.rest.startswith("("):
        return False
    inside = _IN_BRACKETS.match(place.rest)
    return inside is not None and not (inside[1][0].isupper() and inside[1].endswith("."))


def _abbreviates(place: _Place) -> bool:
    """`Tibouchina Aubl. is a plant`: no sentence begins with such a word in lower case."""
    return place.said.endswith(".") and _is_lower_within(place) and place.word in _NO_BEGINNING


def _is_lower_within(place: _Place) -> bool:
    """Whether what follows begins in lower case, in a text that does not begin its sentences so."""
    return place.rest[0].islower() and not place.opening.islower()


def _pauses_in_a_name(place: _Place) -> bool:
    """`Way ... Way Out is a film`, `the ... Baby One More Time Tour`; not `He waited... She came`."""
    paused = _PAUSED.search(place.said)
    if paused is None or not place.rest[0].isupper():
        return False
    if paused["word"].lower() in _BEFORE_A_NAME:
        return True
    words = _WORD.findall(place.said)
    is_name = place.is_all and all(not word[0].islower() or word in _WITHIN_A_NAME for word in words)
    return is_name and (bool(paused["space"]) or (len(words) > 1 and place.word not in _BEGINNERS))


def _is_an_address(place: _Place) -> bool:
    """Within "www.Example.com" or "https://example.org/A?B=C", or in one with a space: "www. example.com"."""
    return _ADDRESS.search(place.said) is not None and (not place.gap or place.said.endswith("www."))


def _is_one_word(place: _Place) -> bool:
    """Within "ASP.NET", but not in "He left.She stayed."."""
    return not place.gap and _CAPITALS_BEFORE.search(place.said) is not None and _CAPITALS.match(place.rest) is not None


def _addresses_a_person(place: _Place) -> bool:
    """`Dr. No`, `Ste. Anne`; `Main St. The end` ends there."""
    if _BEFORE_A_PERSON.search(place.said):
        return place.word not in _BEGINNERS
    return _BEFORE_A_SAINT.search(place.said) is not None and place.rest[0].isupper() and place.word not in _BEGINNERS


def _is_abbreviated_elsewhere(place: _Place) -> bool:
    """`usw. nicht`, `Abs. 3`, `M. Dupont`, `c.-à-d. rien`: as in English, but with other abbreviations."""
    if place.language == "en" or not place.said.endswith("."):
        return False
    if place.rest[0].islower():
        return _is_lower_within(place) and _LINE_END.search(place.gap) is None
    if _BEFORE_A_NAME_ELSEWHERE.search(place.said):
        return True
    is_counted = _COUNTS_ELSEWHERE.search(place.said) is not None or place.said.split()[-1].casefold() in months()  # `déc.`
    return place.rest[0].isdigit() and is_counted


def _is_a_short_date(place: _Place) -> bool:
    """`31 déc. 2024`, `5 mrt. 2024`: plain enough without the language, and whatever begins like the name of a month."""
    found = _DAY_AND_SHORT_MONTH.search(place.said) if _YEAR.match(place.rest) else None
    name = found["month"].casefold() if found is not None else ""
    return bool(name) and name not in months() and any(one.startswith(name) for one in (*months(), *_OTHER_SHORT_MONTHS))


def _is_within_initials(place: _Place) -> bool:
    """Within `T.T.C.` and `S.A.R.L.`."""
    return not place.gap and _INITIAL.search(place.said) is not None and _INITIALS.match(place.rest) is not None


def _is_opened_by_a_year(place: _Place) -> bool:
    """`W 2024 r. Rada ...`, `Zgodnie z aneksem z dnia 12 maja 2024 r. Rada ...`; not `Umowa trwa do 2024 r. Rada ...`."""
    if place.language not in {"pl", "ru", "uk"}:
        return False
    if _OPENED_BY_A_YEAR.search(place.said) or (place.is_all and _OPENED_BY_AN_ACT.search(place.said)):
        return True
    return _ACT.search(place.said) is not None and _KIND_OF_ACT.match(place.rest) is not None


def _is_an_ordinal(place: _Place) -> bool:
    """`12. Mai 1958`, `die 2. Auflage`, but not `von 1 bis 4. Die ...`: languages that write ordinals with a full stop.

    What is as plain as `31. 3. 2024` and `1. januar` is known without the language, which a row of a table may not tell.
    """
    if _ORDINAL.search(place.said) is None:
        return False
    if _MONTH_AND_YEAR.match(place.rest) or (_DAY_AND_MONTH.search(place.said) and _YEAR.match(place.rest)):
        return True
    if place.language not in _ORDINALS_WITH_STOP:
        return place.word.islower() and place.word in months()
    return place.word.casefold() in months() or _BEFORE_AN_ORDINAL.search(place.said) is not None


def _is_quoted_in_signs(place: _Place) -> bool:
    """`「行く。」と彼は言った`: what follows a quotation in hiragana belongs to it."""
    return place.said.endswith(("」", "』")) and not place.gap and "\u3041" <= place.rest[0] <= "\u3096"


_RULES = (
    _says_nothing_yet,
    _numbers_an_item,
    _labels_what_follows,
    _is_listed,
    _lacks_a_mark,
    _counts,
    _is_unfinished,
    _is_an_initial,
    _asks_or_exclaims_in_a_name,
    _is_explained,
    _abbreviates,
    _pauses_in_a_name,
    _is_an_address,
    _is_one_word,
    _addresses_a_person,
    _is_abbreviated_elsewhere,
    _is_an_ordinal,
    _is_a_short_date,
    _is_within_initials,
    _is_opened_by_a_year,
    _is_quoted_in_signs,
)
"""Why a sentence may continue where the library ends it; one reason is enough."""
