"""How a notebook displays a record: the question, the answer, its support, and the words that support it.

This is not part of `hopweave.show`, which is a layer above the trace: the page of a whole record has its own style sheet,
which would affect the rest of the notebook, and a cell should show the answer, not every call. `hopweave show --as html`
writes that page.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from hopweave.citations.shortfalls import certainty_in_words, standing_in_words
from hopweave.core.types import Answer, Citation, Passage
from hopweave.record.failures import Failure

_Quotes = Iterable[tuple[Citation, Passage]]


def in_html(
    question: str, answer: Answer | None, failure: Failure | None, cited: _Quotes, against: _Quotes, seconds: float
) -> str:
    """The answer to a question as a piece of HTML. All external text is escaped, and nothing is loaded or run."""
    rows = [f"<p><b>{_shown(question)}</b></p>"]
    if answer is None:
        said = failure.in_words if failure is not None else "it was not asked"
        rows.append(f"<p>No answer: {_shown(said)}</p>")
    else:
        stopped = "" if answer.stopped_because == "finished" else f" Stopped early: {_shown(answer.stopped_because)}."
        rows.append(f"<p>{_shown(answer.text) or 'No answer.'}</p><p><i>{_standing(answer)}{stopped} {seconds:,.1f} s</i></p>")
        rows += [_quoted(f"[{citation.mark}]", citation, passage) for citation, passage in cited]
        rows += [_quoted("Says otherwise:", citation, passage) for citation, passage in against]
    return f"<div>{''.join(rows)}</div>"


def _quoted(before: str, citation: Citation, passage: Passage) -> str:
    return f"<p>{before} {_shown(passage.title or passage.id)}: <q>{_shown(citation.quote)}</q></p>"


def _standing(answer: Answer) -> str:
    """How the answer stands, as a sentence."""
    said = standing_in_words(answer) if answer.short else "It gives no answer"
    return f"{', '.join(filter(None, [said, certainty_in_words(answer.verdict)]))}."


def _shown(text: str) -> str:
    """A text with no markup and no effect on the text direction of its surroundings."""
    return escape("".join(sign if sign.isprintable() or sign == "\n" else "\ufffd" for sign in text)).replace("\n", "<br>")
