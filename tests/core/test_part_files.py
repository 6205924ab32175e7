"""Parts in files of one's own: how they are named, what breaks in one line, and that only the user has a file imported."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from support.commands import assert_one_line
from support.part_files import DATASET, EVIL, METHOD, SCRIPTED, hopweave_says, own_folder
from typing_extensions import get_protocol_members

import hopweave
from hopweave.core import catalog, part_files
from hopweave.core.catalog import PROTOCOLS, full_name, key_of, load, name_of
from hopweave.core.errors import SettingsError
from hopweave.run.weaver import ask


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    return own_folder(tmp_path, monkeypatch)


def named(path, text):
    Path(path).write_text(text)
    part_files.allow(path)
    return path


# -- what is named -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["./mine.py:Picky", "mine.py", "./mine.py"])
def test_a_method_in_a_file_answers_and_is_recorded_by_its_path_and_class(name):
    record = ask("Which river?", method=name, llm="scripted", methods={"Picky": {"theta": "0.7"}})
    assert record.answer.short == "theta is 0.7"
    assert record.setup.method == f"{name.removesuffix(':Picky')}:Picky"
    assert record.setup.options == {"theta": 0.7}
    assert record.setup.settings["methods"] == {"Picky": {"theta": "0.7"}}


def test_the_command_line_takes_a_file_and_its_options():
    said = hopweave_says("ask", "Which river?", "--method", "./mine.py", "--set", "methods.Picky.theta=2", *SCRIPTED).stdout
    assert "theta is 2.0" in said


PLAIN = """
from hopweave import Answer
class Plain:
    async def answer(self, question, workbench):
        return Answer("the Teel", "the Teel")
"""
ONE = "from dataclasses import dataclass\n@dataclass\nclass One:\n    def search(self, q, n): ...\n    def close(self): ...\n"


@pytest.mark.parametrize(
    ("given", "text", "said"),
    [
        (
            {"method": "./mine.py:Picky", "methods": {"Picky": {"thetta": 1}}},
            METHOD,
            r"methods\.Picky has no option 'thetta'; did you mean 'theta'\?",
        ),
        ({"method": "direct", "methods": {"Picky": {"theta": 1}}}, METHOD, "'Picky' is not one of the methods"),
        (
            {"method": "direct", "retriever": "mine.py"},
            ONE,
            r"One in mine\.py:One is not a Retriever: it lacks identity; see hopweave\.Retriever",
        ),
        (
            {"method": "mine.py:Plain", "methods": {"Plain": {"theta": 1}}},
            PLAIN,
            "takes no options, as it is not a dataclass; write @dataclass above it",
        ),
        (
            {"method": "mine.py:Plain"},
            PLAIN.replace("class Plain:", "class Plain:\n    def __init__(self, depth): ..."),
            r"cannot be made without arguments: .*depth.*; write @dataclass above its class",
        ),
    ],
    ids=["wrong-option", "options-without-a-name", "attribute-missing", "options-of-no-dataclass", "arguments-wanted"],
)
def test_what_is_wrong_with_a_part_in_a_file_is_said_when_it_is_made(given, text, said):
    named("mine.py", text)
    with pytest.raises(SettingsError, match=said):
        ask("Which river?", llm="scripted", **given)


def test_a_model_a_reader_a_detector_and_a_retriever_come_from_files_too():
    Path("parts.py").write_text("""
from dataclasses import dataclass
from hopweave.core.types import Abilities, Hit, Message, Passage, Reading, Reply

@dataclass
class Parrot:
    word: str = "Nith"
    identity = "parrot"
    abilities = Abilities()
    async def reply(self, messages, sampling, on_text=None):
        return Reply(self.word)
    async def close(self):
        pass

@dataclass
class One:
    identity = "one"
    def search(self, queries, max_hits):
        return [[Hit(Passage("p", "The Nith runs through Dumfries."), 1.0, 1)] for _ in queries]
    def close(self):
        pass

@dataclass
class Blind:
    identity = "blind"
    def read(self, pairs):
        return [Reading("", None, -5.0) for _ in pairs]

@dataclass
class Never:
    def duplicate_of(self, query, seen):
        return None
""")
    record = ask(
        "Which river?", method="direct_retrieval", llm="parts.py", retriever="parts.py", reader="parts.py",
        duplicate_detector="parts.py", llms={"Parrot": {"word": "the Nith"}},
    )  # fmt: skip
    setup = record.setup
    assert (record.answer.short, setup.llm, setup.retriever, setup.reader) == ("the Nith", "parrot", "one", "blind")
    assert setup.settings["llm"] == "parts.py:Parrot"
    assert setup.settings["duplicate_detector"] == "parts.py:Never"


def test_the_members_that_the_catalog_asks_for_are_those_of_the_protocols():
    for role, protocols in PROTOCOLS.items():
        for name, members in protocols.items():
            assert set(members) == get_protocol_members(getattr(hopweave, name)), (role, name)


def test_an_object_of_a_file_goes_by_its_path(folder):
    assert name_of("methods", load("methods", named("mine.py", METHOD))()) == f"{folder}/mine.py:Picky"


def test_a_file_that_was_changed_is_run_anew():
    assert load("methods", named("mine.py", METHOD))().theta == 0.5
    assert load("methods", named("mine.py", METHOD.replace("0.5", "0.6")))().theta == 0.6
    assert not Path("__pycache__").exists()


# -- what breaks -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("import no_such_library", "mine.py fails when it is imported, line 1: ModuleNotFoundError: No module named 'no_such"),
        ("\n\nx = 1 / 0", "mine.py fails when it is imported, line 3: ZeroDivisionError: division by zero; fix it"),
        ("def f(:\n  pass", "mine.py fails when it is imported, line 1: SyntaxError: invalid syntax; fix it"),
        ("import sys\nsys.exit(3)", "mine.py fails when it is imported, line 2: SystemExit: 3; fix it"),
        ("", "mine.py has no class that fits; write one, or name it as in mine.py:ClassName"),
        (
            "class Picky:\n    pass",
            "Picky in mine.py is not a Method: it lacks answer; see hopweave.Method for what it must have",
        ),
        (
            "class A:\n    async def answer(self, q, w): ...\nclass B(A):\n    pass",
            "mine.py has several classes that fit: A, B; say which, as in mine.py:A",
        ),
        (
            "class direct:\n    async def answer(self, q, w): ...",
            "the class direct in mine.py has the name of one of the built-in methods; rename the class",
        ),
    ],
)
def test_a_file_that_cannot_be_used_is_one_line(text, said):
    Path("mine.py").write_text(text)
    assert_one_line(hopweave_says("ask", "Which river?", "--method", "mine.py", *SCRIPTED, exit_code=1), f"hopweave: {said}")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("mine.py:Piky", "mine.py has no class 'Piky'; correct the name after the colon"),
        ("gone.py:Picky", "cannot read gone.py: No such file or directory; check the path"),
        ("folder.py:Picky", "folder.py is not a file; name a Python file"),
        ("mine.py:dataclass", "mine.py has no class 'dataclass'"),
    ],
)
def test_a_name_that_means_nothing_is_one_line(name, said):
    Path("folder.py").mkdir()
    assert_one_line(hopweave_says("ask", "Which river?", "--method", name, *SCRIPTED, exit_code=1), f"hopweave: {said}")


def test_the_class_is_the_one_that_all_names():
    text = "__all__ = ['B']\nclass A:\n    async def answer(self, q, w): ...\nclass B(A):\n    pass"
    assert full_name("methods", named("mine.py", text)) == "mine.py:B"
    assert key_of("methods", "mine.py") == "B"


def test_a_class_that_is_no_dataclass_is_taken_and_has_no_options():
    record = ask("Which river?", method=f"{named('plain.py', PLAIN)}:Plain", llm="scripted")
    assert (record.answer.short, record.setup.method, record.setup.options) == ("the Teel", "plain.py:Plain", {})


# -- names that clash --------------------------------------------------------------------------------------------------------


def in_new_process(code, path):
    prelude = f"import sys; sys.path[:0] = [{str(path)!r}]\nfrom hopweave.core.catalog import *\n"
    done = subprocess.run([sys.executable, "-c", prelude + code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def distribution(folder, name, points, role="methods"):
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[hopweave.{role}]\n{points}\n")


def test_an_entry_point_called_as_a_part_of_the_package_is_an_error_where_that_name_is_asked_for(tmp_path):
    distribution(tmp_path, "theirs", "direct = theirs:Direct\nown = theirs:Own")
    distribution(tmp_path, "others", "own = others:Own")
    code = """
for name in ("direct", "own", "cot"):
    try:
        print(entry("methods", name).target)
    except Exception as error:
        print(type(error).__name__, error)
"""
    direct, own, cot = in_new_process(code, tmp_path).splitlines()
    assert direct == (
        "SettingsError theirs:Direct registers in methods as 'direct', and hopweave itself has one of that name; "
        "rename its entry point, or uninstall its package"
    )
    assert own.startswith("SettingsError")
    assert "registers in methods as 'own', and" in own
    assert cot == "hopweave.answering.methods.chain_of_thought.cot"


def test_a_metric_whose_name_another_package_claims_is_left_out_of_those_that_nobody_named(tmp_path):
    distribution(tmp_path, "theirs", "rounds = theirs:Rounds", "metrics")
    code = "from hopweave.evaluation.scoring.score import open_metrics\nprint(open_metrics()[1]['rounds'])"
    assert "theirs:Rounds has the same name" in in_new_process(code, tmp_path)


def test_a_file_that_nobody_named_is_not_run():
    Path("evil.py").write_text(EVIL)
    for role in PROTOCOLS:
        with pytest.raises(SettingsError, match="contains code that you have not named, so it is not run"):
            load(role, "./evil.py:Picky")
    assert not Path("was-imported").exists()


def test_the_options_of_a_part_in_a_file_are_shown_by_name():
    said = hopweave_says("list", "methods", "./mine.py").stdout
    assert "options, set as methods.Picky.OPTION:\n  theta (default 0.5)" in said
    assert said.startswith("./mine.py: Picky: answers with one word")


def test_a_dataset_in_a_file_brings_its_passages():
    text = f"{DATASET}\n    def passages(self):\n        yield Passage('p', 'The Nith.')\n"
    Path("data.py").write_text(text.replace("import Example", "import Passage, Example"))
    assert json.loads(hopweave_says("corpus", "./data.py:Two").stdout)["text"] == "The Nith."


def test_the_catalog_lists_no_file():
    load("methods", named("mine.py", METHOD))
    assert "Picky" not in catalog.entries("methods")
