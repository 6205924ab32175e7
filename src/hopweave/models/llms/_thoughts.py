"""Tells what a model thinks from what it replies, where both come as one text.

Models that think write their thoughts at the start of a reply, between marks of their family: `<think>...</think>` (also
`thinking`, `thought`, `reasoning`, `seed:think`), `[THINK]...[/THINK]`, or the channels of gpt-oss. Three things go wrong with
them: a limit on tokens ends a reply within its thoughts, so that nothing closes them; a chat template writes the opening mark
itself, so that a reply holds only the closing one; and a server drops the control tokens of gpt-oss, which leaves
`analysisWe need ...assistantfinalUlm`. All three are read here. Elsewhere in a reply, such as in an answer about these marks,
they are ordinary text, and so is a closing mark in backticks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from hopweave.core.lazy_pattern import lazy_pattern

_NAMES = ("think", "thinking", "thought", "reasoning", "seed:think")
_OPENINGS = (*(f"<{name}>" for name in _NAMES), "[think]")
_CLOSINGS = (*(f"</{name}>" for name in _NAMES), "[/think]")
_PLAIN_END = "assistantfinal"  # gpt-oss, without its control tokens
_STARTS = (*_OPENINGS, "<|start|>assistant<|channel|>", "<|channel|>", "analysis")
_ENDS_OF_CHANNEL = ("<|end|>", "<|start|>assistant<|channel|>", "<|channel|>")
_ENDS_OF_REPLY = ("<|return|>", "<|end|>")
_MAX_HEADER = 120
_FIRST_SIGNS = "<[a"  # of all marks
_BEGINS_A_MARK = lazy_pattern(r"[<\[]")

_CHANNEL = r"(?:<\|start\|>assistant)?<\|channel\|>"
_HEADER = lazy_pattern(rf"{_CHANNEL}(?P<name>[a-z]*)(?:[^<]|<\|constrain\|>)*<\|message\|>", re.IGNORECASE)
_OPENING = lazy_pattern("|".join(map(re.escape, _OPENINGS)), re.IGNORECASE)
_PLAIN_START = lazy_pattern(r"analysis(?=[A-Z])")
_CLOSING = lazy_pattern("|".join(map(re.escape, _CLOSINGS)), re.IGNORECASE)
_MARK = lazy_pattern("|".join(map(re.escape, (*_OPENINGS, *_CLOSINGS))), re.IGNORECASE)
_END_OF_CHANNEL = lazy_pattern(rf"<\|end\|>|(?={_CHANNEL})", re.IGNORECASE)
_END_OF_REPLY = lazy_pattern("|".join(map(re.escape, _ENDS_OF_REPLY)))
_SIGNS = lazy_pattern(r"[<\[]|\A\s*analysis")


def split_thoughts(text: str, *, begins_inside: bool = False, is_cut_off: bool = False) -> tuple[str, str]:
    """The thoughts at the start of a reply, and the reply without them.

    Args:
        text: all that the model wrote. A prefill that it continues is not part of it.
        begins_inside: whether this model's template opens the thoughts, so that the text begins inside them.
        is_cut_off: whether a limit ended the text. If it begins inside thoughts that nothing closes, it then consists of
            thoughts; otherwise the model did not think, and all of it is the reply.

    Returns:
        The thoughts, without their marks and the blanks around them; empty if there are none. Then the reply, as it is if there
        are no thoughts, else without the blanks before it. It is empty if nothing closes the thoughts.
    """
    if not begins_inside and not may_have_thoughts(text):
        return "", text
    splitter = ThoughtSplitter(begins_inside=begins_inside)
    splitter.push(text)
    splitter.rest(is_cut_off=is_cut_off)
    return splitter.thoughts, splitter.text


def may_have_thoughts(text: str) -> bool:
    """Whether there is a sign in a text that a mark begins with; in most replies there is none."""
    return _SIGNS.search(text) is not None


class ThoughtSplitter:
    """Does what `split_thoughts` does, piece by piece.

    A possible beginning of a mark is held back, and with `begins_inside` all text up to the closing mark. If a closing mark
    arrives that nothing opened, the text shown before it was thoughts: `num_taken_back` then counts one more, and `text` starts
    again with what follows the mark.

    Args:
        begins_inside: as for `split_thoughts`.
        is_all_text: whether marks are part of the reply, as where a prompt asks for them.

    Attributes:
        num_taken_back: how many times the text shown so far turned out to be thoughts: 0 or 1.
        is_inside: whether the thoughts have begun and are not closed yet; after `rest`, whether they stayed open.
        is_opened: whether a mark has opened thoughts.
        has_only_closing: whether thoughts were closed that nothing opened: the template opens them.
    """

    def __init__(self, *, begins_inside: bool = False, is_all_text: bool = False) -> None:
        self.num_taken_back = 0
        self.is_inside = False
        self.is_opened = False
        self.has_only_closing = False
        self._begins_inside = begins_inside
        self._held = ""
        self._blocks: list[str] = []
        self._block: list[str] = []
        self._shown: list[str] = []
        self._last_sign = ""
        self._closing = _CLOSING
        self._closings: Iterable[str] = _CLOSINGS
        self._step: Callable[[], None] = self._in_text if is_all_text else self._at_start

    @property
    def thoughts(self) -> str:
        """The thoughts so far, without their marks."""
        blocks = [*self._blocks, "".join(self._block)]
        return "\n\n".join(block.strip() for block in blocks if block.strip())

    @property
    def text(self) -> str:
        """The reply so far, as shown."""
        return "".join(self._shown)

    def push(self, piece: str) -> str:
        """Takes a piece and returns what can be shown now."""
        if self._is_plain and not self._held and not _BEGINS_A_MARK.search(piece):  # nearly all pieces of nearly all replies
            self._last_sign = piece[-1:] or self._last_sign
            self._show(piece)
            return piece
        self._held += piece
        num_shown, num_taken_back = len(self._shown), self.num_taken_back
        step = None
        while self._step is not step:
            step = self._step
            step()
        return "".join(self._shown[num_shown if num_taken_back == self.num_taken_back else 0 :])

    def rest(self, *, is_cut_off: bool = False) -> str:
        """What was held back, at the end of the text; `is_cut_off` as for `split_thoughts`."""
        num_shown = len(self._shown)
        if self.is_inside:
            self._end_inside(is_cut_off=is_cut_off)
        else:
            self._show(self._held.lstrip() if self._step == self._at_start and self._has_closed else self._held)
        self._held = ""
        return "".join(self._shown[num_shown:])

    @property
    def _is_plain(self) -> bool:
        """Whether everything up to the next mark is shown."""
        return self._step in (self._in_text, self._in_unmarked_text)

    @property
    def _has_closed(self) -> bool:
        return bool(self._blocks)

    def _show(self, text: str) -> None:
        if text:
            self._shown.append(text)

    # One method for each place in a reply: it takes from what is held, and names the next place.

    def _at_start(self) -> None:
        """Before any text: thoughts may begin, also further ones directly after the first."""
        text = self._held.lstrip()
        if text and text[0] not in _FIRST_SIGNS:
            self._begin_text(text)
            return
        header, opening = _HEADER.match(text), _OPENING.match(text)
        if header is not None and header["name"].lower() == "final":
            self._held, self._step = text[header.end() :], self._in_final_channel
        elif header is not None:
            self._open(text[header.end() :], _END_OF_CHANNEL, _ENDS_OF_CHANNEL)
        elif opening is not None:
            closing = opening[0].replace("<", "</").replace("[", "[/")
            self._open(text[opening.end() :], re.compile(re.escape(closing), re.IGNORECASE), (closing.lower(),))
        elif plain := _PLAIN_START.match(text):
            self._open(text[plain.end() :], re.compile(_PLAIN_END), (_PLAIN_END,))
        elif not _may_become_a_start(text):
            self._begin_text(text)

    def _open(self, rest: str, closing: re.Pattern[str], closings: Iterable[str]) -> None:
        self._closing, self._closings = closing, closings
        self._held, self.is_opened, self.is_inside, self._step = rest, True, True, self._in_thoughts

    def _begin_text(self, text: str) -> None:
        if self._has_closed:
            self._held, self._step = text, self._in_text
        elif self._begins_inside:
            self.is_inside, self._step = True, self._in_thoughts
        else:
            self._step = self._in_unmarked_text

    def _in_thoughts(self) -> None:
        found = self._unquoted(self._closing)
        if found is None:
            kept = _length_of_partial(self._held, self._closings) or self._length_of_quoted(self._closing)
            self._think(self._held[: len(self._held) - kept])
            self._held = self._held[len(self._held) - kept :]
            return
        self.has_only_closing = self.has_only_closing or not self.is_opened
        self._think(self._held[: found.start()])
        self._close(self._held[found.end() :])

    def _think(self, text: str) -> None:
        self._block.append(text)
        self._last_sign = text[-1:] or self._last_sign

    def _close(self, rest: str) -> None:
        self._blocks.append("".join(self._block))
        self._block = []
        self._held, self.is_inside, self._step = rest, False, self._at_start

    def _in_unmarked_text(self) -> None:
        """Text that may turn out to be thoughts whose opening mark the template wrote."""
        found = self._unquoted(_MARK)
        if found is not None and not _CLOSING.fullmatch(found[0]):  # it speaks of these marks
            self._step = self._in_text
            return
        if found is not None:
            self.has_only_closing = True
            self.num_taken_back += bool(self._shown)
            self._block = [*self._shown, self._held[: found.start()]]
            self._shown = []
            self._close(self._held[found.end() :])
            return
        self._show_but(_length_of_partial(self._held, (*_OPENINGS, *_CLOSINGS)) or self._length_of_quoted(_MARK))

    def _in_text(self) -> None:
        self._show_but(0)

    def _in_final_channel(self) -> None:
        found = _END_OF_REPLY.search(self._held)
        if found is None:
            self._show_but(_length_of_partial(self._held, _ENDS_OF_REPLY))
            return
        self._show(self._held[: found.start()])
        self._held, self._step = "", self._after_reply

    def _after_reply(self) -> None:
        self._held = ""

    def _show_but(self, num_kept: int) -> None:
        text, self._held = self._held[: len(self._held) - num_kept], self._held[len(self._held) - num_kept :]
        self._last_sign = text[-1:] or self._last_sign
        self._show(text)

    def _end_inside(self, *, is_cut_off: bool) -> None:
        whole = "".join([*self._block, self._held])
        quoted = None if is_cut_off else _last(self._closing, whole)
        if quoted is not None:  # the only closing mark stands between backticks, and so does close the thoughts
            self._block = [whole[: quoted.start()]]
            self._close("")
            self._show(whole[quoted.end() :].lstrip())
        elif self.is_opened or is_cut_off:
            self._block = [whole]
        else:
            self._block, self.is_inside = [], False
            self._show(whole)

    def _unquoted(self, mark: re.Pattern[str]) -> re.Match[str] | None:
        """The first mark in what is held that is certain not to stand between backticks."""
        for found in mark.finditer(self._held):
            before = self._held[found.start() - 1] if found.start() else self._last_sign
            if before != "`" or self._held[found.end() : found.end() + 1] not in ("", "`"):
                return found
        return None

    def _length_of_quoted(self, mark: re.Pattern[str]) -> int:
        """The length of a mark at the very end of what is held: the next sign decides whether it is quoted."""
        found = _last(mark, self._held) if self._held.endswith((">", "]")) else None
        return len(found[0]) if found is not None and found[0] and found.end() == len(self._held) else 0


def _may_become_a_start(text: str) -> bool:
    lower = text.lower()
    if any(start.startswith(lower) for start in _STARTS):
        return True
    return lower.startswith(("<|start|>assistant<|channel|>", "<|channel|>")) and len(text) < _MAX_HEADER


def _length_of_partial(text: str, marks: Iterable[str]) -> int:
    """The length of the longest end of a text that is the beginning of a mark."""
    end, firsts = text[-_MAX_HEADER:].lower(), {mark[0] for mark in marks}
    if firsts.isdisjoint(end):
        return 0
    places = (place for place, sign in enumerate(end) if sign in firsts)
    return next((len(end) - place for place in places if any(mark.startswith(end[place:]) for mark in marks)), 0)


def _last(mark: re.Pattern[str], text: str) -> re.Match[str] | None:
    found = list(mark.finditer(text))
    return found[-1] if found else None
