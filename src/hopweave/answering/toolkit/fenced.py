"""A passage as a prompt shows it."""

from __future__ import annotations

from hopweave.core.prompt import fence
from hopweave.core.types import Passage
from hopweave.text.document_names import full_heading


def fenced(passage: Passage, text: str | None = None) -> str:
    """Its text between tags, below its title, its sections and what the name of its file adds to them.

    Args:
        passage: the passage.
        text: what is shown of it, if that is not all.

    >>> print(fenced(Passage("1", "Notice is 30 days.", "Supply Agreement", "Supply-Agreement_2024.docx")))
    <passage>
    Supply Agreement (2024)
    Notice is 30 days.
    </passage>
    """
    return fence(passage.text if text is None else text, full_heading(passage))
