"""The pages of the documentation, their code blocks, and an empty folder in which a page is run as a reader would run it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[2]
RULES = ROOT / "tests" / "docs" / "rules.toml"

_NOT_RUN = re.compile(r"<!--\s*not run:\s*(.+?)\s*-->", re.DOTALL)
_CONTINUES_FROM = re.compile(r"<!--\s*continues from:\s*(\S+)\s*-->")
_TITLE = re.compile(r'title="([^"]+)"')
_SECONDS = re.compile(r" *\b\d+(\.\d+)? s\b")
"""With the blanks before them: a column of them is as wide as the longest."""
_RUN = ("console", "python", "sh")
_READ = ("json", "jsonl", "toml")


@dataclass(frozen=True)
class Block:
    """A code block of a page.

    Attributes:
        page: path of the page from the root of the project.
        line: of its first fence.
        language: as the fence names it.
        title: the file that it is, where it is one.
        text: without the fences.
        why_not: it is run, or the reason that the page gives.
    """

    page: str
    line: int
    language: str
    title: str
    text: str
    why_not: str

    @property
    def kind(self) -> str:
        """What becomes of it: `not run`, `run`, `file`, `read`, `shown`; empty where nothing does."""
        if self.why_not:
            return "not run"
        if self.title:
            return "file"
        if self.language in _RUN:
            return "run"
        if self.language in _READ:
            return "read"
        return "shown" if self.language == "text" else ""

    def __str__(self) -> str:
        return f"{self.page}, line {self.line}: {self.language or 'no language'}"


def pages() -> list[str]:
    """Every page that is written by hand."""
    return [str(path.relative_to(ROOT)) for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]]


def blocks(page: str) -> list[Block]:
    """The code blocks of a page, indented ones too."""
    found = []
    before = None
    for token in MarkdownIt().parse((ROOT / page).read_text(encoding="utf-8")):
        if token.type in ("fence", "code_block"):
            reason: re.Match[str] | None = (
                _NOT_RUN.search(before.content) if before is not None and before.type == "html_block" else None
            )
            language, _, rest = token.info.strip().partition(" ")
            title = _TITLE.search(rest)
            line = (token.map or [0])[0] + 1
            found.append(Block(page, line, language, title[1] if title else "", token.content, reason[1] if reason else ""))
        before = token
    return found


class Reader:
    """Somebody who does in a folder what a page says, with the scripted model."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "work"
        self.folder.mkdir(exist_ok=True)
        tools = folder / "bin"
        tools.mkdir()
        for name, rest in {"hopweave": ' -c "from hopweave.apps.cli import main; main()"', "python": ""}.items():
            tool = tools / name
            tool.write_text(f'#!/bin/sh\nexec {sys.executable}{rest} "$@"\n', encoding="utf-8")
            tool.chmod(0o755)
        self.environment = {
            "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(folder),
            "PYTHONPATH": str(ROOT / "src"),
            "COLUMNS": "110",
            "LANG": "C.UTF-8",
            "HOPWEAVE_LLM": "scripted",
            "HOPWEAVE_LLMS__SCRIPTED__RULES_FILE": str(RULES),
        }

    def does(self, page: str) -> None:
        """Goes through the blocks of a page."""
        for block in blocks(page):
            self._take(block)

    def _take(self, block: Block) -> None:
        if block.kind == "file":
            path = self.folder / block.title
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
        elif block.kind == "read":
            _read(block)
        elif block.kind == "run":
            for command, expected in _commands(block):
                printed = self._run(block, command)
                if expected:
                    assert is_like(printed, expected), f"{block} prints otherwise:\n{printed}"

    def _run(self, block: Block, command: str) -> str:
        words = [sys.executable, "-c", command] if block.language == "python" else ["bash", "-ec", command]
        done = subprocess.run(
            words, cwd=self.folder, env=self.environment, capture_output=True, text=True, check=False, timeout=300
        )
        assert done.returncode == 0, f"{block}\n{command}\n{done.stdout}{done.stderr}"
        return done.stdout


class Readers:
    """Goes through each page once, after the one that it continues from, whose folder it takes over.

    Args:
        place: gives an empty folder.
    """

    def __init__(self, place: Callable[[], Path]) -> None:
        self.place = place
        self._done: dict[str, Path] = {}

    def done(self, page: str) -> Path:
        """The folder in which a page was gone through."""
        if page not in self._done:
            folder = self.place()
            if earlier := _CONTINUES_FROM.search((ROOT / page).read_text(encoding="utf-8")):
                before = self.done(os.path.normpath(Path(page).parent / earlier[1]))
                shutil.copytree(before, folder, ignore=shutil.ignore_patterns("bin"), dirs_exist_ok=True)
            Reader(folder).does(page)
            self._done[page] = folder
        return self._done[page]


def _read(block: Block) -> None:
    if block.language == "toml":
        tomllib.loads(block.text)
        return
    for text in [block.text] if block.language == "json" else block.text.splitlines():
        json.loads(text)


def _commands(block: Block) -> Iterator[tuple[str, list[str]]]:
    """Each command of a block with the lines that it is said to print; only a console shows any."""
    if block.language != "console":
        yield block.text, []
        return
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        lines = part.splitlines()
        end = next(number for number, line in enumerate(lines, start=1) if not line.endswith("\\"))
        yield "\n".join(lines[:end]), [line for line in lines[end:] if line.strip()]


def is_like(printed: str, expected: list[str]) -> bool:
    """Whether a command printed what a page shows, seconds and empty lines aside; a line of `...` stands for any lines."""
    pattern = "".join(map(_pattern, expected))
    lines = "".join(_plain(line) + "\n" for line in printed.splitlines() if line.strip())
    return re.fullmatch(pattern, lines, re.DOTALL) is not None


def _plain(line: str) -> str:
    return _SECONDS.sub(" 0 s", line.rstrip())


def _pattern(line: str) -> str:
    """What a line that is shown stands for; `...` within it is the rest of a line."""
    if line.strip() == "...":
        return "(?:.*\n)?"
    return "[^\n]*".join(re.escape(part) for part in _plain(line).split("...")) + "\n"
