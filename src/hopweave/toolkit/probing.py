"""Asking the model whether it can answer: the probe of ToQD's figure 3, and the verdict that the reply gives."""

from __future__ import annotations

from hopweave.parse.refusal import is_refusal
from hopweave.prompting.prompt import prompts_beside
from hopweave.protocols import MethodContext

_PROMPTS = prompts_beside(__file__)

REFUSED = "refused"
"""How an answer was read where the model says that it cannot answer."""


def probed(workbench: MethodContext, ask: str, *, from_passages: bool = False) -> str:
    """What is asked for, changed so that the model answers only if it can, and else replies with NO!.

    Args:
        workbench: of the question.
        ask: what is asked for where nothing is probed.
        from_passages: whether the answer may come from passages that are shown.
    """
    return workbench.fill(_PROMPTS["probe_with_passages" if from_passages else "probe"], ask=ask)


def refuses(workbench: MethodContext, text: str, short: str = "") -> bool:
    """Whether the reply to a probe says that the model cannot answer; the verdict is filed as a decision, `YES` or `NO`.

    An empty reply gives no verdict.

    Args:
        workbench: of the question.
        text: the reply.
        short: the bare answer in it, which may be the refusal where reasoning comes first.
    """
    if not text.strip():
        return False
    says_no = is_refusal(text) or (bool(short) and is_refusal(short))
    workbench.decide("probe", "NO" if says_no else "YES")
    return says_no
