"""What follows a yes or a no has to speak for it."""

import pytest

from hopweave.citations.support import claim_of
from hopweave.core.types import Claim, Passage

ORLAU = Passage(
    "orlau",
    "Orlau is a lake in Sula. The ferry of Orlau sails to Tromvik since 1902. It does not currently carry any horses.",
    "Orlau",
)
TARN = Passage(
    "tarn", "The daemon listens on port 9418. The cache of the daemon is threadsafe. Its log can be compressed.", "tarnd"
)


def found(query, answer, settled=()):
    claim = claim_of(1, query, answer, "model", [ORLAU, TARN], settled=settled)
    assert claim.citations  # what was found is cited in any case
    return claim.support, claim.shortfall


SPEAKING = [
    ("Is Orlau a lake?", "Yes, Orlau is a lake in Sula."),
    ("Is Orlau a town?", "No, Orlau is a lake in Sula."),
    ("Is Orlau a town?", "**No**: Orlau is a lake in Sula. [1]"),
    ("Does the ferry of Orlau carry horses?", "No, it does not currently carry any horses."),
    ("Does the ferry of Orlau sail to Brno?", "No, the ferry of Orlau sails to Tromvik."),
    ("Does the daemon listen on port 9418?", "Yes, it listens on port 9418 of the daemon."),
    ("Does the daemon listen on port 9419?", "No, it listens on port 9418 of the daemon."),
    (
        "Does the ferry of Orlau sail to Tromvik only?",
        "No, the ferry of Orlau sails to Tromvik since 1902.",
    ),  # not only
    ("Where is Orlau?", "Yes, Orlau is a lake in Sula."),  # it asks for no yes
]
NOT_SPEAKING = [
    ("Is Orlau a town?", "Yes, Orlau is a lake in Sula."),
    ("Is Orlau a lake?", "No, Orlau is a lake in Sula."),
    ("Are Orlau and Tromvik both lakes?", "Yes, Orlau is a lake in Sula."),
    ("Does the ferry of Orlau carry horses?", "Yes, it does not currently carry any horses."),
    ("Does the ferry of Orlau sail to Brno?", "Yes, the ferry of Orlau sails to Tromvik."),
    ("Does the daemon listen on port 9419?", "Yes, it listens on port 9418 of the daemon."),
    ("Does the daemon listen on port 9418?", "No, it listens on port 9418 of the daemon."),
    ("Is the cache threadsafe?", "No. [1] The cache of the daemon is threadsafe."),
]


@pytest.mark.parametrize(("query", "answer"), SPEAKING)
def test_a_reason_that_speaks_for_its_yes_or_no_is_supported(query, answer):
    assert found(query, answer) == ("supported", "")


@pytest.mark.parametrize(("query", "answer"), NOT_SPEAKING)
def test_a_true_reason_that_does_not_speak_for_its_yes_or_no_is_not(query, answer):
    assert found(query, answer) == ("unsupported", "relation")


def test_an_earlier_claim_that_leads_from_the_question_to_the_reason_counts():
    query, answer = "Is the home of Ida Renn a lake?", "Yes, Orlau is a lake in Sula."
    assert found(query, answer) == ("unsupported", "relation")
    home = Claim("What is the home of Ida Renn?", "Orlau", "model", "supported")
    assert found(query, answer, [home]) == ("supported", "")
