"""A server for tests: the application in this process, or listening in a thread of its own, over a small corpus."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from fastapi import FastAPI

from hopweave.apps.server.app import create_app
from hopweave.apps.server.server_settings import KeySettings, ServerSettings, hash_of
from hopweave.core.types import Passage
from hopweave.models.llms.scripted import Scripted
from hopweave.retrieval.engines.bm25 import BM25
from hopweave.run.settings import Settings, read_settings

ADDRESS = "http://127.0.0.1"
QUESTION = "Who designed the light of Carrow Head?"
FOLLOW_UP = "and where was she born?"
WHOLE = "Where was Ines Halloran born?"
PASSAGES = (
    Passage("carrow", "The light of Carrow Head was designed by Ines Halloran. It was lit in 1871.", "Carrow Head"),
    Passage("notes//a/b.md#1", "Ines Halloran was born in Marlow Cross in 1833.", "Ines Halloran", metadata={"year": "1833"}),
    Passage("pay", "The keeper of the light of Carrow Head is paid 90 pounds.", "Keepers", access=("board",)),
)
RULES = [
    ("Asked now:", '{"question": "Where was Ines Halloran born?"}'),
    (WHOLE, "Ines Halloran was born in Marlow Cross.\nSo the answer is: Marlow Cross."),
    ("", "The light of Carrow Head was designed by Ines Halloran.\nSo the answer is: Ines Halloran."),
]
CHAT = {"model": "direct_retrieval@light", "messages": [{"role": "user", "content": QUESTION}]}
ASKED_BY = [
    ("/v1/answers", {"question": QUESTION}),
    ("/v1/answers", {"question": QUESTION, "stream": True}),
    ("/v1/chat/completions", CHAT),
    ("/v1/chat/completions", {**CHAT, "stream": True}),
]
"""Paths and bodies of each way to ask the question."""
KEY, OTHER_KEY = "key-of-anna-0123456789abcdef", "key-of-bob-0123456789abcdef"


def index_of(folder: Path, passages: tuple[Passage, ...] = PASSAGES) -> str:
    """An index of passages."""
    BM25.build(folder, list(passages))
    return str(folder)


def settings_over(folder: Path, **more: Any) -> Settings:
    """Settings with the scripted model and a store of their own."""
    flags = {"llm": "scripted", "method": "direct_retrieval", "store": {"path": str(folder / "store.sqlite")}, **more}
    return read_settings({"retries": {"max_attempts": 1}, **flags})


def offered(folder: Path, **more: Any) -> ServerSettings:
    """What a server offers over the small corpus, under the names `light` and `other`."""
    if "corpora" not in more:
        more["corpora"] = {"light": index_of(folder / "light"), "other": index_of(folder / "other", PASSAGES[:1])}
    return ServerSettings(answers=str(folder / "answers"), **more)


def keys(**of_anna: Any) -> dict[str, KeySettings]:
    """The keys of Anna, who may do as is said, and of Bob, who may search the corpus `other`."""
    return {
        "anna": KeySettings(sha256=hash_of(KEY), **of_anna),
        "bob": KeySettings(sha256=hash_of(OTHER_KEY), corpora=("other",)),
    }


def app_over(folder: Path, llm: Any = None, *, settings: dict[str, Any] | None = None, **more: Any) -> FastAPI:
    """An application with a scripted model."""
    return create_app(offered(folder, **more), settings_over(folder, **(settings or {})), llm=llm or Scripted(RULES))


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def bearer(key: str) -> dict[str, str]:
    """The header that holds a key."""
    return {"Authorization": f"Bearer {key}"}


@contextmanager
def listening(app: FastAPI) -> Iterator[str]:
    """An application that listens in a thread of its own while the `with` lasts; gives its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        free.listen(128)
        config = uvicorn.Config(app, log_config=None, log_level="error", ws="none", lifespan="on", timeout_graceful_shutdown=5)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[free])))
        thread.start()
        address = f"{ADDRESS}:{free.getsockname()[1]}"
        try:
            while not server.started and thread.is_alive():
                thread.join(0.01)
            yield address
        finally:
            server.should_exit = True
            thread.join(20)


@contextmanager
def client_of(app: FastAPI, key: str = "") -> Iterator[httpx.Client]:
    """A client of an application that listens."""
    with listening(app) as address, httpx.Client(base_url=address, headers=bearer(key) if key else {}, timeout=30) as client:
        yield client


def wait_for(holds: Callable[[], bool]) -> None:
    """Waits until something holds; fails if it does not come to hold."""
    for _ in range(2000):
        if holds():
            return
        time.sleep(0.01)
    raise AssertionError("it did not come to hold")
