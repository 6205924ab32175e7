"""The metric over quotes against the official rule over numbers of sentences, written here from its definition."""

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest
from support.worked import claimed, quoted, worked

from hopweave.evaluation.datasets.hotpotqa import HotpotQA
from hopweave.evaluation.datasets.two_wikimultihopqa import TwoWikiMultiHopQA
from hopweave.evaluation.metrics.supporting_facts import SupportingFacts

DATA = Path(__file__).parents[2].parent / "shared" / "data"
COLUMNS = ("supporting_em", "supporting_f1", "supporting_precision", "supporting_recall")


def official(said, gold):
    """`update_sp`: both are sets of a title and a number."""
    tp, fp, fn = (len(one) for one in (said & gold, said - gold, gold - said))
    precision = tp / (tp + fp) if tp + fp > 0 else 0.0
    recall = tp / (tp + fn) if tp + fn > 0 else 0.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0
    return (1.0 if fp + fn == 0 else 0.0, f1, precision, recall)


def ours(example, passages, sentences, said):
    citations = [quoted(1, passages[title], sentences[title][number].strip()) for title, number in sorted(said)]
    claims = [claimed("Which?", "this", citation) for citation in citations]
    record, made = worked("x", ["x"], claims=claims, passages=list(passages.values()))
    scores = SupportingFacts().score(record, replace(made, gold=example.gold))
    return tuple(scores[column] for column in COLUMNS)


def written(tmp_path, rows):
    path = tmp_path / "rows.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    return path


def drawn_row(draw, number):
    """Paragraphs of plain sentences of different lengths, each of them once."""
    words = iter(range(10_000))
    context = [
        [f"Title {place}", [" ".join(f"word{next(words)}" for _ in range(draw.randint(1, 12))).capitalize() + "."
                            for _ in range(draw.randint(1, 6))]]
        for place in range(4)
    ]  # fmt: skip
    facts = [[title, place] for title, sentences in context for place in range(len(sentences))]
    gold = draw.sample(facts, draw.randint(1, min(4, len(facts))))
    gold += [["Title 0", 50]] if number % 5 == 0 else []  # as in some rows of HotpotQA
    return {"_id": str(number), "answer": "x", "question": "Which?", "supporting_facts": gold, "context": context}


def test_any_set_of_cited_sentences_scores_as_by_the_official_rule(tmp_path):
    draw = random.Random(5)
    rows = [drawn_row(draw, number) for number in range(300)]
    dataset = HotpotQA(written(tmp_path, rows))
    passages = {(one.title, one.text): one for one in dataset.passages()}
    for row, example in zip(rows, dataset.examples(), strict=True):
        sentences = dict(row["context"])
        own = {title: passages[title, " ".join(of)] for title, of in sentences.items()}
        gold = {(title, number) for title, number in row["supporting_facts"]}
        facts = [(title, number) for title, of in sentences.items() for number in range(len(of))]
        for said in [
            gold - {("Title 0", 50)},
            set(),
            *(set(draw.sample(facts, draw.randint(1, len(facts)))) for _ in range(3)),
        ]:
            assert ours(example, own, sentences, said) == official(said, gold)


@pytest.mark.parametrize(
    ("name", "dataset"), [("hotpotqa_dev100.json", HotpotQA), ("2wikimultihopqa_dev100.json", TwoWikiMultiHopQA)]
)
def test_on_the_real_file_the_gold_sentences_and_any_part_of_them_score_as_by_the_official_rule(name, dataset):
    path = DATA / name
    if not path.exists():
        pytest.skip(f"{name} is not here")
    rows = {row["_id"]: row for row in json.loads(path.read_text("utf-8"))}
    passages = {(one.title, one.text): one for one in dataset(path).passages()}
    for example in dataset(path).examples():
        row = rows[example.question.id]
        sentences = dict(reversed(row["context"]))
        own = {title: passages[title, " ".join(of)] for title, of in sentences.items()}
        gold = {(title, number) for title, number in row["supporting_facts"]}
        for said in (gold, set(sorted(gold)[:1]), set(sorted(gold)[1:])):
            assert ours(example, own, sentences, said) == official(said, gold)
