"""Asking the model whether it can answer: the probe of ToQD's figure 3, and the resulting verdict."""

from __future__ import annotations

from hopweave.core.prompt import prompts_beside
from hopweave.core.protocols import MethodContext
from hopweave.text.refusal import is_refusal

_PROMPTS = prompts_beside(__file__)

REFUSED = "refused"
"""How an answer was found if the model says that it cannot answer."""


def probed(workbench: MethodContext, ask: str, *, from_passages: bool = False) -> str:
    """The request, changed so that the model answers only if it can, and otherwise replies with NO!.

    Args:
        workbench: the question's workbench.
        ask: the request without a probe.
        from_passages: whether the answer may come from passages in the prompt.
    """
    return workbench.fill(_PROMPTS["probe_with_passages" if from_passages else "probe"], ask=ask)


def refuses(workbench: MethodContext, text: str, short: str = "") -> bool:
    """Whether the reply to a probe says that the model cannot answer; the verdict is recorded as a decision, `YES` or `NO`.

    An empty reply gives no verdict.

    Args:
        workbench: the question's workbench.
        text: the reply.
        short: its bare answer, which may be the refusal if reasoning comes first.
    """
    if not text.strip():
        return False
    says_no = is_refusal(text) or (bool(short) and is_refusal(short))
    workbench.decide("probe", "NO" if says_no else "YES")
    return says_no
