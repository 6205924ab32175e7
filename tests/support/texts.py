"""Texts for properties: what a model or a passage may write, put together of the pieces that a reader looks for."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st


def messes(pieces: Sequence[str], *, max_pieces: int = 40) -> st.SearchStrategy[str]:
    """Texts of some pieces, in any order, with a few characters of any kind between them."""
    return st.lists(st.one_of(st.sampled_from(pieces), st.text(max_size=4)), max_size=max_pieces).map("".join)
