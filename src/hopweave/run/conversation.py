"""Follow-up questions: "and when did he die?" is rewritten from the earlier turns, so that a method can answer it alone.

This takes at most one call of the model before the method starts. The call belongs to the trace and the budget of its question.
If the reply is of no use, the question stays as it was asked, and the trace says so. The first question of a conversation needs
no call.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hopweave.answering.parsing.json_object import parse_json_object
from hopweave.answering.parsing.rewritten import parse_rewritten
from hopweave.core.errors import SettingsError
from hopweave.core.prompt import escape, prompts_beside, unescape
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Message, Question
from hopweave.record import Decision, Record
from hopweave.text.key_terms import words_in
from hopweave.text.white_space import evenly_spaced

REWRITTEN = "rewritten"
"""The label of the decision, and the purpose of the call."""

MAX_TURNS = 6
"""How many of the latest turns are read."""
MAX_TURN_CHARACTERS = 600
"""How much of a question and of an answer is read; a name that a follow-up refers to is near the beginning."""
MAX_TOKENS = 160

_PROMPTS = prompts_beside(__file__)
_SCHEMA = {
    "type": "object",
    "properties": {"question": {"type": "string"}},
    "required": ["question"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Turn:
    """A question of a conversation, as it was asked, and its answer; empty if there was none."""

    question: str
    answer: str = ""


async def rewrite_follow_up(question: Question, earlier: Sequence[Turn], workbench: MethodContext) -> Question:
    """The question, reworded to be clear without the conversation; unchanged if it is the first, or if the reply is of no use.

    Args:
        question: the question as it was asked.
        earlier: the turns before it, in order.
        workbench: the workbench of this question.

    Raises:
        ModelError, BudgetReached: as `MethodContext.reply` does.
    """
    turns = [_shortened(turn) for turn in earlier[-MAX_TURNS:]]
    if not turns:
        return question
    prompt = workbench.fill(
        _PROMPTS["rewrite"],
        turns="\n".join(_shown(turn, workbench) for turn in turns),
        question=escape(evenly_spaced(question.text)),
    )
    sampling = replace(
        workbench.sampling,
        temperature=0.0,
        max_tokens=MAX_TOKENS,
        stop=(),
        json_schema=_SCHEMA if workbench.abilities.json_schema else None,
    )
    text = (await workbench.reply([Message("user", prompt)], purpose=REWRITTEN, sampling=sampling)).text
    whole, problem = _read(text, question.text, turns)
    if problem:
        workbench.parse_failed("conversation", f"{problem}; the question stays as it was asked", text)
    whole = whole or question.text
    shown = [{"question": turn.question, "answer": turn.answer} for turn in turns]
    workbench.decide(REWRITTEN, whole, asked=question.text, turns=shown)
    return replace(question, text=whole)


def asked_of(record: Record) -> tuple[Question, tuple[Turn, ...]]:
    """The input that reproduces a record: its question as it was asked, and the turns that were read before it."""
    for step in record.steps:
        if isinstance(step, Decision) and step.label == REWRITTEN and "asked" in step.data:
            asked = replace(record.question, text=str(step.data["asked"]))
            return asked, tuple(_turns(step.data.get("turns")))
    return record.question, ()


def turn_of(record: Record) -> Turn:
    """A record as a turn of the conversation that it continues: its question as it was asked, and its bare answer."""
    said = record.answer.short or record.answer.text if record.answer is not None else ""
    return Turn(asked_of(record)[0].text, said)


def turns_of(earlier: Iterable[Turn | Record | Mapping[str, str]]) -> tuple[Turn, ...]:
    """The turns of a conversation, each given as a turn, as its record, or as a mapping with `question` and `answer`.

    >>> turns_of([{"question": "Who built it?", "answer": "Ines Halloran"}, Turn("When?")])
    (Turn(question='Who built it?', answer='Ines Halloran'), Turn(question='When?', answer=''))

    Raises:
        SettingsError: for anything else, such as a single turn.
    """
    if isinstance(earlier, str | Turn | Record | Mapping) or not isinstance(earlier, Iterable):
        raise SettingsError(f"earlier must be a list of turns, not {type(earlier).__name__}; for a single one: earlier=[...]")
    return tuple(map(_turn_of, earlier))


def _turn_of(given: Turn | Record | Mapping[str, str]) -> Turn:
    if isinstance(given, Record):
        return turn_of(given)
    turn: Any = Turn(given.get("question", None), given.get("answer", "")) if isinstance(given, Mapping) else given  # type: ignore[arg-type]
    if not isinstance(turn, Turn) or not isinstance(turn.question, str) or not isinstance(turn.answer, str):
        raise SettingsError(
            f"earlier holds {given!r:.80}, which is no turn; give Turn(question, answer), a record, or a mapping with question "
            "and answer, both of them texts"
        )
    return turn


def _turns(kept: Any) -> Iterator[Turn]:
    for one in kept if isinstance(kept, list | tuple) else ():
        if isinstance(one, dict):
            yield Turn(str(one.get("question", "")), str(one.get("answer", "")))


def _shortened(turn: Turn) -> Turn:
    return Turn(evenly_spaced(turn.question)[:MAX_TURN_CHARACTERS], evenly_spaced(turn.answer)[:MAX_TURN_CHARACTERS])


def _shown(turn: Turn, workbench: MethodContext) -> str:
    answer = escape(turn.answer) or workbench.fill(_PROMPTS["unanswered"])
    return workbench.fill(_PROMPTS["turn"], question=escape(turn.question), answer=answer)


def _read(text: str, asked: str, turns: Sequence[Turn]) -> tuple[str, str]:
    """The question in a reply, and the problem with it; one of the two is empty."""
    read = parse_json_object(text, {"question": str})
    said = unescape(str(read.values.get("question", text)))
    whole = evenly_spaced(parse_rewritten(said, asked)).lstrip('"“ ')
    if not whole:
        return "", "there is no question in the reply"
    strangers = _strangers(whole, [asked, *(part for turn in turns for part in (turn.question, turn.answer))])
    if strangers:
        return "", f"the reply names what nobody mentioned ({', '.join(strangers)})"
    return whole, ""


def _strangers(whole: str, mentioned: Sequence[str]) -> list[str]:
    """Names and numbers of a question, except its first word, that nobody mentioned: most likely a guess at the answer."""
    known = {word.stem for text in mentioned for word in words_in(text)}
    named = [word for word in words_in(whole)[1:] if word.is_named and word.says_something]
    return list(dict.fromkeys(word.written for word in named if word.stem not in known))
