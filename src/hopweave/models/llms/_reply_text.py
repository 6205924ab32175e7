"""Takes the text of a reply apart: an echoed prefill, thoughts, the reply itself, and what follows a stop string."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hopweave.models.llms._thoughts import ThoughtSplitter, may_have_thoughts


class Cutter:
    """Passes text through piece by piece, without an echoed prefill, and only up to the first stop string.

    A possible beginning of either is held back, so that nothing shown has to be retracted.

    Args:
        prefill: text that may come first.
        stop: the text ends before the first of these.
        max_characters: the text ends after so many; `None` for no limit.

    Attributes:
        is_cut: whether a stop string has ended the text.
        is_full: whether its maximum length has.
        shown: the text so far.
    """

    def __init__(self, prefill: str = "", stop: Sequence[str] = (), max_characters: int | None = None) -> None:
        self.is_cut = self.is_full = False
        self.shown = ""
        self._held = ""
        self._prefill = prefill
        self._stop = tuple(text for text in stop if text)
        self._max_characters = max_characters

    def push(self, piece: str) -> str:
        """Takes a piece and returns what can be shown now."""
        if self.is_cut or self.is_full:
            return ""
        self._held += piece
        if self._prefill:
            if len(self._held) < len(self._prefill) and self._prefill.startswith(self._held):
                return ""
            self._held = self._held.removeprefix(self._prefill)
            self._prefill = ""
        return self._show(self._safe_length())

    def rest(self) -> str:
        """What was held back, at the end of the text."""
        return "" if self.is_cut or self.is_full else self._show(len(self._held))

    def _safe_length(self) -> int:
        found = [place for place in (self._held.find(text) for text in self._stop) if place >= 0]
        if found:
            self.is_cut = True
            return min(found)
        kept = (n for text in self._stop for n in range(1, len(text)) if self._held.endswith(text[:n]))
        return len(self._held) - max(kept, default=0)

    def _show(self, length: int) -> str:
        if self._max_characters is not None and len(self.shown) + length > self._max_characters:
            length, self.is_full = self._max_characters - len(self.shown), True
        text, self._held = self._held[:length], self._held[length:]
        self.shown += text
        return text


def cut(text: str, prefill: str, stop: Sequence[str]) -> tuple[str, bool]:
    """A whole text without an echoed prefill, up to the first stop string, and whether there was one."""
    text = text.removeprefix(prefill)
    places = [place for place in (text.find(one) for one in stop if one) if place >= 0]
    return (text[: min(places)], True) if places else (text, False)


@dataclass(frozen=True, slots=True)
class Words:
    """What a model wrote, taken apart.

    Attributes:
        shown: the reply.
        text: the reply with what follows a stop string.
        thoughts: the thoughts in the text.
        is_cut: whether a stop string ended the reply.
        is_full: whether its maximum length did, which comes before any stop string then.
        is_inside: whether it ended within the thoughts.
        begins_inside: whether it begins inside thoughts that nothing opens; `None` if it does not show.
    """

    shown: str
    text: str
    thoughts: str = ""
    is_cut: bool = False
    is_full: bool = False
    is_inside: bool = False
    begins_inside: bool | None = None


class ReplyText:
    """Takes the text of a reply piece by piece: without an echoed prefill and without thoughts, up to the first stop string.

    Args:
        prefill: text that the endpoint may repeat before its reply.
        stop: the reply ends before the first of these. In the thoughts, they mean nothing.
        begins_inside: whether the text begins inside thoughts.
        is_all_text: whether thoughts between tags are part of the reply.
        max_characters: the reply ends after so many; `None` for no limit.
    """

    def __init__(
        self,
        prefill: str,
        stop: Sequence[str],
        *,
        begins_inside: bool = False,
        is_all_text: bool = False,
        max_characters: int | None = None,
    ) -> None:
        self._stop = tuple(stop)
        self._max_characters = max_characters
        self._echo = Cutter(prefill) if prefill else None
        self._cutter = Cutter(stop=self._stop, max_characters=max_characters)
        self._num_taken_back = 0
        self._splitter = ThoughtSplitter(begins_inside=begins_inside, is_all_text=is_all_text)

    @property
    def words(self) -> Words:
        """All of it, at the end."""
        splitter = self._splitter
        begins_inside = True if splitter.has_only_closing else False if splitter.is_opened else None
        return Words(self.shown, splitter.text, splitter.thoughts, self.is_cut, self.is_full, splitter.is_inside, begins_inside)

    @property
    def is_inside(self) -> bool:
        """Whether the text so far ends within thoughts."""
        return self._splitter.is_inside

    @property
    def is_cut(self) -> bool:
        """Whether a stop string has ended the reply."""
        return self._cutter.is_cut

    @property
    def is_full(self) -> bool:
        """Whether the reply has reached its maximum length."""
        return self._cutter.is_full

    @property
    def shown(self) -> str:
        """The reply so far."""
        return self._cutter.shown

    def push(self, piece: str) -> str:
        """Takes a piece and returns what can be shown now."""
        return self._cut(self._splitter.push(piece if self._echo is None else self._echo.push(piece)))

    def rest(self, *, is_cut_off: bool) -> str:
        """What was held back, at the end of the text; `is_cut_off` if a limit ended it."""
        echoed = "" if self._echo is None else self._splitter.push(self._echo.rest())
        return self._cut(echoed + self._splitter.rest(is_cut_off=is_cut_off)) + self._cutter.rest()

    def _cut(self, text: str) -> str:
        if self._splitter.num_taken_back > self._num_taken_back:  # what was shown were thoughts
            self._num_taken_back = self._splitter.num_taken_back
            self._cutter = Cutter(stop=self._stop, max_characters=self._max_characters)
        return self._cutter.push(text)


def words_of(
    text: str,
    prefill: str,
    stop: Sequence[str],
    *,
    begins_inside: bool,
    is_cut_off: bool,
    is_all_text: bool = False,
    max_characters: int | None = None,
) -> Words:
    """A whole text, taken apart; `is_cut_off` if a limit ended it. The other arguments are those of `ReplyText`."""
    if is_all_text or (not begins_inside and not may_have_thoughts(text)):
        shown, is_cut = cut(text, prefill, stop)
        is_full = max_characters is not None and len(shown) > max_characters
        shown = shown[:max_characters] if is_full else shown
        return Words(shown, text.removeprefix(prefill), is_cut=is_cut, is_full=is_full)
    pieces = ReplyText(prefill, stop, begins_inside=begins_inside, max_characters=max_characters)
    pieces.push(text)
    pieces.rest(is_cut_off=is_cut_off)
    return pieces.words
