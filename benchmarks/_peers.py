"""Other frameworks, each in an environment of its own, doing the IRCoT loop of `throughput.py` in the same run."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from _plays import QUESTION

FOLDER = Path(__file__).parent / "peers"


@dataclass(frozen=True)
class Peer:
    """A framework.

    Attributes:
        name: in the table.
        script: its file in `peers`.
        packages: what its environment has; if there are none, it runs in ours.
        reply: how the server has to write a reply, with `{text}` for its text.
    """

    name: str
    script: str
    packages: tuple[str, ...] = ()
    reply: str = "{text}"

    def python(self) -> str:
        """The interpreter of its environment, which is made on first use."""
        if not self.packages:
            return sys.executable
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        folder = cache / "hopweave-peers" / Path(self.script).stem
        python = folder / "bin" / "python"
        if not (folder / "made").exists():
            print(f"making an environment for {self.name} in {folder}", file=sys.stderr)
            subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
            pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet"]
            subprocess.run([*pip, *self.packages], check=True, env=_environment())
            (folder / "made").touch()
        return str(python)

    def versions(self) -> str:
        """The names and versions of its packages."""
        code = (
            "import sys; from importlib.metadata import version; print(*(f'{p} {version(p)}' for p in sys.argv[1:]), sep=', ')"
        )
        done = subprocess.run([self.python(), "-c", code, *self.packages], stdout=subprocess.PIPE, check=True, text=True)
        return done.stdout.strip()

    def measured(self, task: Mapping[str, Any]) -> dict[str, float]:
        """Does a task in a process; see `peers/_task.py`."""
        command = [self.python(), str(FOLDER / self.script)]
        given = json.dumps({**task, "begun": time.monotonic()})  # after the environment was made
        done = subprocess.run(command, input=given, stdout=subprocess.PIPE, check=True, text=True, env=_environment())
        found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
        return found


PEERS = (
    Peer("bare aiohttp", "bare.py"),
    Peer("openai SDK", "openai_sdk.py", ("openai",)),
    Peer("LangGraph", "langgraph_graph.py", ("langgraph", "langchain-openai")),
    Peer("DSPy", "dspy_program.py", ("dspy",), "[[ ## reply ## ]]\n{text}\n\n[[ ## completed ## ]]"),
)


def task_for(base_url: str, num_questions: int, parallel: int) -> dict[str, Any]:
    """The task of the peers, with the prompts and passages of `ircot` itself, which answers one question first."""
    record = asyncio.run(_one_record(base_url))
    prompt = record.messages[0].text
    head, _, last = prompt[: prompt.rindex("\nQ: ")].rpartition("\n\n")
    hits = [[found.passage_id for found in step.hits[0]] for step in record.steps if step.kind == "search"]
    shown = {passage.id: f"<passage>\n{passage.heading}\n{passage.text}\n</passage>" for passage in record.passages}
    seen: set[str] = set()
    found = []
    for ids in hits:
        found.append([shown[one] for one in ids if one not in seen])
        seen.update(ids)
    assert last.startswith("<passage>"), "the passages of the question come last in the prompt"
    questions = [QUESTION.replace("{n}", str(number)) for number in range(num_questions)]
    return {"base_url": base_url, "parallel": parallel, "head": f"{head}\n\n", "found": found, "questions": questions}


async def _one_record(base_url: str) -> Any:
    from hopweave import Weaver, read_settings

    model = {"model": "scripted", "base_url": base_url}
    given = {"method": "ircot", "retriever": "bm25", "llm": "openai_compatible", "store": {"mode": "off"}}
    async with Weaver(read_settings({**given, "llms": {"openai_compatible": model}})) as weaver:
        return await weaver.answer(QUESTION.replace("{n}", "1000000"))


def _environment() -> dict[str, str]:
    """Ours without what would bring our packages into theirs, and without a proxy in front of the server."""
    left_out: Sequence[str] = ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "VIRTUAL_ENV")
    return {name: value for name, value in os.environ.items() if name not in left_out} | {"NO_PROXY": "*"}
