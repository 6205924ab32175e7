"""The reply in a text that a model wrote, for models in files of one's own."""

import pytest

from hopweave.core.types import Reply, Sampling, Usage
from hopweave.models.replies import reply_of

THINKING = "<think>Is it Teel? No.</think>\n\nUlm"


@pytest.mark.parametrize(
    ("text", "thoughts", "said"),
    [
        (THINKING, "Is it Teel? No.", "Ulm"),
        ("Is it Teel? No.</think>Ulm", "Is it Teel? No.", "Ulm"),
        ("Ulm", "", "Ulm"),
        ("Ulm is in the tag <think>.", "", "Ulm is in the tag <think>."),
        ("<think>Is it Teel?", "Is it Teel?", ""),
    ],
)
def test_thoughts_are_no_part_of_the_reply(text, thoughts, said):
    assert reply_of(text, Sampling()) == Reply(said, thoughts=thoughts)


def test_thoughts_that_the_prompt_asks_for_stay_in_the_reply():
    assert reply_of(THINKING, Sampling(thinking="in_text")) == Reply(THINKING)


def test_a_stop_string_ends_the_reply_and_means_nothing_in_the_thoughts():
    reply = reply_of("<think>Teel\nor Ulm?</think>Ulm\nQuestion: ", Sampling(stop=("\n",)), finish_reason="length")
    assert reply == Reply("Ulm", "stop", thoughts="Teel\nor Ulm?")
    assert reply_of("Ulm\n<think>", Sampling(stop=("\n",), thinking="in_text")).text == "Ulm"


@pytest.mark.parametrize(("finish_reason", "thoughts", "said"), [("length", "Is it", ""), ("stop", "", "Is it")])
def test_a_text_that_a_limit_ended_within_thoughts_that_the_template_opened_is_no_reply(finish_reason, thoughts, said):
    reply = reply_of("Is it", Sampling(), finish_reason=finish_reason, begins_inside=True)
    assert reply == Reply(said, finish_reason, thoughts=thoughts)


def test_the_counts_of_tokens_are_those_that_were_given():
    assert reply_of("Ulm", Sampling(), usage=Usage(7, 1)).usage == Usage(7, 1)
