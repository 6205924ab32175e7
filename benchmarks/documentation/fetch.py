"""Builds the documentation ground: an index of what Debian packages document, and the questions that hold in it.

    python benchmarks/documentation/fetch.py --out DIR [--half choose|choose-more|confirm]

Downloads the packages that `packages.toml` names with `apt-get download` (no root needed; nothing is installed), takes the
chosen files out of them, and writes for each half:

    DIR/HALF/corpus                 HTML and plain text as they are, `.gz` files decompressed, manual pages as text
    DIR/HALF/index                  of the corpus, as `hopweave index` builds it
    DIR/HALF/index-without-gold     the same without the files that any question names as stating its answer
    DIR/HALF/questions.jsonl        the questions whose answers stand in the files that they name
    DIR/HALF/versions.txt           the packages and their versions

Packages that were downloaded before are kept. Their versions change: a question whose answer is no longer there is named and
left out, and the exit status is 1.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hopweave.ingest.intake import Intake
from hopweave.ingest.read import CorpusOptions, read_corpus
from hopweave.retrieval.engines.bm25 import BM25
from hopweave.text.matching import is_contained, normalize_answer

HERE = Path(__file__).parent
HALVES = ("choose", "choose-more", "confirm")
UNANSWERABLE = "unanswerable"
SEPARATOR = " | "
"""Between the texts of `stated`."""

_SHORT = 3
_LEFT_ALIGNED = ".nh\n.de hy\n..\n.na\n.de ad\n..\n.lf 1\n"
"""What keeps groff from hyphenating and from filling lines with spaces, whatever the page says."""

_GROFF = ("groff", "-k", "-mandoc", "-Tutf8", "-P-c", "-P-b", "-P-o", "-P-u", "-rLL=100n")
_HYPHENS = str.maketrans("\u2010\u2212", "--")
_MANUAL_PAGE = re.compile(r"\.\d\w*$")


class FetchError(Exception):
    """What keeps the ground from being built, and what to do about it."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """Files of one package.

    Attributes:
        package: its name.
        under: a folder in it.
        files: patterns of files below that folder.
        without: files below it that are left out.
    """

    package: str
    under: str
    files: tuple[str, ...]
    without: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a question does not hold.

    Attributes:
        question: its id.
        file: that should state something.
        expected: any of these texts.
    """

    question: str
    file: str
    expected: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.question}: {self.file} does not state {' or '.join(map(repr, self.expected))}"


def chosen_files(half: str) -> list[Chosen]:
    """What `packages.toml` names for a half."""
    rows = tomllib.loads((HERE / "packages.toml").read_text("utf-8"))[half]
    return [Chosen(row["package"], row["under"], tuple(row["files"]), tuple(row.get("without", ()))) for row in rows]


def questions(half: str) -> list[dict[str, Any]]:
    """The rows of the questions of a half."""
    return [json.loads(line) for line in (HERE / f"{half}.jsonl").read_text("utf-8").splitlines()]


def files_of(row: Mapping[str, Any]) -> list[str]:
    """The files that state the answer of a question, below the folder of the corpus; none if it is unanswerable."""
    return list(row["traits"].get("files", "").split())


def problems(row: Mapping[str, Any], corpus: Path) -> list[Problem]:
    """What a question needs and the files that it names do not state; nothing if it holds, or is unanswerable.

    With `stated` among its traits, each file must state its own part of it; else each file must state an answer, or only the
    last one if it takes two files.

    Args:
        row: the question.
        corpus: the folder of the files.
    """
    return [Problem(row["id"], file, texts) for file, texts in needed(row) if not _states(corpus / file, texts)]


def needed(row: Mapping[str, Any]) -> list[tuple[str, tuple[str, ...]]]:
    """The files that a question needs, and the texts of which each must state one; nothing if it is unanswerable."""
    files = files_of(row)
    if "stated" in row["traits"]:
        return [(file, (text,)) for file, text in zip(files, row["traits"]["stated"].split(SEPARATOR), strict=True)]
    asked = files[-1:] if row["type"] == "two_files" else files
    return [(file, tuple(row["answers"])) for file in asked]


def states(said: str, texts: Iterable[str]) -> bool:
    """Whether a text states any of some texts; short ones as words, so that `1` is not found in `100`."""
    return any(is_contained(text, said, "words" if len(normalize_answer(text)) <= _SHORT else "characters") for text in texts)


def _states(file: Path, texts: Iterable[str]) -> bool:
    """Whether a file states any of the texts."""
    if not file.is_file():
        return False
    return states(" ".join(passage.text for passage in read_corpus([file], options=CorpusOptions(lenient=True))), texts)


def build(half: str, out: Path) -> list[Problem]:
    """Builds one half of the ground.

    Args:
        half: its name.
        out: the folder of the ground.

    Returns:
        Why questions were left out.

    Raises:
        FetchError: if a package cannot be had, or a program is missing.
    """
    chosen = chosen_files(half)
    names = list(dict.fromkeys(one.package for one in chosen))
    archives = {name: _archive(name, out / "packages") for name in names}
    folder, corpus = out / half, out / half / "corpus"
    shutil.rmtree(corpus, ignore_errors=True)
    for name, archive in archives.items():
        unpacked = out / "unpacked" / name
        shutil.rmtree(unpacked, ignore_errors=True)
        unpacked.mkdir(parents=True)
        _run("dpkg-deb", "-x", str(archive), str(unpacked))
        for one in chosen:
            if one.package == name:
                _copy(unpacked / one.under, one, corpus / name)
        shutil.rmtree(unpacked)
    versions = [f"{name} {_run('dpkg-deb', '-f', str(archive), 'Version').strip()}\n" for name, archive in archives.items()]
    (folder / "versions.txt").write_text("".join(versions), "utf-8")
    rows = questions(half)
    _index(corpus, folder / "index", ())
    _index(corpus, folder / "index-without-gold", sorted({file for row in rows for file in files_of(row)}))
    return check(rows, corpus, folder / "questions.jsonl")


def check(rows: Sequence[Mapping[str, Any]], corpus: Path, to: Path) -> list[Problem]:
    """Writes the questions that hold.

    Args:
        rows: the questions.
        corpus: the folder of the files that they name.
        to: the file to write.

    Returns:
        Why the others do not hold.
    """
    found = {row["id"]: problems(row, corpus) for row in rows}
    held = [row for row in rows if not found[row["id"]]]
    to.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in held), "utf-8")
    print(f"{to}: {len(held)} of {len(rows)} questions hold")
    return [problem for of_one in found.values() for problem in of_one]


def _archive(package: str, to: Path) -> Path:
    """The archive of a package, downloaded unless it is there already."""
    to.mkdir(parents=True, exist_ok=True)
    if not any(to.glob(f"{package}_*.deb")):
        print(f"downloading {package}")
        _run("apt-get", "download", package, cwd=to)
    return max(to.glob(f"{package}_*.deb"))


def _run(*command: str, cwd: Path | None = None, given: str | None = None) -> str:
    try:
        done = subprocess.run(command, cwd=cwd, input=given, check=True, capture_output=True, encoding="utf-8")
    except FileNotFoundError:
        where = "run this on Debian 12, or in a container of it" if command[0] != "groff" else "install the package groff-base"
        raise FetchError(f"the program {command[0]} is missing; {where}") from None
    except subprocess.CalledProcessError as error:
        hint = "; run `apt-get update` first, on Debian 12" if command[0] == "apt-get" else ""
        raise FetchError(f"{' '.join(command)} failed: {error.stderr.strip()}{hint}") from None
    return done.stdout


def _copy(folder: Path, chosen: Chosen, to: Path) -> None:
    """Copies the chosen files, each into a format that can be indexed. Links are left out: they repeat another file."""
    for pattern in chosen.files:
        found = [path for path in sorted(folder.glob(pattern)) if path.is_file() and not path.is_symlink()]
        if not found:
            raise FetchError(f"{chosen.package} has no file {pattern} any more; correct packages.toml")
        for path in found:
            if path.relative_to(folder).as_posix() in chosen.without:
                continue
            target = to / name_in_corpus(path.relative_to(folder))
            target.parent.mkdir(parents=True, exist_ok=True)
            content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
            target.write_bytes(_as_text(content) if _is_manual_page(path) else content)


def name_in_corpus(path: Path) -> Path:
    """Without `.gz` and a language, and as `.txt` if the format is not part of the name.

    >>> [str(name_in_corpus(Path(name))) for name in ("man1/ls.1.gz", "mod/core.html.en", "NEWS.md.gz", "copyright")]
    ['man1/ls.1.txt', 'mod/core.html', 'NEWS.md', 'copyright.txt']
    """
    name = path.name.removesuffix(".gz").removesuffix(".en")
    return path.with_name(name if name.endswith((".html", ".md", ".txt")) else f"{name}.txt")


def _is_manual_page(path: Path) -> bool:
    return path.parent.name.startswith("man") and _MANUAL_PAGE.search(path.name.removesuffix(".gz")) is not None


def _as_text(page: bytes) -> bytes:
    return _run(*_GROFF, given=_LEFT_ALIGNED + page.decode("utf-8", "replace")).translate(_HYPHENS).encode()


def _index(corpus: Path, to: Path, without: Iterable[str]) -> None:
    """Builds an index of the corpus, without some of its files."""
    options = CorpusOptions(lenient=True, exclude=tuple("/" + re.sub(r"([\\*?\[\]])", r"\\\1", name) for name in without))
    intake = Intake([corpus], options=options)
    summary = BM25.take_in(to, intake, update=False)
    print(f"{to}: {summary.num_passages:,} passages of {sum(1 for _ in _documents(to)):,} files")
    for unread in intake.tally.unread:
        print(f"  not read: {unread}")


def _documents(index: Path) -> Iterator[str]:
    opened = BM25(index)
    try:
        yield from (document_id for document_id, *_ in opened.documents())
    finally:
        opened.close()


def main() -> int:
    """The command; 1 if questions were left out, 2 if the ground could not be built."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, required=True, help="the folder of the ground")
    parser.add_argument("--half", choices=HALVES, help="only this half; by default both")
    options = parser.parse_args()
    left_out = []
    try:
        for half in (options.half,) if options.half else HALVES:
            left_out += build(half, options.out)
    except FetchError as error:
        print(error, file=sys.stderr)
        return 2
    for problem in left_out:
        print(f"left out: {problem}", file=sys.stderr)
    return 1 if left_out else 0


if __name__ == "__main__":
    sys.exit(main())
