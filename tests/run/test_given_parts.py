"""Parts that are given as objects or names beside the settings: which counts, what records call them, and what is refused."""

import threading
from dataclasses import dataclass, field
from inspect import signature
from pathlib import Path
from typing import get_type_hints

import pytest

import hopweave
from hopweave.answering.methods.chain_of_thought.cot import CoT
from hopweave.answering.rewriting.hyde import HyDE
from hopweave.core.errors import SettingsError
from hopweave.core.types import Answer, Hit, Passage, Reading
from hopweave.models.llms.scripted import Scripted
from hopweave.run.budget import Budget
from hopweave.run.components import Components
from hopweave.run.opening import AskingChoices, Choices, open_retriever
from hopweave.run.settings import Settings, read_settings
from hopweave.run.weaver import Weaver, aask, ask

pytestmark = pytest.mark.usefixtures("own_folders")


@dataclass(frozen=True)
class Picky:
    theta: float = 0.5

    async def answer(self, question, workbench):
        return Answer("yes", "yes")


class Plain:
    answer = Picky.answer


@dataclass(frozen=True)
class Holding(Picky):
    api_key: str = "sk-secret-of-mine"
    lock: object = field(default_factory=threading.Lock)


class One:
    identity = "one passage"
    is_closed = False

    def search(self, queries, max_hits):
        return [[Hit(Passage("p", "The Nith runs through Dumfries."), 1.0, 1)] for _ in queries]

    def close(self):
        self.is_closed = True


class Blind:
    identity = "blind"

    def read(self, pairs):
        return [Reading("", None, -5.0) for _ in pairs]


class Model(Scripted):
    is_closed = False

    async def close(self):
        self.is_closed = True


def always(word="the Nith"):
    return Model(lambda messages, sampling: word)


# -- what records say --------------------------------------------------------------------------------------------------------


def test_a_method_that_is_given_is_recorded_by_its_class_with_its_options():
    setup = ask("Which river?", method=Picky(0.7), llm=always(), retriever=One()).setup
    assert (setup.method, setup.options) == ("test_given_parts.Picky", {"theta": 0.7})
    assert setup.settings["method"] == "test_given_parts.Picky"


@pytest.mark.parametrize(("name", "said"), [("Mine", "Mine"), ("direct", "__main__.direct")])
def test_a_class_of_a_script_or_a_notebook_goes_by_its_name_unless_the_catalog_has_it(name, said):
    kind = type(name, (Picky,), {"__module__": "__main__"})
    assert ask("Which river?", method=kind(), llm=always(), retriever=One()).setup.method == said


def test_an_object_of_the_catalog_goes_by_its_name_there_and_is_used_as_it_is():
    made = Weaver({"methods": {"cot": {"max_tokens": 7}}}, method=CoT(max_tokens=9), llm=always(), retriever=One())
    setup = made.setup(made.budget)
    assert (setup.method, setup.options["max_tokens"]) == ("cot", 9)


async def test_a_method_that_takes_the_place_of_another_is_recorded_from_then_on():
    async with Weaver({"method": "direct"}, llm=always(), retriever=One()) as weaver:
        weaver.method = Picky(0.9)
        record = await weaver.answer("Which river?")
        assert (record.setup.method, record.setup.options) == ("test_given_parts.Picky", {"theta": 0.9})
        with pytest.raises(SettingsError, match="int is not a Method: it lacks answer"):
            weaver.method = 3


def test_what_is_no_dataclass_has_no_options():
    assert ask("Which river?", method=Plain(), llm=always(), retriever=One()).setup.options == {}


def test_secrets_and_what_json_cannot_hold_are_left_out_of_the_options():
    options = ask("Which river?", method=Holding(), llm=always(), retriever=One()).setup.options
    assert options["lock"] == "(lock)"
    assert "sk-secret-of-mine" not in str(options)


def test_all_other_parts_can_be_given_too():
    record = ask("Which river?", method="direct_retrieval", llm=always(), retriever=One(), reader=Blind())
    setup = record.setup
    assert record.answer.short == "the Nith"
    assert (setup.method, setup.retriever, setup.reader) == ("direct_retrieval", "one passage", "blind")
    assert setup.settings["llm"] == "test_given_parts.Model"
    assert setup.settings["corpus"] == ""


def test_a_retriever_that_asks_the_model_searches_the_corpus():
    record = ask("Which park opened in 1843?", method="direct_retrieval", llm=always(), retriever=HyDE(), corpus="starter")
    assert record.setup.retriever.startswith("hyde")
    assert " over bm25 " in record.setup.retriever
    assert record.setup.settings["corpus"] == "starter"


# -- which counts ------------------------------------------------------------------------------------------------------------


async def test_what_is_given_counts_over_settings_and_files(monkeypatch):
    Path("hopweave.toml").write_text('method = "cot"\n[budget]\nmax_llm_calls = 3\nmax_tokens = 900\n')
    made = Weaver(read_settings(), method="direct", llm=always(), retriever=One(), budget={"max_llm_calls": 5})
    assert (made.settings.method, made.budget) == ("direct", Budget(5, 900, *_limits_of(made.budget)))
    assert Weaver(method=Picky(), llm=always(), retriever=One(), budget=Budget(max_tokens=7)).budget == Budget(max_tokens=7)
    record = await aask("Which river?", method="direct", llm=always(), retriever=One(), budget=Budget(max_tokens=9_000))
    assert (record.setup.method, record.setup.budget) == ("direct", {"max_tokens": 9000})


def _limits_of(budget):
    return budget.max_searches, budget.max_seconds


def test_a_mistaken_name_or_limit_is_refused():
    with pytest.raises(SettingsError, match="'piky' is not one of the methods"):
        Weaver(method="piky", llm=always(), retriever=One())
    with pytest.raises(SettingsError, match="budget has no option 'max_call'"):
        Weaver(read_settings(), budget={"max_call": 1})


# -- whose it is to close ----------------------------------------------------------------------------------------------------


async def test_what_is_given_stays_open_and_what_comes_in_parts_is_closed():
    llm, retriever = always(), One()
    for _ in range(2):
        assert (await aask("Which river?", method="direct", llm=llm, retriever=retriever)).error is None
    assert (llm.is_closed, retriever.is_closed) == (False, False)
    async with Weaver({"method": "direct"}, components=Components(llm, retriever=retriever)):
        pass
    assert (llm.is_closed, retriever.is_closed) == (True, True)


# -- what is refused ---------------------------------------------------------------------------------------------------------


class Mute:
    identity = "mute"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"method": Picky}, r"Picky is a class; give an object of it: Picky\(\.\.\.\)"),
        ({"method": 3}, "int is not a Method: it lacks answer; see hopweave.Method for what it must have"),
        ({"llm": Mute()}, "Mute is not a LanguageModel: it lacks abilities and reply and close"),
        ({"retriever": Mute()}, "Mute is not a Retriever: it lacks search and close"),
        ({"reader": Mute()}, "Mute is not a Reader: it lacks read"),
        ({"duplicate_detector": Mute()}, "Mute is not a DuplicateDetector: it lacks duplicate_of"),
        ({"budget": 5}, "budget must be a mapping or a Budget, not 5"),
        ({"settings": "notes-index"}, r"settings must be a mapping, not 'notes-index'; for a corpus: Weaver\(corpus=...\)"),
        ({"retriever": One(), "corpus": "starter"}, "a retriever brings its own passages, so the corpus starter would not"),
        (
            {"components": Components(Scripted([])), "llm": "scripted", "corpus": "x"},
            "components are given, so llm and corpus would have",
        ),
    ],
)
def test_what_cannot_be_used_is_refused_with_what_is_wrong(given, said):
    with pytest.raises(SettingsError, match=said):
        Weaver(**given)


def test_the_protocols_that_messages_name_are_there():
    for protocols in hopweave.core.catalog.PROTOCOLS.values():
        for name in protocols:
            assert getattr(hopweave, name).__name__ == name


def test_filters_that_do_not_reach_a_retriever_are_refused_instead_of_being_passed_over(tmp_path):
    for settings in ({"access": ["a"]}, {"where": {"year": 1}}):
        with pytest.raises(
            SettingsError, match=r"which access and where do not filter; leave them out, and create the .*One with visible"
        ):
            Weaver({"method": "direct", **settings}, llm=Scripted(["x"]), retriever=One())
    Path(tmp_path / "mine.py").write_text(
        "from dataclasses import dataclass\n\n\n@dataclass\nclass Mine:\n    identity = 'mine'\n\n"
        "    def search(self, queries, max_hits):\n        return [[] for _ in queries]\n\n    def close(self):\n        pass\n"
    )
    mine = {"method": "direct", "retriever": f"{tmp_path / 'mine.py'}:Mine"}
    open_retriever(read_settings(mine))[0].close()
    with pytest.raises(SettingsError, match="has no option 'visible', so access and where do not reach it"):
        open_retriever(read_settings({**mine, "access": "a"}))


# -- one declaration of what can be given ------------------------------------------------------------------------------------


def test_what_can_be_given_to_ask_are_the_keys_of_the_settings():
    assert set(get_type_hints(AskingChoices)) == set(Settings.model_fields)


def test_weaver_and_ask_list_what_can_be_given_for_help_and_notebooks():
    assert {"settings", "components", *get_type_hints(Choices)} == set(signature(hopweave.Weaver).parameters)
    assert {"question", "observers", *get_type_hints(AskingChoices)} == set(signature(hopweave.ask).parameters)
    assert signature(hopweave.ask) == signature(hopweave.aask)


def test_help_says_what_ask_does_and_returns():
    assert "The record: `record.answer` is the answer" in hopweave.ask.__doc__
    named = {name for name in ("observers", *get_type_hints(Choices)) if f"`{name}`" in hopweave.ask.__doc__}
    assert named == {"observers", *get_type_hints(Choices)}


def test_an_argument_that_weaver_does_not_have_is_refused():
    with pytest.raises(TypeError, match=r"unexpected argument .profile.; a key of the settings goes into"):
        hopweave.Weaver(profile="default")


def test_none_is_as_if_nothing_was_given():
    choices = {**dict.fromkeys(get_type_hints(AskingChoices)), "method": "direct", "llm": "scripted"}
    record = hopweave.ask("Who?", **choices)
    assert (record.setup.method, record.setup.llm) == (
        "direct",
        hopweave.ask("Who?", method="direct", llm="scripted").setup.llm,
    )
