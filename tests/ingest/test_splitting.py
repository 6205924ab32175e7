import json
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hopweave.ingest.document import Part
from hopweave.ingest.read import CorpusOptions, read_corpus
from hopweave.ingest.split import cut_part

SENTENCES = "Ulm lies on the Danube. Its minster is tall. Dr. Kepler lived there! Did he stay? He did not.\n\nHe left in 1628."

texts = st.one_of(
    st.text(max_size=400),
    st.lists(
        st.sampled_from(
            ["Word", "Dr.", "U.S.", "ends.", "e.g.", "?!", "\n\n", "\n", "  ", '"', "日本。", "x" * 130, "\x1c", "\r\n"]
        ),
        max_size=80,
    ).map(" ".join),
)


def spans_of(text, max_words):
    return [cut.span for cut in cut_part(Part(text), max_words)]


@given(text=texts, max_words=st.integers(1, 12))
@settings(max_examples=300, deadline=None)
def test_passages_follow_each_other_fit_and_leave_out_only_white_space(text, max_words):
    spans = spans_of(text, max_words)
    position = 0
    for span in spans:
        assert not text[position : span.start].strip()
        assert span.start < span.end
        piece = text[span.start : span.end]
        assert piece == piece.strip() or piece == text  # one that fits is left as it is
        assert len(piece.split()) <= max_words
        position = span.end
    assert not text[position:].strip()


@given(text=texts.filter(lambda text: text.strip()), max_words=st.integers(1, 12))
@settings(max_examples=100, deadline=None)
def test_the_offsets_of_every_passage_give_its_text(tmp_path_factory, text, max_words):
    text = text.encode("utf-8", "ignore").decode()
    path = tmp_path_factory.mktemp("split") / "a.jsonl"
    path.write_text(json.dumps({"id": "d", "title": "T", "text": text}), encoding="utf-8")
    passages = list(read_corpus([path], options=CorpusOptions(max_words=max_words)))
    for number, passage in enumerate(passages, start=1):
        if passage.start is None:
            assert (passage.id, passage.text, len(passages)) == ("d", text, 1)
        else:
            assert passage.text == text[passage.start : passage.end]
            assert (passage.id, passage.title, passage.source) == (f"d#{number}", "T", str(path))


def test_sentences_stay_whole_where_they_fit():
    pieces = [SENTENCES[span.start : span.end] for span in spans_of(SENTENCES, 12)]
    assert pieces == [
        "Ulm lies on the Danube. Its minster is tall.",
        "Dr. Kepler lived there! Did he stay? He did not.",
        "He left in 1628.",
    ]


def test_a_sentence_that_is_too_long_by_itself_is_cut_between_words():
    text = "one two three four five six seven. Eight."
    assert [text[span.start : span.end] for span in spans_of(text, 3)] == ["one two three", "four five six", "seven. Eight."]


def test_text_without_spaces_is_cut_too():
    assert max(span.end - span.start for span in spans_of("x" * 10_000, 5)) == 500
    assert max(span.end - span.start for span in spans_of("漢" * 10_000, 5)) == 10


@pytest.mark.parametrize(("max_words", "ids"), [(120, ["a.txt"]), (0, ["a.txt"]), (12, ["a.txt#1", "a.txt#2", "a.txt#3"])])
def test_a_document_that_fits_keeps_its_bare_id(tmp_path, max_words, ids):
    (tmp_path / "a.txt").write_text(f"\n{SENTENCES}\n")
    passages = list(read_corpus([tmp_path], options=CorpusOptions(max_words=max_words)))
    assert [passage.id for passage in passages] == ids
    assert all((passage.start is None) == (len(ids) == 1) for passage in passages)
    for passage in passages:
        assert passage.text == SENTENCES[passage.start : passage.end]


def test_no_record_is_cut_when_the_limit_is_0(tmp_path):
    (tmp_path / "a.jsonl").write_text(json.dumps({"id": "x", "text": "word " * 500}))
    [passage] = read_corpus([tmp_path], options=CorpusOptions(max_words=0))
    assert (passage.id, passage.start) == ("x", None)
    assert len(list(read_corpus([tmp_path]))) == 3


READ_ALL = """
import sys, tracemalloc
from pathlib import Path
from hopweave.ingest.read import read_corpus
tracemalloc.start()
print(sum(1 for _ in read_corpus([Path(sys.argv[1])])), tracemalloc.get_traced_memory()[1])
"""
"""In a process of its own: what other tests leave behind in this one is not of the corpus."""


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".jsonl", ".json", ".tsv"])
def test_memory_does_not_grow_with_the_corpus(tmp_path, suffix):
    peaks = []
    for num_records in (2_000, 40_000):
        path = tmp_path / f"{num_records}{suffix}"
        with path.open("w") as file:
            rows = (json.dumps({"title": f"T{n}", "text": f"text number {n} " * 4}) for n in range(num_records))
            if suffix == ".tsv":
                file.write("title\ttext\n")
                file.writelines(f"T{n}\t{'text number ' * 4}{n}\n" for n in range(num_records))
            elif suffix == ".json":
                file.writelines(["[", ",\n".join(rows), "]"])
            else:
                file.writelines(f"{row}\n" for row in rows)
        done = subprocess.run([sys.executable, "-c", READ_ALL, path], capture_output=True, text=True, check=True)
        num_read, peak = map(int, done.stdout.split())
        peaks.append(peak)
        assert num_read == num_records
    assert peaks[1] < peaks[0] + 500_000


def test_a_passage_does_not_go_on_beyond_the_section_whose_heading_is_before_it(tmp_path):
    filler = "It has many a word of its own that nobody reads at all. " * 2
    page = f"# Changes\n\n## Two\n\n### New\n\n{filler}\n\n### Fixed\n\nA lamp.\n\n## One\n\n### New\n\nA wick. {filler}"
    path = tmp_path / "a.md"
    path.write_text(page, encoding="utf-8")
    found = [(one.sections, one.text) for one in read_corpus([path], options=CorpusOptions(max_words=40))]
    assert (("Two", "Fixed"), "Fixed\n\nA lamp.") in found
    assert any(text.startswith("One") and "A wick." in text for _, text in found)
