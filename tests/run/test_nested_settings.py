import pytest

from hopweave.core.errors import SettingsError
from hopweave.run.nested_settings import assignments, merged


def test_merging_replaces_what_is_not_a_table_and_changes_neither_side():
    lower, upper = {"a": {"b": 1}, "c": 2}, {"a": {"d": 3}, "c": {"e": 4}}
    assert merged(lower, upper) == {"a": {"b": 1, "d": 3}, "c": {"e": 4}}
    assert (lower, upper) == ({"a": {"b": 1}, "c": 2}, {"a": {"d": 3}, "c": {"e": 4}})


def test_an_option_that_may_be_a_table_or_a_value_is_replaced_by_either():
    value, table = {"methods": {"mine": {"budget": 5}}}, {"methods": {"mine": {"budget": {"tokens": 5}}}}
    assert merged(value, table) == table
    assert merged(table, value) == value


def test_dots_nest_and_later_flags_count():
    flags = ["a.b=1", "a.c=2", " a.d =3", "a.b=4", "e=5"]
    assert assignments(flags) == {"a": {"b": 4, "c": 2, "d": 3}, "e": 5}


@pytest.mark.parametrize("flag", ["theta", "", "=1", "  =1"])
def test_a_flag_without_a_key_or_an_equals_sign_is_refused_with_an_example(flag):
    with pytest.raises(
        SettingsError, match=r"--set expects key=value, not .*; for example: --set methods\.searchain\.theta=1\.5"
    ):
        assignments([flag])


@pytest.mark.parametrize(
    ("flags", "key"),
    [
        (["store=a", "store.mode=off"], "store.mode"),
        (["store.mode=off", "store=a"], "store"),
        (["a.b=1", "a.b.c.d=2"], "a.b.c.d"),
        (["a.b.c=1", "a={d = 2}", "a.b=3"], "a.b"),
    ],
)
def test_two_flags_of_which_one_would_undo_the_other_are_refused(flags, key):
    with pytest.raises(SettingsError, match=f"^--set {key} contradicts another --set, which it would undo"):
        assignments(flags)


def test_a_table_may_be_given_key_by_key_or_whole_and_then_another_key_of_it():
    assert assignments(["a={b = 1}", "a.c=2", "a={b = 3}"]) == {"a": {"b": 3, "c": 2}}


def test_an_option_of_a_dataset_may_have_the_name_of_a_table():
    assert assignments(["sampling=first", "store=mine"]) == {"sampling": "first", "store": "mine"}
