"""Pages with tables: as words in their boxes, and as a PDF that draws them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from support.documents import pdf_file

from hopweave.ingest.pdf_layout import Rule, Word

_LETTER, _BLANK = 5.0, 2.5
"""Width of a letter and of a blank, in points."""
_HEIGHT = 10.0


def words_at(*lines: tuple[float, Sequence[tuple[float, str]]], is_bold: bool = False, is_fixed: bool = False) -> list[Word]:
    """Words of a page.

    Args:
        lines: the top of each, and what it has, with the left of that.
        is_bold: all of it.
        is_fixed: all of it.
    """
    found = []
    for top, pieces in lines:
        for left, text in pieces:
            x = left
            for number, word in enumerate(text.split()):
                found.append(Word(word, x, top, x + _LETTER * len(word), top + _HEIGHT, is_bold, is_fixed, not number))
                x += _LETTER * len(word) + _BLANK
    return found


def rows_at(lefts: Sequence[float], *rows: Sequence[str], top: float = 100, pitch: float = 15) -> list[Word]:
    """Words of rows of cells, each cell at the left of its column; empty ones are left out."""
    return words_at(
        *(
            (top + pitch * number, [(left, cell) for left, cell in zip(lefts, row, strict=False) if cell])
            for number, row in enumerate(rows)
        )
    )


def grid(lefts: Sequence[float], tops: Sequence[float]) -> list[Rule]:
    """Rules around all cells of a table."""
    along = [Rule(lefts[0], top, lefts[-1], top) for top in tops]
    return along + [Rule(left, tops[0], left, tops[-1]) for left in lefts]


def text_of(words: Iterable[Word]) -> str:
    """The words of a page as its text, a line of it on each line."""
    lines: dict[float, list[str]] = {}
    for word in words:
        lines.setdefault(word.top, []).append(word.text)
    return "\n".join(map(" ".join, lines.values()))


def drawn(*pages: Sequence[tuple[float, float, str]], rules: Sequence[tuple[float, float, float, float]] = ()) -> bytes:
    """A PDF.

    Args:
        pages: the left of each text, its height above the bottom of the page, and itself.
        rules: lines on each page, from one point to another.
    """
    first = 4
    kids = " ".join(f"{first + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    lines = " ".join(f"{x} {y} m {to_x} {to_y} l S" for x, y, to_x, to_y in rules)
    for number, page in enumerate(pages):
        texts = " ".join(f"BT /F1 10 Tf {x} {y} Td ({text}) Tj ET" for x, y, text in page)
        content = f"{lines} {texts}".encode()
        objects += [
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {first + 2 * number + 1} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>".encode(),
            f"<< /Length {len(content)} >>\nstream\n".encode() + content + b"\nendstream",
        ]
    return pdf_file([*objects, b"<< >>"])
