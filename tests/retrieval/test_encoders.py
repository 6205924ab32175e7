"""Encoders: each model's vectors are made as the model was trained, whether it runs here or at an endpoint."""

import json

import numpy as np
import pytest

pytest.importorskip("onnxruntime", reason="needs the extra dense")

from support.scripted_server import Behaviour
from support.served import Served
from support.tiny_onnx import tiny_onnx

from hopweave.core.errors import MissingExtra, SearchError, SettingsError
from hopweave.core.types import Passage
from hopweave.retrieval.encoders import encoders as _encoders
from hopweave.retrieval.encoders.encoders import EncoderOptions, Recipe, encoder_of, onnx_file, pooled, recipe_of
from hopweave.retrieval.engines.dense import Dense

WORDS = {"red": [1.0, 0.0, 0.0], "green": [0.0, 2.0, 0.0], "blue": [0.0, 0.0, 3.0], "query:": [7.0, 7.0, 7.0]}


@pytest.fixture
def folder(tmp_path):
    return tiny_onnx(tmp_path / "tiny", WORDS)


def vectors_of(texts, kind="passage", **options):
    return encoder_of(EncoderOptions(**options)).encode(texts, kind)


# -- as each model was trained -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "recipe"),
    [
        ("facebook/contriever-msmarco", Recipe("mean", "", "", normalized=False)),
        ("thenlper/gte-base", Recipe("mean")),
        ("Alibaba-NLP/gte-base-en-v1.5", Recipe("cls")),
        ("intfloat/e5-base-v2", Recipe("mean", "query: ", "passage: ")),
        ("intfloat/multilingual-e5-large", Recipe("mean", "query: ", "passage: ")),
        ("BAAI/bge-base-en-v1.5", Recipe("cls", "Represent this sentence for searching relevant passages: ")),
        ("BAAI/bge-m3", Recipe("cls")),
        ("sentence-transformers/all-MiniLM-L6-v2", Recipe("mean")),
        ("nomic-ai/nomic-embed-text-v1.5", Recipe("mean", "search_query: ", "search_document: ")),
        ("somebody/else", None),
    ],
)
def test_what_is_known_of_a_model_goes_by_its_name(model, recipe):
    assert recipe_of(model) == recipe


def test_options_overrule_what_is_known():
    options = EncoderOptions(model="m", query_prefix="ask: ", normalized=False)
    assert options.recipe(Recipe("cls", "a", "b")) == Recipe("cls", "ask: ", "b", normalized=False)


def test_token_vectors_are_pooled_without_the_padding():
    tokens = np.array([[[1.0], [3.0], [99.0]], [[2.0], [4.0], [6.0]]])
    mask = np.array([[1, 1, 0], [1, 1, 1]])
    assert pooled(tokens, mask, "mean").tolist() == [[2.0], [4.0]]
    assert pooled(tokens, mask, "cls").tolist() == [[1.0], [2.0]]
    assert pooled(tokens, mask, "last").tolist() == [[3.0], [6.0]]


# -- an ONNX model in a folder -----------------------------------------------------------------------------------------------


def test_an_onnx_model_is_pooled_by_the_mean_and_normalised_unless_told_otherwise(folder):
    [plain] = vectors_of(["red green"], model=str(folder), normalized=False)
    assert plain.tolist() == [1.5, 0.5, 0.0]  # of [CLS] red green [SEP]
    [unit] = vectors_of(["red green"], model=str(folder))
    assert unit == pytest.approx(plain / np.linalg.norm(plain))
    assert vectors_of(["red green"], model=str(folder), pooling="cls", normalized=False).tolist() == [[5.0, 0.0, 0.0]]


def test_what_the_folder_says_of_its_pooling_is_followed(folder):
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text(json.dumps({"pooling_mode_cls_token": True}))
    assert vectors_of(["blue"], model=str(folder)).tolist() == [[5.0, 0.0, 0.0]]
    (folder / "modules.json").write_text(json.dumps([{"type": "sentence_transformers.models.Normalize"}]))
    assert vectors_of(["blue"], model=str(folder)).tolist() == [[1.0, 0.0, 0.0]]
    (folder / "1_Pooling" / "config.json").write_text("[]")
    with pytest.raises(SettingsError, match=r"cannot read the pooling of "):
        encoder_of(EncoderOptions(model=str(folder)))


def test_the_name_of_a_folder_tells_its_prefixes(tmp_path):
    folder = str(tiny_onnx(tmp_path / "e5-tiny", WORDS))
    [asked] = vectors_of(["red"], "query", model=folder, normalized=False)
    assert asked.tolist() == [13 / 4, 7 / 4, 7 / 4]
    [passage] = vectors_of(["red"], "passage", model=folder, normalized=False)  # `passage:` is no word of the model
    assert passage.tolist() == [6 / 4, 0.0, 0.0]


def test_vectors_come_in_the_order_of_the_texts_whatever_their_lengths_and_batches(folder):
    texts = ["red", "blue " * 9 + "red", "green", "", "blue blue", "red green blue \ud800"]
    together = vectors_of(texts, model=str(folder), batch_size=2)
    for text, vector in zip(texts, together, strict=True):
        assert vector == pytest.approx(vectors_of([text], model=str(folder))[0], abs=1e-6)


def test_what_is_beyond_the_longest_text_is_cut_off(folder):
    short = vectors_of(["red red red"], model=str(folder), max_tokens=5)
    assert vectors_of(["red red red blue blue"], model=str(folder), max_tokens=5) == pytest.approx(short)


def test_an_onnx_model_names_itself_by_its_bytes(folder, tmp_path):
    name = encoder_of(EncoderOptions(model=str(folder))).identity
    same = tmp_path / "elsewhere"
    same.mkdir()
    for path in folder.iterdir():
        (same / path.name).write_bytes(path.read_bytes())
    assert encoder_of(EncoderOptions(model=str(same))).identity == name
    assert encoder_of(EncoderOptions(model=str(same), max_tokens=8)).identity != name
    other = tiny_onnx(tmp_path / "other", {**WORDS, "red": [1.0, 0.5, 0.0]})
    assert encoder_of(EncoderOptions(model=str(other))).identity != name


def test_a_folder_of_the_hub_keeps_its_model_in_onnx(folder):
    (folder / "onnx").mkdir()
    (folder / "model.onnx").rename(folder / "onnx" / "model.onnx")
    assert onnx_file(folder) == folder / "onnx" / "model.onnx"
    assert vectors_of(["red"], model=str(folder)).shape == (1, 3)


def test_a_broken_or_missing_file_is_one_line_that_says_what_to_do(folder):
    (folder / "model.onnx").write_bytes(b"no model")
    with pytest.raises(SettingsError, match=r"cannot load the ONNX model in .*; check its files"):
        vectors_of(["red"], model=str(folder))
    (folder / "tokenizer.json").unlink()
    with pytest.raises(SettingsError, match=r"there is no tokenizer\.json in"):
        vectors_of(["red"], model=str(folder))


def test_an_index_is_built_and_searched_with_a_model_in_a_folder(folder, tmp_path):
    passages = [Passage(word, f"{word} {word}", "") for word in ("red", "green", "blue")]
    options = EncoderOptions(model=str(folder))
    Dense.build(tmp_path / "index", passages, options=options)
    [hits] = Dense(tmp_path / "index", model=str(folder)).search(["green"], 1)
    assert hits[0].passage.id == "green"


# -- the hub -----------------------------------------------------------------------------------------------------------------


def test_a_model_of_the_hub_gets_its_prefixes_and_is_normalised_as_known(monkeypatch):
    asked = []

    def embeddings(texts, model, device, *, normalized):
        asked.append((texts, model, device, normalized))
        return np.ones((len(texts), 2))

    monkeypatch.setattr(_encoders, "embeddings", embeddings)
    assert vectors_of(["a"], "query", model="intfloat/e5-base-v2", device="cpu").dtype == np.float32
    vectors_of(["a"], "passage", model="facebook/contriever-msmarco")
    vectors_of(["a"], "query", model="somebody/else")  # which says itself whether it is normalised
    assert asked == [
        (["query: a"], "intfloat/e5-base-v2", "cpu", True),
        (["a"], "facebook/contriever-msmarco", None, False),
        (["a"], "somebody/else", None, False),
    ]


def test_without_its_library_a_model_of_the_hub_says_which_extra_brings_it(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingExtra, match=r"hopweave\[hf\]"):
        vectors_of(["a"], model="thenlper/gte-small")


# -- an endpoint -------------------------------------------------------------------------------------------------------------


@pytest.fixture
def key(monkeypatch):
    monkeypatch.setenv("EMBED_KEY", "secret-of-embeddings")


def lengths(request):
    rows = [{"index": at, "embedding": [len(text), at]} for at, text in enumerate(request.body["input"])]
    return Behaviour(raw=json.dumps({"data": rows[::-1], "model": "m"}))


def at(server, **options):
    return {"model": "intfloat/e5-base-v2", "base_url": server.base_url, "api_key_env": "EMBED_KEY", **options}


def test_an_endpoint_is_asked_in_batches_and_its_rows_are_put_in_order(key):
    with Served(lengths) as server:
        vectors = vectors_of(["a", "bb", "ccc"], "query", **at(server, batch_size=2, normalized=False))
        requests = sorted(server.requests, key=lambda one: -len(one.body["input"]))
    assert vectors.tolist() == [[8.0, 0.0], [9.0, 1.0], [10.0, 0.0]]
    assert [one.body["input"] for one in requests] == [["query: a", "query: bb"], ["query: ccc"]]
    assert {one.path for one in requests} == {"/v1/embeddings"}
    assert {one.headers["authorization"] for one in requests} == {"Bearer secret-of-embeddings"}


def test_an_endpoint_that_is_busy_for_a_moment_is_asked_again(key):
    busy = Behaviour(status=429, text="busy", headers={"Retry-After": "0"})
    with Served(lambda request: busy if request.number == 0 else lengths(request)) as server:
        assert vectors_of(["a"], **at(server)).shape == (1, 2)
        assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("behaviour", "said"),
    [
        (Behaviour(status=401, text="no: secret-of-embeddings"), "refuses the key; check .* EMBED_KEY"),
        (Behaviour(raw='{"data": []}'), "sent no vectors of 1 texts"),
        (Behaviour(raw='{"data": [{"index": 0, "embedding": "AAAA"}]}'), "sent no vectors"),
        (Behaviour(raw='{"data": [{"index": 0, "embedding": [1e999, 0]}]}'), "no numbers|not a"),
        (Behaviour(raw='{"data": [{"index": 0, "embedding": []}]}'), "sent no vectors"),
        (Behaviour(raw='{"data": [{"index": 1e999, "embedding": [1]}]}'), "sent no vectors"),
        (Behaviour(raw='{"data": [{"index": 1, "embedding": [1]}]}'), "sent no vectors"),
        (Behaviour(raw=f'{{"data": [{{"index": 0, "embedding": [1{"0" * 400}]}}]}}'), "sent no vectors"),
    ],
)
def test_what_an_endpoint_sends_amiss_is_a_search_error_without_the_key(key, behaviour, said):
    with Served([behaviour]) as server, pytest.raises(SearchError, match=said) as caught:
        vectors_of(["a"], **at(server))
    assert "secret-of-embeddings" not in str(caught.value)


def numbered(*numbers):
    rows = [{"index": number, "embedding": [at + 1]} for at, number in enumerate(numbers)]
    return Behaviour(raw=json.dumps({"data": rows}))


@pytest.mark.parametrize(("numbers", "vectors"), [((2, 0, 1), [2.0, 3.0, 1.0]), ((0, 0, 0), [1.0, 2.0, 3.0])])
def test_rows_are_put_in_order_by_their_numbers_unless_all_have_none(key, numbers, vectors):
    with Served([numbered(*numbers)]) as server:
        assert vectors_of(["a", "b", "c"], **at(server, normalized=False)).reshape(-1).tolist() == vectors


@pytest.mark.parametrize("numbers", [(1, 0, 0), (0, 1, 1), (1, 2, 3), (0, 1), (0, 1, 2, 3), (0, 0), (-1, 0, 1)])
def test_rows_whose_numbers_are_not_those_of_the_texts_are_refused(key, numbers):
    with Served([numbered(*numbers)]) as server, pytest.raises(SearchError, match="sent no vectors of 3 texts"):
        vectors_of(["a", "b", "c"], **at(server))


def test_vectors_of_different_lengths_are_refused(key):
    def growing(request):
        return Behaviour(raw=json.dumps({"data": [{"index": 0, "embedding": [1.0] * (request.number + 1)}]}))

    with Served(growing) as server, pytest.raises(SearchError, match="sent vectors of different lengths"):
        vectors_of(["a", "b"], **at(server, batch_size=1))


def test_the_address_of_an_endpoint_is_no_part_of_the_identity(key):
    one = encoder_of(EncoderOptions(model="m", base_url="http://127.0.0.1:1/v1"))
    assert one.identity == encoder_of(EncoderOptions(model="m", base_url="http://127.0.0.1:2/v1")).identity
