"""What a retriever hands back and what is asked are refused if no record could keep them, with what is wrong."""

from pathlib import Path

import pytest
from support.workbench import Engine, bench

import hopweave
from hopweave.core.errors import DataError, SearchError, SettingsError
from hopweave.core.types import Answer, Hit, Passage, Question, Via
from hopweave.models.llms.scripted import Scripted
from hopweave.record import Record
from hopweave.run.weaver import check_question

pytestmark = pytest.mark.usefixtures("own_folders")

TEXT = "Ines Halloran designed the light of Carrow Head."
FINE = Passage("a", TEXT, "Carrow Head", "light.txt", 0, 48, {"year": "1881"}, ("staff",), ("History",))


class Finds:
    identity = "finds"

    def __init__(self, find):
        self.find = find

    def search(self, queries, max_hits):
        return self.find(queries)

    def close(self):
        pass


def asked(find) -> Record:
    """The record of a question whose retriever hands something back, as it is read from what was written."""
    record = hopweave.ask(
        "Who designed the light of Carrow Head?",
        method="direct_retrieval",
        llm=Scripted(lambda messages, sampling: "Ines Halloran"),
        retriever=Finds(find),
        store={"mode": "off"},
    )
    assert Record.from_json(record.to_json()) == record
    return record


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"id": 7}, "passage 7 whose id is int, not a text"),
        ({"id": None}, "passage None whose id is NoneType, not a text"),
        ({"text": None}, "passage 'a' whose text is NoneType, not a text"),
        ({"text": TEXT.encode()}, "passage 'a' whose text is bytes, not a text"),
        ({"title": None}, "passage 'a' whose title is NoneType, not a text"),
        ({"source": Path("light.txt")}, "passage 'a' whose source is PosixPath, not a text"),
        ({"metadata": {"year": 1881}}, "passage 'a' with the metadata {'year': 1881}, in which something is no text"),
        ({"metadata": {1881: "year"}}, "passage 'a' with the metadata {1881: 'year'}, in which something is no text"),
        ({"metadata": None}, "passage 'a' with the metadata None, in which something is no text"),
        ({"access": ["staff"]}, "passage 'a' with access = ['staff'], which is no tuple of texts"),
        ({"sections": (1,)}, "passage 'a' with sections = (1,), which is no tuple of texts"),
        ({"start": "0"}, "passage 'a' whose start is '0', not a whole number"),
    ],
)
def test_a_passage_that_no_record_can_keep_is_a_failure_of_the_search_that_names_class_and_field(fields, said):
    passage = Passage(**{"id": "a", "text": TEXT, **fields})
    record = asked(lambda queries: [[Hit(passage, 1.0, 1)] for _ in queries])
    assert (record.error.kind, record.error.message) == ("SearchError", f"Finds handed back {said}")


@pytest.mark.parametrize(
    ("find", "said"),
    [
        (lambda queries: None, "Finds.search handed back NoneType, not a list of hits for each query"),
        (lambda queries: [], "Finds.search handed back 0 lists of hits for 1 queries; there is one for each"),
        (lambda queries: [[], []], "Finds.search handed back 2 lists of hits for 1 queries; there is one for each"),
        (lambda queries: [None], "Finds handed back NoneType for a query, not a list of hits"),
        (lambda queries: [iter([Hit(FINE, 1.0, 1)])], "Finds handed back list_iterator for a query, not a list of hits"),
        (lambda queries: ["abc"], "Finds handed back str for a query, not a list of hits"),
        (lambda queries: [["abc"]], "Finds handed back str where a Hit was expected"),
        (lambda queries: [[FINE]], "Finds handed back Passage where a Hit was expected"),
        (lambda queries: [[Hit("abc", 1.0, 1)]], "Finds handed back str where a Passage was expected"),
        (lambda queries: [[Hit(FINE, "1.0", 1)]], "Finds gave passage 'a' the score '1.0', which is no number"),
        (lambda queries: [[Hit(FINE, None, 1)]], "Finds gave passage 'a' the score None, which is no number"),
        (
            lambda queries: [[Hit(FINE, 1.0, 1, Via(1, "", "link"))]],
            "Finds came to passage 'a' by Via(passage_id=1, title='', by='link'), of which a field is no text",
        ),
    ],
)
def test_what_is_no_list_of_hits_for_each_query_is_a_failure_of_the_search(find, said):
    record = asked(find)
    assert (record.error.kind, record.error.message) == ("SearchError", said)


@pytest.mark.parametrize(
    "find",
    [
        lambda queries: [[Hit(FINE, 1.0, 1)]],
        lambda queries: ((Hit(FINE, 1, 1),),),
        lambda queries: ([Hit(FINE, 1.0, 1, Via("b", "", "link"))] for _ in queries),
        lambda queries: [[]],
    ],
)
def test_hits_that_a_record_can_keep_are_taken_in_whatever_sequence(find):
    assert asked(find).error is None


async def test_a_search_that_is_asynchronous_says_so():
    class Asynchronous(Engine):
        async def search(self, queries, max_hits):
            return [[] for _ in queries]

    async with bench(retriever=Asynchronous()) as workbench:
        with pytest.raises(SearchError, match=r"Asynchronous\.search is asynchronous; define it with def"):
            await workbench.search(["a"], 1)


# -- what is asked -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "said"),
    [
        (Question(1, "Who?"), "the id of the question is 1, which is no text"),
        (Question("1", None), "the text of the question is None, which is no text"),
        (Question("1", "Who?", family=None), "the family of the question is None, which is no text"),
        (Question("1", "Who?", "weird"), "question '1' has the form 'weird'; it can be one of: short, label, long"),
        (Question("1", "Who?", "label", "Yes"), "question '1' has the labels 'Yes'; give it a tuple of texts"),
        (Question("1", "Who?", "label", (True,)), "question '1' has the labels (True,); give it a tuple of texts"),
        (Question("1", "Who?", pinned=FINE), "question '1' has pinned Passage("),
        (Question("1", "Who?", pinned=("a",)), "question '1' has pinned str where a Passage was expected"),
        (Question("1", "Who?", pinned=(Passage("a", 2),)), "question '1' has pinned passage 'a' whose text is int"),
    ],
    ids=repr,
)
def test_a_question_that_no_record_can_keep_is_refused_with_the_field(question, said):
    with pytest.raises(DataError) as caught:
        check_question(question)
    assert str(caught.value).startswith(said)


def test_lists_in_a_question_become_tuples():
    question = Question("1", "Is the light by Ines Halloran?", "label", ["yes", "no"], pinned=[FINE])
    record = hopweave.ask(question, method="direct", llm=Scripted(["yes"]), store={"mode": "off"})
    assert (record.question.labels, record.question.pinned) == (("yes", "no"), (FINE,))
    assert Record.from_json(record.to_json()) == record


# -- what names a part -------------------------------------------------------------------------------------------------------


class Named(Scripted):
    def __init__(self, identity):
        super().__init__(["x"])
        self._named = identity

    @property
    def identity(self):
        return self._named


class Answers:
    async def answer(self, question, workbench):
        return Answer("yes", "yes")


@pytest.mark.parametrize("identity", [None, 5])
async def test_an_identity_that_is_no_text_is_refused_for_an_object_and_for_a_part_among_components(identity):
    said = f"the identity of Named must be a text that names it, not {identity!r}"
    with pytest.raises(SettingsError, match=said):
        hopweave.Weaver(method=Answers(), llm=Named(identity))
    retriever = Finds(lambda queries: [[] for _ in queries])
    retriever.identity = identity
    with pytest.raises(SettingsError, match="the identity of Finds must be a text"):
        hopweave.Weaver(method=Answers(), llm=Named("x"), retriever=retriever)
    async with hopweave.Weaver(components=hopweave.Components(Named(identity)), method=Answers()) as weaver:
        with pytest.raises(SettingsError, match=said):
            await weaver.answer("Who?")
