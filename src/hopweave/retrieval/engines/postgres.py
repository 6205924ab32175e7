"""PostgreSQL: BM25 over its full-text index, and vectors with pgvector.

The terms are those of `bm25`, stored as `tsvector` and found through GIN indexes. PostgreSQL's own ranking does not weigh terms
by their rarity, so the BM25 score is computed in the query, from the counts in the same index:

    bm25(title and text) + title_weight * bm25(title)          k1 = 1.2, b = 0.75

Document frequencies are counted when searching, among the visible passages, and are correct after each deletion. At most 255
occurrences of a term in a passage are counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from hopweave.core.catalog import require
from hopweave.core.indexing import AddressForm
from hopweave.core.postgres_connection import cut_if_silent
from hopweave.core.visibility import FIELDS
from hopweave.retrieval.servers.server import STATES, Server, Shown
from hopweave.retrieval.servers.server_address import ServerAddress
from hopweave.retrieval.servers.server_engine import ServerEngine
from hopweave.retrieval.servers.server_rows import Found, Row, State, average

__all__ = ["Postgres"]

NEEDS_EXTRA = "postgres"

_MAX_COUNT = 255
_GRACE_SECONDS = 2.0
"""How much longer than the server's own limit we wait before the connection is closed."""

_CREATE = """
    CREATE TABLE {data} (
        key text COLLATE "C" PRIMARY KEY, document text NOT NULL, content text NOT NULL,
        terms tsvector NOT NULL, title_terms tsvector NOT NULL, num_terms int NOT NULL, num_title_terms int NOT NULL,
        access text[] NOT NULL, metadata text[] NOT NULL{vector}
    );
    CREATE INDEX ON {data} (document)
"""
_FIELD = """
    SELECT key, lexeme, cardinality(positions) AS num, {length} / %({average})s::float AS length, %({weight})s::float AS weight
    FROM {data}, unnest({field}) AS of_passage(lexeme, positions, weights)
    WHERE {field} @@ %(query)s::tsquery AND lexeme = ANY(%(terms)s){shown}
"""
_SCORED = """
    WITH found AS ({fields}),
    rarity AS (
        SELECT lexeme, weight, ln(1 + (%(num_passages)s::float - count(*) + 0.5) / (count(*) + 0.5)) AS idf
        FROM found GROUP BY lexeme, weight
    ),
    scored AS (
        SELECT key, sum(weight * times * idf * num * 2.2 / (num + 1.2 * (0.25 + 0.75 * length))) AS score
        FROM found JOIN rarity USING (lexeme, weight)
        JOIN unnest(%(terms)s::text[], %(times)s::int[]) AS asked(lexeme, times) USING (lexeme)
        GROUP BY key ORDER BY score DESC, key LIMIT %(max_hits)s
    )
    SELECT score, content FROM scored JOIN {data} USING (key) ORDER BY score DESC, key
"""


@dataclass(eq=False, repr=False)
class Postgres(ServerEngine):
    """Finds passages in a PostgreSQL database by words, or by vectors (with the extension pgvector).

    The address is `postgres://HOST:PORT/DATABASE#COLLECTION`; `?host=FOLDER` names the folder of a Unix socket.
    """

    ADDRESS: ClassVar[AddressForm] = AddressForm("postgres", "postgres://HOST:5432/DATABASE#COLLECTION", has_socket=True)

    password_env: Annotated[str, "environment variable that holds the password"] = "PGPASSWORD"  # noqa: S105 - the name of a variable

    def _connect(self, at: ServerAddress, password: str) -> Server:
        library = require("psycopg", NEEDS_EXTRA)
        given: dict[str, Any] = {"host": at.socket or at.host, "port": at.port or 5432, "dbname": at.path or "postgres"}
        given |= {"user": at.user} if at.user else {}
        given |= {"password": password} if password else {}
        given["sslmode"] = "verify-full" if self._uses_tls else "disable"
        if self._uses_tls:
            given["sslrootcert"] = str(self.ca_certificate) if self.ca_certificate is not None else "system"
        connection = library.connect(**given, autocommit=True, connect_timeout=max(2, round(self.timeout_seconds)))
        return _Connection(library, connection, self.timeout_seconds)

    def _is_temporary(self, error: Exception) -> bool:
        library = require("psycopg", NEEDS_EXTRA)
        codes = library.errors
        lasting = (codes.InvalidPassword, codes.InvalidAuthorizationSpecification, codes.InvalidCatalogName, codes.DiskFull)
        return isinstance(error, library.OperationalError) and not isinstance(error, lasting)


class _Connection:
    """One connection to a database; see `Server`."""

    def __init__(self, library: Any, connection: Any, seconds: float) -> None:
        self._sql = library.sql
        self._connection = connection
        self._seconds = seconds
        self._execute("SELECT set_config('statement_timeout', %s, false)", [str(round(seconds * 1000))])

    def state(self, collection: str) -> str | None:
        if self._execute("SELECT to_regclass(%s)", [STATES]) == [(None,)]:
            return None
        found = self._execute(self._of(STATES, "SELECT state FROM {data} WHERE name = %s"), [collection])
        return str(found[0][0]) if found else None

    def put_state(self, collection: str, state: str) -> None:
        self._execute(self._of(STATES, "CREATE TABLE IF NOT EXISTS {data} (name text PRIMARY KEY, state text NOT NULL)"))
        insert = "INSERT INTO {data} VALUES (%s, %s) ON CONFLICT (name) DO UPDATE SET state = excluded.state"
        self._execute(self._of(STATES, insert), [collection, state])

    def create(self, state: State, *, exact: bool) -> None:
        with self._transaction():
            self.drop(state)
            if state.dimensions:
                self._execute("CREATE EXTENSION IF NOT EXISTS vector")
            vector = f", vector vector({state.dimensions:d})" if state.dimensions else ""
            self._execute(self._of(state.data, _CREATE, vector=vector))
            if state.dimensions and not exact:
                self._execute(self._of(state.data, "CREATE INDEX ON {data} USING hnsw (vector vector_cosine_ops)"))

    def put(self, state: State, rows: Sequence[Row]) -> None:
        with self._transaction():
            self.remove(state, [row.key for row in rows])
            with (
                cut_if_silent(self._connection, self._seconds + _GRACE_SECONDS),
                self._connection.cursor() as cursor,
                cursor.copy(self._of(state.data, "COPY {data} FROM STDIN")) as copy,
            ):
                for row in rows:
                    values: list[Any] = [row.key, row.document, row.content, _tsvector(row.terms), _tsvector(row.title_terms)]
                    values += [row.terms.total(), row.title_terms.total()]
                    values += [list(row.filters[name]) for name in FIELDS] if state.has_filters else []
                    copy.write_row([*values, str(list(row.vector))] if state.dimensions else values)

    def held(self, state: State, keys: Sequence[str], documents: Sequence[str]) -> list[str]:
        select = self._of(state.data, "SELECT content FROM {data} WHERE key = ANY(%s) OR document = ANY(%s)")
        return [content for (content,) in self._execute(select, [list(keys), list(documents)])]

    def remove(self, state: State, keys: Sequence[str]) -> None:
        self._execute(self._of(state.data, "DELETE FROM {data} WHERE key = ANY(%s)"), [list(keys)])

    def finish(self, state: State) -> int:
        with self._transaction():
            self._execute("SET LOCAL statement_timeout = 0")  # indexing millions of rows takes its time
            for name in ("terms", "title_terms"):
                index = self._sql.Identifier(f"{state.data}_{name}")
                create = self._of(
                    state.data, f"CREATE INDEX IF NOT EXISTS {{index}} ON {{data}} USING gin ({name})", index=index
                )
                self._execute(create, seconds=None)
            self._execute(self._of(state.data, "ANALYZE {data}"), seconds=None)
            [(number,)] = self._execute(self._of(state.data, "SELECT count(*) FROM {data}"), seconds=None)
        return int(number)

    def drop(self, state: State) -> None:
        self._execute(self._of(state.data, "DROP TABLE IF EXISTS {data}"))

    def between(self, state: State, first: str, end: str) -> list[str]:
        select = self._of(state.data, "SELECT content FROM {data} WHERE key >= %s AND key < %s")
        return [content for (content,) in self._execute(select, [first, end])]

    def by_terms(
        self, state: State, queries: Sequence[Counter[str]], max_hits: int, title_weight: float, shown: Shown
    ) -> list[Found]:
        fields = [("terms", 1.0, state.num_terms), ("title_terms", title_weight, state.num_title_terms)]
        used = [field for field in fields if field[1] > 0]
        selects = []
        conditions, values = _conditions(shown)
        values |= {"num_passages": state.num_passages, "max_hits": max_hits}
        for name, weight, total in used:
            values |= {f"average_{name}": average(total, state.num_passages), f"weight_{name}": weight}
            parts = {"length": f"num_{name}", "field": name, "average": f"average_{name}", "weight": f"weight_{name}"}
            parts["shown"] = "".join(f" AND {condition}" for condition in conditions)
            selects.append(_FIELD.format(data="{data}", **parts))
        select = self._of(state.data, _SCORED.replace("{fields}", " UNION ALL ".join(selects)))
        found = []
        for terms in queries:
            asked = {"terms": list(terms), "times": list(terms.values()), "query": " | ".join(map(_quoted, terms))}
            found.append([(float(score), content) for score, content in self._execute(select, values | asked)])
        return found

    def by_vectors(
        self, state: State, vectors: Sequence[Sequence[float]], max_hits: int, shown: Shown, *, exact: bool
    ) -> list[Found]:
        conditions, values = _conditions(shown)
        select = self._of(
            state.data,
            "SELECT 1 - (vector <=> %(vector)s::vector), content FROM {data} WHERE {shown} "
            "ORDER BY vector <=> %(vector)s::vector LIMIT %(max_hits)s",
            shown=" AND ".join(["true", *conditions]),
        )
        found = []
        with self._transaction():
            if exact:
                self._execute("SET LOCAL enable_indexscan = off")
            elif shown:  # otherwise only the nearest rows would be considered, however few of them are visible
                self._execute("SET LOCAL hnsw.iterative_scan = strict_order")
            for vector in vectors:
                rows = self._execute(select, values | {"vector": str(list(vector)), "max_hits": max_hits})
                found.append([(float(score), content) for score, content in rows])
        return found

    def close(self) -> None:
        self._connection.close()

    def _of(self, table: str, statement: str, **more: Any) -> Any:
        """A statement about a table, whose name is quoted."""
        named = {name: part if not isinstance(part, str) else self._sql.SQL(part) for name, part in more.items()}
        return self._sql.SQL(statement).format(data=self._sql.Identifier(table), **named)

    def _execute(self, statement: Any, values: Any = None, *, seconds: float | None = -1.0) -> list[tuple[Any, ...]]:
        """The rows that a statement returns.

        Args:
            statement: SQL.
            values: its parameters.
            seconds: how long to wait for the server; `None`: forever; below 0: as long as the options say.
        """
        longest = self._seconds if seconds is not None and seconds < 0 else seconds
        with cut_if_silent(self._connection, longest + _GRACE_SECONDS if longest is not None else None):
            cursor = self._connection.execute(statement, values)
            return list(cursor.fetchall()) if cursor.description is not None else []

    def _transaction(self) -> Any:
        return self._connection.transaction()


def _conditions(shown: Shown) -> tuple[list[str], dict[str, Any]]:
    """The conditions on rows, as SQL, with their parameters."""
    conditions = [f"{name} && %(shown_{number})s" for number, (name, _) in enumerate(shown)]
    return conditions, {f"shown_{number}": list(values) for number, (_, values) in enumerate(shown)}


def _tsvector(terms: Counter[str]) -> str:
    """Terms with as many positions as they have occurrences; which positions does not matter."""
    counted = ((term, min(number, _MAX_COUNT)) for term, number in terms.items())
    return " ".join(f"{_quoted(term)}:{','.join(map(str, range(1, number + 1)))}" for term, number in counted)


def _quoted(term: str) -> str:
    doubled = term.replace("\\", "\\\\").replace("'", "''")
    return f"'{doubled}'"
