"""What the commands that read documents into an index share: how the documents are read, and the report of what was done."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from hopweave.apps.cli._terminal import say
from hopweave.core.errors import SettingsError
from hopweave.show.plain import counted, flat

if TYPE_CHECKING:
    from hopweave.core.indexing import IndexSummary, IndexWriter
    from hopweave.ingest.intake import Intake
    from hopweave.ingest.read import CorpusOptions
    from hopweave.ingest.tally import Tally

_MAX_IN_PART = 5


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """Which files are read, and how. An option that was not given has the default of `CorpusOptions`."""

    include: Annotated[
        list[str] | None,
        typer.Option(help="Read only such files in the folders, such as '*.md'; may be repeated.", metavar="GLOB"),
    ] = None
    exclude: Annotated[
        list[str] | None,
        typer.Option(help="Leave out such files or folders, such as 'drafts/'; may be repeated.", metavar="GLOB"),
    ] = None
    gitignore: Annotated[bool, typer.Option("--gitignore", help="Leave out what .gitignore files in the folders name.")] = False
    follow_links: Annotated[
        bool, typer.Option("--follow-links", help="Follow symbolic links in the folders that lead out of the given paths, too.")
    ] = False
    language: Annotated[
        str | None,
        typer.Option(
            help="Language of the documents, such as german or de; default: detected from the first of them.", metavar="NAME"
        ),
    ] = None
    access: Annotated[
        list[str] | None,
        typer.Option(
            help="Show the passages only to holders of this label (see ask --access); may be repeated.", metavar="LABEL"
        ),
    ] = None
    max_words: Annotated[
        int | None,
        typer.Option(help="Maximum passage length, in words; longer texts are split at sentences; 0: never; default: 200."),
    ] = None
    id_field: Annotated[str | None, typer.Option(help="Field of a record that contains its id.")] = None
    title_field: Annotated[str | None, typer.Option(help="Field of a record that contains its title.")] = None
    text_field: Annotated[str | None, typer.Option(help="Field of a record that contains its text.")] = None
    max_row_mib: Annotated[int | None, typer.Option(help="Maximum size of a document or record, in MiB; default: 32.")] = None
    max_file_mib: Annotated[int | None, typer.Option(help="Maximum file size, in MiB, decompressed; default: 65,536.")] = None
    max_seconds: Annotated[
        int | None,
        typer.Option(help="Maximum time to read a file, in seconds; default: 300 for a document, none for records."),
    ] = None
    keep_copies: Annotated[
        bool, typer.Option("--keep-copies", help="Keep passages of documents whose text another document has, too.")
    ] = False
    verbose: Annotated[bool, typer.Option("--verbose", help="Name every file that was skipped, and why.")] = False

    def corpus_options(self, *, lenient: bool) -> CorpusOptions:
        """The options for reading a corpus.

        Args:
            lenient: whether to leave out files that cannot be read.
        """
        from hopweave.ingest.read import CorpusOptions

        of_reports = {"language", "verbose"}
        given = {name: value for name, value in asdict(self).items() if name not in of_reports and value is not None}
        lists = {name: tuple(value) for name, value in given.items() if isinstance(value, list)}
        return CorpusOptions(**given | lists, lenient=lenient)

    def for_writer(self, writer: IndexWriter) -> dict[str, str]:
        """The language, as an argument for the writer of the index; nothing if none was given.

        Raises:
            SettingsError: if it is not known, or the engine has none.
        """
        if self.language is not None and not writer.has_language:
            raise SettingsError("--language is for indexes of words, and this engine has none; leave it out")
        language = self.known_language
        return {} if language is None else {"language": language}

    @property
    def known_language(self) -> str | None:
        """The language by its name in an index; `None` if none was given.

        Raises:
            SettingsError: if it is not known.
        """
        from hopweave.retrieval.index.analysis import language_of

        return None if self.language is None else language_of(self.language)


def report(to: str, done: str, summary: IndexSummary, intake: Intake | None, started: float) -> None:
    """Prints what was done to an index.

    Args:
        to: its place, in the form for messages.
        done: what was done, in the past tense.
        summary: of the index.
        intake: what was read, if anything.
        started: when, by the monotonic clock.
    """
    size = f"{summary.num_bytes / 2**20:.1f} MiB, " if summary.num_bytes else ""  # a server does not say
    say(f"{done} {to}: {counted(summary.num_passages, 'passage')}, {size}{time.monotonic() - started:.1f} s")
    if summary.num_deleted or done in {"updated", "synced"}:
        say(f"  added {summary.num_added:,}, deleted or replaced {summary.num_deleted:,}")
    if intake is not None:
        if intake.sync:
            files = intake.synced
            say(
                f"  files: {files.added:,} added, {files.replaced:,} replaced, {files.removed:,} removed, "
                f"{files.moved:,} moved, {files.unchanged:,} unchanged"
            )
        _report_reading(intake.tally)
    say(f"  fingerprint {summary.fingerprint}")


def _report_reading(tally: Tally) -> None:
    """Prints what was read, and what was skipped with what would read it: some lines, or one for each file if all are named."""
    of_found = f" of {tally.num_found:,}" if tally.num_files != tally.num_found else ""
    unchanged = f", {tally.num_unchanged:,} unchanged" if tally.num_unchanged else ""
    files = f"{tally.num_files:,}{of_found} file{'s' * (tally.num_found != 1)}{unchanged}"
    records = f"; rows or records in them: {tally.num_records:,}" if tally.num_records else ""
    say(f"  read {files}" + (f": {_counts(tally.read)}" if tally.read else "") + records)
    if tally.num_duplicates or tally.num_empty:
        say(f"  records left out: {tally.num_duplicates:,} repeated without an id, {tally.num_empty:,} without text")
    if tally.num_copies:
        say(f"  passages left out, since another document has their text: {tally.num_copies:,} (--keep-copies keeps them)")
    if tally.labels:
        say(f"  shown only to holders of a label: {_counts(tally.labels)}")
    if tally.no_metadata:
        say(f"  skipped metadata, not a short text or number: {_counts(tally.no_metadata)}")
    _report_lines("encoding guessed", tally.num_guessed, tally.guessed_lines(), "; if letters are wrong, convert to UTF-8")
    in_part = [one for one in tally.unread if one.num_passages]
    _report_lines("read in part", len(in_part), map(str, in_part if tally.names_all else in_part[:_MAX_IN_PART]))
    _report_lines("skipped", tally.num_skipped, tally.all_skipped_lines() if tally.names_all else tally.skipped_lines())
    if not tally.names_all and (len(in_part) > _MAX_IN_PART or tally.num_skipped > len(list(tally.skipped_lines()))):
        say("  --verbose names them all")


def _report_lines(what: str, number: int, lines: Iterable[str], remedy: str = "") -> None:
    if number:
        say(f"  {what}: {number:,}{remedy}")
    for line in lines:
        say(f"    {line}")


def _counts(numbers: Mapping[str, int]) -> str:
    return ", ".join(f"{flat(name)} ({number:,})" for name, number in sorted(numbers.items()))
