"""What was read from a corpus and what was left out, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from hopweave.ingest.formats import READ
from hopweave.ingest.reasons import Reason

_MAX_NAMES = 100
"""So many names or suffixes are kept for each reason, unless all are, so that memory does not grow with what is skipped."""
_MAX_SHOWN = 3
_MAX_MESSAGES = 8
"""So many files that cannot be read each have their own message; more are grouped by reason."""


@dataclass(frozen=True, slots=True)
class Unread:
    """A file, or a part of one, that could not be read.

    Attributes:
        source: how passages name the file.
        reason: one line that names the file and says what to do.
        num_passages: those that were read nevertheless: of records, those before the error; of a PDF, the other pages.
        has_vanished: whether it was gone after being listed, or its disk no longer responded.
        kind: the reason, which it shares with other files.
    """

    source: str
    reason: str
    num_passages: int = 0
    has_vanished: bool = False
    kind: Reason = Reason.DAMAGED

    def __str__(self) -> str:
        kept = f" ({self.num_passages:,} passage{'s' * (self.num_passages != 1)} of it kept)" if self.num_passages else ""
        return self.reason + kept


@dataclass(slots=True)
class Tally:
    """Counts that grow while passages are read.

    Everything found is either read, unchanged since an earlier time, or skipped: `num_found` is the sum of the three. A hidden
    or excluded folder counts as one file, and an archive as the files in it.

    Attributes:
        names_all: keep the name of every skipped file, not only the first ones.
        num_found: files that there are.
        num_unchanged: files that were not read because the index has them.
        num_passages: passages returned.
        num_records: rows and records of which passages were returned.
        num_duplicates: records without an id that repeat an earlier one of their file.
        num_taken: files that were read up to an id that another file has.
        num_empty: records whose text is only white space.
        num_copies: passages of documents that were left out because another document has their text.
        read: numbers of files read, at least in part, by suffix.
        skipped: what was not opened: numbers of files for each reason, by suffix or name; those beyond the first 100 by "".
        guessed: the files that do not say their encoding and are not in Unicode: their names, those beyond the first 100 by "",
            for each encoding that they are read in.
        labels: numbers of passages by access label.
        no_metadata: numbers of skipped metadata values, which are not short texts, numbers or truth values, by key.
        unread: files and folders that could not be read, or only in part, in order.
    """

    names_all: bool = False
    num_found: int = 0
    num_unchanged: int = 0
    num_passages: int = 0
    num_records: int = 0
    num_duplicates: int = 0
    num_taken: int = 0
    num_empty: int = 0
    num_copies: int = 0
    read: Counter[str] = field(default_factory=Counter)
    skipped: dict[Reason, Counter[str]] = field(default_factory=dict)
    guessed: dict[str, Counter[str]] = field(default_factory=dict)
    labels: Counter[str] = field(default_factory=Counter)
    no_metadata: Counter[str] = field(default_factory=Counter)
    unread: list[Unread] = field(default_factory=list)

    @property
    def num_files(self) -> int:
        """The number of files read, at least in part."""
        return self.read.total()

    @property
    def num_skipped(self) -> int:
        """The number of files of which nothing was read."""
        return sum(names.total() for names in self.skipped.values()) + sum(not one.num_passages for one in self.unread)

    def skip(self, reason: Reason, name: str, group: str = "") -> None:
        """Counts a file that is found and not opened.

        Args:
            reason: why.
            name: of the file.
            group: such as its suffix, if the files of a group are counted and not named.
        """
        self.num_found += 1
        self._note(self.skipped.setdefault(reason, Counter()), group if group and not self.names_all else name)

    def guess(self, encoding: str, name: str) -> None:
        """Counts a file that is read in an encoding that nothing says.

        Args:
            encoding: its usual name.
            name: of the file.
        """
        self._note(self.guessed.setdefault(encoding, Counter()), name)

    def _note(self, names: Counter[str], name: str) -> None:
        names[name if self.names_all or name in names or len(names) < _MAX_NAMES else ""] += 1

    @property
    def num_guessed(self) -> int:
        """The number of files whose encoding was guessed."""
        return sum(names.total() for names in self.guessed.values())

    def guessed_lines(self) -> Iterator[str]:
        """The guessed encodings: a line for each, with the number of files and the first of them; or one for each file."""
        for encoding, names in self.guessed.items():
            if self.names_all:
                yield from (f"{name}: {encoding}" for name in names)
            else:
                yield _counted(encoding, names)

    def skipped_lines(self) -> Iterator[str]:
        """What was skipped: a line for each reason, with the number of files, the first of them and what would read them.

        Files that could not be read have a line each if they are few, or the only one with their reason.
        """
        for reason in Reason:
            if names := self.skipped.get(reason):
                yield f"{_counted(reason.words, names)}; {reason.remedy}"
        unread = [one for one in self.unread if not one.num_passages]
        groups: dict[tuple[Reason, str], list[Unread]] = {}
        for one in unread:
            groups.setdefault((one.kind, one.kind.remedy or one.reason.rpartition("; ")[2]), []).append(one)
        for (reason, remedy), of_it in groups.items():
            if len(unread) <= _MAX_MESSAGES or len(of_it) == 1:
                yield from (one.reason for one in of_it)
            else:
                yield f"{_counted(reason.words, Counter(one.source for one in of_it))}; {remedy}"

    def all_skipped_lines(self) -> Iterator[str]:
        """The same with a line for each file; those that were not opened are all named only if `names_all`."""
        for reason, names in self.skipped.items():
            yield from (f"{name}: {reason.words}" for name in names)
        yield from (one.reason for one in self.unread if not one.num_passages)

    def why_nothing(self) -> str:
        """Follows the words that nothing was found: why, and what to do."""
        if self.unread:
            more = f" (and {len(self.unread) - 1:,} more that cannot be read)" if len(self.unread) > 1 else ""
            return f": {self.unread[0].reason}{more}"
        if self.num_empty:
            return f": all {self.num_empty} texts are empty; check which field holds the text"
        if self.skipped:
            return f": {'; '.join(islice(self.skipped_lines(), _MAX_SHOWN))}"
        return f"; give files of these formats: {READ}"


def _counted(what: str, numbers: Counter[str]) -> str:
    """Files of a kind: their number, and the most frequent or first of their suffixes or names."""
    ranked = sorted((name for name in numbers if name), key=lambda name: -numbers[name])[:_MAX_SHOWN]
    shown = [f"{name} ({numbers[name]:,})" if numbers[name] > 1 else name for name in ranked]
    num_more = numbers.total() - sum(numbers[name] for name in ranked)
    more = f" and {num_more:,} more" if num_more else ""
    return f"{what} ({numbers.total():,}): {', '.join(shown)}{more}"
