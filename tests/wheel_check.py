"""Builds the wheel, installs it into an environment of its own, and uses it outside the tree: what users get has to work."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
NEEDED = ("hopweave/py.typed", "hopweave/answering/methods/searchain/searchain.prompts.toml", "hopweave/profiles/default.toml")
NEEDED += ("hopweave/answering/demonstrations/multi_hop.jsonl", "hopweave/answering/toolkit/few_shot.prompts.toml")
NEEDED += ("hopweave/answering/reading/reading.prompts.toml", "hopweave/answering/methods/stitch/stitch.prompts.toml")
NEEDED += ("hopweave/starter/passages.jsonl", "hopweave/starter/questions.jsonl", "hopweave/show/page.css")
NEEDED += ("hopweave/evaluation/papers/published.toml", "hopweave/models/llms/openai_compatible.presets.toml")
RULES = [
    {"find": "already settled", "where": "all", "say": "He was born in Brno [1]. So the final answer is Brno."},
    {"find": "Does the passage state the answer", "say": "yes: Brno"},
    {"find": "[Question]", "say": "[Query 1]: Where was the logician Kurt Gödel born?\n[Answer 1]: Brno"},
]
PIP_CACHE = subprocess.run(
    [sys.executable, "-m", "pip", "cache", "dir"], capture_output=True, text=True, check=True
).stdout.strip()
"""What pip downloaded once need not be downloaded again; hopweave's own cache is a new one."""


def run(*command: object, folder: Path) -> str:
    """Runs a command in a folder outside the tree, with caches there, and returns what it printed."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("HOPWEAVE_", "PYTHONPATH"))}
    environment = kept | {"XDG_CACHE_HOME": str(folder / "cache"), "PIP_CACHE_DIR": PIP_CACHE}
    done = subprocess.run(
        [str(part) for part in command], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\nended with {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def installed(wheel: Path, folder: Path) -> Path:
    """An environment with the wheel and what it says it needs, and nothing else.

    Where this runs in a virtual environment, it is kept within that one for as long as the wheel needs the same: then only the
    wheel is installed again.
    """
    is_kept = sys.prefix != sys.base_prefix
    place = Path(sys.prefix, "wheel-check") if is_kept else folder / "env"
    files = [(ROOT / name).read_bytes() for name in ("pyproject.toml", "constraints.txt")]
    made_of = hashlib.sha256(b"".join([*files, sys.version.encode()])).hexdigest()
    stamp = place / "made-of"
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", place / "bin/python"]
    # Few of the modules are imported here, so none is compiled beforehand.
    install = [*pip, "install", "--quiet", "--no-compile", "-c", ROOT / "constraints.txt"]
    if stamp.exists() and stamp.read_text() == made_of:
        run(*install, "--no-deps", "--force-reinstall", wheel, folder=folder)
    else:
        shutil.rmtree(place, ignore_errors=True)
        venv.create(place, with_pip=False)
        run(*install, wheel, folder=folder)
        stamp.write_text(made_of)
    run(*pip, "check", folder=folder)
    return place


def check(folder: Path) -> None:
    """Builds, installs and uses the wheel."""
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT, folder=folder)
    wheel = next(folder.glob("*.whl"))
    inside = set(zipfile.ZipFile(wheel).namelist())
    missing = [name for name in NEEDED if name not in inside]
    if missing:
        sys.exit(f"the wheel lacks {missing}")
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    if wheel.name != f"hopweave-{version}-py3-none-any.whl":
        sys.exit(f"the wheel of {version} is called {wheel.name}")
    hopweave = installed(wheel, folder) / "bin/hopweave"
    if "searchain" not in run(hopweave, "list", "methods", folder=folder):
        sys.exit("the installed wheel does not list its methods")
    rules = folder / "rules.json"
    rules.write_text(json.dumps({"rules": RULES}), encoding="utf-8")
    flags = ["--method", "searchain", "--llm", "scripted", "--set", f"llms.scripted.rules_file={rules}", "--json"]
    record = json.loads(run(hopweave, "ask", "Where was Kurt Gödel born?", *flags, folder=folder))
    citations = [citation for claim in record["answer"]["claims"] for citation in claim["citations"]]
    if record["answer"]["short"] != "Brno" or not citations:
        sys.exit(f"the installed wheel answered {record['answer']}")
    print(f"1 passed: {wheel.name} installs and answers outside the tree, citing {citations[0]['quote']!r}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        check(Path(name))
