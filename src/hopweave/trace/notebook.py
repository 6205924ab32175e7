"""What a notebook shows of a record: the question, the answer, how it stands, and the words that it rests on.

It is made here, not by `hopweave.render`, which stands above the trace: the page that draws a whole record has a style of its
own, which would reach all else in the notebook, and a cell wants the answer, not each call. That page is drawn by
`hopweave show --as html`.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from hopweave.trace.steps import Failure
from hopweave.types import Answer, Citation, Passage

_STANDING = {
    "supported": "A passage bears it out.",
    "contradicted": "A passage says otherwise.",
    "unsupported": "No passage bears it out.",
}


def in_html(
    question: str, answer: Answer | None, failure: Failure | None, cited: Iterable[tuple[Citation, Passage]], seconds: float
) -> str:
    """The answer to a question as a piece of HTML. Every word from outside is escaped, and nothing is loaded or run."""
    rows = [f"<p><b>{_shown(question)}</b></p>"]
    if answer is None:
        said = f"{failure.kind}: {failure.message}" if failure is not None else "it was not asked"
        rows.append(f"<p>No answer: {_shown(said)}</p>")
    else:
        standing = _STANDING[answer.verdict.support] if answer.short else "It gives no answer."
        stopped = "" if answer.stopped_because == "finished" else f" Stopped early: {_shown(answer.stopped_because)}."
        rows.append(f"<p>{_shown(answer.text) or 'No answer.'}</p><p><i>{standing}{stopped} {seconds:,.1f} s</i></p>")
        rows += [
            f"<p>[{citation.mark}] {_shown(passage.title or passage.id)}: <q>{_shown(citation.quote)}</q></p>"
            for citation, passage in cited
        ]
    return f"<div>{''.join(rows)}</div>"


def _shown(text: str) -> str:
    """A text that neither is markup nor turns the direction of what stands beside it."""
    return escape("".join(sign if sign.isprintable() or sign == "\n" else "\ufffd" for sign in text)).replace("\n", "<br>")
