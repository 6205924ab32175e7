"""Labels, metadata and filters: what they may be, and which passages they show."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopweave.core.errors import DataError, SettingsError
from hopweave.core.types import Passage
from hopweave.core.visibility import PUBLIC, Visible, filter_values, labels_of, plain_value

LABELS = st.sampled_from(["a", "b", "c"])


def test_a_passage_without_labels_is_for_everyone_and_one_with_labels_for_who_holds_one():
    both = Passage("p", "t", access=("a", "b"))
    assert Visible().shows(Passage("p", "t"))
    assert not Visible().shows(both)
    assert not Visible(access=("c",)).shows(both)
    assert Visible(access=("c", "b")).shows(both)


def test_every_key_that_is_asked_for_must_have_one_of_its_values():
    passage = Passage("p", "t", metadata={"year": "1999", "kind": "letter"})
    assert Visible(where={"year": (1998, 1999)}).shows(passage)
    assert Visible(where={"year": "1999", "kind": "letter"}).shows(passage)
    assert not Visible(where={"year": "1999", "kind": "note"}).shows(passage)
    assert not Visible(where={"place": "Ulm"}).shows(passage)


@given(
    st.lists(LABELS, unique=True).map(sorted).map(tuple),
    st.lists(LABELS, unique=True).map(tuple),
    st.dictionaries(LABELS, LABELS),
    st.dictionaries(LABELS, st.lists(LABELS, min_size=1).map(tuple)),
)
def test_what_an_engine_filters_by_decides_as_the_rule_does(access, held, metadata, where):
    passage, visible = Passage("p", "t", metadata=metadata, access=access), Visible(held, where)
    kept = filter_values(passage)
    assert all(set(kept[field]) & set(values) for field, values in visible.conditions(num_labelled=1)) == visible.shows(passage)


def test_labels_are_taken_from_a_text_or_a_list_in_one_order():
    assert labels_of("b, a") == labels_of(["b", " a ", "b"]) == ("a", "b")
    assert labels_of(None) == labels_of("") == labels_of("  ") == labels_of([]) == ()


@pytest.mark.parametrize("given", [3, True, {"a": 1}, ["a", 3], [""], "a,", "a,,b", ["a,b"], "a\nb", "x" * 101, "\ud800"])
def test_what_is_no_label_is_refused_wherever_it_stands(given):
    with pytest.raises(ValueError, match="label"):
        labels_of(given)
    with pytest.raises(SettingsError, match="label"):
        Visible(access=given)


@pytest.mark.parametrize("access", ["board", ["board"], ("",), ("b", "a"), ("a", "a"), (3,), None])
def test_a_passage_made_in_a_program_with_anything_but_sorted_labels_is_not_indexed(access):
    with pytest.raises(DataError, match="access"):
        filter_values(Passage("p", "t", access=access))


@pytest.mark.parametrize("metadata", [{"a=b": "c"}, {"": "c"}, {"k": ""}, {"k": 3}, {"k": "a\nb"}, {"k": "x" * 1001}, {3: "x"}])
def test_metadata_that_cannot_be_asked_for_are_not_indexed(metadata):
    with pytest.raises(DataError, match="metadata"):
        filter_values(Passage("p", "t", metadata=metadata))


@pytest.mark.parametrize("where", [{"k": []}, {"k": [""]}, {"a=b": "c"}, {"k": {"x": "y"}}, {"k": None}, "year", {3: "x"}, []])
def test_what_no_metadata_can_hold_cannot_be_asked_for(where):
    with pytest.raises(SettingsError, match="where"):
        Visible(where=where)


def test_values_are_asked_for_as_they_are_kept():
    assert [plain_value(value) for value in (1999, 2.5, False, " a \n b ")] == ["1999", "2.5", "false", "a b"]
    assert [plain_value(value) for value in (None, "", [], float("nan"), "\x00")] == [None] * 5
    assert Visible(where={"n": 2.5, "is": True}).where == {"is": ("true",), "n": ("2.5",)}


def test_it_adds_to_an_identity_only_what_was_given_and_always_in_the_same_order():
    assert PUBLIC.identity == ""
    assert Visible(("b", "a"), {"y": 2, "x": [3, 1]}).identity == Visible(("a", "b"), {"x": [1, 3], "y": "2"}).identity
    assert Visible(("b", "a"), {"y": 2}).identity == ' access=a,b where={"y": ["2"]}'
    assert "\n" not in Visible(where={"y": "a\nb"}).identity
