"""SearChain: what is checked is what is shown, what is called settled is settled, and nothing is asked twice or both ways."""

from __future__ import annotations

import pytest
from support.bench import Bench, Small, WithoutPrefill, calls, chain, origins, purposes, readings, told

from hopweave.core.types import Passage, Question
from hopweave.models.readers.llm_reader import LLMReader
from hopweave.text.evidence import condensed_text

QUESTION = "Where does the engineer of Orla Bridge come from?"
ENGINEER = "Who was the engineer of Orla Bridge, the bridge of Orla that was opened by its mayor?"
DECIDING = "Holt drew plans when twenty years old, on paper from Ulm, for nine pounds."
KEEPERS = [
    f"Its keeper Otto Falk the {number}th counted the boats at the bridge of Orla every spring." for number in range(4, 40)
]
BEGINNING = (
    "Orla Bridge was built for the railway to Kerrow and was opened by the mayor of Orla in the year of the flood. "
    "The engineer of Orla Bridge never saw the bridge of Orla as it was opened."
)
BRIDGE = Passage("bridge", f"{BEGINNING} {' '.join(KEEPERS)} {DECIDING} Trains are few.", "Orla Bridge")
SHORTER = Passage("bridge", f"{BEGINNING} {' '.join(KEEPERS[:8])} {DECIDING} Trains are few.", "Orla Bridge")
FINAL = "[Final Content]: It is so. So the final answer is so."


def shown_in(prompt: str) -> str:
    """The last passage of a prompt."""
    return prompt.rsplit("<passage>\n", 1)[1].split("\n</passage>", 1)[0]


async def ask(*says, found=None, reader=None, is_small=True, **options):
    llm = (Small if is_small else WithoutPrefill)([*says, ("Write the answer to a question out of", FINAL)])
    return await Bench(found=found or {ENGINEER: BRIDGE}, reader=reader or LLMReader(), llm=llm).ask(QUESTION, **options)


# -- the excerpt that is checked ---------------------------------------------------------------------------------------


async def test_the_check_of_an_answer_is_shown_the_sentence_that_decides_it():
    record = await ask(("Does the passage state", "yes: Holt"), ("", chain((ENGINEER, "Holt"))))
    [[check]] = calls(record, "reader")
    assert DECIDING not in condensed_text(ENGINEER, BRIDGE, 100)  # which the query alone does not lead to
    assert DECIDING in shown_in(check.text)
    assert KEEPERS[-1] not in check.text
    assert origins(record) == [(ENGINEER, "Holt", "verified")]


@pytest.mark.parametrize("is_small", [True, False])
async def test_a_model_that_is_not_small_is_shown_so_much_that_the_sentence_is_there_for_an_open_query_too(is_small):
    says = (("Does the passage state", "no"), ("It does not state", chain((ENGINEER, None))), ("", chain((ENGINEER, None))))
    record = await ask(*says, found={ENGINEER: SHORTER}, is_small=is_small)
    [[check]] = calls(record, "reader")
    assert (DECIDING in shown_in(check.text)) is not is_small


@pytest.mark.parametrize("answer", ["Holt", "Otto Falk", None])
@pytest.mark.parametrize("said", ["yes: the mayor of Orla", "yes: Holt", "yes: Kerrow", "no"])
async def test_feedback_shows_the_excerpt_that_was_checked(answer, said):
    record = await ask(
        ("Does the passage state", said), ("Write the chain from", chain((ENGINEER, answer))), ("", chain((ENGINEER, answer)))
    )
    [[check]] = calls(record, "reader")
    for turns in calls(record, "chain")[1:]:
        told_of = shown_in(turns[-1].text)
        checked = shown_in(check.text).split(". ")
        assert [sentence for sentence in told_of.split(". ") if sentence in checked] == checked
        if "According to the passage" in turns[-1].text:
            assert said.removeprefix("yes: ") in told_of


async def test_words_are_quoted_from_the_sentence_that_was_shown_and_not_from_one_before():
    text = f"The flood of 1931 took the old bridge. {' '.join(KEEPERS)} Orla Bridge, designed by Holt, was opened in 1931."
    asked = "When was Orla Bridge opened, which was designed by Holt?"
    says = (("Does the passage state", "yes: 1931"), ("", chain((asked, "1931"))))
    record = await ask(*says, found={asked: Passage("bridge", text, "Orla Bridge")}, reader=LLMReader(max_tokens_passage=22))
    assert [citation.quote for citation in record.answer.citations] == [text[text.index("Orla Bridge, designed") :]]


async def test_with_a_reader_that_reads_all_feedback_holds_the_sentence_of_its_words():
    llm = WithoutPrefill([chain((ENGINEER, "Otto Falk")), chain((ENGINEER, "Holt")), FINAL])
    record = await Bench(found={ENGINEER: BRIDGE}, read={ENGINEER: ("Holt", 5.0)}, llm=llm).ask(QUESTION)
    told_of = shown_in(calls(record, "chain")[1][-1].text)
    assert DECIDING in told_of
    assert KEEPERS[-1] not in told_of


# -- what is settled ---------------------------------------------------------------------------------------------------

FIRST, SECOND, THIRD = "Who is the engineer?", "Where was she born?", "Which river is there?"
TEXTS = {FIRST: "The engineer is Holt.", SECOND: "She was born somewhere.", THIRD: "The river is the Teel."}


async def traced(read, *nodes):
    """The beginning of the tracing prompt for a chain that passes."""
    llm = WithoutPrefill([chain(*nodes), *([chain(*nodes)] * 2), FINAL])
    record = await Bench(found=TEXTS, read=read, llm=llm).ask(QUESTION)
    return calls(record, "tracing")[0][0].text.split("\n")[0]


NODES = ((FIRST, "Holt"), (SECOND, "Orlau"), (THIRD, "the Teel"))
READ_1, READ_3 = {FIRST: ("Holt", 5.0)}, {THIRD: ("Teel", 5.0)}


@pytest.mark.parametrize(
    ("read", "nodes", "says"),
    [
        (READ_1 | READ_3, (NODES[0], NODES[2]), "queries and answers that are already settled."),
        (READ_1 | READ_3, NODES, "queries and answers. No passage confirms answer 2; the others are already settled."),
        (READ_1, NODES, "queries and answers. No passage confirms answers 2 and 3; the others are already settled."),
        ({}, NODES, "queries and answers. No passage confirms them, so none is already settled."),
    ],
)
async def test_only_what_a_passage_confirmed_is_called_settled(read, nodes, says):
    assert await traced(read, *nodes) == f"Write the answer to a question out of {says} Use nothing else."


async def test_an_answer_that_the_check_rejected_is_not_called_settled():
    record = await ask(("Does the passage state", "no"), ("", chain((ENGINEER, "Otto Falk"))))
    assert origins(record) == [(ENGINEER, "Otto Falk", "model")]
    prompt = calls(record, "tracing")[0][0].text
    assert "none is already settled" in prompt
    assert prompt.endswith(f"[Query 1]: {ENGINEER}\n[Answer 1]: Otto Falk")


async def test_an_open_query_is_not_called_settled():
    says = (("Does the passage state", "no"), ("", chain((ENGINEER, None))))
    assert "none is already settled" in calls(await ask(*says), "tracing")[0][0].text


# -- what is no contradiction ------------------------------------------------------------------------------------------

NATION = "What is the nationality of Holt?"


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("American", "United States"),
        ("United States", "American"),
        ("the U.S.", "American"),
        ("Dutch", "the Netherlands"),
        ("She is from the United Kingdom.", "British"),
        ("American", "American and British"),
        ("producer, director", "director, writer and producer"),
        ("director and producer", "producer, director, writer"),
        ("World Health Organization", "WHO"),
        ("St. Louis", "Saint Louis"),
        ("John F. Kennedy", "John Fitzgerald Kennedy"),
        ("two hundred", "200"),
    ],
)
async def test_the_same_in_other_words_spends_no_round_and_is_not_contradicted(answer, words):
    passage = Passage("holt", f"It says {words} of her.", "Holt")
    llm = [chain((NATION, answer)), FINAL]
    record = await Bench(llm, {NATION: passage}, {NATION: (words, 5.0)}).ask(QUESTION)
    assert origins(record) == [(NATION, answer, "verified")]
    assert purposes(record) == ["chain", "tracing"]
    assert record.answer.claims[0].support != "contradicted"
    papers = [chain((NATION, answer)), chain((NATION, words)), FINAL]
    record = await Bench(papers, {NATION: passage}, {NATION: (words, 5.0)}).ask(QUESTION, normalize_values=False)
    assert told(record, "verdict") == ["verified" if words in answer else "corrected"]


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("American", "Canada"),
        ("French", "United States"),
        ("director, painter", "director, writer"),
        ("UNO", "WHO"),
        ("Michael Jordan", "Jordanian"),
    ],
)
async def test_what_differs_is_corrected(answer, words):
    passage = Passage("holt", f"It says {words} of her.", "Holt")
    llm = [chain((NATION, answer)), chain((NATION, words)), FINAL]
    record = await Bench(llm, {NATION: passage}, {NATION: (words, 5.0)}).ask(QUESTION)
    assert origins(record) == [(NATION, words, "corrected")]


# -- nothing is asked twice, or both ways ------------------------------------------------------------------------------


async def test_what_the_model_has_found_no_answer_in_it_is_not_asked_to_read_again():
    better = "Who designed Orla Bridge?"
    record = await ask(
        ("Does the passage state", "no"),
        ("It does not state the answer", chain((better, "Holt"))),
        ("", chain((ENGINEER, None))),
    )
    feedback = calls(record, "chain")[1][-1].text
    assert "If the passage holds the answer" not in feedback
    assert "Ask a better query, or answer if you know the answer after all." in feedback
    assert readings(record) == [ENGINEER]  # nothing is found for the better query


async def test_a_reader_that_is_not_the_model_leaves_it_to_the_model_to_look():
    llm = WithoutPrefill([chain((ENGINEER, None)), chain((ENGINEER, "Holt")), FINAL])
    record = await Bench(found={ENGINEER: BRIDGE}, llm=llm).ask(QUESTION)
    assert "If the passage holds the answer, give it" in calls(record, "chain")[1][-1].text


@pytest.mark.parametrize("chain_form", ["stop", "both_ways", "by_family"])
@pytest.mark.parametrize("question", [QUESTION, Question("q", "Orla lies in Kerrow.", "label", ("SUPPORTS", "REFUTES"))])
async def test_final_content_is_asked_for_only_where_it_is_not_cut_off(chain_form, question):
    for is_cut in (True, False):
        made = Bench([chain((FIRST, "Holt")), FINAL], TEXTS, {})
        record = await made.ask(question, chain_form=chain_form, stop_before_final=is_cut)
        prompt, sampling = calls(record, "chain")[0][0].text, made.llm.calls[0][1]
        assert ("\n[Final Content]" in sampling.stop) == is_cut
        assert ("the number of each step" in prompt or "the number of the step" in prompt) is not is_cut
        assert ("end the chain with this line:\n[Final Content]:\n" in prompt) == is_cut
        assert ("[Final Content]: " in prompt) is not is_cut


async def test_a_forced_answer_to_every_query_asks_for_no_final_content_that_is_cut_off_either():
    record = await Bench([chain((FIRST, "Holt")), FINAL], TEXTS).ask(
        QUESTION, complete=False, without_completion="force_answer"
    )
    assert "Then write the answer to the question" not in calls(record, "chain")[0][0].text


async def test_a_reply_that_only_ends_the_chain_ends_the_walk():
    record = await Bench([chain((FIRST, "Otto Falk")), "[Final Content]:", FINAL], TEXTS, READ_1).ask(QUESTION)
    assert purposes(record) == ["chain", "chain", "tracing"]
    assert record.answer.stopped_because == "finished"


@pytest.mark.parametrize("nodes", [((FIRST, "Otto Falk"),), ((SECOND, None),), (("Who else?", None),)])
async def test_feedback_says_from_where_to_write_the_chain_and_never_to_guess(nodes):
    record = await Bench([chain(*nodes), chain(*nodes), FINAL], TEXTS, READ_1).ask(QUESTION)
    rules, feedback = calls(record, "chain")[1][0].text, calls(record, "chain")[1][-1].text
    assert "If you do not know an answer, do not guess." in rules
    assert "best answer" not in feedback
    assert feedback.endswith(
        f"Write the chain from this query on (the steps before it stay as they are) for [Question]: {QUESTION}"
    )


# -- thought -----------------------------------------------------------------------------------------------------------


async def test_a_check_and_the_last_sentence_need_no_thought_and_chains_may():
    rules = [
        ("Does the passage state", "yes: Holt"),
        ("Now write the last sentence", "So the final answer is Holt."),
        ("Write the answer to a question out of", "[Final Content]: It is by Holt [1]."),
        ("", chain((FIRST, "Holt"))),
    ]
    llm = WithoutPrefill(rules)
    await Bench(found=TEXTS, reader=LLMReader(), llm=llm).ask(QUESTION)
    assert [sampling.thinking for _, sampling in llm.calls] == ["auto", "off", "auto", "off"]
