"""Word vectors of a few words, in the files that are fetched for the real ones."""

import json
import struct
from pathlib import Path

from hopweave.core.files import sha256_of
from hopweave.text.word_vectors import SHA256, VECTORS_FILE, VOCABULARY_FILE

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


def write_word_vectors(folder: Path, patch=None):
    """Writes both files; the words of a line get one vector, those of the last a short one in a direction of their own.

    Args:
        folder: where they are.
        patch: lets them be the known ones for a test; without it they are there, and refused once they are read.
    """
    rows, vocabulary = [vector()], {"<unk>": 0}
    for number, words in enumerate(MEANINGS):
        for word in words.split():
            vocabulary[f"\u2581{word}"] = len(rows)
            rows.append(vector(number, value=0.01 if words == MEANINGS[-1] else 1.0))
    vocabulary |= {"ing": len(rows), "\u2581%": len(rows)}
    rows.append(vector(0))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / VOCABULARY_FILE).write_text(json.dumps({"model": {"type": "BPE", "vocab": vocabulary}}))
    numbers = [number for row in rows for number in row]
    data = struct.pack(f"<{len(numbers)}e", *numbers)
    about = {"embedding.weight": {"dtype": "F16", "shape": [len(rows), NUMBERS], "data_offsets": [0, len(data)]}}
    head = json.dumps(about).encode()
    (folder / VECTORS_FILE).write_bytes(len(head).to_bytes(8, "little") + head + data)
    for name in (VECTORS_FILE, VOCABULARY_FILE) if patch is not None else ():
        patch.setitem(SHA256, name, sha256_of(folder / name))
