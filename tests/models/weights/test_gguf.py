"""What the header of a GGUF file says, and that a file from anywhere can be looked at."""

import os
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.tiny_gguf import gguf, text, value

from hopweave.models.weights.gguf import Header, read_header, thinking_of

QWEN3 = {
    "general.architecture": "qwen3",
    "general.size_label": "8B",
    "qwen3.block_count": 36,
    "qwen3.context_length": 40960,
    "qwen3.embedding_length": 4096,
    "qwen3.attention.head_count": 32,
    "qwen3.attention.head_count_kv": 8,
    "qwen3.attention.key_length": 128,
    "qwen3.attention.value_length": 128,
    "tokenizer.chat_template": "{% if enable_thinking is false %}<think></think>{% endif %}",
}


def header_of(folder, content, name="m.gguf"):
    (folder / name).write_bytes(content)
    return read_header(folder / name)


def test_a_header_says_size_context_memory_and_whether_the_model_thinks(tmp_path):
    assert header_of(tmp_path, gguf(QWEN3)) == Header(8e9, 40960, 36 * 8 * (128 + 128) * 2, "switch", takes_tools=False)


@pytest.mark.parametrize(
    ("values", "name", "billions"),
    [
        ({"general.parameter_count": 7_600_000_000, "general.size_label": "8B"}, "m-1B.gguf", 7.6),
        ({"general.size_label": "30B-A3B"}, "m.gguf", 30),
        ({"general.size_label": "8x7B"}, "m.gguf", 56),
        ({"general.size_label": "135M"}, "m-7B.gguf", 0.135),
        ({"general.size_label": "1.7B"}, "m.gguf", 1.7),
        ({"general.size_label": "large"}, "m-7B.gguf", 6.0e-8),
        ({"split.count": 2}, "m-7B.gguf", None),
    ],
)
def test_the_number_of_parameters_is_told_by_the_count_the_label_or_the_tensors(tmp_path, values, name, billions):
    found = header_of(tmp_path, gguf(values, {"token_embd.weight": (4, 10), "output.weight": (4, 5)}), name).num_parameters
    assert found == (None if billions is None else pytest.approx(billions * 1e9))


@pytest.mark.parametrize(
    ("template", "thinking"),
    [
        ("", "no"),
        ("{% for m in messages %}<|im_start|>{{ m.role }}", "no"),
        ("{%- if enable_thinking is defined and enable_thinking is false %}<think>", "switch"),
        ("Reasoning: {{ reasoning_effort }} <|channel|>analysis", "effort"),
        ("{{ '<|Assistant|><think>\\n' }}", "always"),
        ("[SYSTEM_PROMPT] [THINK] your thoughts [/THINK]", "always"),
    ],
)
def test_a_chat_template_tells_whether_a_model_thinks(template, thinking):
    assert thinking_of(template) == thinking


@pytest.mark.parametrize(
    ("more", "per_token"),
    [
        ({}, 36 * 8 * 256 * 2),
        ({"qwen3.attention.head_count_kv": [8, 0, 4]}, 12 * 256 * 2),
        ({"qwen3.attention.sliding_window": 1024}, 36 * 8 * 256),
        ({"qwen3.attention.key_length": "long", "qwen3.attention.value_length": 0}, 36 * 8 * 256 * 2),
        ({"qwen3.attention.head_count_kv": "all"}, 36 * 32 * 256 * 2),
        ({"qwen3.block_count": -1.0}, 0),
        ({"qwen3.block_count": 1 << 50}, 0),
    ],
)
def test_the_memory_of_the_context_follows_from_layers_heads_and_window(tmp_path, more, per_token):
    assert header_of(tmp_path, gguf(QWEN3 | more)).cache_bytes_per_token == per_token


def pair(key, kind, content):
    return text(key) + struct.pack("<I", kind) + content


HOSTILE = {
    "an empty file": b"",
    "nothing but the magic": b"GGUF",
    "another file": b"<html>" * 100,
    "version 1": gguf(QWEN3, version=1),
    "the other byte order": b"GGUF" + struct.pack(">IQQ", 3, 0, 1),
    "more pairs than there are": b"GGUF" + struct.pack("<IQQ", 3, 0, 1 << 60) + text("a") + value(1),
    "a text without end": b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", 1 << 63),
    "an array without end": b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + pair("a", 9, struct.pack("<IQ", 4, 1 << 62)),
    "texts without end": b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + pair("a", 9, struct.pack("<IQ", 8, 1 << 62)),
    "texts longer than the file": b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + pair("a", 9, struct.pack("<IQQ", 8, 1, 1 << 62)),
    "an array of arrays": b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + pair("a", 9, struct.pack("<IQ", 9, 2)),
    "a type that does not exist": b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + pair("a", 77, bytes(8)),
    "tensors without end": b"GGUF" + struct.pack("<IQQ", 3, 1 << 60, 0),
    "a tensor of too many dimensions": b"GGUF" + struct.pack("<IQQ", 3, 1, 0) + text("t") + struct.pack("<I", 1 << 31),
    "a tensor that is too large": gguf({}, {"t": (1 << 60, 1 << 60)}),
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE)
def test_a_header_that_makes_no_sense_says_nothing(tmp_path, content):
    assert header_of(tmp_path, content).num_parameters is None


def test_a_file_that_is_none_says_nothing(tmp_path):
    os.mkfifo(tmp_path / "fifo.gguf")
    for name in ("fifo.gguf", "missing.gguf"):
        assert read_header(tmp_path / name) == Header()


def test_a_template_with_a_place_for_tools_is_told(tmp_path):
    for template, takes in (("{% if tools %}", True), ("{% for toolset in messages %}", False)):
        assert header_of(tmp_path, gguf(QWEN3 | {"tokenizer.chat_template": template})).takes_tools == takes


def test_a_long_header_is_read_on(tmp_path, monkeypatch):
    monkeypatch.setattr("hopweave.models.weights.gguf._READ_BYTES", (64, 1 << 20))
    assert header_of(tmp_path, gguf(QWEN3)).thinking == "switch"
    monkeypatch.setattr("hopweave.models.weights.gguf._READ_BYTES", (64, 128))
    assert header_of(tmp_path, gguf(QWEN3)) == Header()


def test_a_template_that_is_too_long_says_nothing(tmp_path):
    found = header_of(tmp_path, gguf(QWEN3 | {"tokenizer.chat_template": "enable_thinking" + " " * (1 << 20)}))
    assert (found.thinking, found.num_parameters) == ("no", 8e9)


@given(st.binary(max_size=200), st.integers(0, 400))
def test_no_bytes_bring_the_reader_down(tmp_path_factory, noise, place):
    content = gguf(QWEN3, {"t": (2, 3)})
    folder = tmp_path_factory.mktemp("noise")
    header_of(folder, content[:place] + noise + content[place + len(noise) :])
    header_of(folder, content[:place])
