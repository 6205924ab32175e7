"""ToQD table 5: ToQD and chain of thought with retrieval, over several language models.

A row for each model of the runs: give a run for each with `--with`. Accuracy is cover-EM in percent on the questions that
both were scored on. The paper does not say what its CoT with retrieval is: `baseline` names the method that represents it,
by default `oner`, whose reader writes a chain of thought over passages retrieved with the question.
"""

from __future__ import annotations

from hopweave.evaluation.papers._models import ModelTable


class ToQDTable5(ModelTable):
    """ToQD and chain of thought with retrieval, by language model."""

    title = "ToQD table 5: ToQD and chain of thought with retrieval, by language model"
