"""Files that are deeper, wider or longer than a reader takes, and a clock that counts instead of running."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Mapping

from support.documents import docx, epub, paragraph, pdf, pdf_file

TEXT = "Ulm is a city on the Danube."


def _json_row(depth: int) -> str:
    """A row whose lists and objects are nested so deeply, counting the row."""
    return f'{{"id": "n", "text": "{TEXT}", "more": {"[" * (depth - 1)}{"]" * (depth - 1)}}}'


def _wide_row(num: int) -> str:
    return json.dumps({"id": "w", "text": TEXT} | {f"f{number}": 1 for number in range(num - 2)})


def _wide_metadata(num: int) -> str:
    return json.dumps({"id": "w", "text": TEXT, "metadata": {f"f{number}": 1 for number in range(num)}})


def _wide_table(num: int, separator: str) -> str:
    names = separator.join(["id", "text", *(f"c{number}" for number in range(num - 2))])
    return f"{names}\n{separator.join(['w', TEXT, *['1'] * (num - 2)])}\n"


NESTED: Mapping[str, tuple[int, Callable[[int], str | bytes]]] = {
    "a.html": (100_000, lambda depth: "<div>" * depth + TEXT),
    "closed.html": (100_000, lambda depth: "<b>" * depth + TEXT + "</b>" * depth),
    "a.epub": (100_000, lambda depth: epub("A book", "<p>First.</p>", "<div>" * depth + TEXT)),
    "a.docx": (1_000, lambda depth: docx("<w:x>" * (depth - 5) + paragraph(TEXT) + "</w:x>" * (depth - 5))),
    "quotes.md": (100, lambda depth: "> " * depth + TEXT),
    "lists.md": (100, lambda depth: "".join("  " * level + "- a\n" for level in range(depth // 2))),
    "a.json": (100, lambda depth: f"[{_json_row(depth)}]"),
    "a.jsonl": (100, _json_row),
}
"""Of each kind of file, the deepest nesting that is read, and how to make a file that is nested so deeply."""

WIDE: Mapping[str, tuple[str, Callable[[int], str]]] = {
    "a.csv": ("columns", lambda num: _wide_table(num, ",")),
    "a.tsv": ("columns", lambda num: _wide_table(num, "\t")),
    "a.jsonl": ("fields", _wide_row),
    "a.json": ("fields", lambda num: f"[{_wide_row(num)}]"),
    "metadata.jsonl": ("values of metadata", _wide_metadata),
}
"""Of each kind of file with columns, what they are called, and how to make one with so many."""

LONG: Mapping[str, Callable[[int], str | bytes]] = {
    "a.txt": lambda num: f"{TEXT} " * num,
    "a.md": lambda num: f"- *{TEXT}*\n\n" * num,
    "a.html": lambda num: f"<p>{TEXT}</p>" * num,
    "a.rst": lambda num: f"{TEXT}\n\n" * num,
    "a.docx": lambda num: docx(*[paragraph(TEXT)] * num),
    "a.epub": lambda num: epub("A book", *[f"<p>{TEXT}</p>" * 10] * (num // 10)),
    "a.pdf": lambda num: pdf(*[TEXT] * (num // 10), TEXT * num),
    "a.json": lambda num: json.dumps([{"id": str(number), "text": TEXT} for number in range(num)]),
    "a.jsonl": lambda num: "".join(json.dumps({"id": str(number), "text": TEXT}) + "\n" for number in range(num)),
    "a.csv": lambda num: "id,text\n" + "".join(f"{number},{TEXT}\n" for number in range(num)),
}
"""A file of each kind that says the same thing so many times."""


def as_bytes(content: str | bytes) -> bytes:
    """The content of a file."""
    return content.encode() if isinstance(content, str) else content


class StepClock:
    """A clock on which a second goes by each time somebody looks at it, and at no other time."""

    def __init__(self) -> None:
        self.num_looks = 0

    def __call__(self) -> float:
        self.num_looks += 1
        return float(self.num_looks)


def inflated_pdf(num_mb: int, *texts: str, layers: int = 1, parts: int = 1, in_form: bool = False) -> bytes:
    """A PDF whose first page draws so many MB of blanks, decompressed, and each further page one line of text.

    Args:
        num_mb: in each of its parts.
        texts: of the further pages.
        layers: how many times over it is compressed.
        parts: how many times the page draws it.
        in_form: the page itself is short, and draws a form that is long.
    """
    packer = zlib.compressobj(1)
    packed = b"".join([*(packer.compress(b" " * 1_000_000) for _ in range(num_mb)), packer.flush()])
    for _ in range(layers - 1):
        packed = zlib.compress(packed)
    fonts = "/Resources << /Font << /F1 3 0 R >> /XObject << /X1 4 0 R >> >>"
    form = f"/Type /XObject /Subtype /Form /BBox [0 0 9 9] {fonts.replace('/XObject << /X1 4 0 R >>', '')}" if in_form else ""
    streams = [b"/X1 Do" if in_form else b"", *(f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET".encode() for text in texts)]
    first = 5
    kids = " ".join(f"{first + 2 * number} 0 R" for number in range(len(streams)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(streams)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        f"<< {form} /Length {len(packed)} /Filter [{'/FlateDecode ' * layers}] >>\nstream\n".encode() + packed + b"\nendstream",
    ]
    for number, stream in enumerate(streams):
        own = f"{first + 2 * number + 1} 0 R"
        contents = own if number or in_form else "4 0 R " * parts
        objects += [
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents [{contents}] {fonts} >>".encode(),
            f"<< /Length {len(stream)} >>\nstream\n".encode() + stream + b"\nendstream",
        ]
    return pdf_file([*objects, b"<< >>"])
