"""Reads first, and looks up only what the reading says is missing: how `stitch` works with a model that is not small.

The passages that are found for the question are shown as numbered facts. One call gives the steps that the facts state, each
with the numbers of its facts, and either the answer or search queries for what is missing. What is missing is searched for,
its facts are added to the conversation, and the model reads again, at most `max_readings` times; the last time it is asked for
the likeliest answer. A step that names no fact is not taken for known: while readings are left, it is looked up as well. If a
reply has no object, the same is asked for once more; if none comes, the answer is what the reply says, unless it was cut off.

Every step is a claim that cites the facts it was read from; in an explanation, whose sentences are claims, only steps that cite
what no sentence cites are. Steps are checked without a model (`reading.checking`).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Any

from hopweave.answering.methods.stitch._drafts import (
    Draft,
    Step,
    answer_in,
    answer_of_step,
    object_in,
    on_one_line,
    said_plainly,
)
from hopweave.answering.parsing.marked import MarkedSentence, marked_sentences
from hopweave.answering.reading.checking import ASKING, Reading, has_words, problems_in_words, problems_of
from hopweave.answering.reading.reading import TEXT, bounded, facts_of, facts_shown
from hopweave.answering.toolkit.claims import Assertion, answer_from_claims, claims_of, final_assertion
from hopweave.answering.toolkit.final_answer import bare_answer, of_form
from hopweave.answering.toolkit.inline import inline
from hopweave.answering.toolkit.schemas import object_of
from hopweave.citations.comparisons import decided_otherwise
from hopweave.citations.support import adds
from hopweave.citations.yes_or_no import follows
from hopweave.core.errors import BudgetReached
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.prompt import prompts_beside, unescape
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Answer, Claim, Message, Passage, Question, Span
from hopweave.text.alternatives import sides_of
from hopweave.text.comparing import is_choice, wanted_of
from hopweave.text.content_words import keys_of, stems_of
from hopweave.text.evidence import Evidence
from hopweave.text.key_terms import FUNCTION_WORDS
from hopweave.text.matching import is_yes_or_no, normalize_answer
from hopweave.text.refusal import does_not_know

_PROMPTS = prompts_beside(__file__)
_EXAMPLES = ("light", "water")
_MAX_STEPS = 8
_SHARE = 3
"""A third of the model's context is for facts."""

_MAX_MISSING = 3
_MAX_PLAIN = 4000
_MAX_PLAIN_LONG = 8000
"""The most characters of a reply without an object that is an answer, or an explanation; a model that goes round in circles
writes more."""

_BETWEEN_ANSWERS = lazy_pattern(r"[,;](?=\s)(?:\s+and\b)?|\band\b")
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
class _Outcome:
    """What the last reading comes to.

    Attributes:
        short: the bare answer, without marks; empty if there is none.
        how: how it was found.
        is_unknown: whether it says that the passages do not tell the answer.
        shown: all passages, those of the facts that steps name first.
        steps: what the steps assert.
        judged: their claims.
        final: the claim for the answer, with what speaks against it.
    """

    short: str
    how: str
    is_unknown: bool
    shown: Sequence[Passage]
    steps: Sequence[Assertion]
    judged: Sequence[Claim]
    final: Assertion


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
        draft = Draft()
        try:
            async for one in self._readings():
                draft = one if one.steps or (one.answer and not (one.refuses and draft.steps)) else draft
        except BudgetReached as reached:
            self._stopped_because = reached.limit
        return self._finished(draft)

    def beginnings(self) -> list[list[Message]]:
        """The turns that its prompts begin with."""
        return [self._examples()]

    async def _readings(self) -> AsyncIterator[Draft]:
        """Yields each reading, with what the one before it found missing."""
        sizes = self.sizes
        new = await self._search([self.question.text], self.num_passages, sizes.max_tokens_facts, sizes.max_gap_facts)
        messages = [*self._examples(), Message("user", self._fill("facts", facts=facts_shown(self.workbench, new)))]
        left, is_repeated = self.max_readings, False
        while left:
            reply, draft = await self._read(messages)
            yield draft
            left -= 1
            if not draft.is_object:
                if is_repeated or not left:
                    return
                messages[-1] = Message("user", f"{messages[-1].text}\n\n{self.workbench.fill(_PROMPTS['again'])}")
                is_repeated = True
                continue
            wanted = self._wanted(draft)
            if draft.answer and not wanted:
                return
            if left:
                new = await self._search(wanted, sizes.num_hop_passages, sizes.max_tokens_hop, sizes.max_gap_hop)
                left = left if new else 1
                going_on = self._going_on(new, is_last=left == 1, has_searched=bool(wanted or draft.missing))
                messages += [Message("assistant", reply), Message("user", going_on)]
        if new:  # else there is nothing left to read
            self._stopped_because = "max_readings"

    def _going_on(self, new: Sequence[Evidence], *, is_last: bool, has_searched: bool) -> str:
        """The request for the next reading.

        Args:
            new: the facts that were found for the last one.
            is_last: whether no other will follow.
            has_searched: whether the last one said what to look up, which was searched for then or before.
        """
        shown = facts_shown(self.workbench, new, start=len(self._facts) - len(new) + 1) if new else ""
        if not is_last:
            return self._fill("more", facts=shown)
        nothing = "found_nothing" if has_searched else "no_answer"
        found = self.workbench.fill(_PROMPTS["found"], facts=shown) if new else self.workbench.fill(_PROMPTS[nothing])
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

    async def _read(self, messages: Sequence[Message]) -> tuple[str, Draft]:
        is_long = self.question.form == "long"
        longest = self.sizes.max_tokens_long if is_long else self.sizes.max_tokens
        reply = await bounded(self.workbench, messages, "read", _SCHEMA, longest)
        read, is_cut = object_in(reply.text), reply.finish_reason == "length"
        option = "max_tokens_long" if is_long else "max_tokens"
        cut = f"the reply was cut off after {longest} tokens, all that methods.stitch.{option} allows"
        self.workbench.parse_failed("read", cut if is_cut else read.problems, reply.text)
        draft = self._draft(read.values, reply.text, is_cut=is_cut)
        told = " / ".join(f"{step.question} {step.answer}" for step in draft.steps) or draft.answer
        wanted = f"missing: {' / '.join(draft.missing)}" if draft.missing else ""
        shown = "; ".join(filter(None, [told, wanted])) or "?"
        self.workbench.decide("reading", shown, answer=draft.answer, missing=list(draft.missing))
        return reply.text, draft

    def _draft(self, values: Mapping[str, Any], text: str, *, is_cut: bool) -> Draft:
        """The reading in a reply; without an object, the answer that it names, unless it was cut off before or is too long."""
        if not values:
            is_answer = not is_cut and len(text) <= (_MAX_PLAIN_LONG if self.question.form == "long" else _MAX_PLAIN)
            said = "" if not is_answer else said_plainly(text) if self.question.form == "short" else text
            answer = bare_answer(self.workbench, said, self.question)[0] if said.strip() else ""
            return Draft(answer=answer, is_object=False, is_cut=is_cut)
        steps = tuple(self._steps(values.get("steps", ())))
        missing = tuple(dict.fromkeys(filter(None, map(on_one_line, values.get("missing", ())))))
        answer = answer_in(values.get("answer", ""), is_explanation=self.question.form == "long")
        return Draft(steps[:_MAX_STEPS], missing[:_MAX_MISSING], answer, is_cut=is_cut)

    def _steps(self, said: Sequence[Any]) -> Iterator[Step]:
        for one in said:
            if isinstance(one, dict):
                question, answer = on_one_line(one.get("question")), answer_of_step(one.get("answer"))
                numbers = one.get("facts")
                if question and answer:
                    yield Step(question, answer, tuple(self._numbered(numbers if isinstance(numbers, list) else [])))

    def _numbered(self, numbers: Sequence[Any]) -> Iterator[Evidence]:
        for number in numbers:
            if type(number) is int and 1 <= number <= len(self._facts):  # `true` is no number
                yield self._facts[number - 1]
            else:
                self.workbench.parse_failed("fact", "there is no fact with this number", str(number))

    def _wanted(self, draft: Draft) -> list[str]:
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
        return self.workbench.fill(_PROMPTS[name], question=inline(self.question.text), **values)

    def _finished(self, draft: Draft) -> Answer:
        outcome = self._outcome(draft)
        if self.question.form == "long" and outcome.short and not outcome.is_unknown and not draft.refuses:
            return self._explained(draft, outcome)
        ending = ""
        if draft.refuses:
            ending = f"{outcome.short.rstrip('.')}."
        elif outcome.is_unknown:
            ending = unstated(draft.missing)
        return answer_from_claims(
            self.question,
            outcome.steps,
            outcome.short,
            outcome.how,
            self.workbench,
            retrieved=outcome.shown,
            ending=ending,
            stopped_because=self._stopped_because,
            final=outcome.final,
            judged=outcome.judged,
        )

    def _outcome(self, draft: Draft) -> _Outcome:
        short, how = bare_answer(self.workbench, draft.answer, self.question) if draft.answer else ("", "empty")
        steps = [self._with_its_fact(step) for step in draft.steps]
        cited = [fact.passage for step in steps for fact in step.facts]
        shown = list({passage.id: passage for passage in (*cited, *self._found)}.values())
        problems = [self._problems(step) for step in steps]
        asserted = [_asserted(step, against, self._found) for step, against in zip(steps, problems, strict=True)]
        judged = claims_of(asserted, self.workbench)
        both = zip(problems, judged, strict=True)
        told = (problems_in_words(against, claim.query) for against, claim in both if claim.support != "supported")
        doubt = _doubt_of(draft, next(filter(None, told), "")) or self._against(short, judged, cited)
        final = self._final("" if draft.refuses else short, shown, steps, doubt=doubt)
        return _Outcome(short, how, _is_unknown(draft, short), shown, asserted, judged, final)

    def _explained(self, draft: Draft, outcome: _Outcome) -> Answer:
        """An explanation, of which each sentence is a claim; so are the steps that cite what no sentence cites."""
        short, shown, steps = outcome.short, outcome.shown, outcome.steps
        doubt = _doubt_of(draft, "")
        said = marked_sentences(draft.answer)[: len(marked_sentences(short))]  # without a closing one
        sentences = [self._sentence(one, shown, doubt) for one in said]
        sentences = sentences or [replace(final_assertion(self.question, unescape(short), shown), doubt=doubt)]
        claims = claims_of([*steps, *sentences], self.workbench, outcome.judged)
        cited = {place for claim in claims[len(steps) :] for place in _places(claim)}
        kept = [number for number, claim in enumerate(outcome.judged) if not _places(claim) <= cited]
        left = [claims[number] for number in (*kept, *range(len(steps), len(claims)))]
        return answer_from_claims(
            self.question,
            [*(steps[number] for number in kept), *sentences[:-1]],
            short,
            outcome.how,
            self.workbench,
            retrieved=shown,
            text=short,
            stopped_because=self._stopped_because,
            final=sentences[-1],
            judged=[_with_mark(number, claim) for number, claim in enumerate(left, start=1)],
        )

    def _sentence(self, one: MarkedSentence, shown: Sequence[Passage], doubt: str) -> Assertion:
        """What a sentence of an explanation asserts, to be looked for first in the facts whose numbers it has."""
        named = [self._facts[number - 1] for number in one.numbers if 1 <= number <= len(self._facts)]
        passages = list({passage.id: passage for passage in (*(fact.passage for fact in named), *shown)}.values())
        spans = {fact.passage.id: fact.span for fact in reversed(named)}
        return Assertion(self.question.text, unescape(one.text), "retrieved", passages, doubt=doubt, read_from=spans)

    def _against(self, short: str, claims: Sequence[Claim], cited: Sequence[Passage]) -> str:
        """What the claims of the steps say against an answer that is concluded from them; empty if nothing."""
        if other := decided_otherwise(self.question.text, short, claims):
            return f"the values that its steps compare give {other}"
        is_told = self.question.form != "short" or follows(self.question.text, short, claims, cited)
        return "" if is_told else "its steps do not say what the question asks"

    def _final(self, short: str, shown: Sequence[Passage], steps: Sequence[Step], *, doubt: str) -> Assertion:
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

    def _with_its_fact(self, step: Step) -> Step:
        """The step, with the facts that state it first, those with most of the words of its question before the others.

        If it named only facts that do not, the first one that does is added: a number is easily wrong.
        """
        if not any(_states(fact, step.answer) for fact in step.facts):
            fact = next((fact for fact in self._facts if _states(fact, step.answer)), None) if step.facts else None
            return step if fact is None else replace(step, facts=(*step.facts, fact))
        asked = stems_of(step.question)
        facts = sorted(step.facts, key=lambda fact: (not _states(fact, step.answer), -len(asked & stems_of(fact.text))))
        return replace(step, facts=tuple(facts), together=tuple(facts) if len(facts) > 1 else ())

    def _problems(self, step: Step) -> list[str]:
        fact = next((fact for fact in step.facts if _states(fact, step.answer)), next(iter(step.facts), None))
        return problems_of(Reading(step.question, step.answer, fact, 1.0, tuple(self._facts)), 0.0)


def _asserted(step: Step, problems: Sequence[str], found: Sequence[Passage]) -> Assertion:
    """The statement of a step, to be cited where a named fact has its words; all that was found may say something else.

    Whether a fact has them is for the support rule, which also finds them in another order, and reads what was named together.
    """
    passages = list({fact.passage.id: fact.passage for fact in step.facts}.values())
    places = [fact for fact in step.facts if _states(fact, step.answer)]
    spans = {fact.passage.id: fact.span for fact in reversed(places or step.facts)}
    doubt = problems_in_words([problem for problem in problems if problem != "elsewhere"], step.question)
    together = [(fact.passage, fact.span) for fact in step.together]
    return Assertion(
        step.question, step.answer, "retrieved", passages, doubt=doubt, read_from=spans, beside=found, together=together
    )


def _with_mark(number: int, claim: Claim) -> Claim:
    return replace(claim, citations=tuple(replace(citation, mark=number) for citation in claim.citations))


def _places(claim: Claim) -> set[tuple[str, int, int]]:
    """The sentences that a claim cites."""
    return {(citation.passage_id, citation.start, citation.end) for citation in claim.citations}


def _is_unknown(draft: Draft, short: str) -> bool:
    """Whether a reading says that the passages do not tell the answer.

    An empty reply says nothing of the passages, nor does one that was cut off before its answer. What answers a step is a
    value, even if it is "None".
    """
    has_read = bool(draft.answer) or (bool(draft.missing or draft.steps) and not draft.is_cut)
    return has_read and does_not_know(short) and all(step.answer != short for step in draft.steps)


def _doubt_of(draft: Draft, failed: str) -> str:
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


def _answers_several(question: str, short: str, steps: Sequence[Step]) -> bool:
    """Whether a question asks for several things, and its answer is those of several steps, alone or with words of each."""
    if len(ASKING.findall(question)) < 2:
        return False
    left, num_said = f" {normalize_answer(short)} ", 0
    for said in sorted({normalize_answer(step.answer) for step in steps}, key=len, reverse=True):
        num_said += bool(said) and f" {said} " in left
        left = left.replace(f" {said} ", "  ") if said else left
    is_nothing_else = num_said > 1 and set(left.split()) <= {"and"}
    return is_nothing_else or _says_each_with_its_words(stems_of(question), short, steps)


def _says_each_with_its_words(asked: Set[str], short: str, steps: Sequence[Step]) -> bool:
    """Whether each part of an answer is that of another step, with words that its question and the whole one have.

    `EUR 89 in 2023 and EUR 97 in 2024`; the other way round, either year would be one of the other step.

    Args:
        asked: the stems of the words of the whole question.
        short: the answer.
        steps: those that were read.
    """
    open_ones, parts = list(steps), _BETWEEN_ANSWERS.split(short)
    for part in parts:
        said = f" {normalize_answer(part)} "
        own = next((step for step in open_ones if _is_answer_of(step, said, asked)), None)
        if own is None:
            return False
        open_ones.remove(own)
    return len(parts) > 1


def _is_answer_of(step: Step, said: str, asked: Set[str]) -> bool:
    """Whether words, between blanks, are the answer of a step, beside words that its question and the whole one have."""
    own = f" {normalize_answer(step.answer)} "
    beside = stems_of(said.replace(own, "  ", 1)) - stems_of(" ".join(FUNCTION_WORDS))
    return bool(own.strip()) and own in said and beside <= asked & stems_of(step.question)


def _answers_a_comparison(question: str, short: str) -> bool:
    """Whether a question compares, or offers two names, and its answer names one of the two if it plainly names them."""
    wanted, sides = wanted_of(question), sides_of(question)
    if wanted == "same":
        return True
    if sides is None:
        return wanted is not None or (is_choice(question) and not adds(question, short))
    return (wanted is not None or is_choice(question)) and any(_names(short, side) for side in sides)


def _name_both_sides(steps: Sequence[Step], question: str) -> bool:
    """Whether steps name both things that a question compares; true if it names no two plainly."""
    said = " ".join(f"{step.question} {step.answer}" for step in steps)
    return all(_names(said, side) for side in sides_of(question) or ())


def _names(text: str, name: str) -> bool:
    """Whether a text has half of the words of a name."""
    words = keys_of(name)
    return 2 * len(words & keys_of(text)) >= len(words)


def _states(fact: Evidence, answer: str) -> bool:
    return has_words(fact.text, answer)
