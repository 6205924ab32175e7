"""What is remembered changes nothing but the time that it takes."""

from __future__ import annotations

import hashlib
import json
import random

import pytest
from support.bench import TableReader, TableRetriever

from hopweave import Weaver, read_settings
from hopweave.answering.demonstrations import demonstrations, sample
from hopweave.citations.citing import locate
from hopweave.core.memoize import Kept, remembered
from hopweave.core.protocols import TokenCounter, is_part
from hopweave.core.types import Message, Question, Sampling, Span
from hopweave.models.duplicate_detectors.keywords import KeyWords
from hopweave.models.llms.scripted import Scripted
from hopweave.run.components import Components
from hopweave.run.store.store import key_of
from hopweave.text import content_words as words
from hopweave.text.citation_marks import without_marks
from hopweave.text.key_terms import words_in
from hopweave.text.sentences import sentence_spans


@pytest.mark.parametrize(
    ("texts", "worked_on"),
    [
        (["one", "one", "three"], ["one", "three"]),
        (["x" * 4_001] * 2, ["x" * 4_001]),
        (["x" * (100_000 + number % 9) for number in range(18)], ["x" * (100_000 + number) for number in range(9)]),
        (["x" * 4_001, *("x" * (250_000 + more) for more in range(4)), "x" * 4_001], None),
        (["x" * 1_000_001] * 2, None),
    ],
    ids=["equal", "long-and-equal", "the-passages-of-a-question", "long-and-many", "too-long-to-be-kept"],
)
def test_an_equal_text_is_not_worked_on_twice_unless_it_is_long(texts, worked_on):
    seen = []

    @remembered
    def length(text: str) -> int:
        seen.append(text)
        return len(text)

    assert [length(text) for text in texts] == [len(text) for text in texts]
    assert seen == (texts if worked_on is None else worked_on)


def test_long_texts_are_told_apart_by_what_else_is_asked_of_them():
    seen = []

    @remembered
    def part(text: str, start: int, end: int) -> str:
        seen.append((start, end))
        return text[start:end]

    text = "abc" * 2_000
    assert [part(text, 0, 2), part(text, 1, 3), part(text, 0, 2)] == ["ab", "bc", "ab"]
    assert seen == [(0, 2), (1, 3)]


def test_what_is_kept_has_an_end_and_the_oldest_goes_first():
    kept: Kept[int] = Kept(2)
    for number in range(3):
        kept.keep(number, number)
    assert [kept.get(number) for number in range(3)] == [None, 1, 2]


@pytest.mark.parametrize("read", [sentence_spans, words.anchors, words_in])
def test_what_is_handed_out_can_be_changed_without_harm(read):
    text = "Gustav Holst composed The Planets. He was born in Cheltenham."
    first = read(text)
    kept = type(first)(first)
    first.clear()
    assert read(text) == kept


@pytest.mark.parametrize("read", [words.keys_of, words.stems_of])
def test_what_cannot_be_changed_is_handed_out_without_a_copy(read):
    first = read("Gustav Holst composed The Planets.")
    assert isinstance(first, frozenset)
    assert read("Gustav Holst composed The Planets.") is first


def test_shuffled_passages_and_drawn_demonstrations_can_be_changed_without_harm():
    one = demonstrations()[0]
    for draw in (lambda: one.passages(2, 1), lambda: sample(5, seed=3)):
        first = draw()
        kept = list(first)
        first.clear()
        assert draw() == kept


def test_demonstrations_are_drawn_in_the_order_of_the_seed():
    expected = list(demonstrations())
    random.Random(7).shuffle(expected)
    assert sample(len(expected), seed=7) == expected


@pytest.mark.parametrize(
    ("said", "text", "found"),
    [
        ("the Teel", "It is the Teel.", "the Teel"),
        ("THE TEEL", "It is the  Teel.", "the  Teel"),
        ("Teel", "Teels and Steel", None),
        ("Gödel", "Kurt Godel wrote it", "Godel"),
        ("Godel", "Kurt Go\u0308del wrote it", "Go\u0308del"),
        ("don't", "I don`t know", "don`t"),
        ("ﬁne", "a fine day", "fine"),
        ("straße", "STRASSE 1", "STRASSE"),
        ("1900", "in 1900.5 and 1900", "1900"),
        ("a b", "ab a\u00a0b", "a\u00a0b"),
    ],
)
def test_words_are_found_where_they_stand_whatever_their_letters(said, text, found):
    for _ in range(2):
        span = locate(said, text)
        assert (text[span.start : span.end] if span else None) == found


@pytest.mark.parametrize("text", ["", "no mark", "It is so [1]. And so [2] [3], thus.", "[1] é [2-4]\nx"])
def test_each_character_of_a_text_without_marks_has_its_place(text):
    plain, places = without_marks(text)
    assert plain == "".join(text[place] for place in places)
    assert len(plain) == len(places)


def _first_key(identity: str, messages: list[Message], sampling: Sampling, number: int) -> str:
    """The key as stores that exist have it."""
    floats = [float(sampling.temperature), float(sampling.top_p)]
    chosen = [*floats, sampling.max_tokens, sampling.stop, sampling.seed, sampling.top_logprobs]
    asked = [identity, [[message.role, message.text] for message in messages], chosen, sampling.json_schema, number]
    text = json.dumps(asked, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def test_a_key_is_that_of_stores_that_exist():
    asked = [Message("user", "Wo? \u2028 \x7f\t\"'\\ 😀")]
    assert key_of("m", asked, Sampling(temperature=1e-7, stop=("a",)), 2) == (
        "680d55f2d816b8a62827747227aaf3091dcac3fe9559f3f7c4550640fafa6ebe"
    )


def test_keys_are_those_of_before_for_every_kind_of_character():
    samplings = [Sampling(), Sampling(temperature=1e-7, stop=("\n",), seed=3), Sampling(json_schema={"b": {"é": 1}, "a": 2})]
    signs = [*range(0x3000), *range(0xD700, 0xE010), *range(0xFE00, 0x10010), 0x1F600, 0x10FFFF]
    for number, sign in enumerate(signs):
        messages = [Message("user", f"a{chr(sign)}b"), Message("assistant", chr(sign) * 2)]
        sampling = samplings[number % 3]
        assert key_of(f"m{chr(sign)}", messages, sampling, number) == _first_key(f"m{chr(sign)}", messages, sampling, number)


FEW_SHOT = ["react", "ircot", "searchain", "self_ask", "dsp", "toqd", "direct_retrieval"]


def _parts(says) -> Components:
    return Components(Scripted(says), retriever=TableRetriever({}), reader=TableReader({}), duplicate_detector=KeyWords())


@pytest.mark.parametrize("method", FEW_SHOT)
async def test_a_question_is_asked_as_if_it_were_the_first_whatever_was_asked_before(method):
    questions = [
        Question("1", "Which river runs through Ulm?"),
        Question("2", "Is Ulm on the Danube?", "label", ("Yes", "No")),
        Question("3", "Is Ulm on the Danube?", "label", ("SUPPORTS", "REFUTES")),
        Question("4", "Why is Ulm known?", "long"),
        Question("5", "Which river runs through Bonn?"),
    ]
    settings = read_settings({"method": method})
    async with Weaver(settings, components=_parts([("", "I do not know.")])) as weaver:
        together = [await weaver.answer(question) for question in [*questions, *questions]]
    for question, first, again in zip(questions, together[:5], together[5:], strict=True):
        async with Weaver(settings, components=_parts([("", "I do not know.")])) as weaver:
            alone = await weaver.answer(question)
        assert alone.setup.prompts, alone
        assert alone.messages == first.messages == again.messages
        assert alone.fingerprint == first.fingerprint == again.fingerprint


def test_a_class_is_asked_once_what_it_can_do():
    class Counts:
        async def count_tokens(self, text: str) -> int:
            return len(text)

    assert [is_part(one, TokenCounter) for one in (Counts(), Counts(), Span(0, 1))] == [True, True, False]
