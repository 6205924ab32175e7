"""The text of DecomP's modules: lines of calls and results, their demonstrations, pages, and the readers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from hopweave.answering.demonstrations import Demonstration, DemonstrationStep
from hopweave.answering.methods.decomp._controller import parse_answers
from hopweave.answering.toolkit.demos import asked, packed, rationale
from hopweave.answering.toolkit.fenced import fenced
from hopweave.answering.toolkit.final_answer import bare_answer, file_missing, is_missing
from hopweave.answering.toolkit.stepwise import shown
from hopweave.core.prompt import escape, prompts_beside, unescape
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Hit, Message, Passage, Question
from hopweave.text.final import demanded, final_answer

Style = Literal["cot", "direct"]

PROMPTS = prompts_beside(str(Path(__file__).with_name("decomp.py")))
_NEXT_EXAMPLE = ("\nQ:", "\n<passage>")
_END = "QS: [EOQ]"
_MAX_TITLES_SOUGHT = 8  # with one call


@dataclass(frozen=True, slots=True)
class Final:
    """The answer to the question: the bare one, how it was found, its source text, and what was shown for it."""

    short: str
    how: str
    said: str
    hits: tuple[Hit, ...]


def call_line(module: str, argument: str) -> str:
    """A call as it appears after `QS:`."""
    return f" (select) [{module}] {argument}"


def page_of(passage: Passage) -> str:
    """The name of a page: its title, or its id if it has none; a title is external text, and is escaped."""
    return escape(" ".join((passage.title or passage.id).split()))


def key_of_title(title: str) -> str:
    """A key under which equivalent titles are equal."""
    return " ".join(unescape(title).casefold().split())


def as_json(value: Any) -> str:
    """A result as it appears after `A:`, on one line."""
    return json.dumps(value, ensure_ascii=False)


def titled(titles: Iterable[str], question: str) -> str:
    """The argument of a reader of pages."""
    return f"Titles: {as_json(list(dict.fromkeys(titles)))}. Question: {question}"


@dataclass(slots=True)
class Pages:
    """The passages of one question.

    Attributes:
        workbench: the question's workbench.
        num_hits: how many passages are fetched with a query.
        held: every passage that was found, by title.
        results: the passages of each query that was sent.
        sought: titles that were searched for because no query had retrieved them.
    """

    workbench: MethodContext
    num_hits: int
    held: dict[str, list[Hit]] = field(default_factory=dict)
    results: dict[str, list[Hit]] = field(default_factory=dict)
    sought: set[str] = field(default_factory=set)

    async def retrieve(self, query: str) -> list[Hit]:
        """The module `retrieve`; a query that was sent before is not sent again.

        Raises:
            SearchError, BudgetReached: as in `MethodContext.search`.
        """
        if query not in self.results:
            self.results[query] = (await self.workbench.search([query], self.num_hits))[0]
            self._hold(self.results[query])
        return self.results[query]

    async def with_titles(self, titles: Sequence[str], at_hand: list[Hit], query: str) -> list[Hit]:
        """The passages with these titles; if there are none, the given ones; if there are none, the results of the query.

        Raises:
            SearchError, BudgetReached: as in `MethodContext.search`.
        """
        named = {key_of_title(title): unescape(title) for title in titles}
        new = [title for key, title in named.items() if key not in self.held and key not in self.sought][:_MAX_TITLES_SOUGHT]
        self.sought |= {key_of_title(title) for title in new}
        for title, hits in zip(new, await self.workbench.search(new, 1), strict=True):
            self._hold(hit for hit in hits if key_of_title(page_of(hit.passage)) == key_of_title(title))
        found = [hit for key in named for hit in self.held.get(key, ())]
        if titles and not found:
            self.workbench.parse_failed("titles", "no passage has one of the titles", "; ".join(titles))
        return found or at_hand or await self.retrieve(query)

    def all(self) -> list[Hit]:
        """Every passage found so far, title by title, in the order in which titles were found."""
        return [hit for of_title in self.held.values() for hit in of_title]

    def _hold(self, hits: Iterable[Hit]) -> None:
        for hit in hits:
            of_title = self.held.setdefault(key_of_title(page_of(hit.passage)), [])
            if all(hit.passage.id != other.passage.id for other in of_title):
                of_title.append(hit)


@dataclass(frozen=True, slots=True)
class Modules:
    """The prompts of the modules for one question, and its two readers.

    Attributes:
        demos: worked questions; the modules that answer one fact are shown a step of each.
        num_distractors: irrelevant passages in each demonstration of a reader.
        seed: seed for their choice and order.
        max_tokens_call: the limit for a call, and for the reply of the reader of one fact.
        max_tokens_answer: the limit for the reply of the reader of the entire question.
    """

    question: Question
    workbench: MethodContext
    demos: Sequence[Demonstration]
    num_distractors: int
    seed: int
    max_tokens_call: int
    max_tokens_answer: int

    async def decompose(self, room: int) -> str:
        """The prompt of the controller; `room` is the number of tokens that may still be written after it."""
        text = asked(self.workbench, self.question)
        return await self._filled("decompose", [self._decomposed(one) for one in self.demos], room, question=text)

    async def retrieve_odqa(self, query: str, room: int) -> str:
        """The prompt of the controller that answers one fact."""
        return await self._filled("retrieve_odqa", [_looked_up(step) for _, step in self._facts()], room, question=query)

    async def read_fact(self, query: str, hits: Sequence[Hit]) -> tuple[list[str], list[str]]:
        """The answers to a question about one fact, and their pages: all pages that were shown, if none is named.

        A reply that is not JSON is recorded; its first line is still the answer if it is plain text.

        Raises:
            ModelError, BudgetReached, ReplayMiss: as in the calls of the workbench.
        """
        examples = [self._read_example(one, step) for one, step in self._facts()]
        text = await self._read("singlehop_titleqa", examples, hits, self.max_tokens_call, question=query)
        read = parse_answers(text)
        answers = [unescape(answer) for answer in read.answers]
        if read.problems:
            self.workbench.parse_failed("json_answer", read.problems[0], text)
            if text.strip() and "{" not in text:
                answers = [short for short in (bare_answer(self.workbench, text, Question("", query))[0],) if short]
        pages = list(dict.fromkeys(page_of(hit.passage) for hit in hits))
        named = {key_of_title(title) for title in read.titles}
        return [page for page in pages if key_of_title(page) in named] or pages, answers

    async def read_all(self, style: Style, hits: Sequence[Hit]) -> Final:
        """The answer to the entire question.

        Raises:
            ModelError, BudgetReached, ReplayMiss: as in the calls of the workbench.
        """
        form, is_long = self.question.form, self.question.form == "long"
        if style == "cot":
            wanted = demanded(form, self.question.labels)
        else:
            wanted = self.workbench.fill(PROMPTS["direct_long" if is_long else "direct_list"])
        examples = [
            self._with_passages(
                one.passages(self.num_distractors, self.seed), asked(self.workbench, self.question, one.question), said
            )
            for one in self.demos
            for said in [rationale(one, form) if style == "cot" or is_long else as_json([one.answer])]
        ]
        about = asked(self.workbench, self.question)
        name = f"multihop_titleqa_{style}"
        text = await self._read(name, examples, hits, self.max_tokens_answer, question=about, demanded=wanted)
        short, how = self._short(style, text)
        return Final(short, how, text, tuple(hits))

    def _short(self, style: Style, text: str) -> tuple[str, str]:
        if style == "direct" and self.question.form != "long":
            read = parse_answers(text)
            if not read.problems:
                answer = ", ".join(read.answers)
                short = answer if self.question.form == "short" else final_answer(answer, self.question)[0]
                return (short, "json") if short else ("", "empty")
            self.workbench.parse_failed("json_answer", read.problems[0], text)
            return bare_answer(self.workbench, text, self.question) if text.strip() else ("", "empty")
        short, how = final_answer(text, self.question)
        if is_missing(how, self.question.form):
            file_missing(self.workbench, text)
        return short, how

    async def _read(self, name: str, examples: Sequence[str], hits: Sequence[Hit], max_tokens: int, **values: str) -> str:
        passages = "\n".join(shown(hits)) or self.workbench.fill(PROMPTS["none_found"])
        prompt = await self._filled(name, examples, max_tokens, passages=passages, **values)
        sampling = replace(self.workbench.sampling, max_tokens=max_tokens, stop=_NEXT_EXAMPLE)
        reply = await self.workbench.reply([Message("user", prompt)], purpose=name.partition("_")[0], sampling=sampling)
        return reply.text.strip().removeprefix("A:").strip()

    async def _filled(self, name: str, examples: Sequence[str], room: int, **values: str) -> str:
        rest = PROMPTS[name].text + "".join(values.values())
        return self.workbench.fill(PROMPTS[name], examples=await packed(self.workbench, examples, rest, room), **values)

    def _facts(self) -> list[tuple[Demonstration, DemonstrationStep]]:
        """A step of each demonstration: the first of the first one, the second of the second one, and so on."""
        return [(one, one.steps[index % len(one.steps)]) for index, one in enumerate(self.demos)]

    def _decomposed(self, one: Demonstration) -> str:
        lines = [f"QC: {asked(self.workbench, self.question, one.question)}"]
        for step in one.steps:
            lines += [f"QS:{call_line('retrieve_odqa', step.query)}", f"A: {_fact(step)}"]
        titles = list(dict.fromkeys(step.passage.title for step in one.steps))
        lines.append(f"QS:{call_line('multihop_titleqa', titled(titles, one.question))}")
        return "\n".join([*lines, f"A: {as_json([one.answer])}", _END])

    def _read_example(self, one: Demonstration, step: DemonstrationStep) -> str:
        passages = [
            passage
            for passage in one.passages(self.num_distractors, self.seed)
            if passage.id == step.passage.id or passage in one.distractors
        ]
        return self._with_passages(passages, step.query, _fact(step))

    @staticmethod
    def _with_passages(passages: Sequence[Passage], question: str, said: str) -> str:
        return "\n".join([*(fenced(one) for one in passages), f"Q: {question}", f"A: {said}"])


def _fact(step: DemonstrationStep) -> str:
    return as_json({"titles": [step.passage.title], "answer": [step.answer]})


def _looked_up(step: DemonstrationStep) -> str:
    titles = [step.passage.title]
    lines = [
        f"QC: {step.query}",
        f"QS:{call_line('retrieve', step.query)}",
        f"A: {as_json(titles)}",
        f"QS:{call_line('singlehop_titleqa', titled(titles, step.query))}",
        f"A: {_fact(step)}",
        _END,
    ]
    return "\n".join(lines)
