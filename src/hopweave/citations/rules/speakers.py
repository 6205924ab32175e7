"""Who says, signs, sends or attends something is not who does what is said: which person of a sentence a question means.

Only English is understood.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from hopweave.citations.rules.negation import root
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Span
from hopweave.text.content_words import content_of, stem, stems_of, words_of
from hopweave.text.irregular_verbs import present_of
from hopweave.text.languages import is_foreign_beside
from hopweave.text.values import DAY_NAMES, MONTH_NAMES

_SAID = (
    r"(?:said|says?|saying|stated|states|reported|reports|announced|announces|wrote|writes|claimed|claims|thinks|thought|believes"
    r"|believed|mentioned|mentions|noted|notes|added|adds|confirmed|confirms|explained|explains|argued|argues|pointed out"
    r"|points out|told \w+(?: \w+)?|tells \w+|asked|asks|wondered|knows|knew|hopes|hoped|expects|expected|insisted|insists"
    r"|complained|complains|denies|denied)"
)
_REPORTS = lazy_pattern(
    r"(?:\s[A-Z][\w'’-]+){0,3}(?:\s\([^()]*\))?,?(?:\s[^.;:,]{1,40},)?\s(?:has\s|had\s|have\s|also\s)?"
    rf"(?P<verb>{_SAID})\s(?:\w+\s)?(?:that|whether|if)\s"
)
"""What follows the name of someone who only reports: `Ada (chair) has said that `."""
_BY = lazy_pattern(
    r"\b(?P<verb>\w{2,}ed|written|made|built|sent|given|taken|drawn|found|held|led|chosen|done|won|paid|sold)"
    r"(?: (?:down|for|in|off|on|out|over|up))? by (?!\d|the \d|(?:(?:about|early|late|noon|midnight|then|now|next)\b"
    r"|the (?:beginning|end|start|middle|next|last)\b"
    rf"|{DAY_NAMES}\b|(?:{MONTH_NAMES})\b(?! [A-Z])))"
)
"""By whom something was done, and not by when."""
_BEGINS_ANEW = lazy_pattern(
    r"[;:]|\b(?:after|at|because|before|by|for|from|in|on|since|to|under|when|which|while|who|with)\b|\b\w{2,}ed\b"
)
"""Between the `by` and a name that does not go with it."""
_ALSO_BY = lazy_pattern(r"[^,;]{2,80}(?:,|;|\sand)\s(?:(?!\w{2,}ed\b)[\w'’-]+\s){1,5}by\s(?:the\s)?")
"""Between the `by` and a name behind another one, with the same verb: `ironed by Ada, the shirts by `."""

_ASKS_WHO_DID = lazy_pattern(r"\W*who\s(?!is\b|was\b|are\b|were\b)", re.IGNORECASE)
_FOR_WHOM_ASKED = lazy_pattern(r"\b(?:for|with|to|from)\W*$", re.IGNORECASE)
_FOR_WHOM = lazy_pattern(r"\b(?:for|to|with|from)\s(?:(?:the|an?|her|his|their)\s(?:[a-z]+\s){0,2})?\Z")
_OF_A_TITLE = 12
"""Characters between `by` and a name, such as `Dr`."""

_LINE_OF_A_CHAT = lazy_pattern(
    r"^\W{0,3}(?P<when>\[[^\]\n]{1,40}\]\s*|\d[\d.:/, T-]{3,25}(?:[AaPp]\.?[Mm]\.?)?\]?\s*(?:-\s)?)"
    r"(?P<who><[^<>\n]{1,40}>|[^\W\d][^:\n]{0,40}?(?=:\s))"
)
_TASK = lazy_pattern(r"^\W*(?:\[[ xX]?\]\s*)?(?P<who>[A-Z][\w.'’-]+(?:\s[A-Z][\w.'’-]+){1,2}):\s")
_I = lazy_pattern(r"\b(?:I|me|my|mine|myself|we|us|our)\b")

_HEAD = lazy_pattern(r"^(?P<name>From|To|Cc|Bcc|Reply-To|Date|Sent|Subject|Attachments):\s", re.MULTILINE)
_OF_A_MESSAGE = lazy_pattern(r"^From:[^\n]*\n(?:.*\n)?(?:To|Date|Sent|Subject|Cc):[^\n]*", re.MULTILINE)
_THERE = lazy_pattern(
    r"^\W{0,2}(?P<name>Present|Attend(?:ees|ing|ance)|Participants|Guests|Apologies(?: for absence)?|Absent|Excused|Regrets"
    r"|Distribution)\W{0,2}:\s",
    re.MULTILINE | re.IGNORECASE,
)
_MAIL = r"e?-?mails?|messages?"
_ASKED_OF: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = tuple(
    (lazy_pattern(rf"(?:{label})", re.IGNORECASE), lazy_pattern(rf"\b(?:{asked})\b", re.IGNORECASE))
    for label, asked in (
        ("from|reply-to", rf"sender|wrote|writes?|written|author|{_MAIL}|repli\w+|answered"),
        ("to|b?cc|distribution", rf"receiv\w+|recipients?|copied|cc|addressed|{_MAIL}"),
        ("date|sent", rf"sent|written|wrote|dated?|{_MAIL}"),
        ("subject|attachments", r"subject|attach\w+|about|title"),
        (r"present|attend\w+|participants|guests", r"present|attend\w*|participa\w*|took part|there|came|who was at|members?"),
        (
            r"apologies.*|absent|excused|regrets",
            r"absent|absence|apolog\w+|excus\w+|missing|missed|not (?:present|there|attend\w*)|regrets?",
        ),
    )
)
"""The labels of a head, or of a list of those who were there, and the words of a question for what stands behind them."""

_SIGN_OFF = lazy_pattern(
    r"^(?:-- ?$|(?:(?:with )?(?:kind|best|warm|many)(?: \w+)? (?:regards|wishes|thanks)|regards|best|cheers|thanks"
    r"|thank you|sincerely|yours \w+|all the best|greetings)[,.!]?$|(?:(?:kind )?regards|best|cheers|thanks),?\s(?=[A-Z]))",
    re.IGNORECASE | re.MULTILINE,
)
_ABOVE_A_QUOTE = lazy_pattern(r"\b(?:wrote|writes|schrieb|a écrit|escribió|ha scritto)\s?:\s*$")
_SIGNED = lazy_pattern(r"\b(?:sign\w*|wr(?:ote|ites?|itten)|sender|author|sa(?:id|ys?))\b", re.IGNORECASE)
_SAYS = lazy_pattern(r"\b(?:sa(?:id|ys?)|tell\w*|told|claim\w*|announc\w*|report\w*|mention\w*|according)\b", re.IGNORECASE)
_SPEAKS = lazy_pattern(
    r"\b(?:sa(?:id|ys?)|wr(?:ote|ites?)|ask\w*|announc\w*|report\w*|mention\w*|suspect\w*|propos\w*|suggest\w*|recommend\w*"
    r"|think\w*|thought|claim\w*|confirm\w*|complain\w*|tell\w*|told|answer\w*|repl\w+|comment\w*|point\w* out|explain\w*"
    r"|warn\w*|promis\w*|offer\w*)\b",
    re.IGNORECASE,
)
_WHO = lazy_pattern(r"\b(?:who|whom|whose)\b", re.IGNORECASE)


def is_of_who_speaks(asking: str, names: Sequence[str], sentence: str, focus: Span) -> bool:
    """Whether some words of a sentence are only who says, sends or signs it, or who was there, and something else is asked for.

    Args:
        asking: the question.
        names: what it names.
        sentence: the sentence.
        focus: the position of the words in it.

    >>> told = "Ada said that Ida prefers the new one."
    >>> [is_of_who_speaks("Who prefers the new one?", [], told, Span(start, start + 3)) for start in (0, 14)]
    [True, False]
    """
    if is_foreign_beside(sentence, asking):
        return False
    if _is_on_a_list(asking, sentence, focus) or _is_in_sign_off(asking, names, sentence, focus):
        return True
    if not _WHO.search(asking):
        return False
    is_of_another = _only_reports(asking, names, sentence, focus) or _is_not_by(asking, sentence, focus)
    return is_of_another or _only_speaks(asking, names, sentence, focus)


def _only_reports(asking: str, names: Sequence[str], sentence: str, focus: Span) -> bool:
    """Whether some words are who says what follows; not if that is asked for, or what they are: `the mayor, Ada, said`."""
    found = _REPORTS.match(sentence, focus.end)
    if found is None or _SAYS.search(asking) or stems_of(found["verb"]) & stems_of(asking):
        return False
    return not _has_half(asking, names, sentence[: focus.start] + " " + sentence[focus.end : found.start("verb")])


def _only_speaks(asking: str, names: Sequence[str], sentence: str, focus: Span) -> bool:
    """Whether some words are the name before a line of a chat or a task, and what it says is not what is asked for.

    A line of a chat is about its writer if that speaks of himself or herself; a task is that of whoever it begins with.
    """
    chat, task = _LINE_OF_A_CHAT.match(sentence), _TASK.match(sentence)
    if chat is not None and not any(map(str.isdigit, chat["when"])):
        chat = None
    found = chat or task
    if found is None or not found.start("who") <= focus.start < found.end("who"):
        return False
    if chat is not None and _SPEAKS.search(asking):
        return False
    said = sentence[found.end() :]
    if not _has_half(asking, names, said):
        return True
    return chat is not None and (_I.search(said) is None or said.rstrip().endswith("?"))


def _is_not_by(asking: str, sentence: str, focus: Span) -> bool:
    """Whether a sentence names somebody else as the one by whom what is asked for was done: `reported by Ada, fixed by Ida`."""
    if _is_beside_who_did_it(asking, sentence, focus):
        return True
    asked = stems_of(asking)
    by = [match for match in _BY.finditer(sentence) if {stem(match["verb"]), stem(present_of(match["verb"]))} & asked]
    if not by or re.search(r"\bby\b", asking):
        return False
    after = [match.end() for match in by if match.end() <= focus.start]
    if any(_ALSO_BY.fullmatch(sentence, end, focus.start) for end in after):
        return False
    return all(_BEGINS_ANEW.search(sentence, end, focus.start) for end in after)


def _is_beside_who_did_it(asking: str, sentence: str, focus: Span) -> bool:
    """Whether a sentence says by whom it was done, and some words are for or with whom: `built by Ada for Ida Renn`."""
    by = [match.end() for match in _BY.finditer(sentence) if sentence[match.end() : match.end() + 1].isupper()]
    is_by = any(end <= focus.start < end + _OF_A_TITLE for end in by)
    asks_who = _ASKS_WHO_DID.match(asking) is not None and _FOR_WHOM_ASKED.search(asking) is None
    return bool(by) and not is_by and asks_who and _FOR_WHOM.search(sentence[: focus.start]) is not None


def _is_on_a_list(asking: str, sentence: str, focus: Span) -> bool:
    """Whether some words stand in the head of a message, or among those who were there, and that is not asked for."""
    heads = _HEAD.finditer(sentence) if _OF_A_MESSAGE.search(sentence) else ()
    before = [label for label in (*heads, *_THERE.finditer(sentence)) if label.end() <= focus.start]
    own = max(before, key=lambda label: label.start(), default=None)
    if own is None or "\n" in sentence[own.end() : focus.start]:
        return False
    role = re.match(r"\s\(([^()\n]*)\)", sentence[focus.end :])
    if role is not None and stems_of(role[1]) & set(map(stem, words_of(asking))):
        return False
    return not any(label.fullmatch(own["name"]) and asked.search(asking) for label, asked in _ASKED_OF)


def _is_in_sign_off(asking: str, names: Sequence[str], sentence: str, focus: Span) -> bool:
    """Whether some words stand alone below a message, or in the line above a quote, and nothing beside them is asked for.

    What may be beside them is an office, for instance.
    """
    if _SIGNED.search(asking):
        return False
    if _ABOVE_A_QUOTE.search(sentence):
        return True
    found = _SIGN_OFF.search(sentence)
    if (found is None or focus.start < found.end()) and not _is_alone_on_its_line(sentence, focus):
        return False
    return not _has_half(asking, names, sentence[: focus.start] + " " + sentence[focus.end :])


def _is_alone_on_its_line(sentence: str, focus: Span) -> bool:
    """Whether some words are all of one of several lines that do not end like a sentence."""
    lines = sentence.rstrip().split("\n")
    said = sentence[focus.start : focus.end]
    return len(lines) > 1 and lines[-1][-1:] not in ".!?:;" and said[:1].isupper() and said in map(str.strip, lines)


def _has_half(asking: str, names: Sequence[str], text: str) -> bool:
    """Whether a text has half of the words of a question besides its names, and one at least."""
    wanted = set(map(root, content_of(asking, names)))
    return 2 * len(wanted & set(map(root, words_of(text)))) >= max(len(wanted), 1)
