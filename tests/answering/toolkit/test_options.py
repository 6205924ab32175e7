"""The bounds of options: written into their types, held when a part is made."""

from dataclasses import dataclass
from typing import Annotated, Literal

import pytest

from hopweave.answering.methods.verify_and_edit.verify_and_edit import VerifyAndEdit
from hopweave.core.catalog import ROLES, entries, load
from hopweave.core.errors import MissingExtra, SettingsError
from hopweave.core.options import AtLeast, Bounded, Count, Temperature, TopP, Whole, check_options, notes_of


@dataclass(frozen=True, slots=True)
class Part(Bounded):
    count: Annotated[Count, "how many"] = 1
    whole: Annotated[Whole | None, "none: as many as there are"] = None
    pair: Annotated[int, AtLeast(2, 3), "two or three"] = 2
    temperature: Annotated[Temperature | None, "of a draw"] = None
    top_p: TopP = 1.0
    mode: Annotated[Literal["fast", "exact"] | None, "which"] = None


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"count": 0}, "Part count must be at least 1, not 0"),
        ({"whole": -1}, "Part whole must be 0 or more, not -1"),
        ({"pair": 1}, "Part pair must be from 2 to 3, not 1"),
        ({"pair": 4}, "Part pair must be from 2 to 3, not 4"),
        ({"temperature": -0.5}, "Part temperature must be a number from 0 up, not -0.5"),
        ({"temperature": float("nan")}, "Part temperature must be a number from 0 up, not nan"),
        ({"top_p": 0.0}, "Part top_p must be above 0 and at most 1, not 0.0"),
        ({"top_p": 1.5}, "Part top_p must be above 0 and at most 1, not 1.5"),
        ({"mode": "slow"}, "Part mode cannot be 'slow'; choose one of: exact, fast"),
    ],
)
def test_an_option_out_of_its_bounds_is_refused_by_name(options, said):
    with pytest.raises(SettingsError) as error:
        Part(**options)
    assert str(error.value) == said


def test_the_ends_of_the_bounds_and_none_are_taken():
    Part(count=1, whole=0, pair=3, temperature=0.0, top_p=1.0, mode="exact")
    assert Part().whole is None


def test_a_subclass_with_options_of_its_own_is_held_to_them_and_to_those_it_takes_over():
    @dataclass(frozen=True, slots=True)
    class More(Part):
        extra: Count = 1

        def __post_init__(self):
            check_options(self)

    for options in ({"extra": 0}, {"count": 0}):
        with pytest.raises(SettingsError, match="must be at least 1"):
            More(**options)


def test_a_part_of_the_package_is_called_by_its_file():
    with pytest.raises(SettingsError, match=r"verify_and_edit max_edits must be from 1 to 10, not 11"):
        VerifyAndEdit(max_edits=11)


def test_bounds_are_no_words_for_a_reader():
    assert notes_of(Annotated[Count, "how many", "in all"]) == "how many in all"
    assert notes_of(int) == ""


def test_the_defaults_of_every_bounded_part_are_within_their_bounds():
    checked = 0
    for role in ROLES:
        for name in entries(role):
            try:
                part = load(role, name)
            except MissingExtra:
                continue
            if isinstance(part, type) and issubclass(part, Bounded) and "index" not in part.__annotations__:
                check_options(part())
                checked += 1
    assert checked >= 30
