"""Reads first, and looks up only what the reading says is missing: how `stitch` works with a model that is not small.

The passages that are found for the question are shown as numbered facts. One call gives the steps that the facts state, each
with the numbers of its facts, and either the answer or search queries for what is missing. What is missing is searched for,
its facts are added to the conversation, and the model reads again, at most `max_readings` times; the last time it is asked for
the likeliest answer. A step that names no fact is not taken for known: while readings are left, it is looked up as well.

Every step is a claim that cites the fact it was read from. Steps are checked without a model (`reading.checking`).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hopweave.answering.parsing.marked import marked_sentences
from hopweave.answering.reading.checking import ASKING, Reading, has_words, problems_in_words, problems_of
from hopweave.answering.reading.reading import TEXT, bounded, facts_of, facts_shown, object_of, values_of
from hopweave.answering.toolkit.claims import Assertion, answer_from_claims, claims_of
from hopweave.answering.toolkit.final_answer import bare_answer, of_form
from hopweave.answering.toolkit.sentence_claims import answer_in_sentences
from hopweave.citations.comparisons import decided_otherwise
from hopweave.citations.support import adds
from hopweave.citations.yes_or_no import follows
from hopweave.core.errors import BudgetReached
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.prompt import escape, prompts_beside, unescape
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Answer, Claim, Message, Passage, Question, Span
from hopweave.text.alternatives import sides_of
from hopweave.text.comparing import is_choice, wanted_of
from hopweave.text.content_words import keys_of
from hopweave.text.evidence import Evidence
from hopweave.text.matching import is_yes_or_no, normalize_answer
from hopweave.text.refusal import does_not_know

_PROMPTS = prompts_beside(__file__)
_EXAMPLES = ("light", "water")
_MAX_STEPS = 8
_SHARE = 3
"""A third of the model's context is for facts."""

_ARTICLE = lazy_pattern(r"\A(?:an?|the) (?=[a-z])")
"""Before a kind of thing, which the fact has with another word before it: `a comedy film`, `an American comedy film`."""
_MAX_MISSING = 3
_NUMBERS = {"type": "array", "items": {"type": "integer"}}
_STEP = object_of(question=TEXT, answer=TEXT, facts=_NUMBERS)
_SCHEMA = object_of(
    steps={"type": "array", "items": _STEP}, missing={"type": "array", "items": TEXT}, answer=TEXT
)  # without maxItems, which OpenAI's strict mode refuses


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is shown and said.

    Attributes:
        max_tokens_facts: tokens of sentences shown for the question; 0 for entire passages.
        num_hop_passages: passages retrieved for each hop, or thing that is missing.
        max_tokens_hop: tokens of sentences shown for it; 0 for entire passages.
        max_gap_facts: how far below the likeliest sentence for the question another may be; see `text.evidence`.
        max_gap_hop: the same for each hop.
        max_tokens: the maximum length of a reply.
        max_tokens_long: the maximum length of a reply with an explanation.
    """

    max_tokens_facts: int
    num_hop_passages: int
    max_tokens_hop: int
    max_gap_facts: float
    max_gap_hop: float
    max_tokens: int
    max_tokens_long: int


@dataclass(frozen=True, slots=True)
class _Step:
    """A step of a reading: a question, its answer, and the facts that were named for it."""

    question: str
    answer: str
    facts: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class _Draft:
    """A reading: its steps, search queries for what is missing, and the answer, which may be empty."""

    steps: tuple[_Step, ...] = ()
    missing: tuple[str, ...] = ()
    answer: str = ""


@dataclass(slots=True)
class ReadFirst:
    """One question being answered.

    Attributes:
        question: the question.
        workbench: its workbench.
        num_passages: passages retrieved for the question.
        sizes: how much is shown and said; what is missing after a reading shares `max_tokens_hop`.
        max_readings: readings of the facts, at most.
    """

    question: Question
    workbench: MethodContext
    num_passages: int
    sizes: Sizes
    max_readings: int
    _facts: list[Evidence] = field(default_factory=list)
    _found: list[Passage] = field(default_factory=list)
    _searched: list[str] = field(default_factory=list)
    _stopped_because: str = "finished"

    async def answer(self) -> Answer:
        """The answer, with a claim for each step.

        Raises:
            ModelError, SearchError, ReplayMiss: as in the calls of the workbench.
        """
        draft = _Draft()
        try:
            async for one in self._readings():
                draft = one if one.steps or one.answer else draft
        except BudgetReached as reached:
            self._stopped_because = reached.limit
        return self._finished(draft)

    def beginnings(self) -> list[list[Message]]:
        """The turns that its prompts begin with."""
        return [self._examples()]

    async def _readings(self) -> AsyncIterator[_Draft]:
        """Yields each reading, with what the one before it found missing."""
        sizes = self.sizes
        new = await self._search([self.question.text], self.num_passages, sizes.max_tokens_facts, sizes.max_gap_facts)
        messages = [*self._examples(), Message("user", self._fill("facts", facts=facts_shown(self.workbench, new)))]
        left = self.max_readings
        while left:
            reply, draft = await self._read(messages)
            yield draft
            left -= 1
            wanted = self._wanted(draft)
            if draft.answer and not wanted:
                return
            if left:
                new = await self._search(wanted, sizes.num_hop_passages, sizes.max_tokens_hop, sizes.max_gap_hop)
                left = left if new else 1
                messages += [Message("assistant", reply), Message("user", self._going_on(new, is_last=left == 1))]
        if new:  # else there is nothing left to read
            self._stopped_because = "max_readings"

    def _going_on(self, new: Sequence[Evidence], *, is_last: bool) -> str:
        """The request for the next reading."""
        shown = facts_shown(self.workbench, new, start=len(self._facts) - len(new) + 1) if new else ""
        if not is_last:
            return self._fill("more", facts=shown)
        found = self.workbench.fill(_PROMPTS["found"], facts=shown) if new else self.workbench.fill(_PROMPTS["found_nothing"])
        # One of the labels is always an answer, and an explanation can say in words what is not known.
        otherwise = self.workbench.fill(_PROMPTS["unknown"]) if self.question.form == "short" else ""
        return self._fill("last", found=found, otherwise=otherwise)

    def _examples(self) -> list[Message]:
        """The instructions with worked examples, the same for every question of a form, so that servers can cache them."""
        ask = of_form(self.workbench, _PROMPTS, "ask", self.question)
        turns: list[Message] = []
        for name in _EXAMPLES:
            facts = self.workbench.fill(_PROMPTS[f"facts_{name}"])
            question = self.workbench.fill(_PROMPTS[f"question_{name}"])
            reply = self.workbench.fill(_PROMPTS[f"reply_{name}"])
            text = self.workbench.fill(_PROMPTS["facts"], facts=facts, question=question)
            first = f"{self.workbench.fill(_PROMPTS['read'], ask=ask)}\n\n{text}" if not turns else text
            turns += [Message("user", first), Message("assistant", reply)]
        return turns

    async def _read(self, messages: Sequence[Message]) -> tuple[str, _Draft]:
        longest = self.sizes.max_tokens_long if self.question.form == "long" else self.sizes.max_tokens
        reply = await bounded(self.workbench, messages, "read", _SCHEMA, longest)
        values = values_of(self.workbench, reply, "read", {"steps": list, "missing": list, "answer": str})
        draft = self._draft(values, reply.text)
        told = " / ".join(f"{step.question} {step.answer}" for step in draft.steps) or draft.answer
        wanted = f"missing: {' / '.join(draft.missing)}" if draft.missing else ""
        shown = "; ".join(filter(None, [told, wanted])) or "?"
        self.workbench.decide("reading", shown, answer=draft.answer, missing=list(draft.missing))
        return reply.text, draft

    def _draft(self, values: Mapping[str, Any], text: str) -> _Draft:
        """The reading in a reply; without an object, the answer that the reply names."""
        if not values:
            return _Draft(answer=bare_answer(self.workbench, text, self.question)[0])
        steps = tuple(self._steps(values.get("steps", ())))
        missing = tuple(dict.fromkeys(filter(None, map(_on_one_line, values.get("missing", ())))))
        return _Draft(steps[:_MAX_STEPS], missing[:_MAX_MISSING], unescape(str(values.get("answer", "")).strip()))

    def _steps(self, said: Sequence[Any]) -> Iterator[_Step]:
        for one in said:
            if isinstance(one, dict):
                question, answer = _on_one_line(one.get("question")), _ARTICLE.sub("", _on_one_line(one.get("answer")))
                numbers = one.get("facts")
                if question and answer:
                    yield _Step(question, answer, tuple(self._numbered(numbers if isinstance(numbers, list) else [])))

    def _numbered(self, numbers: Sequence[Any]) -> Iterator[Evidence]:
        for number in numbers:
            if type(number) is int and 1 <= number <= len(self._facts):  # `true` is no number
                yield self._facts[number - 1]
            else:
                self.workbench.parse_failed("fact", "there is no fact with this number", str(number))

    def _wanted(self, draft: _Draft) -> list[str]:
        """What to search for next: what is missing, else steps that no fact states; nothing twice."""
        guessed = [] if draft.missing else [step.question for step in draft.steps if not step.facts]
        known = set(map(normalize_answer, self._searched))
        wanted = {normalize_answer(query): query for query in reversed((*draft.missing, *guessed[:_MAX_MISSING]))}
        return [query for key, query in reversed(wanted.items()) if key not in known]

    async def _search(self, queries: Sequence[str], max_hits: int, max_tokens: int, max_gap: float) -> list[Evidence]:
        """The facts that several queries find and that were not shown yet."""
        if not queries:
            return []
        self._searched += queries
        shown = {(fact.passage.id, fact.span) for fact in self._facts}
        new: dict[tuple[str, Span], Evidence] = {}
        for query, hits in zip(queries, await self.workbench.search(queries, max_hits), strict=True):
            self._found += [hit.passage for hit in hits]
            facts = facts_of(query, hits, self._room(max_tokens) // len(queries), max_gap)
            new |= {(fact.passage.id, fact.span): fact for fact in facts if (fact.passage.id, fact.span) not in shown}
        # The sentences of a passage are shown together, under its title.
        order = {key: place for place, key in enumerate(dict.fromkeys(passage for passage, _ in new))}
        ordered = sorted(new.values(), key=lambda fact: (order[fact.passage.id], fact.span.start))
        self._facts += ordered
        return ordered

    def _room(self, max_tokens: int) -> int:
        """The tokens of facts that fit: at most a third of the model's context, if that is known."""
        context = self.workbench.abilities.context_tokens
        return min(max_tokens or context // _SHARE, context // _SHARE) if context else max_tokens

    def _fill(self, name: str, **values: str) -> str:
        return self.workbench.fill(_PROMPTS[name], question=escape(" ".join(self.question.text.split())), **values)

    def _finished(self, draft: _Draft) -> Answer:
        short, how = bare_answer(self.workbench, draft.answer, self.question) if draft.answer else ("", "empty")
        steps = [self._with_its_fact(step) for step in draft.steps]
        cited = [fact.passage for step in steps for fact in step.facts]
        shown = list({passage.id: passage for passage in (*cited, *self._found)}.values())
        has_read = bool(draft.answer or draft.missing or draft.steps)  # an empty reply says nothing of the passages
        is_unknown = has_read and does_not_know(short) and all(step.answer != short for step in steps)  # "None" may be a value
        if self.question.form == "long" and short and not is_unknown:
            return answer_in_sentences(
                self.question,
                marked_sentences(short),
                short,
                how,
                self.workbench,
                passages=shown,
                doubt=_doubt_of(draft, ""),
                text=short,
                stopped_because=self._stopped_because,
            )
        problems = [self._problems(step) for step in steps]
        assertions = [_asserted(step, against, self._found) for step, against in zip(steps, problems, strict=True)]
        judged = claims_of(assertions, self.workbench)
        both = zip(problems, judged, strict=True)
        told = (problems_in_words(against, claim.query) for against, claim in both if claim.support != "supported")
        doubt = _doubt_of(draft, next(filter(None, told), "")) or self._against(short, judged, cited)
        return answer_from_claims(
            self.question,
            assertions,
            short,
            how,
            self.workbench,
            retrieved=shown,
            ending=unstated(draft.missing) if is_unknown else "",
            stopped_because=self._stopped_because,
            final=self._final(short, shown, steps, doubt=doubt),
            judged=judged,
        )

    def _against(self, short: str, claims: Sequence[Claim], cited: Sequence[Passage]) -> str:
        """What the claims of the steps say against an answer that is concluded from them; empty if nothing."""
        if other := decided_otherwise(self.question.text, short, claims):
            return f"the values that its steps compare give {other}"
        is_told = self.question.form != "short" or follows(self.question.text, short, claims, cited)
        return "" if is_told else "its steps do not say what the question asks"

    def _final(self, short: str, shown: Sequence[Passage], steps: Sequence[_Step], *, doubt: str) -> Assertion:
        """The claim for the answer, which rests on the steps if it is concluded from them, as a comparison or a yes is."""
        asked = self.question.text
        is_concluded = not does_not_know(short) and (
            is_yes_or_no(short)
            or self.question.form == "label"
            or _answers_a_comparison(asked, short)
            or _answers_several(asked, short, steps)
        )
        premises = tuple(range(1, len(steps) + 1)) if is_concluded else ()
        passages = () if is_concluded else shown
        if not doubt and is_concluded and not _name_both_sides(steps, asked):
            doubt = "its steps do not name both things that are compared"
        return Assertion(asked, unescape(short), "retrieved", passages, premises, doubt)

    def _with_its_fact(self, step: _Step) -> _Step:
        """The step, with the first fact that states it if it named others: a number is easily wrong."""
        if not step.facts or any(_states(fact, step.answer) for fact in step.facts):
            return step
        fact = next((fact for fact in self._facts if _states(fact, step.answer)), None)
        return step if fact is None else replace(step, facts=(*step.facts, fact))

    def _problems(self, step: _Step) -> list[str]:
        fact = next((fact for fact in step.facts if _states(fact, step.answer)), next(iter(step.facts), None))
        return problems_of(Reading(step.question, step.answer, fact, 1.0, tuple(self._facts)), 0.0)


def _asserted(step: _Step, problems: Sequence[str], found: Sequence[Passage]) -> Assertion:
    """The statement of a step, to be cited where a named fact has its words; all that was found may say something else.

    Whether a fact has them is for the support rule, which also finds them in another order.
    """
    passages = list({fact.passage.id: fact.passage for fact in step.facts}.values())
    places = [fact for fact in step.facts if _states(fact, step.answer)]
    spans = {fact.passage.id: fact.span for fact in reversed(places or step.facts)}
    doubt = problems_in_words([problem for problem in problems if problem != "elsewhere"], step.question)
    return Assertion(step.question, step.answer, "retrieved", passages, doubt=doubt, read_from=spans, beside=found)


def _doubt_of(draft: _Draft, failed: str) -> str:
    """What the reading itself, or the check of its steps, says against its answer; empty if nothing.

    Args:
        draft: the last reading.
        failed: what is wrong with the first step that is not supported for it; empty if nothing.
    """
    if draft.missing:
        return f"the reading says what is missing for it: {' / '.join(draft.missing)}"
    if not draft.steps:
        return "the reading gives no step that leads to it"
    return failed


def unstated(missing: Sequence[str]) -> str:
    """The end of an answer that is not known, which says what was looked for."""
    return " ".join(["The passages do not state the answer.", *([f"Not found: {'; '.join(missing)}."] if missing else [])])


def _answers_several(question: str, short: str, steps: Sequence[_Step]) -> bool:
    """Whether a question asks for several things, and its answer is those of several steps and nothing else."""
    left, num_said = f" {normalize_answer(short)} ", 0
    for said in sorted({normalize_answer(step.answer) for step in steps}, key=len, reverse=True):
        num_said += bool(said) and f" {said} " in left
        left = left.replace(f" {said} ", "  ") if said else left
    return num_said > 1 and set(left.split()) <= {"and"} and len(ASKING.findall(question)) > 1


def _answers_a_comparison(question: str, short: str) -> bool:
    """Whether a question compares, or offers two names, and its answer names one of the two if it plainly names them."""
    wanted, sides = wanted_of(question), sides_of(question)
    if wanted == "same":
        return True
    if sides is None:
        return wanted is not None or (is_choice(question) and not adds(question, short))
    return (wanted is not None or is_choice(question)) and any(_names(short, side) for side in sides)


def _name_both_sides(steps: Sequence[_Step], question: str) -> bool:
    """Whether steps name both things that a question compares; true if it names no two plainly."""
    said = " ".join(f"{step.question} {step.answer}" for step in steps)
    return all(_names(said, side) for side in sides_of(question) or ())


def _names(text: str, name: str) -> bool:
    """Whether a text has half of the words of a name."""
    words = keys_of(name)
    return 2 * len(words & keys_of(text)) >= len(words)


def _states(fact: Evidence, answer: str) -> bool:
    return has_words(fact.text, answer)


def _on_one_line(value: Any) -> str:
    """A text that the model wrote, on one line; empty for anything else."""
    is_text = isinstance(value, str | int | float) and not isinstance(value, bool)
    return unescape(" ".join(str(value).split())) if is_text else ""
