"""Makes look-ups from the passages of an index, where one passage or section is known to be what is looked for.

    python benchmarks/documentation/look_ups.py INDEX

Prints them as JSON lines, the same ones for the same index; `compare_retrievers.py` asks them. Half of them are the heading
of a section with the title of its document: all passages of the section count. The others are five words of a sentence, in
their order, none of them in a twelfth of all passages: its passage counts, though another one may have the same words.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path

from hopweave.core.types import Passage
from hopweave.ingest.lookup import document_id_of
from hopweave.retrieval.engines.bm25 import BM25
from hopweave.text.sentences import sentence_spans

NUM_OF_KIND = 100
SEED = 20261125

LEAST_WORDS = 60
"""The words of a passage that a look-up is made from."""

SENTENCE_WORDS = range(10, 41)
NUM_WORDS = 5
COMMON_SHARE = 1 / 12
"""A word in a greater share of the passages is not looked up; nor is one in a single passage, which would find it alone."""

LONGEST_HEADING = 90
MOST_PASSAGES = 5
"""A heading of more passages says too little."""

_WORD = re.compile(r"[a-z][a-z0-9_-]{2,}")


@dataclass(frozen=True, slots=True)
class LookUp:
    """A made look-up.

    Attributes:
        kind: `heading` or `words`.
        query: what is searched for.
        relevant: the ids of the passages that count.
    """

    kind: str
    query: str
    relevant: tuple[str, ...]


def look_ups(passages: Iterable[Passage]) -> list[LookUp]:
    """Makes up to `NUM_OF_KIND` of each kind, no two from the same passage.

    Args:
        passages: of an index, in any order.
    """
    ordered = sorted(passages, key=lambda passage: passage.id)
    draw = random.Random(SEED)
    drawn = [passage for passage in draw.sample(ordered, len(ordered)) if len(passage.text.split()) >= LEAST_WORDS]
    of_words = list(islice(_from_words(drawn[::2], _frequencies(ordered), len(ordered), draw), NUM_OF_KIND))
    return [*of_words, *islice(_from_headings(drawn[1::2], ordered), NUM_OF_KIND)]


def _frequencies(passages: Iterable[Passage]) -> Counter[str]:
    """In how many passages each word is."""
    return Counter(word for one in passages for word in set(_WORD.findall(f"{one.heading} {one.text}".lower())))


def _from_words(
    drawn: Iterable[Passage], num_holding: Mapping[str, int], num_passages: int, draw: random.Random
) -> Iterator[LookUp]:
    for passage in drawn:
        sentences = [passage.text[span.start : span.end] for span in sentence_spans(passage.text)]
        sentences = [sentence for sentence in sentences if len(sentence.split()) in SENTENCE_WORDS]
        if not sentences:
            continue
        words = dict.fromkeys(_WORD.findall(draw.choice(sentences).lower()))
        telling = [word for word in words if 2 <= num_holding[word] <= COMMON_SHARE * num_passages]
        if len(telling) >= NUM_WORDS:
            places = sorted(draw.sample(range(len(telling)), NUM_WORDS))
            yield LookUp("words", " ".join(telling[place] for place in places), (passage.id,))


def _from_headings(drawn: Iterable[Passage], passages: Sequence[Passage]) -> Iterator[LookUp]:
    of_section: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for passage in passages:
        of_section[document_id_of(passage), passage.heading].append(passage.id)
    asked = set()
    for passage in drawn:
        section = document_id_of(passage), passage.heading
        query = f"{passage.sections[-1]} {passage.title}" if passage.sections else ""
        if query and section not in asked and len(query) <= LONGEST_HEADING and len(of_section[section]) <= MOST_PASSAGES:
            asked.add(section)
            yield LookUp("heading", query, tuple(of_section[section]))


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("index", type=Path, metavar="INDEX", help="folder of an index, as fetch.py builds it")
    for made in look_ups(BM25(parser.parse_args().index).all_passages()):
        print(json.dumps(asdict(made), ensure_ascii=False))


if __name__ == "__main__":
    main()
