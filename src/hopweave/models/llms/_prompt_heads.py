"""Computes the fixed beginning of a prompt once and for all processes.

Most of a prompt is often the same for every question: instructions and worked examples, which on a few cores take longer to
compute than everything else. llama.cpp's server can save the state of its slot to a file, and restore it. So before a call,
its head (the fixed beginning) is restored from disk or, the first time, computed alone and saved; the call itself then computes
the rest. In both cases the server holds exactly the same state when the call begins, so replies do not depend on which it was.
They do depend on where a computation is split (llama.cpp adds in another order), so a head is computed alone even if nothing is
saved. Whatever goes wrong here, the call computes what is missing: llama.cpp compares the tokens that it holds with the prompt.

No method says what is fixed. It is read off a prompt's shape:

- All turns before the last one of the user are worked examples, unless the prompt goes on from one that was asked before in the
  same process: that is a conversation, whose turns are about one question.
- In a prompt of one turn, it is the text before the first placeholder of the prompt file that it was filled from.

A wrong guess costs one file that nobody uses again. So that a method whose prompts have another shape cannot fill the disk,
only the first few heads that a process meets are treated in this way, whether they are saved already or not.
"""

from __future__ import annotations

import hashlib
import json
from asyncio import to_thread
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import takewhile
from typing import Any

from hopweave.core.errors import ModelError, SettingsError
from hopweave.core.memoize import Kept
from hopweave.core.prompt import fixed_beginning
from hopweave.core.types import Message
from hopweave.models.weights.prompt_states import PromptStates

Templated = Callable[[Sequence[Message]], Awaitable[str]]
Post = Callable[[str, dict[str, Any]], Awaitable[Any]]

_MIN_CHARACTERS = 400  # about 100 tokens: a shorter head is not worth a file
_MOST_HEADS = 12
_FAILURES = (ModelError, SettingsError, OSError, KeyError, TypeError, ValueError)
_SLOT = "/slots/0?action="
_COMPLETION = "/completion"


class PromptHeads:
    """The heads that one server process holds.

    Args:
        states: where they are kept.
        conditions: what the state of a text depends on apart from the model, as a JSON value.
        post: sends a body to a path of the server and returns its response.
        keeps_prompts: whether the server keeps the prompts that it had to set aside, so that a head need be restored only once.
    """

    def __init__(self, states: PromptStates, conditions: object, post: Post, *, keeps_prompts: bool) -> None:
        self._states = states
        self._conditions = conditions
        self._post = post
        self._keeps_prompts = keeps_prompts
        self._asked: Kept[bool] = Kept()
        self._held: set[str] = set()
        self._met: set[str] = set()

    async def prepare(self, messages: Sequence[Message], templated: Templated) -> int:
        """Makes sure that the server holds the head of a prompt, if it has one. Failures are left to the call itself.

        Args:
            messages: the prompt.
            templated: the text that the model gets for messages.

        Returns:
            How many tokens of the head were computed for it.
        """
        head = self._head(messages)
        if not _is_worth_a_file(head):
            return 0
        name = _digest_of(head)
        if name in self._held:
            return 0
        if not self._keeps_prompts:
            self._held.clear()
        num_computed = 0
        with suppress(*_FAILURES):
            text = await _text_of(head, templated)
            num_computed = await self._hold(f"{_turns_key(self._conditions, head)}-{_digest(text)}", text)
        self._held.add(name)
        return num_computed

    def _head(self, messages: Sequence[Message]) -> Sequence[Message]:
        """The fixed turns, and the last one of the user with no more than its fixed beginning; empty if there are none."""
        last = max((number for number, one in enumerate(messages) if one.role == "user"), default=None)
        if last is None:
            return ()
        is_conversation = any(self._asked.get(_digest_of(messages[:end])) for end in range(1, last + 1))
        self._asked.keep(_digest_of(messages[: last + 1]), True)  # noqa: FBT003 - what is kept
        if is_conversation:
            return ()
        begun = "" if last else fixed_beginning(messages[0].text)
        return (*messages[:last], replace(messages[last], text=begun))

    async def _hold(self, key: str, text: str) -> int:
        if len(self._met | {key}) > _MOST_HEADS:
            return 0
        self._met.add(key)
        file = await to_thread(self._states.find, key)
        if file is not None:
            await self._set_aside()
            try:
                await self._post(f"{_SLOT}restore", {"filename": file.name})
            except ModelError:
                await to_thread(self._states.drop, file)
            else:
                return 0
        # From its first token, so that a state does not depend on what the server held before.
        computed = await self._post(_COMPLETION, {"prompt": text, "n_predict": 0, "cache_prompt": False})
        if self._states.max_bytes:
            await self._save(key)
        return int(computed["timings"]["prompt_n"])

    async def _set_aside(self) -> None:
        """Lets the server keep the prompt that it holds, which it does for a new prompt but not before it restores one."""
        if self._held and self._keeps_prompts:
            await self._post(_COMPLETION, {"prompt": ".", "n_predict": 0})

    async def _save(self, key: str) -> None:
        unfinished = self._states.unfinished()
        try:
            with suppress(*_FAILURES):
                saved = await self._post(f"{_SLOT}save", {"filename": unfinished.name})
                await to_thread(self._states.keep, key, unfinished, int(saved["n_written"]))
        finally:
            self._states.drop(unfinished)


def unsaved_heads(states: PromptStates, conditions: object, beginnings: Sequence[Sequence[Message]]) -> list[Sequence[Message]]:
    """The heads that are not saved of prompts that begin with given turns; no server is needed to know it.

    Args:
        states: where they are kept.
        conditions: as for `PromptHeads`.
        beginnings: the turns before the last one of the user in each prompt.
    """
    heads = [(*turns, Message("user", "")) for turns in beginnings]
    return [head for head in heads if _is_worth_a_file(head) and states.find(_turns_key(conditions, head)) is None]


def _is_worth_a_file(head: Sequence[Message]) -> bool:
    return sum(len(one.text) for one in head) >= _MIN_CHARACTERS


def _turns_key(conditions: object, head: Sequence[Message]) -> str:
    """What the key of a head's state begins with; its text depends on the template, which only the server can apply."""
    return _digest([conditions, _digest_of(head)])


async def _text_of(head: Sequence[Message], templated: Templated) -> str:
    """The text that every prompt with this head begins with."""
    *turns, begun = head
    texts = [await templated([*turns, replace(begun, text=f"{begun.text}{letter}")]) for letter in "AB"]
    return "".join(one for one, _ in takewhile(lambda pair: pair[0] == pair[1], zip(*texts, strict=False)))


def _digest_of(messages: Sequence[Message]) -> str:
    return _digest([(one.role, one.text) for one in messages])


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:32]
