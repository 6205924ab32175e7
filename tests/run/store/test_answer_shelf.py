"""Kept answers in a folder and on a real PostgreSQL: they are deleted one by one, or once they are old; nothing else is."""

import os
from contextlib import closing

import pytest

from hopweave.apps.server.kept import KeptAnswers, new_id
from hopweave.run.store.answer_shelf import open_shelf

DAY = 86_400_000
NOW = 1_800_000_000_000


def id_at(milliseconds, number=0):
    return f"{milliseconds:012x}-{number:016x}"


@pytest.fixture(params=["folder", "database"])
def shelf(request, tmp_path, monkeypatch):
    for name in list(os.environ):
        if name.startswith("PG"):
            monkeypatch.delenv(name)
    place = tmp_path / "answers" if request.param == "folder" else request.getfixturevalue("postgres").place()
    with closing(open_shelf(place)) as opened:
        opened.check()
        yield opened


def kept(shelf, owner):
    return [answer_id for answer_id, _ in shelf.page(owner, before=None, limit=1000).entries]


def test_what_is_deleted_is_gone_and_all_else_stays(shelf):
    one, other = id_at(NOW), id_at(NOW + 1)
    for owner in ("anna", "bob"):
        for answer_id in (one, other):
            shelf.keep(owner, answer_id, f'{{"of":"{owner}"}}', "{}")
    assert shelf.delete("anna", one)
    assert not shelf.delete("anna", one)
    assert (shelf.entry("anna", one), shelf.record("anna", one)) == (None, None)
    assert (kept(shelf, "anna"), kept(shelf, "bob")) == ([other], [other, one])
    assert not shelf.delete("carl", one)
    shelf.keep("anna", one, "again", "{}")
    assert shelf.entry("anna", one) == "again"


@pytest.mark.parametrize("hostile", ["", "..", "../bob/x", "a/b", "\x00", "\ud800", "usage", "' OR ''='", "x" * 500])
def test_what_is_no_id_deletes_nothing(shelf, hostile):
    shelf.keep("bob", id_at(NOW), "{}", "{}")
    assert not shelf.delete("bob", hostile)
    assert kept(shelf, "bob") == [id_at(NOW)]


def test_answers_older_than_an_id_are_deleted_whosever_they_are_however_many(shelf):
    for number in range(250):
        shelf.keep(("anna", "bob")[number % 2], id_at(NOW - DAY, number), "{}", "{}")
    shelf.keep("anna", id_at(NOW), "{}", "{}")
    assert shelf.expire(id_at(NOW - DAY)) == 0
    assert shelf.expire(id_at(NOW)) == 250
    assert (kept(shelf, "anna"), kept(shelf, "bob")) == ([id_at(NOW)], [])
    assert shelf.expire(id_at(NOW)) == 0


def test_files_in_the_folder_that_are_no_answers_are_left_alone(tmp_path):
    with closing(open_shelf(tmp_path)) as shelf:
        shelf.keep("anna", id_at(NOW), "{}", "{}")
        (tmp_path / "anna" / f"{id_at(NOW, 7)}.json").write_text("an entry whose record was never written")
        mine = [tmp_path / "anna" / name for name in ("usage.json", "001.jsonl", "000000000000.json", f"{id_at(NOW)}.txt")]
        for path in mine:
            path.write_text("mine")
        assert shelf.expire(id_at(NOW + 1)) == 1
        assert sorted((tmp_path / "anna").iterdir()) == sorted(mine)


def test_an_answer_is_as_if_it_were_not_there_from_the_moment_its_time_is_over(shelf, monkeypatch):
    clock = [NOW]
    monkeypatch.setattr("hopweave.apps.server.kept._now", lambda: clock[0])
    answers, forever = KeptAnswers(shelf, days=0.5), KeptAnswers(shelf)
    entry = '{"id":"%s","started_at":"x","question":"q","method":"m","corpus":"c"}'
    ids = []
    for clock[0] in (NOW, NOW + DAY // 4, NOW + DAY // 2):
        ids.append(new_id())
        shelf.keep("anna", ids[-1], entry % ids[-1], "{}")
    assert [one.id for one in answers.page("anna", before=None, limit=9)[0]] == ids[::-1]
    clock[0] += 1
    entries, following = answers.page("anna", before=None, limit=2)
    assert ([one.id for one in entries], following) == (ids[:0:-1], ids[1])
    assert answers.page("anna", before=following, limit=2) == ([], None)
    assert answers.page("anna", before=None, limit=3)[1] is None
    assert answers.entry("anna", ids[0]) is answers.record_line("anna", ids[0]) is None
    assert not answers.delete("anna", ids[0])
    assert forever.entry("anna", ids[0]) is not None
    assert forever.sweep() == 0
    assert answers.sweep() == 1
    assert forever.entry("anna", ids[0]) is None
    assert answers.entry("anna", ids[1]) is not None
