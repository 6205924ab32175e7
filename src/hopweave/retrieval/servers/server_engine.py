"""Shared by all engines on servers: options, connecting, retries, errors, bulk loading, and the state kept with the data.

In addition to its data, an engine keeps the state of each collection: fingerprint, sizes, and the name of the current data set.
A build fills a new data set and then makes it the current one. An update writes into the current one, which is marked
meanwhile, so that an interrupted update is detected. A retriever searches the state that it opened: if the collection changes
after that, its next search fails instead of mixing two corpora.

The terms are computed here, by the analyzer of `bm25`, so engines differ only in how they weigh them.
"""

from __future__ import annotations

import base64
import json
import logging
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, ClassVar, Literal, TypeVar

from hopweave.core.errors import DataError, HopweaveError, RunError, SearchError
from hopweave.core.indexing import AddressForm, IndexSummary, how_to_rebuild
from hopweave.core.options import AtLeast, Count, check_options
from hopweave.core.redaction import Secrets
from hopweave.core.types import Hit, Passage
from hopweave.core.visibility import PUBLIC, Visible
from hopweave.retrieval.index.analysis import Analysis, agreed, analysis_of, language_of
from hopweave.retrieval.index.index_folder import Fingerprint
from hopweave.retrieval.index.language_detection import with_language
from hopweave.retrieval.servers.server import Server, Shown
from hopweave.retrieval.servers.server_address import ServerAddress
from hopweave.retrieval.servers.server_rows import (
    BATCH,
    NOT_CUT,
    Row,
    State,
    Sums,
    Vectors,
    hits_of,
    key_of,
    passage_of,
    plain_vector,
    query_terms,
    usual_lengths,
)
from hopweave.retrieval.servers.writer_lease import WriterLease

_MORE_FOR_TIES = 8
_WAIT_SECONDS = (0.1, 5.0)
_MAX_REASON = 300
_NO_LOG = logging.NullHandler()

T = TypeVar("T")


@dataclass(eq=False)
class ServerEngine(ABC):
    """The options of an engine on a server, and everything that is the same for all such engines.

    An instance serves one thread at a time. It connects on first use.

    Attributes:
        is_outdated: whether the corpus has changed since it was opened, so that it has to be reopened.

    Raises:
        SettingsError: for an invalid address or option.
        MissingExtra: without the engine's library.
    """

    ADDRESS: ClassVar[AddressForm]

    address: Annotated[str, "the address, without a password"]
    collection: Annotated[str, "name of the corpus there; a #NAME at the end of the address takes precedence"] = "hopweave"
    user: Annotated[str, "user name; one in the address takes precedence"] = ""
    password_env: Annotated[str, "environment variable with the password, or the API key if there is no user"] = ""
    tls: Annotated[Literal["auto", "yes", "no"], "encrypt and verify; auto: unless the server is on this machine"] = "auto"
    ca_certificate: Annotated[Path | None, "file of the certificates to trust; none: those of the system"] = None
    timeout_seconds: Annotated[float, AtLeast(0.1, 86_400), "time limit for one request"] = 30.0
    max_attempts: Annotated[Count, "total number of attempts for a request, if a retry may help"] = 4
    title_weight: Annotated[float, AtLeast(0, 1000), "how much the title's own score adds; 0 leaves it out"] = 0.5
    exact: Annotated[bool, "compare all vectors; otherwise, use the engine's approximate index"] = True
    visible: Annotated[Visible, "which passages may be shown; from the settings access and where"] = PUBLIC

    def __post_init__(self) -> None:
        check_options(self)
        self._at = ServerAddress.of(self.address, self.ADDRESS, self.collection, self.user)
        self._secrets = Secrets()
        self._server: Server | None = None
        self._state: State | None = None
        self._is_closed = False
        self.is_outdated = False

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._at.shown!r})"

    @property
    def identity(self) -> str:
        """Name, options, and the fingerprint of the corpus. Errors as in `search`."""
        state = self._opened()
        return (
            f"{self.ADDRESS.scheme} title_weight={self.title_weight:g} exact={self.exact} "
            f"analyzer={self._analysis(state).name(state.num_cut)} corpus={state.fingerprint}{self.visible.identity}"
        )

    @property
    def has_language(self) -> bool:
        """True: an index of words has a language; see `core.indexing.IndexWriter`."""
        return True

    @property
    def num_passages(self) -> int:
        """Passages in the collection. Errors as in `search`."""
        return self._opened().num_passages

    def search(self, queries: Sequence[str], max_hits: int) -> list[list[Hit]]:
        """See `core.protocols.Retriever`.

        Raises:
            SearchError: if the engine is down, too slow, or fails, after retries; if the corpus has changed since.
            DataError: if there is no such collection.
        """
        state = self._opened()
        terms = [query_terms(query, self._analysis(state)) for query in queries]
        asked = [one for one in terms if one]
        if not asked or max_hits < 1:
            return [[] for _ in queries]
        depth, shown = max_hits + _MORE_FOR_TIES, self._shown(state)
        found = iter(self._searched(lambda server: server.by_terms(state, asked, depth, self.title_weight, shown)))
        return [hits_of(next(found), max_hits) if one else [] for one in terms]

    def has_terms(self, query: str) -> bool:
        """See `core.protocols.WordSearcher`.

        Raises:
            SearchError, DataError: as in `search`.
        """
        return bool(self._analysis(self._opened()).terms_of(query))

    def search_vectors(self, vectors: Vectors, max_hits: int) -> list[list[Hit]]:
        """The passages whose vectors have the highest cosine with each of these, best first. Errors as in `search`.

        Raises:
            DataError: also if the collection has no vectors, or they are of another length.
        """
        state, asked = self._opened(), [plain_vector(vector) for vector in vectors]
        for vector in asked:
            self._check_vector(vector, state.dimensions)
        if not asked or max_hits < 1:
            return [[] for _ in asked]
        depth, shown = max_hits + _MORE_FOR_TIES, self._shown(state)
        found = self._searched(lambda server: server.by_vectors(state, asked, depth, shown, exact=self.exact))
        return [hits_of(one, max_hits) for one in found]

    def all_passages(self) -> Iterator[Passage]:
        """All passages, including hidden ones, in any order. Errors as in `search`."""
        state = self._opened()
        num_parts = -(-state.num_passages // BATCH)
        for part in range(num_parts):
            first, last = (f"{(part + more) * 16**8 // num_parts:08x}" for more in (0, 1))
            ends = (first, last if len(last) == len(first) else "g")
            for content in self._between(state, *ends):
                yield passage_of(content)

    def passages_of(self, any_ids: Iterable[str], *, documents: bool = True) -> list[Passage]:
        """See `ingest.lookup.LooksUp`. A request asks for up to `BATCH` ids. Errors as in `search`."""
        state, found = self._opened(), dict[str, Passage]()
        keys = list(dict.fromkeys(map(key_of, any_ids)))
        for start in range(0, len(keys), BATCH):
            some = keys[start : start + BATCH]
            contents = self._searched(partial(_held_by, state, some, some if documents else []))
            found |= {passage.id: passage for passage in map(passage_of, contents)}
        return [passage for passage in found.values() if self.visible.shows(passage)]

    def build(
        self,
        passages: Iterable[Passage],
        *,
        vectors: Vectors | None = None,
        language: str | None = None,
        on_passage: Callable[[int], None] | None = None,
    ) -> IndexSummary:
        """Builds the collection. An existing one is replaced, but stays in use until the new one is complete.

        Args:
            passages: consumed one by one.
            vectors: one for each passage, if the collection should have vectors.
            language: their language, as for `BM25.build`.
            on_passage: called with the number of passages so far, after each request.

        Raises:
            SettingsError: for a language without an analyzer.
            DataError: if the engine fails, after retries; for repeated ids, no passages, or another writer.
        """
        chosen = language_of(language) if language is not None else None
        with self._writing() as lease:
            before = self._read_state()
            number = before.number + 1 if before is not None else 1
            told, passages = with_language(passages) if chosen is None else (chosen, passages)
            analysis = Analysis(told)
            name = f"hopweave_{self._at.collection}_{number}"
            state = State(name, number, has_filters=True, analyzer=analysis.tokenizer, num_cut=0)
            sums = Sums(self._check_vector, analysis)
            for rows in sums.batches(passages, vectors):
                lease.keep()
                if not sums.num_added:
                    state = replace(state, dimensions=len(rows[0].vector), **usual_lengths(rows))
                    self._create(state)
                self._put(state, rows)
                sums.add(rows, on_passage)
            if not sums.num_added:
                raise DataError(f"there is no passage to index in {self._at.shown}; give at least one")
            lease.keep()
            state = self._published(state, sums)
            if before is not None:
                self._write(lambda server: server.drop(before))
            return self._summary(state, sums)

    def update(
        self,
        *,
        upsert: Iterable[Passage] = (),
        vectors: Vectors | None = None,
        delete: Iterable[str] = (),
        missing_ok: bool = False,
        language: str | None = None,
        on_passage: Callable[[int], None] | None = None,
    ) -> IndexSummary:
        """Deletes passages, then adds and replaces passages, as `BM25.update` does.

        Args:
            upsert: passages to add; one with an existing id replaces that passage.
            vectors: one for each of them, if the collection has vectors.
            delete: ids of passages or of documents.
            missing_ok: ignore ids that do not exist.
            language: the language that the collection must have, if given.
            on_passage: called with the number of passages added so far, after each request.

        Raises:
            SettingsError: for a language other than that of the collection.
            DataError: for an id to delete that does not exist, an id that is added twice, no collection, another writer, or a
                failure of the engine after retries; if passages had been written by then, the collection has to be rebuilt.
        """
        with self._writing() as lease:
            self._state = None  # others may have written since it was opened
            state = self._opened()
            sums = Sums(self._check_vector, agreed(self._analysis(state), language, self._at.shown))
            sums.start(state)
            doomed = self._doomed(state, delete, missing_ok=missing_ok)
            state = replace(state, is_ready=False)
            self._put_state(state)
            self._remove(state, sums, doomed)
            for rows in sums.batches(upsert, vectors, state.dimensions):
                lease.keep()
                new = sums.new_documents(rows)
                held = self._held(state, [row.key for row in rows], new)
                self._remove(state, sums, held)
                self._put(state, rows)
                sums.add(rows, on_passage)
            lease.keep()
            return self._summary(self._published(state, sums), sums)

    def check(self) -> IndexSummary:
        """Reads every passage and compares them with the fingerprint.

        Raises:
            DataError: if they are not those that were indexed. Also the errors of `search`.
        """
        state, fingerprint, number = self._opened(), Fingerprint(), 0
        for number, passage in enumerate(self.all_passages(), start=1):  # noqa: B007 - the last number is used
            fingerprint.add(passage)
        if str(fingerprint) != state.fingerprint or number != state.num_passages:
            raise self._damaged(f"holds {number:,} passages that are not the {state.num_passages:,} that were indexed")
        return IndexSummary(number, 0, 0, 0, state.fingerprint)

    def close(self) -> None:
        """Ends the connection."""
        self._is_closed = True
        self._disconnect()

    # -- defined by each engine --------------------------------------------------------------------------------------------

    @abstractmethod
    def _connect(self, at: ServerAddress, password: str) -> Server: ...

    @abstractmethod
    def _is_temporary(self, error: Exception) -> bool:
        """Whether a retry may help."""

    # -- state -------------------------------------------------------------------------------------------------------------

    def _read_state(self, kind: type[RunError] | type[DataError] = DataError) -> State | None:
        found = self._call(lambda server: server.state(self._at.collection), kind)
        try:
            return State(**json.loads(found)) if found is not None else None
        except (ValueError, TypeError):
            raise self._damaged("has a state that cannot be read") from None

    def _opened(self) -> State:
        """The state as it was when first asked for."""
        if self._is_closed:
            raise SearchError(f"the {self.ADDRESS.scheme} retriever on {self._at.shown} is closed")
        if self._state is None:
            state = self._read_state(SearchError)
            if state is None:
                raise DataError(
                    f"there is no collection {self._at.collection} at {self._at.place}; "
                    f"make one with: hopweave index PATH... --to {self._at.shown}"
                )
            if not state.is_ready:
                raise self._damaged("is being updated, or an update of it was interrupted")
            self._analysis(state)  # raises if this version does not have it
            self._state = state
        return self._state

    def _analysis(self, state: State) -> Analysis:
        return analysis_of(state.analyzer, cuts=state.num_cut != NOT_CUT, place=self._at.shown)

    def _shown(self, state: State) -> Shown:
        if self.visible.where and not state.has_filters:
            raise self._damaged("was built before there were metadata, so they cannot be queried")
        return self.visible.conditions(state.num_labelled)

    def _put_state(self, state: State) -> None:
        content = json.dumps(asdict(state))
        self._write(lambda server: server.put_state(self._at.collection, content))

    def _published(self, state: State, sums: Sums) -> State:
        num_passages = self._write(lambda server: server.finish(state))
        if num_passages != sums.num_passages:
            raise DataError(
                f"{self._at.shown} holds {num_passages:,} passages instead of {sums.num_passages:,}: ids occur twice, or "
                "another process writes to it; make the ids unique and build it again"
            )
        self._state = sums.over(state)
        self._put_state(self._state)
        return self._state

    def _summary(self, state: State, sums: Sums) -> IndexSummary:
        return IndexSummary(state.num_passages, sums.num_added, sums.num_deleted, 0, state.fingerprint)

    def _damaged(self, how: str) -> DataError:
        shown = self._at.shown
        return DataError(f"the collection at {shown} {how}; {how_to_rebuild(shown)}")

    # -- writing -----------------------------------------------------------------------------------------------------------

    @contextmanager
    def _writing(self) -> Iterator[WriterLease]:
        """Keeps other writers away."""
        row = f"{self._at.collection}.writer"  # no collection can have such a name
        lease = WriterLease(
            lambda: self._write(lambda server: server.state(row)),
            lambda content: self._write(lambda server: server.put_state(row, content)),
            self._at.shown,
        )
        lease.take()
        try:
            yield lease
        finally:
            lease.release()

    def _doomed(self, state: State, delete: Iterable[str], *, missing_ok: bool) -> list[str]:
        """Contents of the rows to delete."""
        doomed: list[str] = []
        for any_id in dict.fromkeys(delete):
            key = [key_of(any_id)]
            held = self._held(state, key, key)
            if not held and not missing_ok:
                raise DataError(f"{self._at.shown} has no passage or document {any_id!r} to delete; check the id")
            doomed += held
        return doomed

    def _remove(self, state: State, sums: Sums, contents: Iterable[str]) -> None:
        gone = {key_of(passage.id): passage for passage in map(passage_of, contents)}
        for start in range(0, len(gone), BATCH):
            keys = list(gone)[start : start + BATCH]
            self._remove_keys(state, keys)
        sums.remove(gone.values())

    def _create(self, state: State) -> None:
        self._write(lambda server: server.create(state, exact=self.exact))

    def _put(self, state: State, rows: Sequence[Row]) -> None:
        for passage in () if state.has_filters else (passage_of(row.content) for row in rows):
            if passage.metadata or passage.access:
                raise self._damaged(
                    f"was built before there were metadata and access labels, and cannot take those of {passage.id!r}"
                )
        self._write(lambda server: server.put(state, rows))

    def _held(self, state: State, keys: Sequence[str], documents: Sequence[str]) -> list[str]:
        return self._write(lambda server: server.held(state, keys, documents))

    def _remove_keys(self, state: State, keys: Sequence[str]) -> None:
        self._write(lambda server: server.remove(state, keys))

    def _between(self, state: State, first: str, end: str) -> list[str]:
        return self._call(lambda server: server.between(state, first, end), SearchError)

    def _check_vector(self, vector: Sequence[float], dimensions: int) -> None:
        if len(vector) != dimensions:
            expected = f"vectors of {dimensions} numbers" if dimensions else "no vectors"
            raise DataError(f"{self._at.shown} has {expected}, and one of {len(vector)} was given; give all the same length")

    # -- calls -------------------------------------------------------------------------------------------------------------

    def _searched(self, ask: Callable[[Server], T]) -> T:
        """The reply to a search, if the corpus is still the one that was opened."""
        found = self._call(ask, SearchError)
        if self._read_state(SearchError) != self._opened():
            self.is_outdated = True
            raise SearchError(f"{self._at.shown} was changed while it was being searched; open it again")
        return found

    def _write(self, change: Callable[[Server], T]) -> T:
        return self._call(change, DataError)

    def _call(self, once: Callable[[Server], T], kind: type[RunError] | type[DataError]) -> T:
        """The result of a call, which is retried if that may help.

        Raises:
            RunError, DataError: an error of the given kind, if the engine fails.
        """
        import stamina

        # With no logging set up, stamina's warnings would go to the terminal.
        logging.getLogger("stamina").addHandler(_NO_LOG)
        wait_first, wait_most = _WAIT_SECONDS
        policy = stamina.retry_context(
            on=lambda error: isinstance(error, _Failed) and error.is_temporary,
            attempts=self.max_attempts,
            timeout=None,
            wait_initial=wait_first,
            wait_max=wait_most,
        )
        try:
            for attempt in policy:
                with attempt:
                    return self._once(once)
        except _Failed as failed:
            message = f"{self.ADDRESS.scheme} at {self._at.shown} failed: {failed}"
            if issubclass(kind, RunError):
                raise kind(message, retryable=failed.is_temporary) from None
            raise kind(f"{message}; check the server and try again") from None
        raise RuntimeError("a policy either returns or raises")

    def _once(self, once: Callable[[Server], T]) -> T:
        try:
            return once(self._connected())
        except HopweaveError:
            raise
        except Exception as error:  # noqa: BLE001 - libraries may raise anything
            is_temporary = self._is_temporary(error)
            if is_temporary:  # the connection may be broken
                self._disconnect()
            reason = self._secrets.out_of(" ".join(f"{type(error).__name__}: {error}".split()))
            raise _Failed(reason[:_MAX_REASON], is_temporary=is_temporary) from None

    def _connected(self) -> Server:
        if self._server is None:
            password = os.environ.get(self.password_env, "") if self.password_env else ""
            login = base64.b64encode(f"{self._at.user}:{password}".encode()).decode()
            self._secrets = Secrets([password, login] if password else [])
            self._server = self._connect(self._at, password)
        return self._server

    def _disconnect(self) -> None:
        server, self._server = self._server, None
        if server is not None:
            with suppress(Exception):  # the connection may be gone already
                server.close()

    @property
    def _uses_tls(self) -> bool:
        return self.tls == "yes" or (self.tls == "auto" and not self._at.is_here)


def _held_by(state: State, keys: Sequence[str], documents: Sequence[str], server: Server) -> list[str]:
    return server.held(state, keys, documents)


class _Failed(Exception):
    """An exception of an engine's library, without secrets."""

    def __init__(self, reason: str, *, is_temporary: bool) -> None:
        super().__init__(reason)
        self.is_temporary = is_temporary
