"""Tree of thought with retrieval: suggests sub-questions, votes, keeps the best, looks up answers, level by level.

The row "ToT" with retrieval of SearChain's table 1, whose adaptation was not published. Decided here: the breadth-first
search of Yao et al. 2023 (arXiv 2305.10601), over states that are sub-questions with evidence and answers. The preset `lite`
suggests 3 in one call and votes once; `full` draws 5 and votes 5 times, like the authors for their task of writing texts. A
suggestion may be to finish; questions that a branch has already asked are dropped; a single suggestion needs no vote.

With `evaluate = "value"`, each suggestion is rated separately instead (sure, likely or impossible), `num_values` times, and the
ratings are added up with the weights of the authors' game of 24. (The authors give a repeated state 0; here it is dropped.) The
answers of several branches are rated in the same way. That takes k times `num_values` draws per level instead of the votes.

Calls for h hops with b = 1: 3 per level (suggest, vote, answer) and 1 for the final answer, so 3 h + 1; if the model itself
finishes before `max_depth`, the suggestion to do so takes 1 more, and 1 to vote unless it is the only one. Rounds of
retrieval: one per level, however its suggestions are made and chosen, so h. `full` draws 5 replies for a suggestion and 5 for
a vote.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Annotated, Literal

from hopweave.answering.methods.planning._choice import (
    FINISH,
    Rating,
    Suggested,
    parse_choice,
    parse_next,
    parse_rating,
    parse_suggestions,
)
from hopweave.answering.methods.planning._planned import Settled, best_so_far, settled
from hopweave.answering.methods.planning._tree import Candidate, State, Wording
from hopweave.answering.parsing.queries import fresh
from hopweave.answering.toolkit.concurrency import all_of, side_by_side
from hopweave.answering.toolkit.demos import NumDemos, Seed, drawn
from hopweave.answering.toolkit.few_shot import MaxWordsShown
from hopweave.answering.toolkit.final_answer import bare_answer
from hopweave.answering.toolkit.stepwise import SHOWN_WORDS, Step, stepwise_answer
from hopweave.core.errors import BudgetReached
from hopweave.core.options import Bounded, Count, Temperature
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Answer, Hit, Message, Question, Sampling
from hopweave.text.matching import normalize_answer

GROUP = "searches for parts"


@dataclass(frozen=True, slots=True)
class _Shape:
    suggest: Literal["propose", "sample"]
    num_candidates: int
    num_votes: int
    num_kept: int
    temperature: float


_WORTH: Mapping[Rating, float] = {"sure": 20.0, "likely": 1.0, "impossible": 0.001}
"""The value of each rating: `value_map` of the authors' game of 24."""

_PRESETS = {"lite": _Shape("propose", 3, 1, 1, 0.7), "full": _Shape("sample", 5, 5, 1, 1.0)}


@dataclass(frozen=True, slots=True)
class TreeOfThought(Bounded):
    """Grows a tree of sub-questions breadth first and answers from the branch that is voted best."""

    preset: Annotated[
        Literal["lite", "full"], "lite: 3 suggestions of one call, 1 vote; full: 5 drawn suggestions, 5 votes"
    ] = "lite"
    suggest: Annotated[
        Literal["propose", "sample"] | None, "one call that lists suggestions, or a draw for each; none: as the preset"
    ] = None
    num_candidates: Annotated[Count | None, "k: suggestions for each branch; none: as the preset"] = None
    num_votes: Annotated[Count | None, "votes on the suggestions of a level; none: as the preset"] = None
    evaluate: Annotated[Literal["vote", "value"], "vote: choose among all suggestions; value: rate each separately"] = "vote"
    num_values: Annotated[Count, "value: ratings drawn for each suggestion"] = 3
    num_kept: Annotated[Count | None, "b: branches kept at each level; none: as the preset"] = None
    temperature: Annotated[Temperature | None, "of suggestions and votes; none: as the preset. Answers are as the model's"] = (
        None
    )
    max_depth: Annotated[Count, "levels, and so rounds of retrieval, at most"] = 5
    num_passages: Annotated[Count, "passages found and shown for each sub-question"] = 1
    n_demos: NumDemos = None
    seed: Seed = 0
    max_words_shown: MaxWordsShown = SHOWN_WORDS
    max_tokens_suggest: Annotated[Count, "longest list of suggestions, or suggestion, in tokens"] = 128
    max_tokens_vote: Annotated[Count, "longest vote, in tokens"] = 200
    max_tokens_answer: Annotated[Count, "longest answer to a sub-question, in tokens"] = 64
    max_tokens: Annotated[Count, "longest final answer, in tokens"] = 256

    async def answer(self, question: Question, workbench: MethodContext) -> Answer:
        return await _Tree(self, self._shape(), question, workbench).answer()

    def _shape(self) -> _Shape:
        preset = _PRESETS[self.preset]
        return _Shape(
            suggest=self.suggest or preset.suggest,
            num_candidates=self.num_candidates or preset.num_candidates,
            num_votes=self.num_votes or preset.num_votes,
            num_kept=self.num_kept or preset.num_kept,
            temperature=preset.temperature if self.temperature is None else self.temperature,
        )


@dataclass(slots=True)
class _Tree:
    """The tree of one question.

    In the record every suggestion is recorded under the branch that it continues, and its ratings, evidence, answer and further
    suggestions under the suggestion: the decisions are the tree. The votes of a level are recorded under the level. Its search
    is recorded under the best of its suggestions: there it is between the calls that led to it and those that read it, which
    determines the number of rounds (`Record.num_rounds`).

    Attributes:
        leaves: branches that have ended, in the order in which they ended.
        held: the branches of the last level that were kept, best first.
        limit: the limit that was reached, if any.
    """

    options: TreeOfThought
    shape: _Shape
    question: Question
    workbench: MethodContext
    words: Wording = field(init=False)
    leaves: list[State] = field(default_factory=list)
    held: list[State] = field(default_factory=list)
    limit: str = ""

    async def answer(self) -> Answer:
        """Grows the tree level by level, then answers from its leaves."""
        options = self.options
        demos = drawn(self.question, "tree_of_thought", options.n_demos, options.seed)
        self.words = Wording(self.question, self.workbench, options.max_words_shown)
        growth = options.max_tokens_suggest + options.max_depth * 2 * options.max_tokens_answer
        self.words = replace(self.words, examples=await self.words.examples_of(demos, growth))
        shape = self.shape
        line = f"{shape.num_candidates} candidates ({shape.suggest}), {shape.num_votes} votes, {shape.num_kept} kept"
        self.held = [State("", self.workbench.decide("tree", line))]
        try:
            for depth in range(1, options.max_depth + 1):
                self.held = await self._level(depth, self.held)
                if not self.held:
                    break
            self.leaves += [replace(state, because="max_depth") for state in self.held]
            return await self._answered_from_leaves()
        except BudgetReached as reached:
            steps = next((state.steps for state in [*self.leaves, *self.held] if state.steps), ())
            short, how = best_so_far(self.question, steps)
            return stepwise_answer(self.question, steps, short, how, self.workbench, stopped_because=reached.limit)

    # -- a level -------------------------------------------------------------------------------------------------------

    async def _level(self, depth: int, states: Sequence[State]) -> list[State]:
        """Suggests, votes, keeps, and answers what was kept. Branches that end become leaves, and keep their position."""
        suggested = all_of(
            await side_by_side(self.workbench, [(state.step_id, partial(self._suggested, state)) for state in states])
        )
        candidates: list[Candidate] = []
        for state, read in zip(states, suggested, strict=True):
            candidates += self._candidates(depth, state, read)
        num_places = self.shape.num_kept - len(self.leaves)
        if not candidates or num_places < 1:
            return []
        names = [one.name for one in candidates]
        level = self.workbench.decide("level", f"level {depth}: {len(candidates)} candidates", candidates=names)
        with self.workbench.under(level):
            order = await self._order_of(candidates)
            kept = [candidates[index] for index in order[:num_places]]
            line = ", ".join(f"[{one.name}] {one.query}" for one in kept)
            self.workbench.decide("kept", line, kept=[one.name for one in kept])
            self.leaves += [State(one.name, one.step_id, one.state.steps, "finished") for one in kept if one.query == FINISH]
            kept = [one for one in kept if one.query != FINISH]
        try:
            found = await self._found(kept)
        except BudgetReached as reached:
            if reached.limit != "max_searches":
                raise
            # The model can still answer from what was found before.
            ended = {one.state.name: replace(one.state, because=reached.limit) for one in kept}
            self.leaves += ended.values()
            return []
        works = [(one.step_id, partial(self._looked_up, one, tuple(hits))) for one, hits in zip(kept, found, strict=True)]
        outcomes = await side_by_side(self.workbench, works)
        self.held = [state for state in outcomes if isinstance(state, State)] or self.held
        return all_of(outcomes)

    async def _suggested(self, state: State) -> Suggested:
        proposes = self.shape.suggest == "propose"
        num = self.shape.num_candidates
        sampling = self._warm(self.options.max_tokens_suggest, () if proposes else ("\n",))
        prompt = self.words.suggestions(state, num if proposes else 0)
        items: list[str] = []
        for text in await self._drawn(prompt, 1 if proposes else num, "suggest", sampling):
            read = (parse_suggestions if proposes else parse_next)(text)
            items += read.items
            self.workbench.parse_failed("suggestions", read.problems, text)
        return Suggested(tuple(items[:num]), ())

    def _candidates(self, depth: int, state: State, suggested: Suggested) -> list[Candidate]:
        """The suggestions for a branch, each once, without questions that it has already asked.

        If none is left, the question itself is asked on the first level; on deeper levels, the branch ends.
        """
        queries, num_repeated = fresh(suggested.items, [step.query for step in state.steps])
        with self.workbench.under(state.step_id):
            if num_repeated:
                self.workbench.decide("repeated", f"{num_repeated} suggestions were asked before")
            if not queries and depth == 1:  # nothing can be repeated yet
                queries = [self.question.text]
            if not queries:
                because = "repeated_question" if num_repeated else "no_candidate"
                self.leaves.append(replace(state, because=because))
            names = [f"{state.name}.{number}".lstrip(".") for number in range(1, len(queries) + 1)]
            return [
                Candidate(state, query, name, self.workbench.decide("candidate", f"[{name}] {query}", query=query))
                for name, query in zip(names, queries, strict=True)
            ]

    async def _found(self, kept: Sequence[Candidate]) -> list[list[Hit]]:
        """The passages for each, from one batch."""
        if not kept:
            return []
        with self.workbench.under(kept[0].step_id):
            return await self.workbench.search([one.query for one in kept], self.options.num_passages)

    async def _looked_up(self, one: Candidate, hits: tuple[Hit, ...]) -> State:
        """The branch with a sub-question and its answer from the passages; an answer that cannot be parsed stays unknown."""
        titles = ", ".join(hit.passage.title or hit.passage.id for hit in hits)
        self.workbench.decide("evidence", titles or "none", passage_ids=[hit.passage.id for hit in hits])
        prompt = self.words.sub_answer(one.state, one.query, hits)
        sampling = replace(self.workbench.sampling, max_tokens=self.options.max_tokens_answer)
        said = (await self.workbench.reply([Message("user", prompt)], purpose="sub-answer", sampling=sampling)).text
        short, _ = bare_answer(self.workbench, said, Question(self.question.id, one.query))
        self.workbench.decide("answer", short or "?")
        return State(one.name, one.step_id, (*one.state.steps, Step(one.query, short, hits)))

    # -- values and votes ------------------------------------------------------------------------------------------------

    async def _order_of(self, candidates: Sequence[Candidate]) -> list[int]:
        if len(candidates) == 1:
            return [0]
        if self.options.evaluate == "vote":
            return await self._order([one.name for one in candidates], self.words.vote(candidates))
        return await self._by_value([(one.name, one.step_id, self.words.value(one)) for one in candidates])

    async def _order_of_answers(self, ends: Sequence[tuple[State, str]]) -> list[int]:
        if len(ends) == 1:
            return [0]
        if self.options.evaluate == "vote":
            return await self._order([leaf.name for leaf, _ in ends], self.words.vote_on_answers(ends))
        return await self._by_value(
            [(leaf.name, leaf.step_id, self.words.value_of_answer(leaf, short)) for leaf, short in ends]
        )

    async def _by_value(self, rated: Sequence[tuple[str, int, str]]) -> list[int]:
        """The positions of the rated items, best first: by the sum of their ratings, then in the given order.

        Args:
            rated: the name, the step to record ratings under, and the prompt of each item.
        """
        outcomes = await side_by_side(self.workbench, [(step, partial(self._value, prompt)) for _, step, prompt in rated])
        self.limit = next((one.limit for one in outcomes if isinstance(one, BudgetReached)), self.limit)
        values = [0.0 if isinstance(outcome, BudgetReached) else outcome for outcome in outcomes]
        line = ", ".join(f"[{name}] {value:g}" for (name, _, _), value in zip(rated, values, strict=True))
        self.workbench.decide("values", line, values=values)
        return sorted(range(len(rated)), key=lambda position: (-values[position], position))

    async def _value(self, prompt: str) -> float:
        """The sum of the ratings; one that cannot be parsed is ignored."""
        total = 0.0
        for text in await self._drawn(prompt, self.options.num_values, "value", self._warm(self.options.max_tokens_vote)):
            rating = parse_rating(text)
            if rating is None:
                self.workbench.parse_failed("rating", "no rating is named" if text.strip() else "the reply is empty", text)
            else:
                total += _WORTH[rating]
        return total

    async def _order(self, names: Sequence[str], prompt: str) -> list[int]:
        """The positions of the choices, best first: by votes, then in the given order. Invalid votes are ignored."""
        votes: Counter[int] = Counter()
        for text in await self._drawn(prompt, self.shape.num_votes, "vote", self._warm(self.options.max_tokens_vote)):
            choice = parse_choice(text, len(names))
            if choice is None:
                self.workbench.parse_failed("vote", "no choice is named" if text.strip() else "the reply is empty", text)
            else:
                votes[choice - 1] += 1
        tally = [votes[index] for index in range(len(names))]
        line = ", ".join(f"[{name}] {num}" for name, num in zip(names, tally, strict=True))
        self.workbench.decide("vote", line, votes=tally)
        return sorted(range(len(names)), key=lambda index: (-votes[index], index))

    async def _drawn(self, prompt: str, num: int, purpose: str, sampling: Sampling) -> list[str]:
        drawn_now = await self.workbench.samples([Message("user", prompt)], num, purpose=purpose, sampling=sampling)
        if drawn_now.reached is not None:
            self.limit = drawn_now.reached.limit
        return [reply.text for reply in drawn_now.replies]

    def _warm(self, max_tokens: int, stop: tuple[str, ...] = ()) -> Sampling:
        return replace(self.workbench.sampling, temperature=self.shape.temperature, top_p=1.0, max_tokens=max_tokens, stop=stop)

    # -- the answer ----------------------------------------------------------------------------------------------------

    async def _answered_from_leaves(self) -> Answer:
        """The answer of the leaf that is voted best; leaves that agree are one choice."""
        outcomes = await side_by_side(self.workbench, [(leaf.step_id, partial(self._final, leaf)) for leaf in self.leaves])
        ends = [(leaf, end) for leaf, end in zip(self.leaves, outcomes, strict=True) if isinstance(end, Settled)]
        if not ends:
            all_of(outcomes)
        first: dict[str, tuple[State, Settled]] = {}
        for leaf, end in ends:
            if end.short:
                first.setdefault(normalize_answer(end.short), (leaf, end))
        choices = list(first.values()) or ends[:1]
        try:
            order = await self._order_of_answers([(leaf, end.short) for leaf, end in choices])
        except BudgetReached as reached:
            order, self.limit = [0], reached.limit
        leaf, end = choices[order[0]]
        limits = [one.limit for one in outcomes if isinstance(one, BudgetReached)]
        ended = "" if end.stopped_because == "finished" else end.stopped_because
        because = next(filter(None, [self.limit, *limits, ended]), leaf.because)
        return stepwise_answer(
            self.question, leaf.steps, end.short, end.how, self.workbench, said=end.said, stopped_because=because
        )

    async def _final(self, leaf: State) -> Settled:
        prompt = self.words.final(leaf)
        sampling = replace(self.workbench.sampling, max_tokens=self.options.max_tokens)
        text = (await self.workbench.reply([Message("user", prompt)], purpose="final", sampling=sampling)).text.strip()
        longest = self.options.max_tokens_answer
        return await settled(self.workbench, self.question, prompt, text, said=text, max_tokens=longest, steps=leaf.steps)
