"""Parts in files of one's own: how they are named, what breaks in one line, and that no stranger has a file imported."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.commands import ran
from typer.testing import CliRunner
from typing_extensions import get_protocol_members

import hopweave.protocols
from hopweave import catalog, part_files
from hopweave.catalog import PROTOCOLS, full_name, key_of, load, name_of
from hopweave.cli import app
from hopweave.errors import SettingsError
from hopweave.evaluation.runs.folder import DatasetPlan, MethodPlan, Plan, RunFolder
from hopweave.settings import read_settings
from hopweave.weaver import ask

METHOD = '''"""Picky: answers with one word."""

from dataclasses import dataclass

from hopweave.types import Answer


@dataclass(frozen=True)
class Picky:
    theta: float = 0.5

    async def answer(self, question, workbench):
        return Answer(f"theta is {self.theta}", f"theta is {self.theta}")
'''
EVIL = f'from pathlib import Path\nPath("was-imported").touch()\n{METHOD}'
DATASET = '''"""Two questions."""
from dataclasses import dataclass

from hopweave.types import Example, Gold, Question

@dataclass(frozen=True)
class Two:
    word: str = "Nith"

    def examples(self):
        for number in range(2):
            yield Example(Question(f"q{number}", f"Which river, {number}?"), Gold((self.word,)))
'''
METRIC = '''"""How long answers are."""
from dataclasses import dataclass
from typing import ClassVar

from hopweave.types import Column

@dataclass(frozen=True)
class Length:
    """Characters of the answer."""

    factor: float = 1.0
    columns: ClassVar = {"length": Column("lower")}
    counts_failures: ClassVar = False

    def score(self, record, example):
        return {"length": self.factor * len(record.answer.short)}
'''


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """An empty working directory with the method in it, and a configuration of its own."""
    for name in list(os.environ):
        if name.startswith("HOPWEAVE_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    Path("mine.py").write_text(METHOD)
    Path("rules.toml").write_text('[[rules]]\nmatch = "(?s)."\nsay = "So the answer is: the Nith."\n')
    monkeypatch.setattr(part_files, "_allowed", set())
    return tmp_path / "here"


def hopweave_says(*arguments, exit_code=0):
    result = CliRunner().invoke(app, [*map(str, arguments)])
    assert result.exit_code == exit_code, result.output
    return result


def named(path, text):
    Path(path).write_text(text)
    part_files.allow(path)
    return path


SCRIPTED = ("--llm", "scripted", "--set", "llms.scripted.rules_file=rules.toml")


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


def test_a_wrong_option_is_named_by_the_class():
    with pytest.raises(SettingsError, match=r"methods\.Picky has no option 'thetta'; did you mean 'theta'\?"):
        ask("Which river?", method="./mine.py:Picky", llm="scripted", methods={"Picky": {"thetta": 1}})


def test_options_of_a_class_that_no_name_means_are_refused():
    with pytest.raises(SettingsError, match="'Picky' is not one of the methods"):
        read_settings({"method": "direct", "methods": {"Picky": {"theta": 1}}})


def test_a_model_a_reader_a_detector_and_a_retriever_come_from_files_too():
    Path("parts.py").write_text("""
from dataclasses import dataclass
from hopweave.types import Abilities, Hit, Message, Passage, Reading, Reply

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
            assert set(members) == get_protocol_members(getattr(hopweave.protocols, name)), (role, name)


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
        ("import no_such_library", "mine.py breaks when it is imported, line 1: ModuleNotFoundError: No module named 'no_such"),
        ("\n\nx = 1 / 0", "mine.py breaks when it is imported, line 3: ZeroDivisionError: division by zero; mend it"),
        ("def f(:\n  pass", "mine.py breaks when it is imported, line 1: SyntaxError: invalid syntax; mend it"),
        ("import sys\nsys.exit(3)", "mine.py breaks when it is imported, line 2: SystemExit: 3; mend it"),
        ("", "mine.py has no class that fits; write one, or name it as in mine.py:ClassName"),
        ("class Picky:\n    pass", "Picky in mine.py is no Method: it lacks answer; see hopweave.Method for what it must have"),
        (
            "class A:\n    async def answer(self, q, w): ...\nclass B(A):\n    pass",
            "mine.py has several classes that fit: A, B; say which, as in mine.py:A",
        ),
        (
            "class direct:\n    async def answer(self, q, w): ...",
            "mine.py calls its class direct, and there is one of that name in the methods; rename the class",
        ),
    ],
)
def test_a_file_that_cannot_be_used_is_one_line(text, said):
    Path("mine.py").write_text(text)
    result = hopweave_says("ask", "Which river?", "--method", "mine.py", *SCRIPTED, exit_code=1)
    assert result.stderr.startswith(f"hopweave: {said}")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("mine.py:Piky", "mine.py has no class 'Piky'; correct the name behind the colon"),
        ("gone.py:Picky", "cannot read gone.py: No such file or directory; check the path"),
        ("folder.py:Picky", "folder.py is no file; name a Python file"),
        ("mine.py:dataclass", "mine.py has no class 'dataclass'"),
    ],
)
def test_a_name_that_means_nothing_is_one_line(name, said):
    Path("folder.py").mkdir()
    result = hopweave_says("ask", "Which river?", "--method", name, *SCRIPTED, exit_code=1)
    assert result.stderr.startswith(f"hopweave: {said}")


def test_the_class_is_the_one_that_all_names():
    text = "__all__ = ['B']\nclass A:\n    async def answer(self, q, w): ...\nclass B(A):\n    pass"
    assert full_name("methods", named("mine.py", text)) == "mine.py:B"
    assert key_of("methods", "mine.py") == "B"


def test_what_only_an_object_can_lack_is_found_when_it_is_made():
    Path("parts.py").write_text(
        "from dataclasses import dataclass\n@dataclass\nclass One:\n    def search(self, q, n): ...\n    def close(self): ...\n"
    )
    with pytest.raises(
        SettingsError, match=r"One in parts\.py:One is no Retriever: it lacks identity; see hopweave\.Retriever"
    ):
        ask("Which river?", method="direct", llm="scripted", retriever="parts.py")


def test_a_class_without_options_says_what_to_write():
    Path("mine.py").write_text("class A:\n    async def answer(self, q, w): ...")
    with pytest.raises(SettingsError, match="write @dataclass above its class"):
        ask("Which river?", method="mine.py", llm="scripted")


# -- names that clash --------------------------------------------------------------------------------------------------------


def in_new_process(code, path):
    prelude = f"import sys; sys.path[:0] = [{str(path)!r}]\nfrom hopweave.catalog import *\n"
    done = subprocess.run([sys.executable, "-c", prelude + code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def distribution(folder, name, points):
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[hopweave.methods]\n{points}\n")


def test_an_entry_point_called_as_a_part_of_the_package_is_an_error_for_whoever_asks_for_that_name(tmp_path):
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
        "SettingsError theirs:Direct joins the methods as 'direct', and hopweave has one of that name itself; "
        "rename its entry point, or uninstall its package"
    )
    assert own.startswith("SettingsError")
    assert "joins the methods as 'own', and" in own
    assert cot == "hopweave.methods.cot"


def test_a_file_that_nobody_named_is_not_run():
    Path("evil.py").write_text(EVIL)
    for role in PROTOCOLS:
        with pytest.raises(SettingsError, match="is code that you have not named yourself, so it is not run"):
            load(role, "./evil.py:Picky")
    assert not Path("was-imported").exists()


# -- strangers ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        'method = "./evil.py:Picky"',
        'method = "evil.py"',
        'llm = "./evil.py:Picky"',
        'retriever = "hyde"\n[retrievers.hyde]\nengine = "./evil.py:Picky"',
        '[methods."./evil.py:Picky"]\ntheta = 1',
        'profile = "profile.toml"',
    ],
)
def test_a_strangers_settings_import_no_file(text):
    Path("evil.py").write_text(EVIL)
    Path("profile.toml").write_text('method = "./evil.py:Picky"')
    Path("hopweave.toml").write_text(text)
    for command in (["ask", "Which river?"], ["doctor"]):
        result = ran(*command)
        assert result.exit_code == 1
        assert "and you have not trusted it" in result.output
    assert not Path("was-imported").exists()


def test_a_folder_that_is_trusted_names_its_files():
    Path("hopweave.toml").write_text('method = "./mine.py:Picky"\n[methods.Picky]\ntheta = 3')
    assert 'sets:\n  method = "./mine.py:Picky"\n' in hopweave_says("trust").stdout
    assert "theta is 3.0" in hopweave_says("ask", "Which river?", *SCRIPTED).stdout


def evil_run():
    Path("evil.py").write_text(EVIL)
    Path("q.jsonl").write_text('{"id": "q", "question": "Which river?", "answer": "Nith"}\n')
    plan = Plan(
        {"jsonl": DatasetPlan("./evil.py:Picky", {"path": "q.jsonl"})},
        {"Picky": MethodPlan("./evil.py:Picky")},
        {"llm": "scripted"},
    )
    Path("run").mkdir()
    Path("run/plan.json").write_text(plan.to_json())


@pytest.mark.parametrize(
    "command",
    [
        ["evaluate", "--out", "run"],
        ["evaluate", "--out", "run", "--dry-run"],
        ["evaluate", "--out", "run", "--dataset", "jsonl", "--path", "q.jsonl", "--methods", "direct", *SCRIPTED],
        ["score", "run"],
        ["report", "run"],
        ["verify", "run"],
        ["compare", "run"],
    ],
)
def test_the_plan_of_a_strangers_run_imports_no_file(command):
    evil_run()
    assert ran(*command).exit_code != 0
    assert not Path("was-imported").exists()


def test_the_records_of_a_strangers_run_import_no_file():
    Path("evil.py").write_text(EVIL)
    flags = ["--dataset", "starter", "--limit", "1", "--methods", "direct", *SCRIPTED]
    hopweave_says("evaluate", "--out", "run", *flags)
    hopweave_says("score", "run")
    for place in ("run/plan.json", "run/scores.json", "run/manifest.json"):
        data = Path(place).read_text().replace('"name": "direct"', '"name": "./evil.py:Picky"')
        Path(place).write_text(data.replace('"name": "starter"', '"name": "./evil.py:Picky"'))
    for command in ("score", "report", "compare", "verify"):
        ran(command, "run")
    assert not Path("was-imported").exists()


# -- runs --------------------------------------------------------------------------------------------------------------------

FLAGS = ["--dataset", "./data.py", "--methods", "./mine.py:Picky,direct", *SCRIPTED, "--set", "methods.Picky.theta=0.9"]


@pytest.fixture
def run():
    Path("data.py").write_text(DATASET)
    hopweave_says("evaluate", "--out", "run", *FLAGS)
    return RunFolder.open(Path("run"))


def test_a_run_names_files_by_path_and_notes_their_hashes(run):
    assert run.plan.methods["Picky"].name == "./mine.py:Picky"
    assert run.plan.datasets["Two"].name == "./data.py:Two"
    assert set(run.plan.files) == {"./data.py", "./mine.py"}
    assert {record.answer.short for record in run.records("Two", "Picky")} == {"theta is 0.9"}
    assert {record.setup.method for record in run.records("Two", "Picky")} == {"./mine.py:Picky"}


def test_a_run_goes_on_and_refuses_a_changed_file_before_it_is_imported(run):
    hopweave_says("evaluate", "--out", "run")
    hopweave_says("evaluate", "--out", "run", *FLAGS)
    Path("mine.py").write_text(EVIL)
    said = hopweave_says("evaluate", "--out", "run", exit_code=1).stderr
    assert "was made with other settings: files was" in said
    assert "mine.py with SHA-256" in said
    assert not Path("was-imported").exists()


def test_a_changed_wording_beside_the_file_is_refused_too():
    Path("data.py").write_text(DATASET)
    Path("mine.prompts.toml").write_text('ask = "What?"')
    hopweave_says("evaluate", "--out", "run", *FLAGS)
    Path("mine.prompts.toml").write_text('ask = "Who?"')
    assert "mine.prompts.toml with SHA-256" in hopweave_says("evaluate", "--out", "run", *FLAGS, exit_code=1).stderr


def test_the_verification_of_a_run_finds_a_changed_file(run):
    assert ran("verify", "run").exit_code == 0
    Path("mine.py").write_text(METHOD + "\n")
    result = ran("verify", "run")
    assert result.exit_code == 1
    assert "mine.py" in result.output


def test_two_classes_of_one_name_need_labels_of_their_own():
    Path("data.py").write_text(DATASET)
    Path("other.py").write_text(METHOD)
    flags = ["--dataset", "./data.py", "--methods", "mine.py,other.py", *SCRIPTED]
    assert "two of the methods are called Picky" in hopweave_says("evaluate", "--out", "run", *flags, exit_code=1).stderr


def test_a_plan_file_labels_them():
    Path("data.py").write_text(DATASET)
    Path("plan.toml").write_text(
        '[datasets.two]\nname = "./data.py"\nword = "Annan"\n[methods.mine]\nname = "./mine.py"\ntheta = 4\n'
        '[methods.mine-again]\nname = "./mine.py:Picky"\n'
    )
    hopweave_says("evaluate", "plan.toml", "--out", "run", *SCRIPTED)
    run = RunFolder.open(Path("run"))
    assert [record.setup.options for record in run.records("two", "mine")] == [{"theta": 4.0}] * 2
    assert run.examples("two")[0].gold.answers == ("Annan",)


def test_a_metric_in_a_file_scores_a_run(run):
    Path("length.py").write_text(METRIC)
    said = hopweave_says("score", "run", "--metrics", "./length.py,exact_match", "--set", "metrics.Length.factor=2").stdout
    assert "length" in said
    found = json.loads(Path("run/scores.json").read_text())
    assert {"./length.py:Length", "exact_match"} == {metric["name"] for metric in found["metrics"]}
    assert "length" in hopweave_says("compare", "run", "--metric", "length", "--baseline", "direct").stdout
    hopweave_says("report", "run")
    hopweave_says("verify", "run")
    Path("length.py").write_text(METRIC + "\n")
    assert "is not what run was scored with" in hopweave_says("report", "run", exit_code=1).stderr


def test_scores_of_another_place_are_trusted_before_they_name_a_metric(run):
    Path("length.py").write_text(METRIC)
    hopweave_says("score", "run", "--metrics", "./length.py")
    shutil.copytree("run", "copy")
    assert "scores.json sets metrics../length.py:Length, by which" in hopweave_says("report", "copy", exit_code=1).stderr
    hopweave_says("trust", "copy")
    hopweave_says("report", "copy")


def test_the_scores_of_a_strangers_run_import_no_metric(run):
    Path("evil.py").write_text(f"from pathlib import Path\nPath('was-imported').touch()\n{METRIC}")
    hopweave_says("score", "run", "--metrics", "exact_match")
    text = Path("run/scores.json").read_text()
    Path("run/scores.json").write_text(text.replace('"name": "exact_match"', '"name": "./evil.py:Length"'))
    for command in ("report", "verify", "compare"):
        ran(command, "run")
    assert not Path("was-imported").exists()


def test_the_options_of_a_part_in_a_file_are_shown_by_name():
    said = hopweave_says("names", "methods", "./mine.py").stdout
    assert "options, set as methods.Picky.OPTION:\n  theta (default 0.5)" in said
    assert said.startswith("./mine.py: Picky: answers with one word")


def test_a_dataset_in_a_file_brings_its_passages():
    Path("data.py").write_text(f"{DATASET}\n    def passages(self):\n        yield Passage('p', 'The Nith.')\n")
    Path("data.py").write_text(Path("data.py").read_text().replace("import Example", "import Passage, Example"))
    assert json.loads(hopweave_says("corpus", "./data.py:Two").stdout)["text"] == "The Nith."


def test_the_catalog_lists_no_file():
    load("methods", named("mine.py", METHOD))
    assert "Picky" not in catalog.entries("methods")
