"""Kept answers in a folder and on a real PostgreSQL: they are deleted one by one, or once they are old; nothing else is."""

import os
from contextlib import closing

import pytest

from hopweave.apps.server.kept import KeptAnswers, new_id
from hopweave.run.store.answer_store import open_answer_store

DAY = 86_400_000
NOW = 1_800_000_000_000


def id_at(milliseconds, number=0):
    return f"{milliseconds:012x}-{number:016x}"


@pytest.fixture(params=["folder", "database"])
def answers(request, tmp_path, monkeypatch):
    for name in list(os.environ):
        if name.startswith("PG"):
            monkeypatch.delenv(name)
    place = tmp_path / "answers" if request.param == "folder" else request.getfixturevalue("postgres").place()
    with closing(open_answer_store(place)) as opened:
        opened.check()
        yield opened


def kept(answers, owner):
    return [answer_id for answer_id, _ in answers.page(owner, before=None, limit=1000).entries]


def test_what_is_deleted_is_gone_and_all_else_stays(answers):
    one, other = id_at(NOW), id_at(NOW + 1)
    for owner in ("anna", "bob"):
        for answer_id in (one, other):
            answers.keep(owner, answer_id, f'{{"of":"{owner}"}}', "{}")
    assert answers.delete("anna", one)
    assert not answers.delete("anna", one)
    assert (answers.entry("anna", one), answers.record("anna", one)) == (None, None)
    assert (kept(answers, "anna"), kept(answers, "bob")) == ([other], [other, one])
    assert not answers.delete("carl", one)
    answers.keep("anna", one, "again", "{}")
    assert answers.entry("anna", one) == "again"


@pytest.mark.parametrize("hostile", ["", "..", "../bob/x", "a/b", "\x00", "\ud800", "usage", "' OR ''='", "x" * 500])
def test_what_is_no_id_deletes_nothing(answers, hostile):
    answers.keep("bob", id_at(NOW), "{}", "{}")
    assert not answers.delete("bob", hostile)
    assert kept(answers, "bob") == [id_at(NOW)]


def test_answers_older_than_an_id_are_deleted_whosever_they_are_however_many(answers):
    for number in range(250):
        answers.keep(("anna", "bob")[number % 2], id_at(NOW - DAY, number), "{}", "{}")
    answers.keep("anna", id_at(NOW), "{}", "{}")
    assert answers.expire(id_at(NOW - DAY)) == 0
    assert answers.expire(id_at(NOW)) == 250
    assert (kept(answers, "anna"), kept(answers, "bob")) == ([id_at(NOW)], [])
    assert answers.expire(id_at(NOW)) == 0


def test_files_in_the_folder_that_are_no_answers_are_left_alone(tmp_path):
    with closing(open_answer_store(tmp_path)) as answers:
        answers.keep("anna", id_at(NOW), "{}", "{}")
        (tmp_path / "anna" / f"{id_at(NOW, 7)}.json").write_text("an entry whose record was never written")
        mine = [tmp_path / "anna" / name for name in ("usage.json", "001.jsonl", "000000000000.json", f"{id_at(NOW)}.txt")]
        for path in mine:
            path.write_text("mine")
        assert answers.expire(id_at(NOW + 1)) == 1
        assert sorted((tmp_path / "anna").iterdir()) == sorted(mine)


def test_an_answer_is_as_if_it_were_not_there_from_the_moment_its_time_is_over(answers, monkeypatch):
    clock = [NOW]
    monkeypatch.setattr("hopweave.apps.server.kept._now", lambda: clock[0])
    kept, forever = KeptAnswers(answers, days=0.5), KeptAnswers(answers)
    entry = '{"id":"%s","started_at":"x","question":"q","method":"m","corpus":"c"}'
    ids = []
    for clock[0] in (NOW, NOW + DAY // 4, NOW + DAY // 2):
        ids.append(new_id())
        answers.keep("anna", ids[-1], entry % ids[-1], "{}")
    assert [one.id for one in kept.page("anna", before=None, limit=9)[0]] == ids[::-1]
    clock[0] += 1
    entries, following = kept.page("anna", before=None, limit=2)
    assert ([one.id for one in entries], following) == (ids[:0:-1], ids[1])
    assert kept.page("anna", before=following, limit=2) == ([], None)
    assert kept.page("anna", before=None, limit=3)[1] is None
    assert kept.entry("anna", ids[0]) is kept.record_line("anna", ids[0]) is None
    assert not kept.delete("anna", ids[0])
    assert forever.entry("anna", ids[0]) is not None
    assert forever.sweep() == 0
    assert kept.sweep() == 1
    assert forever.entry("anna", ids[0]) is None
    assert kept.entry("anna", ids[1]) is not None
