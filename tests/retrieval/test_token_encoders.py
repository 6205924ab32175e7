"""Token encoders: texts become the vectors of their tokens as ColBERTv2 was published, from the hub and from ONNX alike."""

import json
import string
import sys

import numpy as np
import pytest

pytest.importorskip("tokenizers", reason="needs the extra dense")

from support.tiny_models import SPECIAL, bert_sizes, stirred
from support.tiny_onnx import tiny_onnx

from hopweave.core.errors import DataError, MissingExtra, SearchError, SettingsError
from hopweave.retrieval.encoders.token_encoders import (
    COLBERT,
    ModelTokens,
    TokenEncoderOptions,
    TokenRecipe,
    given_tokens,
    token_encoder_of,
)

MARKERS = ["[unused0]", "[unused1]"]
WORDS = {
    **{marker: [0.0, 7.0, float(at)] for at, marker in enumerate(MARKERS, start=3)},
    "[MASK]": [1.0, 1.0, 1.0],
    "red": [3.0, 0.0, 0.0],
    "green": [0.0, 2.0, 0.0],
    "blue": [0.0, 0.0, 4.0],
    ",": [9.0, 9.0, 0.0],
}
METADATA = {"query_token_id": "[unused0]", "doc_token_id": "[unused1]", "query_maxlen": 8, "doc_maxlen": 6, "dim": 3}


@pytest.fixture
def folder(tmp_path):
    return tiny_onnx(tmp_path / "tiny", WORDS)


def colbert(folder, **metadata):
    (folder / "artifact.metadata").write_text(json.dumps({**METADATA, **metadata}))
    return folder


def words_of(vectors):
    """Which word each vector is of."""
    known = {**WORDS, "[CLS]": [5.0, 0.0, 0.0]}  # which `red` is like, once both have length 1
    names = {_rounded(np.array(vector) / np.linalg.norm(vector)): word for word, vector in known.items()}
    return [names.get(_rounded(row), "[SEP]") for row in vectors]


def _rounded(vector):
    return tuple(np.rint(100 * vector).astype(int).tolist())


def encoded(folder, text, kind, **options):
    [vectors] = token_encoder_of(TokenEncoderOptions(model=str(folder), **options)).encode([text], kind)
    return words_of(vectors)


# -- as published ------------------------------------------------------------------------------------------------------------


def test_a_query_is_marked_and_filled_with_masks(folder):
    found = encoded(colbert(folder), "green , blue", "query")
    assert found == ["[CLS]", "[unused0]", "green", ",", "blue", "[SEP]", "[MASK]", "[MASK]"]
    assert encoded(folder, "green " * 20, "query") == ["[CLS]", "[unused0]", *["green"] * 5, "[SEP]"]


def test_a_passage_is_marked_and_cut_and_its_punctuation_is_left_out(folder):
    assert encoded(colbert(folder), "green , blue", "passage") == ["[CLS]", "[unused1]", "green", "blue", "[SEP]"]
    assert encoded(folder, "green " * 20, "passage") == ["[CLS]", "[unused1]", *["green"] * 3, "[SEP]"]
    assert encoded(colbert(folder, mask_punctuation=False), ", blue", "passage")[2:] == [",", "blue", "[SEP]"]


def test_every_vector_has_length_1(folder):
    [vectors] = token_encoder_of(TokenEncoderOptions(model=str(colbert(folder)))).encode(["red green"], "query")
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1, 1, 1, 0, 1, 1, 1])  # [SEP] is all zeros here


def test_a_plain_encoder_gets_neither_marks_nor_masks(folder):
    assert encoded(folder, "green , blue", "query") == ["[CLS]", "green", ",", "blue", "[SEP]"]
    assert encoded(folder, "green , blue", "passage") == ["[CLS]", "green", "blue", "[SEP]"]


def test_options_overrule_what_the_checkpoint_says(folder):
    options = {"query_tokens": 0, "query_marker": "", "max_tokens": 4, "skip_punctuation": False}
    assert encoded(colbert(folder), "green ,", "query", **options) == ["[CLS]", "green", ",", "[SEP]"]
    assert encoded(folder, "green , blue", "passage", **options) == ["[CLS]", "[unused1]", "green", "[SEP]"]


def test_masks_are_not_attended_to_unless_the_checkpoint_was_trained_so(folder):
    class Watched:
        identity = "watched"

        def __init__(self, recipe):
            self.recipe = recipe
            self.masks = []

        def load(self):
            from tokenizers import Tokenizer

            def run(ids, mask):
                self.masks.append(mask)
                return np.ones((*ids.shape, 2))

            return Tokenizer.from_file(str(folder / "tokenizer.json")), self.recipe, run

    for attends, expected in ((False, [1, 1, 1, 1, 0, 0]), (True, [1] * 6)):
        model = Watched(COLBERT._replace(query_tokens=6, attend_to_masks=attends))
        assert ModelTokens(model, 4).encode(["red"], "query")[0].shape == (6, 2)
        assert model.masks[0].tolist() == [expected]
    model = Watched(COLBERT)
    ModelTokens(model, 4).encode(["red", "red red"], "passage")
    assert model.masks[0].tolist() == [[1, 1, 1, 1, 0], [1] * 5]


def test_vectors_come_in_the_order_of_the_texts_whatever_their_lengths_and_batches(folder):
    texts = ["red", "blue " * 9 + "red", "green", "", "blue blue", "red green blue \ud800", "x" * 10_000]
    encoder = token_encoder_of(TokenEncoderOptions(model=str(folder), batch_size=2))
    for text, vectors in zip(texts, encoder.encode(texts, "passage"), strict=True):
        assert vectors == pytest.approx(encoder.encode([text], "passage")[0], abs=1e-6)


# -- what cannot be ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("metadata", "options", "said"),
    [
        ({"query_token_id": "[Q]"}, {}, r"has no token '\[Q\]'"),
        ({"query_maxlen": "32"}, {}, r"cannot read how .* takes texts \(query_tokens\)"),
        ({}, {"max_tokens": 2}, "at least 3 tokens"),
        ({}, {"query_tokens": -1}, "query_tokens must be 0 or more"),
    ],
)
def test_what_cannot_be_is_one_line_that_says_what_to_do(folder, metadata, options, said):
    with pytest.raises(SettingsError, match=said):
        encoded(colbert(folder, **metadata), "red", "query", **options)


def test_broken_metadata_a_missing_mask_and_no_model_are_told(folder, tmp_path):
    (folder / "artifact.metadata").write_text("[")
    with pytest.raises(SettingsError, match=r"correct or remove .*artifact\.metadata"):
        token_encoder_of(TokenEncoderOptions(model=str(folder)))
    without = tiny_onnx(tmp_path / "without", {"red": [1.0]})
    with pytest.raises(SettingsError, match=r"has no \[MASK\]; set query_tokens = 0"):
        token_encoder_of(TokenEncoderOptions(model=str(without), query_tokens=8)).encode(["red"], "query")
    with pytest.raises(SettingsError, match="HOPWEAVE_RETRIEVERS__LATE_INTERACTION__MODEL"):
        token_encoder_of(TokenEncoderOptions())


def test_a_model_names_itself_by_its_bytes_and_its_recipe(folder, tmp_path):
    names = {token_encoder_of(TokenEncoderOptions(model=str(folder), **more)).identity for more in ({}, {"max_tokens": 9})}
    names.add(token_encoder_of(TokenEncoderOptions(model=str(colbert(folder)))).identity)
    assert len(names) == 3
    assert str(tmp_path) not in "".join(names)
    assert TokenEncoderOptions().recipe(TokenRecipe()) == TokenRecipe()


# -- vectors given -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lines", ["2\ta\n2\tb", "0\ta\n3\tb", "3 a", "4\ta\n-1\tb", None])
def test_given_vectors_that_do_not_fit_their_names_are_refused(tmp_path, lines):
    np.save(tmp_path / "v.npy", np.zeros((3, 4), dtype=np.float32))
    if lines is not None:
        (tmp_path / "v.txt").write_text(lines)
    with pytest.raises(DataError, match=r"v\.npy"):
        given_tokens(tmp_path / "v.npy")


def test_a_query_without_given_vectors_is_an_error(tmp_path):
    np.save(tmp_path / "v.npy", np.eye(3, dtype=np.float32))
    (tmp_path / "v.txt").write_text("2\twho  is it\n1\twhere")
    encoder = token_encoder_of(TokenEncoderOptions(query_vectors=tmp_path / "v.npy"))
    assert [one.shape for one in encoder.encode(["where", "who is it"], "query")] == [(1, 3), (2, 3)]
    with pytest.raises(SearchError, match="there are no vectors of 'what'"):
        encoder.encode(["what"], "query")


# -- the hub -----------------------------------------------------------------------------------------------------------------


def test_without_its_library_a_checkpoint_says_which_extra_brings_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(MissingExtra, match=r"hopweave\[hf\]"):
        token_encoder_of(TokenEncoderOptions(model="colbert-ir/colbertv2.0")).encode(["a"], "query")


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    """A ColBERT checkpoint with random weights, saved as its authors' code does."""
    torch = pytest.importorskip("torch", reason="needs hopweave[hf]")
    from transformers import BertConfig, BertModel, BertPreTrainedModel, BertTokenizerFast

    class ColBERT(BertPreTrainedModel):
        def __init__(self, config):
            super().__init__(config)
            self.bert = BertModel(config)
            self.linear = torch.nn.Linear(config.hidden_size, 16, bias=False)
            self.post_init()

    folder = tmp_path_factory.mktemp("checkpoint")
    words = [*SPECIAL, *MARKERS, *string.punctuation, "who", "designed", "the", "hall", "tower", "a", "of", "in", "river"]
    (folder / "vocab.txt").write_text("\n".join(words), encoding="utf-8")
    torch.manual_seed(0)
    model = stirred(ColBERT(BertConfig(**bert_sizes(vocab_size=len(words)))))
    model.save_pretrained(folder)
    BertTokenizerFast.from_pretrained(folder).save_pretrained(folder)
    (folder / "artifact.metadata").write_text(json.dumps({**METADATA, "query_maxlen": 32, "doc_maxlen": 60}))
    return folder, model, words


def by_hand(model, words, text, kind):
    """What the authors' code computes, step by step."""
    import torch

    ids = [words.index(token) for token in ["[CLS]", MARKERS[kind == "passage"], *text.split(), "[SEP]"]]
    fill = 32 - len(ids) if kind == "query" else 0
    given = torch.tensor([ids + [words.index("[MASK]")] * fill])
    mask = torch.tensor([[1] * len(ids) + [0] * fill])
    with torch.no_grad():
        vectors = model.linear(model.bert(given, attention_mask=mask).last_hidden_state)
        vectors = torch.nn.functional.normalize(vectors, p=2, dim=2)[0].numpy()
    return vectors if kind == "query" else vectors[[words[one] not in string.punctuation for one in ids]]


@pytest.mark.parametrize(
    ("text", "kind"), [("who designed the hall ?", "query"), ("the hall , a tower . ( river )", "passage")]
)
def test_a_checkpoint_makes_the_vectors_of_its_authors_code(checkpoint, text, kind):
    folder, model, words = checkpoint
    encoder = token_encoder_of(TokenEncoderOptions(model=str(folder), device="cpu"))
    [alone] = encoder.encode([text], kind)
    expected = by_hand(model, words, text, kind)
    assert alone.shape == expected.shape
    assert alone == pytest.approx(expected, abs=1e-5)
    beside = encoder.encode([text, "a river of a tower in the hall"], kind)[0]
    assert beside == pytest.approx(expected, abs=1e-4)
    assert encoder.identity == f"hub tokens({folder})"


def test_a_checkpoint_of_the_older_kind_of_file_is_read_too(checkpoint, tmp_path):
    import shutil

    import torch

    folder, model, _ = checkpoint
    older = tmp_path / "older"
    shutil.copytree(folder, older)
    (older / "model.safetensors").unlink()
    torch.save(model.state_dict(), older / "pytorch_model.bin")
    found = [token_encoder_of(TokenEncoderOptions(model=str(one))).encode(["the hall"], "query")[0] for one in (folder, older)]
    assert found[0] == pytest.approx(found[1], abs=1e-6)


def test_a_model_without_a_projection_is_no_checkpoint(checkpoint, tmp_path):
    import shutil

    folder, model, _ = checkpoint
    plain = tmp_path / "plain"
    shutil.copytree(folder, plain)
    (plain / "model.safetensors").unlink()
    model.bert.save_pretrained(plain)
    with pytest.raises(SettingsError, match=r"has no projection \(linear\.weight\); name a ColBERT checkpoint"):
        token_encoder_of(TokenEncoderOptions(model=str(plain))).encode(["the"], "query")
    (plain / "model.safetensors").write_bytes(b"no weights")
    with pytest.raises(SettingsError, match=r"cannot load .*; name a folder with its files"):
        token_encoder_of(TokenEncoderOptions(model=str(plain))).encode(["the"], "query")
