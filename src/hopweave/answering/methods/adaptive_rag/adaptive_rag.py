"""Adaptive-RAG: decides from the question alone whether to search never, once or repeatedly, and answers by such a method.

Jeong et al., "Adaptive-RAG: Learning to Adapt Retrieval-Augmented Large Language Models through Question Complexity", NAACL
2024 (arXiv 2403.14403), section 3. A classifier labels the question A (no retrieval), B (one retrieval) or C (several), and one
of three methods answers it. The authors' code runs IRCoT's baseline without retrieval, its baseline with one, and IRCoT; so
these are `nor`, `oner` and `ircot`, and any other method of this package can take the place of each. They have the options
that the settings give them under their own names, including those of a profile.

The difference: the paper trains a T5-large for each model as the classifier, on questions labelled by which method answered
them rightly. Here the same model is asked, with examples of our own. A label can also be given (`route`), for instance to
compare the three. Decided by us: a reply that names no label goes to B and is counted as a parse failure; so does a question
whose budget leaves no call to route with; without a corpus, everything goes to A. The route is a decision in the record, under
which the method works, and its answer is the answer. All calls and searches count against one budget.

Calls: 1 to route (none if the label is given), and those of the method; rounds of retrieval: those of the method.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from hopweave.answering.toolkit.choosing import chosen
from hopweave.answering.toolkit.demos import asked
from hopweave.core.building import build
from hopweave.core.catalog import entry, load
from hopweave.core.errors import BudgetReached, SettingsError
from hopweave.core.options import check_options
from hopweave.core.part_files import part_file
from hopweave.core.prompt import prompts_beside
from hopweave.core.protocols import Method, MethodContext, Noting
from hopweave.core.types import Answer, Question

GROUP = "searches in turns"

_PROMPTS = prompts_beside(__file__)
_EXAMPLES = (
    ("designer", "C"),
    ("two_hours", "A"),
    ("kerrow", "B"),
    ("mayor", "C"),
    ("mill", "B"),
    ("older", "C"),
    ("closest", "A"),
)
_OPTIONS = {"A": "no_retrieval", "B": "one_step", "C": "many_steps"}
_UNREADABLE = "B"


@dataclass(frozen=True, slots=True)
class AdaptiveRAG:
    """Routes the question to one of three methods.

    Raises:
        SettingsError: for a method that does not exist or cannot be used here, or an invalid option of one.
        MissingExtra: if a library that one of the methods needs is not installed.
    """

    route: Annotated[
        Literal["ask", "A", "B", "C"], "ask: the model decides; A, B, C: always the method for no, one or many retrievals"
    ] = "ask"
    no_retrieval: Annotated[str, "the method for A: nor, or another such as cot or direct"] = "nor"
    one_step: Annotated[str, "the method for B: oner, or another such as direct_retrieval"] = "oner"
    many_steps: Annotated[str, "the method for C: ircot, or another such as searchain"] = "ircot"
    method_options: Annotated[Mapping[str, Mapping[str, Any]], "options of these methods, by name; as in methods.NAME"] = field(
        default_factory=dict, hash=False
    )

    def __post_init__(self) -> None:
        check_options(self)
        for route in _OPTIONS:
            self._method(route)

    def notes_on(self, workbench: MethodContext) -> Sequence[str]:
        """See `core.protocols.Noting`: what the three methods note."""
        methods = [self._method(route) for route in _OPTIONS]
        return [note for method in methods if isinstance(method, Noting) for note in method.notes_on(workbench)]

    async def answer(self, question: Question, workbench: MethodContext) -> Answer:
        route, why = await self._routed(question, workbench)
        name = getattr(self, _OPTIONS[route])
        with workbench.under(workbench.decide("route", f"{route}: {name}, {why}", route=route, method=name)):
            return await self._method(route).answer(question, workbench)

    async def _routed(self, question: Question, workbench: MethodContext) -> tuple[str, str]:
        """The label, and the reason for it in a few words."""
        if self.route != "ask":
            return self.route, "as the options say"
        if not workbench.has_retriever:
            return "A", "since there is no corpus"
        if workbench.limits.get("max_llm_calls", 2) < 2:
            return _UNREADABLE, "since the budget allows no call to decide"
        prompt = workbench.fill(_PROMPTS["route"], examples=_examples(workbench), question=asked(workbench, question))
        try:
            route = await chosen(workbench, prompt, tuple(_OPTIONS), name="route", purpose="route")
        except BudgetReached as reached:
            return _UNREADABLE, f"since {reached.limit} was reached"
        return (route, "as the model says") if route else (_UNREADABLE, "since the model named no route")

    def _method(self, route: str) -> Method:
        option = _OPTIONS[route]
        name = getattr(self, option)
        # A settings file that the user does not trust may choose among hopweave's own components only (`run.trust`).
        if part_file(name) is not None or entry("methods", name).is_foreign or name == "adaptive_rag":
            raise SettingsError(f"adaptive_rag {option} cannot be {name!r}; name another method that comes with hopweave")
        method: Method = build(load("methods", name), self.method_options.get(name, {}), f"methods.{name}")
        return method


def _examples(workbench: MethodContext) -> str:
    def written() -> str:
        shown = ((workbench.fill(_PROMPTS[name]), route) for name, route in _EXAMPLES)
        texts = [workbench.fill(_PROMPTS["example"], question=question, route=route) for question, route in shown]
        return "".join(f"{text}\n\n" for text in texts)

    return workbench.written_once(__name__, written)
