"""What stands around the messages of an export of Slack: the people, and the channel that a day's file is of.

An export is a folder of folders: `users.json` has the people, `general/2024-03-04.json` what was said in a channel on a day.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from hopweave.core.errors import DataError
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.ingest.deadline import Check
from hopweave.ingest.formats import CorpusFile, Limits
from hopweave.ingest.json_records import read_json
from hopweave.ingest.messages import person

_DAY = lazy_pattern(r"\d{4}-\d{2}-\d{2}")
_ALIKE = lazy_pattern(r"messages?(?:_\d+)?")
_PEOPLE = "users.json"


def conversation_name(file: CorpusFile) -> str:
    """The name of what was said in a file: its own; with its folder's if it is a day, or only that if it is `messages`."""
    folder = Path(file.source).parent.name
    if not folder or not (_DAY.fullmatch(file.stem) or _ALIKE.fullmatch(file.stem)):
        return file.stem
    return folder if _ALIKE.fullmatch(file.stem) else f"{folder} {file.stem}"


class People:
    """The names of people by the ids that stand for them in messages; each list of them is read once."""

    def __init__(self) -> None:
        self._lists: dict[Path, Mapping[str, str]] = {}

    def beside(self, file: CorpusFile, limits: Limits, check: Check) -> Mapping[str, str]:
        """Those that the messages of a day may name; none where no list of people is beside them.

        Args:
            file: that has the messages.
            limits: on reading the list.
            check: called for every piece of it.
        """
        path = file.path.parent.parent / _PEOPLE
        if file.content is not None or not _DAY.fullmatch(file.stem) or not path.is_file():
            return {}
        if path not in self._lists:
            place = None if file.confined_to is None else path.parent
            source = str(Path(file.source).parent.parent / _PEOPLE)
            beside = replace(file, path=path, source=source, looks="", confined_to=place)
            try:
                self._lists[path] = _listed(row.values for row in read_json(beside, None, limits, check))
            except DataError:  # which the list itself says, if it is among the files
                self._lists[path] = {}
        return self._lists[path]


def _listed(users: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    named = ((user.get("id"), person(user.get("profile")) or person(user)) for user in users)
    return {key: name for key, name in named if isinstance(key, str) and name}
