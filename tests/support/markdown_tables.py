"""Reads tables that a program printed as Markdown."""

import re


def tables_in(text):
    """The rows of each table, by its title, each row by the heads of the columns."""
    tables = {}
    for part in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        title, _, heads, _, *lines = part.split("\n")
        cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in [heads, *lines] if line.startswith("|")]
        tables[title] = [dict(zip(cells[0], row, strict=True)) for row in cells[1:]]
    return tables
