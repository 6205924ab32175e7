"""Whether what follows a yes or a no speaks for it: the reason may be true and say nothing of the question."""

from __future__ import annotations

import re
from collections.abc import Iterable

from hopweave.citations.about import names_in, names_its_subject
from hopweave.citations.rules.limits import is_beyond_limit, limit_in
from hopweave.citations.rules.negation import deny_alike, root
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Claim, Passage
from hopweave.text.answer_kinds import kind_asked
from hopweave.text.comparing import wanted_of
from hopweave.text.content_words import anchors, content_of, keys_of
from hopweave.text.languages import is_foreign
from hopweave.text.matching import is_yes, is_yes_or_no

_LEAST_SHARE = 0.5
_LIMITS = lazy_pattern(
    r"\b(?:than|and|or|both|same|only|all|any|every|each|always|just|still|already|until|unless|except|but|however|before|after"
    r"|formerly|longer|instead|if|when|without)\b",
    re.IGNORECASE,
)
"""With one of these, a reason for a no may say all that the question says: `No, only on Linux`."""


def speaks_for_it(query: str, text: str, said: str, told: str) -> bool:
    """Whether the reason after a yes says what a question asks, and that after a no does not; true of all other answers.

    It says that if it has all names and numbers of the question and half of its other words, and denies none of them.

    Args:
        query: the question.
        text: the answer, without marks.
        said: the reason alone.
        told: what bears the reason out, with titles and earlier claims; it counts for a yes, not against a no.

    >>> asked = "Is Orlau a town?"
    >>> speaks_for_it(asked, "Yes, Orlau is a lake.", "Orlau is a lake.", "Orlau is a lake of Sula.")
    False
    >>> speaks_for_it(asked, "No, Orlau is a lake.", "Orlau is a lake.", "Orlau is a lake of Sula.")
    True
    """
    is_elsewhere = is_foreign(f"{query} {text}")  # where the kind of a question is not known
    if not is_yes_or_no(text) or not (is_elsewhere or kind_asked(query) == "yes_no"):
        return True
    if is_yes(text):
        is_denied = not deny_alike(query, said) or (is_elsewhere and not deny_alike(query, told))
        return not is_denied and _says_as_much(query, said, f"{said}\n{told}")
    is_limited = _LIMITS.search(query) is not None or _LIMITS.search(said) is not None
    return is_limited or not deny_alike(query, said) or not _says_as_much(query, said, said)


def follows(query: str, text: str, claims: Iterable[Claim], passages: Iterable[Passage] = ()) -> bool:
    """Whether a bare yes or no may follow from claims; true of all other answers, and of other languages than English.

    A yes needs all names and numbers of the question, and half of its other words, in the claims or what they cite; a no, that
    the last of them does not end with what the question says. A value beyond a limit that the question names, such as `before
    1900`, decides by itself.

    Args:
        query: the question.
        text: the answer.
        claims: all of them supported.
        passages: those that are cited, for their titles and sections.

    >>> born = [Claim("In which town was Ada Finch born?", "Orlau", support="supported")]
    >>> [follows("Was Ada Finch born in Sula?", said, born) for said in ("yes", "no")]
    [False, True]
    >>> [follows("Was Ada Finch born in Orlau?", said, born) for said in ("yes", "no")]
    [True, False]
    """
    behind = list(claims)
    if not behind or not is_yes_or_no(text) or is_foreign(query) or kind_asked(query) != "yes_no":
        return True
    said_yes, is_denied = is_yes(text), not deny_alike(query, "")
    beyond = [met for claim in behind if (met := is_beyond_limit(query, claim.text)) is not None]
    if len(beyond) == 1 and not is_denied:
        return beyond[0] == said_yes
    if is_denied or limit_in(query) or wanted_of(query) is not None:  # what is the same need not be said of it
        return True
    if said_yes:
        cited = [citation for claim in behind for citation in claim.citations]
        headings = [passage.heading for passage in passages if any(one.passage_id == passage.id for one in cited)]
        told = "\n".join([*headings, *(one.quote for one in cited), *(f"{claim.query} {claim.text}" for claim in behind)])
        return _says_as_much(query, told, told)
    last = keys_of(behind[-1].text)
    return _LIMITS.search(query) is not None or not last or not last <= keys_of(query)


def _says_as_much(query: str, said: str, text: str) -> bool:
    """Whether a text has all numbers and names of a question, and half of its other words.

    Names count only if the reason names its own subject; any other reason is tied to them as all answers are.
    """
    names = list(dict.fromkeys([*names_in(query), *anchors(query)]))
    wanted = names if names_its_subject(said) else [name for name in names if not any(map(str.isalpha, name))]
    there, words = (set(map(root, content_of(*one))) for one in ((text, ()), (query, names)))
    return all(keys_of(name) <= keys_of(text) for name in wanted) and len(words & there) >= _LEAST_SHARE * len(words)
