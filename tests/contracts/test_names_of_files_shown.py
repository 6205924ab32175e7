"""Two editions of a document with one title are told apart by the names of their files, so every method shows these."""

from __future__ import annotations

import pytest
from support.bench import Bench
from support.echo import QUESTIONS, REPLIES
from support.parts import METHODS

from hopweave.core.types import Hit, Passage, Reading, Span
from hopweave.models.llms.scripted import Line

EDITIONS = [
    Passage(edition, f"The key of the lighthouse costs {price}. It was designed by Ida.", "Fees", f"Fees_{edition}.txt")
    for edition, price in (("v3", "seven pounds"), ("v4", "nine pounds"))
]
PRICES = {"v3": "costs seven pounds", "v4": "costs nine pounds"}


class Both:
    """Finds both editions, whatever is asked."""

    identity = "both"

    def search(self, queries, max_hits):
        return [[Hit(passage, 1.0 / rank, rank) for rank, passage in enumerate(EDITIONS[:max_hits], 1)] for _ in queries]

    def close(self):
        pass


class ReadsIda:
    """Reads the last word of each passage, surely."""

    identity = "reads-ida"

    def read(self, pairs):
        return [Reading("Ida", Span(len(passage.text) - 4, len(passage.text) - 1), 4.0) for _, passage in pairs]


async def prompts_with_passages(method):
    """The prompts of a method that show a passage, whatever the form of the replies, each with the edition."""
    shown = []
    for form in REPLIES:
        bench = Bench(lambda *_, form=form: Line(form.format("Aral", "Brno")), reader=ReadsIda())
        bench.retriever = Both()
        await bench.ask(QUESTIONS[0], method, {"max_llm_calls": 12})
        shown += ["\n".join(message.text for message in messages) for messages, _ in bench.llm.calls]
    return [(text, edition) for text in shown for edition, price in PRICES.items() if price in text]


@pytest.mark.parametrize("method", METHODS)
async def test_a_prompt_that_shows_a_passage_shows_the_words_of_its_file_that_its_title_lacks(method):
    for text, edition in await prompts_with_passages(method):
        assert f"Fees ({edition})" in text, text


async def test_that_is_tested_on_prompts_with_both_editions():
    for method in ("direct_retrieval", "stitch", "ircot", "react"):
        assert {edition for _, edition in await prompts_with_passages(method)} >= {"v3"}
