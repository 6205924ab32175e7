"""Every property test of the parsers and of what stands around them, on many more examples than the tests themselves try."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import cache, wraps
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, seed, settings

from ..attack import Attack, Trial

TESTS = Path(__file__).parents[2]
PARSERS = ("answering/parsing/test_*.py",)
TEXTS = (
    "core/test_prompt.py",
    "citations/test_citing.py",
    "text/test_matching.py",
    "core/test_files.py",
    "run/test_store.py",
    "record/test_trace.py",
    "ingest/test_*.py",
    "models/llms/test_*.py",
    "evaluation/reports/test_report.py",
    "answering/methods/test_*.py",
    "models/readers/test_*.py",
    "retrieval/test_*.py",
)
"""Where texts from outside are cut, quoted, kept and searched."""


def properties(*patterns: str) -> list[Callable[..., Any]]:
    """The tests under Hypothesis in these files that need nothing else."""
    files = [path for pattern in patterns for path in sorted(TESTS.glob(pattern))]
    return [test for path in files for test in _in_file(path)]


def _in_file(path: Path) -> Iterator[Callable[..., Any]]:
    if "hypothesis" not in path.read_text(encoding="utf-8"):
        return
    spec = spec_from_file_location(f"attacked_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    for name, test in vars(module).items():
        if name.startswith("test_") and getattr(test, "is_hypothesis_test", False) and not inspect.signature(test).parameters:
            yield test


def tried(trial: Trial) -> None:
    """One of the properties, on as many examples as are this trial's share."""
    test = trial.scene[trial.number]
    inner = test.hypothesis.inner_test
    has_failed = False

    @wraps(inner)
    def counted(*args: Any, **given: Any) -> Any:
        nonlocal has_failed
        if not has_failed:  # what comes after is the search for a smaller example
            trial.tried += 1
        shown = {**dict(zip(inspect.signature(inner).parameters, args, strict=False)), **given}
        try:
            return inner(*args, **given)
        except Exception:
            has_failed = True
            trial.shown = f"{Path(inner.__code__.co_filename).name}: {inner.__name__}({shown!r})"
            raise

    test.hypothesis.inner_test = counted
    before = test._hypothesis_internal_use_settings
    # What a test says of itself is how many examples are enough beside all other tests; it cannot be said twice in public.
    test._hypothesis_internal_use_settings = settings(
        max_examples=trial.share,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.explicit, Phase.generate, Phase.shrink],
        report_multiple_bugs=False,
    )
    try:
        seed(f"{trial.seed}/{inner.__name__}")(test)()
    finally:
        test.hypothesis.inner_test = inner
        test._hypothesis_internal_use_settings = before


@cache
def parsers() -> list[Callable[..., Any]]:
    """The properties of everything that reads what a model says."""
    return properties(*PARSERS)


@cache
def texts() -> list[Callable[..., Any]]:
    """The properties of everything else that texts from outside go through."""
    return properties(*TEXTS)


ATTACKS = (
    Attack(
        "parsers", "what holds of every reply", tried, 40_000, 200, parts=lambda: len(parsers()), prepare=lambda _: parsers()
    ),
    Attack("texts", "what holds of every text", tried, 20_000, 150, parts=lambda: len(texts()), prepare=lambda _: texts()),
)
