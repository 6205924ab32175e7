"""Readers that are span models, DPR's and those of question answering: scores of their formula, true quotes, long passages."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest
from support.tiny_models import SPECIAL, bert_sizes, bert_vocabulary, byte_level_tokenizer, stirred

from hopweave.core.catalog import load
from hopweave.core.errors import MissingExtra, SettingsError
from hopweave.core.protocols import Reader
from hopweave.core.types import Passage, Reading, Span
from hopweave.models.readers.dpr import DPR
from hopweave.models.readers.span_model import SpanModel

QUERY = "Who designed the hall?"
TEXT = "The hall in Hilversum was designed by Dudok \U0001f600, Café e\u0301 Zanzibar, and opened in 1931."
PASSAGE = Passage("p", TEXT, title="Hall of Hilversum")
PLAIN = Passage("p", "The hall in Hilversum was designed by Dudok, and opened in 1931.", title="Hall of Hilversum")
OTHER = Passage("o", "Kepler was born in the city. Café Zanzibar (the tower): \U0001f600 Ulm e\u0301 Dudok " * 3, title="Ulm")

# -- without the model -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "touching"),
    [
        (DPR, [{"passage_slot": "title"}, {"max_span_tokens": 5}]),
        (SpanModel, [{"null_score": False}, {"revision": "v1"}]),
    ],
)
def test_a_reader_fills_its_role_and_names_what_touches_its_readings(kind, touching):
    assert isinstance(kind(), Reader)
    assert kind().model in kind().identity
    assert len({kind(**options).identity for options in ({}, *touching)}) == 3
    assert kind(batch_size=1).identity == kind().identity


@pytest.mark.parametrize(
    ("kind", "options", "word"),
    [
        (DPR, {"max_span_tokens": 0}, "max_span_tokens must be at least 1"),
        (DPR, {"batch_size": 0}, "batch_size must be at least 1"),
        (DPR, {"max_tokens": 20}, "max_tokens must be at least 64"),
        (DPR, {"stride": 5}, "no span falls between two windows"),
        (DPR, {"stride": 300}, "a quarter of max_tokens = 512; not 300"),
        (SpanModel, {"batch_size": 0}, "span_model batch_size must be at least 1"),
        (SpanModel, {"max_tokens": 63}, "span_model max_tokens must be at least 64, not 63"),
        (SpanModel, {"stride": 5}, "span_model stride must be from max_span_tokens = 10"),
        (DPR, {"passage_slot": "both"}, "dpr passage_slot cannot be 'both'; choose one of: text, title"),
    ],
)
def test_options_that_cannot_be_are_refused(kind, options, word):
    with pytest.raises(SettingsError, match=word):
        kind(**options)


@pytest.mark.parametrize("kind", [DPR, SpanModel])
def test_a_missing_library_is_named_with_its_extra(monkeypatch, kind):
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(MissingExtra, match=r"hopweave\[hf\]"):
        kind().read([(QUERY, PASSAGE)])


# -- with tiny weights -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def dpr(tmp_path_factory):
    """Random weights of a DPR reader with two layers, and a vocabulary of a few words."""
    torch = pytest.importorskip("torch", reason="needs hopweave[hf]")
    from transformers import DPRConfig, DPRReader

    made = tmp_path_factory.mktemp("dpr")
    bert_vocabulary(made)
    torch.manual_seed(0)
    stirred(DPRReader(DPRConfig(**bert_sizes()))).save_pretrained(made)
    return made


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    """A BERT for question answering with random weights."""
    torch = pytest.importorskip("torch", reason="needs hopweave[hf]")
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
    torch = pytest.importorskip("torch", reason="needs hopweave[hf]")
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


@pytest.fixture
def kind(request):
    """Which tiny model reads; tests of several kinds are given one indirectly."""
    return getattr(request, "param", "dpr")


@pytest.fixture
def reader_of(kind, request):
    """Readers with the tiny weights of the kind."""
    name, folder = "dpr" if kind == "dpr" else "span_model", request.getfixturevalue(kind)
    return lambda **options: load("readers", name)(model=str(folder), device="cpu", **options)


def of_kinds(*kinds):
    return pytest.mark.parametrize("kind", kinds, indirect=True)


@pytest.mark.parametrize("slot", ["text", "title"])
def test_the_logits_and_span_of_dpr_are_those_of_the_formula(dpr, reader_of, slot):
    """Start, end and relevance logits are H w_s, H w_e and H_[CLS] w_f, and the input is the tokenizer's own."""
    import torch
    from transformers import DPRReader, DPRReaderTokenizer

    from hopweave.models.readers._spans import run_batches

    tokenizer = DPRReaderTokenizer.from_pretrained(dpr)
    if slot == "text":
        inputs = tokenizer(questions=[QUERY], titles=[PLAIN.title], texts=[PLAIN.text], return_tensors="pt")
    else:
        inputs = tokenizer(questions=[QUERY], titles=[f"Title: {PLAIN.title} Text: {PLAIN.text}"], return_tensors="pt")
    span, ids = DPRReader.from_pretrained(dpr).eval().span_predictor, inputs["input_ids"][0].tolist()
    with torch.no_grad():
        hidden = span.encoder.bert_model(inputs["input_ids"], attention_mask=inputs["attention_mask"])[0][0]
        start, end = (hidden @ span.qa_outputs.weight.T + span.qa_outputs.bias).T
        relevance = float(hidden[0] @ span.qa_classifier.weight[0] + span.qa_classifier.bias[0])
    reader = reader_of(passage_slot=slot)
    model, own = reader._model()
    [window] = reader._windows(own, 0, QUERY, PLAIN, 512)
    assert list(window.ids) == ids
    [(own_start, own_end, own_relevance)] = run_batches(model, [window], batch_size=1, pad_id=0)
    assert own_start.tolist() == pytest.approx(start.tolist(), abs=1e-5)
    assert own_end.tolist() == pytest.approx(end.tolist(), abs=1e-5)
    assert float(own_relevance) == pytest.approx(relevance, abs=1e-5)
    offsets = tokenizer(PLAIN.text, add_special_tokens=False, return_offsets_mapping=True)["offset_mapping"]
    begin = len(ids) - len(offsets) - (slot == "title")  # the last token is a separator where the passage is in the title
    spans = [(i, j) for i in range(len(offsets)) for j in range(i, min(i + 10, len(offsets)))]
    first, last = max(spans, key=lambda span: float(start[begin + span[0]] + end[begin + span[1]]))
    [reading] = reader.read([(QUERY, PLAIN)])
    assert reading.text == PLAIN.text[offsets[first][0] : offsets[last][1]]
    assert reading.confidence == pytest.approx(relevance, abs=1e-5)


@of_kinds("bert")
@pytest.mark.parametrize("with_title", [True, False])
@pytest.mark.parametrize("null_score", [True, False])
def test_the_confidence_is_the_best_spans_score_minus_that_of_no_answer(bert, reader_of, with_title, null_score):
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
    [reading] = reader_of(with_title=with_title, null_score=null_score).read([(QUERY, PASSAGE)])
    assert reading.confidence == pytest.approx(score - (start[0] + end[0] if null_score else 0.0), abs=1e-5)
    assert (before + TEXT)[offsets[first][0] : offsets[last][1]] in reading.text
    assert TEXT[reading.span.start : reading.span.end] == reading.text


@of_kinds("dpr", "bert", "roberta")
def test_a_span_is_a_true_quote_of_whole_words_without_blanks_around_it(kind, reader_of):
    quoted = []
    for query in ("Who?", "where was Kepler born", "alpha beta gamma", "when", ""):
        for passage in (PASSAGE, PLAIN, OTHER, Passage("s", "Ulm"), Passage("b", "  Ulm \n the \t city  " * 40, title="Ulm")):
            [reading] = reader_of().read([(query, passage)])
            assert reading.text.strip() == reading.text != ""
            if reading.in_title:
                assert (reading.span, reading.text in passage.title) == (None, True)
                continue
            quoted.append(reading)
            assert passage.text[reading.span.start : reading.span.end] == reading.text
            before, after = passage.text[: reading.span.start][-1:], passage.text[reading.span.end :][:1]
            assert not (before.isalnum() and reading.text[0].isalnum())
            assert not (after.isalnum() and reading.text[-1].isalnum())
    assert len(quoted) > 9


@of_kinds("dpr", "bert", "roberta")
def test_a_batch_reads_as_one_by_one_does(kind, reader_of):
    pairs = [
        (QUERY, PASSAGE),
        ("Where was Kepler born?", OTHER),
        ("Who?", Passage("s", "Ulm")),
        (QUERY, Passage("l", "The tower of Ulm opened in the city. " * 150, title="Tower")),
    ]
    together = reader_of(batch_size=3).read(pairs)
    alone = [reader_of(batch_size=1).read([pair])[0] for pair in pairs]
    assert [reading.span for reading in together] == [reading.span for reading in alone]
    assert [r.confidence for r in together] == pytest.approx([r.confidence for r in alone], abs=1e-4)
    assert reader_of().read([]) == []


@of_kinds("dpr", "bert")
def test_a_passage_without_a_word_has_no_span_and_a_confidence(kind, reader_of):
    [empty, blank] = reader_of().read([(QUERY, Passage("e", "", title="Ulm")), (QUERY, Passage("b", " \n "))])
    assert empty.span is None
    assert (blank.text, blank.span) == ("", None)
    assert blank.confidence == -100.0 if kind == "bert" else abs(blank.confidence) < 100


@of_kinds("dpr", "bert")
def test_a_model_that_is_not_there_is_named_in_one_line(kind, reader_of, tmp_path):
    reader = type(reader_of())(model=str(tmp_path / "nowhere"))
    with pytest.raises(SettingsError, match=f"cannot load the {'DPR reader' if kind == 'dpr' else 'span model'}"):
        reader.read([(QUERY, PASSAGE)])


# -- with planted logits -------------------------------------------------------------------------------------------------


class Planted:
    """In the place of the model: start and end at the word zanzibar, and more relevance the more often it stands there.

    For a model without relevance, no answer is worth 3, and 1 where the word is found.
    """

    device = "cpu"

    def __init__(self, tokenizer, max_positions):
        self.config = SimpleNamespace(max_position_embeddings=max_positions, pad_token_id=0, model_type="bert")
        self.first, *_, self.last = tokenizer("zanzibar", add_special_tokens=False).input_ids
        self.lengths = []

    def __call__(self, input_ids, attention_mask, token_type_ids=None):
        import torch

        self.lengths += attention_mask.sum(-1).tolist()
        # The query and the padding would be better places; but no span may come from there.
        is_query = (input_ids == SPECIAL.index("[SEP]")).cumsum(-1) == 0
        weight, beyond = 2.0 + 8.0 * is_query, 9.0 * (attention_mask == 0)
        start, end = weight * (input_ids == self.first) + beyond, weight * (input_ids == self.last) + beyond
        num_found = (input_ids == self.first).sum(-1)
        start[:, 0], end[:, 0] = torch.where(num_found > 0, 0.0, 2.0), 1.0
        relevance = num_found.to(torch.float32) if token_type_ids is None else None
        return SimpleNamespace(start_logits=start, end_logits=end, relevance_logits=relevance)


@pytest.fixture
def read_planted(reader_of):
    """Reads with planted logits; also gives what stood in the place of the model."""

    def read(pairs, max_positions=512, **options):
        reader = reader_of(**options)
        _, tokenizer = reader._model()
        reader._loaded["model"] = Planted(tokenizer, max_positions)
        return reader.read(pairs), reader._loaded["model"]

    return read


CONFIDENCE = {"dpr": 1.0, "bert": 3.0}
"""Where the word is found once: of the window that gave the span; the others have 0, or -3."""
RESERVED = {"dpr": 0, "bert": 2}
"""Positions of the model that no window uses, for the sake of RoBERTa."""


@of_kinds("dpr", "bert")
@pytest.mark.parametrize("position", [0, 700, 1300, 1999])
def test_a_long_passage_is_read_whole(kind, read_planted, position):
    words = ["the"] * 2000
    words[position] = "Zanzibar"
    [reading], model = read_planted([("where?", Passage("long", " ".join(words), title="City"))])
    assert (reading.text, reading.span.start, reading.confidence) == ("Zanzibar", 4 * position, CONFIDENCE[kind])
    assert max(model.lengths) == 512 - RESERVED[kind]
    assert len(model.lengths) > 4


def test_real_weights_find_an_answer_at_the_end_of_a_long_passage(dpr, tmp_path):
    import torch
    from transformers import DPRConfig, DPRReader, DPRReaderTokenizerFast

    bert_vocabulary(tmp_path)
    model = DPRReader(DPRConfig(**bert_sizes(num_hidden_layers=1)))
    answer = DPRReaderTokenizerFast.from_pretrained(tmp_path)("dudok", add_special_tokens=False).input_ids[0]
    embeddings, span = model.span_predictor.encoder.bert_model.embeddings, model.span_predictor
    with torch.no_grad():
        embeddings.word_embeddings.weight[answer] *= 50.0  # so that it keeps its direction whatever is added to it
        direction = embeddings.LayerNorm(embeddings.word_embeddings.weight[answer])
        span.qa_outputs.weight.copy_(direction.expand(2, -1))
    model.save_pretrained(tmp_path)
    passage = Passage("long", "the city of the river " * 400 + "was designed by Dudok .")
    [reading] = DPR(model=str(tmp_path), device="cpu").read([(QUERY, passage)])
    assert (reading.text, reading.span.start) == ("Dudok", passage.text.index("Dudok"))


@of_kinds("dpr", "bert")
def test_no_span_comes_from_the_query_or_the_padding(kind, read_planted):
    pairs = [
        ("zanzibar zanzibar?", Passage("a", "The tower of Ulm.", title="Hall")),
        ("zanzibar?", Passage("b", "The city and the river, the hall and the tower of Zanzibar in the city.", title="Ulm")),
    ]
    (first, second), _ = read_planted(pairs)
    assert first.text in pairs[0][1].text or first.in_title
    assert second.text == "Zanzibar"


@pytest.mark.parametrize(
    ("kind", "options"),
    [("dpr", {"passage_slot": "text"}), ("dpr", {"passage_slot": "title"}), ("bert", {})],
    indirect=["kind"],
    ids=["dpr in the text", "dpr in the title", "bert"],
)
@pytest.mark.parametrize(
    "title",
    ["Zanzibar", "The city of Zanzibar, and of Ulm", "Hall of Zanzibar " + "tower " * 300],
    ids=["a title", "words around it", "a long title"],
)
def test_a_span_may_come_from_the_title_and_never_from_the_words_around_it(kind, read_planted, options, title):
    texts = ("The tower of Ulm.", "the tower of the city " * 300)
    readings, _ = read_planted([("where is it, then?", Passage("a", text, title)) for text in texts], **options)
    assert readings == [Reading("Zanzibar", None, CONFIDENCE[kind], in_title=True)] * 2
    [quoted], _ = read_planted([("where?", Passage("c", "In zanzibar.", title))], **options)
    assert (quoted.text, quoted.span) == ("zanzibar", Span(3, 11))  # what stands in the text, too, can be quoted


@of_kinds("dpr", "bert")
def test_a_query_and_a_title_of_any_length_leave_room_for_the_passage(kind, read_planted):
    passage = Passage("p", "the city of Zanzibar", title="tower " * 900)
    [reading], model = read_planted([("who " * 900, passage)])
    assert reading.text == "Zanzibar"
    assert max(model.lengths) <= 512


@of_kinds("roberta")
def test_a_query_and_a_title_of_any_length_leave_room_with_few_positions(kind, reader_of):
    [reading] = reader_of().read([("who " * 500, Passage("p", TEXT, title="Tower " * 500))])
    assert reading.text in TEXT or reading.in_title


@of_kinds("dpr", "bert")
def test_no_window_is_longer_than_the_model_has_positions(kind, read_planted):
    [reading], model = read_planted([("who?", Passage("p", "the city " * 200 + "Zanzibar"))], max_positions=64)
    assert reading.text == "Zanzibar"
    assert max(model.lengths) == 64 - RESERVED[kind]


# -- the best span -----------------------------------------------------------------------------------------------------


def test_no_span_is_of_the_title_and_the_text():
    torch = pytest.importorskip("torch", reason="needs hopweave[hf]")
    from hopweave.models.readers._spans import best_span

    start, end = torch.zeros(6), torch.zeros(6)
    start[1], end[4] = 5.0, 4.0
    places = [None, (0, 4), (5, 8), None, (9, 12), (13, 15)]
    assert best_span(start, end, places, 10).span == Span(0, 12)
    best = best_span(start, end, places, 10, 9)
    assert (best.span.start, best.span.end <= 8, best.score) == (0, True, 5.0)


def test_a_span_is_no_longer_than_allowed():
    torch = pytest.importorskip("torch", reason="needs hopweave[hf]")
    from hopweave.models.readers._spans import best_span

    start, end = torch.zeros(30), torch.zeros(30)
    start[3], end[20], end[2] = 5.0, 5.0, 9.0
    places = [(index, index + 1) for index in range(30)]
    wide, narrow = (best_span(start, end, places, length) for length in (18, 17))
    assert (wide.span.start, wide.span.end, wide.score) == (3, 21, 10.0)
    assert narrow.score == 9.0  # the end at 2, without the start at 3, which stands behind it
