import gzip

import pytest
from support.docstring_files import shown_files

from hopweave.core.errors import DataError
from hopweave.core.types import Example, Gold, Passage, Question
from hopweave.evaluation.datasets.beir import BEIR


@pytest.fixture
def folder(tmp_path):
    (shown,) = shown_files("beir", tmp_path)
    return shown.path


def test_a_folder_gives_its_judged_queries_and_its_corpus(folder):
    assert list(BEIR(folder).examples()) == [
        Example(Question("q1", "Who designed the lighthouse of Carrow?"), Gold(("Ines Halloran",), ("d1", "d2")), {"hops": 2}),
        Example(Question("q2", "Which lighthouse is in Carrow?"), Gold((), ("d1",)), {"hops": 1}),
    ]
    assert list(BEIR(folder).passages())[1] == Passage("d2", "It was designed by Ines Halloran.", "Carrow Head Light")


def test_a_query_without_judgements_in_the_split_is_not_asked(folder):
    (folder / "qrels" / "dev.tsv").write_text("query-id\tcorpus-id\tscore\nq2\td1\t1\n")
    assert [one.question.id for one in BEIR(folder, split="dev").examples()] == ["q2"]


def test_zipped_files_are_read_as_well(folder):
    plain = list(BEIR(folder).examples()), list(BEIR(folder).passages())
    for name in ("corpus.jsonl", "queries.jsonl", "qrels/test.tsv"):
        (folder / f"{name}.gz").write_bytes(gzip.compress((folder / name).read_bytes()))
        (folder / name).unlink()
    assert (list(BEIR(folder).examples()), list(BEIR(folder).passages())) == plain


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("q1 d1 1", r"test\.tsv, line 6 is not a tab-separated query, passage and integer"),
        ("q1\td1\tmuch", r"test\.tsv, line 6 is not a tab-separated query"),
        ("q9\td1\t1", r"test\.tsv judges the query 'q9', which queries\.jsonl lacks"),
    ],
)
def test_a_broken_judgement_is_named(folder, line, reason):
    path = folder / "qrels" / "test.tsv"
    path.write_text(path.read_text() + line + "\n")
    with pytest.raises(DataError, match=reason):
        list(BEIR(folder).examples())


def test_a_split_that_is_not_there_is_named(folder):
    with pytest.raises(DataError, match=r"qrels/train\.tsv"):
        list(BEIR(folder, split="train").examples())
