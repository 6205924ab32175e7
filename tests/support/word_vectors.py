"""Word vectors of a few words, in the files that are fetched for the real ones."""

import json
import struct
from pathlib import Path

from hopweave.text.word_vectors import VECTORS_FILE, VOCABULARY_FILE

NUMBERS = 128

# Words of one line mean the same, those of others have nothing to do with it.
MEANINGS = (
    "delete remove erase",
    "folder directory",
    "wages salary pay",
    "sailor mariner",
    "harbour Port",
    "how do what the of a is",
)


def vector(*meanings, value=1.0):
    """A vector in the directions of these meanings."""
    return [value if number in meanings else 0.0 for number in range(NUMBERS)]


def write_word_vectors(folder: Path, meanings=MEANINGS, *, dtype="F16"):
    """Writes both files; the words of a line get one vector, those of the last a short one in a direction of their own."""
    rows, vocabulary = [vector()], {"<unk>": 0}
    for number, words in enumerate(meanings):
        for word in words.split():
            vocabulary[f"\u2581{word}"] = len(rows)
            rows.append(vector(number, value=0.01 if words == meanings[-1] else 1.0))
    vocabulary |= {"ing": len(rows), "\u2581%": len(rows)}
    rows.append(vector(0))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / VOCABULARY_FILE).write_text(json.dumps({"model": {"type": "BPE", "vocab": vocabulary}}))
    numbers = [number for row in rows for number in row]
    data = struct.pack(f"<{len(numbers)}{'e' if dtype == 'F16' else 'f'}", *numbers)
    about = {"embedding.weight": {"dtype": dtype, "shape": [len(rows), NUMBERS], "data_offsets": [0, len(data)]}}
    head = json.dumps(about).encode()
    (folder / VECTORS_FILE).write_bytes(len(head).to_bytes(8, "little") + head + data)
