"""Phrases that no native speaker writes stay out of code, messages and pages."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")
PHRASES = re.compile(
    r"\b(that is none|is had|(can|could|cannot) be had|be had again|had together|foretells?|mend(s|ed|ing)?"
    r"|at hand|borne out|save that|where nobody|a word of it|words of the model|models? of the hub|nobody can tell"
    r"|(bytes|characters) without end|go(es)? on for ever|it breaks off|draws? anew|made anew|is as it is|whole number of"
    r"|what was (asked|measured) of|an? \w+ that lies|parted by|drawn by chance|half to a quarter|that mean harm)\b",
    re.IGNORECASE,
)


def test_the_worst_phrases_stay_out():
    files = [*(ROOT / "src").rglob("*.py"), *(ROOT / "docs").rglob("*.md"), *(ROOT / name for name in PAGES)]
    found = [
        f"{path.relative_to(ROOT)}, line {number}: {line.strip()}"
        for path in sorted(files)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if PHRASES.search(line)
    ]
    assert found == []
