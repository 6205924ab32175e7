"""The starter corpus and its questions hold to the rules that the rest of the project relies on."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest

STARTER = Path(__file__).resolve().parents[2] / "src" / "hopweave" / "starter"


def records(name):
    with (STARTER / name).open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


PASSAGES = records("passages.jsonl")
QUESTIONS = records("questions.jsonl")
BY_ID = {passage["id"]: passage for passage in PASSAGES}


def holds(text, phrase):
    """Whether the phrase stands in the text as whole words, whatever the case."""
    return re.search(rf"(?<!\w){re.escape(phrase.casefold())}(?!\w)", text.casefold()) is not None


def sentences(text):
    """How many sentences a text has, initials such as 'J. J.' not counted as ends."""
    return len(re.findall(r"(?<!\b[A-Z])(?<!St)[.!?](?=\s|$)", text))


def words_are_plain(passage):
    return all(isinstance(value, str) and value and value == " ".join(value.split()) for value in passage.values())


def name_of(passage):
    return re.sub(r" \([^)]*\)$", "", passage["title"]).removeprefix("The ")


def asks_about_an_earlier_answer(steps, number):
    return any(holds(steps[number]["query"], earlier["answer"]) for earlier in steps[:number])


CORPUS = {
    "at least 125 passages": lambda: len(PASSAGES) >= 125,
    "no two passages share an id": lambda: len(BY_ID) == len(PASSAGES),
    "no two passages share a title": lambda: len({passage["title"].casefold() for passage in PASSAGES}) == len(PASSAGES),
    "no two passages share a text": lambda: len({passage["text"] for passage in PASSAGES}) == len(PASSAGES),
    "40 questions, numbered in order": lambda: [one["id"] for one in QUESTIONS] == [f"starter-{n:02d}" for n in range(1, 41)],
    "no two questions are worded alike": lambda: len({one["question"].casefold() for one in QUESTIONS}) == 40,
    "types mixed as planned": lambda: (
        Counter(one["type"] for one in QUESTIONS) == {"bridge": 18, "comparison": 11, "composition": 11}
    ),
    "hops mixed as planned": lambda: Counter(one["hops"] for one in QUESTIONS) == {2: 24, 3: 11, 4: 5},
}
EACH_PASSAGE = {
    "an id, a title and a text and nothing else": lambda p: list(p) == ["id", "title", "text"] and words_are_plain(p),
    "an id in kebab case": lambda p: re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", p["id"]),
    "45 to 110 words": lambda p: 45 <= len(p["text"].split()) <= 110,
    "three to six sentences": lambda p: 3 <= sentences(p["text"]) <= 6,
    "a text that begins with the name of its subject": lambda p: p["text"].removeprefix("The ").startswith(name_of(p)),
}
EACH_QUESTION = {
    "the agreed fields": lambda q: list(q) == ["id", "question", "answers", "type", "hops", "gold_passages", "steps"],
    "the agreed fields of a step": lambda q: all(list(step) == ["query", "answer", "passage"] for step in q["steps"]),
    "hops count the steps and the gold passages": lambda q: q["hops"] == len(q["steps"]) == len(q["gold_passages"]),
    "every gold passage exists": lambda q: set(q["gold_passages"]) <= set(BY_ID),
    "every gold passage is used once": lambda q: len(set(q["gold_passages"])) == len(q["gold_passages"]),
    "the steps go through the gold passages in order": lambda q: [one["passage"] for one in q["steps"]] == q["gold_passages"],
    "every step's answer is in its passage": lambda q: all(
        holds(BY_ID[step["passage"]]["text"], step["answer"]) for step in q["steps"]
    ),
    "it and every step's query is a question": lambda q: all(
        text.endswith("?") for text in [q["question"], *(step["query"] for step in q["steps"])]
    ),
    "no step's query contains its answer": lambda q: not any(holds(step["query"], step["answer"]) for step in q["steps"]),
    "an answer": lambda q: q["answers"],
    "distinct answers": lambda q: len({answer.casefold() for answer in q["answers"]}) == len(q["answers"]),
    "short answers": lambda q: all(1 <= len(answer.split()) <= 6 for answer in q["answers"]),
}
EACH_CHAIN = {
    "the last step gives the main answer": lambda q: q["steps"][-1]["answer"].casefold() == q["answers"][0].casefold(),
    "the answer is not in the first passage": lambda q: (
        not any(
            holds(f"{BY_ID[q['gold_passages'][0]]['title']} {BY_ID[q['gold_passages'][0]]['text']}", answer)
            for answer in q["answers"]
        )
    ),
    "the question does not contain its answer": lambda q: not any(holds(q["question"], answer) for answer in q["answers"]),
    "the question does not name the entities in between": lambda q: (
        not any(holds(q["question"], step["answer"]) for step in q["steps"][:-1])
    ),
    "every later step asks about an earlier answer": lambda q: all(
        asks_about_an_earlier_answer(q["steps"], number) for number in range(1, len(q["steps"]))
    ),
}
EACH_COMPARISON = {
    "answered by yes or no or something it names": lambda q: (
        q["answers"][0] in {"yes", "no"} or holds(q["question"], q["answers"][0])
    )
}


@pytest.mark.parametrize("rule", CORPUS.values(), ids=CORPUS)
def test_the_corpus_as_a_whole_keeps_the_rule(rule):
    assert rule()


def each(of, items, rules):
    return [pytest.param(items, rule, id=f"each {of}: {name}") for name, rule in rules.items()]


@pytest.mark.parametrize(
    ("items", "rule"),
    [
        *each("passage", PASSAGES, EACH_PASSAGE),
        *each("question", QUESTIONS, EACH_QUESTION),
        *each("chained question", [one for one in QUESTIONS if one["type"] != "comparison"], EACH_CHAIN),
        *each("comparison", [one for one in QUESTIONS if one["type"] == "comparison"], EACH_COMPARISON),
    ],
)
def test_each_one_keeps_the_rule(items, rule):
    assert [item["id"] for item in items if not rule(item)] == []


@pytest.mark.parametrize("name", ["passages.jsonl", "questions.jsonl"])
def test_every_line_is_one_object_and_the_file_ends_with_a_newline(name):
    text = (STARTER / name).read_text(encoding="utf-8")
    assert text.endswith("}\n")
    assert all(isinstance(json.loads(line), dict) for line in text.removesuffix("\n").split("\n"))
