"""Every method refuses an option out of its bounds, and says which option of which method, and why."""

from __future__ import annotations

import re

import pytest

from hopweave.core.catalog import load
from hopweave.core.errors import SettingsError

WHY = {
    -1: "must be (0 or more|at least 1|a number from 0 up)",
    0: "must be (at least 1|above 0 and at most 1|from 1 to 10)",
}
REFUSED: dict[str, dict[float, str]] = {
    "auto_cot": {-1: "n_demos", 0: "max_lines max_words_question max_tokens"},
    "corag": {
        -1: "max_words max_words_main temperature",
        0: "max_steps num_chains num_passages num_main_passages max_tokens_question max_tokens max_tokens_long",
    },
    "cot": {-1: "n_demos", 0: "max_tokens max_tokens_answer"},
    "cot_sc": {-1: "n_demos temperature", 0: "n_samples top_p max_tokens"},
    "cot_sc_then_react": {-1: "n_demos temperature", 0: "n_samples max_steps"},
    "decomp": {-1: "n_demos num_distractors", 0: "num_hits max_steps max_tokens_call"},
    "direct": {-1: "n_demos", 0: "max_tokens max_tokens_long"},
    "direct_retrieval": {-1: "n_demos", 0: "num_passages max_tokens max_tokens_long"},
    "dsp": {
        -1: "n_demos num_annotated temperature",
        0: "num_queries num_answers num_hops num_passages max_tokens max_tokens_long",
    },
    "flare": {
        -1: "n_demos num_distractors max_words_shown",
        0: "num_passages max_tokens_sentence max_tokens max_tokens_answer",
    },
    "internet_augmented": {
        -1: "n_demos temperature", 0: "num_hits num_sentences num_paragraphs n_samples top_p max_tokens"
    },
    "ircot": {
        -1: "n_demos num_distractors num_titles max_words_shown",
        0: "max_steps num_hits max_passages max_tokens_sentence max_tokens",
    },
    "iter_retgen": {
        -1: "n_demos num_distractors max_words_shown", 0: "num_iterations num_hits max_tokens",
    },
    "least_to_most": {-1: "n_demos", 0: "max_sub_questions max_tokens"},
    "nor": {-1: "n_demos", 0: "max_tokens"},
    "oner": {-1: "num_distractors", 0: "num_hits max_passages"},
    "plan_and_solve": {-1: "n_demos temperature", 0: "max_tokens num_samples"},
    "plan_and_solve_search": {-1: "n_demos max_words_shown", 0: "num_passages max_sub_questions"},
    "react": {-1: "n_demos", 0: "max_steps num_sentences num_hits max_tokens max_tokens_long"},
    "react_then_cot_sc": {-1: "n_demos temperature", 0: "n_samples max_tokens_reasoning max_steps"},
    "read_all": {0: "max_tokens_passages max_passages max_tokens max_tokens_long"},
    "recite": {-1: "n_demos temperature", 0: "n_recitations num_passages max_tokens"},
    "search_o1": {
        -1: "max_words",
        0: "max_searches max_turns num_passages max_tokens max_tokens_condensed max_tokens_answer",
    },
    "search_r1": {-1: "max_words", 0: "max_actions num_passages max_tokens max_tokens_answer"},
    "searchain": {-1: "n_demos max_tokens", 0: "max_rounds max_nodes"},
    "self_ask": {-1: "n_demos max_words", 0: "num_passages max_rounds max_tokens max_tokens_answer"},
    "self_ask_no_search": {-1: "n_demos", 0: "max_tokens max_tokens_answer"},
    "stitch": {-1: "max_tokens_hop", 0: "num_passages max_tokens"},
    "sure": {-1: "max_words_shown", 0: "num_passages num_candidates max_tokens_candidates max_tokens"},
    "toolformer_prompted": {-1: "n_demos max_words", 0: "num_passages max_calls max_tokens max_tokens_answer"},
    "toqd": {-1: "max_critique_retries temperature", 0: "max_graphs num_passages top_p max_tokens max_tokens_summary"},
    "tree_of_thought": {-1: "num_candidates num_votes num_kept max_depth n_demos temperature", 0: "num_values"},
    "verify_and_edit": {
        -1: "n_demos temperature",
        0: "n_samples max_edits num_hits num_sentences max_tokens max_tokens_long max_tokens_reasoning",
    },
}  # fmt: skip
OTHERS = [
    ("corag", "decoding", "tree_search", "cannot be .*; choose one of: best_of_n, greedy"),
    ("cot_sc", "top_p", 1.5, "must be above 0 and at most 1"),
    ("decomp", "reader", "none", "cannot be .*; choose one of: "),
    ("flare", "beta", 1.5, "must be from 0 to 1"),
    ("flare", "draft_sees", "all", "cannot be .*; choose one of: "),
    ("flare", "query", "whole", "cannot be .*; choose one of: "),
    ("flare", "theta", -0.1, "must be from 0 to 1"),
    ("internet_augmented", "scorer", "votes", "cannot be .*; choose one of: "),
    ("internet_augmented", "top_p", 1.5, "must be above 0 and at most 1"),
    ("searchain", "alpha", 1.5, "is a ROUGE-L between 0 and 1"),
    ("stitch", "least_probability", 2, "must be from 0 to 1"),
    ("toqd", "most_sub_questions", 1, "must be at least 2"),
    ("tree_of_thought", "evaluate", "rank", "cannot be .*; choose one of: "),
    ("verify_and_edit", "max_edits", 11, "must be from 1 to 10"),
]
CASES = [
    (method, name, value, WHY[value])
    for method, by_value in REFUSED.items()
    for value, names in by_value.items()
    for name in names.split()
] + OTHERS


@pytest.mark.parametrize(("method", "name", "value", "why"), CASES, ids=[f"{case[0]} {case[1]} {case[2]}" for case in CASES])
def test_an_option_out_of_its_bounds_is_refused_by_method_and_name(method, name, value, why):
    with pytest.raises(SettingsError, match=f"^{method} {name} .*{why}") as error:
        load("methods", method)(**{name: value})
    assert repr(value) in str(error.value)


@pytest.mark.parametrize(
    ("method", "options", "message"),
    [
        (
            "dsp",
            {"train": "t.jsonl", "demonstrate": "annotated"},
            "have no annotated steps; set demonstrate = 'stage' or 'none'",
        ),
        ("plan_and_solve", {"num_samples": 10}, "plan_and_solve num_samples = 10 needs zero_shot"),
    ],
)
def test_options_that_contradict_each_other_are_refused(method, options, message):
    with pytest.raises(SettingsError, match=re.escape(message)):
        load("methods", method)(**options)
