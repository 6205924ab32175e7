"""Words: how much was written to the model and by it, counted in the three ways in which tables may count it.

Definition. Words are separated by white space.

    words_billed  all words sent, each time they were sent: what an endpoint reads
    words_unique  words of the distinct lines sent, once each; a line that grows from call to call counts at its longest
    words_static  words_unique minus what belongs to the question: instructions and demonstrations
    words_out     all words that the model wrote, including every sample

The papers' #n does not say which of the first three it is: ReAct's published number is exactly that of its demonstrations, and
SearChain's matches prompt, question and feedback without repeated history. So name the one you compare.

What is the same for every question cannot be read from one record, so `words_static` is computed by subtraction: from the
distinct lines of the user and system turns, the question, the passages (whole or in part, at least 4 words of them), their
titles, and what the model wrote or asked for are removed. What remains are instructions and demonstrations, including those
chosen for this question; labels that frame a passage or a step count once. It is within a few words of the prompt templates.

`words_billed` and the `prompt_tokens` of the same record cover the same requests: one for all samples that it drew. Work that a
run does once for all questions (an offline stage) is left out of all four.

Source: SearChain (table 6) and ToQD (table 2b). Range 0 up, lower is better. Failed questions count.

>>> from support.worked import worked
>>> lines = ["Be brief.", "Question: Which town?", "Are you sure?"]
>>> calls = [(chr(10).join(lines[:2]), "Ulm"), (chr(10).join(lines), "Yes, Ulm")]
>>> Words().score(*worked("Ulm", calls=calls))
{'words_static': 6.0, 'words_unique': 8.0, 'words_billed': 13.0, 'words_out': 3.0}
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hopweave.core.types import Example
from hopweave.evaluation.metrics._usage import Spending, spent
from hopweave.evaluation.metrics._wording import static_words, unique_words
from hopweave.record import Record


@dataclass(frozen=True, slots=True)
class Words(Spending):
    """How much was written to the model and by it."""

    columns: ClassVar = {
        "words_static": spent("instructions and demonstrations, once", "words"),
        "words_unique": spent("distinct lines sent, once", "words"),
        "words_billed": spent("all that was sent, each time", "words"),
        "words_out": spent("all that the model wrote", "words"),
    }

    def score(self, record: Record, example: Example) -> dict[str, float]:
        totals = record.totals()
        return {
            "words_static": float(static_words(record)),
            "words_unique": float(unique_words(record)),
            "words_billed": float(totals.prompt_words),
            "words_out": float(totals.reply_words),
        }
