"""A record as one HTML page that loads nothing and runs no script, so that it can be printed or put in an appendix."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from hopweave.citations.shortfalls import shortfall_in_words
from hopweave.core.types import Answer, Claim, Message, Usage
from hopweave.record import Failure, ModelCall, Read, Record, Search, Step
from hopweave.show.branch import change_lines
from hopweave.show.cost_line import tally_line, tally_list
from hopweave.show.legend import banner_of, is_explanation, legend_of
from hopweave.show.markup import Markup, escaped, folded, joined, tag
from hopweave.show.outline import (
    ARROW,
    SIGNS,
    TONES,
    Node,
    Outline,
    Tone,
    failure_text,
    make_outline,
    remarks_of,
    small_print,
    stands,
)
from hopweave.show.own_checks import own_checks
from hopweave.show.plain import counted, cut, one_line
from hopweave.show.quoting import Piece, Source, contradictions_of, pieces_of, sources_of, split_at_marks
from hopweave.show.thinking import bounded, called_text, thinking_amount

_HEAD = Markup(
    '<meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width, initial-scale=1">'
    '<meta name="color-scheme" content="light dark">'
    # Whatever a passage contains, the browser must not run or load anything.
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
)


def draw_page(record: Record) -> str:
    """The entire record as one self-contained page."""
    sources = sources_of(record)
    outline = make_outline(record, calls=True)
    sections = [
        _header(record, sources),
        _section("Changed from an earlier answer", _changed(record)),
        _section("Claims", _claims(record.answer, record.steps, sources) if record.answer else None),
        _section("Citations", joined(_citation(source, record.answer) for source in sources)),
        _section("Says otherwise", _contradictions(record)),
        _section("Reasoning", _tree(outline)),
        _section("What the words mean", _legend(record, outline)),
        _section("Calls", _calls(record)),
        _section("Prompts and replies", _conversations(record)),
        _section("Setup", _setup(record)),
        _section("Totals", _facts(tally_list(record), class_="facts totals")),
    ]
    return page(cut(one_line(record.question.text), 80) or "hopweave", sections)


def page(title: str, sections: Sequence[Markup], style: str = "") -> str:
    """A page that loads nothing and runs nothing.

    Args:
        title: the title of the window.
        sections: the content of the page.
        style: our own CSS, in addition to that of every page.
    """
    css = Markup(Path(__file__).with_name("page.css").read_text(encoding="utf-8") + style)
    head = tag("head", _HEAD, tag("title", title), tag("style", css))
    return f'<!doctype html>\n<html lang="en">{head}{tag("body", tag("main", *sections))}</html>\n'


def draw_answer(record: Record, prefix: str, max_around: int | None = None) -> Markup:
    """The answer of a record, or the reason why there is none, with its citations, as one of several on a page.

    Args:
        record: the record with the answer.
        prefix: the start of the anchors of its citations; it must be unique on the page.
        max_around: as for `quoting.pieces_of`.
    """
    sources = sources_of(record, prefix)
    said = [_error(record.error)] if record.error else []
    said += [_answer(record.answer, record.steps, sources)] if record.answer else []
    return joined([*said, *(_citation(source, record.answer, max_around) for source in sources)])


def _section(title: str, inside: Markup | None) -> Markup:
    return tag("section", tag("h2", title), inside, id=title.lower().replace(" ", "-")) if inside else Markup()


def _header(record: Record, sources: Sequence[Source]) -> Markup:
    where = " \u00b7 ".join(part for part in (record.setup.method, record.question.id, record.started_at) if part)
    parts = [tag("p", where, class_="kicker"), tag("h1", record.question.text, dir="auto")]
    if record.question.labels:
        parts.append(tag("p", f"One of: {', '.join(record.question.labels)}", class_="quiet"))
    if record.error is not None:
        parts.append(_error(record.error))
    if record.answer is not None:
        parts.append(_answer(record.answer, record.steps, sources))
    return tag("header", *parts, tag("p", tally_line(record), class_="tally"))


def _error(error: Failure) -> Markup:
    return tag("p", tag("strong", "No answer: "), failure_text(error), class_="error", role="alert")


def _answer(answer: Answer, steps: Sequence[Step], sources: Sequence[Source]) -> Markup:
    banner = banner_of(answer, steps)
    pieces = (piece if mark is None else _mark(mark, sources) for piece, mark in split_at_marks(answer.text, answer))
    text = tag("p", *pieces, class_="long", dir="auto")
    short = tag("p", one_line(answer.short) or "(none)", class_="short", dir="auto")
    is_said = is_explanation(answer)
    parts = [
        text if is_said else short,
        tag("p", tag("strong", f"{banner.sign} {banner.headline}"), f": {banner.counts}.", class_="support"),
    ]
    if not is_said and answer.text.strip() and one_line(answer.text) != one_line(answer.short):
        parts.append(text)
    shown = (tag("p", f"{remark}.", class_="remark") for remark in remarks_of(answer))
    return tag("div", *parts, *shown, class_=f"answer {_tone_class(banner.tone)}")


def _mark(mark: int, sources: Sequence[Source]) -> Markup:
    anchor = next(source.anchor for source in sources if source.citation.mark == mark)
    return tag("a", f"[{mark}]", href=f"#{anchor}", class_="mark")


def _chip(support: str, origin: str = "") -> Markup:
    words = f"{SIGNS.get(support, '')} {stands(support, origin)}".strip()
    return tag("span", words, class_=f"chip {TONES.get(support, 'plain')}")


def _claims(answer: Answer, steps: Sequence[Step], sources: Sequence[Source]) -> Markup:
    found = own_checks(steps)
    rows = [
        tag(
            "tr",
            tag("td", str(number), class_="number"),
            tag(
                "td",
                _chip(claim.support, claim.origin),
                tag("p", shortfall_in_words(claim, found.get(number, "")), class_="query"),
            ),
            tag("td", tag("span", claim.query, class_="query"), dir="auto"),
            tag("td", claim.text or "(open)", dir="auto"),
            tag("td", joined(_marks_of(claim, sources), " "), class_="marks"),
        )
        for number, claim in enumerate(answer.claims, start=1)
    ]
    return _table(("", "Support", "Query", "Claim", "Rests on"), rows, class_="claims")


def _changed(record: Record) -> Markup:
    lines = [tag("li", line, dir="auto") for line in change_lines(record)]
    return tag("ul", *lines) if lines else Markup()


def _contradictions(record: Record) -> Markup:
    """The contradicting passages, each with the claim that it contradicts."""
    return joined(
        _article(f"against claim {number}", source, [record.answer.claims[number - 1]] if record.answer else [])
        for number, source in contradictions_of(record)
    )


def _legend(record: Record, outline: Outline) -> Markup:
    rows = [(entry.word, entry.meaning) for entry in legend_of(record, outline)]
    return _facts(rows, class_="facts legend") if rows else Markup()


def _marks_of(claim: Claim, sources: Sequence[Source]) -> Iterator[Markup]:
    for source in sources:
        if source.citation in claim.citations:
            yield tag("a", f"[{source.citation.mark}]", href=f"#{source.anchor}", class_="mark")


def _table(names: Sequence[str], rows: Sequence[Markup], class_: str, numbers: Collection[int] = ()) -> Markup:
    """A table, or nothing if it has no rows; `numbers` are the positions of its columns of numbers."""
    if not rows:
        return Markup()
    heads = (tag("th", name, scope="col", class_="number" if at in numbers else "") for at, name in enumerate(names))
    head = tag("thead", tag("tr", *heads))
    return tag("div", tag("table", head, tag("tbody", *rows), class_=class_), class_="wide")


def _citation(source: Source, answer: Answer | None, max_around: int | None = None) -> Markup:
    claims = [claim for claim in (answer.claims if answer else ()) if source.citation in claim.citations]
    return _article(f"[{source.citation.mark}]", source, claims, max_around)


def _article(name: str, source: Source, claims: Sequence[Claim], max_around: int | None = None) -> Markup:
    """A passage with its quote, and the claims that it supports or contradicts."""
    supports = [
        tag("p", _chip(claim.support, claim.origin), " ", claim.text, class_="supports", dir="auto") for claim in claims
    ]
    head = [tag("span", name, class_="mark"), " ", tag("strong", source.title, dir="auto")]
    if source.passage and source.passage.source:
        head.append(tag("span", source.passage.source, class_="where"))
    passage = tag("blockquote", *(_piece(piece) for piece in pieces_of(source, max_around)), dir="auto")
    return tag("article", tag("h3", *head), passage, *supports, id=source.anchor, class_="citation")


def _piece(piece: Piece) -> str:
    match piece.role:
        case "passage":
            return piece.text
        case "quote":
            return tag("mark", piece.text)
        case "focus":
            return tag("mark", tag("b", piece.text))


def _tree(outline: Outline) -> Markup:
    made: dict[int, Markup] = {}
    # In reverse order, so that children are built before their parents, without recursion.
    for node, _ in reversed(list(outline.walk())):
        made[node.id] = _tree_item(node, [made[child.id] for child in node.children])
    return tag("ul", *(made[node.id] for node in outline.nodes), class_="tree") if made else Markup()


def _tree_item(node: Node, children: Sequence[Markup]) -> Markup:
    line = _tree_line(node)
    if node.details:
        inside = _facts([(detail.name, detail.text) for detail in node.details], class_="facts particulars")
        line = tag("div", folded(line, inside), class_="line")
    else:
        line = tag("div", line, class_="line bare")
    below = tag("ul", *children) if children else Markup()
    return tag("li", line, below, class_=f"{node.kind} {_tone_class(node.tone)}", id=f"step-{node.id}")


def _tone_class(tone: Tone) -> str:
    return f"tone-{tone}"


def _tree_line(node: Node) -> Markup:
    parts = [tag("span", node.label, class_="label")]
    if node.text:
        parts.append(tag("span", node.text, class_="text", dir="auto"))
    if node.called:
        parts.append(tag("span", f"{ARROW} {node.called}", class_="text", dir="auto"))
    if node.verdict or node.origin:
        parts.append(_chip(node.verdict, node.origin))
    if node.note:
        parts.append(tag("span", node.note, class_="note", dir="auto"))
    parts += [tag("span", text, class_="small") for text in filter(None, [*small_print(node), node.thinking])]
    if node.after:
        links = (tag("a", f"step {other}", href=f"#step-{other}") for other in node.after)
        parts.append(tag("span", "after ", joined(links, ", "), class_="small"))
    if node.kind == "model_call":
        parts.append(tag("a", "prompt", href=f"#call-{node.id}", class_="small"))
    return joined(parts, " ")


def _calls(record: Record) -> Markup:
    words = [len(message.text.split()) for message in record.messages]
    calls = [step for step in record.steps if isinstance(step, ModelCall)]
    thinks = any(step.usage.thinking_tokens for step in calls)
    rows = [_model_call_row(step, words, with_thinking=thinks) for step in calls]
    thinking = ("thinking",) if thinks else ()
    names = ("Model", "Tokens in", "cached", "out", *thinking, "Words in", "out", "Seconds", "Store")
    others = [_other_row(step, record) for step in record.steps if isinstance(step, Search | Read)]
    models = _table(names, rows, class_="calls", numbers=range(1, 7 + len(thinking)))
    rest = _table(("Retriever and reader", "For", "Found", "Seconds", "Store"), others, class_="calls", numbers=(3,))
    return joined([models, rest])


def _model_call_row(step: ModelCall, words: Sequence[int], *, with_thinking: bool) -> Markup:
    num_words = sum(words[index] for index in step.messages)
    numbers = [step.usage.prompt_tokens, step.usage.cached_tokens, step.usage.completion_tokens]
    numbers += [step.usage.thinking_tokens] if with_thinking else []
    numbers += [num_words, len((step.text or "").split())]
    cells = [tag("td", f"{number:,}", class_="number") for number in numbers]
    name = tag("a", step.purpose or "model", href=f"#call-{step.id}")
    failed = joined([" ", tag("span", "failed", class_="chip bad")]) if step.error else ""
    return tag("tr", tag("td", name, failed), *cells, *_timing_cells(step))


def _timing_cells(step: ModelCall | Search | Read) -> tuple[Markup, Markup]:
    tries = f" in {step.timing.attempts} tries" if step.timing.attempts > 1 else ""
    return (
        tag("td", f"{step.timing.seconds:.2f}{tries}", class_="number"),
        tag("td", "yes" if step.timing.from_store else "an equal call" if step.timing.is_merged else "\u2013"),
    )


def _other_row(step: Search | Read, record: Record) -> Markup:
    if isinstance(step, Search):
        name, about, found = "search", joined(step.queries, Markup("<br>")), counted(sum(map(len, step.hits)), "hit")
    else:
        name, about = "read", escaped(step.query)
        found = step.reading.text if step.reading and step.reading.text else "nothing"
    result: str = tag("span", failure_text(step.error), class_="bad") if step.error else found
    return tag("tr", tag("td", name), tag("td", about, dir="auto"), tag("td", result, dir="auto"), *_timing_cells(step))


def _conversations(record: Record) -> Markup:
    first_seen: dict[int, int] = {}
    calls = []
    for step in record.steps:
        if isinstance(step, ModelCall):
            turns = [_turn(index, record.messages[index], step.id, first_seen) for index in step.messages]
            calls.append(_conversation(step, turns))
    return joined(calls)


def _conversation(step: ModelCall, turns: Sequence[Markup]) -> Markup:
    label = tag("span", step.purpose or "model", class_="label")
    if step.error is not None:
        line = tag("span", failure_text(step.error), class_="bad")
        reply = [tag("p", failure_text(step.error), class_="error")]
    else:
        line = tag("span", cut(one_line(step.text or "") or called_text(step.tool_calls), 120), class_="text", dir="auto")
        ended = "" if step.finish_reason == "stop" else f"ended by {step.finish_reason}"
        said = Message("assistant", step.text or "", step.tool_calls, thoughts=step.thoughts)
        reply = list(_turned("reply", said, ended, step.usage))
    return folded(joined([label, line], " "), *turns, *reply, id=f"call-{step.id}", class_="call")


def _turn(index: int, message: Message, call_id: int, first_seen: dict[int, int]) -> Markup:
    """A message in full where it is first sent, later as a link, so that a long conversation is not repeated at each turn."""
    first = first_seen.setdefault(index, call_id)
    if first == call_id:
        note = f"result of {message.result_of}" if message.result_of else ""
        return tag("div", *_turned(message.role, message, note, Usage()), id=f"message-{index}")
    start = tag("span", cut(one_line(message.text) or called_text(message.tool_calls), 80), dir="auto")
    link = tag("a", "as before", href=f"#message-{index}")
    return tag("p", tag("span", message.role, class_="role"), " ", start, " (", link, ")", class_="again")


def _turned(role: str, message: Message, note: str, usage: Usage) -> Iterator[Markup]:
    """A turn of a conversation: its thoughts, folded, its text and its tool calls."""
    if message.thoughts.strip():
        amount = tag("span", thinking_amount(usage, message.thoughts), class_="small")
        title = joined([tag("span", "Thoughts", class_="role"), amount], " ")
        yield folded(title, tag("pre", bounded(message.thoughts), dir="auto"), class_="said thoughts")
    if message.text or not message.tool_calls:
        yield _said(role, message.text, note)
    for call in message.tool_calls:
        yield _said(role, f"{call.name} {bounded(call.arguments)}", f"calls a tool, as {call.id}")


def _said(role: str, text: str, note: str = "") -> Markup:
    title = tag("span", role, class_="role")
    small = tag("span", f" {note}", class_="small") if note else Markup()
    return tag("div", title, small, tag("pre", text, dir="auto"), class_=f"said {'reply' if role == 'reply' else 'sent'}")


def _setup(record: Record) -> Markup:
    setup = record.setup
    rows: list[tuple[str, str]] = [
        ("hopweave", setup.version),
        ("method", setup.method),
        ("model", setup.llm),
        ("retriever", setup.retriever),
        ("reader", setup.reader),
        ("word vectors", setup.word_vectors),
        ("options", _listed(setup.options)),
        ("budget", _listed(setup.budget)),
        ("prompts", _listed(setup.prompts)),
        ("settings", _listed(setup.settings)),
        ("record", f"{record.schema}, fingerprint {record.fingerprint[:16]}"),
    ]
    return _facts([row for row in rows if row[1]], class_="facts")


def _listed(values: Mapping[str, Any]) -> Markup:
    lines = (
        f"{key} = {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}" for key, value in values.items()
    )
    return joined((tag("code", line) for line in lines), Markup("<br>"))


def _facts(rows: Sequence[tuple[str, str]], class_: str) -> Markup:
    return tag("dl", *(tag("div", tag("dt", name), tag("dd", text, dir="auto")) for name, text in rows), class_=class_)
