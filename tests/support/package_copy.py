"""A copy of the package with files of one's own in it, and of the tests that every component is held to."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import hopweave

ROOT = Path(__file__).parents[2]


class PackageCopy:
    """Runs Python and commands with the copy in place of the package.

    Args:
        folder: an empty one, for the copy.
        files: texts of files, by their paths from the folder `src` on.
    """

    def __init__(self, folder: Path, files: Mapping[str, str]) -> None:
        self.folder = folder
        shutil.copytree(Path(hopweave.__file__).parent, folder / "hopweave")
        for place, text in files.items():
            (folder / place).write_text(text, encoding="utf-8")

    def python(self, *words: str) -> str:
        """What Python says, which ends well."""
        environment = {"PYTHONPATH": str(self.folder), "HOME": str(self.folder), "PATH": "", "COLUMNS": "200"}
        done = subprocess.run(
            [sys.executable, *words], cwd=self.folder, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def command(self, *words: str) -> str:
        """What a command of hopweave says, which ends well."""
        return self.python("-c", "from hopweave.apps.cli import main; main()", *words)

    def contracts(self, names: str) -> str:
        """What pytest says of the contract tests with these names, none of which fails.

        Args:
            names: an expression, as for `pytest -k`.
        """
        for name in ("support", "contracts"):
            shutil.copytree(ROOT / "tests" / name, self.folder / "tests" / name)
        shutil.copy(ROOT / "tests" / "conftest.py", self.folder / "tests")
        shutil.copy(ROOT / "pyproject.toml", self.folder)
        return self.python("-m", "pytest", "-p", "no:cacheprovider", "tests/contracts", "-k", names)
