"""What a sentence only asks, proposes, believes or supposes: `Should we use 80?`, `My suggestion is 81`, `It would cost 40k`.

None of these says what holds, so their words are no answer to a question for that; they are one to a question for a proposal or
a belief. Passive forms (`the recommended dose`, `is suggested`) are left alone: manuals and guidelines state what to do with
them. Only English is understood.
"""

from __future__ import annotations

import re

from hopweave.citations.rules.clauses import clause_around
from hopweave.citations.rules.decisions import AGREED, ASKS_FOR_BELIEVED, ASKS_FOR_PROPOSED, IS, ITSELF
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Span
from hopweave.text.content_words import stem, stems_of, words_of
from hopweave.text.languages import is_foreign_beside

_AUXILIARY = (
    r"(?:are|is|was|were|am|do|does|did|have|has|had|can|could|will|would|should|shall|may|might|must)(?:n['’]t)?"
    r"|can['’]t|won['’]t"
)
_ASKS = lazy_pattern(
    rf"(?:^|[:;,>\]—-]\s?|\b(?:and|or|so|but)\s)\W{{0,3}}(?:who|whom|whose|what|which|where|when|why|how|{_AUXILIARY})\b",
    re.IGNORECASE,
)
"""What a question begins with: a sentence, or a clause of it."""
_QUOTES = "\"”'’)]"
_FEW = 4
"""A sentence of so many words with a question mark asks: `Sunday?`"""

_PASSIVE = (
    r"(?i:(?:is|are|was|were|be|been|being|as|the|an?|its|their|this|these|of|with|by|and|or|not|commonly|usually|generally)\s)"
)
_PROPOSED = lazy_pattern(
    rf"(?<!\w)(?P<passive>{_PASSIVE})?(?:[Pp]roposed(?! (?:marriage|a toast)\b)|[Ss]uggested|[Rr]ecommended|demanded)\b"
    r"|\b(?:proposes|suggests)\s(?:to|that|we|using|moving)\b|\b(?:moved|argued|demanded) that\b|\b(?:prefers|favou?rs)\b"
    r"|\b(?:asked|asks|asking|called|campaigned|argued|pleaded|petitioned|lobbied)\sfor\b"
    r"|\b(?:[Ss]uggestion|[Pp]roposal|[Mm]otion|[Ii]dea)\s(?:of|to|that|for|is|was)\b"
    r"|\b(?:[Aa]mendment|[Pp]roposal|[Mm]otion)(?: \w+)?:\s(?:to|that)\b"
    r"|\b(?:I|[Ww]e) (?:propose|suggest|recommend|move)\b|\b(?:votes?|voted) for\b"
    r"|\b(?:had|have|has|we|was|were)\sconsidered\b|\bthought of\b|\b(?:[Ww]hat|[Hh]ow) about\b"
)
_BELIEVED = lazy_pattern(
    r"\b(?:thinks?|thought|believes?|believed|suspects?|suspected|guess(?:es|ed)?|fears?|feared|hopes?|hoped|doubts?|doubted)"
    r"\s(?:that|this|it|he|she|they|we|you|the|a|there|[A-Z])|\b[Ss]uspected (?:cause|culprit|reason|fault|source)\b"
    r"|\bpromis(?:e|es|ed)\s(?:to|that)\b|\b(?:I|we|he|she|they|people) (?:expect|expected|assume|assumed)\b"
    r"|\b[A-Z]\w+ [A-Z]\w+ (?:[a-z]+ [a-z]+ and )?(?:expects|assumes)\b"
)
_AS_A_POSSIBILITY = lazy_pattern(
    r"[^;:]{0,30}\bas (?:a|one) (?:possibility|possible \w+|option|idea|suggestion|candidate|proposal)\b", re.IGNORECASE
)
_IS_CANDIDATE = lazy_pattern(
    r"\s(?:(?:will|is|was|has|had)\s)?"
    r"(?:(?:stand(?:s|ing)?|stood|run(?:s|ning)?|ran|appl(?:y|ied|ies)|bids?) for|a candidate)\b"
)
_AGREED = lazy_pattern(rf"\b(?:{ITSELF}|which)\s{IS}\s(?:\w+ly\s)?{AGREED}\b", re.IGNORECASE)
_WHETHER = lazy_pattern(
    r"\b(?:ask\w*|wonder\w*|know\w*|question|decid\w+|unclear|unknown|open|discuss\w*|consider\w*|see|check\w*)\b[^;:.]{0,30}"
    r"\bwhether\b[^;:.]*$|\b(?:asked|asks|wonders?|wondered) if\b[^;:.,]*$",
    re.IGNORECASE,
)
_OF_A_LIFE = (
    r"\s(?:later|eventually|soon|go on|become|subsequently|also|again|ultimately|continue|remain|serve|win|like"
    r"|be (?:the|known))"
)
"""What biographies tell of what came later: `He would become mayor`."""
_WOULD = lazy_pattern(
    rf"\bwould\b(?!{_OF_A_LIFE})|\b(?:we|you|I) could\b|\bcould we\b|\bcould (?:come|perhaps|then)\b", re.IGNORECASE
)
_SOON = lazy_pattern(r"\s(?:\w+\s)?$")
"""What may stand between some words and the `would` that they are the subject of."""
_IF = lazy_pattern(r"^\W*(?:if|unless|in case|should)\b(?P<case>[^,;]*),", re.IGNORECASE)
_WILL = lazy_pattern(r"\b(?:will|would)\b|['’]ll\b", re.IGNORECASE)
_ASKED_FOR_SUCH = lazy_pattern(rf"\b(?:{ASKS_FOR_PROPOSED}|{ASKS_FOR_BELIEVED})\b", re.IGNORECASE)
_ASKED_FOR_SUPPOSED = lazy_pattern(r"\b(?:would|could|if|unless|whether|in case)\b", re.IGNORECASE)


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
    if is_foreign_beside(sentence, asking):
        return False
    is_asked, is_supposition_asked = asks_for_supposed(asking), _ASKED_FOR_SUPPOSED.search(asking) is not None
    clause = clause_around(sentence, focus)
    if not is_asked and (_is_in_question(sentence, focus) or _is_proposed(sentence, clause, focus)):
        return True
    if is_supposition_asked:
        return False
    if not is_asked and _WHETHER.search(sentence, 0, focus.start):
        return True
    return _would_be(sentence, clause, focus) or _is_in_another_case(asking, sentence, clause)


def asks_for_supposed(asking: str) -> bool:
    """Whether a question asks for what somebody asked, proposed or believed.

    >>> asks_for_supposed("Who asked for more?"), asks_for_supposed("Who got more?")
    (True, False)
    """
    return _ASKED_FOR_SUCH.search(asking) is not None


def is_question(sentence: str) -> bool:
    """Whether a sentence is a question, which states nothing.

    >>> is_question("[09:02] ida: should we use 80?"), is_question("She played the girl in Who's Afraid?")
    (True, False)
    """
    said = sentence.rstrip().rstrip(_QUOTES)
    if not said.endswith("?"):
        return False
    return len(said.split()) <= _FEW or _ASKS.search(said, said.rfind("?", 0, -1) + 1) is not None


def _is_in_question(sentence: str, focus: Span) -> bool:
    return "?" not in sentence[focus.start : focus.end] and is_question(sentence)


def _is_proposed(sentence: str, clause: Span, focus: Span) -> bool:
    """Whether the words before others in their clause propose or believe them; not if what follows says they were agreed."""
    after = sentence[focus.end :]
    if _AGREED.search(after):
        return False
    before = sentence[_begin_of(sentence, clause) : focus.start]
    if _IS_CANDIDATE.match(after):
        return True
    is_proposed = any(match["passive"] is None for match in _PROPOSED.finditer(before))
    return is_proposed or _BELIEVED.search(before) is not None or _AS_A_POSSIBILITY.match(after) is not None


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


def _is_in_another_case(asking: str, sentence: str, clause: Span) -> bool:
    """Whether a clause says what will be in a case that the question does not name."""
    case = _IF.search(sentence)
    if case is None or not _WILL.search(sentence, clause.start, clause.end):
        return False
    return not stems_of(asking) & set(map(stem, words_of(case["case"])))
