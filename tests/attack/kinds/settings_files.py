"""Folders of strangers: what their settings, plans, names and links may do."""

from __future__ import annotations

import json
import os
import random
from contextlib import chdir
from pathlib import Path
from typing import Any

from support.hostile import STRANGE_NAMES, damaged, hostile_text

from hopweave.core.errors import DataError, SettingsError
from hopweave.evaluation.runs.folder import DatasetPlan, MethodPlan, Plan, RunFolder
from hopweave.run.settings import Settings, read_settings

from ..attack import Attack, Trial
from .corpora import one_line

EVIL = "evil-elsewhere"
# Where questions and keys are sent, what is loaded, and where replies are kept: written down here, not asked of the code.
GUARDED = (
    "llms.openai_compatible.base_url",
    "llms.openai_compatible.api_key_env",
    "llms.openai_compatible.extra_body",
    "llms.openai_compatible.headers",
    "llms.openai_compatible.proxy",
    "llms.llama_cpp.model",
    "llms.llama_cpp.model_path",
    "llms.transformers_local.model",
    "llms.transformers_local.revision",
    "readers.span_model.model",
    "readers.dpr.model",
    "duplicate_detectors.embedding.model",
    "duplicate_detectors.cross_encoder.model",
    "retrievers.bm25.url",
    "store.path",
)
FREE = (
    "method",
    "corpus",
    "budget.max_llm_calls",
    "methods.direct.max_tokens",
    "llms.openai_compatible.model",
    "sampling.seed",
)


def value(random: random.Random) -> Any:
    """A value that leads to the stranger, in some form."""
    return random.choice(
        [
            f"http://{EVIL}.example/v1",
            f"{EVIL.upper()}_KEY",
            f"../../{EVIL}",
            f"file:///{EVIL}",
            {"a": EVIL},
            [EVIL],
            {"Authorization": EVIL},
            EVIL,
        ]
    )


def hostile_settings(random: random.Random) -> dict[str, Any]:
    """Keys and values, nested, of which some are guarded."""
    made: dict[str, Any] = {}
    for key in random.sample(GUARDED, random.randint(1, 3)) + random.sample(FREE, random.randint(0, 2)):
        *above, last = key.split(".")
        inner = made
        for name in above:
            inner = inner.setdefault(name, {})
        if isinstance(inner, dict):
            inner[last] = value(random) if key in GUARDED or random.random() < 0.3 else random.choice(["direct", "starter", 3])
    return made


def toml(random: random.Random, values: dict[str, Any]) -> str:
    """The values as TOML, with keys escaped in one way or another."""
    return "".join(f"{_key(random, key)} = {_toml(random, item)}\n" for key, item in values.items())


def _toml(random: random.Random, item: Any) -> str:
    if isinstance(item, dict):
        return "{" + ", ".join(f"{_key(random, key)} = {_toml(random, inner)}" for key, inner in item.items()) + "}"
    if isinstance(item, list):
        return "[" + ", ".join(_toml(random, inner) for inner in item) + "]"
    return json.dumps(item)


def _key(random: random.Random, key: str) -> str:
    if random.random() < 0.3:
        return '"' + "".join(f"\\u{ord(sign):04x}" if random.random() < 0.5 else sign for sign in key) + '"'
    return json.dumps(key)


def nothing_of_the_stranger(settings: Settings) -> None:
    """Checks that no guarded key says what the stranger wrote."""
    data = settings.model_dump(mode="json")
    for key in GUARDED:
        inner: Any = data
        for name in key.split("."):
            inner = inner.get(name, {}) if isinstance(inner, dict) else {}
        assert EVIL not in json.dumps(inner).lower(), f"{key} = {inner}"


def folder_settings(trial: Trial) -> None:
    """A `hopweave.toml`, a profile that it names, and a plan set nothing guarded."""
    random = trial.random
    values = hostile_settings(random)
    kind = random.choice(["hopweave.toml", "profile", "plan"])
    text = toml(random, values)
    if kind != "plan" and random.random() < 0.2:
        text = damaged(random, text.encode())[1].decode("latin-1")
    trial.shows(f"{kind}: {values if kind == 'plan' else text[:400]}")
    with chdir(trial.folder):
        found = None
        if kind == "plan":
            Path("run").mkdir()
            plan = Plan({"jsonl": DatasetPlan("jsonl", {"path": "q"})}, {"direct": MethodPlan("direct")}, values)
            Path("run/plan.json").write_text(plan.to_json())
            found = RunFolder.open(Path("run")).found
        elif kind == "profile":
            Path("hopweave.toml").write_text('profile = "theirs.toml"\n')
            Path("theirs.toml").write_text(text)
        else:
            Path("hopweave.toml").write_text(text)
        try:
            nothing_of_the_stranger(read_settings(plan=found))
        except (SettingsError, DataError) as error:
            one_line(error)


def names(trial: Trial) -> None:
    """A plan whose labels and options are strange opens only if all of its files lie in its folder; nothing else is made."""
    random = trial.random
    label = random.choice([*STRANGE_NAMES, hostile_text(random, 3), "ok"])
    data = json.loads(Plan({"a": DatasetPlan("jsonl", {"path": "q"})}, {"b": MethodPlan("direct")}, {}).to_json())
    kind = random.choice(["datasets", "methods"])
    data[kind] = {label: next(iter(data[kind].values()))}
    run = trial.folder / "above" / "run"
    run.mkdir(parents=True)
    (run / "plan.json").write_text(json.dumps(data))
    link = random.choice(["", "", "records", "examples", "store.sqlite", ".lock", "report"])
    if link:
        (run / link).symlink_to(random.choice(["/etc/hostname", "../mine", "../../", "records/../../.."]))
    trial.shows(f"{kind} {label!r}, {link or 'no'} link")
    try:
        opened = RunFolder.open(run)
        assert not link, "a link out of the run was followed"
        for dataset in opened.plan.datasets:
            opened.keep_examples(dataset, [])
            for method in opened.plan.methods:
                opened.add(dataset, method)
                assert opened.records_path(dataset, method).resolve().is_relative_to(run.resolve())
    except (DataError, SettingsError) as error:
        one_line(error)
    assert sorted(path.name for path in trial.folder.iterdir()) == ["above"]
    assert [path.name for path in (trial.folder / "above").iterdir()] == ["run"]


def own_configuration(folder: Path) -> None:
    """A configuration that trusts nothing, and no settings in the environment."""
    for name in [name for name in os.environ if name.startswith("HOPWEAVE_")]:
        del os.environ[name]
    os.environ |= {"XDG_CONFIG_HOME": str(folder / "config"), "XDG_CACHE_HOME": str(folder / "cache")}


ATTACKS = (
    Attack("settings", "a stranger's file sets nothing that is guarded", folder_settings, 4_000, 60, prepare=own_configuration),
    Attack("names", "no name and no link leads out of a run", names, 4_000, 60, prepare=own_configuration),
)
