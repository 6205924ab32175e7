"""Why files are not read, and what would read them: each reason in one place, in the words that people are shown."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum, unique

from hopweave.core.errors import DataError


@unique
class Reason(Enum):
    """Why a file was not read. The name identifies it in an index's list of files.

    Attributes:
        words: what is said of such files.
        remedy: what would read them; empty if each file's message says it, since it is not the same for all.
    """

    def __init__(self, words: str, remedy: str) -> None:
        self.words = words
        self.remedy = remedy

    UNKNOWN_FORMAT = "unknown format", "convert those that hold text, for example to PDF or HTML"
    PICTURE = "a picture", "have its text recognised: pip install 'hopweave[ocr]'"
    SOURCE_CODE = "source code", "read it with a pattern such as --include '*.py'"
    HIDDEN = "hidden", "to read them, give their own paths"
    IGNORED = "named by a .gitignore file", "to read them, leave out --gitignore"
    EXCLUDED = "left out by --include or --exclude", "to read them, change the patterns"
    LEADS_OUT = "a link out of the given paths", "to read what links lead to, add --follow-links, or give its own path"
    SPECIAL = "not a regular file", "give regular files, unpacked, or leave these out"
    TOO_LARGE = "too large", "split them, or raise --max-file-mib or --max-row-mib"
    TOO_SLOW = "takes too long to read", "leave them out, or raise --max-seconds"
    NEEDS_LIBRARY = "needs a library", ""
    ENCRYPTED = "encrypted", "save them without a password"
    NO_TEXT_FIELD = "records without a field of a known name for their text", "name it with --text-field"
    DAMAGED = "damaged, or not what the name says", "correct them or save them again"
    NOT_UTF8 = "not UTF-8", "convert them to UTF-8, for example with iconv"
    EMPTY = "no text", "leave them out"
    SCAN = "no text, as in scans", ""
    ATTACHED_AGAIN = "attached to an earlier message as well", "to read them again, add --keep-copies"
    TAKEN_ID = "an id that another file has", "make the ids unique"
    READ_EARLIER = "has text of a file that was read again, and was read by an earlier version", "give their paths as well"
    UNREACHABLE = "out of reach", "change their modes or check the disk, and run the same command again"


class Unreadable(DataError):
    """A file that cannot be read, for one of the reasons; any other `DataError` about a file counts as `Reason.DAMAGED`.

    Args:
        message: one line that names the file and ends with what to do.
        kind: the reason; by default that of the class.
    """

    kind = Reason.DAMAGED

    def __init__(self, message: str, kind: Reason | None = None) -> None:
        super().__init__(message)
        if kind is not None:
            self.kind = kind


class Unreachable(Unreadable):
    """A file that does not exist, or whose disk does not respond."""

    kind = Reason.UNREACHABLE


_UNREACHABLE = frozenset(
    {
        *(errno.ENOENT, errno.ENOTDIR, errno.ESTALE),
        *(errno.EIO, errno.ENXIO, errno.ENODEV, errno.ENOTCONN, errno.ETIMEDOUT, errno.EHOSTDOWN),
    }
)
"""Error numbers for a removed file, an unplugged disk, and a file system whose server is gone."""


@contextmanager
def reading(source: str) -> Iterator[None]:
    """Turns an error of the system into a `DataError` about the file or folder; `Unreachable` if it may come back."""
    try:
        yield
    except FileNotFoundError:
        raise Unreachable(f"{source} does not exist, or is a dangling link; check the path") from None
    except PermissionError:
        raise Unreadable(f"no permission to read {source}; change its mode or leave it out", Reason.UNREACHABLE) from None
    except OSError as error:
        kind = Unreachable if error.errno in _UNREACHABLE else Unreadable
        raise kind(f"cannot read {source}: {error.strerror}; check the file and the disk") from None


class TakenId(Unreadable):
    """A passage whose id is already taken."""

    kind = Reason.TAKEN_ID


def reason_of(error: DataError) -> Reason:
    """Why the file that an error is about was not read."""
    return error.kind if isinstance(error, Unreadable) else Reason.DAMAGED
