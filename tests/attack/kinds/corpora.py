"""Files of every kind that a corpus or a dataset may be given, spoilt and hostile: passages, or one line about the file."""

from __future__ import annotations

import gzip
import json
import os
import random
import socket
from collections.abc import Callable, Mapping
from contextlib import chdir
from pathlib import Path

from support.documents import docx, epub, paragraph, pdf
from support.hostile import damaged, hostile_text

from hopweave.core.catalog import entries, load
from hopweave.core.errors import DataError, SettingsError
from hopweave.ingest.document import Part
from hopweave.ingest.read import CorpusOptions, read_corpus
from hopweave.ingest.split import cut_part
from hopweave.ingest.tally import Tally

from ..attack import Attack, Trial

HTML_TAGS = ["p", "b", "script", "style", "title", "h1", "nav", "svg", "table", "p/"]
HTML_TAGS += ["a href='x'", "!--", "![CDATA[", "!DOCTYPE"]


def _rows(random: random.Random) -> list[dict[str, object]]:
    fields = ["id", "text", "title", "contents", "name", hostile_text(random, 2)]
    return [{random.choice(fields): _value(random) for _ in range(3)} | {"text": hostile_text(random)} for _ in range(6)]


def _value(random: random.Random) -> object:
    return random.choice(
        [hostile_text(random, 4), None, True, 1.5, -0, 10**400, [], {}, ["a", {"b": [1]}], float("nan"), "x" * 3_000]
    )


def _html(random: random.Random) -> str:
    def piece() -> str:
        tag = random.choice(HTML_TAGS)
        return random.choice([f"<{tag}", f"</{tag}>", f"<{tag}>", hostile_text(random, 3)])

    return "".join(piece() for _ in range(40))


def _markdown(random: random.Random) -> str:
    starts = ["# ", "- ", "> ", "    ", "|", "[a](", ""]
    return "\n".join(random.choice(starts) + hostile_text(random, 4) for _ in range(12))


def _json(random: random.Random) -> str:
    rows = _rows(random)
    return json.dumps(random.choice([rows, {str(number): row for number, row in enumerate(rows)}, {"a": {"text": "x"}}]))


def _docx(random: random.Random) -> bytes:
    return docx(*(paragraph(_xml_text(random), random.choice(["", "Title", "Heading1"])) for _ in range(4)))


def _epub(random: random.Random) -> bytes:
    return epub(_xml_text(random), *(_html(random).encode("utf-8", "replace") for _ in range(3)))


def _xml_text(random: random.Random) -> str:
    return hostile_text(random, 4).encode("utf-8", "replace").decode()


def _pdf(random: random.Random) -> bytes:
    pages = [hostile_text(random, 4).encode("ascii", "replace").decode() for _ in range(random.randrange(1, 4))]
    return pdf(*pages, title="".join(filter(str.isalnum, pages[0])), endless=random.random() < 0.2)


BOOK_WRITERS: Mapping[str, Callable[[random.Random], bytes]] = {".docx": _docx, ".epub": _epub, ".pdf": _pdf}
"""Of files that are no text. Each PDF takes a process of its own, so they are few."""

WRITERS: Mapping[str, Callable[[random.Random], str]] = {
    ".txt": hostile_text,
    ".rst": _markdown,
    ".md": _markdown,
    ".html": _html,
    ".json": _json,
    ".jsonl": lambda random: "".join(json.dumps(row, ensure_ascii=random.random() < 0.5) + "\n" for row in _rows(random)),
    ".csv": lambda random: "id,text\n" + "\n".join(f'{n},"{hostile_text(random, 3)}"' for n in range(6)),
    ".tsv": lambda random: "id\ttext\n" + "\n".join(f"{n}\t{hostile_text(random, 3)}" for n in range(6)),
}


def put_file(random: random.Random, folder: Path, name: str) -> str:
    """Puts a file of some kind into a folder, often spoilt; says which and how."""
    if random.random() < 0.15:
        suffix = random.choices([*BOOK_WRITERS], [5, 5, 1])[0]
        content = BOOK_WRITERS[suffix](random)
    else:
        suffix = random.choice([*WRITERS])
        content = WRITERS[suffix](random).encode("utf-8", random.choice(["replace", "surrogatepass"]))
    how = "as it was made"
    if random.random() < 0.6:
        how, content = damaged(random, content)
    if random.random() < 0.15:
        suffix, content = f"{suffix}.gz", gzip.compress(content)
        if random.random() < 0.5:
            how, content = f"zipped, then {how}", damaged(random, content)[1]
    (folder / f"{name}{suffix}").write_bytes(content)
    return f"{name}{suffix}: {how}"


def put_no_file(random: random.Random, folder: Path) -> str:
    """Puts something that is no file into a folder."""
    kind = random.choice(["pipe", "socket", "loop", "device", "dangling", "bytes", "folder"])
    match kind:
        case "pipe":
            os.mkfifo(folder / "pipe.txt")
        case "socket":
            with chdir(folder), socket.socket(socket.AF_UNIX) as server:
                server.bind("socket.md")
        case "loop":
            (folder / "loop").symlink_to(folder)
        case "device":
            (folder / "zero.json").symlink_to("/dev/zero")
        case "dangling":
            (folder / "gone.txt").symlink_to("nowhere.txt")
        case "bytes":
            Path(os.fsdecode(os.fsencode(folder) + b"/caf\xe9\x1b[31m.txt")).write_text("good")
        case "folder":
            (folder / "folder.jsonl").mkdir()
    return kind


def corpus(trial: Trial) -> None:
    """A folder of files is read, or refused in one line; whatever passage comes out can be written and indexed."""
    made = [put_file(trial.random, trial.folder, f"f{n}") for n in range(trial.random.randint(1, 2))]
    if trial.random.random() < 0.3:
        made.append(put_no_file(trial.random, trial.folder))
    trial.shows(made)
    tally = Tally()
    options = CorpusOptions(
        max_words=trial.random.choice([0, 1, 20, 200]), max_row_mib=2, max_file_mib=4, lenient=trial.random.random() < 0.5
    )
    try:
        for passage in read_corpus([trial.folder], options=options, tally=tally):
            f"{passage.id}{passage.title}{passage.text}{passage.source}".encode()
            assert passage.id
            assert passage.text.strip()
    except (DataError, SettingsError) as error:
        one_line(error)
    for unread in tally.unread:
        one_line(DataError(str(unread)))
    str(tally).encode()


def one_line(error: Exception, max_characters: int = 5_000) -> None:
    """Checks that an error is one line that can be printed."""
    assert "\n" not in str(error), str(error)
    assert len(str(error)) < max_characters, len(str(error))
    str(error).encode()


DATASETS = [
    name for name, one in entries("datasets").items() if ":" not in one.target and name not in ("starter", "gold_steps")
]


def dataset(trial: Trial) -> None:
    """A dataset is given a file or a folder that is spoilt or of something else: examples, or one line."""
    name = trial.random.choice(DATASETS)
    what = put_file(trial.random, trial.folder, "f")
    given = next(trial.folder.iterdir()) if trial.random.random() < 0.8 else trial.folder
    trial.shows(f"{name} of {what}")
    try:
        for example in load("datasets", name)(given).examples():
            f"{example.question.id}{example.question.text}".encode()
    except (DataError, SettingsError) as error:
        one_line(error)


def split(trial: Trial) -> None:
    """A text is cut into spans that are in order, within it, and lose nothing that is not white space."""
    text = hostile_text(trial.random, 60)
    trial.shows(text)
    position = 0
    for span, _ in cut_part(Part(text), trial.random.choice([1, 5, 50])):
        assert position <= span.start < span.end <= len(text)
        assert not text[position : span.start].strip()
        position = span.end
    assert not text[position:].strip()


ATTACKS = (
    Attack("corpora", "files become passages, or one line that names them", corpus, 6_000, 60),
    Attack("datasets", "files become examples, or one line that names them", dataset, 3_000, 40),
    Attack("passages", "a text is cut into passages without a loss", split, 4_000, 40),
)
