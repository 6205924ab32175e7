"""Models of a few thousand numbers, made on the spot, that stand in for those of the hub."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
WORDS = (
    "who where what when did was is the a of in and city river born designed opened hall tower dudok ulm 1931 zan ##zi ##bar \
title text : . , ? ( ) cafe hilversum kepler alpha beta gamma delta"
)
TURNS = (
    "{% for message in messages %}<|{{ message['role'] }}|> {{ message['content'] }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|> {% endif %}"
)
CHAT_WORDS = "yes no Paris Ulm the is a city river capital of France Germany What Who and then stop here : . , ? ! \n"


def bert_sizes(**more: Any) -> dict[str, Any]:
    """The sizes of a BERT of two small layers."""
    return {
        "vocab_size": len(SPECIAL) + len(WORDS.split()),
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "intermediate_size": 48,
        "max_position_embeddings": 512,
        **more,
    }


def bert_vocabulary(folder: Path) -> None:
    """Writes the vocabulary from which BERT tokenizers are made."""
    (folder / "vocab.txt").write_text("\n".join([*SPECIAL, *WORDS.split()]), encoding="utf-8")


def stirred(model: Any, scale: float = 0.5) -> Any:
    """The model with larger random weights, so that its outputs differ from token to token."""
    import torch

    with torch.no_grad():
        for name, weight in model.named_parameters():
            if "norm" not in name.lower():
                weight.normal_(0.0, scale)
    return model.eval()


def byte_level_tokenizer(folder: Path, texts: Sequence[str] = (), template: str | None = None, **special: str) -> Any:
    """A byte-level BPE tokenizer trained on a few texts; it can write anything."""
    from tokenizers import ByteLevelBPETokenizer
    from transformers import PreTrainedTokenizerFast

    core = ByteLevelBPETokenizer()
    marks = sorted({"<|end|>", "<|system|>", "<|user|>", "<|assistant|>", *special.values()})
    core.train_from_iterator([*texts, CHAT_WORDS * 3], vocab_size=320, special_tokens=marks, show_progress=False)
    file = folder / "core.json"
    core.save(str(file))
    names = {"eos_token": "<|end|>", "additional_special_tokens": ["<|system|>", "<|user|>", "<|assistant|>"], **special}
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(file), **names)
    file.unlink()
    tokenizer.chat_template = template
    tokenizer.save_pretrained(folder)
    return tokenizer
