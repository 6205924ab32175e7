"""GGUF files of a few hundred bytes: a header that says what a test wants, and tensors without data."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any

UNSIGNED, TEXT, ARRAY = 4, 8, 9


def text(value: str) -> bytes:
    """A text with its length before it."""
    content = value.encode()
    return struct.pack("<Q", len(content)) + content


def value(one: Any) -> bytes:
    """A value with its type before it."""
    if isinstance(one, str):
        return struct.pack("<I", TEXT) + text(one)
    if isinstance(one, bool):
        return struct.pack("<I?", 7, one)
    if isinstance(one, int):
        return struct.pack("<IQ", 10, one)
    if isinstance(one, float):
        return struct.pack("<If", 6, one)
    if one and isinstance(one[0], str):
        return struct.pack("<IIQ", ARRAY, TEXT, len(one)) + b"".join(map(text, one))
    return struct.pack("<IIQ", ARRAY, UNSIGNED, len(one)) + struct.pack(f"<{len(one)}I", *one)


def gguf(values: Mapping[str, Any] = {}, tensors: Mapping[str, Sequence[int]] = {}, *, version: int = 3) -> bytes:
    """A file with these values and tensors; a vocabulary of some words stands before the last value, as in real files."""
    named = {"general.architecture": "tiny", **values}
    last = "tokenizer.chat_template"
    ordered = {**{key: one for key, one in named.items() if key != last}, "tokenizer.ggml.tokens": ["a", "bc", ""] * 100}
    ordered |= {last: named[last]} if last in named else {}
    pairs = b"".join(text(key) + value(one) for key, one in ordered.items())
    infos = b"".join(
        text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, 0, 0) for name, shape in tensors.items()
    )
    return b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(ordered)) + pairs + infos


def runnable(template: str) -> bytes:
    """A model of one layer with random weights that llama.cpp runs: its tokens are bytes, and the marks of thoughts."""
    import numpy as np

    width, num_heads = 64, 4
    words = [*_byte_signs(), "<|im_start|>", "<|im_end|>", "<think>", "</think>"]
    values = {
        "general.architecture": "llama",
        "general.size_label": "8B",
        "llama.context_length": 4096,
        "llama.embedding_length": width,
        "llama.block_count": 1,
        "llama.feed_forward_length": width,
        "llama.attention.head_count": num_heads,
        "llama.attention.head_count_kv": num_heads,
        "llama.attention.layer_norm_rms_epsilon": 1e-5,
        "llama.rope.dimension_count": width // num_heads,
        "llama.vocab_size": len(words),
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "gpt-2",
        "tokenizer.ggml.tokens": words,
        "tokenizer.ggml.token_type": [1] * 256 + [3, 3, 4, 4],
        "tokenizer.ggml.merges": ["a b"],
        "tokenizer.ggml.eos_token_id": 257,
        "tokenizer.ggml.bos_token_id": 257,
        "tokenizer.ggml.add_bos_token": False,
        "tokenizer.chat_template": template,
    }
    ones = dict.fromkeys(("output_norm", "blk.0.attn_norm", "blk.0.ffn_norm"), (width,))
    square = {f"blk.0.{name}": (width, width) for name in ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up")}
    shapes = {
        "token_embd": (width, len(words)),
        "output": (width, len(words)),
        **ones,
        **square,
        "blk.0.ffn_down": (width, width),
    }
    draws = np.random.default_rng(1)
    infos, data = b"", b""
    for name, shape in shapes.items():
        infos += text(f"{name}.weight") + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, 0, len(data))
        numbers = np.ones(shape) if len(shape) == 1 else draws.standard_normal(shape[::-1]) * 0.3
        data += numbers.astype("<f4").tobytes()
    pairs = b"".join(text(key) + _llama_value(one) for key, one in values.items())
    head = b"GGUF" + struct.pack("<IQQ", 3, len(shapes), len(values)) + pairs + infos
    return head + bytes(-len(head) % 32) + data


def _llama_value(one: Any) -> bytes:
    """A value of the type that llama.cpp expects: 32 bits for numbers, signed ones in arrays."""
    if isinstance(one, int) and not isinstance(one, bool):
        return struct.pack("<II", UNSIGNED, one)
    if isinstance(one, list) and isinstance(one[0], int):
        return struct.pack("<IIQ", ARRAY, 5, len(one)) + struct.pack(f"<{len(one)}i", *one)
    return value(one)


def _byte_signs() -> list[str]:
    """The sign that stands for each byte in the vocabulary of GPT-2."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in plain]
    return [chr(byte if byte in plain else 256 + others.index(byte)) for byte in range(256)]
