"""Extractive question-answering models as readers: true spans, a score against no answer, and long passages read whole."""

from __future__ import annotations

import sys

import pytest
from support.tiny_models import bert_sizes, bert_vocabulary, byte_level_tokenizer, stirred

from hopweave.core.catalog import load
from hopweave.core.errors import MissingExtra, SettingsError
from hopweave.core.protocols import Reader
from hopweave.core.types import Passage, Reading
from hopweave.models.readers.span_model import SpanModel

QUERY = "Who designed the hall?"
TEXT = "The hall in Hilversum was designed by Dudok \U0001f600, Café e\u0301 Zanzibar, and opened in 1931."
PASSAGE = Passage("p", TEXT, title="Hall of Hilversum")


def test_the_reader_fills_its_role_and_names_what_touches_its_readings():
    assert isinstance(SpanModel(), Reader)
    assert len({SpanModel().identity, SpanModel(null_score=False).identity, SpanModel(revision="v1").identity}) == 3
    assert SpanModel(batch_size=1).identity == SpanModel().identity


def test_lengths_that_cannot_be_are_refused():
    with pytest.raises(SettingsError, match="span_model batch_size must be at least 1"):
        SpanModel(batch_size=0)


def test_a_missing_library_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(MissingExtra, match=r"hopweave\[hf\]"):
        SpanModel().read([(QUERY, PASSAGE)])


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    """A BERT for question answering with random weights."""
    pytest.importorskip("torch", reason="needs hopweave[hf]")
    import torch
    from transformers import BertConfig, BertForQuestionAnswering, BertTokenizerFast

    folder = tmp_path_factory.mktemp("bert")
    bert_vocabulary(folder)
    torch.manual_seed(0)
    stirred(BertForQuestionAnswering(BertConfig(**bert_sizes()))).save_pretrained(folder)
    BertTokenizerFast.from_pretrained(folder).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def roberta(tmp_path_factory):
    """A RoBERTa with random weights: tokens of bytes, blanks within tokens, no token types, positions that begin at 2."""
    pytest.importorskip("torch", reason="needs hopweave[hf]")
    import torch
    from tokenizers import Tokenizer, processors
    from transformers import PreTrainedTokenizerFast, RobertaConfig, RobertaForQuestionAnswering

    folder = tmp_path_factory.mktemp("roberta")
    special = {"bos_token": "<s>", "cls_token": "<s>", "eos_token": "</s>", "sep_token": "</s>", "pad_token": "<pad>"}
    tokenizer = byte_level_tokenizer(folder, **special)
    core: Tokenizer = tokenizer.backend_tokenizer
    first, last = (core.token_to_id(token) for token in ("<s>", "</s>"))
    core.post_processor = processors.RobertaProcessing(
        ("</s>", last), ("<s>", first), trim_offsets=True, add_prefix_space=False
    )
    PreTrainedTokenizerFast(tokenizer_object=core, **special).save_pretrained(folder)
    torch.manual_seed(1)
    sizes = bert_sizes(vocab_size=len(tokenizer), max_position_embeddings=130, pad_token_id=tokenizer.pad_token_id)
    stirred(RobertaForQuestionAnswering(RobertaConfig(**sizes))).save_pretrained(folder)
    return folder


def reader_of(folder, **options) -> SpanModel:
    return load("readers", "span_model")(model=str(folder), device="cpu", **options)


@pytest.mark.parametrize("with_title", [True, False])
@pytest.mark.parametrize("null_score", [True, False])
def test_the_confidence_is_the_best_spans_score_minus_that_of_no_answer(bert, with_title, null_score):
    import torch
    from transformers import AutoModelForQuestionAnswering, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(bert)
    before = f"{PASSAGE.title}\n" if with_title else ""
    encoded = tokenizer(QUERY, before + TEXT, return_tensors="pt", return_offsets_mapping=True)
    offsets = encoded.pop("offset_mapping")[0].tolist()
    with torch.no_grad():
        output = AutoModelForQuestionAnswering.from_pretrained(bert).eval()(**encoded)
    start, end = output.start_logits[0].tolist(), output.end_logits[0].tolist()
    sides = encoded.sequence_ids(0)
    inside = [i for i, side in enumerate(sides) if side == 1 and offsets[i][0] >= len(before)]
    score, first, last = max((start[i] + end[j], i, j) for i in inside for j in inside if i <= j < i + 10)
    reader = reader_of(bert, with_title=with_title, null_score=null_score)
    [reading] = reader.read([(QUERY, PASSAGE)])
    assert reading.confidence == pytest.approx(score - (start[0] + end[0] if null_score else 0.0), abs=1e-5)
    assert (before + TEXT)[offsets[first][0] : offsets[last][1]] in reading.text
    assert TEXT[reading.span.start : reading.span.end] == reading.text


@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_a_span_is_a_true_quote_without_blanks_around_it(kind, request):
    folder = request.getfixturevalue(kind)
    for query in ("Who?", "where was Kepler born", "alpha beta", ""):
        for passage in (PASSAGE, Passage("s", "Ulm"), Passage("b", "  Ulm \n the \t city  " * 40, title="Ulm")):
            [reading] = reader_of(folder).read([(query, passage)])
            assert passage.text[reading.span.start : reading.span.end] == reading.text
            assert reading.text.strip() == reading.text != ""


@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_a_batch_reads_as_one_by_one_does(kind, request):
    folder = request.getfixturevalue(kind)
    pairs = [
        (QUERY, PASSAGE),
        ("Who?", Passage("s", "Ulm")),
        (QUERY, Passage("l", "The tower of Ulm opened. " * 90, title="T")),
    ]
    together = reader_of(folder, batch_size=4).read(pairs)
    alone = [reader_of(folder, batch_size=1).read([pair])[0] for pair in pairs]
    assert [reading.span for reading in together] == [reading.span for reading in alone]
    assert [r.confidence for r in together] == pytest.approx([r.confidence for r in alone], abs=1e-4)


def test_a_passage_without_a_word_is_as_unlikely_as_can_be(bert):
    [empty] = reader_of(bert).read([(QUERY, Passage("e", " "))])
    assert (empty.text, empty.span, empty.confidence) == ("", None, -100.0)


@pytest.mark.parametrize("position", [0, 777, 1999])
def test_a_long_passage_is_read_whole(bert, position):
    import torch
    from transformers.modeling_outputs import QuestionAnsweringModelOutput

    reader = reader_of(bert)
    model, tokenizer = reader._model()
    first, *_, last = tokenizer("zanzibar", add_special_tokens=False).input_ids
    lengths = []

    class Planted:
        """Starts and ends at zanzibar. No answer is worth 3, and 1 where it is found."""

        device, config = "cpu", model.config

        def __call__(self, input_ids, attention_mask, token_type_ids):
            lengths.extend(attention_mask.sum(-1).tolist())
            start, end = 2.0 * (input_ids == first), 2.0 * (input_ids == last)
            is_found = (input_ids == first).any(-1)
            start[:, 0], end[:, 0] = torch.where(is_found, 0.0, 2.0), 1.0
            return QuestionAnsweringModelOutput(start_logits=start, end_logits=end)

    reader._loaded["model"] = Planted()
    words = ["the"] * 2000
    words[position] = "Zanzibar"
    [reading] = reader.read([("where is zanz?", Passage("l", " ".join(words), title="Zanzibar"))])
    assert (reading.text, reading.span.start) == ("Zanzibar", 4 * position)
    assert reading.confidence == 3.0
    assert max(lengths) <= 512
    assert len(lengths) > 4


def test_a_query_and_a_title_of_any_length_leave_room_for_the_passage(roberta):
    [reading] = reader_of(roberta).read([("who " * 500, Passage("p", TEXT, title="Tower " * 500))])
    assert reading.text in TEXT or reading.in_title


@pytest.mark.parametrize("title", ["Zanzibar", "Hall of Zanzibar " + "tower " * 300])
def test_a_span_may_come_from_the_title(bert, title):
    import torch
    from transformers.modeling_outputs import QuestionAnsweringModelOutput

    reader = reader_of(bert)
    model, tokenizer = reader._model()
    first, *_, last = tokenizer("zanzibar", add_special_tokens=False).input_ids

    class Planted:
        device, config = "cpu", model.config

        def __call__(self, input_ids, attention_mask, token_type_ids):
            return QuestionAnsweringModelOutput(
                start_logits=2.0 * (input_ids == first), end_logits=2.0 * torch.eq(input_ids, last)
            )

    reader._loaded["model"] = Planted()
    assert reader.read([("where?", Passage("p", "The tower of Ulm.", title))]) == [
        Reading("Zanzibar", None, 4.0, in_title=True)
    ]


def test_a_model_that_is_not_there_is_named_in_one_line(tmp_path):
    pytest.importorskip("torch", reason="needs hopweave[hf]")
    with pytest.raises(SettingsError, match="cannot load the span model"):
        reader_of(tmp_path / "nowhere").read([(QUERY, PASSAGE)])
