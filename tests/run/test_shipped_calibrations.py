"""The calibrations that come with the package are for models that it knows, and say what they rest on."""

from importlib.resources import files

import pytest

import hopweave.run
from hopweave.evaluation.scoring.calibrating import FEWEST
from hopweave.evaluation.scoring.statistics import least_share
from hopweave.models.weights.known import DEFAULT_MODEL, KNOWN_MODELS
from hopweave.record.confidence import Calibration

PATHS = sorted((files(hopweave.run) / "calibrations").iterdir())


def test_there_is_one_for_the_embedded_model():
    assert [path.stem for path in PATHS] == [DEFAULT_MODEL]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_it_is_for_a_known_model_and_its_promise_is_that_of_its_counts(path):
    made = Calibration.read(path)
    assert made.llm in {f"gguf:sha256:{one.sha256}" for one in KNOWN_MODELS.values()}
    assert FEWEST <= made.guarantee.num_ticked <= made.num_labels
    assert made.guarantee.at_least == least_share(made.guarantee.num_right, made.guarantee.num_ticked, 1 - made.guarantee.level)
    assert not made.needs_checks
