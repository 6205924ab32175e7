"""What a sentence only asks, proposes, believes or supposes: `Should we use 8443?`, `My suggestion is 9443`, `It would cost 40k`.

None of these says what holds, so their words are no answer to a question for that; they are one to a question for a proposal or
a belief. Passive forms (`the recommended dose`, `is suggested`) are left alone: manuals and guidelines state what to do with
them. Only English is understood.
"""

from __future__ import annotations

import re

from hopweave.core.types import Span
from hopweave.text.clauses import clause_around
from hopweave.text.content_words import stem, stems_of, words_of
from hopweave.text.languages import is_foreign

_AUXILIARY = (
    "are|is|was|were|am|do|does|did|have|has|had|can|could|will|would|should|shall|may|might|must|isn['’]t|aren['’]t|don['’]t|doesn['’]t|didn['’]t"
)
_ASKS = re.compile(
    rf"(?:^|[:;,>\]—-]\s*|\b(?:and|or|so|but)\s)\W*(?:who|whom|whose|what|which|where|when|why|how|{_AUXILIARY})\b[^?]*\?[\"”'’)\]]*$",
    re.IGNORECASE,
)
_FEW = 4
"""A sentence of so many words with a question mark asks: `Sunday?`"""
_PASSIVE = r"(?:is|are|was|were|be|been|being|as|the|an?|its|their|this|these|of|with|by|and|or|commonly|usually|generally|not)"
_PROPOSED = re.compile(
    rf"(?<!\w)(?:(?i:{_PASSIVE})\s)?(?:[Pp]roposed(?! (?:marriage|a toast)\b)|[Ss]uggested|[Rr]ecommended|demanded)\b"
    r"|\b(?:proposes|suggests)\s(?:to|that|we|using|moving)\b|\b(?:asked|asks|asking|called|campaigned|argued|pleaded|petitioned|lobbied)\sfor\b"
    r"|\b(?:moved|argued|demanded) that\b|\b(?:prefers|favou?rs)\b|\b(?:[Ss]uggestion|[Pp]roposal|[Mm]otion|[Ii]dea)\s(?:of|to|that|for|is|was)\b"
    r"|\b(?:had|have|has|we|was|were)\sconsidered\b|\bthought of\b|\b(?:[Ww]hat|[Hh]ow) about\b"
)
_BELIEVED = re.compile(
    r"\b(?:thinks?|thought|believes?|believed|suspects?|suspected|guess(?:es|ed)?|fears?|feared|hopes?|hoped|doubts?|doubted)"
    r"\s(?:that|this|it|he|she|they|we|you|the|a|there|[A-Z])|\b(?<!with )(?<!of )[Ss]uspected (?:cause|culprit|reason|fault|source)\b"
    r"|\bpromis(?:e|es|ed)\s(?:to|that)\b|\b(?:I|we|he|she|they|people) (?:expect|expected|assume|assumed)\b"
    r"|\b[A-Z]\w+ [A-Z]\w+ (?:[a-z]+ [a-z]+ and )?(?:expects|assumes)\b"
)
_AS_A_POSSIBILITY = re.compile(r"[^;:]{0,30}\bas (?:a|one) (?:possibility|possible \w+|option|idea|suggestion|candidate|proposal)\b", re.IGNORECASE)
_AGREED = re.compile(
    r"\b(?:this|it|which|that|(?:the|his|her|their) (?:proposal|motion|suggestion|idea))\s(?:was|were|is|has been)\s(?:\w+ly\s)?"
    r"(?:agreed|accepted|approved|adopted|carried|passed|done)\b",
    re.IGNORECASE,
)
_BELIEVED = re.compile(
    r"\b(?:thinks?|thought(?! (?:of|to)\b)|believes?|believed(?! to\b)|suspects?|(?<!with )(?<!of )suspected|guess(?:es|ed)?|fear(?:s|ed)?"
    r"|hop(?:e|es|ed)|doubts?|doubted|promis(?:e|es|ed)|(?:I|we|he|she|they|people) (?:expect|expected|assume|assumed))\b"
    r"|\b[A-Z]\w+ [A-Z]\w+ (?:[a-z]+ [a-z]+ and )?(?-i:expects|assumes)\b",
    re.IGNORECASE,
)
_WHETHER = re.compile(r"\bwhether\b[^;:.]*$|\b(?:asked|asks|wonders?|wondered) if\b[^;:.,]*$", re.IGNORECASE)
_WOULD = re.compile(
    r"\bwould\b(?!\s(?:later|eventually|soon|go on|become|subsequently|also|again|ultimately|continue|remain|serve|win|like|be (?:the|known)))"
    r"|\b(?:we|you|I) could\b|\bcould we\b|\bcould (?:come|perhaps|then)\b",
    re.IGNORECASE,
)
_IF = re.compile(r"^\W*(?:if|unless|in case|should)\b(?P<case>[^,;]*),", re.IGNORECASE)
_SOON = re.compile(r"\s(?:\w+\s)?$")
"""What may stand between some words and the `would` that they are the subject of."""
_WILL = re.compile(r"\b(?:will|would)\b|['’](?:ll|d)\b", re.IGNORECASE)
_ASKED_FOR_SUCH = re.compile(
    r"\b(?:propos\w+|suggest\w*|recommend\w*|demand\w*|ask\w*|want\w*|request\w*|prefer\w*|favou?r\w*|consider\w*|idea|motion|wish\w*"
    r"|think\w*|thought|believ\w+|suspect\w*|guess\w*|fear\w*|hop(?:e|es|ed)|doubt\w*|expect\w*|assum\w+|promis\w+|possib\w+|call(?:s|ed)? for"
    r"|plead\w*|argu\w+|petition\w*|lobb\w+|moved?|opinion|view)\b",
    re.IGNORECASE,
)
_ASKED_FOR_SUPPOSED = re.compile(r"\b(?:would|could|if|unless|whether|in case)\b", re.IGNORECASE)


def is_only_supposed(asking: str, sentence: str, focus: Span) -> bool:
    """Whether some words of a sentence are only asked, proposed, believed or supposed there, and no such thing is asked for.

    Args:
        asking: the question, or a statement.
        sentence: the sentence.
        focus: the position of the words in it.

    >>> told = "Ada suggested port 80, and Ida would use 81 if it were free."
    >>> [is_only_supposed("Which port is it?", told, Span(start, start + 2)) for start in (19, 41)]
    [True, True]
    >>> is_only_supposed("Which port did Ada suggest?", told, Span(19, 21))
    False
    """
    if is_foreign(sentence):
        return False
    is_asked = asks_for_supposed(asking)
    if not is_asked and is_question(sentence) and "?" not in sentence[focus.start : focus.end]:
        return True
    clause = clause_around(sentence, focus)
    before, after = sentence[_begin_of(sentence, clause) : focus.start], sentence[focus.end :]
    if not is_asked and _AGREED.search(after) is None:
        if _is_proposed(before) or _BELIEVED.search(before) is not None or _AS_A_POSSIBILITY.match(after):
            return True
    if _ASKED_FOR_SUPPOSED.search(asking):
        return False
    if not is_asked and _WHETHER.search(sentence, 0, focus.start):
        return True
    return _would_be(sentence, clause, focus) or _is_in_another_case(asking, sentence, clause)


def _begin_of(sentence: str, clause: Span) -> int:
    """Where a clause begins, with a label before it: `Suspected cause: a full disk`."""
    before = sentence[: clause.start].rstrip()
    return clause_around(sentence, Span(len(before) - 1, len(before) - 1)).start if before.endswith(":") else clause.start


def _would_be(sentence: str, clause: Span, focus: Span) -> bool:
    """Whether a clause says with a `would` what some words of it are: these follow it, or stand directly before it."""
    if _WOULD.search(sentence, clause.start, focus.start):
        return True
    after = _WOULD.search(sentence, focus.end, clause.end)
    return after is not None and _SOON.fullmatch(sentence, focus.end, after.start()) is not None


def asks_for_supposed(asking: str) -> bool:
    """Whether a question asks for what somebody asked, proposed or believed.

    >>> asks_for_supposed("Who asked for more?"), asks_for_supposed("Who got more?")
    (True, False)
    """
    return _ASKED_FOR_SUCH.search(asking) is not None


def is_question(sentence: str) -> bool:
    """Whether a sentence is a question, which states nothing.

    >>> is_question("[09:02] ida: should we use 80?"), is_question("She was in Who's Afraid?")
    (True, False)
    """
    is_brief = len(sentence.split()) <= _FEW and sentence.rstrip().endswith("?")
    return is_brief or _ASKS.search(sentence) is not None


def _is_proposed(before: str) -> bool:
    """Whether the words before others in their clause propose them: `Ada suggested`, but not `the suggested`."""
    passive = re.compile(rf"{_PASSIVE}\s(?!considered)", re.IGNORECASE)
    return any(not passive.match(match[0]) for match in _PROPOSED.finditer(before))


def _is_in_another_case(asking: str, sentence: str, clause: Span) -> bool:
    """Whether a clause says what will be in a case that the question does not name."""
    case = _IF.search(sentence)
    if case is None or not _WILL.search(sentence, clause.start, clause.end):
        return False
    return not stems_of(asking) & set(map(stem, words_of(case["case"])))
