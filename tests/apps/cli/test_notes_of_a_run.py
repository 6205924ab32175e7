"""What `hopweave evaluate` prints before the first question where nobody would see bars."""

from types import SimpleNamespace

from hopweave.apps.cli.evaluate import _watcher


def test_without_a_terminal_the_notes_of_a_run_are_printed_and_no_bars(capsys, monkeypatch):
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    with _watcher() as watcher:
        watcher.started(SimpleNamespace(notes=("the model is small",)))
        watcher.answered(None, None)
    assert capsys.readouterr().err == "note: the model is small\n"
