"""A server with a model that takes its time, so that what grows in the explorer can be watched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from support.bench import chain
from support.documents import pdf
from support.three_hops import HOPS, PASSAGES, QUESTION
from support.toqd import Plays

from hopweave.apps.server.app import create_app
from hopweave.apps.server.server_settings import ServerSettings
from hopweave.core.types import Message, Passage, Sampling
from hopweave.ingest.intake import Intake
from hopweave.models.llms.scripted import Line, Scripted
from hopweave.retrieval.engines.bm25 import BM25
from hopweave.run.settings import read_settings

HOSTILE = '<img src=x onerror="window.broken=1"><script>window.broken=1</script>'
"""Markup that would run if a page took it for markup."""
OTHERS = (
    Passage(
        "stevenson", "Robert Stevenson was born in Glasgow in 1772. He designed many lights.", "Robert Stevenson", "people.md"
    ),
    Passage("hostile", f"The gate of Nith was painted by {HOSTILE} in 1702.", f"Gate of Nith {HOSTILE}", "gates.md"),
    Passage("teel", "The river Teel rises in the Marl hills and reaches the sea at Ostwick.", "Teel", "rivers.md"),
)
_WRONG = [
    ("Who designed the light of Carrow Head?", "Robert Stevenson"),
    ("In which town was Robert Stevenson born?", "Glasgow"),
]
_RIGHT = list(HOPS[1:])
_SENTENCES = [
    "The light of Carrow Head was designed by Ines Halloran.",
    "Ines Halloran was born in Marlow Cross.",
    "Through it runs the Teel.",
]
_READ = {
    ("designed", "Carrow Head"): "yes: Ines Halloran",
    ("born", "Ines Halloran"): "yes: Marlow Cross",
    ("Which river", "Marlow Cross"): "yes: the Teel",
    ("born", "Robert Stevenson"): "yes: Glasgow",
}
_ASKED = [HOPS[0][0], "In which town was that designer born?", "Which river runs through that town?"]
_TOQD = Plays(
    sub_questions={QUESTION: _ASKED},
    arrows={QUESTION: "1 -> 2 -> 3 -> Q"},
    rewrites={asked: query for asked, (query, _) in zip(_ASKED, HOPS, strict=True)},
    reads=dict(HOPS),
    summary="Through Marlow Cross runs the Teel [3]. So the final answer is the Teel.",
)


class Says:
    """What the model says, each time after a while.

    Args:
        delay_seconds: before each reply.
        thoughts: what it thinks before each reply.
    """

    def __init__(self, delay_seconds: float, thoughts: str = "") -> None:
        self.delay_seconds = delay_seconds
        self.thoughts = thoughts

    def __call__(self, messages: Sequence[Message], sampling: Sampling) -> Any:
        text = messages[-1].text
        if text.endswith("Reply:"):
            said = _read(text)
            return Line(said, yes_logit=4.0 if said != "no" else -4.0, delay_seconds=self.delay_seconds / 4)
        return Line(self._text(messages), delay_seconds=self.delay_seconds, thoughts=self.thoughts)

    def _text(self, messages: Sequence[Message]) -> str:
        text = "\n".join(message.text for message in messages)
        if "planning the whole chain" in text:
            return _chain(text)
        if "already settled" in text:
            return (
                "[Final Content]: The light of Carrow Head was designed by Ines Halloran [1]. Ines Halloran was born in "
                "Marlow Cross [2]. Through Marlow Cross runs the Teel [3]. So the final answer is the Teel."
            )
        if "hostile" in text or "Nith" in text.rsplit("Question", 1)[-1]:
            return f"The gate of Nith was painted by {HOSTILE}. So the answer is: {HOSTILE}"
        if "Reason step by step" in text or messages[-1].role == "assistant":
            return _sentence(messages[-1].text)
        try:
            return str(_TOQD(messages, Sampling()))
        except (StopIteration, KeyError, IndexError):
            return "The light of Carrow Head stands by the Clyde. So the answer is: the Clyde."


def _read(text: str) -> str:
    question = text.rsplit("Question: ", 1)[-1]
    passage = text.rsplit("<passage>", 1)[-1]
    return next(
        (said for (asked, title), said in _READ.items() if asked in question and passage.lstrip().startswith(title)), "no"
    )


def _chain(text: str) -> str:
    if "Nith" in text:
        return f"[Query 1]: Who painted the gate of Nith?\n[Answer 1]: {HOSTILE}\n"
    asked = text.rsplit("[Question]", 1)[-1]
    if "Marlow Cross" in asked and "Teel" not in asked:
        return (
            "[Unsolved Query]: Which river runs through Marlow Cross?"
            if "Query 2" in asked
            else chain(*_RIGHT[:1], (HOPS[2][0], None))
        )
    if "Ines Halloran" in asked:
        return chain(_RIGHT[0], (HOPS[2][0], None)) if "Teel" not in asked else "[Final Content]: the Teel."
    return chain(*_WRONG, ("Which river runs through Glasgow?", None))


def _sentence(text: str) -> str:
    said = [one for one in _SENTENCES if one in text.rsplit("Q:", 1)[-1]]
    rest = _SENTENCES[len(said) :]
    return f" {rest[0]}" if rest else " So the answer is: the Teel."


_FILLER = (
    "The keepers of the coast kept their books by hand, a line for each night.\nOil was weighed at dusk, and again at dawn."
)
PAPERS = {
    "carrow.pdf": ("Carrow Head", (_FILLER, f"{_FILLER}\n\n{PASSAGES[0].text}\n\n{_FILLER}")),
    "halloran.pdf": (
        "Ines Halloran",
        (
            _FILLER,
            _FILLER,
            f"{_FILLER}\n\nInes Halloran was an engi-\nneer. She was born in\nMarlow Cross in 1833.\n\n{_FILLER}",
        ),
    ),
    "marlow.pdf": ("Marlow Cross", (PASSAGES[2].text.replace(". ", ".\n"),)),
}
"""PDFs that hold what the small corpus holds, each by its name with its title and pages."""


def index_of_papers(folder: Path) -> str:
    """An index of the PDFs, which are put into a folder beside it."""
    papers = folder / "papers-files"
    papers.mkdir(parents=True)
    for name, (title, pages) in PAPERS.items():
        (papers / name).write_bytes(pdf(*pages, title=title))
    BM25.take_in(folder / "papers", Intake([papers]), update=False)
    return str(folder / "papers")


def app_with(
    folder: Path,
    *,
    delay_seconds: float = 0.0,
    thoughts: str = "",
    runs: Mapping[str, str] | None = None,
    with_papers: bool = False,
) -> FastAPI:
    """The application over the small corpora `light` and `carrow-only`; in the same folder it finds what it kept before.

    Args:
        folder: of everything.
        delay_seconds: before each reply of the model.
        thoughts: what the model thinks before each reply.
        runs: evaluations to show, by name.
        with_papers: have the corpus `papers` before the others.
    """
    corpora = {"light": (*PASSAGES, *OTHERS), "carrow-only": PASSAGES[:1]}
    for name, passages in corpora.items():
        if not (folder / name).exists():
            BM25.build(folder / name, list(passages))
    offered = {name: str(folder / name) for name in corpora}
    if with_papers:
        offered = {"papers": index_of_papers(folder), **offered}
    server = ServerSettings(answers=str(folder / "answers"), corpora=offered, runs=dict(runs or {}))
    flags = {"llm": "scripted", "method": "searchain", "store": {"path": str(folder / "store.sqlite")}}
    settings = read_settings({**flags, "retries": {"max_attempts": 1}})
    return create_app(server, settings, llm=Scripted(Says(delay_seconds, thoughts)))
