"""The example files that the docstrings of datasets show, written out as files."""

import importlib
import inspect
import json
import re
from dataclasses import dataclass, field
from pathlib import Path

BLOCK = re.compile(r"`(?P<name>[^`\s]+)`(?: \(option `(?P<option>\w+)`\))?:\n\n(?P<text>(?: {4}.*\n|\n)+)")


@dataclass
class Shown:
    """One layout that a docstring shows: the file (or folder) of rows, and files that options name."""

    path: Path
    rows: Path
    options: dict[str, Path] = field(default_factory=dict)


def shown_files(name: str, folder: Path) -> list[Shown]:
    """Writes the files; each layout into a folder of its own."""
    doc = inspect.getdoc(importlib.import_module(f"hopweave.evaluation.datasets.{name}")) + "\n"
    found: list[Shown] = []
    for number, match in enumerate(BLOCK.finditer(doc)):
        is_folder = match["name"].startswith("FOLDER/")
        parent = folder / ("folder" if is_folder else str(number))
        path = parent / match["name"].removeprefix("FOLDER/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content(path, inspect.cleandoc("x\n" + match["text"])[1:].strip("\n")), encoding="utf-8")
        if match["option"]:
            found[0].options[match["option"]] = path
        elif not is_folder:
            found.append(Shown(path, path))
        elif path.name == "queries.jsonl":
            found.append(Shown(parent, path))
    return found


def content(path: Path, text: str) -> str:
    """JSON lines are folded in docstrings, and tabs are spaces. A file of any other kind is as it is shown."""
    if path.suffix in {".tsv", ".csv"}:
        return re.sub(r" {2,}", "\t", text) + "\n"
    if path.suffix == ".json" and path.name != "id_aliases.json":
        return json.dumps(json.loads(text), indent=1)
    if path.suffix not in {".jsonl", ".json"}:
        return f"{text}\n"
    values, at = [], 0
    while at < len(text):
        value, at = json.JSONDecoder().raw_decode(text, at)
        values.append(json.dumps(value))
        at += len(text[at:]) - len(text[at:].lstrip())
    return "".join(f"{value}\n" for value in values)
