"""What tests over all parts of the catalog share: the names of its parts, and retrievers that find nothing or fail."""

from __future__ import annotations

from hopweave.core import catalog
from hopweave.core.catalog import entries, load
from hopweave.core.errors import MissingExtra, SearchError
from hopweave.core.indexing import OnServer
from hopweave.core.types import Question


def names_of(role: str) -> list[str]:
    """The parts of a role that this package brings; not those of another package that is installed."""
    return [name for name, one in entries(role).items() if ":" not in one.target]


def look_for_parts_again():
    """Has the parts of other packages looked for again when one is next named, after a test installed or removed one."""
    catalog._registered.cache_clear()
    catalog.entries.cache_clear()


METHODS = names_of("methods")
FORMS = [
    Question("short", "Who designed the light of Carrow Head?"),
    Question("label", "Is the light of Carrow Head lit?", "label", ("Yes", "No")),
    Question("long", "Why was the light of Carrow Head built?", "long"),
]
"""A question of each form."""


def asks_the_model(retriever: str) -> bool:
    """Whether a retriever asks the model; not, where its library is missing."""
    try:
        return hasattr(load("retrievers", retriever), "search_with")
    except MissingExtra:
        return False


def is_on_server(retriever: str) -> bool:
    """Whether the corpus of a retriever is on a server; not, where its library is missing."""
    try:
        return isinstance(load("retrievers", retriever), OnServer)
    except MissingExtra:
        return False


class Nothing:
    """A corpus in which nothing is ever found."""

    identity = "nothing"

    def search(self, queries, max_hits):
        return [[] for _ in queries]

    def close(self):
        pass


class Broken(Nothing):
    """An engine that always fails."""

    identity = "broken"

    def search(self, queries, max_hits):
        raise SearchError("the index is gone")
