"""The states of prompts on disk: only an intact file is ever used, and they stay within their limit."""

import os
import time

import pytest

from hopweave.models.weights.prompt_states import PromptStates, delete_states, files_in, folder_of, states_folder


@pytest.fixture
def states(tmp_path):
    states = PromptStates(tmp_path / "model", 1000)
    states.made_folder()
    return states


def written(states, key, content, num_bytes=None):
    unfinished = states.unfinished()
    unfinished.write_bytes(content)
    states.keep(key, unfinished, len(content) if num_bytes is None else num_bytes)
    return states.find(key)


def test_what_was_kept_is_found_by_its_key_alone(states):
    file = written(states, "a", b"state of a")
    assert file.read_bytes() == b"state of a"
    assert states.find("b") is None
    assert [one.name for one in states.folder.iterdir()] == [file.name]
    assert file.stat().st_mode & 0o077 == 0


DAMAGE = {
    "cut off": lambda content: content[:-1],
    "empty": lambda content: b"",
    "longer": lambda content: content + b"x",
    "one bit flipped": lambda content: bytes([content[0] ^ 1]) + content[1:],
    "that of another": lambda content: b"state of b",
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_file_is_not_used_and_written_again(states, damage):
    file = written(states, "a", b"state of a")
    file.write_bytes(damage(b"state of a"))
    assert states.find("a") is None
    assert not file.exists()
    assert written(states, "a", b"state of a") == file


def test_what_was_not_written_whole_is_not_kept(states):
    assert written(states, "a", b"state", num_bytes=6) is None
    assert written(states, "a", b"", num_bytes=0) is None
    assert list(states.folder.iterdir()) == []


def test_the_states_of_all_models_together_stay_within_the_limit_and_the_least_recently_used_goes(states, tmp_path):
    other = PromptStates(tmp_path / "other", 1000)
    other.made_folder()
    for number, (of_model, key) in enumerate([(states, "a"), (other, "b"), (states, "c")]):
        file = written(of_model, key, key.encode() * 400)
        os.utime(file, (number, number))
        if key == "b":
            states.find("a")  # it is used again
    assert {file.name[0] for file in files_in(tmp_path)} == {"a", "c"}
    assert written(states, "d", b"d" * 1001) is None
    assert {file.name[0] for file in files_in(tmp_path)} == {"a", "c"}


def test_what_a_process_left_unfinished_goes_after_an_hour(states):
    old, young = states.unfinished(), states.unfinished()
    for file in (old, young):
        file.write_bytes(b"x")
    os.utime(old, (time.time() - 4000,) * 2)
    written(states, "a", b"a")
    assert not old.exists()
    assert young.exists()


def test_a_folder_that_cannot_be_made_keeps_nothing_and_fails_nothing(tmp_path):
    (tmp_path / "file").write_text("")
    states = PromptStates(tmp_path / "file" / "model", 1000)
    assert states.made_folder() == ""
    assert states.find("a") is None
    states.keep("a", states.unfinished(), 5)
    assert PromptStates(tmp_path / "new", 0).made_folder() == ""
    assert not (tmp_path / "new").exists()


def test_each_model_has_a_folder_of_its_own_in_the_users_cache(own_folders):
    folders = {folder_of("gguf:sha256:1"), folder_of("gguf:sha256:2")}
    assert len(folders) == 2
    assert {folder.parent for folder in folders} == {states_folder()}


def test_the_states_of_one_model_are_deleted_without_those_of_another(own_folders):
    for identity in ("one", "other"):
        states = PromptStates(folder_of(identity), 1000)
        states.made_folder()
        written(states, "a", b"state of a")
    assert delete_states("one") == 10
    assert [file.parent for file in files_in(states_folder())] == [folder_of("other")]
