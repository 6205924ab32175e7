"""Why a question has no answer, in one or two plain lines: what ended it, at which step, and what to set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from hopweave.citations.marking import LISTING, WHOLE_CORPUS, WITHHELD
from hopweave.core.types import Answer
from hopweave.record import Decision, ModelCall, ParseFailure, Read, Record, Search
from hopweave.show.outline import failure_text
from hopweave.show.plain import counted, cut, one_line, seconds_text
from hopweave.show.thinking import of_which, thinking_amount

MAX_CHARACTERS = 160
"""The maximum number of characters of a text that is quoted."""

_MOST_NAMED = 4
_FLAGS = {
    "max_llm_calls": "--max-llm-calls",
    "max_tokens": "--max-tokens",
    "max_searches": "--max-searches",
    "max_seconds": "--max-seconds",
}


def is_intended(record: Record) -> bool:
    """Whether the settings ask for none: it was withheld (`require_support`, `min_confidence`), or passages are only ranked."""
    return record.answer is not None and not record.answer.short.strip() and (_is_withheld(record) or _is_only_ranked(record))


def _is_withheld(record: Record) -> bool:
    return record.answer is not None and record.answer.how in WITHHELD


def _is_of_whole_corpus(record: Record) -> bool:
    return record.answer is not None and record.answer.how in WHOLE_CORPUS


def _is_only_ranked(record: Record) -> bool:
    """Whether the work was done, and the model was asked at most for queries, within searches."""
    if _is_of_whole_corpus(record):
        return False
    within: set[int] = set()
    for step in record.own_steps:
        if isinstance(step, Search) or step.parent in within:
            within.add(step.id)
        elif isinstance(step, ModelCall | Read):
            return False
    return bool(within) and record.answer is not None and record.answer.stopped_because == "finished"


def why_no_answer(record: Record) -> list[str]:
    """One or two lines that say why a record has no answer, and what to do; none if it has one."""
    answer = record.answer
    if answer is None:
        return list(_failure(record))
    if answer.short.strip():
        return []
    if _is_withheld(record):
        return _withheld(record)
    if _is_of_whole_corpus(record):
        return _of_whole_corpus(answer)
    if _is_only_ranked(record):
        return [f"{one_line(record.setup.method)} was set to find passages and to ask the model for none"]
    return _limit(record, answer) or _emptiness(record) or _methods_limit(record, answer) or [_last_trouble(record, answer)]


def _failure(record: Record) -> Iterator[str]:
    """The error, and the step that failed with it."""
    error = record.error
    if error is None:
        yield "the record has neither an answer nor an error"
        return
    yield one_line(error.in_words)
    failed = [step for step in record.steps if not isinstance(step, Decision | ParseFailure) and step.error is not None]
    place = next((step for step in reversed(failed) if step.error == error), None)
    if place is None:
        return
    attempts = place.timing.attempts
    often = f", after {attempts} attempts in {seconds_text(place.timing.seconds)}" if attempts > 1 else ""
    yield f"it failed at {_named(place)}{often}"


def _of_whole_corpus(answer: Answer) -> list[str]:
    if answer.how == LISTING:
        return ["search found no document that mentions it", "search for other words with: hopweave search"]
    return ["the question is about the documents as a whole, and answers come from the passages that a search finds"]


def _withheld(record: Record) -> list[str]:
    withheld = next((step for step in record.steps[::-1] if isinstance(step, Decision) and step.label == "withheld"), None)
    data = withheld.data if withheld is not None else {}
    said = _quoted(withheld.text) if withheld is not None else "what was found"
    support, settings = data.get("support"), record.setup.settings
    if support == "uncertain" or (settings.get("min_confidence") and not settings.get("require_support")):
        return [
            f"{said} is withheld, since {_doubt(data.get('confidence'), settings.get('min_confidence'))}",
            "without --min-confidence it is shown, marked as what it is",
        ]
    why = "a passage contradicts it" if support == "contradicted" else data.get("why") or "no passage supports it"
    return [
        f"{said} is withheld, since {why}",
        "without --require-support it is shown, marked as what it is",
    ]


def _doubt(confidence: object, least: object) -> str:
    """What is known about how certain an answer is that was withheld."""
    if not isinstance(confidence, int | float) or not isinstance(least, int | float):
        return "it is not certain enough"
    return f"its confidence is {confidence:.2f}, and {least:g} is the least that was asked for"


def _limit(record: Record, answer: Answer) -> list[str]:
    """A limit of the budget, what used it, and the flag that raises it."""
    limit = answer.stopped_because
    allowed = record.setup.budget.get(limit)
    if allowed is None or limit not in _FLAGS:
        return []
    used = {"max_llm_calls": _calls, "max_tokens": _tokens, "max_searches": _queries, "max_seconds": _seconds}[limit](record)
    flag = _FLAGS[limit]
    return [
        f"the limit {limit} = {allowed:g} was reached first: {used}",
        f"allow more with {flag} N, or any number with {flag} 0",
    ]


def _calls(record: Record) -> str:
    calls = [step for step in record.own_steps if isinstance(step, ModelCall) and not step.is_shared]
    return f"{counted(len(calls), 'call')} of the model{_by_purpose(Counter(map(_purpose, calls)))}"


def _tokens(record: Record) -> str:
    totals = record.totals()
    spent: Counter[str] = Counter()
    for step in record.own_steps:
        if isinstance(step, ModelCall):
            spent[_purpose(step)] += step.usage.prompt_tokens + step.usage.completion_tokens
    tokens = counted(totals.prompt_tokens + totals.completion_tokens, "token")
    return f"{tokens}{of_which(totals.thinking_tokens, totals.estimated_tokens)}{_by_purpose(spent)}"


def _queries(record: Record) -> str:
    return counted(record.totals().queries, "query", "queries")


def _seconds(record: Record) -> str:
    totals = record.totals()
    calls = f"{counted(totals.llm_calls, 'call')} of the model took {seconds_text(totals.llm_seconds)}"
    return f"{calls}, {counted(totals.searches, 'search', 'searches')} {seconds_text(totals.search_seconds)}"


def _by_purpose(spent: Counter[str]) -> str:
    """What each kind of call used, the most first: ` (chain 3, reader 2)`."""
    first = spent.most_common(_MOST_NAMED)
    others = sum(spent.values()) - sum(num for _, num in first)
    named = [f"{purpose} {num:,}" for purpose, num in first]
    named += [f"others {others:,}"] if len(spent) > len(first) else []
    return f" ({', '.join(named)})" if named else ""


def _emptiness(record: Record) -> list[str]:
    """An empty reply at the end, and where its tokens went."""
    calls = [step for step in record.own_steps if isinstance(step, ModelCall) and step.text is not None]
    if not calls or (calls[-1].text or "").strip() or calls[-1].tool_calls:
        return []
    last = calls[-1]
    thought = thinking_amount(last.usage, last.thoughts)
    if last.finish_reason != "length":
        return [f"the reply of {_named(last)} is empty{f', after {thought} of thinking' if thought else ''}"]
    tokens = counted(last.usage.completion_tokens or last.sampling.max_tokens, "token")
    if thought:
        return [f"the reply of {_named(last)} is empty: all {tokens} went into thinking", _about_thinking(record)]
    return [f"the reply of {_named(last)} is empty: its {tokens} were used up before it said anything"]


def _about_thinking(record: Record) -> str:
    model = str(record.setup.settings.get("llm", ""))
    place = f"llms.{model}" if model.isidentifier() else "llms.NAME"
    return f"allow more with --set {place}.max_thinking_tokens=N, or have it think less with --set {place}.thinking=low"


def _methods_limit(record: Record, answer: Answer) -> list[str]:
    """A limit of the method, such as `max_rounds`, and the setting that raises it."""
    method, limit = record.setup.method, answer.stopped_because
    allowed = record.setup.options.get(limit)
    if isinstance(allowed, bool) or not isinstance(allowed, int | float):
        return []
    return [
        f"{one_line(method)} came to its limit {limit} = {allowed:g} without one",
        f"allow more with --set methods.{one_line(method)}.{limit}=N",
    ]


def _last_trouble(record: Record, answer: Answer) -> str:
    """The most telling of what else went wrong."""
    return next(_troubles(record, answer), "the model gave none")


def _troubles(record: Record, answer: Answer) -> Iterator[str]:
    for step in reversed(record.own_steps):
        if isinstance(step, ModelCall | Search | Read) and step.error is not None:
            yield f"{_named(step)} failed: {failure_text(step.error)}"
    if _found_nothing([step for step in record.own_steps if isinstance(step, Search)]):
        yield "no passage was found for any query; see what the corpus holds with: hopweave search"
    if missing := _missing(record):
        yield f"the passages that were found do not state what is needed: {_quoted('; '.join(missing))}"
    unread = [step for step in record.own_steps if isinstance(step, ParseFailure)]
    for parse_failure in ([step for step in unread if step.parser == "final"] or unread)[-1:]:
        said = f"; it begins with {_quoted(parse_failure.text)}" if parse_failure.text.strip() else ""
        yield f"a reply could not be read (step {parse_failure.id}): {one_line(parse_failure.reason)}{said}"
    if answer.stopped_because not in ("finished", ""):
        yield f"{one_line(record.setup.method)} stopped early: {one_line(answer.stopped_because)}"
    if answer.text.strip():
        yield f"the model says: {_quoted(answer.text)}"


def _missing(record: Record) -> list[str]:
    """What the last reading looked for and did not find."""
    readings = [step for step in record.own_steps if isinstance(step, Decision) and step.label == "reading"]
    missing = readings[-1].data.get("missing") if readings else None
    return list(map(str, missing)) if isinstance(missing, list | tuple) else []


def _found_nothing(searches: Sequence[Search]) -> bool:
    return bool(searches) and not any(hits for step in searches for hits in step.hits)


def _named(step: ModelCall | Search | Read) -> str:
    return f"{_purpose(step) if isinstance(step, ModelCall) else step.kind} (step {step.id})"


def _purpose(step: ModelCall) -> str:
    return one_line(step.purpose) or "model"


def _quoted(text: str) -> str:
    return f'"{cut(one_line(text), MAX_CHARACTERS)}"'
