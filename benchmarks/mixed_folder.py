"""A folder as people have them: files of many formats, compressed, scanned, encrypted, damaged; indexed, and asked about.

    pip install python-docx python-pptx openpyxl odfpy reportlab
    python benchmarks/mixed_folder.py --to WORK [--from DIR ...] [--search-only] [--method stitch] [--llm NAME]

makes WORK/folder of the files that mixed_folder.toml lists, from documents below the folders given with `--from` (by default
/usr/share, of a Debian system with the documentation of its packages), indexes it into WORK/index with `hopweave index`, prints
the summary that a person sees and whether its counts agree, and asks the question of each file that has one. `--search-only`
prints the first passage that the retriever finds instead, with its sections. All output is Markdown.

The model's replies are kept in WORK/store.sqlite: the same command, given again, replays what it has and goes on. A file of the
list without its document is named and left out; with fewer than 60 files nothing is measured. An answer is right if it contains
one of the answers in the list; a citation counts if it is in the file that the question was written for, and has its span if
the quoted words are where it says.
"""

from __future__ import annotations

import argparse
import gzip
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from _mixed_formats import MAKERS

import hopweave
from hopweave.core.types import Passage
from hopweave.record import Record
from hopweave.run.opening import open_retriever
from hopweave.run.settings import read_settings
from hopweave.show.table import Table, columns, rows
from hopweave.show.table_markdown import table_markdown

_LISTED = Path(__file__).with_suffix(".toml")
_FEWEST = 60
"""Files without which the folder is not what the figures are about."""


def main() -> None:
    """Makes the folder, indexes it and asks."""
    options = _options()
    folder, index = options.to / "folder", options.to / "index"
    listed = tomllib.loads(_LISTED.read_text())["file"]
    shutil.rmtree(folder, ignore_errors=True)
    made = _made(listed, folder, options.sources)
    _add_odd_ones(folder)
    num_files = sum(len(names) for _, _, names in os.walk(folder))
    print(f"{num_files} files with {len({_kind(one['name']) for one in made})} different suffixes\n")
    command = [sys.executable, "-m", "hopweave", "index", str(folder), "--to", str(index)]
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    print(f"```\n{said.stdout}{said.stderr}```\n")
    if said.returncode:
        sys.exit(said.returncode)
    print(f"The counts of the summary {'agree' if _counts_agree(said.stdout + said.stderr) else 'DO NOT agree'}.\n", flush=True)
    asked = [one for one in made if "question" in one]
    for row in _found(asked, index) if options.search_only else _answered(asked, index, options):
        print(row, flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--to", type=Path, required=True, metavar="WORK")
    parser.add_argument("--from", dest="sources", type=Path, nargs="+", default=[Path("/usr/share")], metavar="DIR")
    parser.add_argument("--search-only", action="store_true")
    parser.add_argument("--method")
    parser.add_argument("--llm")
    return parser.parse_args()


def _kind(name: str) -> str:
    return "".join(re.findall(r"\.\w+$|\.\w+(?=\.(?:gz|bz2|xz|zst)$)", name)).lower() or "no suffix"


def _made(listed: Sequence[Mapping[str, Any]], folder: Path, sources: Sequence[Path]) -> list[Mapping[str, Any]]:
    """Writes the files of the list whose documents are there, which are returned; ends the program if they are too few."""
    made = [one for one in listed if _make(one, folder, sources)]
    if len(made) < _FEWEST:
        sys.exit(f"only {len(made)} of {len(listed)} documents are here; install the packages of those named above")
    return made


def _make(one: Mapping[str, Any], folder: Path, sources: Sequence[Path]) -> bool:
    """Writes a file of the list; whether there is a document that it can be made of."""
    source = next((path for root in sources if (path := root / one["from"]).is_file()), None)
    if source is None:
        print(f"left out {one['name']}: no {one['from']}", file=sys.stderr)
        return False
    content = source.read_bytes()
    if source.suffix == ".gz":
        content = gzip.decompress(content)
    for maker in one.get("made", ()):
        content = MAKERS[maker](content)
    path = folder / one["name"]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return True


def _add_odd_ones(folder: Path) -> None:
    """Adds a link to the folder itself, a link to nothing, and a file that nobody may read."""
    (folder / "odd").mkdir(exist_ok=True)
    (folder / "odd" / "loop").symlink_to(folder)
    (folder / "odd" / "dangling.txt").symlink_to(folder / "gone.txt")
    unreadable = folder / "odd" / "unreadable.txt"
    unreadable.write_text("Nobody may read this.\n")
    unreadable.chmod(0)


def _counts_agree(summary: str) -> bool:
    """Whether the files of each format add up to those read, those of each reason to those skipped, and both to all."""
    summary = summary.replace(",", "")
    read = re.search(r"read (\d+) of (\d+) files: (.*)", summary)
    if read is None:
        return False
    num_read, num_all = int(read[1]), int(read[2])
    skipped = re.search(r"skipped: (\d+)\n((?: {4}.*\n)*)", summary)
    num_skipped = int(skipped[1]) if skipped else 0
    by_reason = [re.match(r" {4}[^(]*? \((\d+)\): ", line) for line in skipped[2].splitlines()] if skipped else []
    return (
        num_read == sum(map(int, re.findall(r"\((\d+)\)", read[3])))
        and num_skipped == sum(int(number[1]) if number else 1 for number in by_reason)
        and num_read + num_skipped == num_all
    )


def _answers(one: Mapping[str, Any], text: str) -> bool:
    """Whether a text contains one of the answers; capitals matter in those that have any."""
    return any(
        re.search(rf"(?<!\w){re.escape(answer)}(?!\w)", text, re.IGNORECASE if answer.islower() else 0)
        for answer in one["answer"]
    )


def _is_of(passage: Passage, name: str) -> bool:
    """Whether a passage comes from a file of the folder, or from a file in it."""
    return name in passage.source


def _sections(passages: Sequence[Passage]) -> str:
    return "; ".join(" > ".join((passage.title, *passage.sections)) for passage in passages)


def _is_in_section(passages: Sequence[Passage], wanted: str) -> bool:
    """Whether one of the passages is in a section or holds its heading, since short sections share a passage."""
    named = ("\n".join((one.title, *one.sections, one.text)) for one in passages)
    return any(re.search(rf"(?m)^{re.escape(_plain(wanted))}", _plain(text)) for text in named)


def _plain(name: str) -> str:
    return re.sub(r"[`*#]|^ +", "", name, flags=re.MULTILINE).casefold()


def _found(asked: Sequence[Mapping[str, Any]], index: Path) -> Iterator[str]:
    """The first passage for each question, and the rank of the first one from its file."""
    retriever, _ = open_retriever(read_settings({"corpus": str(index)}))
    ranked: list[list[str]] = []
    for one, hits in zip(asked, retriever.search([one["question"] for one in asked], 10), strict=True):
        mine = [hit for hit in hits if _is_of(hit.passage, one["name"])]
        shown = mine[0].passage if mine else hits[0].passage if hits else None
        yield f"## {one['name']}\n\n{one['question']}\n"
        if shown is None:
            yield "Nothing found.\n"
            continue
        rank = str(mine[0].rank) if mine else "none"
        holds = _said(is_so=_answers(one, shown.text))
        has_section = _said(is_so=_is_in_section([shown], one["section"]))
        yield f"- rank {rank}; answer in the passage: {holds}; in the section: {has_section}"
        yield f"- {shown.source}: {_sections([shown])}\n\n> {' '.join(shown.text.split())[:300]}\n"
        ranked.append([one["name"], rank, holds, has_section])
    yield _table(("file", "rank", "answer in it", "section"), ranked)


def _answered(asked: Sequence[Mapping[str, Any]], index: Path, options: argparse.Namespace) -> Iterator[str]:
    """Each answer with its citations."""
    choices = {name: getattr(options, name) for name in ("method", "llm") if getattr(options, name)}
    ranked = []
    for one in asked:
        try:
            record = hopweave.ask(
                one["question"], corpus=str(index), store={"path": str(options.to / "store.sqlite")}, **choices
            )
        except hopweave.HopweaveError as error:
            yield f"## {one['name']}\n\n{one['question']}\n\nFailed: {error}\n"
            ranked.append([one["name"], "failed", "", "", ""])
            continue
        shown, row = _judged(one, record)
        ranked.append(row)
        yield shown
    yield _table(("file", "right", "cites the file", "its section", "spans in the passage"), ranked)


def _judged(one: Mapping[str, Any], record: Record) -> tuple[str, list[str]]:
    """An answer as text, and its row of the table."""
    cited = record.cited_passages()
    mine = [(citation, passage) for citation, passage in cited if _is_of(passage, one["name"])]
    passages = list(dict.fromkeys(passage.id for _, passage in mine))
    of_mine = [next(passage for _, passage in mine if passage.id == one_id) for one_id in passages]
    text = record.answer.text if record.answer else ""
    is_right = _answers(one, text)
    has_spans = all(passage.text[citation.start : citation.end] == citation.quote for citation, passage in mine)
    row = [
        one["name"],
        _said(is_so=is_right),
        _said(is_so=bool(mine)),
        _said(is_so=_is_in_section(of_mine, one["section"])) if mine else "",
        _said(is_so=has_spans) if mine else "",
    ]
    places = "".join(f"- [{citation.mark}] {passage.source}: {_sections([passage])}\n" for citation, passage in cited)
    return f"## {one['name']}\n\n{one['question']}\n\n{text}\n\n{places}\n{'; '.join(row[1:])}\n", row


def _table(names: Sequence[str], found: Sequence[Sequence[str]]) -> str:
    return "\n".join(table_markdown(Table(columns(names), rows(found))))


def _said(*, is_so: bool) -> str:
    return "yes" if is_so else "no"


if __name__ == "__main__":
    main()
