"""An ONNX model made on the spot: it looks up a vector for each token. Written byte by byte, so that no library is needed.

The numbers of the fields are those of https://github.com/onnx/onnx/blob/main/onnx/onnx.proto.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

FLOAT, INT64 = 1, 7


def tiny_onnx(folder: Path, vectors: dict[str, list[float]]) -> Path:
    """Writes `model.onnx` and `tokenizer.json` of words that each have a vector; [CLS] and [SEP] stand around each text."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *vectors]
    tokenizer = Tokenizer(models.WordLevel({word: at for at, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    size = len(next(iter(vectors.values())))
    special = {"[PAD]": [99.0] * size, "[UNK]": [0.0] * size, "[CLS]": [5.0] + [0.0] * (size - 1), "[SEP]": [0.0] * size}
    table = np.array([{**special, **vectors}[word] for word in words], dtype="<f4")
    (folder / "model.onnx").write_bytes(_model(table))
    return folder


def _model(table: np.ndarray) -> bytes:
    rows, size = table.shape
    tensor = _int(1, rows) + _int(1, size) + _int(2, FLOAT) + _bytes(8, b"table") + _bytes(9, table.tobytes())
    node = _bytes(1, b"table") + _bytes(1, b"input_ids") + _bytes(2, b"last_hidden_state") + _bytes(4, b"Gather")
    graph = (
        _bytes(1, node)
        + _bytes(2, b"tiny")
        + _bytes(5, tensor)
        + _bytes(11, _value(b"input_ids", INT64, [b"batch", b"tokens"]))
        + _bytes(12, _value(b"last_hidden_state", FLOAT, [b"batch", b"tokens", size]))
    )
    return _int(1, 8) + _bytes(7, graph) + _bytes(8, _bytes(1, b"") + _int(2, 13))


def _value(name: bytes, kind: int, shape: list[bytes | int]) -> bytes:
    dims = b"".join(_bytes(1, _int(1, one) if isinstance(one, int) else _bytes(2, one)) for one in shape)
    return _bytes(1, name) + _bytes(2, _bytes(1, _int(1, kind) + _bytes(2, dims)))


def _int(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    pieces = []
    while value > 127:
        pieces.append(value & 127 | 128)
        value >>= 7
    return bytes([*pieces, value])
