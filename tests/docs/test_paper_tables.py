"""The page with every row of the papers' tables says no more and no less than the code."""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass

import pytest
from support.pages import ROOT

from hopweave.core.catalog import ROLES, entries, load
from hopweave.core.errors import MissingExtra
from hopweave.evaluation.papers import _published
from hopweave.run.settings_files import read_profile

TEXT = (ROOT / "docs" / "paper_tables.md").read_text(encoding="utf-8")
SECTIONS = re.split(r"^###? ", TEXT, flags=re.MULTILINE)[1:]
TABLES = _published._data()["tables"]
METHODS = _published._data()["methods"]
SYSTEMS = {"internet_augmented": "InterAug", "react": "ReAct", "self_ask": "SelfAsk", "decomp": "Decomp", "ircot": "IRCoT QA"}
WORDS = {"analyse", "native", "baseline"}
"""Words in backticks that are no parts: a command's, a key of published figures, an option of an analysis."""


def analysis_of(table: str) -> str:
    """The analysis that prints a published table."""
    if table in entries("analyses"):
        return table
    return {"ircot_table1": "ircot_tables1_3"}.get(table.rpartition("_")[0]) or re.match(r"ircot_(figure3|table2)", table)[0]


def section_of(analysis: str) -> str:
    """The section that begins with an analysis."""
    (found,) = [one for one in SECTIONS if analysis in re.findall(r"`([^`]+)`", one.partition("\n\n")[2].partition("\n\n")[0])]
    return found


def rows_in(section: str) -> list[str]:
    """What a section lists as rows, each without what is said about it."""
    listed = re.findall(r"^- Rows[^:]*: (.*?)(?=^- |^\n|\Z)", section, re.MULTILINE | re.DOTALL)
    return [one.strip(" .") for part in listed for one in re.split(r"; |\. ", plain(part))]


def plain(text: str) -> str:
    return " ".join(text.split())


def lines_of(head: str) -> list[list[str]]:
    """The lines of the table whose head begins so."""
    table = TEXT.partition(f"| {head} |")[2].partition("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in table]


ROWS = {title: (row, said) for row, title, said in lines_of("row | in `analyse`")}


def options_in(said: str) -> dict[str, str]:
    return dict(re.findall(r"`(\w+) = ([^`]+)`", said))


def test_every_analysis_is_on_the_page():
    assert [name for name in entries("analyses") if f"`{name}`" not in TEXT] == []


@pytest.mark.parametrize("key", METHODS)
def test_every_row_is_named_with_its_method_and_options(key):
    one = _published.variant(key)
    _, said = ROWS[one.title]
    assert re.findall(r"`(\w+)`", said)[0] == one.method
    wanted = {name: str(value).lower() if isinstance(value, bool) else value for name, value in one.options.items()}
    if "but with" in said:
        wanted = {name: value for name, value in wanted.items() if value == "false"}
    assert options_in(said) == {name: f'"{value}"' if name == "reader" else str(value) for name, value in wanted.items()}


def test_the_page_names_no_row_that_there_is_not():
    assert ROWS.keys() == {one["title"] for one in METHODS.values()}


@pytest.mark.parametrize("table", TABLES)
def test_every_published_row_and_dataset_of_a_table_is_in_its_section(table):
    section = section_of(analysis_of(table))
    listed = rows_in(section)
    for key in TABLES[table].get("models", {}):
        assert key in [row.lower() for row in listed]
    for key in _published._rows(table) if "models" not in TABLES[table] else ():
        if key == "system":
            assert f"| {SYSTEMS[table.removeprefix('ircot_table2_')]} |" in section
        elif table == "toqd_table3":
            assert f"| `{key}` |" in section
        elif key in METHODS:
            row = ROWS[_published.variant(key).title][0]
            names = {row, "ToQD"} if key == "toqd" else {row, "React"} if key == "react_then_cot_sc" else {row}
            assert [one for one in listed if any(re.match(rf"{re.escape(name)}(?![\w/-]| w/o| →)", one) for name in names)] or (
                f"which is {row}" in plain(section)
            ), key
        else:
            assert f"`{key}`" in section, key
    for dataset in set(_published.datasets_of(table)) - {"all"} if "models" not in TABLES[table] else {"two_wikimultihopqa"}:
        assert f"`{dataset.removesuffix('_bridge').removesuffix('_2hop')}`" in section, dataset


def test_every_word_in_backticks_is_there():
    parts = {name for role in ROLES for name in entries(role)}
    profiles = {path.stem for path in (ROOT / "src/hopweave/profiles").glob("*.toml")}
    known = parts | profiles | WORDS | set(TABLES["toqd_table3"]["rows"]) | options()
    said = {word for word in re.findall(r"`([^`\n]+)`", TEXT) if re.fullmatch(r"\w+", word)}
    assert said - known == set()
    assert options_in(TEXT).keys() <= options()
    for profile in re.findall(r"`((?:paper|authors)_\w+)`", TEXT):
        assert read_profile(profile).values["method"] in entries("methods")


def options() -> set[str]:
    """The options of every method, retriever and analysis."""
    found = set()
    for role in ("methods", "retrievers", "analyses"):
        for name in entries(role):
            try:
                part = load(role, name)
            except MissingExtra:
                continue
            found |= {one.name for one in fields(part)} if is_dataclass(part) else set()
    return found


def test_retrievers_of_rewritten_queries_have_the_options_that_their_rows_name():
    lines = lines_of("row | key")
    assert {key.strip("`") for _, key, _ in lines} >= set(TABLES["toqd_table3"]["rows"])
    for _, _, said in lines:
        name = re.findall(r"`(\w+)`", said)[0]
        assert set(options_in(said)) <= {one.name for one in fields(load("retrievers", name))}


def test_the_readme_and_the_page_of_baselines_lead_to_the_page():
    assert "docs/paper_tables.md" in (ROOT / "README.md").read_text(encoding="utf-8")
    for page in ("baselines", "analyses", "index"):
        assert "(paper_tables.md)" in (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8"), page
