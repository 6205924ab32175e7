"""What each option of IRCoT does, how prompts are packed, and what a pinned passage changes."""

from __future__ import annotations

import dataclasses
import re

import pytest
from support.bench import Bench, WithoutPrefill, calls, decisions, looks, purposes, queries, scene, told, unread, verdicts

from hopweave.answering.demonstrations import sample
from hopweave.answering.methods.ircot._finding import is_held, likeness, listed_titles
from hopweave.answering.toolkit.reasoned import bare_answer_of, says_answer
from hopweave.core.types import Abilities, Passage, Question
from hopweave.models.llms.scripted import Scripted
from hopweave.run.settings import read_settings
from hopweave.text.content_words import is_reasoning

QUESTION = "Who runs the mill of Orlau?"
FIRST = "The mill of Orlau belongs to the Renn family."
THUS = "Thus, the family of Ida Renn runs it."
LAST = "So the answer is: Ida Renn."
MILL = Passage("mill", "The mill of Orlau belongs to the Renn family since 1811.", "Orlau Mill")
RENN = Passage("renn", "Ida Renn runs what her family owns.", "Ida Renn")
PLAIN = {"remove_wh_words": False}
FOUND = {QUESTION: MILL, FIRST: RENN}
SAYS = [FIRST, THUS, LAST, LAST]


class Small(Scripted):
    """A model with a small context."""

    def __init__(self, says, context_tokens):
        super().__init__(says)
        self.context_tokens = context_tokens

    @property
    def abilities(self) -> Abilities:
        return Abilities(prefill=True, context_tokens=self.context_tokens)


async def ask(*says, question=QUESTION, found=None, llm=None, **options):
    bench = Bench(says or SAYS, FOUND if found is None else found, prefill=True, llm=llm)
    return await bench.ask(question, "ircot", **(PLAIN | options))


def conversations(record):
    return [[message.text for message in call] for call in calls(record)]


# -- retrieval ---------------------------------------------------------------------------------------------------------


async def test_a_conclusion_is_a_query_only_if_the_last_sentence_always_is():
    assert queries(await ask()) == [QUESTION, FIRST]
    assert queries(await ask(query="last_sentence")) == [QUESTION, FIRST, THUS]


async def test_before_any_fact_is_stated_the_question_is_the_query_again_and_not_sent_twice():
    record = await ask(THUS, LAST, LAST)
    assert queries(record) == [QUESTION]
    assert told(record, "no_search") == ["sent before"]


@pytest.mark.parametrize(
    ("sentence", "is_one"),
    [
        ("Thus Ida runs it.", True),
        ("so, Ida runs it.", True),
        ("That is, Ida.", True),
        ("Therefore Ida.", True),
        ("Hence Ida.", True),
        ("It served 1864 - 1811 = 53 years.", True),
        ("Sofia is in Bulgaria.", False),
        ("Thusnelda was a princess.", False),
        ("It ran from 1811-1864.", False),
    ],
)
def test_what_a_conclusion_is(sentence, is_one):
    assert is_reasoning(sentence) == is_one


async def test_question_words_leave_queries_unless_told_otherwise():
    assert queries(await ask(remove_wh_words=True))[0] == "runs the mill of Orlau?"
    assert queries(await ask(remove_wh_words=False))[0] == QUESTION


async def test_k_passages_are_asked_for_with_each_query():
    found = {QUESTION: [MILL, RENN]}
    assert (await ask(LAST, LAST, found=found, num_hits=1)).answer.passage_ids == ("mill",)
    assert (await ask(LAST, LAST, found=found, num_hits=2)).answer.passage_ids == ("mill", "renn")


async def test_passages_with_too_many_words_are_passed_over_if_asked_for():
    long = Passage("long", "word " * 601)
    assert (await ask(LAST, LAST, found={QUESTION: [long, MILL]})).answer.passage_ids == ("long", "mill")
    assert (await ask(LAST, LAST, found={QUESTION: [long, MILL]}, max_words_retrieved=600)).answer.passage_ids == ("mill",)


async def test_passages_are_cut_to_the_first_words_in_prompts_alone():
    record = await ask(LAST, LAST, max_words_shown=4, n_demos=0)
    assert "<passage>\nOrlau Mill\nThe mill of Orlau\n</passage>" in calls(record)[0][0].text
    assert record.passage("mill").text == MILL.text


@pytest.mark.parametrize(
    ("other", "exact", "fuzzy"),
    [
        (Passage("mill", "changed"), True, True),
        (Passage("copy", MILL.text, MILL.title), True, True),
        (Passage("alike", MILL.text.replace("1811", "1812"), MILL.title), False, True),
        (Passage("title", MILL.text, "Something else"), False, False),
        (RENN, False, False),
    ],
)
async def test_what_is_held_already(other, exact, fuzzy):
    assert is_held(other, [MILL], "exact") == exact
    assert is_held(other, [MILL], "fuzzy") == fuzzy
    record = await ask(LAST, LAST, found={QUESTION: [MILL, other]}, duplicates="fuzzy")
    assert len(record.answer.passage_ids) == (1 if fuzzy else 2)


def test_likeness_is_twice_the_longest_common_subsequence_over_the_lengths():
    assert likeness("", "") == likeness("a", "a") == 100.0
    assert likeness("a", "") == likeness("a", "b") == 0.0
    assert likeness("abcdefghij", "abcdefghiX") == 90.0
    assert likeness("abcdefghij", "jabcdefghi") == 90.0


# -- readers -----------------------------------------------------------------------------------------------------------


async def test_the_direct_reader_sees_and_gives_bare_answers():
    record = await ask(FIRST, LAST, "Ida Renn", reader="direct")
    prompt = calls(record, "reader")[0][0].text
    one = sample(1)[0]
    assert f"Q: {one.question}\nA: {one.answer}\n" in prompt
    assert "So the answer is" not in prompt
    assert (record.answer.text, record.answer.short) == ("Ida Renn [2]", "Ida Renn")
    assert verdicts(record) == [(QUESTION, FIRST, "supported"), (QUESTION, "Ida Renn", "supported")]


async def test_the_cot_reader_reasons_anew_and_does_not_see_the_reasoning():
    record = await ask(FIRST, LAST, f"Ida Renn runs it. {LAST}")
    assert FIRST not in calls(record, "reader")[0][0].text
    assert [text for _, text, _ in verdicts(record)] == ["Ida Renn runs it.", "Ida Renn"]


async def test_readers_differ_in_the_last_call_alone():
    direct, cot, none = [conversations(await ask(reader=reader)) for reader in ("direct", "cot", "none")]
    assert direct[:-1] == cot[:-1] == none


@pytest.mark.parametrize(
    ("sentence", "tolerant", "authors"),
    [
        ("So the answer is: 5.", True, True),
        ("the answer is 5", True, True),
        ("Answer is: 5.", True, False),
        ("answer is 5", True, False),
        ("So the answer is:x.", True, False),
        ("So the Answer  is 5.", True, False),
        ("The answers are 5.", False, False),
    ],
)
def test_what_gives_the_answer(sentence, tolerant, authors):
    assert says_answer(sentence, "tolerant") == tolerant
    assert says_answer(sentence, "authors") == authors


@pytest.mark.parametrize(
    ("text", "tolerant", "authors"),
    [
        ("A. So the answer is: Ida Renn.", ("Ida Renn", "marker"), ("Ida Renn", "marker")),
        ("So the answer is: U.S.", ("U.S.", "marker"), ("U.S", "marker")),
        ("Now the answer is Ulm. No, the answer is Bern. Good.", ("Bern", "marker"), ("Bern. Good", "marker")),
        ("It is Ida.", ("It is Ida", "full"), ("It is Ida.", "full")),
        ("", ("", "empty"), ("", "empty")),
    ],
)
def test_how_the_answer_is_read(text, tolerant, authors):
    assert bare_answer_of(text, Question("q", QUESTION), "tolerant") == tolerant
    assert bare_answer_of(text, Question("q", QUESTION), "authors") == authors


@pytest.mark.parametrize(("dialogue", "seen"), [
    scene("without a reader the reasoning answers",
        lambda: ask(FIRST, LAST, reader="none"), purposes=["sentence", "sentence"],
        text="The mill of Orlau belongs to the Renn family [1]. So the answer is: Ida Renn [2].",
        answer=("Ida Renn", "marker")),
    scene("without a reader and without the marker all sentences are the answer",
        lambda: ask(FIRST, THUS, "", reader="none", retry_empty=False), answer=(f"{FIRST} {THUS}", "full"),
        unread=["no sentence says what the final answer is"]),
    scene("the marker of the authors lets the reasoning go on",
        lambda: ask("Answer is: Ida.", LAST, LAST, marker="authors"), sentence=["Answer is: Ida.", LAST]),
    scene("a repeated sentence may be let pass",
        lambda: ask(FIRST, f"{FIRST} {FIRST}", LAST, LAST, stop_on_repeat=False), sentence=[FIRST, FIRST, LAST]),
])  # fmt: skip
async def test_readers(dialogue, seen):
    assert looks(await dialogue(), seen) == seen


# -- demonstrations and packing ----------------------------------------------------------------------------------------


async def test_as_many_demonstrations_as_asked_for_with_their_gold_passages_and_m_distractors():
    for distractors in (0, 2):
        prompt = calls(await ask(n_demos=5, num_distractors=distractors))[0][0].text
        assert prompt.count("\nQ: ") == 5 + 1
        assert prompt.count("</passage>") == 1 + sum(len(one.passages(distractors)) for one in sample(5))
        assert all(f"A: {one.reasoning} So the answer is: {one.answer}.\n" in prompt for one in sample(5))


async def test_a_seed_draws_other_demonstrations_and_changes_nothing_else():
    one, other = [await ask(seed=seed) for seed in (1, 2)]
    assert conversations(one) != conversations(other)
    assert queries(one) == queries(other)


async def test_demonstrations_are_dropped_from_the_last_until_all_fits():
    whole = calls(await ask(n_demos=5))[0][0].text
    num_tokens = len(whole.split())
    record = await ask(llm=Small(SAYS, num_tokens + 128), n_demos=5)
    prompt = calls(record)[0][0].text
    assert 1 <= prompt.count("\nQ: ") - 1 < 5
    assert [one.question for one in sample(5) if one.question in prompt] == [one.question for one in sample(5)][
        : prompt.count("\nQ: ") - 1
    ]
    assert MILL.text in prompt
    assert re.fullmatch(r"\d of 5 demonstrations fit", told(record, "packed")[0])


async def test_a_paragraph_of_the_question_is_never_lost_and_cut_only_if_the_paragraphs_alone_do_not_fit():
    long = [Passage(f"p{index}", f"start{index} " + "word " * 300, f"Title {index}") for index in range(4)]
    record = await ask(LAST, LAST, llm=Small([LAST, LAST], 900), found={QUESTION: long})
    prompt = calls(record)[0][0].text
    assert all(f"start{index} word" in prompt for index in range(4))
    assert prompt.count("\nQ: ") == 1
    assert len(prompt.split()) + 128 + 64 <= 900
    packed = decisions(record, "packed")[0]
    assert 8 <= packed.data["words"] < 300
    assert packed.text == f"0 of 3 demonstrations fit, {packed.data['words']} words of each passage"


async def test_without_a_known_context_8192_tokens_are_taken_for_it():
    long = [Passage(f"p{index}", f"start{index} " + "word " * 900, f"Title {index}") for index in range(10)]
    record = await ask(LAST, LAST, found={QUESTION: long}, num_hits=10, max_words_shown=0, llm=WithoutPrefill([LAST, LAST]))
    assert 7000 < len(calls(record)[0][0].text.split()) < 8192 - 128
    assert told(record, "packed")


# -- a pinned passage (IIRC) -------------------------------------------------------------------------------------------

MAIN = Passage("main", "The ferries of Vik were founded by Olav Lund, who came from Aberdeen.", "Ferries of Vik")
LUND = Passage("lund", "Olav Lund was a captain.", "Olav Lund")
CITY = Passage("city", "Aberdeen lies in Scotland.", "Aberdeen")
PINNED = Question("q", "In which country is the founder's home?", pinned=(MAIN,))
IIRC = {
    "Aberdeen": [CITY, LUND],
    "Olav Lunt": [LUND],
    PINNED.text: [MILL, CITY, RENN, Passage("city2", "Aberdeen is old.", "Aberdeen")],
    FIRST: [MILL],
}


async def test_a_pinned_passage_is_in_every_prompt_and_may_be_cited_but_is_no_retrieval_result():
    record = await ask("Aberdeen", LAST, f"Olav Lund came from Aberdeen. {LAST}", question=PINNED, found=IIRC)
    assert all(MAIN.text in call[0].text for call in calls(record))
    assert verdicts(record)[0][2] == "supported"
    assert record.answer.citations[0].passage_id == "main"
    assert "main" not in record.answer.passage_ids


@pytest.mark.parametrize(("pinned", "first"), [("top", True), ("bottom", False)])
async def test_a_pinned_passage_stands_at_the_top_or_at_the_bottom(pinned, first):
    record = await ask("Aberdeen", LAST, LAST, question=PINNED, found=IIRC, pinned=pinned)
    prompt = calls(record, "reader")[0][0].text
    assert (prompt.index(MAIN.text) < prompt.index(CITY.text)) == first


@pytest.mark.parametrize(("dialogue", "seen"), [
    scene("generated titles are mapped to the nearest and bound retrieval",
        lambda: ask("Here they are:\n1. Aberdeen\n2. **Olav Lunt**\n- Nowhere", FIRST, LAST,
            f"Olav Lund came from Aberdeen. {LAST}", question=PINNED, found=IIRC, num_hits=2),
        first_purpose="titles", queries=["Aberdeen", "Olav Lunt", "Nowhere", PINNED.text, FIRST],
        titles=["Aberdeen; Olav Lund"], passages=("city", "city2")),
    scene("without titles retrieval is not bounded",
        lambda: ask(LAST, LAST, question=PINNED, found=IIRC, num_titles=0), purposes=["sentence", "reader"],
        passages=("mill", "city", "renn", "city2")),
])  # fmt: skip
async def test_a_pinned_passage(dialogue, seen):
    assert looks(await dialogue(), seen) == seen


@pytest.mark.parametrize("reply", ["", "I would open:", "..."])
async def test_a_reply_without_titles_is_counted_and_retrieval_is_not_bounded(reply):
    record = await ask(reply, LAST, LAST, question=PINNED, found=IIRC)
    assert unread(record) == ["no title is in the reply"]
    assert len(record.answer.passage_ids) == 4


def test_lists_of_titles_are_read_whatever_their_form():
    assert listed_titles('1) Aberdeen; Olav Lund\n* "Aberdeen"\n\n2001: A Space Odyssey') == [
        "Aberdeen",
        "Olav Lund",
        "2001: A Space Odyssey",
    ]


# -- settings ----------------------------------------------------------------------------------------------------------


def test_the_profiles_hold_what_the_paper_and_the_authors_code_say():
    paper, authors = (read_settings({"profile": f"{name}_ircot"}) for name in ("paper", "authors"))
    assert (paper.method, paper.retrievers["bm25"]) == ("ircot", {"fields": "text", "title_weight": 0.0})
    one, other = paper.part("methods", "ircot"), authors.part("methods", "ircot")
    assert (one.max_steps, one.query, one.remove_wh_words, one.max_passages) == (8, "last_sentence", False, 15)
    assert (other.max_steps, other.query, other.remove_wh_words) == (10, "last_non_reasoning_sentence", True)
    assert (other.max_words_retrieved, other.max_words_shown, other.duplicates, other.marker) == (600, 350, "fuzzy", "authors")
    assert {one.n_demos, other.n_demos} == {15}


async def test_the_flan_t5_profile_has_the_instruction_on_every_question_line_the_direct_reader_and_the_pinned_passage_last():
    settings = read_settings({"profile": "authors_ircot_flan_t5"})
    options = dataclasses.asdict(settings.part("methods", "ircot")) | {"n_demos": 2}
    record = await ask("Aberdeen", FIRST, LAST, "Norway", question=PINNED, found=IIRC, **options)
    assert purposes(record)[-1] == "reader"
    for purpose, said in (("sentence", "Answer this question. Reason step by step."), ("reader", "Answer this question.")):
        prompt = calls(record, purpose)[0][0].text
        questions = re.findall(r"^Q: (.*)\n(.*)$", prompt, re.MULTILINE)
        assert [line for line, _ in questions] == [said] * 3
        assert questions[-1][1] == PINNED.text
        assert prompt.startswith("<passage>")
        assert prompt.rindex(MAIN.text) > prompt.rindex("A: ")
        assert prompt.rindex("<passage>") < prompt.rindex(MAIN.text)
    assert record.answer.short == "Norway"
    assert "reason" not in calls(record, "reader")[0][0].text.lower()


def test_the_flan_t5_profile_is_that_of_the_authors_but_for_what_they_set_otherwise():
    codex, flan = (
        read_settings({"profile": name}).part("methods", "ircot") for name in ("authors_ircot", "authors_ircot_flan_t5")
    )
    changed = {name: value for name, value in dataclasses.asdict(flan).items() if value != getattr(codex, name)}
    assert changed == {
        "reader": "direct",
        "pinned": "bottom",
        "instruction": "question",
        "max_tokens": 200,
        "max_tokens_sentence": 200,
    }
    flan_settings = read_settings({"profile": "authors_ircot_flan_t5"})
    for name in ("oner", "nor"):
        part = flan_settings.part("methods", name)
        assert (part.reader, part.instruction, part.marker) == ("direct", "question", "authors")


# -- task families -----------------------------------------------------------------------------------------------------

LABEL = Question("q", "Does the mill of Orlau grind?", "label", ("Yes", "No"))
CLAIM = Question("q", "The mill of Orlau grinds.", "label", ("SUPPORTS", "REFUTES"))
LONG = Question("q", "Why does the mill of Orlau grind?", "long")
SLOT = Question("q", "Mill of Orlau [SEP] owner", family="slot_filling")


@pytest.mark.parametrize(
    ("question", "family", "note"),
    [
        (LABEL, "yes_no", " (The answer can only be one of: Yes, No)"),
        (CLAIM, "fact_checking", " (The answer can only be one of: SUPPORTS, REFUTES)"),
        (SLOT, "slot_filling", ""),
    ],
)
async def test_demonstrations_are_of_the_task_family_and_ask_for_the_same_kind_of_answer(question, family, note):
    prompt = conversations(await ask(LAST, LAST, question=question, n_demos=2))[0][0]
    for one in sample(2, family=family):
        assert f"\nQ: {one.question}{note}\nA: {one.reasoning} So the answer is: {one.answer}.\n" in prompt
    assert prompt.endswith(f"\nQ: {question.text}{note}\nA:")


async def test_a_direct_reader_is_shown_bare_labels():
    prompt = conversations(await ask(LAST, "Yes", question=LABEL, n_demos=2, reader="direct"))[-1][0]
    for one in sample(2, family="yes_no"):
        assert f"\nQ: {one.question} (The answer can only be one of: Yes, No)\nA: {one.answer}\n" in prompt


@pytest.mark.parametrize("reader", ["cot", "direct"])
async def test_an_explanation_is_shown_whole_and_without_a_sentence_that_gives_the_answer(reader):
    prompt = conversations(await ask(FIRST, "", "It grinds well.", question=LONG, n_demos=2, reader=reader, retry_empty=False))[
        -1
    ][0]
    for one in sample(2, family="long_form"):
        assert f"\nQ: {one.question} (Explain in several sentences.)\nA: {one.answer}\n\n" in prompt
    assert "So the answer is" not in prompt
