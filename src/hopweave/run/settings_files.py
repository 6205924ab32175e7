"""Files that hold settings: `hopweave.toml`, and profiles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from platformdirs import user_config_path

from hopweave.core.errors import SettingsError, suggest
from hopweave.core.files import is_file_name, read_toml, read_whole
from hopweave.run.trust import Found, is_trusted

FILE = "hopweave.toml"


@dataclass(frozen=True, slots=True)
class Layer:
    """The settings from one place.

    Attributes:
        values: nested by key.
        file: the file that they are in, for messages; empty if they come from elsewhere, or with the package.
        found: that file, if it has to be trusted.
    """

    values: Mapping[str, Any]
    file: str = ""
    found: Found | None = None

    @property
    def is_strange(self) -> bool:
        """Whether it is a file that the user has not trusted."""
        return self.found is not None and not is_trusted(self.found)


def user_file(config: Path | None) -> Layer:
    """The settings in the file of `toml_path`; none if there is none.

    Raises:
        SettingsError: if it cannot be read.
    """
    path = toml_path(config)
    if path is None:
        return Layer({})
    found = found_toml(path)
    return Layer(found.settings, str(path), found if config is None and path == Path(FILE) else None)


def toml_path(config: Path | None = None) -> Path | None:
    """The settings file to use: the named one, else the one in the working directory, else the user's own, if any."""
    here, own = Path(FILE), user_config_path("hopweave") / FILE
    if config is None and here.is_file() and not (own.is_file() and here.samefile(own)):
        return here
    return config or (own if own.is_file() else None)


def read_profile(name: str, *, is_found: bool = False) -> Layer:
    """The settings of a profile.

    Args:
        name: of a file of `hopweave/profiles`, or the path of one.
        is_found: whether the user did not name it, so that a file has to be trusted.

    Raises:
        SettingsError: if there is none, or it cannot be read.
    """
    folder = Path(__file__).parents[1] / "profiles"
    if name.endswith(".toml"):
        if is_found and not Path(name).is_file():  # reading a pipe would block
            raise SettingsError(f"there is no profile file {name}; correct the setting that names it")
        found = found_toml(Path(name))
        return Layer(found.settings, name, found if is_found else None)
    path = folder / f"{name}.toml"
    if not is_file_name(name) or not path.is_file():
        raise SettingsError(f"there is no profile {name!r}; {suggest(name, [p.stem for p in folder.glob('*.toml')])}")
    return Layer(found_toml(path).settings)


def found_toml(path: Path) -> Found:
    """A settings file with its contents.

    Raises:
        SettingsError: if it cannot be read.
    """
    try:
        content = read_whole(path)
        return Found(path, content, read_toml(content))
    except OSError as error:
        raise SettingsError(f"cannot read the settings file {path}: {error.strerror}; check the path") from None
    except ValueError as error:
        raise SettingsError(f"the settings file {path} is not TOML: {error}; correct it there") from None
