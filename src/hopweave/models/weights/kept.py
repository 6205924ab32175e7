"""The model files in the cache folder that belong to no known model."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from hopweave.core.errors import HopweaveError
from hopweave.core.files import models_folder
from hopweave.models.weights.download import size_of
from hopweave.models.weights.file_checksums import note_beside, read_note
from hopweave.models.weights.hub_names import first_part, is_hub_name, parts_beside
from hopweave.models.weights.known import KNOWN_MODELS, model_path


@dataclass(frozen=True, slots=True)
class KeptModel:
    """A model in the cache folder.

    Attributes:
        name: what users type: a name on the hub, or one of their own.
        path: its file; of a file in several parts, the first.
        num_bytes: the size of all parts that are here.
        num_missing: the number of parts that are not.
    """

    name: str
    path: Path
    num_bytes: int
    num_missing: int


def kept_models() -> list[KeptModel]:
    """The models in the cache folder that are not known ones, by name."""
    known = {model.file_name for model in KNOWN_MODELS.values()}
    paths = {first_part(path) for path in models_folder().glob("*.gguf") if path.name not in known}
    return sorted(map(_kept, paths), key=lambda one: one.name)


def _kept(path: Path) -> KeptModel:
    parts = parts_beside(path)
    here = [part for part in parts if part.is_file()]
    return KeptModel(_name(path, here), path, sum(map(size_of, here)), len(parts) - len(here))


def _name(path: Path, parts: list[Path]) -> str:
    """The name by which a file is found again."""
    sources = [str(read_note(note_beside(part)).get("source", "")) for part in parts]
    candidates = [source for source in sources if is_hub_name(source)]
    if len(parts_beside(path)) > 1:
        candidates.append(path.stem[: -len("-00001-of-00001")])
    for name in candidates:
        try:
            if model_path(name) == path:
                return name
        except HopweaveError:
            continue
    return path.stem
