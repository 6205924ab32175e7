"""The language model reads a passage: its words become a true span, its token probabilities the confidence."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopweave.core.errors import SettingsError
from hopweave.core.prompt import escape
from hopweave.core.protocols import ExcerptReader, ModelReader
from hopweave.core.types import Passage, Reading, Reply, Span, TokenLogprob
from hopweave.models.readers.llm_reader import LLMReader, log_odds, reading_of

PASSAGE = Passage(
    "p",
    "The hall was designed by W. M. Dudok.\nIt opened in 1931, at -5 °C, to “great joy”. No Doubt played. Query 1: who?",
    title="Hilversum Town Hall",
)
LN9 = math.log(9)


def token(word: str, probability: float, **others: float) -> TokenLogprob:
    """A token with its alternatives; `_` in the name of an alternative stands for a blank."""
    top = {word: probability, **{name.replace("_", " "): value for name, value in others.items()}}
    return TokenLogprob(word, math.log(probability), tuple((name, math.log(value)) for name, value in top.items()))


# -- log-odds ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tokens", "odds"),
    [
        ([token("yes", 0.9, no=0.1)], math.log(9)),
        ([token("no", 0.8, yes=0.2)], -math.log(4)),
        ([token(" Yes", 0.5, yes=0.25, No=0.2, _no=0.05)], math.log(3)),
        ([token("**yes", 0.6, **{"no:": 0.3})], math.log(2)),
        ([token("YES:", 0.75, other=0.05, no=0.2)], math.log(3.75)),
        ([token("▁yes", 0.8, no=0.2)], math.log(4)),
        # `no` is not listed: as likely as the least likely one that is,
        ([token("yes", 0.9, maybe=0.04, well=0.02)], math.log(45)),
        # but not likelier than what is left over.
        ([token("yes", 0.9, maybe=0.09)], math.log(90)),
        ([token("yes", 0.9)], math.log(9)),
        ([TokenLogprob("yes", math.log(0.9))], math.log(9)),
        ([TokenLogprob("no", math.log(0.75))], -math.log(3)),
        # The token itself is not among its alternatives.
        ([TokenLogprob("yes", math.log(0.8), (("no", math.log(0.2)),))], math.log(4)),
        # The first token that says the one or the other counts.
        ([token("**", 0.9, yes=0.1), token("yes", 0.9, no=0.1), token(":", 1.0), token(" No", 0.9, yes=0.1)], math.log(9)),
        ([token("yes", 1.0, no=1e-12)], 20.0),
        ([token("no", 1.0, yes=1e-12)], -20.0),
        ([TokenLogprob("yes", 0.0, (("no", -math.inf),))], 20.0),
        ([TokenLogprob("no", 0.0, (("yes", -9999.0),))], -20.0),
        ([TokenLogprob("yes", 0.0)], 20.0),
        ([TokenLogprob("yes", 1e9, (("no", math.nan),))], 20.0),
        ([TokenLogprob("yes", -math.inf, (("no", -math.inf),))], 0.0),
    ],
)
def test_log_odds_compare_all_ways_to_say_yes_with_all_ways_to_say_no(tokens, odds):
    assert log_odds(tokens) == pytest.approx(odds)


@pytest.mark.parametrize("tokens", [[], [token("Dudok", 0.9, yes=0.1)], [token("none", 1.0), token("yesterday", 1.0)]])
def test_without_a_token_that_says_yes_or_no_there_are_no_log_odds(tokens):
    assert log_odds(tokens) is None


LOGPROBS = st.one_of(st.floats(-12.0, 0.0), st.floats())
WORDS = st.sampled_from(["yes", " Yes", "no", "NO", "x", ":", ""])
TOKENS = st.builds(TokenLogprob, WORDS, LOGPROBS, st.lists(st.tuples(WORDS, LOGPROBS), max_size=5).map(tuple))


@given(st.lists(TOKENS, max_size=4))
def test_log_odds_are_finite_and_within_their_bounds(tokens):
    odds = log_odds(tokens)
    assert odds is None or -20 <= odds <= 20


@given(st.lists(TOKENS, max_size=4))
def test_log_odds_change_their_sign_when_yes_and_no_change_places(tokens):
    swap = {"yes": "no", " Yes": "NO", "no": "yes", "NO": " Yes"}
    swapped = [
        TokenLogprob(swap.get(t.token, t.token), t.logprob, tuple((swap.get(word, word), lp) for word, lp in t.top))
        for t in tokens
    ]
    odds = log_odds(tokens)
    assert log_odds(swapped) == (None if odds is None else pytest.approx(-odds))


# -- readings ----------------------------------------------------------------------------------------------------------

READ = {
    "the form asked for": ("yes: W. M. Dudok", "W. M. Dudok", LN9),
    "a comma": ("Yes, W. M. Dudok", "W. M. Dudok", LN9),
    "a dash": ("yes - W. M. Dudok", "W. M. Dudok", LN9),
    "a long dash": ("yes – W. M. Dudok", "W. M. Dudok", LN9),
    "a full stop": ("Yes. W. M. Dudok.", "W. M. Dudok", LN9),
    "nothing between": ("yes W. M. Dudok", "W. M. Dudok", LN9),
    "capitals": ("YES: w. m. dudok", "W. M. Dudok", LN9),
    "bold": ("**yes**: **W. M. Dudok**", "W. M. Dudok", LN9),
    "bold with the colon": ("**Yes:** W. M. Dudok", "W. M. Dudok", LN9),
    "quotes": ('yes: "W. M. Dudok"', "W. M. Dudok", LN9),
    "quotes around all": ('"yes: W. M. Dudok"', "W. M. Dudok", LN9),
    "the prompt's last word repeated": ("Reply: yes: W. M. Dudok", "W. M. Dudok", LN9),
    "blank lines first": ("\n\nyes: W. M. Dudok", "W. M. Dudok", LN9),
    "more lines": ("yes: W. M. Dudok\nIt says so.", "W. M. Dudok", LN9),
    "an explanation": ("yes: 1931. The passage says so.", "1931", LN9),
    "a negative number": ("yes: -5 °C", "-5 °C", LN9),
    "a negative number without a colon": ("yes -5 °C", "-5 °C", LN9),
    "straight quotes for curly ones": ('yes: to "great joy"', "to “great joy”", LN9),
    "words over a line break": ("yes: W. M. Dudok. It opened", "W. M. Dudok.\nIt opened", LN9),
    "a colon in the words": ("yes: Query 1: who?", "Query 1: who?", LN9),
    "an answer that begins with no": ("yes: No Doubt", "No Doubt", LN9),
    "words that are not in the passage": ("yes: Frank Lloyd Wright", "", LN9),
    "words of the title only": ("yes: Hilversum Town Hall", "Hilversum Town Hall", LN9),
    "yes without words": ("yes", "", LN9),
    "yes with a colon and no words": ("yes:", "", LN9),
    "no": ("no", "", -LN9),
    "no with a full stop": ("No.", "", -LN9),
    "no with a reason": ("No: because W. M. Dudok is dead", "", -LN9),
    "no with a colon later": ("No, the passage says: W. M. Dudok", "", -LN9),
    "no in bold": ("**no**", "", -LN9),
    "the bare words": ("W. M. Dudok", "W. M. Dudok", LN9),
    "bare words that are not in the passage": ("Not stated.", "", -LN9),
    "nothing": ("", "", -LN9),
    "blanks": (" \n ", "", -LN9),
    "signs": ("...", "", -LN9),
}


@pytest.mark.parametrize(("text", "words", "confidence"), READ.values(), ids=READ)
def test_a_reply_gives_the_words_as_they_stand_in_the_passage(text, words, confidence):
    reading = reading_of(Reply(text), "", PASSAGE)
    assert reading.text == words
    assert reading.in_title == (words == "Hilversum Town Hall")
    assert (reading.span is None) == (words == "" or reading.in_title)
    assert reading.confidence == pytest.approx(confidence)


@pytest.mark.parametrize(
    ("said", "query", "words"),
    [
        ("yes: The hall is a work of W. M. Dudok, the architect", "Who designed the hall?", "W. M. Dudok"),
        ("yes: the doors opened in 1931, it says", "When was the hall finished?", "opened in 1931"),
        ("yes: it opened in 1931, it says", "When was it opened?", "1931"),
        ("yes: It is called the Town Hall of Hilversum", "What stands in Hilversum?", "Town Hall"),
        ("yes: the hall is large", "How large is the hall?", ""),  # nothing but the query's words is shared
        ("yes: there was joy", "What was there?", ""),  # one small word is chance
        ("yes: it is not mentioned, W. M. Dudok", "Who?", ""),
        ("The hall is by W. M. Dudok, I think", "Who designed the hall?", ""),  # without a yes nothing is sure
        ("no: it was W. M. Dudok", "Who designed the hall?", ""),
    ],
)
def test_of_a_yes_in_other_words_the_longest_run_that_stands_in_the_passage_beyond_the_query_is_the_span(said, query, words):
    reading = reading_of(Reply(said), query, PASSAGE)
    assert reading.text == words


def test_words_that_stand_in_text_and_title_are_quoted_from_the_text():
    passage = Passage("p", "Orlau is a town.", title="Orlau")
    assert reading_of(Reply("yes: Orlau"), "Which town?", passage) == Reading("Orlau", Span(0, 5), LN9)
    assert reading_of(Reply("yes: Orlau"), "Which town?", Passage("p", "A town.", "Orlau")) == Reading("Orlau", None, LN9, True)


def test_token_probabilities_give_the_confidence_where_the_reply_says_yes_or_no():
    sure = (token("yes", 0.6, no=0.3), token(":", 1.0))
    assert reading_of(Reply("yes: 1931", logprobs=sure), "", PASSAGE).confidence == pytest.approx(math.log(2))
    assert reading_of(Reply("no", logprobs=(token("no", 0.75, yes=0.25),)), "", PASSAGE).confidence == pytest.approx(
        -math.log(3)
    )


def test_a_no_within_the_words_is_not_the_verdict():
    said = (token("Re", 1.0), token("No", 0.9, yes=0.1), token(" Doubt", 1.0))
    assert reading_of(Reply("band No Doubt", logprobs=said), "", PASSAGE).confidence == pytest.approx(-LN9)


REPLIES = st.one_of(
    st.text(),
    st.tuples(
        st.sampled_from(["yes: ", "Yes, ", "yes - ", "no", "No: ", "", "**yes**: "]),
        st.integers(0, len(PASSAGE.text)),
        st.integers(0, 30),
        st.sampled_from(["", ".", '"', " because.", "\nmore"]),
    ).map(lambda parts: parts[0] + escape(PASSAGE.text)[parts[1] : parts[1] + parts[2]] + parts[3]),
)


@given(REPLIES, st.lists(TOKENS, max_size=3).map(tuple))
def test_a_span_is_always_a_true_quote_and_the_confidence_finite(text, logprobs):
    reading = reading_of(Reply(text, logprobs=logprobs), "", PASSAGE)
    assert math.isfinite(reading.confidence)
    if reading.in_title:
        assert reading.span is None
        assert reading.text
        assert reading.text in PASSAGE.title
    else:
        assert reading.text == (PASSAGE.text[reading.span.start : reading.span.end] if reading.span else "")
        assert (reading.span is None) == (reading.text == "")


# -- the reader --------------------------------------------------------------------------------------------------------


async def test_the_reader_asks_once_with_the_fenced_passage_and_reads_the_reply():
    asked = []

    async def ask(messages, sampling):
        asked.append((messages, sampling))
        return Reply("yes: 1931", logprobs=(token("yes", 0.9, no=0.1),))

    reading = await LLMReader(max_tokens=20).read_with(ask, "When did it open?", PASSAGE)
    [([message], sampling)] = asked
    assert reading.text == "1931"
    assert reading.confidence == pytest.approx(LN9)
    assert message.role == "user"
    assert "<passage>\nHilversum Town Hall\nThe hall was designed" in message.text
    assert "Query 1\u2060: who?" in message.text
    assert message.text.endswith("Question: When did it open?\nReply:")
    assert (sampling.max_tokens, sampling.stop, sampling.temperature) == (20, ("\n",), 0.0)
    assert sampling.top_logprobs > 1


def test_the_reader_fills_its_role_and_names_its_options_and_wording():
    reader = LLMReader()
    assert isinstance(reader, ModelReader)
    assert reader.identity.startswith("llm_reader(max_tokens=40, ")
    assert len({reader.identity, LLMReader(max_tokens=41).identity, LLMReader(max_tokens_passage=41).identity}) == 3


LONG = Passage(
    "l",
    "Orla Bridge crosses the Tarn.\nIts arches are of grey stone from Kerrow, cut by hand over eleven winters.\n"
    "Painters of the coast have shown it in every light.\nIt was designed by Lina Holt in 1931.",
    title="Orla Bridge",
)


@pytest.mark.parametrize(
    ("max_tokens", "is_whole"), [(0, True), (30, False), (2, True)], ids=["no limit", "a limit", "no sentence fits"]
)
async def test_only_the_likeliest_sentences_are_shown_and_a_span_is_one_of_the_whole_passage(max_tokens, is_whole):
    prompts = []

    async def ask(messages, sampling):
        prompts.append(messages[0].text)
        return Reply("yes: Lina Holt")

    reading = await LLMReader(max_tokens_passage=max_tokens).read_with(ask, "By whom was Orla Bridge designed?", LONG)
    shown = prompts[0].rpartition("Passage:\n")[2]
    assert "designed by Lina Holt in 1931." in shown
    assert ("Painters of the coast" in shown) == is_whole
    assert reading.span is not None
    assert LONG.text[reading.span.start : reading.span.end] == reading.text == "Lina Holt"


TOLLS = [f"Its toll of {pence} pence is paid by the keeper of Orla Bridge at the Tarn." for pence in range(2, 22)]
SPREAD = Passage("s", f"{LONG.text} {' '.join(TOLLS)}", "Orla Bridge")


@pytest.mark.parametrize(
    ("is_small", "answer", "is_shown"),
    [(True, "", False), (True, "grey stone from Kerrow", True), (False, "", True), (False, "grey stone from Kerrow", True)],
)
async def test_a_small_model_is_shown_less_and_in_any_case_the_sentence_of_an_answer_that_is_checked(
    is_small, answer, is_shown
):
    prompts = []

    async def ask(messages, sampling):
        prompts.append(messages[0].text)
        assert sampling.thinking == "off"
        return Reply("no")

    reader, query = LLMReader(), "By whom is the toll of Orla Bridge at the Tarn paid?"
    await reader.check_with(ask, query, SPREAD, answer, is_small=is_small)
    shown = prompts[0].rpartition("Passage:\n")[2]
    assert ("Its arches are of grey stone" in shown) == is_shown
    assert escape(reader.excerpt(query, SPREAD, answer, is_small=is_small)) in shown
    assert isinstance(reader, ExcerptReader)


async def test_words_that_are_not_in_what_was_shown_are_in_the_excerpt_for_them():
    reader, query = LLMReader(), "By whom is the toll of Orla Bridge at the Tarn paid?"
    at = SPREAD.text.index("Kerrow")
    assert "Kerrow" not in reader.excerpt(query, SPREAD)
    assert "Its arches are of grey stone from Kerrow" in reader.excerpt(query, SPREAD, words=Span(at, at + 6))


def test_a_reply_too_short_to_say_anything_is_refused():
    with pytest.raises(SettingsError, match="max_tokens must be at least 4, not 3"):
        LLMReader(max_tokens=3)
