"""The outline of a record, which every drawing is made from.

One walk over the steps gives nested nodes, each with a label, one line of text, a tone and particulars. Three rules:

- A verdict is shown on the step that it judges: a decision labelled `verdict` is folded into its parent, unless the parent has
  several. The steps under the verdict then move under that step.
  Calls (of the model, the retriever, the reader) may be left out; the steps under them move up. A call that failed or was
  changed by hand stays, since it explains what follows.
  A step whose parent is not among the earlier steps moves to the top level, so even a damaged trace is drawn completely.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from hopweave.core.types import Answer
from hopweave.record import Decision, Failure, Found, ModelCall, ParseFailure, Read, Record, Search, Step, Timing
from hopweave.show.hits import via_text
from hopweave.show.plain import counted, cut, one_line, seconds_text
from hopweave.show.thinking import bounded, called_text, of_which, thinking_text
from hopweave.text.citation_marks import leading_mark

Tone = Literal["plain", "good", "new", "warn", "bad", "quiet"]
Kind = Literal["model_call", "search", "read", "decision", "parse_failure"]

TONES: dict[str, Tone] = {
    "supported": "good",
    "uncertain": "warn",
    "contradicted": "bad",
    "unsupported": "warn",
    "duplicate": "quiet",
    "path": "good",
    "cut": "warn",
    "no_terms": "warn",
    "abandoned": "quiet",
    "stop": "quiet",
}
"""Tones of the known verdicts and labels; any other word is plain."""

SIGNS: dict[str, str] = {
    "supported": "\u2713",
    "uncertain": "\u25d0",
    "contradicted": "\u2717",
    "unsupported": "\u25cb",
    "duplicate": "=",
}
"""A sign for each verdict, so that it can be recognised without colour."""

ARROW = "\u2192"

MAX_REPLY_CHARACTERS = 160
MAX_QUERY_CHARACTERS = 300


@dataclass(frozen=True, slots=True)
class Detail:
    """A detail of a step: its name and its value."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Node:
    """A step as it is drawn.

    Attributes:
        id: the id of the step.
        kind: the kind of the step.
        label: the label of the decision, the purpose of the call, or `search`, `read`, `parse failure`.
        text: one line.
        tone: the outcome, for its style.
        verdict: its support, if that was judged.
        origin: where its answer came from.
        confidence: the reader's confidence in that verdict.
        note: any other text of the verdict.
        answer: its answer, from the verdict if there is one.
        became: the verdict's answer, if it differs from that of the step.
        tokens: those of a call; for a decision, those of the calls recorded under it.
        seconds: the duration of a call; for a decision, how long at least one of its calls was running. `None` if nothing was
            timed.
        from_store: whether it was answered by the store.
        thinking: how much the model thought before its reply, such as `thought for 120 tokens`; empty if it did not.
        thoughts: what it thought, without the end if that is long; drawn folded, or not at all.
        called: the tools that it called, on one line.
        details: further details.
        after: drawn steps, other than the parent, that this one had to wait for.
        children: the nodes under it.
    """

    id: int
    kind: Kind
    label: str
    text: str
    tone: Tone = "plain"
    verdict: str = ""
    origin: str = ""
    confidence: float | None = None
    note: str = ""
    answer: str = ""
    became: str = ""
    tokens: int = 0
    seconds: float | None = None
    from_store: bool = False
    thinking: str = ""
    thoughts: str = ""
    called: str = ""
    details: tuple[Detail, ...] = ()
    after: tuple[int, ...] = ()
    children: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class Outline:
    """The nested nodes of a record.

    Attributes:
        question: on one line.
        nodes: the top-level nodes, in order.
        awaited: ids of the nodes that others name in `after`.
    """

    question: str
    nodes: tuple[Node, ...]
    awaited: frozenset[int]

    def walk(self) -> Iterator[tuple[Node, Node | None]]:
        """Yields each node with its parent, parents first, in reading order."""
        waiting: list[tuple[Node, Node | None]] = [(node, None) for node in reversed(self.nodes)]
        while waiting:
            node, parent = waiting.pop()
            yield node, parent
            waiting.extend((child, node) for child in reversed(node.children))


def make_outline(record: Record, *, calls: bool = True) -> Outline:
    """The outline of a record.

    Args:
        record: the record to draw.
        calls: whether to include calls of the model, searches and reads that succeeded.
    """
    titles = {passage.id: passage.title or passage.id for passage in record.passages}
    return outline_of(record.question.text, record.steps, titles, calls=calls)


def outline_of(question: str, steps: Sequence[Step], titles: Mapping[str, str], *, calls: bool = True) -> Outline:
    """The outline of some steps, which need not be all of a record.

    Args:
        question: the question that the steps belong to.
        steps: in the order of their ids.
        titles: the titles of passages, by id; a missing one is replaced by the id.
        calls: as for `make_outline`.
    """
    plan = _plan(steps, calls=calls)
    built: dict[int, Node] = {}
    # Parents come before children, so in reverse order every child is built before its parent, without recursion.
    for step in reversed(plan.drawn):
        children = tuple(built[child] for child in plan.children.get(step.id, []))
        built[step.id] = _node(step, plan, titles, children)
    nodes = tuple(built[top] for top in plan.children.get(None, []))
    return Outline(one_line(question), nodes, frozenset(other for node in built.values() for other in node.after))


def step_behind(record: Record, mark: int) -> int | None:
    """The drawn step that a mark of the answer leads to: the query that its claim answers; `None` if there is no such step.

    If the method lists the steps that the answer rests on (`path`), the query is one of those; otherwise it is the first step
    that asks it.
    """
    claims = record.answer.claims if record.answer is not None else ()
    queries = {claim.query for claim in claims if any(citation.mark == mark for citation in claim.citations)}
    decisions = [step for step in record.steps if isinstance(step, Decision)]
    path = next((step for step in decisions if step.label == "path" and leading_mark(step.text) == mark), None)
    asked = next((step.id for step in decisions if step.data.get("query") in queries), None)
    found = path.after[0] if path and path.after else asked if asked is not None else path.id if path else None
    return _plan(record.steps, calls=False).stands_at.get(found, found) if found is not None else None


def step_line(step: Step) -> str:
    """One step on one line, worded as in the tree, for a client that is notified of each step as it happens."""
    [node] = outline_of("", [step], {}).nodes
    said = " ".join(filter(None, [node.label, node.text, signed(node) if node.verdict else ""]))
    return f"{said}: {node.note}" if node.note else said


def stands(verdict: str, origin: str) -> str:
    """The support of a claim and where it came from, on one line; either may be empty.

    >>> stands("supported", "retrieved"), stands("unsupported", "")
    ('supported, retrieved', 'unsupported')
    """
    return ", ".join(filter(None, [verdict, origin]))


def signed(node: Node) -> str:
    """How a node that was judged stands, after the sign for that."""
    return f"{SIGNS.get(node.verdict, '*')} {stands(node.verdict, node.origin)}"


def small_print(node: Node) -> list[str]:
    """What is drawn after a node in small letters: the reader's confidence, how long it took, and whether the store replied."""
    parts = [f"f {node.confidence:.2f}"] if node.confidence is not None else []
    parts += [seconds_text(node.seconds)] if node.seconds is not None else []
    return parts + (["from the store"] if node.from_store else [])


def remarks_of(answer: Answer) -> Iterator[str]:
    """What is drawn below an answer: why it stopped early, and which marks were removed from its text."""
    if answer.stopped_because != "finished":
        yield f"Stopped early: {one_line(answer.stopped_because)}"
    if answer.num_marks_removed:
        yield f"Invented marks removed: {answer.num_marks_removed}"
    if answer.num_marks_misplaced:
        yield f"Marks removed from sentences that state another claim: {answer.num_marks_misplaced}"


def failure_text(failure: Failure) -> str:
    """A failure on one line."""
    return one_line(failure.in_words) + (" (a retry may help)" if failure.retryable else "")


@dataclass(slots=True)
class _Plan:
    """Which steps are drawn, and where.

    Attributes:
        drawn: the drawn steps, in order.
        stands_at: for each step so far, the drawn step that represents it.
        children: the drawn steps under each drawn step; under `None`, those at the top level.
        verdicts: the verdict folded into a step.
        busy: the timings of the calls recorded under each drawn step; `tokens` is how many tokens they used.
    """

    drawn: list[Step] = field(default_factory=list)
    stands_at: dict[int, int | None] = field(default_factory=dict)
    children: dict[int | None, list[int]] = field(default_factory=dict)
    verdicts: dict[int, Decision] = field(default_factory=dict)
    busy: dict[int | None, list[Timing]] = field(default_factory=dict)
    tokens: Counter[int | None] = field(default_factory=Counter)


def _plan(steps: Sequence[Step], *, calls: bool) -> _Plan:
    plan = _Plan()
    num_verdicts = Counter(step.parent for step in steps if _is_verdict(step))
    judged = {step.id for step in steps if isinstance(step, Decision) and not _is_verdict(step) and num_verdicts[step.id] == 1}
    for step in steps:
        home = plan.stands_at.get(step.parent) if step.parent is not None else None
        if isinstance(step, ModelCall | Search | Read):
            plan.busy.setdefault(home, []).append(step.timing)
            plan.tokens[home] += _tokens_of(step)
            if not calls and step.error is None and not _is_changed(step):
                plan.stands_at[step.id] = home
                continue
        if isinstance(step, Decision) and _is_verdict(step) and home in judged and home == step.parent:
            plan.stands_at[step.id] = home
            plan.verdicts[home] = step
            continue
        plan.stands_at[step.id] = step.id
        plan.drawn.append(step)
        plan.children.setdefault(home, []).append(step.id)
    return plan


def _tokens_of(step: Step) -> int:
    return step.usage.prompt_tokens + step.usage.completion_tokens if isinstance(step, ModelCall) else 0


def _is_changed(step: ModelCall | Search | Read) -> bool:
    """Whether the step was changed by hand, which explains what follows, as a failure does."""
    return not isinstance(step, Read) and bool(step.was or (isinstance(step, Search) and (step.pinned or step.forbidden)))


def _is_verdict(step: Step) -> bool:
    return isinstance(step, Decision) and step.label == "verdict" and isinstance(step.data.get("support"), str)


def _node(step: Step, plan: _Plan, titles: Mapping[str, str], children: tuple[Node, ...]) -> Node:
    match step:
        case Decision():
            return _decision_node(step, plan, children)
        case ModelCall():
            return _model_call_node(step, children)
        case Search():
            return _search_node(step, titles, children)
        case Read():
            return _read_node(step, titles, children)
        case ParseFailure():
            text = f"{one_line(step.parser)}: {one_line(step.reason)}"
            words = (Detail("words", step.text),)
            return Node(step.id, step.kind, "parse failure", text, tone="bad", details=words, children=children)


def _decision_node(step: Decision, plan: _Plan, children: tuple[Node, ...]) -> Node:
    judgement = plan.verdicts.get(step.id, step if isinstance(step.data.get("support"), str) else None)
    verdict = one_line(judgement.data["support"]) if judgement else ""
    origin = one_line(str(judgement.data.get("origin", ""))) if judgement else ""
    note = one_line(judgement.text) if judgement and judgement is not step else ""
    particulars = {**step.data, **(judgement.data if judgement else {})}
    answer = str(particulars.get("answer") or "")
    is_new = judgement is not None and judgement is not step and not step.text.endswith(answer)
    awaited = {plan.stands_at.get(other) for other in (*step.after, *(judgement.after if judgement else ()))}
    parent = plan.stands_at.get(step.parent) if step.parent is not None else None
    return Node(
        id=step.id,
        kind=step.kind,
        label=one_line(step.label) or "decision",
        text=_with_arrows(one_line(step.text)),
        tone=TONES.get(verdict or step.label, "plain"),
        verdict=verdict,
        origin=origin,
        # Of a withheld answer, it is the probability that it is right, and no reader's f.
        confidence=_number(particulars.get("confidence")) if step.label != "withheld" else None,
        note="" if note in (verdict, origin) else note,
        answer=answer,
        became=one_line(answer) if is_new else "",
        tokens=plan.tokens[step.id],
        seconds=_busy_seconds(plan.busy.get(step.id, [])),
        details=tuple(_details(particulars)),
        after=tuple(sorted(other for other in awaited if other is not None and other not in (step.id, parent))),
        children=children,
    )


def _model_call_node(step: ModelCall, children: tuple[Node, ...]) -> Node:
    tokens = f"{step.usage.prompt_tokens:,} in, {step.usage.completion_tokens:,} out{of_which(step.usage.thinking_tokens)}"
    tokens += f", {step.usage.cached_tokens:,} cached" if step.usage.cached_tokens else ""
    details = [Detail("tokens", tokens)]
    if step.finish_reason not in ("stop", "error"):
        details.append(Detail("finished", one_line(step.finish_reason)))
    if step.was is not None:
        details.append(Detail("yours, in place of", one_line(step.was)))
    details += [Detail(f"called {one_line(call.name)}", bounded(call.arguments)) for call in step.tool_calls]
    text = cut(one_line(step.text or ""), MAX_REPLY_CHARACTERS)
    return replace(
        _call_node(step, one_line(step.purpose) or "model", text, details, children),
        thinking=thinking_text(step.usage, step.thoughts),
        thoughts=bounded(step.thoughts),
        called=called_text(step.tool_calls),
    )


def _search_node(step: Search, titles: Mapping[str, str], children: tuple[Node, ...]) -> Node:
    num_hits = sum(len(hits) for hits in step.hits)
    queries = [cut(one_line(query), MAX_QUERY_CHARACTERS) for query in step.queries]
    text = f"{' | '.join(queries)} ({counted(num_hits, 'hit')})"
    details = []
    for query, hits in zip(queries, step.hits, strict=False):
        details.append(Detail(query, "; ".join(_hit_text(hit, titles) for hit in hits) or "nothing found"))
    changed = {"yours, in place of": step.was, "forbidden": step.forbidden, "pinned": step.pinned}
    details += [Detail(name, one_line(" | ".join(texts))) for name, texts in changed.items() if texts]
    return _call_node(step, "search", text, details, children)


def _hit_text(hit: Found, titles: Mapping[str, str]) -> str:
    text = f"{one_line(titles.get(hit.passage_id, hit.passage_id))} {hit.score:.2f}"
    return f"{text} ({via_text(hit.via)})" if hit.via else text


def _read_node(step: Read, titles: Mapping[str, str], children: tuple[Node, ...]) -> Node:
    found = one_line(step.reading.text) if step.reading else ""
    title = one_line(titles.get(step.passage_id, step.passage_id))
    text = f"{one_line(step.query)} {ARROW} {found or 'nothing'} (in {title})"
    details = [Detail("confidence", f"{step.reading.confidence:.2f}")] if step.reading else []
    return _call_node(step, "read", text, details, children)


def _call_node(
    step: ModelCall | Search | Read, label: str, text: str, details: list[Detail], children: tuple[Node, ...]
) -> Node:
    if step.timing.attempts > 1:
        details.append(Detail("attempts", str(step.timing.attempts)))
    if step.error is not None:
        text = failure_text(step.error)
    return Node(
        id=step.id,
        kind=step.kind,
        label=label,
        text=text,
        tone="bad" if step.error else "quiet",
        origin="" if isinstance(step, Read) or not step.was else "yours",
        tokens=_tokens_of(step),
        seconds=step.timing.seconds,
        from_store=step.timing.from_store,
        details=tuple(details),
        children=children,
    )


def _with_arrows(text: str) -> str:
    return text.replace(" -> ", f" {ARROW} ")


def _details(data: dict[str, Any]) -> Iterator[Detail]:
    for name, value in data.items():
        if name in ("origin", "support", "confidence") or value is None or value in ("", [], {}):
            continue
        yield Detail(one_line(name), value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str))


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _busy_seconds(timings: Sequence[Timing]) -> float | None:
    """How long at least one of the calls was running; overlapping calls are counted once."""
    if not timings:
        return None
    seconds, until = 0.0, float("-inf")
    for timing in sorted(timings, key=lambda timing: timing.started_seconds):
        end = timing.started_seconds + timing.seconds
        seconds += max(0.0, end - max(timing.started_seconds, until))
        until = max(until, end)
    return seconds
