"""Makes a reply of the text that a model wrote: for language models that get their thoughts and their reply as one text."""

from __future__ import annotations

from hopweave.core.types import Reply, Sampling, Usage
from hopweave.models.llms._plan import is_cut_off
from hopweave.models.llms._reply_text import cut
from hopweave.models.llms._thoughts import split_thoughts

_NO_COUNTS = Usage()


def reply_of(
    text: str,
    sampling: Sampling,
    *,
    finish_reason: str = "stop",
    usage: Usage = _NO_COUNTS,
    begins_inside: bool = False,
) -> Reply:
    r"""The reply in a text, up to the first stop string, and apart from it the thoughts that the text begins with.

    Thoughts are between marks such as `<think>` and `</think>`; the first may be missing, since chat templates write it. If the
    prompt asks for thoughts between tags (`sampling.thinking` is `in_text`), they stay in the reply.

    Args:
        text: all that the model wrote, without a prefill that it continues.
        sampling: that was asked for.
        finish_reason: why the text ends; `length` if a limit ended it.
        usage: token counts.
        begins_inside: whether the model's template opens the thoughts, so that a text that a limit ended without a closing
            mark consists of thoughts.

    >>> reply = reply_of("<think>The passage names her.</think>Ines Halloran\nQuestion:", Sampling(stop=("\n",)))
    >>> reply.text, reply.thoughts
    ('Ines Halloran', 'The passage names her.')
    """
    thoughts, said = "", text
    if sampling.thinking != "in_text":
        thoughts, said = split_thoughts(text, begins_inside=begins_inside, is_cut_off=is_cut_off(finish_reason))
    said, is_stopped = cut(said, "", sampling.stop)
    return Reply(said, "stop" if is_stopped else finish_reason, usage, thoughts=thoughts)
