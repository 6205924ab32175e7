"""Without a framework's package, its adapter says what to install, and nothing else is affected."""

import sys

import pytest

from hopweave.core.errors import MissingExtra


@pytest.mark.parametrize(
    ("adapter", "package", "extra"),
    [("langchain", "langchain_core", "langchain"), ("llama_index", "llama_index", "llama-index")],
)
def test_an_adapter_without_its_framework_names_the_extra(monkeypatch, adapter, package, extra):
    for name in [
        name for name in sys.modules if name.split(".")[0] == package or name.startswith(f"hopweave.apps.adapters.{adapter}")
    ]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtra, match=rf"hopweave\[{extra}\]"):
        __import__(f"hopweave.apps.adapters.{adapter}")
    monkeypatch.delitem(sys.modules, f"hopweave.apps.adapters.{adapter}", raising=False)
