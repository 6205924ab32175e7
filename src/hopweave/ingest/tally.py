"""What was read from a corpus and what was left out, and why."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from hopweave.ingest.formats import READ, SOURCE_CODE_SUFFIXES


@dataclass(frozen=True, slots=True)
class Unread:
    """A file, or a part of one, that could not be read.

    Attributes:
        source: how passages name the file.
        reason: one line that names the file and says what to do.
        num_passages: those that were read nevertheless: of records, those before the error; of a PDF, the other pages.
        has_vanished: whether it was gone after being listed, or its disk no longer responded.
    """

    source: str
    reason: str
    num_passages: int = 0
    has_vanished: bool = False

    def __str__(self) -> str:
        kept = f" ({self.num_passages:,} passage{'s' * (self.num_passages != 1)} of it kept)" if self.num_passages else ""
        return self.reason + kept


@dataclass(slots=True)
class Tally:
    """Counts that grow while passages are read.

    Attributes:
        num_files: files read.
        num_passages: passages returned.
        num_duplicates: records without an id that repeat an earlier one in title and text.
        num_taken: files that were read up to an id that another file has.
        num_empty: records and documents whose text is only white space.
        skipped: numbers of files of unknown formats, by suffix.
        special: names of special files, with their kind, such as `FIFO`.
        labels: numbers of passages by access label.
        no_metadata: numbers of skipped metadata values, which are not short texts, numbers or truth values, by key.
        unread: files and folders that could not be read, in order.
    """

    num_files: int = 0
    num_passages: int = 0
    num_duplicates: int = 0
    num_taken: int = 0
    num_empty: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    special: dict[str, str] = field(default_factory=dict)
    labels: Counter[str] = field(default_factory=Counter)
    no_metadata: Counter[str] = field(default_factory=Counter)
    unread: list[Unread] = field(default_factory=list)

    @property
    def special_names(self) -> str:
        """The first special files, each with its kind, and how many more there are."""
        first = [f"{name} ({kind})" for name, kind in self.special.items()][:3]
        num_more = len(self.special) - len(first)
        return ", ".join(first) + (f" and {num_more:,} more" if num_more else "")

    def why_nothing(self) -> str:
        """Follows the words that nothing was found: why, and what to do."""
        if self.unread:
            more = f" (and {len(self.unread) - 1:,} more that cannot be read)" if len(self.unread) > 1 else ""
            return f": {self.unread[0].reason}{more}"
        if self.special:
            return f": {self.special_names}, and no regular file; give files of these formats: {READ}"
        if self.skipped:
            seen = ", ".join(f"{suffix} ({number})" for suffix, number in sorted(self.skipped.items()))
            is_code = not SOURCE_CODE_SUFFIXES.isdisjoint(self.skipped)
            code = ", or read source code with a pattern such as --include '*.py'" if is_code else ""
            return f": only {seen}; give files of these formats: {READ}{code}"
        if self.num_empty:
            return f": all {self.num_empty} texts are empty; check which field holds the text"
        return f"; give files of these formats: {READ}"
