"""Sentences that go on over the end of a page: they belong to the page that they begin on, so that they can be cited whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.ingest.deadline import Check
from hopweave.ingest.placed_tables import is_of_code
from hopweave.text.key_terms import FUNCTION_WORDS
from hopweave.text.languages import small_words
from hopweave.text.sentences import sentence_spans

FULL_LINE = 0.7
"""Share of the longest line of a page from which on a line goes on in the next, unless it ends a sentence."""
_SHORTEST_LINE = 40
"""Characters of the longest line of a page that has paragraphs."""
_TAIL, _HEAD = 400, 600
"""Characters before and after the end of a page in which a sentence is looked for."""
_MOST_LINES = 4
"""Lines of a sentence on the next page; what takes more of them is a listing without full stops."""
_ENDS = ".:;!?…。！？："
_CLOSING = "\"'”’»)]"
_LAST_WORD = lazy_pattern(r"[^\W\d_]+$")
_LONGEST_WORD = 60
_EMPTY_LINE = lazy_pattern(r"\n[ \t]*\n")


def with_whole_sentences(
    pages: Sequence[str], begins_with_heading: Callable[[int], bool] = lambda _: False, *, check: Check
) -> list[str]:
    """Pages, with what the last sentence of each says on the next one.

    Only a line that is as long as others, and that no sentence ends with, goes on; it does so in a word in small letters or
    without case, or after a comma or a small word such as `the`.

    Args:
        pages: their lines, without headers and footers.
        begins_with_heading: whether the page of a number, from 1, does.
        check: called for every page.
    """
    whole = list(pages)
    for number in range(1, len(whole)):
        check()
        before, after = whole[number - 1].rstrip(), whole[number].lstrip()
        if not before or not after or not goes_on(before, after) or begins_with_heading(number + 1):
            continue
        head = _EMPTY_LINE.split(after, maxsplit=1)[0][:_HEAD]
        num_over = _num_over(before[-_TAIL:], head)
        if num_over:
            whole[number - 1] = f"{before}\n{after[:num_over]}"
            whole[number] = after[num_over:].lstrip()
    return whole


def ends_a_sentence(line: str) -> bool:
    """Whether a line has a mark at its end with which a sentence may end, or something that is introduced goes on."""
    return line.rstrip().rstrip(_CLOSING)[-1:] in _ENDS


def longest_line(page: str) -> int:
    """Characters of the longest line of a page, or of a short one of a page with paragraphs."""
    return max(_SHORTEST_LINE, *(len(line.strip()) for line in page.split("\n")))


def goes_on(before: str, after: str) -> bool:
    """Whether the last sentence of a page goes on in the next one, as far as their words tell.

    Args:
        before: the page, without white space at its end.
        after: the next one, without white space at its beginning; neither is empty.
    """
    last = before[before.rfind("\n") + 1 :].strip()
    if ends_a_sentence(last) or len(last) < FULL_LINE * longest_line(before):
        return False
    if not after[0].isalpha():
        return False
    word = _LAST_WORD.search(last, max(0, len(last) - _LONGEST_WORD))
    is_small = word is not None and word[0].casefold() in FUNCTION_WORDS | small_words()
    return not after[0].isupper() or last.endswith(",") or is_small


def _num_over(tail: str, head: str) -> int:
    """How many characters of the beginning of a page belong to a sentence that begins before; 0 if it does not end there."""
    joined = f"{tail}\n{head}"
    for sentence in sentence_spans(joined):
        if sentence.start < len(tail) < sentence.end:
            lines = joined[joined.rfind("\n", 0, len(tail)) + 1 : sentence.end].split("\n")
            is_text = len(lines) <= 1 + _MOST_LINES and not any(map(is_of_code, lines))
            return sentence.end - len(tail) - 1 if is_text and ends_a_sentence(lines[-1]) else 0
    return 0
