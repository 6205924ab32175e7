"""The marks of an answer are found as the model wrote them, whatever hopweave took out or added."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.bench import Bench, chain
from support.worked import claimed, quoted, worked

from hopweave.answering.toolkit.claims import marked_answer
from hopweave.core.types import Passage
from hopweave.record.written import WrittenMark, written_marks, written_text

ULM = Passage("ulm", "Ulm lies on the Danube. Einstein was born there. The minster was built in 1890.")
CLAIMS = [
    claimed("Which river is Ulm on?", "the Danube", quoted(1, ULM)),
    claimed("Who was born in Ulm?", "Einstein", quoted(2, ULM)),
    claimed("Who built the minster?", "nobody knows"),
]
SENTENCES = ["Ulm is on the Danube", "Einstein was born in Ulm", "Nobody knows who built it", "So the final answer is Ulm"]


def record_of(said, *, add_missing=False, before=(), added=""):
    """A record of an answer that was made of a reply as methods make it; `added` is what a second reply is put behind."""
    replies = [said] if isinstance(said, str) else list(said)
    answer = marked_answer(added.join(replies), "Ulm", "marker", [], CLAIMS, "finished", add_missing=add_missing)
    record, _ = worked("Ulm", claims=CLAIMS, passages=[ULM], calls=[("p", one) for one in (*before, *replies)])
    return replace(record, answer=answer)


def as_rows(marks):
    return [(mark.fragment, mark.number, mark.fate) for mark in marks]


def test_each_mark_is_kept_misplaced_or_invented():
    said = "Ulm is on the Danube [1, 2]. Einstein was born in Ulm [7]. Nobody knows who built it [3]. So it is Ulm [1]."
    record = record_of(said, add_missing=True)
    assert "Einstein was born in Ulm [2]." in record.answer.text  # which hopweave added
    assert as_rows(written_marks(record)) == [
        ("Ulm is on the Danube", 1, "kept"),
        ("Ulm is on the Danube", 2, "misplaced"),
        ("Einstein was born in Ulm", 7, "invented"),
        ("Nobody knows who built it", 3, "misplaced"),  # claim 3 cites nothing
        ("So it is Ulm", 1, "misplaced"),
    ]
    assert written_text(record) == said


def test_a_pair_of_fragment_and_number_is_one_mark_and_kept_if_it_was_anywhere():
    record = record_of("On the Danube [1]. [1] On the Danube [1].")
    assert as_rows(written_marks(record)) == [("On the Danube", 1, "kept")]


@pytest.mark.parametrize(
    "reply",
    [
        "[Final Content]: {}",
        "[Final Content]:\n**{}**\n\n[Query 1]: Which river?",
        "Let me see.\n\n[Final Content] {}",
        "{}  \n",
    ],
)
@pytest.mark.parametrize("said", ["Ulm is  on\nthe Danube [1]. [2]", "[1] Ulm is on the Danube [9].", "It is Ulm[1][2]."])
def test_the_text_is_found_within_a_reply(reply, said):
    alone = record_of(said)
    within = replace(alone, steps=record_of(reply.format(said)).steps)
    assert written_marks(within) == written_marks(alone) != []


def test_the_last_reply_that_has_the_text_counts_and_no_readers_reply():
    text = "Ulm is on the Danube"
    record = record_of(f"{text} [1].", before=[f"{text} [2]."])
    assert as_rows(written_marks(record)) == [(text, 1, "kept")]
    first, last = record.steps[:2]
    read = replace(record, steps=(replace(first, text=last.text), replace(last, text=first.text, purpose="reader")))
    assert as_rows(written_marks(read)) == [(text, 1, "kept")]


def test_a_text_that_no_reply_has_and_an_error_have_no_marks():
    record = record_of("Ulm is on the Danube [1].")
    assert written_marks(replace(record, steps=record_of("It is Ulm [1].").steps)) == []
    assert written_marks(replace(record, steps=())) == []
    assert written_marks(worked(error="gone")[0]) == []
    assert written_text(worked("", text="[1]", calls=[("p", "[1]")])[0]) == ""


@pytest.mark.parametrize("prefill", [False, True])
async def test_a_final_answer_that_was_asked_for_goes_on_from_the_final_content(prefill):
    query = "Which river is Ulm on?"
    says = [chain((query, "the Danube")), "[Final Content]: Ulm is on the Danube [1]. It is old [1].", "the Danube [4]."]
    record = await Bench(says, {query: ULM}, {query: ("the Danube", 9.0)}, prefill=prefill).ask("Which river?")
    assert record.answer.how == "forced"
    assert as_rows(written_marks(record)) == [
        ("Ulm is on the Danube", 1, "kept"),
        ("It is old", 1, "misplaced"),
        ("So the final answer is the Danube", 4, "invented"),
    ]


# -- whatever is written ---------------------------------------------------------------------------------------------------

numbers = st.lists(st.sampled_from([1, 2, 3, 4, 17]), max_size=3)
pieces = st.lists(st.tuples(st.sampled_from(SENTENCES), numbers, numbers, st.booleans()), min_size=1, max_size=6)


def text_of(parts):
    """Sentences with marks in and after them, each in brackets of its own or all in one pair."""

    def marks(of_one, in_one):
        return f" [{', '.join(map(str, of_one))}]" if in_one and of_one else "".join(f" [{one}]" for one in of_one)

    return " ".join(f"{said}{marks(inside, in_one)}.{marks(behind, in_one)}" for said, inside, behind, in_one in parts)


@given(pieces, st.booleans())
def test_every_mark_that_was_written_is_found_and_none_that_was_added(parts, add_missing):
    record = record_of(text_of(parts), add_missing=add_missing)
    marks = written_marks(record)
    assert {mark.number for mark in marks} == {number for _, inside, behind, _ in parts for number in (*inside, *behind)}
    assert len({(mark.fragment, mark.number) for mark in marks}) == len(marks)
    assert all(mark.fate == "invented" for mark in marks if mark.number > len(CLAIMS))
    assert all(mark.fate != "kept" for mark in marks if mark.number == 3)
    taken_out = record.answer.num_marks_misplaced + record.answer.num_marks_removed
    assert any(mark.fate != "kept" for mark in marks) <= bool(taken_out)
    assert marks == written_marks(record_of(text_of(parts), add_missing=not add_missing))


@given(pieces)
def test_a_model_that_was_given_no_numbers_invented_every_mark(parts):
    said = text_of(parts)
    answer = marked_answer(said, "Ulm", "marker", [], CLAIMS, "finished", has_own_marks=False)
    record = replace(record_of(said), answer=answer)
    assert {mark.fate for mark in written_marks(record)} <= {"invented"}
    assert WrittenMark(SENTENCES[0], 1, "kept") not in written_marks(record)


@given(st.text(alphabet="ab.: \n[]12,-*\u2060é", max_size=60))
def test_any_text_is_read(said):
    record = record_of(said)
    kept = {mark.number for mark in written_marks(record) if mark.fate == "kept"}
    assert kept <= {1, 2}
