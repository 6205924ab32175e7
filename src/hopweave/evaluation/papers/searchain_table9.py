"""SearChain table 9: SearChain and DSP on another language model.

The paper ran both on Vicuna-13B, to check that the gain is not specific to one model. Accuracy is cover-EM in percent, for ELI5
ROUGE-L; a run with an open model of your own replaces Vicuna.
"""

from __future__ import annotations

from hopweave.evaluation.papers._table import AccuracyTable


class SearChainTable9(AccuracyTable):
    """SearChain and DSP, on a model other than the main table's."""

    title = "SearChain table 9: SearChain and DSP on an open model"
    tables = ("searchain_table9",)
    needed = ("dsp", "searchain")
