"""Records of made-up questions, built through `Trace` as the workbench builds them, to draw."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hopweave.core.errors import ModelError, RunError
from hopweave.core.types import (
    Answer,
    Citation,
    Claim,
    Hit,
    Message,
    Passage,
    Question,
    Reading,
    Reply,
    Sampling,
    Span,
    ToolCall,
    Usage,
)
from hopweave.record import Failure, Read, Record, Search, Setup, Timing, Trace, call_step

HOSTILE = (
    '"quoted" [b] (c) {d} |e| #35; #quot; `code` <script>alert(1)</script> %%{init: {}}%% --> ; & end\nend\n1. item \x1b[31m'
)
"""Everything that may mean something to a terminal, to Mermaid or to a browser."""

LIGHTHOUSE = Passage(
    "lamp-1",
    "Carrow Head Light stands on the north coast of Tarn Island. It was designed by the engineer Ines Halloran and first "
    "lit in 1874. Its lamp was turned by clockwork until 1961, and the keepers' houses beside it are a museum today.",
    "Carrow Head Light",
    "lighthouses.md",
)
ENGINEER = Passage(
    "person-7",
    "Ines Halloran (1836 to 1902) was an engineer of harbours and lights. She was born in Port Merrow, a town known for its "
    "rope walks, and learned her trade in the drawing office of her uncle.",
    "Ines Halloran",
    "people.md",
)
TOWN = Passage(
    "town-3",
    "Port Merrow lies at the mouth of the river Sill. In 1871 it counted 9,400 people, most of whom lived by the rope walks.",
    "Port Merrow",
    "towns.md",
)


@dataclass
class Writer:
    """Files calls in a trace, with a clock that ticks the same each time."""

    trace: Trace
    clock: float = 0.0
    from_store: bool = False

    def timing(self, seconds: float) -> Timing:
        """The next stretch of the clock."""
        started, self.clock = self.clock, self.clock + seconds
        return Timing(started, seconds, from_store=self.from_store)

    def call(
        self, purpose: str, prompt: str, outcome: str | Reply | RunError, seconds: float = 1.5, then: tuple[Message, ...] = ()
    ) -> None:
        """A call of the model, with further turns after the prompt."""
        step_id = self.trace.begin("model_call", purpose)
        messages = self.trace.keep_messages([Message("system", "You answer step by step."), Message("user", prompt), *then])
        usage = Usage(12 + len(prompt.split()), 8, 10)
        result = Reply(outcome, usage=usage) if isinstance(outcome, str) else outcome
        timing = self.timing(seconds)
        self.trace.end(call_step(step_id, self.trace.parent, purpose, messages, Sampling(), 0, result, timing))

    def search(self, queries: list[str], passages: list[Passage]) -> None:
        """A search that finds the passages for every query."""
        step_id = self.trace.begin("search", "search")
        found = self.trace.keep_hits([Hit(passage, 9.5 - rank, rank) for rank, passage in enumerate(passages, start=1)])
        timing = self.timing(0.02)
        self.trace.end(Search(step_id, self.trace.parent, tuple(queries), 5, (found,) * len(queries), None, timing))

    def read(self, query: str, passage: Passage, words: str, confidence: float) -> None:
        """A passage read for a query, which finds the words in it."""
        step_id = self.trace.begin("read", query)
        start = passage.text.find(words)
        reading = Reading(words, Span(start, start + len(words)), confidence) if words else Reading("", None, confidence)
        self.trace.end(Read(step_id, self.trace.parent, query, passage.id, reading, None, self.timing(0.3)))


def cite(mark: int, passage: Passage, quote: str, focus: str = "") -> Citation:
    """A citation of the words as they stand in the passage."""
    start = passage.text.index(quote)
    at = passage.text.index(focus, start) if focus else 0
    return Citation(mark, passage.id, start, start + len(quote), quote, Span(at, at + len(focus)) if focus else None)


def finish(
    trace: Trace, question: Question, answer: Answer | None, error: Failure | None = None, method: str = "searchain"
) -> Record:
    """The record, with a clock that stands still."""
    setup = Setup(
        version="0.1.0",
        method=method,
        options={"max_rounds": 5, "threshold": 1.5},
        llm="qwen2.5-coder-1.5b@cc324af0",
        retriever="bm25@77ab",
        reader="dpr@1f0c",
        budget={"max_llm_calls": 20},
        settings={"corpus": "harbours"},
    )
    trace.prompts = {"searchain.chain": "0123456789abcdef"}
    return replace(trace.finish(question, setup, "2026-02-03T10:20:30Z", answer, error), seconds=14.25)


def searchain(*, from_store: bool = False) -> Record:
    """Two branches: the first is corrected at its first node, the second verified and completed."""
    trace = Trace()
    write = Writer(trace, from_store=from_store)
    write.call("chain", "Where was the engineer of Carrow Head Light born?", "[Query 1]: Who designed Carrow Head Light?", 6.0)
    first = trace.decide("branch", "2 queries", {"round": 1})
    with trace.under(first):
        write.search(["Who designed Carrow Head Light?", "Where was Robert Stev born?"], [LIGHTHOUSE, ENGINEER])
        node = trace.decide("node", "Who designed Carrow Head Light? -> Robert Stev", {"index": 1})
        trace.decide("node", "Where was Robert Stev born? -> Edinburgh", {"index": 2})
    with trace.under(node):
        write.read("Who designed Carrow Head Light?", LIGHTHOUSE, "Ines Halloran", 6.21)
        write.call("reader", "Says the passage who designed it?", "Ines Halloran")
        data = {"origin": "corrected", "support": "supported", "confidence": 6.21, "passage_id": "lamp-1"}
        verdict = trace.decide("verdict", "the passage says Ines Halloran", data)
    with trace.under(verdict):
        write.call("chain", "According to the Reference, the answer should be Ines Halloran", "[Query 2]: ...", 4.0)
        second = trace.decide("branch", "3 queries", {"round": 2})
    with trace.under(second):
        write.search(["Where was Ines Halloran born?"], [ENGINEER, TOWN])
        known = trace.decide("node", "Who designed Carrow Head Light? -> Ines Halloran", {"index": 1})
        born = trace.decide("node", "Where was Ines Halloran born? -> Port Merrow", {"index": 2})
        river = trace.decide("node", "Which river does Port Merrow lie at? -> [unsolved]", {"index": 3})
        for parent, word, confidence in ((known, "verified", 6.21), (born, "verified", 4.8), (river, "completed", 3.02)):
            with trace.under(parent):
                write.read("the query", ENGINEER, "Port Merrow", confidence)
                trace.decide("verdict", word, {"origin": word, "support": "supported", "confidence": confidence})
    trace.decide("path", "Carrow Head Light -> Ines Halloran -> Port Merrow -> Sill", {"nodes": [1, 2, 3]}, after=[river])
    write.call("final", "Write the final content.", "The light was designed by Ines Halloran [1], born in Port Merrow [2].")
    trace.decide("stop", "finished after 2 rounds", {})
    return finish(trace, Question("harbour-12", "Where was the engineer of Carrow Head Light born?"), searchain_answer())


def searchain_answer() -> Answer:
    """An answer of four claims, three of which rest on passages."""
    lamp = cite(1, LIGHTHOUSE, "It was designed by the engineer Ines Halloran and first lit in 1874.", "Ines Halloran")
    born = cite(2, ENGINEER, "She was born in Port Merrow, a town known for its rope walks", "Port Merrow")
    river = cite(3, TOWN, "Port Merrow lies at the mouth of the river Sill.", "Sill")
    return Answer(
        text="Carrow Head Light was designed by Ines Halloran [1], who was born in Port Merrow [2], on the river Sill [3].",
        short="Port Merrow",
        claims=(
            Claim("Who designed Carrow Head Light?", "Ines Halloran", "corrected", "supported", (lamp,)),
            Claim("Where was Ines Halloran born?", "Port Merrow", "verified", "supported", (born,)),
            Claim("Which river does Port Merrow lie at?", "Sill", "completed", "supported", (river, born)),
            Claim("Is a light a building?", "yes"),
        ),
    )


def graph() -> Record:
    """Sub-questions that wait for one another, side by side, without any verdict."""
    trace = Trace()
    top = trace.decide("decompose", "3 sub-questions", {})
    with trace.under(top):
        one = trace.decide("sub-question", "Q1: When was A founded?", {})
        two = trace.decide("sub-question", "Q2: When was B founded?", {})
        trace.decide("sub-question", "Q3: Which came first, #1 or #2?", {}, after=[one, two])
    question = Question("g-1", "Which was founded first, A or B?")
    return finish(trace, question, Answer("A", "A"), method="toqd")


def failed() -> Record:
    """A parse failure, a call that failed, and no answer."""
    trace = Trace()
    write = Writer(trace)
    top = trace.decide("branch", "", {})
    with trace.under(top):
        trace.parse_failed("chain", "no query was found", "I am sorry, but\nI cannot.")
        write.call("chain", "Again?", ModelError("the endpoint said 503", retryable=True))
    error = Failure("ModelError", "the endpoint said 503 three times", retryable=True)
    return finish(trace, Question("f-1", "Who knows?"), None, error)


THOUGHTS = "They ask for a town.\n\nThe designer comes first, so I search for the light of Carrow Head."
"""What the model thinks before it calls a tool."""


def thinking(thoughts: str = THOUGHTS) -> Record:
    """An agent that thinks, calls a tool, reads its result and answers; only its first thoughts are counted."""
    trace = Trace()
    write = Writer(trace)
    asked = "Who designed Carrow Head Light?"
    called = (ToolCall("call_1", "search", '{"query": "Carrow Head Light"}'),)
    usage = Usage(30, 120, 0, thinking_tokens=100)
    write.call("agent", asked, Reply("", "tool_calls", usage, thoughts=thoughts, tool_calls=called))
    write.search(["Carrow Head Light"], [LIGHTHOUSE])
    turns = (
        Message("assistant", "", tool_calls=called, thoughts=thoughts),
        Message("tool", LIGHTHOUSE.text, result_of="call_1"),
    )
    write.call("agent", asked, Reply("Ines Halloran", "stop", Usage(90, 20), thoughts="It says so."), then=turns)
    claim = Claim(
        asked,
        "Ines Halloran",
        "retrieved",
        "supported",
        (cite(1, LIGHTHOUSE, "It was designed by the engineer Ines Halloran"),),
    )
    return finish(trace, Question("t-1", asked), Answer("Ines Halloran [1].", "Ines Halloran", (claim,)), method="tool_agent")


def hostile(text: str = HOSTILE) -> Record:
    """Text that means something to every renderer, wherever text can stand."""
    trace = Trace()
    write = Writer(trace)
    passage = Passage("p<1>", f"Before. {text} After.", text, "x")
    top = trace.decide(text, text, {text: text, "support": text, "confidence": "high"})
    with trace.under(top):
        write.search([text], [passage])
        write.read(text, passage, text, 1.0)
        write.call(text, text, text)
        called = (ToolCall(text, text, text),)
        turns = (Message("assistant", text, tool_calls=called, thoughts=text), Message("tool", text, result_of=text))
        write.call(text, text, Reply(text, text, thoughts=text, tool_calls=called), then=turns)
        write.call("final", text, ModelError(text))
        trace.parse_failed(text, text, text)
        trace.decide("verdict", text, {"origin": text, "support": "supported", "confidence": True})
    citation = cite(1, passage, text, text[len(text) // 3 : len(text) // 2])
    answer = Answer(f"{text} [1] [2]", text, (Claim(text, text, "model", "supported", (citation,)),))
    return finish(trace, Question(text, text), answer, method=text)


def all_records() -> list[Record]:
    """One of each."""
    return [searchain(), searchain(from_store=True), graph(), failed(), thinking(), hostile()]
