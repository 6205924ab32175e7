"""Servers for every state of the explorer: a handbook in several formats, answers of every standing, and models that fail."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from support.calibrations import calibration_file
from support.documents import pdf
from support.explorer_scene import Says
from support.scripted_server import Behaviour
from support.served import Served
from support.served_app import free_port, settings_over
from support.three_hops import PASSAGES

from hopweave.apps.server.app import create_app
from hopweave.apps.server.server_settings import ServerSettings
from hopweave.core.types import Message, Passage, Sampling
from hopweave.ingest.intake import Intake
from hopweave.ingest.read import CorpusOptions
from hopweave.models.llms.openai_compatible import OpenAICompatible
from hopweave.models.llms.scripted import Line, Scripted
from hopweave.retrieval.engines.bm25 import BM25

SUPPORTED = "Who designed Kerrow Light?"
IN_SECTIONS = "How many disks can a store with three copies lose?"
IN_A_TABLE = "In which year did Ada Finch become keeper of Kerrow Light?"
IN_A_PDF = "Which river does the bridge of Sula cross?"
IN_COPIES = "Who may copy the handbook?"
YES_OR_NO = "Was Kerrow Light designed by Ada Finch?"
CONTRADICTED = "Who designed the gate of Orlau?"
LABEL = "Which light was designed by Ada Finch?"
UNSUPPORTED = "Which wood are the stairs of Kerrow Light made of?"
ABSTAINED = "Who is the mayor of Orlau?"
LONG = "How does a store come back after the loss of a disk?"
LISTING = "Which documents mention Ada Finch?"
OVERVIEW = "What are these documents about?"
FOLLOW_UP = "and where was she born?"
WHOLE = "Where was Ada Finch born?"
SLOW = "How long does the oil last?"

_COPIED = (
    "Everybody may copy the handbook, in whole or in part, as long as the name of the Harbour Board of Sula stays on its first "
    "page. Nobody may sell a copy of it. Whoever changes the handbook has to say so on the first page, with the date of the "
    "change, and has to send one copy of the changed handbook to the office of the Board within a month."
)
_FILES: Mapping[str, str] = {
    "kerrow.md": (
        "# Kerrow Light\n\nKerrow Light is a lighthouse above Sula. It was designed by Ada Finch.\n\n## History\n\n"
        "Kerrow Light was first lit in 1871, on a night of fog.\n\n## Keepers\n\nThe keepers of Kerrow Light kept their books "
        "by hand, a line for each night.\n"
    ),
    "finch.md": (
        "# Ada Finch\n\nAda Finch was an engineer. She was born in Orlau in 1833.\n\n## See also\n\nThe keepers of Kerrow "
        "Light knew Ada Finch by name.\n"
    ),
    "store.html": (
        "<html><head><title>Kerrow Store</title></head><body><h1>Kerrow Store</h1><h2>Introduction</h2>"
        "<p>Kerrow Store keeps the records of the harbour.</p><h2>Configuring replication</h2><p>The option copies says on how "
        "many disks a record is kept.</p><h3>Losing a disk</h3><p>A store with three copies can lose two disks. After the loss "
        "of a disk, the store copies its records from the others. Readers notice nothing of it.</p><h2>Options</h2>"
        "<p>The option copies is a number from 1 to 9.</p></body></html>"
    ),
    "keepers.csv": "keeper,light,became keeper\nAda Finch,Kerrow Light,1874\nTom Orrell,Carrow Light,1890\n",
    "gates.md": "# Gates of Orlau\n\nThe gate of Orlau was designed by Otto Falk in 1790.\n",
    "walls.md": "# Walls of Orlau\n\nThe gate of Orlau was designed by Ina Rost in 1790.\n",
    "licence.txt": _COPIED,
    "licence.md": _COPIED,
}
_SAYS: Mapping[str, str] = {
    SUPPORTED: "Ada Finch",
    IN_SECTIONS: "two disks",
    IN_A_TABLE: "1874",
    IN_A_PDF: "the Teel",
    IN_COPIES: "Everybody",
    YES_OR_NO: "Yes",
    CONTRADICTED: "Otto Falk",
    LABEL: "Kerrow Light",
    UNSUPPORTED: "oak",
    ABSTAINED: "I don't know.",
    LONG: (
        "After the loss of a disk, the store copies its records from the others. Readers notice nothing of it. A store with "
        "three copies can lose two disks."
    ),
    WHOLE: "Orlau",
    SLOW: "a year",
}


class Replies:
    """What the model says to each question, after its thoughts.

    Args:
        delay_seconds: before the reply to `SLOW`.
    """

    def __init__(self, delay_seconds: float = 0.0) -> None:
        self._hops = Says(0.0)
        self._delay_seconds = delay_seconds

    def __call__(self, messages: Sequence[Message], sampling: Sampling) -> Any:
        text = messages[-1].text
        if "Asked now:" in text:
            return Line(f'{{"question": "{WHOLE}"}}')
        asked = text.rsplit("Question:", 1)[-1]
        said = next((said for question, said in _SAYS.items() if question in asked), None)
        if said is None:
            return self._hops(messages, sampling)
        delay_seconds = self._delay_seconds if SLOW in asked else 0.0
        return Line(said, delay_seconds=delay_seconds, thoughts="The passages name it. Let me look again.")


def handbook(folder: Path) -> str:
    """An index of documents in several formats, which lie next to it."""
    files = folder / "handbook-files"
    files.mkdir(parents=True)
    for name, text in _FILES.items():
        (files / name).write_text(text)
    pages = ("The bridges of the harbour, by the Harbour Board.", "The bridge of Sula was built in 1902.\nIt crosses the Teel.")
    (files / "bridges.pdf").write_bytes(pdf(*pages, title="Bridge of Sula"))
    BM25.take_in(folder / "handbook", Intake([files], options=CorpusOptions(max_words=40)), update=False)
    return str(folder / "handbook")


def app_of_states(
    folder: Path, *, delay_seconds: float = 0.0, llm: Any = None, confidence: float | None = None, **more: Any
) -> FastAPI:
    """The application over the handbook, the three hops, and an index whose passages nobody may see.

    Args:
        folder: of everything.
        delay_seconds: before the reply to `SLOW`.
        llm: another model.
        confidence: of every answer, with a tick from .8; by default it is not estimated.
        more: settings of the server.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "handbook").exists():
        handbook(folder)
        BM25.build(folder / "light", list(PASSAGES))
        BM25.build(folder / "hidden", [Passage("pay", "The keeper is paid 90 pounds.", access=("board",))])
    corpora = {name: str(folder / name) for name in ("handbook", "light", "hidden")}
    llm = llm or Scripted(Replies(delay_seconds))
    settings: dict[str, Any] = {}
    if confidence is not None:
        settings["calibration"] = calibration_file(folder / "calibration.json", confidence, 0.8, llm=llm.identity)
    server = ServerSettings(answers=str(folder / "answers"), corpora=corpora, **more)
    return create_app(server, settings_over(folder, **settings), llm=llm)


@contextmanager
def failing(kind: str) -> Iterator[OpenAICompatible]:
    """A model whose endpoint fails in some way: `unreachable`, `key`, `busy` or `silent`."""
    behaviours = {
        "key": Behaviour("bad key", status=401),
        "busy": Behaviour("Rate limit reached for requests", status=429, headers={"Retry-After": "20"}),
        "silent": Behaviour(delay=30),
    }
    if kind == "unreachable":
        yield OpenAICompatible(model="qwen3", base_url=f"http://127.0.0.1:{free_port()}/v1")
        return
    with Served([behaviours[kind]]) as server:
        yield OpenAICompatible(model="qwen3", base_url=server.base_url, timeout_seconds=2)
