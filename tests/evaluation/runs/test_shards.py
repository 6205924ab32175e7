"""`evaluate --shard` and `merge`: jobs that know nothing of each other make the run that one process makes."""

import asyncio
import shutil
import signal
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from support.killed_runs import COMMAND
from support.questions import RULES_WITH_A_FAILURE, put_model, put_questions
from support.scripted_server import Behaviour, ScriptedServer
from typer.testing import CliRunner

from hopweave.apps.cli import app
from hopweave.core.errors import DataError, SettingsError
from hopweave.core.types import Reply
from hopweave.evaluation.integrity.manifest import Manifest
from hopweave.evaluation.integrity.verify import verify
from hopweave.evaluation.runs.folder import RunFolder
from hopweave.evaluation.runs.merge import merge
from hopweave.evaluation.runs.parallelism import questions_at_a_time
from hopweave.evaluation.runs.shard import Shard, rejoined
from hopweave.run.store.store import Store, Stored
from hopweave.run.trust import distrust, is_trusted

NUM = 10
METHODS = ("direct", "ircot")
DATASETS = ("--dataset", "jsonl", "--path", "questions.jsonl", "--seed", "7", "--parallel", "1", "--set", "corpus=starter")
PLAN = (*DATASETS, "--methods", ",".join(METHODS))


@pytest.fixture(autouse=True)
def scene(own_folders):
    put_model(RULES_WITH_A_FAILURE)
    put_questions(NUM)


def run(command, *arguments):
    return CliRunner().invoke(app, [command, *map(str, arguments)], env={"COLUMNS": "200"})


def evaluated(out, *more):
    done = run("evaluate", "--out", out, *PLAN, *more)
    assert done.exit_code == 0, done.output
    return Path(out)


def shards(count=3):
    return [evaluated(f"part{number}", "--shard", f"{number}/{count}") for number in range(1, count + 1)]


def prints(path):
    """What each record says but for the clock, in the order of the files."""
    folder = RunFolder.open(path)
    return {method: [record.fingerprint for record in folder.history("jsonl", method)] for method in METHODS}


# -- what a shard is -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_every_question_is_in_one_shard_and_the_shards_in_turn_are_the_draw_again(count):
    drawn = list(range(10))
    parts = [Shard(count, number).part(drawn, "it") for number in range(1, count + 1)]
    assert rejoined(parts) == drawn
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


@pytest.mark.parametrize("text", ["0/3", "4/3", "1", "a/b", "1/0", "-1/3", "1/3/3", "1/999999", "", "٣/٣"])
def test_what_is_no_shard_is_refused(text):
    with pytest.raises(SettingsError, match="such as 1/3"):
        Shard.of(text)


def test_more_shards_than_questions_are_refused_with_how_many_there_can_be():
    done = run("evaluate", "--out", "part", *PLAN, "--shard", "1/11")
    assert done.exit_code == 1
    assert "has 10 questions, too few for 11 shards; make at most 10" in done.output


def test_a_shard_is_resumed_as_what_it_is_and_refused_as_another():
    evaluated("part", "--shard", "2/3", "--methods", "direct")
    assert evaluated("part", "--shard", "2/3", "--methods", "direct")
    assert run("evaluate", "--out", "part").exit_code == 0
    other = run("evaluate", "--out", "part", *DATASETS, "--methods", "direct", "--shard", "3/3")
    assert other.exit_code == 1
    assert 'shard was "2/3", is now "3/3"' in other.output


def test_a_run_of_all_questions_says_nothing_of_shards():
    folder = evaluated("whole", "--methods", "direct")
    assert "shard" not in (folder / "plan.json").read_text()
    manifest = (folder / "manifest.json").read_text()
    assert '"shard"' not in manifest
    assert '"whole"' not in manifest


# -- merging -------------------------------------------------------------------------------------------------------------------


def test_the_merged_run_equals_that_of_one_process_record_by_record_and_holds():
    whole, parts = evaluated("whole"), shards()
    done = run("merge", parts[2], parts[0], parts[1], "--out", "deep/merged")
    assert done.exit_code == 0, done.output
    assert f"merged 3 shards into deep/merged: {2 * NUM} records" in done.output
    merged = Path("deep/merged")
    assert prints(merged) == prints(whole)
    for name in ("plan.json", "examples/jsonl.jsonl"):
        assert (merged / name).read_bytes() == (whole / name).read_bytes()
    one, other = Manifest.read(whole), Manifest.read(merged)
    for name in ("plan", "datasets", "indexes", "llm", "retrievers", "methods", "settings", "prompts", "is_complete"):
        assert getattr(one, name) == getattr(other, name), name
    assert {cell: (kept.num_records, kept.num_failed) for cell, kept in one.records.items()} == {
        cell: (kept.num_records, kept.num_failed) for cell, kept in other.records.items()
    }
    for path in (*parts, merged):
        found = verify(path)
        assert (found.differences, found.unchecked) == ([], [])
        assert found.counts["replies"] > 0
    assert len(Store(merged / "store.sqlite", "replay")) == len(Store(whole / "store.sqlite", "replay"))


@pytest.mark.slow
def test_the_records_of_the_shards_are_taken_byte_by_byte():
    parts = shards(2)
    merge(parts, Path("merged"))
    given = {line for part in parts for line in (part / "records/jsonl/direct.jsonl").read_bytes().splitlines()}
    assert set(Path("merged/records/jsonl/direct.jsonl").read_bytes().splitlines()) == given


@pytest.mark.slow
def test_a_merged_run_goes_on_as_any_other_and_what_failed_is_asked_again():
    merge(shards(), Path("merged"))
    done = run("evaluate", "--out", "merged", "--retry-failed")
    assert done.exit_code == 0, done.output
    assert "20 of 20 questions have a record in merged, 2 failed" in done.output
    assert sum(1 for _ in RunFolder.open(Path("merged")).history("jsonl", "direct")) == NUM + 1
    assert verify(Path("merged")).differences == []


@pytest.mark.slow
def test_questions_that_were_asked_again_in_a_shard_keep_all_their_records():
    parts = shards(2)
    failed = [part for part in parts if any(r.error for r in RunFolder.open(part).records("jsonl", "direct"))]
    assert run("evaluate", "--out", failed[0], "--retry-failed").exit_code == 0
    assert merge(parts, Path("merged")).num_records == 2 * NUM
    folder = RunFolder.open(Path("merged"))
    assert sum(1 for _ in folder.history("jsonl", "direct")) == NUM + 1
    assert sum(1 for _ in folder.records("jsonl", "direct")) == NUM
    assert verify(Path("merged")).differences == []


@pytest.mark.slow
def test_seconds_of_shards_may_hold_waiting_for_one_another():
    merge(shards(3), Path("merged"))
    assert questions_at_a_time(RunFolder.open(Path("merged"))) == 3
    assert questions_at_a_time(RunFolder.open(Path("part1"))) == 1


# -- refusals ------------------------------------------------------------------------------------------------------------------


def refused(*paths, out="merged"):
    with pytest.raises((DataError, SettingsError)) as raised:
        merge([Path(path) for path in paths], Path(out))
    assert not Path(out).exists()
    return str(raised.value)


@pytest.mark.slow
def test_shards_that_are_missing_doubled_or_of_another_number_are_refused():
    shards()
    assert "shard 3/3 missing" in refused("part1", "part2")
    assert "shards 1/3, 2/3 missing" in refused("part3")
    shutil.copytree("part2", "again")
    assert "are both shard 2/3" in refused("part1", "part2", "again", "part3")
    evaluated("half", "--shard", "1/2")
    assert "is one of 2 shards" in refused("part1", "part2", "half")
    evaluated("whole")
    assert "not a shard" in refused("part1", "part2", "whole")
    assert "no shards to merge" in refused()


def test_a_shard_that_is_not_complete_is_refused_with_what_to_do():
    evaluated("part1", "--shard", "1/2")
    assert run("evaluate", "--out", "part2", *PLAN, "--shard", "2/2", "--max-questions", "3").exit_code == 1
    assert "3 of 10 records" in refused("part1", "part2")
    assert "finish it with: hopweave evaluate --out part2" in refused("part1", "part2")
    assert run("evaluate", "--out", "part2").exit_code == 0
    assert merge([Path("part1"), Path("part2")], Path("merged")).num_records == 20


@pytest.mark.slow
def test_shards_of_another_plan_or_of_other_data_are_refused_with_the_difference():
    evaluated("part1", "--shard", "1/2")
    evaluated("part2", "--shard", "2/2", "--set", "budget.max_llm_calls=9")
    assert "budget.max_llm_calls was" in refused("part1", "part2")
    shutil.rmtree("part2")
    put_questions(NUM + 1)
    evaluated("part2", "--shard", "2/2")
    said = refused("part1", "part2")
    assert "data of jsonl: questions.jsonl changed" in said
    assert "other questions of jsonl were drawn" in said


@pytest.mark.slow
@pytest.mark.parametrize("name", ["records/jsonl/direct.jsonl", "examples/jsonl.jsonl", "plan.json", "manifest.json"])
def test_a_shard_that_was_altered_is_refused_so_that_nothing_altered_is_proved_anew(name):
    shards(2)
    place = Path("part2", name)
    text = place.read_text()
    changed = text.replace("through town", "through hamlet").replace('"seed": 7', '"seed": 8')
    if name == "manifest.json":
        changed = text.replace('"num_failed": 0', '"num_failed": 1')
    assert changed != text
    place.write_text(changed)
    said = refused("part1", "part2")
    assert "shard 2/2 in part2 is not as it was written" in said
    assert "see: hopweave verify part2" in said


@pytest.mark.slow
def test_a_record_that_was_put_in_with_a_new_hash_of_the_file_is_still_found():
    shards(2)
    folder = RunFolder.open(Path("part2"))
    place = folder.records_path("jsonl", "direct")
    lines = place.read_bytes().splitlines(keepends=True)
    place.write_bytes(lines[1] + lines[0] + b"".join(lines[2:]))
    known = Manifest.read(folder.path)
    from hopweave.evaluation.integrity.manifest import hash_file

    cell = "jsonl/direct"
    replace(known, records={**known.records, cell: replace(known.records[cell], sha256=hash_file(place))}).write(folder.path)
    assert "direct.jsonl of jsonl, line 1" in refused("part1", "part2")


@pytest.mark.slow
def test_different_replies_to_the_same_call_are_no_one_run():
    parts = shards(2)
    stores = [Store(part / "store.sqlite") for part in parts]
    for store, said in zip(stores, ("yes", "no"), strict=True):
        store.put("same", Stored(Reply(said), None, 1.0, 1))
        store.close()
    assert "got a different reply" in refused(*parts)


@pytest.mark.slow
def test_a_place_that_holds_something_is_not_written_over():
    parts = shards(2)
    merge(parts, Path("merged"))
    before = Path("merged/manifest.json").read_bytes()
    with pytest.raises(DataError, match="already exists"):
        merge(parts, Path("merged"))
    assert Path("merged/manifest.json").read_bytes() == before


@pytest.mark.slow
def test_the_folder_that_one_is_in_is_not_put_away(monkeypatch, tmp_path):
    parts = [part.absolute() for part in shards(2)]
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    for out in (Path(), Path("../empty")):
        with pytest.raises(DataError, match="already exists"):
            merge(parts, out)


@pytest.mark.slow
def test_what_a_merge_that_was_killed_left_behind_is_cleared_away():
    parts = shards(2)
    draft = Path(".merged.merging")
    (draft / "records").mkdir(parents=True)
    (draft / "plan.json").write_text("half of a pl")
    merge(parts, Path("merged"))
    assert not draft.exists()
    assert verify(Path("merged")).differences == []


def test_shards_of_a_stranger_are_not_trusted_by_being_merged():
    for number in (1, 2):
        evaluated(f"part{number}", "--shard", f"{number}/2", "--access", "staff")
    merge([Path("part1"), Path("part2")], Path("merged"))
    assert is_trusted(RunFolder.open(Path("merged")).found)
    distrust(Path("part2"))
    merge([Path("part1"), Path("part2")], Path("other"))
    folder = RunFolder.open(Path("other"))
    assert folder.found.guarded
    assert not is_trusted(folder.found)


# -- killed --------------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
async def test_a_shard_that_is_killed_and_resumed_leaves_no_trace_in_the_merged_run():
    def reply(_):
        return Behaviour(text="So the answer is: the Nith.", delay=0.02)

    async with ScriptedServer(reply) as server:
        address = f"llms.openai_compatible.base_url={server.base_url}"
        model = ("--llm", "openai_compatible", "--set", address, "--set", "llms.openai_compatible.model=m")

        async def started(out, *more):
            arguments = ("evaluate", "--out", out, *DATASETS, "--methods", "direct", *model, *more)
            return await asyncio.create_subprocess_exec(
                sys.executable, "-c", COMMAND, *arguments, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
            )

        killed = await started("part2", "--shard", "2/3")
        while server.num_requests < 2:  # noqa: ASYNC110 - it is another process that is waited for
            await asyncio.sleep(0.003)
        killed.send_signal(signal.SIGKILL)
        await killed.communicate()
        before = server.num_requests
        jobs = [await started(f"part{number}", "--shard", f"{number}/3") for number in (1, 2, 3)]
        for job in jobs:
            said = (await job.communicate())[0].decode()
            assert job.returncode == 0, said
        calls = server.num_requests
        whole = await started("whole")
        await whole.communicate()
        assert whole.returncode == 0
    merge([Path(f"part{number}") for number in (1, 2, 3)], Path("merged"))
    assert NUM <= calls <= NUM + 1  # one may have been under way when the process died, which nobody heard the end of
    assert before >= 2
    of = {name: RunFolder.open(Path(name)) for name in ("merged", "whole")}
    one, other = ([record.fingerprint for record in run.history("jsonl", "direct")] for run in of.values())
    assert one == other
    assert verify(Path("merged")).differences == []
