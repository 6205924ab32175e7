"""How a clause of its own begins within a sentence, in English: `and the rest in Brno`, `and change it once a year`."""

from __future__ import annotations

from collections.abc import Mapping

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.text.values import NUMBER_WORDS

_NOUN = (
    r"(?:the|an?|its|their|his|her|our|your|my|each|all|every|any|this|these|those|some|most)\s[a-z][\w'’-]*+"
    r"|[A-Z][\w.'’-]*+(?:\s[A-Z][\w.'’-]*+){0,3}"
)
FINITE = (
    r"(?:is|are|was|were|has|have|had|must|may|can|will|should|shall|does|do|did|[a-z]{2,20}(?:s|ed)|became|began|bought"
    r"|brought|built|came|caught|chose|drew|drove|fell|found|gave|grew|held|kept|left|lost|made|met|paid|ran|rose|sang|saw"
    r"|sent|sold|spoke|taught|told|took|went|won|wrote)\b"
)
"""What may be a finite verb, by its form."""
SUBJECT = rf"(?:we|you|{_NOUN})(?:\s[a-z][\w-]*+){{0,2}}?\s{FINITE}"
"""A subject and its verb."""
_NO_SUBJECT = (
    "I|also|although|as|because|he|if|it|she|since|so|that|then|they|this|though|unless|until|we|when|where|which|while|who|you"
)
_THE_REST = r"(?:the\s(?:rest|remainder|others?)|those)\b"
NUM = rf"(?:(?:{'|'.join(NUMBER_WORDS)})\b|[£$€]?\d[\d.,]*+)"
"""A number, or the beginning of one."""
_HOW_OFTEN = r"(?:daily|weekly|monthly|yearly|hourly|never|always|every)\b"
_NO_NOUN = (
    r"(?:[a-z]{2,20}(?:ing|ed)|not|no|or|and|but|then|plus|about|around|nearly|some|only|up|at|by|in|on|from|to|of|for|than"
    r"|with|is|are|was|were)\b"
)
_PRONOUN_OR_PAST = (
    r"(?:we|you|they|he|she|it|I|sought|built|bought|brought|began|became|came|caught|chose|cut|drew|drove|fell|found|gave|given|grew"
    r"|held|kept|known|left|lost|made|met|paid|put|ran|rose|sang|saw|sent|set|sold|spoke|taken|taught|told|took|went|won|written|wrote)\b"
)
_BARE = rf"(?!{_PRONOUN_OR_PAST})(?:the\s)?(?!{_NO_NOUN})[^\W\d_](?:[^\W\d_A-Z]|-)*+(?:\s(?!{_NO_NOUN})[a-z-]++)?"
_ABOUT = r"(?:(?:about|around|at least|nearly|only|over|under|up to)\s)?"
_BEFORE_A_NAME = r"(?:by|to|from|in|on|at)"
_BEFORE_A_CASE = r"(?:above|against|at|below|by|for|from|in|on|over|to|under|with|without)"
_OF_A_FILE = r"[\w-]*[./][\w./-]+\w"
_SAYS_OF = r"[a-z]{3,20}s\s(?:the|an?|it|them|its|their|one)\b"

_OPENINGS: Mapping[str, str] = {
    "semicolon": r";\s+(?!otherwise\b|if\b|else\b|so\b|thus\b)(?:(?:and|but|or)\s)?",
    "contrast": r"(?:,\swhile(?!\s[a-z]+ing\b)|,?\swhereas)\s",  # `65 mA while it is on` is a condition
    "part": r",\sof\swh(?:ich|om)\s",
    # `and the rest in Brno`, `and by Ada`, `and 12 against`, `and 42 waited`, `and once a week`
    "rest": rf",?\s(?:and|but)\s(?={_THE_REST}|(?:by|from|to|with)\s[A-Z]|{NUM}\s{_BEFORE_A_CASE}\b"
    rf"|{NUM}\s(?:[a-z]{{3,20}}ed|had|were|was)\b|(?:once|twice|{NUM}\stimes)\b)",
    "some": rf",\s(?=(?:{NUM}|all|half|most|none|some)\sof\s(?:them|these|those|whom|which)\b)",
    "case": r"\s(?:and|but)\s(?=[a-z]+\s(?:if|when|while|until|unless|during)\s)",  # `white, and red if it is hot`
    "turns": r",?\s(?:and|but|then)\s(?=(?:turns|becomes|gets|goes)\s)",
    # `and is paid in May`, `, as Ada is away`, `so that you can start`
    "same": r",?\s(?:and|but)\s(?=(?:must|may|can|is|are|was|were|will)\s|[a-z]{4,20}ed\s|[a-z]{3,20}s\s(?:the|an?|it|its)\s)",
    "reason": rf",\s(?:as|because|since|so|so that|when|while|although|though)\s(?={SUBJECT})|\sso\sthat\s",
    "next": rf",\s(?:and\s)?(?=(?!(?:{_NO_SUBJECT})\b)(?:[\w-]+\s){{1,2}}{_SAYS_OF})",  # `, mgflush empties it`
    "letter": r",\s(?:and\s)?(?=(?:at|in|on|for|with|under)\s(?:[A-Z]|\d)(?!\w))",
    "joins": rf",?\s(?:and|but)\s(?={SUBJECT}|[a-z]{{2,20}}\s(?:it|them)\b)",
    "those": r",\s(?=those\s)",
    "order": r",\sbut\s(?=[a-z]{2,20}\s(?:the|your|an?|its|all)\s)",
    # `, the pump two`, `, the wall by Ida`, `, errors to job.err`: without a verb
    "gap": rf"(?:,\s(?:and\s|but\s)?|\sand\s)(?={_BARE}\s{_ABOUT}(?:(?:with\s|for\s)?{NUM}|half\b|twice\b"
    rf"|{_BEFORE_A_NAME}\s(?:[A-Z\d]|{_OF_A_FILE})|{_HOW_OFTEN}))",
    "name": rf",?\sand\s(?=[A-Z][\w'’-]*+\s(?:for|with|{_BEFORE_A_NAME})\s)|,\s(?:and\s)?(?=[A-Z][\w'’-]*+\s(?:the|an?)\s)",
    "times": rf",\s(?=(?:twice|half|{NUM}\stimes)\s(?:as|of|the)\b)",
    "state": r",\s(?=(?!which|who|that|there|it|this|these|they|what|as)[a-z]++\s(?:is|are|was|were)\s)",
    "moment": rf"\s(?:after|before)\s(?={NUM}\b|{SUBJECT})|\s(?:with|against|versus)\s(?={NUM}\s(?:on|in|at|with|for|to|by)\b)",
    "beside": r",\s(?:with\s(?:an?|the)\s|(?=that\sof\s))",
}
OWN_CLAUSE = lazy_pattern("|".join(f"(?P<{name}>{pattern})" for name, pattern in _OPENINGS.items()))
"""What stands before a clause of its own; the name of the group, `lastgroup`, tells how it begins."""
OF_FULL_CLAUSES = frozenset({"semicolon", "contrast", "case", "turns", "same", "reason", "next", "joins", "those"})
"""Beginnings of clauses with a verb."""
WITH_THE_SAME_SUBJECT = frozenset({"same", "reason"})
"""Beginnings of clauses that say more of what the sentence is about: `The fee is £5 and is paid in May.`"""
