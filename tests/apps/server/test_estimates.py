"""What is reserved for a question: what others of its kind used, its own length, and the call that reaches a limit."""

import pytest

from hopweave.apps.server.asking import Asked
from hopweave.apps.server.estimates import USUAL_TOKENS, Estimates
from hopweave.core.types import Answer, Question
from hopweave.run.conversation import Turn

SHORT = "Who designed it?"
OWN = 4
"""The tokens of that question."""
ANSWER = Answer("Ida [1].", "Ida")
CUT_OFF = Answer("", "", stopped_because="max_llm_calls")


def asked(method="direct", text=SHORT, **more):
    limits = {name: more.pop(name) for name in ("max_tokens",) if name in more}
    return Asked(Question("q", text), method, "notes", limits=limits, **more)


def learnt(*uses, answer=ANSWER, **more):
    estimates = Estimates()
    for tokens, largest_call in uses:
        estimates.learn(asked(**more), answer, tokens, largest_call)
    return estimates


def test_a_question_of_a_method_that_has_answered_nothing_is_expected_to_use_the_usual():
    estimates = learnt((100, 100))
    assert estimates.tokens_of(asked("ircot")) == USUAL_TOKENS + OWN
    assert estimates.tokens_of(asked("ircot", max_tokens=1)) == 1 + USUAL_TOKENS + OWN


def test_a_question_is_expected_to_use_the_mean_of_its_kind_or_its_limit_and_the_largest_call():
    estimates = learnt((100, 50), (301, 70))
    assert estimates.tokens_of(asked()) == 200 + OWN
    assert estimates.tokens_of(asked(max_tokens=500)) == 500 + 70 + OWN


def test_only_the_last_64_questions_count():
    estimates = learnt((10**6, 10**6), *[(100, 50)] * 64)
    assert (estimates.tokens_of(asked()), estimates.tokens_of(asked(max_tokens=1))) == (100 + OWN, 51 + OWN)


def test_questions_under_a_limit_do_not_lower_what_one_without_a_limit_is_expected_to_use():
    estimates = learnt((9000, 800))
    for _ in range(64):
        estimates.learn(asked(max_tokens=1), ANSWER, 300, 300)
        estimates.learn(asked(), CUT_OFF, 300, 300)
    assert estimates.tokens_of(asked()) == 9000 + OWN


def test_what_exceeded_a_limit_by_several_calls_at_once_is_expected_again():
    estimates = learnt((1700, 300), max_tokens=200)
    assert estimates.tokens_of(asked(max_tokens=100)) == 100 + 1500 + OWN


@pytest.mark.parametrize("more", [{"options": {"num_passages": 1000}}, {"check": "more"}])
def test_with_other_options_no_less_than_the_usual_is_expected(more):
    cheap, dear = learnt((100, 50)), learnt((20_000, 9_000))
    assert cheap.tokens_of(asked(**more)) == USUAL_TOKENS + OWN
    assert dear.tokens_of(asked(**more)) == 20_000 + OWN
    assert dear.tokens_of(asked(**more, max_tokens=1)) == 9_001 + OWN


def test_a_long_question_and_what_is_read_of_the_conversation_are_expected_on_top():
    estimates = learnt((100, 50))
    assert estimates.tokens_of(asked(text="word " * 1600)) == 100 + 2000
    said = Turn("a" * 600, "b" * 5000)
    assert estimates.tokens_of(asked(earlier=(said,) * 20)) == 100 + OWN + 6 * 300
