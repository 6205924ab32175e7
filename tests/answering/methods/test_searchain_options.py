"""What each option of SearChain does, what the ablations leave out, and where a budget ends the work."""

from __future__ import annotations

import dataclasses
import time

import pytest
from support.bench import Bench, calls, chain, decisions, looks, origins, purposes, queries, readings, scene, told

from hopweave.answering.demonstrations import sample
from hopweave.answering.methods.searchain.searchain import SearChain
from hopweave.core.types import Message, Passage, Question, Reading, Span
from hopweave.models.readers.llm_reader import LLMReader
from hopweave.run.settings import read_settings

QUESTION = "What is the mother tongue of the mayor of the town of the Glass Mill?"
TOWN = "In which town does the Glass Mill stand?"
MAYOR = "Who is the mayor of Orlau?"
TONGUE = "What is the mother tongue of Ida Renn?"
OTHER = "Who runs the Glass Mill?"

FOUND = {
    TOWN: Passage("mill", "The Glass Mill stands in Orlau. It grinds no glass.", "Glass Mill"),
    MAYOR: Passage("orlau", "Orlau has 900 inhabitants. Its mayor is Ida Renn."),
    TONGUE: Passage("renn", "Ida Renn grew up with Ladin as her mother tongue."),
}
READ = {TOWN: ("Orlau", 4.0), MAYOR: ("Ida Renn", 3.0), TONGUE: ("Ladin", 2.0)}
FINAL = "The Glass Mill stands in Orlau [1]. Its mayor is Ida Renn [2]. She speaks Ladin [3]. So the final answer is Ladin."
TRACED = f"[Final Content]: {FINAL}"
CLAIM = Question("q", "Liv Aas was born in Nesbyen.", "label", ("SUPPORTS", "REFUTES"))
YES_OR_NO = Question("q", "Was Liv Aas born in Nesbyen?", "label", ("Yes", "No"))
KNOWN = chain((TOWN, "Orlau"), (MAYOR, "Ida Renn"), (TONGUE, "Ladin"))
# One correction, one completion, and a chain that passes.
MIXED = [
    chain((TOWN, "Berlau"), ("Who is the mayor of Berlau?", "Nobody")),
    chain((TOWN, "Orlau"), (MAYOR, None)),
    KNOWN,
    TRACED,
]


def bench(says, found=None, read=None, **more) -> Bench:
    return Bench(says, FOUND if found is None else found, READ if read is None else read, **more)


# -- the ablations -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "ablation",
    [{}, {"verify": False}, {"complete": False}, {"complete": False, "without_completion": "force_answer"}],
    ids=["default", "without_verification", "without_completion", "every_query_answered"],
)
async def test_the_answer_is_traced_from_the_chain_by_default_and_in_each_ablation(ablation):
    record = await bench([KNOWN, TRACED]).ask(QUESTION, **ablation)
    assert purposes(record) == ["chain", "tracing"]
    last = calls(record)[-1][-1].text
    assert last.endswith(f"[Question]: {QUESTION}\n{KNOWN}")
    assert QUESTION not in queries(record)  # nothing is retrieved for the question itself
    assert (record.answer.short, record.answer.how) == ("Ladin", "marker")
    assert [claim.query for claim in record.answer.claims] == [TOWN, MAYOR, TONGUE]


async def test_without_retrieval_one_call_answers_every_query_and_nothing_is_searched():
    final = "So the final answer is Ladin."
    record = await bench([f"{KNOWN}\n[Final Content]: {FINAL}"]).ask(QUESTION, use_retrieval=False)
    assert purposes(record) == ["chain"]
    assert queries(record) == readings(record) == []
    assert "[Unsolved Query]" not in calls(record)[0][0].text
    assert {verdict for _, _, verdict in origins(record)} == {"model"}
    assert record.answer.text.endswith(final)
    assert "[" not in record.answer.text
    assert record.answer.num_marks_removed == 0  # the model was told to write them; there is nothing to cite
    assert (record.answer.short, record.answer.stopped_because) == ("Ladin", "finished")


async def test_without_verification_the_papers_citations_still_have_the_passage_of_each_node():
    record = await bench([KNOWN, TRACED]).ask(QUESTION, verify=False, cite="every_node")
    assert queries(record) == [TOWN, MAYOR, TONGUE]
    assert readings(record) == []
    passages = [FOUND[query].id for query in (TOWN, MAYOR, TONGUE)]
    assert [citation.passage_id for citation in record.answer.citations] == passages


@pytest.mark.parametrize(("dialogue", "seen"), [
    scene("the full system corrects completes and verifies",
        lambda: bench(MIXED).ask(QUESTION), purposes=["chain", "chain", "chain", "tracing"],
        origins=[(TOWN, "Orlau", "corrected"), (MAYOR, "Ida Renn", "completed"), (TONGUE, "Ladin", "verified")]),
    scene("without retrieval and without final content the last node answers and the failure is counted",
        lambda: bench([KNOWN]).ask(QUESTION, use_retrieval=False), purposes=["chain"], answer=("Ladin", "last-claim"),
        text=f"{TOWN} Orlau. {MAYOR} Ida Renn. {TONGUE} Ladin.", unread=["no sentence says what the final answer is"]),
    scene("without retrieval a final content under a heading is the answer",
        lambda: bench([f"### Query 1\n{TOWN}\n### Answer 1\nOrlau\n\n### Final Content\n\n{FINAL}"]).ask(QUESTION,
            use_retrieval=False), purposes=["chain"], answer=("Ladin", "marker"), claimed=[TOWN], unread=[]),
    scene("without retrieval a reply without a chain is asked for once more",
        lambda: bench(["Hm.", f"{KNOWN}\n{TRACED}"]).ask(QUESTION, use_retrieval=False), purposes=["chain", "chain"],
        short="Ladin"),
    scene("without verification answered queries pass unsearched and only completion answers",
        lambda: bench([chain((TOWN, "Berlau"), (MAYOR, None)),
            chain((TOWN, "Berlau"), (MAYOR, "Ida Renn"), (TONGUE, "Ladin")), TRACED]).ask(QUESTION, verify=False),
        purposes=["chain", "chain", "tracing"], queries=[MAYOR], readings=[MAYOR],
        origins=[(TOWN, "Berlau", "model"), (MAYOR, "Ida Renn", "completed"), (TONGUE, "Ladin", "model")]),
    scene("without completion an unsolved query passes as unknown and the chain goes on",
        lambda: bench([f"{chain((TOWN, 'Orlau'), (MAYOR, None))}\n[Query 3]: {TONGUE}\n[Answer 3]: Ladin",
            TRACED]).ask(QUESTION, complete=False),
        purposes=["chain", "tracing"], queries=[TOWN, TONGUE], readings=[TOWN, TONGUE],
        origins=[(TOWN, "Orlau", "verified"), (MAYOR, "", "model"), (TONGUE, "Ladin", "verified")],
        sent={"tracing": f"[Query 2]: {MAYOR}\n[Answer 2]: unknown"}),
])  # fmt: skip
async def test_the_ablations(dialogue, seen):
    assert looks(await dialogue(), seen) == seen


GOES_ON = "go on with the next step:\n[Unsolved Query]:"


async def test_without_completion_the_rules_and_the_example_of_an_unsolved_query_go_on_after_it():
    prompt = calls(await bench([KNOWN, TRACED]).ask(QUESTION, complete=False))[0][0].text
    rules, *_, last = prompt.split("Example:")
    assert GOES_ON in rules
    assert rules.endswith("After the last step, end the chain with this line:\n[Final Content]:\n\n")
    assert last.endswith(f"[Unsolved Query]: {sample(3)[-1].steps[-1].query}\n[Final Content]:\n\n[Question]: {QUESTION}")
    assert "stop" not in rules
    assert "When every query has its answer" not in prompt


async def test_without_completion_no_example_ends_with_a_final_content_that_cannot_be_known():
    prompt = calls(await bench([KNOWN, TRACED]).ask(QUESTION, complete=False, stop_before_final=False))[0][0].text
    rules, *examples = prompt.split("Example:")
    assert GOES_ON in rules
    assert "After the last step, finish with:\n[Final Content]: one sentence for each answer" in rules
    assert len(examples) == 2
    assert not any("[Unsolved Query]" in example for example in examples)


@pytest.mark.parametrize("options", [{"n_demos": 0}, {"n_demos": 0, "stop_before_final": False}])
async def test_without_completion_and_examples_the_rules_alone_say_so(options):
    prompt = calls(await bench([KNOWN, TRACED]).ask(QUESTION, complete=False, **options))[0][0].text
    assert GOES_ON in prompt
    assert "Example:" not in prompt
    assert "\n\n\n" not in prompt


@pytest.mark.parametrize("question", [CLAIM, YES_OR_NO])
@pytest.mark.parametrize("options", [{}, {"stop_before_final": False}])
async def test_without_completion_no_family_is_told_to_stop_at_an_unsolved_query(question, options):
    record = await bench([KNOWN, TRACED]).ask(question, complete=False, chain_form="by_family", **options)
    prompt = calls(record)[0][0].text
    assert "If you know the answer:" in prompt
    assert "stop" not in prompt
    assert "When every query has its answer" not in prompt


async def test_without_completion_answers_may_be_forced_and_are_verified_all_the_same():
    says = [chain((TOWN, "Berlau")), KNOWN, TRACED]
    record = await bench(says).ask(QUESTION, complete=False, without_completion="force_answer")
    first = calls(record, "chain")[0][0].text
    assert "[Unsolved Query]" not in first
    assert "Write the answer to every query" in first
    assert purposes(record) == ["chain", "chain", "tracing"]
    assert [verdict for _, _, verdict in origins(record)] == ["corrected", "verified", "verified"]


async def test_forced_answers_are_of_no_effect_while_completion_is_on():
    forced = await bench(MIXED).ask(QUESTION, without_completion="force_answer")
    assert calls(forced) == calls(await bench(MIXED).ask(QUESTION))


# -- what leaves the path ----------------------------------------------------------------------------------------------

A, B, C, D = (f"What is letter {number}?" for number in (1, 2, 3, 4))
OPEN = {A: "is a", B: "is b", C: "is c", D: "is d"}


async def path_after(first, second, path_rule, read):
    says = [first, second, "[Final Content]: So the final answer is x."]
    record = await bench(says, OPEN, read).ask(QUESTION, path_rule=path_rule)
    return [query for query, _, _ in origins(record)], [text.split(" -> ")[0] for text in told(record, "abandoned")]


@pytest.mark.parametrize(
    ("second", "kept", "append_only"),
    [
        # The branch restates A, which passed, and goes on from B, which was corrected.
        (chain((A, "a"), (B, "b"), (C, "c")), [A, B, C], [A, B, C]),
        # Figure 21: the branch begins at the corrected node; what stands before it are its ancestors.
        (chain((B, "b"), (C, "c")), [A, B, C], [A, B, C]),
        # It restates A and leaves out B: for B there is evidence, and it stays.
        (chain((A, "a"), (C, "c")), [A, B, C], [A, B, C]),
        # It restates nothing: it goes on where the path ended.
        (chain((C, "c")), [A, B, C], [A, B, C]),
    ],
)
async def test_what_leaves_the_path_after_a_correction(second, kept, append_only):
    first, read = chain((A, "a"), (B, "wrong")), {B: ("b", 3.0)}
    assert await path_after(first, second, "last_branch", read) == (kept, [])
    assert await path_after(first, second, "append_only", read) == (append_only, [])


@pytest.mark.parametrize(
    ("second", "kept", "abandoned"),
    [
        # The query that nothing answered is given up for another: it leaves, whether or not its ancestor is restated.
        (chain((A, "a"), (C, "c")), [A, C], [B]),
        (chain((C, "c")), [A, C], [B]),
        # It is taken up again.
        (chain((A, "a"), (B, "b"), (C, "c")), [A, B, C], []),
        (chain((B, "b"), (C, "c")), [A, B, C], []),
        # All is given up but the open query: A stands before it, and stays.
        (chain((B, None)), [A, B], []),
    ],
)
async def test_what_leaves_the_path_after_an_open_query(second, kept, abandoned):
    first = chain((A, "a"), (B, None))
    assert await path_after(first, second, "last_branch", {}) == (kept, abandoned)
    queries_of_both = [A, B, C] if C in second else [A, B]
    assert await path_after(first, second, "append_only", {}) == (queries_of_both, [])


async def test_a_node_that_the_new_branch_steps_over_leaves_the_path_and_may_come_back():
    says = [
        chain((A, "a"), (B, "b"), (C, "wrong")),
        chain((A, "a"), (C, "c"), (D, None)),  # steps over B
        chain((A, "a"), (C, "c"), (D, "d"), (B, "b")),  # takes it up again
        "[Final Content]: So the final answer is x.",
    ]
    read = {C: ("c", 3.0), D: ("d", 3.0)}
    record = await bench(says, OPEN, read).ask(QUESTION)
    assert told(record, "abandoned") == [f"{B} -> b"]
    assert [query for query, _, _ in origins(record)] == [A, C, D, B]
    appended = await bench(says, OPEN, read).ask(QUESTION, path_rule="append_only")
    assert [query for query, _, _ in origins(appended)] == [A, B, C, D]


async def test_append_only_takes_a_later_answer_to_an_open_query_alone():
    says = [chain((A, "a"), (B, None)), chain((A, "other"), (B, "b")), "[Final Content]: So the final answer is x."]
    record = await bench(says, OPEN, {}).ask(QUESTION, path_rule="append_only")
    assert origins(record) == [(A, "a", "model"), (B, "b", "completed")]
    assert told(record, "revised") == [f"{B} -> b"]


# -- going on from the settled nodes -----------------------------------------------------------------------------------


async def test_with_prefill_the_settled_nodes_are_handed_back_as_the_beginning_of_the_models_turn():
    says = [MIXED[0], f"\n[Unsolved Query]: {MAYOR}", f"\n[Query 3]: {TONGUE}\n[Answer 3]: Ladin", FINAL]
    record = await bench(says, prefill=True).ask(QUESTION)
    first, second, third = calls(record, "chain")
    settled = chain((TOWN, "Orlau"))
    assert [message.role for message in first] == ["user"]
    assert [message.role for message in second] == ["user", "assistant", "user", "assistant"]
    assert second[-1] == Message("assistant", settled)
    assert third[3] == Message("assistant", f"{settled}\n[Unsolved Query]: {MAYOR}")  # what it said, as one turn
    assert third[-1] == Message("assistant", chain((TOWN, "Orlau"), (MAYOR, "Ida Renn")))
    assert [query for query, _, _ in origins(record)] == [TOWN, MAYOR, TONGUE]
    [tracing] = calls(record, "tracing")
    assert tracing[-1] == Message("assistant", "[Final Content]:")
    assert record.answer.text == FINAL


OPEN_MAYOR = chain((TOWN, "Orlau"), (MAYOR, None))


@pytest.mark.parametrize(
    "reply",
    [
        f"\n[Query 2]: {MAYOR}\n[Answer 2]: Ida Renn\n[Query 3]: {TONGUE}\n[Answer 3]: Ladin",
        f"\n[Answer 2]: Ida Renn\n[Query 3]: {TONGUE}\n[Answer 3]: Ladin",
        f"[Answer]: Ida Renn\n[Query 3]: {TONGUE}\n[Answer 3]: Ladin",
    ],
)
async def test_with_prefill_the_answer_to_an_open_query_is_the_models_to_give(reply):
    record = await bench([OPEN_MAYOR, reply, FINAL], read={TOWN: READ[TOWN], TONGUE: READ[TONGUE]}, prefill=True).ask(QUESTION)
    assert calls(record, "chain")[1][-1].text == chain((TOWN, "Orlau"))
    assert [(query, answer) for query, answer, _ in origins(record)] == [
        (TOWN, "Orlau"),
        (MAYOR, "Ida Renn"),
        (TONGUE, "Ladin"),
    ]
    assert record.answer.claims[1].origin == "completed"


async def test_with_prefill_the_model_may_ask_a_better_query_than_the_open_one():
    better = "Who governs the town of Orlau?"
    says = [OPEN_MAYOR, f"\n[Query 2]: {better}\n[Answer 2]: Ida Renn\n[Query 3]: {TONGUE}\n[Answer 3]: Ladin", FINAL]
    record = await bench(says, read={TOWN: READ[TOWN], TONGUE: READ[TONGUE]}, prefill=True).ask(QUESTION)
    assert not calls(record, "chain")[1][-1].text.rstrip().endswith("]:")
    assert [query for query, *_ in origins(record)] == [TOWN, better, TONGUE]


async def test_with_prefill_and_nothing_settled_the_model_begins_anew_after_an_open_query():
    record = await bench([chain((MAYOR, None)), KNOWN, FINAL], read={}, prefill=True).ask(QUESTION)
    assert calls(record, "chain")[1][-1].role == "user"


@pytest.mark.parametrize(("prefill", "continue_chain"), [(True, False), (False, True), (False, False)])
async def test_without_the_ability_or_the_option_the_model_begins_anew(prefill, continue_chain):
    record = await bench(MIXED, prefill=prefill).ask(QUESTION, continue_chain=continue_chain)
    assert all(call[-1].role == "user" for call in calls(record, "chain"))
    assert [query for query, _, _ in origins(record)] == [TOWN, MAYOR, TONGUE]


async def test_prefill_changes_no_decision_where_the_model_restates_what_was_settled():
    with_prefill = await bench(MIXED, prefill=True).ask(QUESTION)
    without = await bench(MIXED).ask(QUESTION)
    assert origins(with_prefill) == origins(without)
    assert told(with_prefill, "verdict") == told(without, "verdict")


# -- wording and stops -------------------------------------------------------------------------------------------------


async def test_both_ways_shows_every_query_of_the_first_example_with_and_without_its_answer():
    prompt = calls(await bench([KNOWN, TRACED]).ask(QUESTION, chain_form="both_ways"))[0][0].text
    query = sample(1)[0].steps[1].query
    assert (
        f"[Query 2]: {query}\nIf you do not know the answer:\n[Unsolved Query]: {query}\n"
        f"If you know the answer:\n[Answer 2]: {sample(1)[0].steps[1].answer}\n"
    ) in prompt
    first, second = prompt.split("[Question]: " + QUESTION)[0].split("Example:")[1:]
    assert first.count("If you know the answer:") == first.count("[Query ")
    assert "If you know the answer:" not in second  # figure 16: answers alone


@pytest.mark.parametrize(
    ("question", "chain_form", "stops_in_rules", "stops_in_example"),
    [
        (CLAIM, "by_family", True, False),  # figure 13
        (YES_OR_NO, "by_family", False, True),  # figure 15
        (Question("q", QUESTION), "by_family", False, False),  # figure 16
        (CLAIM, "both_ways", False, False),
        (YES_OR_NO, "both_ways", False, False),
    ],
)
async def test_by_family_tells_the_model_to_stop_at_an_unsolved_query_as_the_figures_do(
    question, chain_form, stops_in_rules, stops_in_example
):
    prompt = calls(await bench([KNOWN, TRACED]).ask(question, chain_form=chain_form))[0][0].text
    rules, first, *_ = prompt.split("Example:")
    assert ("and stop there." in rules) == stops_in_rules
    assert ("Instruction: stop here." in first) == stops_in_example
    assert first.count("If you know the answer:") == first.count("[Query ")


@pytest.mark.parametrize("path_rule", ["append_only", "last_branch"])
async def test_what_the_model_answers_where_the_reader_found_no_words_is_not_unknown_in_tracing(path_rule):
    """The reader finds nothing for the open query; the next chain answers it."""
    says = [chain((TOWN, "Orlau"), (A, None)), chain((TOWN, "Orlau"), (A, "Ida Renn")), TRACED]
    record = await bench(says).ask(QUESTION, path_rule=path_rule)
    asked = calls(record, "tracing")[0][-1].text
    assert f"{A}\n[Answer 2]: Ida Renn" in asked
    assert "unknown" not in asked.split(QUESTION)[-1]


@pytest.mark.parametrize(("chain_form", "verdict"), [("both_ways", "verified"), ("stop", "completed")])
async def test_where_examples_show_both_lines_an_answer_under_both_counts(chain_form, verdict):
    both = (
        f"[Query 1]: {TOWN}\nIf you do not know the answer:\n[Unsolved Query]: {TOWN}\n"
        "If you know the answer:\n[Answer 1]: Orlau"
    )
    says = [both, *([chain((TOWN, "Orlau"))] if verdict == "completed" else []), TRACED]
    record = await bench(says).ask(QUESTION, chain_form=chain_form)
    assert told(record, "verdict") == [verdict]


async def test_stop_shows_an_example_that_stops_at_an_unsolved_query():
    prompt = calls(await bench([KNOWN, TRACED]).ask(QUESTION))[0][0].text
    assert prompt.count("[Unsolved Query]:") == 2  # in the rules and in an example
    assert "If you know the answer:" not in prompt


@pytest.mark.parametrize(("stop_before_final", "is_cut"), [(True, True), (False, False)])
async def test_a_chain_ends_before_its_final_content_if_the_option_says_so(stop_before_final, is_cut):
    made = bench([f"{KNOWN}\n{TRACED}", TRACED])
    record = await made.ask(QUESTION, stop_before_final=stop_before_final)
    assert ("\n[Final Content]" in made.llm.calls[0][1].stop) == is_cut
    assert decisions(record, "branch")[0].data["final"] == ("" if is_cut else FINAL)
    assert record.answer.text == FINAL


async def test_options_of_length_reach_every_call():
    made = bench([KNOWN, TRACED])
    await made.ask(QUESTION, max_tokens=77)
    assert [sampling.max_tokens for _, sampling in made.llm.calls] == [77, 77]


# -- citations ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cite", "quotes"),
    [
        ("confirmed", ["The Glass Mill stands in Orlau."]),
        ("every_node", ["The Glass Mill stands in Orlau.", FOUND[MAYOR].text]),
    ],
)
async def test_every_node_also_cites_whole_the_passage_that_does_not_bear_it_out(cite, quotes):
    record = await bench([chain((TOWN, "Orlau"), (MAYOR, "Otto Falk")), TRACED], read={TOWN: READ[TOWN]}).ask(
        QUESTION, cite=cite
    )
    assert [claim.support for claim in record.answer.claims] == ["supported", "unsupported"]
    assert [citation.quote for citation in record.answer.citations] == quotes
    assert record.answer.citations[-1].focus is None or cite == "confirmed"


async def test_an_empty_passage_is_never_cited():
    record = await bench([chain((TOWN, "Orlau")), TRACED], {TOWN: Passage("empty", "")}, {}).ask(QUESTION, cite="every_node")
    assert record.error is None
    assert record.answer.citations == ()


# -- matching ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("match", "verdict"), [("words", "corrected"), ("characters", "verified")])
async def test_a_span_is_looked_for_as_words_or_as_characters(match, verdict):
    says = [chain((TOWN, "Orlauer Land")), *([chain((TOWN, "Orlau"))] if verdict == "corrected" else []), TRACED]
    assert told(await bench(says).ask(QUESTION, match=match), "verdict") == [verdict]


# -- searching ahead ---------------------------------------------------------------------------------------------------


async def test_all_passages_of_a_chain_are_fetched_in_one_batch():
    made = bench([KNOWN, TRACED])
    await made.ask(QUESTION)
    assert made.retriever.batches == [[TOWN, MAYOR, TONGUE]]


async def test_what_was_fetched_for_a_node_that_was_not_reached_is_kept_for_a_later_chain():
    says = [
        chain((TOWN, "Berlau"), (MAYOR, "Ida Renn")),
        chain((TOWN, "Orlau"), (MAYOR, "Ida Renn"), (TONGUE, "Ladin")),
        TRACED,
    ]
    made = bench(says)
    await made.ask(QUESTION)
    assert made.retriever.batches == [[TOWN, MAYOR], [TONGUE]]


@pytest.mark.parametrize("says", [MIXED, [KNOWN, TRACED], [chain((A, "a"), (TOWN, "Berlau"), (MAYOR, "x")), KNOWN, TRACED]])
async def test_fetching_ahead_decides_nothing(says):
    ahead = await bench(says).ask(QUESTION)
    one_by_one = bench(says)
    counted = await one_by_one.ask(QUESTION, budget={"max_searches": 100})  # counted searches are not made before their turn
    assert all(len(batch) == 1 for batch in one_by_one.retriever.batches)
    assert [(step.label, step.text, step.data) for step in decisions(ahead, *LABELS)] == [
        (step.label, step.text, step.data) for step in decisions(counted, *LABELS)
    ]
    assert calls(ahead) == calls(counted)
    assert ahead.answer == counted.answer


LABELS = ("branch", "node", "verdict", "duplicate", "revised", "abandoned", "cut", "path", "stop")


# -- the budget --------------------------------------------------------------------------------------------------------


async def test_calls_that_run_out_in_the_middle_of_a_round_keep_what_is_verified_and_what_the_chain_still_says():
    # The reader is the model itself: the chain is call 1, the first reading call 2, and the second reading is refused.
    record = await bench([KNOWN, "yes: Orlau"], reader=LLMReader()).ask(QUESTION, budget={"max_llm_calls": 2}, theta=-1.0)
    assert purposes(record) == ["chain", "reader"]
    assert origins(record) == [(TOWN, "Orlau", "verified"), (MAYOR, "Ida Renn", "model"), (TONGUE, "Ladin", "model")]
    assert record.answer.text == f"{TOWN} Orlau [1]. {MAYOR} Ida Renn [2]. {TONGUE} Ladin."
    assert [claim.support for claim in record.answer.claims] == ["supported", "supported", "unsupported"]
    assert record.answer.short == "Ladin"
    assert record.answer.stopped_because == "max_llm_calls"


@pytest.mark.parametrize(("dialogue", "seen"), [
    scene("with fewer searches than queries the first are served in order and the rest pass unchecked",
        lambda: bench([KNOWN, TRACED]).ask(QUESTION, budget={"max_searches": 2}), queries=[TOWN, MAYOR],
        origins=[(TOWN, "Orlau", "verified"), (MAYOR, "Ida Renn", "verified"), (TONGUE, "Ladin", "model")],
        stopped="max_searches", short="Ladin"),
    scene("no search is spent on a query that the walk does not reach",
        lambda: bench(MIXED).ask(QUESTION, budget={"max_searches": 3}), queries=[TOWN, MAYOR, TONGUE], stopped="finished"),
    scene("calls that run out between chains leave the corrected path",
        lambda: bench(MIXED).ask(QUESTION, budget={"max_llm_calls": 1}), origins=[(TOWN, "Orlau", "corrected")],
        text=f"{TOWN} Orlau [1].", answer=("Orlau", "last-claim"), stopped="max_llm_calls", path=[f"[1] {TOWN} -> Orlau"]),
    scene("calls that run out before tracing leave the verified path",
        lambda: bench([KNOWN]).ask(QUESTION, budget={"max_llm_calls": 1}),
        text=f"{TOWN} Orlau [1]. {MAYOR} Ida Renn [2]. {TONGUE} Ladin [3].", short="Ladin", stopped="max_llm_calls"),
    scene("a final content that the interrupted chain had answers before its last claim does",
        lambda: bench([f"{chain((TOWN, 'Orlau'))}\n[Final Content]: So the final answer is Ladin.", "yes: Orlau"],
            reader=LLMReader()).ask(QUESTION, budget={"max_llm_calls": 2}, theta=-1.0, stop_before_final=False),
        answer=("Ladin", "marker")),
])  # fmt: skip
async def test_the_budget(dialogue, seen):
    assert looks(await dialogue(), seen) == seen


async def test_tokens_that_run_out_in_the_middle_of_a_round_end_in_the_best_answer_so_far():
    unlimited = await bench([KNOWN, TRACED]).ask(QUESTION)
    first = next(step for step in unlimited.steps if step.kind == "model_call")
    spent = first.usage.prompt_tokens + first.usage.completion_tokens
    record = await bench([KNOWN]).ask(QUESTION, budget={"max_tokens": spent})
    assert [verdict for _, _, verdict in origins(record)] == ["verified"] * 3
    assert (record.answer.short, record.answer.stopped_because) == ("Ladin", "max_tokens")


async def test_seconds_that_run_out_in_the_middle_of_a_round_end_in_the_best_answer_so_far():
    class SlowReader:
        identity = "slow"

        def __init__(self, inner):
            self.inner = inner

        def read(self, pairs):
            if any(query == MAYOR for query, _ in pairs):
                time.sleep(0.5)
            return self.inner.read(pairs)

    made = bench([KNOWN])
    made.reader = SlowReader(made.reader)
    record = await made.ask(QUESTION, budget={"max_seconds": 0.25})
    assert origins(record) == [(TOWN, "Orlau", "verified"), (MAYOR, "Ida Renn", "model"), (TONGUE, "Ladin", "model")]
    assert (record.answer.short, record.answer.stopped_because) == ("Ladin", "max_seconds")


async def test_a_label_that_the_budget_cuts_off_is_a_label_or_nothing():
    question = Question("q", QUESTION, "label", ("Yes", "No"))
    record = await bench([KNOWN]).ask(question, budget={"max_llm_calls": 1})
    assert (record.answer.short, record.answer.how) == ("", "empty")
    sure = await bench([chain((TOWN, "Orlau"), (A, "No"))]).ask(question, budget={"max_llm_calls": 1})
    assert (sure.answer.short, sure.answer.how) == ("No", "last-claim")


# -- settings ----------------------------------------------------------------------------------------------------------


def test_profile_paper_searchain_names_the_reader_and_the_duplicate_detector_of_its_theta():
    settings = read_settings({"profile": "paper_searchain"})
    assert (settings.reader, settings.duplicate_detector) == ("dpr", "cross_encoder")
    reader = settings.part("readers", "dpr")
    assert (reader.passage_slot, reader.theta) == ("title", settings.part("methods", "searchain").theta)


def test_profile_paper_searchain_holds_the_papers_numbers():
    paper = read_settings({"profile": "paper_searchain"}).part("methods", "searchain")
    assert dataclasses.asdict(paper) == dataclasses.asdict(
        SearChain(
            max_rounds=5,  # section 4.1.3
            round_limit="algorithm",  # Algorithm 1: until r > r_max, from r = 0
            theta=1.5,  # section 4.1.3
            alpha=0.35,  # section 4.1.3
            match="characters",  # section 3.3: whether g appears in a_i
            rouge="f1",  # not published
            normalize_values=False,  # section 3.3: g appears in a_i, as it is
            ignore_echoes=False,  # no exception is made for words of the query
            check_yes_no=True,  # no exception is made for yes and no
            path_rule="append_only",  # Algorithm 1: R.add, and nothing is ever removed
            continue_chain=False,  # figures 20 and 21: the model writes its chain itself
            chain_form="by_family",  # figures 13, 15 and 16
            force_final=False,  # what the model leaves out is left out
            max_tokens_feedback=0,  # figures 20 and 21: the whole passage
            stop_before_final=False,  # figure 3: the chain ends with its final content
            cite="every_node",  # section 3.3, Tracing: the document of each node
            add_missing_marks=False,  # marks are the model's own
        )
    )


# -- how many passages are read ----------------------------------------------------------------------------------------

BESIDE = Passage("beside", "Berlau lies in the valley below.")


class ReaderOfPassages:
    """Reads what a table holds for a passage, whatever the query."""

    identity = "passages"

    def __init__(self, table):
        self.table = table
        self.seen = []

    def read(self, pairs):
        self.seen += [passage.id for _, passage in pairs]
        readings = []
        for _, passage in pairs:
            words, confidence = self.table[passage.id]
            start = passage.text.find(words) if words else -1
            readings.append(Reading(words, Span(start, start + len(words)) if words else None, confidence))
        return readings


async def read_in_order(table, **options):
    reader = ReaderOfPassages(table)
    found = {TOWN: [BESIDE, FOUND[TOWN], FOUND[MAYOR]]}
    here = bench([chain((TOWN, "Orlau")), TRACED], found=found, reader=reader)
    return reader, await here.ask(QUESTION, **options)


@pytest.mark.parametrize(
    ("num_passages", "table", "read", "verdict"),
    [
        pytest.param(1, {"beside": ("", -3.0)}, ["beside"], "model", id="the paper reads one"),
        pytest.param(
            3, {"beside": ("", -3.0), "mill": ("Orlau", 2.0)}, ["beside", "mill"], "verified", id="stops when it is sure"
        ),
        pytest.param(
            3,
            {"beside": ("Berlau", -2.0), "mill": ("", -9.0), "orlau": ("", 5.0)},
            ["beside", "mill", "orlau"],
            "model",
            id="a passage without words is never sure",
        ),
    ],
)
async def test_passages_are_read_best_first_until_the_reader_is_sure_of_one(num_passages, table, read, verdict):
    reader, record = await read_in_order(table, num_passages=num_passages)
    assert reader.seen == read
    assert [claim.origin for claim in record.answer.claims] == [verdict]


@pytest.mark.parametrize(("max_tokens", "is_whole"), [(80, False), (0, True)])
async def test_the_model_is_told_the_likeliest_sentences_of_a_passage_or_all_of_it(max_tokens, is_whole):
    asked = "Who designed Orla Bridge?"
    filler = " ".join(f"Its keeper number {number} counted the boats of the river every spring." for number in range(20))
    passage = Passage("bridge", f"Orla Bridge was designed by Mara Lind. {filler}", "Orla Bridge")
    made = Bench([chain((asked, None)), chain((asked, "Mara Lind"))], {asked: passage}, {asked: ("Mara Lind", 5.0)})
    record = await made.ask("Who made it?", max_tokens_feedback=max_tokens)
    shown = calls(record, "chain")[1][-1].text
    assert "Orla Bridge was designed by Mara Lind." in shown
    assert (filler in shown) == is_whole
