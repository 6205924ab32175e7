"""What a question cost: calls, words, tokens, seconds, money; and what failed."""

import dataclasses

import pytest
from support.bench import Bench
from support.parts import METHODS
from support.three_hops import PASSAGES, QUESTION
from support.worked import worked

from hopweave.core.errors import DataError
from hopweave.core.types import Passage, Usage
from hopweave.evaluation.metrics.calls import Calls
from hopweave.evaluation.metrics.cost import Cost
from hopweave.evaluation.metrics.critical_path_seconds import CriticalPathSeconds
from hopweave.evaluation.metrics.failures import Failures
from hopweave.evaluation.metrics.parse_failures import ParseFailures
from hopweave.evaluation.metrics.rounds import Rounds
from hopweave.evaluation.metrics.seconds import Seconds
from hopweave.evaluation.metrics.tokens import Tokens
from hopweave.evaluation.metrics.words import Words
from hopweave.record import Decision, ModelCall, ParseFailure, Search, Timing

OTHER = "Who built the bridge of Ostvik that burned in the year 1901 and was never built again?"
OTHER_PASSAGES = (
    Passage("ostvik", "The bridge of Ostvik was built by Jon Vale in 1850. It burned in 1901.", "Ostvik bridge"),
    Passage("vale", "Jon Vale was a carpenter from the north of the country. He had two sons.", "Jon Vale"),
    Passage("fire", "In 1901 the whole market of the town burned. Nobody was hurt in the fire.", "Fire of 1901"),
)


def with_steps(asked, steps):
    record, example = asked
    numbered = tuple(dataclasses.replace(step, id=place) for place, step in enumerate(steps))
    return dataclasses.replace(record, steps=numbered), example


def with_usage(asked, usage, **more):
    record, example = asked
    steps = [dataclasses.replace(step, usage=usage, **more) for step in record.steps if isinstance(step, ModelCall)]
    return dataclasses.replace(record, steps=tuple(steps)), example


# -- words -----------------------------------------------------------------------------------------------------------------

PROMPT = (
    "Answer in a word.\n\nQ: Who was first?\nA: Nobody.\n\nTitle: Old Ulm\nUlm lies on the Danube.\n\nQ: Which river is it?\nA:"
)


def test_static_words_are_those_of_instructions_and_demonstrations():
    asked = worked("x", question="Which river is it?", passages=[Passage("1", "Ulm lies on the Danube.", "Old Ulm")])
    record, example = worked("x", question="Which river is it?", calls=[(PROMPT, "the Danube"), (PROMPT + " the Danube.", "x")])
    found = Words().score(dataclasses.replace(record, passages=asked[0].passages), example)
    # "Answer in a word." "Q: Who was first?" "A: Nobody." "Title:" "Q:" "A:" and, of the second prompt, "A: the Danube."
    assert found["words_static"] == 4 + 4 + 2 + 1 + 1 + 1 + 3
    assert found["words_unique"] == 4 + 4 + 2 + 3 + 5 + 5 + 3  # "A:" only begins "A: the Danube."
    assert found["words_billed"] == 24 + 26
    assert found["words_out"] == 3


@pytest.mark.parametrize("name", METHODS)
async def test_static_words_hardly_depend_on_the_question(name):
    said = [("", "So the final answer is Ines Halloran.")]
    records = [
        await Bench(said, {question: passages}).ask(question, name)
        for question, passages in ((QUESTION, PASSAGES), (OTHER, OTHER_PASSAGES))
    ]
    first, second = (Words().score(record, None) for record in records)
    assert first["words_static"] == pytest.approx(second["words_static"], abs=3)
    assert 0 < first["words_static"] < first["words_unique"] <= first["words_billed"]


def test_a_history_that_is_sent_again_is_unique_once_and_billed_each_time():
    lines = ["one two three", "four five", "six"]
    calls = [("\n".join(lines[:number]), "said") for number in (1, 2, 3)]
    found = Words().score(*worked("x", calls=calls))
    assert (found["words_unique"], found["words_billed"], found["words_out"]) == (6.0, 3 + 5 + 6, 3.0)


def test_a_question_without_a_call_cost_no_words():
    assert set(Words().score(*worked("x")).values()) == {0.0}


def test_several_samples_of_one_request_are_billed_once_and_written_each():
    record, example = worked("x", calls=[("one two", "three")])
    shared = dataclasses.replace(record.steps[0], sample=1, is_shared=True, usage=Usage())
    asked = with_steps((record, example), [record.steps[0], shared])
    assert Words().score(*asked) == {"words_static": 2.0, "words_unique": 2.0, "words_billed": 2.0, "words_out": 2.0}
    assert Calls().score(*asked)["llm_calls"] == 1.0
    assert Calls().score(*asked)["completions"] == 2.0
    assert Tokens().score(*asked)["total_tokens"] == 3.0


# -- tokens and money --------------------------------------------------------------------------------------------------


def test_tokens_that_the_endpoint_did_not_count_are_no_data_and_never_0():
    asked = with_usage(worked("x", calls=[("one two", "three")]), Usage())
    assert Tokens().score(*asked) == {}
    assert Tokens().score(*worked("x"))["total_tokens"] == 0.0


def test_a_call_that_failed_for_good_leaves_the_count_of_the_others():
    record, example = worked("x", calls=[("one two", "three"), ("four", "five")])
    failed = dataclasses.replace(record.steps[1], text=None, usage=Usage())
    asked = with_steps((record, example), [record.steps[0], failed])
    assert Tokens().score(*asked)["total_tokens"] == 3.0
    assert Calls().score(*asked)["llm_failures"] == 1.0


def table(tmp_path, text):
    path = tmp_path / "prices.toml"
    path.write_text(text, encoding="utf-8")
    return Cost(prices=str(path))


PRICES = """
[[prices]]
model = "openai:*:small"
prompt = 2.0
cached = 0.5
completion = 10.0

[[prices]]
model = "llama*"
prompt = 0
completion = 0
"""


def test_cost_counts_fresh_cached_and_written_tokens_at_their_own_price(tmp_path):
    asked = with_usage(worked("x", calls=[("one", "two")]), Usage(1_000_000, 100_000, 400_000))
    assert table(tmp_path, PRICES).score(*asked) == {"cost": pytest.approx(0.6 * 2 + 0.4 * 0.5 + 0.1 * 10)}


def test_cached_tokens_without_a_price_of_their_own_cost_what_others_do(tmp_path):
    asked = with_usage(worked("x", calls=[("one", "two")]), Usage(1_000_000, 0, 400_000))
    found = table(tmp_path, '[[prices]]\nmodel = "*"\nprompt = 3\ncompletion = 1').score(*asked)
    assert found == {"cost": pytest.approx(3.0)}


def test_a_model_that_costs_nothing_says_so_in_the_table(tmp_path):
    assert table(tmp_path, PRICES).score(*worked("x", calls=[("one", "two")], llm="llama_cpp:qwen")) == {"cost": 0.0}


def test_failed_questions_cost_what_they_cost(tmp_path):
    asked = worked(error="gone", calls=[("one two", "three")])
    assert table(tmp_path, PRICES).score(*asked)["cost"] > 0


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[[prices", "is not TOML"),
        ("currency = 'USD'", r"has no \[\[prices\]\]"),
        ("prices = 3", r"has no \[\[prices\]\]"),
        ("prices = [3]", "row 1 .* is not a table"),
        ("[[prices]]\nprompt = 1\ncompletion = 1", "row 1 .* names no model"),
        ("[[prices]]\nmodel = '*'\nprompt = 'one'\ncompletion = 1", "prompt must be a number from 0 up, not 'one'"),
        ("[[prices]]\nmodel = '*'\nprompt = -1\ncompletion = 1", "prompt must be a number from 0 up, not -1"),
        ("[[prices]]\nmodel = '*'\nprompt = inf\ncompletion = 1", "prompt must be a number from 0 up, not inf"),
        ("[[prices]]\nmodel = '*'\nprompt = nan\ncompletion = 1", "prompt must be a number from 0 up, not nan"),
        ("[[prices]]\nmodel = '*'\nprompt = true\ncompletion = 1", "prompt must be a number from 0 up, not True"),
        ("[[prices]]\nmodel = '*'\nprompt = 1", "completion must be a number from 0 up, not None"),
        ("[[prices]]\nmodel = '*'\nprompt = 1\ncompletoin = 1", "unknown key 'completoin'; did you mean 'completion'"),
        (
            "[[prices]]\nmodel = 'other'\nprompt = 1\ncompletion = 1",
            "has no price for 'openai:https://models.example/v1:small'",
        ),
    ],
)
def test_a_broken_price_table_is_a_named_failure_and_never_0(tmp_path, text, says):
    with pytest.raises(DataError, match=says):
        table(tmp_path, text).score(*worked("x", calls=[("one", "two")]))


def test_a_missing_price_table_is_a_named_failure_and_never_0(tmp_path):
    with pytest.raises(DataError, match=r"no price table is given; write one and set metrics\.cost\.prices to its path"):
        Cost().score(*worked("x"))
    with pytest.raises(DataError, match=r"cannot read the price table .*/none\.toml: No such file"):
        Cost(prices=str(tmp_path / "none.toml")).score(*worked("x"))


def test_a_table_that_was_mended_is_read_again(tmp_path):
    asked = worked("x", calls=[("one", "two")])
    with pytest.raises(DataError):
        table(tmp_path, "[[prices]]").score(*asked)
    assert table(tmp_path, PRICES).score(*asked)["cost"] > 0


def test_tokens_without_a_count_have_no_cost(tmp_path):
    assert table(tmp_path, PRICES).score(*with_usage(worked("x", calls=[("one", "two")]), Usage())) == {}


# -- rounds and seconds ----------------------------------------------------------------------------------------------------


def test_searches_that_a_call_of_the_model_parts_are_two_rounds():
    record, example = worked("x", calls=[("one", "two")], searches=[["a"], ["b", "c"]])
    call, first, second = record.steps
    at = [dataclasses.replace(one, timing=Timing(float(place), 0.1)) for place, one in enumerate((first, call, second))]
    asked = with_steps((record, example), at)
    assert (Rounds().score(*asked), Rounds(mode="per_call").score(*asked)) == ({"rounds": 2.0}, {"rounds": 3.0})


def test_the_time_of_a_question_that_was_answered_from_the_store_is_no_data():
    record, example = worked("x", calls=[("one", "two")], seconds=0.01)
    stored = dataclasses.replace(record.steps[0], timing=Timing(0.0, 7.0, from_store=True))
    found = Seconds().score(*with_steps((record, example), [stored]))
    assert found == {"llm_seconds": 7.0, "search_seconds": 0.0}


def test_branches_of_a_graph_count_side_by_side_on_the_critical_path():
    record, example = worked("x")
    search = Search(0, None, ("a",), 1, ((),), None, Timing(0.0, 2.0))
    steps = [
        Decision(0, None, "graph", "two branches"),
        Decision(1, 0, "node", "1"),
        dataclasses.replace(search, parent=1),
        Decision(3, 0, "node", "2"),
        dataclasses.replace(search, parent=3, timing=Timing(0.0, 3.0)),
    ]
    found = CriticalPathSeconds().score(*with_steps((record, example), steps))
    assert found == {"critical_path_seconds": 3.0, "serial_seconds": 5.0}


# -- failures --------------------------------------------------------------------------------------------------------------


def test_parse_failures_are_counted_and_their_rate_is_per_question():
    failure = ParseFailure(0, None, "final", "empty", "")
    asked = with_steps(worked("x"), [failure, failure])
    assert ParseFailures().score(*asked) == {"parse_failures": 2.0, "parse_failure_rate": 1.0}


def test_an_abstention_and_a_limit_are_no_failures():
    record, example = worked(" ")
    assert Failures().score(record, example) == {"failure_rate": 0.0, "empty_answer": 1.0, "stopped_early": 0.0}
    stopped = dataclasses.replace(record, answer=dataclasses.replace(record.answer, stopped_because="max_llm_calls"))
    assert Failures().score(stopped, example)["stopped_early"] == 1.0
    assert Failures().score(*worked(error="gone")) == {"failure_rate": 1.0}
