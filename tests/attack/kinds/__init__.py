"""The attacks, by what they aim at: each file has its own in `ATTACKS`."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from ..attack import Attack


def all_attacks() -> dict[str, Attack]:
    """Every attack by its name, in the order of the files."""
    names = sorted(path.stem for path in Path(__file__).parent.glob("[a-z]*.py"))
    return {attack.name: attack for name in names for attack in import_module(f"{__package__}.{name}").ATTACKS}
