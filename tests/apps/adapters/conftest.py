"""The scene of every adapter: an index, and answers with a model that says what the rules say."""

from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from apps.cli.test_ask import PASSAGES, RULES

from hopweave.core.types import Passage
from hopweave.models.llms.scripted import Scripted, read_rules
from hopweave.retrieval.engines.bm25 import BM25


@pytest.fixture(autouse=True)
def _scene(tmp_path):
    BM25.build(tmp_path / "index", [*PASSAGES, Passage("pay", "The keeper is paid 90 pounds.", "Pay", access=("board",))])
    Path("rules.toml").write_text(RULES)


@pytest.fixture
def opened():
    """Makes what answers in a framework, of a class with `close`, and closes it at the end."""
    with ExitStack() as stack:

        def of(kind, rules=None, **choices):
            llm = Scripted(rules if rules is not None else read_rules(Path("rules.toml")))
            given = {"corpus": "index", "retriever": "bm25", "method": "searchain", "settings": {"store": {"mode": "off"}}}
            return stack.enter_context(closing(kind(llm=llm, **given | choices)))

        yield of
