"""The two ways in which the model says what it wants done: by calling tools, or as a JSON object.

Both offer the same three actions. The words of the tools' descriptions are those of the JSON form's instructions.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from hopweave.answering.methods.tool_agent._actions import (
    ANSWER,
    READ,
    SEARCH,
    Action,
    action_of,
    actions_in,
    arguments_in,
)
from hopweave.answering.toolkit.final_answer import of_form
from hopweave.answering.toolkit.schemas import object_of
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.prompt import prompts_beside
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Message, Question, Reply, Sampling, Tool, ToolCall
from hopweave.text.final import map_label

PROMPTS = prompts_beside(str(Path(__file__).with_name("tool_agent.py")))

_MOST_QUERIES, _MOST_STATEMENTS, _MOST_CITED = 4, 10, 5
_NOT_IN_A_NAME = lazy_pattern(r"[^A-Za-z0-9_-]")
_LONGEST_NAME = 64

_TEXT: Mapping[str, Any] = {"type": "string"}
_NUMBER: Mapping[str, Any] = {"type": "integer"}


@dataclass(frozen=True, slots=True)
class Turn:
    """A reply of the model.

    Attributes:
        thought: what it says about what it does; empty if it says nothing.
        actions: what it wants done, in order; empty if the reply has no action.
        said: the reply as a turn of the conversation, without what the model invented after its actions.
        text: the text of the reply.
    """

    thought: str
    actions: tuple[Action, ...]
    said: Message
    text: str


class Asking(Protocol):
    """How the model is asked for its next action."""

    def opening(self, *, num_searches: int, pinned: str) -> str:
        """The first message.

        Args:
            num_searches: the searches that it may make.
            pinned: the passages that come with the question, as they are shown; empty if there are none.
        """

    def sampling(self, *, is_last: bool) -> Sampling:
        """The sampling of a turn. In the last one the model can only answer."""

    def read(self, reply: Reply) -> Turn:
        """What the model wants done. What cannot be parsed is recorded."""

    def results(self, actions: Sequence[Action], texts: Sequence[str]) -> list[Message]:
        """The messages with the result of each action."""

    def unusable(self) -> str:
        """What the model is told about a reply without an action."""

    def finish(self) -> str:
        """The request to answer."""


@dataclass(slots=True)
class _Form:
    """What both ways share."""

    workbench: MethodContext
    question: Question
    max_tokens: int
    _num_calls: int = 0
    _ids: set[str] = field(default_factory=set)

    def _fill(self, prompt: str, /, **values: str) -> str:
        return self.workbench.fill(PROMPTS[prompt], **values)

    def _with_question(self, *before: str) -> str:
        return "\n\n".join(filter(None, [*before, self._fill("question", question=self.question.text)]))

    @property
    def _parts(self) -> tuple[str, ...]:
        """The parts of an answer. An explanation is its statements, of which each stands for itself."""
        return ("statements",) if self.question.form == "long" else ("statements", "answer", "is_guess")

    def _described(self) -> dict[str, str]:
        """What each part of an answer is."""
        if self.question.form == "long":
            return {"statements": self._fill("statements_long")}
        answer = of_form(self.workbench, PROMPTS, "answer", self.question)
        return {"statements": self._fill("statements"), "answer": answer, "is_guess": self._fill("is_guess")}

    def _aim(self, num: int) -> str:
        return self._fill("aim", searches=self._fill("one_search") if num == 1 else self._fill("searches", num=str(num)))

    def _final_fields(self, *, is_described: bool) -> dict[str, Any]:
        """The fields of an answer, as a JSON schema; what it rests on comes first, so that it is thought of first."""
        said = self._described() if is_described else {}
        statement = object_of(text=_TEXT, passages={"type": "array", "items": _NUMBER, "maxItems": _MOST_CITED})
        fields: dict[str, dict[str, Any]] = {
            "statements": {"type": "array", "items": statement, "maxItems": _MOST_STATEMENTS},
            "answer": {**_TEXT, **({"enum": list(self.question.labels)} if self.question.form == "label" else {})},
            "is_guess": {"type": "boolean"},
        }
        return {name: {**fields[name], **({"description": said[name]} if said else {})} for name in self._parts}


@dataclass(slots=True)
class ByTools(_Form):
    """The model calls tools. An action that it writes as text instead is taken all the same."""

    def opening(self, *, num_searches: int, pinned: str) -> str:
        return self._with_question(self._aim(num_searches), self._fill("by_tools"), pinned)

    def sampling(self, *, is_last: bool) -> Sampling:
        search = Tool(SEARCH, self._fill("search"), object_of(query=_TEXT))
        read = Tool(READ, self._fill("read"), object_of(id=_NUMBER))
        answer = Tool(ANSWER, self._fill("tool_answer"), object_of(**self._final_fields(is_described=True)))
        tools = (answer,) if is_last else (search, read, answer)
        return replace(self.workbench.sampling, max_tokens=self.max_tokens, tools=tools)

    def read(self, reply: Reply) -> Turn:
        if not reply.tool_calls:
            written = actions_in(reply.text)
            said = Message("assistant", reply.text[: written.end], thoughts=reply.thoughts if written.actions else "")
            return Turn(written.thought, written.actions, said, reply.text)
        actions, calls = [], []
        for call in reply.tool_calls:
            values = arguments_in(call.arguments)
            call_id = self._own_id(call.id)
            actions.append(action_of(call.name, values, call_id))
            calls.append(ToolCall(call_id, _NOT_IN_A_NAME.sub("_", call.name)[:_LONGEST_NAME] or "_", self._json(call, values)))
        said = Message("assistant", reply.text, tuple(calls), thoughts=reply.thoughts)
        return Turn(" ".join(reply.text.split()), tuple(actions), said, reply.text)

    def results(self, actions: Sequence[Action], texts: Sequence[str]) -> list[Message]:
        called = [
            Message("tool", text, result_of=action.call_id)
            for action, text in zip(actions, texts, strict=True)
            if action.call_id
        ]
        written = [text for action, text in zip(actions, texts, strict=True) if not action.call_id]
        return [*called, *([Message("user", "\n\n".join(written))] if written else [])]

    def unusable(self) -> str:
        return self._fill("unusable_tools")

    def finish(self) -> str:
        return self._fill("finish_tools")

    def _own_id(self, given: str) -> str:
        """The id of a call. Some models repeat theirs or give none, which servers do not accept in a conversation."""
        if not given or given in self._ids:
            self._num_calls += 1
            given = f"call{self._num_calls:05d}"  # nine letters and digits, the only form that Mistral's endpoint accepts
        self._ids.add(given)
        return given

    def _json(self, call: ToolCall, values: Any) -> str:
        """The arguments of a call as they are sent back: servers refuse what is no JSON object."""
        try:
            is_object = isinstance(json.loads(call.arguments), dict)
        except (ValueError, RecursionError):
            is_object = False
        if is_object:
            return call.arguments
        if call.arguments.strip():
            self.workbench.parse_failed("arguments", f"the arguments of {call.name} are no JSON object", call.arguments)
        return json.dumps(values if isinstance(values, dict) else {"input": values}, ensure_ascii=False)


@dataclass(slots=True)
class ByJson(_Form):
    """The model writes a JSON object, constrained by a schema where the endpoint can do that."""

    def opening(self, *, num_searches: int, pinned: str) -> str:
        said = self._described()
        opening = self._fill(
            "opening_json",
            aim=self._aim(num_searches),
            search=self._fill("search"),
            read=self._fill("read"),
            template=self._fill("template_long" if self.question.form == "long" else "template"),
            parts="\n".join(self._fill("part", name=name, what=said[name]) for name in self._parts),
        )
        return self._with_question(opening, self._example(), pinned)

    def sampling(self, *, is_last: bool) -> Sampling:
        schema = self._schema(is_last=is_last) if self.workbench.abilities.json_schema else None
        return replace(self.workbench.sampling, max_tokens=self.max_tokens, json_schema=schema)

    def read(self, reply: Reply) -> Turn:
        written = actions_in(reply.text)
        text = reply.text[: written.end] if written.actions else reply.text
        return Turn(written.thought, written.actions, Message("assistant", text), reply.text)

    def results(self, actions: Sequence[Action], texts: Sequence[str]) -> list[Message]:
        return [Message("user", "\n\n".join(texts))]

    def unusable(self) -> str:
        return self._fill("unusable_json")

    def finish(self) -> str:
        return self._fill("finish_json")

    def _example(self) -> str:
        """The worked example; none for labels that do not say yes."""
        form = self.question.form
        answer = map_label("yes", self.question.labels) if form == "label" else self._fill("example_answer")
        if not answer:
            return ""
        end = "" if form == "long" else self._fill("example_end", answer=answer)
        return self._fill("example", question=self._fill(f"example_question_{form}"), end=end)

    def _schema(self, *, is_last: bool) -> dict[str, Any]:
        answer = object_of(action=_only(ANSWER), **self._final_fields(is_described=False))
        queries = {"type": "array", "items": _TEXT, "maxItems": _MOST_QUERIES}
        search = object_of(action=_only(SEARCH), queries=queries)
        read = object_of(action=_only(READ), id=_NUMBER)
        return object_of(thought=_TEXT, next=answer if is_last else {"anyOf": [search, read, answer]})


def _only(value: str) -> dict[str, Any]:
    return {"type": "string", "enum": [value]}
