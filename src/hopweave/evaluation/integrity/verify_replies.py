"""Holds the replies in the records of a run to the store that keeps them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from hopweave.core.errors import DataError
from hopweave.core.postgres_connection import is_address
from hopweave.core.redaction import public_address
from hopweave.evaluation.integrity.diff import Problem, Verification
from hopweave.evaluation.integrity.manifest import Manifest
from hopweave.evaluation.runs.folder import RunFolder
from hopweave.evaluation.runs.paths import find
from hopweave.record import ModelCall, Record
from hopweave.run.store.store import Store, key_of
from hopweave.run.store.stores import open_store

_REPLACED = "\ufffd"
"""Stands in a record for what UTF-8 cannot hold, so that the key under which it was asked is not known."""


@dataclass(slots=True)
class KeptReplies:
    """The stores of a run.

    Attributes:
        stores: those that are there, by name; empty if nothing can be checked.
        problems: replies that are not in any of them as they stand in the records.
        server: the address of a store on a server that may be asked. One that only the run names is not: who made the run could
            have it send the user's password anywhere.
    """

    found: Verification
    stores: dict[str, Store] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    server: str = ""

    @classmethod
    @contextmanager
    def of(cls, run: RunFolder, known: Manifest | None, found: Verification, server: str = "") -> Iterator[KeptReplies]:
        """Opens the stores of a run to read; what is wrong with them is told when they are closed.

        Where a session kept no replies, or a store is not here, what another lacks says nothing.
        """
        kept = cls(found, server=server)
        named = dict.fromkeys(session.store for session in known.sessions) if known is not None else {}
        can_check = bool(named) and None not in named
        try:
            for store in named:
                can_check = store is not None and kept._open(run, known, store) and can_check
            if not can_check:
                kept.close()
            yield kept
            kept.found.hold(", ".join(kept.stores), kept.problems)
        finally:
            kept.close()

    def check(self, record: Record, name: str, number: int) -> None:
        """Looks up each reply of a record.

        Args:
            record: whose calls are looked up.
            name: of its file.
            number: of its line there.
        """
        if not self.stores:
            return
        for call in record.steps:
            if not isinstance(call, ModelCall) or call.error is not None:
                continue
            messages = [record.messages[place] for place in call.messages]
            if any(_REPLACED in message.text for message in messages):
                continue
            self.found.count("replies")
            key = key_of(record.setup.llm, messages, call.sampling, call.sample)
            num_unreadable = self._num_unreadable()
            try:
                stored = [one.get(key) for one in self.stores.values()]
            except DataError as error:
                self.problems.append((None, str(error)))
                continue
            texts = [one.reply.text for one in stored if one is not None and one.reply is not None]
            if call.text not in texts:
                is_altered = self._num_unreadable() > num_unreadable  # the row does not match its own checksum
                said = "another reply to" if texts else "an altered reply to" if is_altered else "no reply to"
                self.problems.append((None, f"it holds {said} the call {call.id} ({call.purpose}) of {name}, line {number}"))

    def close(self) -> None:
        """Closes the stores."""
        for store in self.stores.values():
            store.close()
        self.stores.clear()

    def _num_unreadable(self) -> int:
        return sum(store.num_unreadable for store in self.stores.values())

    def _open(self, run: RunFolder, known: Manifest | None, named: str) -> bool:
        """Opens a store; whether that could be done."""
        if is_address(named):
            return self._open_server(named)
        base = known.base if known is not None else None
        place = run.store_path if not named else find(named, base, run.path) if base is not None else None
        name = named or run.store_path.name
        if place is None:
            self.found.unchecked.append(f"the replies: the store {named} is not here; put it back, or verify where it is")
            return False
        try:
            if not Path(place).exists():
                raise DataError("it is missing, and with it every reply of the model that the records rest on")
            self.stores[name] = Store(place, "replay")
        except DataError as error:
            self.found.differs(name, None, str(error))
        return name in self.stores

    def _open_server(self, named: str) -> bool:
        try:
            if public_address(self.server) != named:
                raise DataError(f"the store {named} is on a server; if it is yours, give its address with --store")
            self.stores[named] = open_store(self.server, "replay")
        except DataError as error:
            self.found.unchecked.append(f"the replies: {error}")
        return named in self.stores
