"""A corpus on a server, from the command line: built, searched, updated and checked by its address."""

import json

import pytest
from support.commands import ran

from hopweave.core.errors import SettingsError
from hopweave.run.opening import engine_of
from hopweave.run.settings import read_settings, server_of
from hopweave.run.trust import guarded


def said(*arguments):
    done = ran(*arguments)
    return done.exit_code, done.output


@pytest.fixture
def folder(tmp_path):
    rows = [
        {"id": "light", "title": "Carrow Head Light", "text": "Designed by Ines Halloran."},
        {"id": "oak", "title": "Oak", "text": "An old oak at Carrow Head."},
    ]
    tmp_path.joinpath("docs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return tmp_path


def test_an_address_builds_searches_updates_and_checks_there(folder):
    pytest.importorskip("qdrant_client", reason="needs: pip install 'hopweave[qdrant]'")
    at = f"qdrant://{folder / 'engine'}#wiki"
    code, output = said("index", folder / "docs.jsonl", "--to", at)
    assert code == 0, output
    assert f"built {at}: 2 passages, " in output
    code, output = said("search", "who designed the light", "--corpus", at, "--json")
    assert json.loads(output.splitlines()[0])["passage"]["id"] == "light"
    assert "updated" in said("index", "--to", at, "--delete", "light")[1]
    assert said("search", "Halloran", "--corpus", at)[1].startswith("nothing found")
    assert "verified" in said("index", "--to", at, "--verify")[1]
    code, output = said("search", "oak", "--corpus", at, "--retriever", "weave")
    assert "weave searches an index folder, and the corpus is on a server of qdrant" in output


@pytest.mark.parametrize("password", ["hunter22", "hun/hunter22", "hunter22@x"])
def test_a_password_in_an_address_is_repeated_by_no_command(folder, password):
    at = f"elasticsearch://me:{password}@host"
    for arguments in (["index", "docs.jsonl", "--to", at], ["search", "x", "--corpus", at], ["ask", "x", "--corpus", at]):
        code, output = said(*arguments)
        assert code != 0
        assert "contains a password" in output or "is not an address" in output
        assert "hunter22" not in output
    folder.joinpath("config", "hopweave").mkdir(parents=True, exist_ok=True)
    folder.joinpath("config", "hopweave", "hopweave.toml").write_text(f'corpus = "{at}"\n')
    found = said("doctor")[1]
    assert "corpus: on a server of elasticsearch" in found
    assert "hunter22" not in found + said("search", "x", "--corpus", at, "--retriever", "weave")[1]


def test_the_scheme_of_a_corpus_picks_the_engine_also_below_a_retriever_that_asks_the_model():
    at = {"corpus": "postgres://host/db#wiki"}
    assert engine_of(read_settings(at)) == engine_of(read_settings({**at, "retriever": "hyde"})) == "postgres"
    assert engine_of(read_settings({**at, "profile": "untrusted"})) == "postgres"
    for chosen in ({"retriever": "weave"}, {"retriever": "hyde", "retrievers": {"hyde": {"engine": "dense"}}}):
        with pytest.raises(SettingsError, match="searches an index folder, and the corpus is on a server of postgres"):
            engine_of(read_settings(at | chosen))
    with pytest.raises(SettingsError, match="qdrant searches an index folder"):
        engine_of(read_settings({**at, "retriever": "qdrant"}))
    assert server_of("indexes/wiki") == server_of("https://host") == server_of("starter") == ""


def test_a_corpus_on_a_server_needs_trust_where_it_was_found():
    assert guarded({"corpus": "postgres://host/db"}) == {"corpus": "postgres://host/db"}
    assert guarded({"retrievers": {"postgres": {"address": "a", "password_env": "B", "tls": "no", "exact": False}}}).keys() == {
        "retrievers.postgres.address",
        "retrievers.postgres.password_env",
        "retrievers.postgres.tls",
    }
    assert guarded({"corpus": "indexes/wiki"}) == {}


def test_without_a_chosen_retriever_a_corpus_on_a_server_is_searched_with_the_engine_of_the_server():
    folder = read_settings()
    assert folder.retriever == "weave"
    on_server = folder.with_changes({"corpus": "qdrant://host#wiki"})
    assert on_server.retriever == read_settings({"corpus": "qdrant://host#wiki"}).retriever == "qdrant"
    assert on_server.with_changes({"corpus": "starter"}).retriever == "weave"
    chosen = read_settings({"retriever": "hyde", "corpus": "qdrant://host#wiki"})
    assert chosen.with_changes({"corpus": "starter"}).retriever == "hyde"
