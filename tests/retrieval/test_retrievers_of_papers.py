"""The retrievers of the papers: profiles name the models, an index is built with them, and the pages say the same.

No hub is needed: a folder of the model's name in the working directory holds an ONNX model, or tiny weights, in its place.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("onnxruntime", reason="needs the extra dense")
pytest.importorskip("faiss", reason="needs the extra dense")

from support.commands import ran
from support.tiny_models import bert_sizes, bert_vocabulary, stirred
from support.tiny_onnx import tiny_onnx

from hopweave.core.building import build
from hopweave.core.catalog import asks_the_model, entries, load
from hopweave.core.errors import DataError, SettingsError
from hopweave.core.indexing import traits_of
from hopweave.evaluation.papers._published import published
from hopweave.record import Setup
from hopweave.retrieval.encoders.encoders import EncoderOptions, Recipe, encoder_of, recipe_of
from hopweave.retrieval.encoders.token_encoders import token_encoder_of
from hopweave.run.opening import index_writer, open_retriever
from hopweave.run.settings import read_settings

DOCS = Path(__file__).parents[2] / "docs"
PROFILES = Path(sys.modules["hopweave"].__file__).parent / "profiles"
PAPERS = {
    "paper_searchain": ("late_interaction", "colbert-ir/colbertv2.0"),
    "paper_toqd": ("dense", "facebook/contriever-msmarco"),
    "toqd_gte_base": ("dense", "thenlper/gte-base"),
}
WORDS = {
    "[unused0]": [0.0, 7.0, 0.0],
    "[unused1]": [0.0, 7.0, 1.0],
    "[MASK]": [1.0, 1.0, 1.0],
    "red": [3.0, 0.0, 0.0],
    "green": [0.0, 2.0, 0.0],
    "blue": [0.0, 0.0, 4.0],
    "lamp": [0.1, 0.1, 0.1],
}
ROWS = [{"id": word, "text": f"lamp {word}"} for word in ("red", "green", "blue")]


def options_of(settings, retriever):
    """The options of a retriever, with the types that they have there."""
    part = load("retrievers", retriever)
    return build(traits_of(retriever).options or part, settings.retrievers.get(retriever, {}), f"retrievers.{retriever}")


# -- profiles ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("profile", PAPERS)
def test_a_profile_names_the_model_of_its_paper(profile):
    retriever, model = PAPERS[profile]
    assert options_of(read_settings({"profile": profile}), retriever).model == model


@pytest.mark.parametrize("profile", sorted(path.stem for path in PROFILES.glob("*.toml")))
def test_every_option_of_a_profile_can_be_set(profile):
    settings = read_settings({"profile": profile})
    for role in ("methods", "readers", "llms", "duplicate_detectors"):
        for name in getattr(settings, role):
            settings.part(role, name)
    for name in settings.retrievers:
        if traits_of(name).options:
            options_of(settings, name)
        elif asks_the_model(name):
            settings.part("retrievers", name)
        else:
            opened, _ = open_retriever(settings.with_changes({"retriever": name, "corpus": "starter"}))
            opened.close()


@pytest.mark.parametrize("profile", ["paper_searchain", "paper_toqd"])
def test_without_a_flag_a_profile_of_a_paper_searches_with_bm25_as_anyone_can(profile):
    assert read_settings({"profile": profile}).retriever == "bm25"


def test_every_retriever_of_toqds_table_3_stands_on_its_engine():
    settings = read_settings({"profile": "toqd_gte_base"})
    asking = [name for name in entries("retrievers") if hasattr(load("retrievers", name), "search_with")]
    table = [name for name in asking if name in settings.retrievers]
    assert sorted(table) == ["hyde", "multi_query", "multi_step", "sub_question", "toqd"]
    assert {options_of(settings, name).engine for name in table} == {settings.retriever} == {"dense"}


@pytest.mark.parametrize(
    ("profile", "recipe"),
    [("paper_toqd", Recipe("mean", "", "", normalized=False)), ("toqd_gte_base", Recipe("mean", "", "", normalized=True))],
)
def test_a_profile_leaves_the_model_as_it_was_trained(profile, recipe):
    options = options_of(read_settings({"profile": profile}), "dense")
    assert options.recipe(recipe_of(options.model)) == recipe


@pytest.mark.parametrize(
    ("profile", "table", "row", "dataset"),
    [
        ("paper_searchain", "searchain_table1", "searchain", "hotpotqa"),
        ("paper_toqd", "toqd_table1", "toqd", "hotpotqa"),
        ("toqd_gte_base", "toqd_table3", "native", "multihop_rag"),
    ],
)
def test_tables_take_the_retriever_of_a_profile_for_that_of_the_paper(profile, table, row, dataset):
    retriever, model = PAPERS[profile]
    options = options_of(read_settings({"profile": profile}), retriever)
    encoder = (token_encoder_of if retriever == "late_interaction" else encoder_of)(options)
    reasons = {}
    for identity in (f"{retriever} encoder={encoder.identity}", "bm25"):
        [there] = published(table, row, dataset, [Setup("0", "m", {}, "gpt-3.5-turbo", identity)])
        reasons[identity] = [why for why in there.why_not if why.startswith("the retriever is")]
    assert model in encoder.identity
    assert list(map(len, reasons.values())) == [0, 1]


# -- the pair of commands ----------------------------------------------------------------------------------------------------


@pytest.fixture
def corpus(tmp_path, monkeypatch):
    """An index of bm25, beside the file it was made of, where folders of the models' names hold tiny models."""
    monkeypatch.chdir(tmp_path)
    for _, model in PAPERS.values():
        tiny_onnx(tmp_path / model, WORDS)
    Path("rows.jsonl").write_text("\n".join(map(json.dumps, ROWS)))
    assert ran("index", "rows.jsonl", "--to", "corpus").exit_code == 0
    return Path("corpus")


@pytest.mark.parametrize("profile", PAPERS)
def test_an_index_is_built_and_searched_under_the_profile(corpus, profile):
    retriever, _ = PAPERS[profile]
    inside = ("--engine", retriever, "--to", corpus / retriever, "--profile", profile)
    assert "3 passages" in ran("index", "rows.jsonl", *inside).output
    wanted = "green" if retriever == "late_interaction" else "red"  # [CLS] is like red, which every passage therefore has
    found = ran("search", f"lamp {wanted}", "--corpus", corpus, "--retriever", retriever, "--profile", profile, "--json").stdout
    assert json.loads(found.splitlines()[0])["passage"]["id"] == wanted


@pytest.mark.parametrize("profile", PAPERS)
def test_an_index_of_another_model_is_refused_under_the_profile(corpus, profile, monkeypatch):
    retriever, _ = PAPERS[profile]
    tiny_onnx(Path("other"), {**WORDS, "lamp": [0.5, 0.5, 0.5]})
    monkeypatch.setenv(f"HOPWEAVE_RETRIEVERS__{retriever.upper()}__MODEL", "other")
    ran("index", "rows.jsonl", "--engine", retriever, "--to", corpus / retriever)
    monkeypatch.delenv(f"HOPWEAVE_RETRIEVERS__{retriever.upper()}__MODEL")
    with pytest.raises(DataError, match=rf"set retrievers\.{retriever}\.model to the one that made them"):
        open_retriever(read_settings({"profile": profile, "retriever": retriever, "corpus": str(corpus)}))


@pytest.mark.parametrize("profile", PAPERS)
def test_without_an_index_of_the_retriever_the_command_that_builds_it_is_told(corpus, profile):
    retriever, _ = PAPERS[profile]
    with pytest.raises(DataError, match=f"--engine {retriever} --to corpus/{retriever}"):
        open_retriever(read_settings({"profile": profile, "retriever": retriever, "corpus": str(corpus)}))


@pytest.mark.parametrize(("profile", "library"), [("paper_searchain", "transformers"), ("paper_toqd", "sentence_transformers")])
def test_without_its_libraries_the_extra_is_named_and_no_index_is_left(corpus, profile, library, monkeypatch):
    retriever, model = PAPERS[profile]
    shutil.rmtree(Path(model).parent)
    monkeypatch.setitem(sys.modules, library, None)
    said = ran("index", "rows.jsonl", "--engine", retriever, "--to", corpus / retriever, "--profile", profile)
    assert said.exit_code != 0
    assert "pip install 'hopweave[hf]'" in " ".join(said.stderr.split())
    assert not (corpus / retriever / "manifest.json").exists()


def test_a_profile_is_refused_where_the_index_does_not_depend_on_it(tmp_path):
    with pytest.raises(SettingsError, match="an index of bm25 depends on no profile; leave out --profile, or name an --engine"):
        index_writer(tmp_path, "bm25", profile="paper_toqd")
    with pytest.raises(SettingsError, match="did you mean 'paper_toqd'"):
        index_writer(tmp_path, "dense", profile="paper_toqdd")


# -- weights of the hub's kind -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    """A BERT with random weights and its tokenizer, as the hub has Contriever: nothing says how it is pooled."""
    torch = pytest.importorskip("torch", reason="needs hopweave[hf]")
    pytest.importorskip("sentence_transformers", reason="needs hopweave[hf]")
    from transformers import BertConfig, BertModel, BertTokenizerFast

    folder = tmp_path_factory.mktemp("hub") / "facebook" / "contriever-msmarco"
    folder.mkdir(parents=True)
    torch.manual_seed(0)
    bert_vocabulary(folder)
    model = stirred(BertModel(BertConfig(**bert_sizes())))
    model.save_pretrained(folder)
    BertTokenizerFast.from_pretrained(folder).save_pretrained(folder)
    return folder, model


def mean_by_hand(folder, model, text):
    """The mean of the token vectors of one text, as Contriever's authors compute it."""
    import torch
    from transformers import AutoTokenizer

    given = AutoTokenizer.from_pretrained(folder)(text, return_tensors="pt")
    with torch.no_grad():
        return model(**given).last_hidden_state[0].mean(dim=0).numpy()


TEXTS = ["who designed the hall ?", "dudok designed the city hall of hilversum .", "ulm"]


@pytest.mark.parametrize("kind", ["query", "passage"])
def test_contriever_is_the_mean_of_its_tokens_of_any_length(bert, kind):
    folder, model = bert
    found = encoder_of(EncoderOptions(model=str(folder), device="cpu")).encode(TEXTS, kind)
    expected = np.array([mean_by_hand(folder, model, text) for text in TEXTS])
    assert found == pytest.approx(expected, abs=1e-4)
    assert abs(np.linalg.norm(found, axis=1) - 1).min() > 0.1


@pytest.mark.parametrize("says_so", [False, True])
def test_gte_base_is_the_mean_with_length_1_whether_its_files_normalise_or_not(bert, tmp_path, says_so):
    from sentence_transformers import SentenceTransformer

    folder, model = bert
    named = tmp_path / "thenlper" / "gte-base"
    shutil.copytree(folder, named)
    if says_so:
        SentenceTransformer(str(folder), device="cpu").save(str(named))
    found = encoder_of(EncoderOptions(model=str(named), device="cpu")).encode(TEXTS, "passage")
    expected = np.array([mean_by_hand(folder, model, text) for text in TEXTS])
    assert found == pytest.approx(expected / np.linalg.norm(expected, axis=1, keepdims=True), abs=1e-4)


# -- the pages ---------------------------------------------------------------------------------------------------------------


def page(name):
    return (DOCS / name).read_text(encoding="utf-8")


def test_the_page_names_each_profile_with_its_retriever_and_its_model():
    section = page("engines.md").partition("## The papers' retrievers")[2].partition("\n## ")[0]
    rows = re.findall(r"^\|[^|]+\| `(\w+)` \| `(\w+)` \| `([\w./-]+)` \|$", section, re.MULTILINE)
    assert {profile: (retriever, model) for profile, retriever, model in rows} == PAPERS
    for profile, (retriever, _) in PAPERS.items():
        assert re.search(rf"hopweave index .*--engine {retriever} --profile {profile} --to \w+/{retriever}\b", section)
        assert f"--profile {profile} --retriever" in section


def test_the_settings_page_lists_every_profile():
    assert [
        name for name in (path.stem for path in PROFILES.glob("*.toml")) if f"`{name}`" not in page("start/settings.md")
    ] == []


@pytest.mark.parametrize("name", ["searchain.md", "toqd.md", "retrievers.md"])
def test_what_no_option_can_reproduce_is_no_retriever_that_a_profile_has(name):
    [told] = re.findall(r"What no (?:option|setting) can reproduce: (.+?)\.\s", page(name), re.DOTALL)
    assert not re.search("ColBERT|Contriever|gte", told)
    assert "](engines.md#the-papers-retrievers)" in page(name)
