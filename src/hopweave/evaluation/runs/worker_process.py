"""What runs in each process of `hopweave evaluate --processes`: it answers the questions that it is asked."""

from __future__ import annotations

import gc
import os
import traceback
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from threading import Timer

from hopweave.core.child_process import asked
from hopweave.core.errors import HopweaveError
from hopweave.core.types import Question
from hopweave.evaluation.runs.progress import Cell
from hopweave.evaluation.runs.worker_session import Answered, Order, WorkerSession

END_SECONDS = 5.0
"""How long a process may take to end."""


@dataclass(frozen=True, slots=True)
class Begin:
    """Open the parts of a run; the reply is `Begun`.

    Attributes:
        order: which parts.
        objects_per_collection: as in the process that asks (`gc.set_threshold`).
    """

    order: Order
    objects_per_collection: int


@dataclass(frozen=True, slots=True)
class Begun:
    """Why the parts cannot be opened: an error that the user has to fix, or the traceback of another; neither if they are."""

    error: str = ""
    bug: str = ""


@dataclass(frozen=True, slots=True)
class Ask:
    """Answer a question; the reply is a `Done` with the same number."""

    number: int
    cell: Cell
    question: Question


@dataclass(frozen=True, slots=True)
class Done:
    """What became of a question.

    Attributes:
        number: as asked.
        answered: the record, or what the user has to fix.
        call_limit: how many calls of the model this process may make at a time at the moment.
        num_unreadable: how many replies of the store this process could not read so far.
        bug: the traceback of an unexpected error; empty if there was none.
    """

    number: int
    answered: Answered
    call_limit: int
    num_unreadable: int
    bug: str = ""


def main() -> None:
    """Answers until the process that asks ends, or asks no more; it may end before anything was asked."""
    messages, reply = asked()
    begin: Begin | None = next(messages, None)
    if begin is None:
        return
    gc.set_threshold(begin.objects_per_collection)
    session, begun = _begun(begin)
    with suppress(BrokenPipeError):
        reply(begun)
    if session is None:
        return
    for ask in messages:
        session.begin(ask.cell, ask.question).add_done_callback(_telling(ask.number, session, reply))
    last_moment = Timer(END_SECONDS, os._exit, (1,))  # a search in a thread cannot be cancelled
    last_moment.daemon = True
    last_moment.start()
    session.close()


def _begun(begin: Begin) -> tuple[WorkerSession | None, Begun]:
    """The opened parts of a run, and the reply; no parts if they cannot be opened."""
    try:
        return WorkerSession(begin.order), Begun()
    except HopweaveError as error:
        return None, Begun(error=str(error))
    except Exception:  # noqa: BLE001 - whatever it is, the process that asks raises it
        return None, Begun(bug=traceback.format_exc())


def _telling(number: int, session: WorkerSession, reply: Callable[[object], None]) -> Callable[[Future[str]], None]:
    def tell(made: Future[str]) -> None:
        if made.cancelled():
            return
        answered, bug = Answered(), ""
        try:
            answered = Answered.of(made)
        except Exception:  # noqa: BLE001 - as above
            bug = traceback.format_exc()
        with suppress(BrokenPipeError):
            reply(Done(number, answered, session.call_limit, session.num_unreadable, bug))

    return tell
