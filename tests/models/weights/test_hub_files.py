"""Files on the hub that hopweave does not know: their names, where they are stored, and how they are fetched and checked."""

import hashlib
import json
import shutil
from collections import namedtuple

import pytest
from support.model_hub import model_hub
from support.tiny_gguf import gguf

from hopweave.core.errors import DataError, SettingsError
from hopweave.models import weights
from hopweave.models.weights import KNOWN_MODELS, fetch, is_present, model_identity, model_path, remove
from hopweave.models.weights.hub_names import HubFile, hub_file, name_of, parts_beside, stored_as

REPOSITORY = "me/Tiny-GGUF"
NAME = "hf:me/Tiny-GGUF/tiny-Q4_K_M.gguf"
CONTENT = gguf({"general.size_label": "8B"}) + bytes(5000)
SHA256 = hashlib.sha256(CONTENT).hexdigest()
PARTS = {number: gguf({"split.count": 3, "split.no": number - 1}) + bytes([number]) * 1000 for number in (1, 2, 3)}
SPLIT = "hf:me/Tiny-GGUF/big/tiny-{number:05}-of-00003.gguf"


def key(name):
    hub = hub_file(name)
    return f"{hub.repository}@{hub.revision}/{hub.file_name}"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("HOPWEAVE_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("no_proxy", "*")
    for name in ("HF_TOKEN", "HF_HUB_OFFLINE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    return tmp_path / "models"


@pytest.fixture
def hub(folder, monkeypatch):
    with model_hub() as state:
        state.files = {key(NAME): CONTENT}
        monkeypatch.setenv("HF_ENDPOINT", state.address)
        yield state


@pytest.fixture
def split_hub(hub):
    hub.files |= {f"{REPOSITORY}@main/big/tiny-{number:05}-of-00003.gguf": content for number, content in PARTS.items()}
    return hub


def refused(said, name=NAME, **options):
    with pytest.raises(DataError, match=said) as caught:
        fetch(name, **options)
    return str(caught.value)


# Names


@pytest.mark.parametrize(
    ("name", "hub"),
    [
        ("hf:Qwen/Qwen3-8B-GGUF/Qwen3-8B-Q4_K_M.gguf", HubFile("Qwen/Qwen3-8B-GGUF", "main", "Qwen3-8B-Q4_K_M.gguf")),
        ("hf:a/b@v1.0/sub/folder/m.gguf", HubFile("a/b", "v1.0", "sub/folder/m.gguf")),
        ("hf:a/b/UD-Q4/m (1).GGUF", HubFile("a/b", "main", "UD-Q4/m (1).GGUF")),
        ("hf:a/b/m-00002-of-00003.gguf", HubFile("a/b", "main", "m-00001-of-00003.gguf")),
    ],
)
def test_a_name_says_repository_revision_and_file_and_a_part_stands_for_the_whole(name, hub):
    assert hub_file(name) == hub
    assert hub_file(name_of(hub)) == hub


def test_the_usual_revision_is_left_out_of_a_name():
    assert name_of(hub_file("hf:a/b@main/m.gguf")) == "hf:a/b/m.gguf"


@pytest.mark.parametrize(
    "name",
    [
        "hf:", "hf:m.gguf", "hf:a/m.gguf", "hf:a/b/", "hf:a/b/m.bin", "hf:a/b@/m.gguf", "hf:../b/m.gguf", "hf:a/../m.gguf",
        "hf:a/b/../m.gguf", "hf:a/b/./m.gguf", "hf:a/b//m.gguf", "hf:a/b/..\\m.gguf", "hf:a/b/C:m.gguf", "hf:a/b/m?x=.gguf",
        "hf:a/b@refs/m.bin", "hf:a b/c/m.gguf", "hf:a/b/m\n.gguf", "hf:.a/b/m.gguf", "hf:a/b..c/m.gguf", "hf:a/b/#.gguf",
        "hf:a/b/m-00004-of-00003.gguf", "hf:a/b/m-00000-of-00003.gguf", "hf:a/b/m-00001-of-99999.gguf",
    ],
)  # fmt: skip
def test_a_name_that_is_no_file_on_the_hub_is_refused_and_nothing_is_asked(hub, name):
    for call in (hub_file, model_path, fetch, is_present, model_identity, remove):
        with pytest.raises(SettingsError, match=r"OWNER/REPO/FILE|check the name"):
            call(name)
    assert hub.asked == []


def test_names_of_other_files_are_stored_apart_and_all_in_the_folder(folder):
    names = [
        "hf:a/b/m.gguf", "hf:A/b/m.gguf", "hf:a/b/M.gguf", "hf:a/b@v1/m.gguf", "hf:a/b/sub/m.gguf", "hf:a/c/m.gguf",
        "hf:a/b/m--.gguf", "hf:a/b/m(1).gguf", "hf:a/b/m[1].gguf", "hf:a/b/" + "x" * 190 + ".gguf", "hf:a/b/...m.gguf",
    ]  # fmt: skip
    paths = [model_path(name) for name in names]
    assert len({str(path).lower() for path in paths}) == len(names)
    assert {path.parent for path in paths} == {folder}
    assert max(len(path.name) for path in paths) < 180
    assert not any(path.name.startswith(".") for path in paths)


def test_the_parts_of_a_file_are_stored_as_llama_cpp_looks_for_them(folder):
    paths = parts_beside(model_path(SPLIT.format(number=2)))
    stem = str(paths[0]).removesuffix("-00001-of-00003.gguf")
    assert [str(path) for path in paths] == [f"{stem}-{number:05}-of-00003.gguf" for number in (1, 2, 3)]
    assert paths[0].parent == folder


# Fetching


def test_a_file_on_the_hub_is_fetched_and_checked_by_the_published_checksum(folder, hub):
    progress, notes = [], []
    path = fetch(NAME, on_progress=lambda *pair: progress.append(pair), on_note=notes.append)
    assert path == model_path(NAME)
    assert path.read_bytes() == CONTENT
    assert progress[-1] == (len(CONTENT), len(CONTENT))
    assert model_identity(NAME) == f"gguf:sha256:{SHA256}"
    noted = json.loads(path.with_name(f"{path.name}.json").read_text())
    assert (noted["source"], noted["published"]) == (NAME, SHA256)
    fetch(NAME)
    assert hub.ranges == [""]


def test_a_known_larger_model_is_the_same_file_by_either_name(folder, hub):
    known = KNOWN_MODELS["qwen3-8b"]
    hub.files = {f"{known.hub.repository}@main/{known.hub.file_name}": CONTENT}
    path = fetch("qwen3-8b")
    assert path == model_path("hf:Qwen/Qwen3-8B-GGUF/Qwen3-8B-Q4_K_M.gguf")
    assert model_identity("qwen3-8b") == f"gguf:sha256:{SHA256}"


def test_a_revision_is_asked_for(folder, hub):
    hub.files = {f"{REPOSITORY}@v2/tiny.gguf": CONTENT, f"{REPOSITORY}@main/tiny.gguf": b"GGUF of another day"}
    assert fetch("hf:me/Tiny-GGUF@v2/tiny.gguf").read_bytes() == CONTENT


def test_a_renamed_repository_is_followed(folder, hub):
    hub.renamed = {"you/Tiny": REPOSITORY}
    assert fetch("hf:you/Tiny/tiny-Q4_K_M.gguf").read_bytes() == CONTENT


def test_a_file_that_the_hub_has_in_other_letters_is_taken(folder, hub):
    name = "hf:me/Tiny-GGUF/TINY-q4_k_m.gguf"
    assert fetch(name) == model_path(name)
    assert model_path(name).read_bytes() == CONTENT


def test_a_checksum_that_the_headers_do_not_tell_is_taken_from_the_listing(folder, hub):
    hub.has_checksums = False
    assert fetch(NAME).read_bytes() == CONTENT
    assert ("GET", "/api/models/me/Tiny-GGUF/tree/main", "") in hub.asked


@pytest.mark.parametrize("from_where", ["the hub", "a file"])
def test_all_parts_of_a_file_are_fetched_and_the_first_is_named(folder, split_hub, tmp_path, from_where):
    more = {}
    if from_where == "a file":
        for number, content in PARTS.items():
            (tmp_path / f"mine-{number:05}-of-00003.gguf").write_bytes(content)
        more = {"from_path": tmp_path / "mine-00002-of-00003.gguf"}
    path = fetch(SPLIT.format(number=3), **more)
    assert [part.read_bytes() for part in parts_beside(path)] == list(PARTS.values())
    assert path == parts_beside(path)[0]
    sums = " ".join(hashlib.sha256(content).hexdigest() for content in PARTS.values())
    assert model_identity(SPLIT.format(number=1)) == f"gguf-parts:sha256:{hashlib.sha256(sums.encode()).hexdigest()}"
    assert remove(SPLIT.format(number=1)) > 3000
    assert list(folder.iterdir()) == []


def test_own_files_in_parts_are_kept_under_a_name_of_ones_own(folder, tmp_path):
    for number, content in PARTS.items():
        (tmp_path / f"mine-{number:05}-of-00003.gguf").write_bytes(content)
    path = fetch("other", from_path=tmp_path / "mine-00001-of-00003.gguf")
    assert path == folder / "other-00001-of-00003.gguf" == model_path("other")
    assert [part.read_bytes() for part in parts_beside(path)] == list(PARTS.values())


def test_parts_that_are_here_are_not_fetched_again_and_a_missing_one_is(folder, split_hub):
    path = fetch(SPLIT.format(number=1))
    parts_beside(path)[1].unlink()
    before = len(split_hub.ranges)
    fetch(SPLIT.format(number=1))
    assert len(split_hub.ranges) == before + 1
    assert parts_beside(path)[1].read_bytes() == PARTS[2]


def test_a_part_that_the_hub_lacks_is_told_before_anything_is_downloaded(folder, split_hub):
    del split_hub.files[f"{REPOSITORY}@main/big/tiny-00003-of-00003.gguf"]
    refused("has no file 'big/tiny-00003-of-00003.gguf'", SPLIT.format(number=1))
    assert split_hub.ranges == []


def test_room_for_all_parts_is_needed_before_anything_is_downloaded(folder, split_hub, monkeypatch):
    usage = namedtuple("usage", "total used free")
    one = len(PARTS[1])
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(9 * one, 7 * one, 2 * one))
    refused(r"GB free and .* HOPWEAVE_MODELS", SPLIT.format(number=1))
    assert split_hub.ranges == []


def test_a_model_of_other_parts_is_not_taken_for_one(folder, tmp_path):
    (tmp_path / "mine.gguf").write_bytes(CONTENT)
    refused("has 3 parts, and .* has 1", SPLIT.format(number=1), from_path=tmp_path / "mine.gguf")


# What goes wrong


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("hf:me/Tiny/tiny-Q4_K_M.gguf", "no such repository, or it is private; check the name, or set HF_TOKEN"),
        ("hf:me/Tiny-GGUF@v9/tiny-Q4_K_M.gguf", "no branch, tag or commit 'v9'; check the name"),
        ("hf:me/Tiny-GGUF/tiny-Q4_K_S.gguf", r"no file 'tiny-Q4_K_S.gguf'; did you mean 'tiny-Q4_K_M.gguf'\?"),
        ("hf:me/Tiny-GGUF/x.gguf", r"no file 'x.gguf'; choose one of: tiny-Q4_K_M.gguf"),
    ],
)
def test_what_does_not_exist_is_told_with_what_does(folder, hub, name, said):
    whole = refused(said, name)
    assert "127.0.0.1" in whole
    assert "by other means" not in whole
    assert not is_present(name)


def test_a_hub_that_lists_nothing_still_says_that_there_is_no_such_file(folder, hub):
    hub.is_listed = False
    refused("no file 'x.gguf' at 'main'; check the name", "hf:me/Tiny-GGUF/x.gguf")


@pytest.mark.parametrize(
    ("token", "said"),
    [
        ("", "gated; accept its terms at .*/me/Tiny-GGUF, then set HF_TOKEN"),
        ("wrong", "with the account that HF_TOKEN belongs"),
    ],
)
def test_a_gated_repository_says_to_accept_its_terms_and_to_set_a_token(folder, hub, monkeypatch, token, said):
    hub.readers = {REPOSITORY: {"right"}}
    monkeypatch.setenv("HF_TOKEN", token)
    whole = refused(said)
    assert "wrong" not in whole


def test_a_token_opens_a_gated_repository_and_goes_to_no_other_host(folder, hub, monkeypatch):
    hub.readers = {REPOSITORY: {"right"}}
    monkeypatch.setenv("HF_TOKEN", "right")
    assert fetch(NAME).read_bytes() == CONTENT
    told = {path.split("/")[1]: token for _, path, token in hub.asked}
    assert told == {"me": "Bearer right", "stored": ""}


def test_a_token_is_not_sent_over_plain_http_to_another_machine(monkeypatch):
    from hopweave.models.weights import hub as hub_module

    monkeypatch.setenv("HF_TOKEN", "right")
    for url, is_sent in (("http://mirror/x", False), ("https://mirror/x", True), ("http://127.0.0.1:1/x", True)):
        assert hub_module._request(url).has_header("Authorization") == is_sent


@pytest.mark.parametrize("token", ["a\nb", "\u00e9", "  "])
def test_a_token_that_cannot_be_one_is_not_sent(folder, hub, monkeypatch, token):
    monkeypatch.setenv("HF_TOKEN", token)
    assert fetch(NAME).read_bytes() == CONTENT
    assert {sent for _, _, sent in hub.asked} == {""}


def test_no_network_is_told_with_the_way_around(folder):
    whole = refused("127.0.0.1:9/me/Tiny-GGUF: cannot be fetched from there: ")
    assert f"Get tiny-Q4_K_M.gguf by other means and run: hopweave models fetch {NAME} --from FILE" in whole
    assert "--llm openai_compatible" in whole


def test_a_hub_that_is_switched_off_is_told(folder, hub, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    refused("HF_HUB_OFFLINE is set")
    assert hub.asked == []


@pytest.mark.parametrize(("status", "said"), [(429, "too many requests"), (503, "status 503")])
def test_a_hub_that_cannot_answer_now_is_told(folder, hub, status, said):
    hub.refused = {REPOSITORY: (status, "")}
    refused(said)


LIES = {
    "another checksum": ((len(CONTENT), "0" * 64), f"sent a file whose SHA-256 is {SHA256}, expected 0000"),
    "a smaller size": ((len(CONTENT) - 100, SHA256), "sent more bytes than the file has"),
    "a larger size": ((len(CONTENT) + 100, SHA256), "broke off"),
    "an impossible size": ((10**18, SHA256), "GB are needed"),
}


@pytest.mark.parametrize(("published", "said"), LIES.values(), ids=LIES)
def test_a_hub_that_lies_is_found_out_and_nothing_is_put_in_place(folder, hub, published, said):
    hub.published = {key(NAME): published}
    refused(said)
    assert not is_present(NAME)


def test_a_hub_that_promises_more_than_it_has_does_not_leave_a_download_that_never_ends(folder, hub):
    hub.published = {key(NAME): (len(CONTENT) + 100, SHA256)}
    refused("broke off")
    refused("has fewer than the .* bytes that it publishes; the download was deleted")
    hub.published = {}
    assert fetch(NAME).read_bytes() == CONTENT


def test_a_hub_without_checksums_is_refused_with_what_to_do(folder, hub):
    hub.has_checksums, hub.is_listed = False, False
    whole = refused("publishes no SHA-256 of this file")
    assert f"hopweave models fetch {NAME} --from FILE" in whole
    assert hub.ranges == []


def test_a_file_that_is_no_model_is_refused_although_its_checksum_is_right(folder, hub):
    hub.files = {key(NAME): b"<html>"}
    refused("is not a GGUF file")
    assert not is_present(NAME)
    assert not list(folder.glob("*.partial*"))


def test_a_broken_download_goes_on_where_it_stopped(folder, hub):
    hub.broken_after = 1000
    refused("broke off")
    hub.broken_after = None
    assert fetch(NAME).read_bytes() == CONTENT
    assert hub.ranges == ["", "bytes=1000-"]


def test_a_broken_download_of_a_file_that_was_replaced_begins_again(folder, hub):
    hub.broken_after = 1000
    refused("broke off")
    hub.broken_after = None
    hub.files = {key(NAME): CONTENT[::-1][:-4] + b"new!"}
    hub.files = {key(NAME): b"GGUF" + CONTENT[4:][::-1]}
    assert fetch(NAME).read_bytes() == b"GGUF" + CONTENT[4:][::-1]
    assert hub.ranges == ["", ""]


def test_a_file_by_other_means_is_taken_under_the_name_on_the_hub(folder, tmp_path):
    (tmp_path / "mine.gguf").write_bytes(CONTENT)
    assert fetch(NAME, from_path=tmp_path / "mine.gguf") == model_path(NAME)
    assert model_identity(NAME) == f"gguf:sha256:{SHA256}"


def test_a_fetched_file_that_was_modified_is_refused(folder, hub):
    path = fetch(NAME)
    with path.open("r+b") as file:
        file.seek(100)
        file.write(b"changed")
    for look in (model_identity, fetch):
        with pytest.raises(DataError, match=f"expected {SHA256}; it was modified on disk: run hopweave models remove hf:me"):
            look(NAME)


def test_an_absent_model_without_a_known_checksum_has_no_identity_and_says_how_to_get_it(folder):
    with pytest.raises(DataError, match="fetch it with: hopweave models fetch qwen3-8b"):
        model_identity("qwen3-8b")
    with pytest.raises(DataError, match=f"fetch it with: hopweave models fetch {NAME}"):
        model_identity(NAME)


def test_the_larger_models_are_files_on_the_hub_with_all_that_is_shown_of_them():
    larger = [model for model in KNOWN_MODELS.values() if not model.sha256]
    assert len(larger) >= 7
    for model in larger:
        assert model.file_name == stored_as(model.hub)
        assert model.num_bytes > 2e9
        assert model.billions >= model.billions_active > 3
        assert model.licence
        assert model.good_for
        assert model.cache_bytes_per_token > 20_000
    assert weights.DEFAULT_MODEL in KNOWN_MODELS
