"""Whether a citation supports its claim: by word matching, or by verdicts that a judge wrote to a file beforehand.

The file is JSON lines, one per pair of claim and quote, looked up by the hash of their text (`CitedClaim.key`), so that the
same pair is judged once however many records contain it:

    {"key": "...", "query": "...", "claim": "...", "quote": "...", "entails": true, "judge": "...", "said": "..."}

`entails` is null if the judge's reply could not be parsed or its call failed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from hopweave.core.errors import DataError
from hopweave.core.files import read_json, read_lines
from hopweave.text.matching import is_contained, is_yes_or_no


@dataclass(frozen=True, slots=True)
class CitedClaim:
    """A claim with one of its quotes; `claim` is the answer to `query`."""

    query: str
    claim: str
    quote: str

    @property
    def key(self) -> str:
        """The first 32 hex digits of the SHA-256 of the texts."""
        words = json.dumps([self.query, self.claim, self.quote], ensure_ascii=False)
        return hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Judgement:
    """A judge's verdict on a pair.

    Attributes:
        entails: whether the quote supports the claim; `None` if the judge's reply could not be parsed, or the call failed.
        judge: its identity.
        said: its reply, or the failure.
    """

    pair: CitedClaim
    entails: bool | None
    judge: str
    said: str = ""

    def to_json(self) -> str:
        """The judgement as one line."""
        rest = {"entails": self.entails, "judge": self.judge, "said": self.said}
        return json.dumps({"key": self.pair.key, **asdict(self.pair), **rest}, ensure_ascii=False)


def entails_by_words(pair: CitedClaim) -> bool | None:
    """Whether the quote contains the claim's normalised words consecutively; undecided (`None`) for a yes or no.

    >>> entails_by_words(CitedClaim("Which river is Ulm on?", "the Danube", "Ulm lies on the Danube."))
    True
    """
    return None if is_yes_or_no(pair.claim) else is_contained(pair.claim, pair.quote)


def read_judgements(path: Path) -> Mapping[str, Judgement]:
    """The judgements of a file by key; of two for the same pair, the later one is used.

    Raises:
        DataError: if the file cannot be read, or a line is not a judgement with a matching key.
    """
    found: dict[str, Judgement] = {}
    try:
        for number, line in enumerate(read_lines(path), start=1):
            if line.strip():
                judgement = _judgement(line.decode(), f"{path}, line {number}")
                found[judgement.pair.key] = judgement
    except OSError as error:
        raise DataError(f"cannot read the verdicts {path}: {error.strerror}; create them with: hopweave judge RUN") from None
    except UnicodeDecodeError as error:
        raise DataError(f"the verdicts {path} are not UTF-8: {error}; restore the file") from None
    return found


def _judgement(line: str, where: str) -> Judgement:
    try:
        row = read_json(line)
        pair = CitedClaim(row["query"], row["claim"], row["quote"])
        judgement = Judgement(pair, row["entails"], row["judge"], row.get("said", ""))
        is_sound = all(isinstance(text, str) for text in (pair.query, pair.claim, pair.quote, judgement.judge))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(f"{where} is not a verdict ({type(error).__name__}: {error}); judge the run again") from None
    if not is_sound or row["key"] != pair.key or not (judgement.entails is None or isinstance(judgement.entails, bool)):
        raise DataError(f"{where} was altered; judge the run again")
    return judgement
