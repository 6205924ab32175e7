"""The mixed folder: its list, and what happens where a document of it is absent."""

import sys
import tomllib
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

import mixed_folder
from _mixed_formats import MAKERS

LISTED = tomllib.loads(mixed_folder._LISTED.read_text())["file"]


def test_its_files_differ_and_what_makes_them_is_there():
    names = [one["name"] for one in LISTED]
    assert len(set(names)) == len(names)
    assert {maker for one in LISTED for maker in one.get("made", ())} <= MAKERS.keys()
    assert all({"answer", "section"} <= one.keys() for one in LISTED if "question" in one)


def test_a_document_that_is_absent_is_passed_over_with_a_word(tmp_path, capsys):
    listed = [{"name": f"made/{number}.txt", "from": f"doc/{number}.txt"} for number in range(mixed_folder._FEWEST + 1)]
    (tmp_path / "share/doc").mkdir(parents=True)
    for one in listed[1:]:
        (tmp_path / "share" / one["from"]).write_text("Words.")
    assert mixed_folder._made(listed, tmp_path / "folder", [tmp_path / "share"]) == listed[1:]
    assert capsys.readouterr().err == "left out made/0.txt: no doc/0.txt\n"
    assert len(list((tmp_path / "folder/made").iterdir())) == mixed_folder._FEWEST


def test_of_too_few_documents_nothing_is_measured(tmp_path):
    with pytest.raises(SystemExit, match=f"only 0 of {len(LISTED)} documents are here; install the packages"):
        mixed_folder._made(LISTED, tmp_path / "folder", [tmp_path])
