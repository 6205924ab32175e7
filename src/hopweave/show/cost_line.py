"""The cost of an answer, in one line and as a list."""

from __future__ import annotations

from hopweave.record import ModelCall, Record
from hopweave.show.plain import counted, seconds_text
from hopweave.show.thinking import of_which


def tally_line(record: Record) -> str:
    """Calls, tokens, words, searches, parse failures and seconds, on one line."""
    totals = record.totals()
    some = of_which(totals.thinking_tokens, totals.estimated_tokens)
    parts = [
        counted(totals.llm_calls, "call") + (f" ({totals.llm_failures} failed)" if totals.llm_failures else ""),
        f"{totals.prompt_tokens:,} + {totals.completion_tokens:,} tokens{some}",
        f"{totals.prompt_words:,} + {totals.reply_words:,} words",
        counted(totals.searches, "search", "searches"),
        counted(totals.parse_failures, "parse failure"),
        seconds_text(record.seconds),
        from_store(record),
        _offline_line(record),
    ]
    return " \u00b7 ".join(part for part in parts if part)


def from_store(record: Record) -> str:
    """Says how many model calls were answered from the store; empty if none."""
    replayed = [step.timing.from_store for step in record.own_steps if isinstance(step, ModelCall)]
    if not any(replayed):
        return ""
    return "from the store" if all(replayed) else f"{sum(replayed)} of {len(replayed)} calls from the store"


def _offline_line(record: Record) -> str:
    """Describes the offline work that the question shares with the others of its run; empty if there is none."""
    totals = record.totals(offline=True)
    tokens = totals.prompt_tokens + totals.completion_tokens
    return f"offline, for all questions: {counted(totals.llm_calls, 'call')}, {tokens:,} tokens" if totals.llm_calls else ""


def tally_list(record: Record) -> list[tuple[str, str]]:
    """Every total with its name."""
    totals = record.totals()
    rows = [
        ("calls of the model", f"{totals.llm_calls:,}"),
        ("of them failed", f"{totals.llm_failures:,}"),
        ("prompt tokens", f"{totals.prompt_tokens:,}"),
        ("of them cached", f"{totals.cached_tokens:,}"),
        ("reply tokens", f"{totals.completion_tokens:,}"),
        ("prompt words", f"{totals.prompt_words:,}"),
        ("reply words", f"{totals.reply_words:,}"),
        ("searches", f"{totals.searches:,}"),
        ("queries", f"{totals.queries:,}"),
        ("reads", f"{totals.reads:,}"),
        ("parse failures", f"{totals.parse_failures:,}"),
        ("in the model", seconds_text(totals.llm_seconds)),
        ("in the retriever", seconds_text(totals.search_seconds)),
        ("in all", seconds_text(record.seconds)),
    ]
    if totals.estimated_tokens:
        rows.insert(5, ("tokens estimated, not counted", f"{totals.estimated_tokens:,}"))
    if totals.thinking_tokens:
        rows.insert(5, ("of them thinking", f"{totals.thinking_tokens:,}"))
    offline = record.totals(offline=True)
    if offline.llm_calls:
        rows.append(("offline calls, for all questions", f"{offline.llm_calls:,}"))
        rows.append(("offline tokens, for all questions", f"{offline.prompt_tokens + offline.completion_tokens:,}"))
    replayed = from_store(record)
    return [*rows, ("replayed", replayed)] if replayed else rows
