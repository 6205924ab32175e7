"""Parses what a model that can search wants done next: the arguments of a tool call, or an action that it wrote as text.

As text it is a JSON object, bare, fenced, in tags, with words around it or cut off, or a call such as `search("...")` at the
beginning of a line. Several that follow each other directly are one turn. What follows is ignored: the model made it up.
With a word joiner in it, as in passages in prompts (`prompt.escape`), an action is not one.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic_core import from_json

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.prompt import LINE_OPENING, unescape
from hopweave.text.citation_marks import marks_in, without_marks
from hopweave.text.quotation import PAIRS, unquoted
from hopweave.text.sentences import sentence_spans

SEARCH, READ, ANSWER = "search", "read_passage", "answer"
NAMES = (SEARCH, READ, ANSWER)

_ALSO_CALLED = {"read": READ, "open_passage": READ, "final_answer": ANSWER, "finish": ANSWER}
_NAME_KEYS = ("action", "name", "tool", "tool_name")
_ARGUMENTS_KEYS = ("arguments", "parameters", "args", "action_input", "tool_input", "input")
_INNER_KEYS = ("next", "function", "tool_call", "call")
_LIST_KEYS = ("tool_calls", "actions", "calls", "tool_uses")
_THOUGHT_KEYS = ("thought", "thoughts", "reasoning", "why")
_QUERY_KEYS = ("queries", "query", "q", "search_query", "question", "keywords", "input", "text")
_NUMBER_KEYS = ("id", "ids", "number", "passage", "passages", "passage_id", "input")
_ANSWER_KEYS = ("answer", "final_answer", "text", "input")
_STATEMENT_KEYS = ("text", "statement", "claim", "fact", "sentence")
_CITED_KEYS = ("passages", "ids", "passage", "id", "sources", "citations")
_GUESS_KEYS = ("is_guess", "guess", "guessed")
# The first keys of the objects that count: the same as in `core.prompt`, which blunts them in passages.
_ALSO_FIRST = ("type", "arguments", "parameters", "query", "queries", "statements")
_FIRST_KEYS = frozenset((*_THOUGHT_KEYS, *_INNER_KEYS, *_NAME_KEYS, *_LIST_KEYS, *NAMES, *_ALSO_FIRST))

_MOST_VALUES = 50
_MOST_NUMBERS = 50
_NUMBER = lazy_pattern(r"(?<!\d)\d{1,3}(?!\d)")
# What may separate two calls of one turn.
_BETWEEN = lazy_pattern(r"(?:[\s,;]|```\w*+|</?\w++>|<\|[^|>\n]{0,40}\|>)*+")
_CLOSING = lazy_pattern(r"\s*+(?:```|</tool_call>|<\|[^|>\n]{0,40}\|>)")
_CALL = lazy_pattern(
    rf"^{LINE_OPENING}(?P<name>search|read_passage|answer)\((?:\w++[ \t]*+=[ \t]*+)?+(?=[\"'“‘\d])(?P<said>.*+)$",
    re.IGNORECASE | re.MULTILINE,
)
_CODE_FENCE = lazy_pattern(r"```\w*+|</?tool_calls?>")
_CITED_IN_WORDS = lazy_pattern(
    r"[\[(【]\s*+(?:passages?|ids?|sources?|p\.)\s*+[#:]?\s*+(\d{1,3}(?:\s*+,\s*+\d{1,3})*+)\s*+[\])】]|【\s*+(\d{1,3})\s*+】",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Statement:
    """A fact that an answer rests on, and the numbers of the passages that are said to state it."""

    text: str
    numbers: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Final:
    """An answer.

    Attributes:
        answer: the answer by itself.
        statements: what it rests on.
        is_guess: whether the model says that the passages leave it open.
        numbers: the passages that are cited for the answer itself, as in "The answer is Brno [2]."
    """

    answer: str
    statements: tuple[Statement, ...] = ()
    is_guess: bool = False
    numbers: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Action:
    """Something that the model wants done.

    Attributes:
        name: `search`, `read_passage` or `answer`; as the model wrote it, if it is none of these.
        queries: those of a search.
        number: the number of the passage to be read.
        final: the answer.
        problem: why it cannot be done, in a few words; empty if it can.
        call_id: the id of the tool call; empty if it was written as text.
    """

    name: str
    queries: tuple[str, ...] = ()
    number: int = 0
    final: Final | None = None
    problem: str = ""
    call_id: str = ""


@dataclass(frozen=True, slots=True)
class Written:
    """The actions in a text.

    Attributes:
        thought: the thought in the object, or the words before the first action.
        actions: in order; empty if there are none.
        end: where the last of them ends.
    """

    thought: str
    actions: tuple[Action, ...]
    end: int


def actions_in(text: str) -> Written:
    """The actions that a text contains, with the thought that led to them. Any text is accepted.

    >>> actions_in('Let me look. {"action": "search", "query": "Brno"} Result: none').actions
    (Action(name='search', queries=('Brno',), number=0, final=None, problem='', call_id=''),)
    """
    return _from_json(text) or _from_calls(text) or _from_cut_json(text) or Written(_words(text), (), len(text))


def action_of(name: str, values: Any = None, call_id: str = "") -> Action:
    """The action with a name and arguments.

    Args:
        name: as the model wrote it; a prefix such as `functions.` is ignored.
        values: an object, or the only argument by itself.
        call_id: see `Action`.
    """
    plain = name.strip().rpartition(".")[2].casefold().replace("-", "_")
    plain = _ALSO_CALLED.get(plain, plain)
    given = values if isinstance(values, Mapping) else {"input": values}
    if plain == SEARCH:
        queries = tuple(map(unescape, _texts(_first(given, _QUERY_KEYS))))
        return Action(SEARCH, queries, problem="" if queries else "the query is empty", call_id=call_id)
    if plain == READ:
        numbers = _numbers(_first(given, _NUMBER_KEYS))
        return Action(READ, (), numbers[0] if numbers else 0, None, "" if numbers else "it names no passage", call_id)
    if plain == ANSWER:
        final = _final(given)
        is_empty = not final.answer and not final.statements
        return Action(ANSWER, (), 0, final, "the answer is empty" if is_empty else "", call_id)
    return Action(name.strip(), problem="there is no such tool", call_id=call_id)


def arguments_in(text: str) -> Any:
    """The arguments of a tool call: the object, even if it is cut off or encoded twice; else the text, as the only argument.

    >>> arguments_in('{"query": "Br'), arguments_in("Brno"), arguments_in("")
    ({'query': 'Br'}, 'Brno', {})
    """
    value: Any = text.strip()
    for _ in range(2):
        if not isinstance(value, str) or not value:
            break
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            break
    if isinstance(value, str) and value.startswith("{"):
        value = _cut_off(value) or value
    return value or {}


def statements_in(text: str) -> tuple[Statement, ...]:
    """The sentences of a text that have marks, such as `[2]`, with the numbers of their marks.

    >>> statements_in("Ada Finch was born in Orlau [2]. So it is Orlau.")
    (Statement(text='Ada Finch was born in Orlau.', numbers=(2,)),)
    """
    text = _CITED_IN_WORDS.sub(lambda match: f"[{match[1] or match[2]}]", text)
    plain, places = without_marks(text)
    spans = sentence_spans(plain)
    starts = [span.start for span in spans]
    cited: dict[int, list[int]] = {}
    for number, place in marks_in(text):
        if spans:
            cited.setdefault(max(0, bisect_left(starts, bisect_left(places, place)) - 1), []).append(number)
    return tuple(
        Statement(" ".join(plain[spans[at].start : spans[at].end].split()), tuple(dict.fromkeys(cited[at])))
        for at in sorted(cited)
    )


def _from_json(text: str) -> Written | None:
    actions: list[Action] = []
    thought, first, end = "", 0, 0
    for start, stop, value in _json_values(text):
        found = list(_actions_of(value))
        if actions and (not found or _BETWEEN.fullmatch(text, end, start) is None):
            break
        if found and not actions:
            first, thought = start, _thought_of(value)
        actions += found
        end = stop if found else end
    if not actions:
        return None
    closing = _CLOSING.match(text, end)
    return Written(thought or _words(text[:first]), tuple(actions), closing.end() if closing else end)


def _from_calls(text: str) -> Written | None:
    matches: list[re.Match[str]] = []
    for match in _CALL.finditer(text):
        if matches and _BETWEEN.fullmatch(text, matches[-1].end(), match.start()) is None:
            break
        matches.append(match)
    if not matches:
        return None
    actions = tuple(action_of(match["name"], _argument(match["said"])) for match in matches)
    return Written(_words(text[: matches[0].start()]), actions, matches[-1].end())


def _from_cut_json(text: str) -> Written | None:
    start = text.find("{")
    value = _cut_off(text[start:]) if start >= 0 else None
    actions = tuple(_actions_of(value))
    return Written(_thought_of(value) or _words(text[:start]), actions, len(text)) if actions else None


def _json_values(text: str) -> Iterator[tuple[int, int, Any]]:
    """Yields the outermost JSON objects and lists of a text, with their positions."""
    decoder = json.JSONDecoder()
    position = 0
    for _ in range(_MOST_VALUES):
        match = re.compile(r"[\[{]").search(text, position)
        if match is None:
            return
        try:
            value, position = decoder.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            position = match.start() + 1
        else:
            yield match.start(), position, value


def _cut_off(text: str) -> Any:
    """The object at the beginning of a text that may end before the object does; `None` if there is none."""
    try:
        value = from_json(text.encode("utf-8", "replace"), allow_partial="trailing-strings")
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _actions_of(value: Any) -> Iterator[Action]:
    """Yields the actions that a JSON value names; a value that names none yields nothing."""
    if isinstance(value, list):
        for one in value:
            if isinstance(one, Mapping):
                yield from _actions_of(one)
    elif isinstance(value, Mapping) and next(iter(value), "") in _FIRST_KEYS:
        inner = _first(value, _INNER_KEYS)
        several = _first(value, _LIST_KEYS)
        if isinstance(inner, Mapping):
            yield from _actions_of(inner)
        elif isinstance(several, list):
            yield from _actions_of(several)
        else:
            yield from _named(value)


def _named(value: Mapping[str, Any]) -> Iterator[Action]:
    for key in _NAME_KEYS:
        if isinstance(name := value.get(key), str):
            given = _first(value, _ARGUMENTS_KEYS)
            given = arguments_in(given) if isinstance(given, str) else given
            action = action_of(name, {k: v for k, v in value.items() if k != key} if given is None else given)
            if key == "action" or given is not None or action.name in NAMES:  # else it is some other object with a name
                yield action
            return
    for name in (SEARCH, READ):  # the name as the key
        if value.get(name) is not None:
            yield action_of(name, value[name])
            return
    if "query" in value or "queries" in value:
        yield action_of(SEARCH, value)
    elif "answer" in value or "statements" in value:
        inner = value.get("answer")
        yield action_of(ANSWER, inner if isinstance(inner, Mapping) else value)


def _final(given: Mapping[str, Any]) -> Final:
    answer = _first(given, _ANSWER_KEYS)
    listed = given.get("statements")
    statements = tuple(dict.fromkeys(filter(None, map(_statement, listed)))) if isinstance(listed, list) else ()
    if isinstance(listed, str):
        statements = statements_in(listed)
    guess = _first(given, _GUESS_KEYS)
    is_guess = guess is True or (isinstance(guess, str) and guess.strip().casefold() in ("true", "yes"))
    return Final(_text(answer), statements, is_guess)


def _statement(value: Any) -> Statement | None:
    if isinstance(value, str):
        marked = statements_in(value)
        numbers = tuple(dict.fromkeys(number for one in marked for number in one.numbers))
        text = " ".join(without_marks(value)[0].split())
        return Statement(text, numbers) if text else None
    if not isinstance(value, Mapping):
        return None
    text = " ".join(_text(_first(value, _STATEMENT_KEYS)).split())
    return Statement(text, _numbers(_first(value, _CITED_KEYS))) if text else None


def _first(values: Mapping[str, Any], keys: Iterable[str]) -> Any:
    return next((values[key] for key in keys if values.get(key) is not None), None)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(filter(None, map(_text, value)))
    return str(value).strip() if isinstance(value, str | int | float) else ""


def _texts(value: Any) -> tuple[str, ...]:
    listed: Sequence[Any] = value if isinstance(value, list) else (value,)
    texts = (" ".join(_text(one).split()) for one in listed)
    return tuple(dict.fromkeys(text for text in texts if any(map(str.isalnum, text))))


def _numbers(value: Any) -> tuple[int, ...]:
    if isinstance(value, list):
        return tuple(dict.fromkeys(number for one in value[:_MOST_NUMBERS] for number in _numbers(one)))
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ()
    if isinstance(value, float):
        return (int(value),) if value.is_integer() else ()
    found = _NUMBER.findall(value)[:_MOST_NUMBERS] if isinstance(value, str) else (value,)
    return tuple(dict.fromkeys(map(int, found)))


def _argument(said: str) -> str:
    """The argument of a call in brackets: what is quoted, else what comes before the bracket that ends it."""
    closing = PAIRS.get(said[:1], "")
    for place in range(1, len(said) if closing else 0):
        if said[place] in closing and said[place - 1] != "\\" and not said[place + 1 : place + 2].isalnum():
            return said[1:place].replace('\\"', '"')
    return unquoted(said.partition(")")[0]).lstrip("".join(PAIRS))


def _thought_of(value: Any) -> str:
    return " ".join(_text(_first(value, _THOUGHT_KEYS)).split()) if isinstance(value, Mapping) else ""


def _words(text: str) -> str:
    """The words before an action, on one line, without what only introduces it."""
    return " ".join(_CODE_FENCE.sub(" ", text).split()).rstrip(":")
