"""Names that come from outside and become names of files: which may, and that nothing they name lies elsewhere.

Labels of a plan, files in the manifest of an index, names of profiles and models: whoever wrote the file chose them. Each goes
through `file_name` before it is joined to a folder, so that none leads out of it.
"""

from __future__ import annotations

import re
import stat
from pathlib import Path

from hopweave.errors import DataError

MAX_BYTES = 200
"""Of a name; file systems take 255, and endings are added."""

WHAT_MAY_BE = "letters, digits, the signs - _ . + = , @ (no dot first) and spaces within, 200 bytes at most"

_NAME = re.compile(r"[\w+=,@-](?:[\w.+=,@ -]*[\w.+=,@-])?")


def is_file_name(name: str) -> bool:
    """Whether a name can be that of a file, in any folder: see `WHAT_MAY_BE`."""
    return _NAME.fullmatch(name) is not None and len(name.encode("utf-8", "surrogatepass")) <= MAX_BYTES


def file_name(name: str, where: str) -> str:
    """The name, if it can be that of a file.

    Args:
        name: from outside.
        where: what names it, for the message: a file, or an option.

    Raises:
        DataError: if it cannot.
    """
    if not is_file_name(name):
        raise DataError(f"{where} names {name!r}, which cannot be the name of a file: use {WHAT_MAY_BE}; restore or mend it")
    return name


def refuse_links_out(folder: Path) -> None:
    """Makes sure that whatever is in a folder is a file or folder of its own: no link out of it, no pipe, no device.

    Raises:
        DataError: names the first that is not.
    """
    root = folder.resolve()
    below = [folder]
    while below:
        try:
            found = sorted(below.pop().iterdir())
        except OSError:  # not there yet, or not ours to read: whoever opens it says so
            continue
        for path in found:
            is_link = path.is_symlink()
            if is_link and not path.resolve().is_relative_to(root):
                raise DataError(f"{path} is a link that leads out of {folder}; put there what it leads to")
            try:
                mode = path.stat().st_mode
            except OSError:  # a link to nothing, or taken away meanwhile
                continue
            if stat.S_ISDIR(mode):
                below += [] if is_link else [path]
            elif not stat.S_ISREG(mode):
                raise DataError(f"{path} is neither a file nor a folder; take it away")
