"""SearChain table 9: SearChain beside DSP on another language model.

The paper ran both on Vicuna-13B, as a check that the gain is not one model's. Accuracy is cover-EM in percent, for ELI5
ROUGE-L; a run with an open model of your own takes the place of Vicuna.
"""

from __future__ import annotations

from hopweave.evaluation.papers._table import AccuracyTable


class SearChainTable9(AccuracyTable):
    """SearChain beside DSP, on another model than the main table's."""

    title = "SearChain table 9: SearChain and DSP on an open model"
    tables = ("searchain_table9",)
    needed = ("dsp", "searchain")
