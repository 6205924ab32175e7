"""The DPR reader: its logits are those of the paper's formula, its spans true quotes, and long passages are read whole."""

from __future__ import annotations

import sys

import pytest
from support.tiny_models import bert_sizes, bert_vocabulary, stirred

from hopweave.core.catalog import load
from hopweave.core.errors import MissingExtra, SettingsError
from hopweave.core.protocols import Reader
from hopweave.core.types import Passage, Reading, Span
from hopweave.models.readers.dpr import DPR

QUERY = "Who designed the hall?"
PASSAGE = Passage("p", "The hall in Hilversum was designed by Dudok, and opened in 1931.", title="Hall of Hilversum")
OTHER = Passage("o", "Kepler was born in the city. Café Zanzibar (the tower): \U0001f600 Ulm e\u0301 Dudok " * 3, title="Ulm")

# -- without the model -------------------------------------------------------------------------------------------------


def test_the_reader_fills_its_role_and_names_what_touches_its_readings():
    reader = DPR()
    assert isinstance(reader, Reader)
    assert "facebook/dpr-reader-multiset-base" in reader.identity
    assert len({reader.identity, DPR(passage_slot="title").identity, DPR(max_span_tokens=5).identity}) == 3
    assert DPR(batch_size=1).identity == reader.identity


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"max_span_tokens": 0}, "max_span_tokens must be at least 1"),
        ({"batch_size": 0}, "batch_size must be at least 1"),
        ({"max_tokens": 20}, "max_tokens must be at least 64"),
        ({"stride": 5}, "no span falls between two windows"),
        ({"stride": 300}, "a quarter of max_tokens = 512; not 300"),
    ],
)
def test_lengths_that_cannot_be_are_refused(options, word):
    with pytest.raises(SettingsError, match=word):
        DPR(**options)


def test_a_missing_library_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(MissingExtra, match=r"hopweave\[hf\]"):
        DPR().read([(QUERY, PASSAGE)])


# -- with tiny weights -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Random weights of a DPR reader with two layers, and a vocabulary of a few words."""
    pytest.importorskip("torch", reason="needs hopweave[hf]")
    import torch
    from transformers import DPRConfig, DPRReader

    made = tmp_path_factory.mktemp("dpr")
    bert_vocabulary(made)
    torch.manual_seed(0)
    stirred(DPRReader(DPRConfig(**bert_sizes()))).save_pretrained(made)
    return made


def reader_of(folder, **options) -> DPR:
    return load("readers", "dpr")(model=str(folder), device="cpu", **options)


def by_formula(folder, text: str, slot: str = "text"):
    """Start, end and relevance logits as H w_s, H w_e and H_[CLS] w_f, and the tokenizer's own input."""
    import torch
    from transformers import DPRReader, DPRReaderTokenizer

    model = DPRReader.from_pretrained(folder).eval()
    tokenizer = DPRReaderTokenizer.from_pretrained(folder)
    if slot == "text":
        inputs = tokenizer(questions=[QUERY], titles=[PASSAGE.title], texts=[text], return_tensors="pt")
    else:
        inputs = tokenizer(questions=[QUERY], titles=[f"Title: {PASSAGE.title} Text: {text}"], return_tensors="pt")
    span = model.span_predictor
    with torch.no_grad():
        hidden = span.encoder.bert_model(inputs["input_ids"], attention_mask=inputs["attention_mask"])[0][0]
        start, end = (hidden @ span.qa_outputs.weight.T + span.qa_outputs.bias).T
        relevance = hidden[0] @ span.qa_classifier.weight[0] + span.qa_classifier.bias[0]
    return tokenizer, inputs["input_ids"][0].tolist(), start, end, float(relevance)


@pytest.mark.parametrize("slot", ["text", "title"])
def test_input_logits_and_span_are_those_of_the_formula(folder, slot):
    from hopweave.models.readers._spans import run_batches

    reader = reader_of(folder, passage_slot=slot)
    tokenizer, ids, start, end, relevance = by_formula(folder, PASSAGE.text, slot)
    model, own = reader._model()
    [window] = reader._windows(own, 0, QUERY, PASSAGE, 512)
    assert list(window.ids) == ids
    [(own_start, own_end, own_relevance)] = run_batches(model, [window], batch_size=1, pad_id=0)
    assert own_start.tolist() == pytest.approx(start.tolist(), abs=1e-5)
    assert own_end.tolist() == pytest.approx(end.tolist(), abs=1e-5)
    assert float(own_relevance) == pytest.approx(relevance, abs=1e-5)
    offsets = tokenizer(PASSAGE.text, add_special_tokens=False, return_offsets_mapping=True)["offset_mapping"]
    begin = len(ids) - len(offsets) - (slot == "title")  # the last token is a separator where the passage is in the title
    spans = [(i, j) for i in range(len(offsets)) for j in range(i, min(i + 10, len(offsets)))]
    first, last = max(spans, key=lambda span: float(start[begin + span[0]] + end[begin + span[1]]))
    [reading] = reader.read([(QUERY, PASSAGE)])
    assert reading.text == PASSAGE.text[offsets[first][0] : offsets[last][1]]
    assert reading.confidence == pytest.approx(relevance, abs=1e-5)


@pytest.mark.parametrize("passage", [PASSAGE, OTHER])
def test_a_span_is_a_true_quote_of_whole_words(folder, passage):
    for query in ("Who?", "where was Kepler born", "alpha beta gamma", "when", ""):
        [reading] = reader_of(folder).read([(query, passage)])
        if reading.in_title:
            assert (reading.span, reading.text in passage.title) == (None, True)
            continue
        assert reading.span is not None
        assert passage.text[reading.span.start : reading.span.end] == reading.text
        before, after = passage.text[: reading.span.start][-1:], passage.text[reading.span.end :][:1]
        assert not (before.isalnum() and reading.text[0].isalnum())
        assert not (after.isalnum() and reading.text[-1].isalnum())


def test_a_batch_reads_as_one_by_one_does(folder):
    pairs = [
        (QUERY, PASSAGE),
        ("Where was Kepler born?", OTHER),
        ("Who?", Passage("s", "Ulm")),
        (QUERY, Passage("l", "The tower of Ulm opened in the city. " * 150, title="Tower")),
    ]
    together = reader_of(folder, batch_size=3).read(pairs)
    alone = [reader_of(folder, batch_size=1).read([pair])[0] for pair in pairs]
    assert [reading.span for reading in together] == [reading.span for reading in alone]
    assert [r.confidence for r in together] == pytest.approx([r.confidence for r in alone], abs=1e-5)


def test_a_passage_without_a_word_has_no_span_and_a_confidence(folder):
    [empty, blank] = reader_of(folder).read([(QUERY, Passage("e", "", title="Ulm")), (QUERY, Passage("b", " \n "))])
    assert empty.span is None
    assert (blank.text, blank.span) == ("", None)
    assert abs(empty.confidence) < 100


def test_nothing_to_read_is_nothing_read(folder):
    assert reader_of(folder).read([]) == []


class Planted:
    """In the place of the model: start and end at the word zanzibar, and more relevance the more often it stands there."""

    device = "cpu"

    def __init__(self, tokenizer, max_positions=512):
        from types import SimpleNamespace

        self.config = SimpleNamespace(max_position_embeddings=max_positions)
        self.first, *_, self.last = tokenizer("zanzibar", add_special_tokens=False).input_ids
        self.lengths = []

    def __call__(self, input_ids, attention_mask):
        import torch
        from transformers.models.dpr.modeling_dpr import DPRReaderOutput

        self.lengths += attention_mask.sum(-1).tolist()
        # What is padding would be the best place of all.
        start = (input_ids == self.first).float() + 9.0 * (attention_mask == 0)
        end = (input_ids == self.last).float() + 9.0 * (attention_mask == 0)
        # Within the query it counts more; but no span may come from there.
        start[:, :8] *= 5.0
        end[:, :8] *= 5.0
        return DPRReaderOutput(
            start_logits=start, end_logits=end, relevance_logits=(input_ids == self.first).sum(-1).to(torch.float32)
        )


def read_planted(folder, pairs, max_positions=512, **options) -> tuple[list[Reading], Planted]:
    reader = reader_of(folder, **options)
    _, tokenizer = reader._model()
    reader._loaded["model"] = Planted(tokenizer, max_positions)
    return reader.read(pairs), reader._loaded["model"]


@pytest.mark.parametrize("position", [0, 700, 1300, 1999])
def test_a_long_passage_is_read_whole(folder, position):
    words = ["the"] * 2000
    words[position] = "Zanzibar"
    passage = Passage("long", " ".join(words), title="City")
    [reading], model = read_planted(folder, [("where?", passage)])
    assert reading.text == "Zanzibar"
    assert reading.span.start == 4 * position
    assert reading.confidence == 1.0  # of the window that gave the span; the others have 0
    assert max(model.lengths) == 512
    assert len(model.lengths) > 4


def test_real_weights_find_an_answer_at_the_end_of_a_long_passage(folder, tmp_path):
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
    [reading] = reader_of(tmp_path).read([(QUERY, passage)])
    assert reading.text == "Dudok"
    assert reading.span.start == passage.text.index("Dudok")


def test_no_span_comes_from_the_query_or_the_padding(folder):
    pairs = [
        ("zanzibar zanzibar?", Passage("a", "The tower of Ulm.", title="Hall")),
        ("zanzibar?", Passage("b", "The city and the river, the hall and the tower of Zanzibar in the city.", title="Ulm")),
    ]
    (first, second), _ = read_planted(folder, pairs)
    assert first.text in pairs[0][1].text or first.in_title
    assert second.text == "Zanzibar"


@pytest.mark.parametrize("slot", ["text", "title"])
@pytest.mark.parametrize("title", ["Zanzibar", "The city of Zanzibar, and of Ulm"])
def test_a_span_may_come_from_the_title_in_either_slot_and_never_from_the_words_around_it(folder, slot, title):
    long = "the tower of the city " * 300
    pairs = [
        ("where is it, then?", Passage("a", "The tower of Ulm.", title)),
        ("where is it, then?", Passage("b", long, title)),
    ]
    (short, of_long), _ = read_planted(folder, pairs, passage_slot=slot)
    assert short == Reading("Zanzibar", None, 1.0, in_title=True)
    assert of_long == Reading("Zanzibar", None, 1.0, in_title=True)
    [quoted], _ = read_planted(folder, [("where?", Passage("c", "In zanzibar.", title))], passage_slot=slot)
    assert (quoted.text, quoted.span) == ("zanzibar", Span(3, 11))  # what stands in the text, too, can be quoted


def test_no_span_is_of_the_title_and_the_text(folder):
    import torch

    from hopweave.models.readers._spans import best_span

    start, end = torch.zeros(6), torch.zeros(6)
    start[1], end[4] = 5.0, 4.0
    places = [None, (0, 4), (5, 8), None, (9, 12), (13, 15)]
    assert best_span(start, end, places, 10).span == Span(0, 12)
    best = best_span(start, end, places, 10, 9)
    assert (best.span.start, best.span.end <= 8, best.score) == (0, True, 5.0)


def test_a_span_is_no_longer_than_allowed(folder):
    import torch

    from hopweave.models.readers._spans import best_span

    start, end = torch.zeros(30), torch.zeros(30)
    start[3], end[20], end[2] = 5.0, 5.0, 9.0
    places = [(index, index + 1) for index in range(30)]
    wide, narrow = (best_span(start, end, places, length) for length in (18, 17))
    assert (wide.span.start, wide.span.end, wide.score) == (3, 21, 10.0)
    assert narrow.score == 9.0  # the end at 2, without the start at 3, which stands behind it


def test_a_query_and_a_title_of_any_length_leave_room_for_the_passage(folder):
    passage = Passage("p", "the city of Zanzibar", title="tower " * 900)
    [reading], model = read_planted(folder, [("who " * 900, passage)])
    assert reading.text == "Zanzibar"
    assert max(model.lengths) <= 512


def test_no_window_is_longer_than_the_model_has_positions(folder):
    passage = Passage("p", "the city " * 200 + "Zanzibar")
    [reading], model = read_planted(folder, [("who?", passage)], max_positions=64)
    assert reading.text == "Zanzibar"
    assert max(model.lengths) == 64


def test_a_model_that_is_not_there_is_named_in_one_line(tmp_path):
    pytest.importorskip("torch", reason="needs hopweave[hf]")
    with pytest.raises(SettingsError, match="cannot load the DPR reader"):
        reader_of(tmp_path / "nowhere").read([(QUERY, PASSAGE)])
