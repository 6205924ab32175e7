"""Tests read and write nothing of the user's, but for weights where they are marked `live`: no cache, settings or trust."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from platformdirs import user_cache_path, user_config_path, user_data_path, user_state_path

from hopweave.core.files import models_folder
from hopweave.run.settings import read_settings


def folders() -> list[Path]:
    paths = [user_cache_path("hopweave"), user_config_path("hopweave"), user_data_path("hopweave"), user_state_path("hopweave")]
    return [Path.home(), models_folder(), *paths]


def test_every_folder_of_the_user_is_one_of_the_tests():
    of_tests = Path(tempfile.gettempdir()) / "hopweave-tests-"
    assert [folder for folder in folders() if not str(folder).startswith(str(of_tests))] == []


def test_so_it_is_in_a_process_that_a_test_starts():
    code = "from test_isolation import folders; print(*folders(), sep='\\n')"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [str(folder) for folder in folders()]


def test_no_variable_of_the_user_changes_a_setting(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert [name for name in os.environ if name.startswith("HOPWEAVE_")] == []
    assert read_settings().llm == "llama_cpp"
