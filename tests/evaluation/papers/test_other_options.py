"""A row of a paper gets a letter where the measured one was run with other options, or with a variant of ours."""

import shlex

import pytest
from support.bench import Bench, calls, chain
from support.runs import answered, asked, made, result_of, row_of

from hopweave.core.catalog import load
from hopweave.evaluation.papers import _published
from hopweave.evaluation.reports.analysis_results import written
from hopweave.evaluation.runs.folder import MethodPlan
from hopweave.record import Setup
from hopweave.run.nested_settings import assignments
from hopweave.run.settings_files import read_profile

A, B = asked("a"), asked("b")
HOTPOTQA = {"hotpotqa": ("hotpotqa", (A, B))}
PAPER = {"reader": "dpr", "duplicate_detector": "cross_encoder", "readers": {"dpr": {"passage_slot": "title"}}}
OURS = {"reader": "llm_reader", "duplicate_detector": "keywords"}


def under(profile, method, **more):
    """A method with the options that a profile gives it, and others over them."""
    return MethodPlan(method, {**read_profile(profile).values["methods"][method.removesuffix("_facts")], **more})


def run_of(folder, ways, settings=None, sets=HOTPOTQA):
    """A run of these methods on a dataset of two questions."""
    (label,) = sets
    cells = {(label, way): [answered(A, "Ulm"), answered(B, "Bonn")] for way in ways}
    return made(folder, sets, cells, ways, settings=settings)


def reasons(result, *labels):
    """Why the published rows of a row cannot be compared, but for the model, the engine, the corpus and the questions."""
    every = [why for paper in row_of(result, *labels).published for why in paper.why_not]
    return [why for why in every if not why.startswith(("the model", "the retriever", "the corpus")) and "questions" not in why]


# -- SearChain, ToQD and IRCoT ----------------------------------------------------------------------------------------------


def test_default_options_get_a_letter_that_names_each_with_both_values(tmp_path):
    result = result_of("searchain_table1", run_of(tmp_path / "run", {"searchain": "searchain"}, OURS))
    reader, detector, options = reasons(result, "hotpotqa", "SearChain")
    assert reader == "the reader is llm_reader, there dpr"
    assert detector == "the duplicate detector is keywords, there cross_encoder"
    begins = "SearChain was run with options other than those of the profile paper_searchain: "
    assert options.startswith(begins)
    told = options.removeprefix(begins)
    ours, paper = load("methods", "searchain")(), read_profile("paper_searchain").values["methods"]["searchain"]
    assert [part.partition(" = ")[0] for part in told.split("), ")] == [
        name for name in type(ours).__dataclass_fields__ if name in paper and getattr(ours, name) != paper[name]
    ]
    for part in ("theta = none (there 1.5)", "rouge = precision (there f1)", "stop_before_final = true (there false)"):
        assert part in told
    table = written(result, "text")
    assert "SearChain, table 1 (a)" in table
    assert "(a) not comparable: the model is" in table
    assert told in table


def test_the_options_of_the_profile_get_no_letter_for_options(tmp_path):
    ways = {"searchain": under("paper_searchain", "searchain")}
    run = run_of(tmp_path / "run", ways, PAPER)
    drawn = run_of(tmp_path / "drawn", ways, PAPER | {"sampling": {"temperature": 0.1, "top_p": 0.1}})
    for name in ("searchain_table1", "searchain_table2", "searchain_table6", "searchain_table9", "toqd_table2b"):
        result = result_of(name, drawn if name.startswith("toqd") else run)
        (row,) = [row for row in result.rows if "SearChain" in row.labels]
        assert row.published
        assert [why for why in reasons(result, *row.labels) if "performance there" not in why] == []


def test_the_reader_of_the_profile_with_other_options_gets_a_letter(tmp_path):
    settings = {**PAPER, "readers": {"dpr": {"model": "mine", "device": "cuda"}}}
    run = run_of(tmp_path / "run", {"searchain": under("paper_searchain", "searchain")}, settings)
    (options,) = reasons(result_of("searchain_table1", run), "hotpotqa", "SearChain")
    assert options.endswith(
        "paper_searchain: readers.dpr.passage_slot = text (there title), "
        "readers.dpr.model = mine (there facebook/dpr-reader-multiset-base)"
    )


def test_what_makes_an_ablation_is_no_difference_and_its_other_options_are(tmp_path):
    ways = {
        "plain": MethodPlan("searchain", {"verify": False}),
        "paper": under("paper_searchain", "searchain", verify=False, max_nodes=4),
    }
    result = result_of("searchain_table1", run_of(tmp_path / "run", ways, PAPER))
    (plain,) = reasons(result, "hotpotqa", "SearChain w/o Verification (plain)")
    assert "theta = none (there 1.5)" in plain
    assert "verify" not in plain
    (paper,) = reasons(result, "hotpotqa", "SearChain w/o Verification (paper)")
    assert paper == (
        "SearChain w/o Verification was run with options other than those of the profile paper_searchain: "
        "max_nodes = 4 (there 16)"
    )


def test_toqd_gets_its_letter_from_its_own_profile(tmp_path):
    ways = {"toqd": "toqd", "paper": under("paper_toqd", "toqd"), "raw": under("paper_toqd", "toqd", use_rewrite=False)}
    run = run_of(tmp_path / "run", ways, OURS)
    for name in ("toqd_table1", "toqd_table2a"):
        result = result_of(name, run)
        place = ("hotpotqa",) if name == "toqd_table1" else ()
        (options,) = [why for why in reasons(result, *place, "ToQD") if "profile" in why]
        assert "profile paper_toqd: max_tokens_passages = 250 (there 0)" in options
        assert "temperature = none (there 0.1)" in options
        assert not [why for why in reasons(result, *place, "ToQD (paper)") if "profile" in why]
    assert not [why for why in reasons(result, "ToQD w/o Rewrite (raw)") if "profile" in why]


def test_ircot_gets_its_letter_from_its_own_profile_and_for_the_fields_of_the_index(tmp_path):
    engine = {"retrievers": {"bm25": {"index": "somewhere", "fields": "text", "title_weight": 0.0}}}
    ways = {"ircot": "ircot", "paper": under("paper_ircot", "ircot"), "direct": under("paper_ircot", "ircot", reader="direct")}
    sets = {"musique": ("musique", (A, B))}
    result = result_of("ircot_tables1_3", run_of(tmp_path / "one", ways, engine, sets))
    gpt3, _ = row_of(result, "musique", "IRCoT, CoT reader").published
    assert any("profile paper_ircot: query = last_non_reasoning_sentence (there last_sentence)" in why for why in gpt3.why_not)
    assert not reasons(result, "musique", "IRCoT, CoT reader (paper)")
    assert not reasons(result, "musique", "IRCoT, direct reader (direct)")
    titles = run_of(tmp_path / "two", {"paper": ways["paper"]}, sets=sets)
    of_both_models = reasons(result_of("ircot_tables1_3", titles), "musique", "IRCoT, CoT reader (paper)")
    assert len(of_both_models) == 2
    fields = load("retrievers", "bm25").__dataclass_fields__["fields"].default
    assert all(f"retrievers.bm25.fields = {fields} (there text)" in why for why in of_both_models)


def test_a_reader_that_the_figure_does_not_depend_on_is_no_difference(tmp_path):
    ways = {"oner": "oner", "ircot": under("paper_ircot", "ircot", reader="none", force=True)}
    engine = {"retrievers": {"bm25": {"fields": "text", "title_weight": 0.0}}}
    run = run_of(tmp_path / "run", ways, engine, {"musique": ("musique", (A, B))})
    assert not [why for why in reasons(result_of("ircot_figure3", run), "musique", "ircot") if why.startswith("IRCoT")]


def test_both_sides_of_a_row_of_two_are_compared(tmp_path):
    ways = {"oner": MethodPlan("oner", {"num_hits": 7}), "ircot": under("paper_ircot", "ircot")}
    engine = {"retrievers": {"bm25": {"fields": "text", "title_weight": 0.0}}}
    run = run_of(tmp_path / "run", ways, engine, {"musique": ("musique", (A, B))})
    (of_oner,) = {why for why in reasons(result_of("ircot_figure3", run), "musique", "ircot") if "options" in why}
    assert of_oner.startswith("OneR, CoT reader was run with options other than those of the profile paper_ircot: num_hits = 7")
    assert "n_demos" not in of_oner  # no prompt decides what one step of retrieval finds
    assert "force" not in of_oner


def test_a_mean_over_datasets_is_not_of_runs_with_other_options_and_the_row_of_these_gets_the_letter(tmp_path):
    paper = under("paper_searchain", "searchain")
    first = run_of(tmp_path / "one", {"searchain": paper}, PAPER)
    second = run_of(tmp_path / "two", {"searchain": "searchain"}, PAPER, {"musique": ("musique", (A, B))})
    result = result_of("searchain_table6", first, second)
    assert not [why for why in reasons(result, "SearChain") if "profile" in why]
    assert [why for why in reasons(result, "SearChain (two)") if "theta = none" in why]


def test_replies_drawn_otherwise_than_in_the_paper_get_a_letter_unless_an_option_of_the_method_says_how(tmp_path):
    ways = {"self_ask": "self_ask", "toqd": under("paper_toqd", "toqd")}
    greedy = result_of("toqd_table2b", run_of(tmp_path / "greedy", ways, OURS))
    assert [why for why in reasons(greedy, "Self-Ask") if "profile" in why] == [
        "Self-Ask was run with options other than those of the profile paper_toqd: "
        "sampling.temperature = 0.0 (there 0.1), sampling.top_p = 1.0 (there 0.1)"
    ]
    assert not [why for why in reasons(greedy, "ToQD") if "sampling" in why]
    paper = read_profile("paper_toqd").values["sampling"]
    drawn = run_of(tmp_path / "drawn", ways, OURS | {"sampling": paper | {"seed": 3}})
    assert not [why for why in reasons(result_of("toqd_table2b", drawn), "Self-Ask") if "profile" in why]
    warm = run_of(tmp_path / "warm", {"searchain": under("paper_searchain", "searchain")}, PAPER | {"sampling": paper})
    (why,) = reasons(result_of("searchain_table1", warm), "hotpotqa", "SearChain")
    assert why.endswith("paper_searchain: sampling.temperature = 0.1 (there 0.0), sampling.top_p = 0.1 (there 1.0)")


def test_baselines_that_no_profile_sets_get_no_letter_for_options(tmp_path):
    ways = {"direct_retrieval": MethodPlan("direct_retrieval", {"num_passages": 9}), "dsp": "dsp"}
    result = result_of("searchain_table1", run_of(tmp_path / "run", ways, OURS))
    for title, method in (("Direct Retrieval", "direct_retrieval"), ("DSP", "dsp")):
        if method not in read_profile("paper_searchain").values["methods"]:
            assert reasons(result, "hotpotqa", title) == []


def test_an_option_that_the_method_has_no_more_is_named():
    setup = Setup("0", "searchain", {"old_option": "x"}, "gpt-3.5-turbo")
    (paper,) = _published.published("searchain_table1", "searchain", "hotpotqa", [setup], num=7405)
    (why,) = paper.why_not
    assert why.endswith("profile paper_searchain: old_option = x (an option that searchain no longer has)")


_ANOTHER = {
    "max_rounds": 1,
    "alpha": 0.9,
    "without_completion": "force_answer",
    "num_passages": 2,
}
"""Values of options that the profiles leave at the default."""


@pytest.mark.parametrize("row", ["searchain_no_retrieval", "toqd_no_retrieval"])
async def test_options_that_are_not_compared_without_retrieval_change_nothing_there(row):
    one = _published.variant(row)
    if one.method == "searchain":
        says = [chain(("Where?", "Ulm"), ("Which river?", "Danube"), final="It is the Danube [2].")] * 3
    else:
        says = [
            "1. Where?\n2. Which river is there?",
            "Drop: none",
            "1 -> 2, 2 -> Q",
            "Ulm",
            "Which river is at Ulm?",
            "Danube",
        ]
        says += ["So the final answer is Danube."] * 4
    plain = await Bench(says).ask(A.question, one.method, **one.options)
    part, profile = load("methods", one.method)(), read_profile(f"paper_{one.method}").values["methods"][one.method]
    for name in _published._data()["not_compared"][row]:
        ours = getattr(part, name)
        paper = profile.get(name, ours)
        other = paper if paper != ours else _ANOTHER.get(name, not ours)
        record = await Bench(says).ask(A.question, one.method, **{**one.options, name: other})
        assert (record.messages, record.answer) == (plain.messages, plain.answer), name


# -- variants of ours -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "table", "title"), [("searchain", "searchain_table1", "SearChain"), ("toqd", "toqd_table1", "ToQD")]
)
def test_a_facts_variant_has_a_row_of_its_own_with_a_letter_and_never_that_of_its_method(tmp_path, method, table, title):
    facts = f"{method}_facts"
    alone = result_of(table, run_of(tmp_path / "alone", {facts: facts}, OURS))
    assert row_of(alone, "hotpotqa", title).values == {}
    assert [line for line in alone.missing if line.startswith(f"{title} on hotpotqa: ") and f" --methods {method} " in line]
    both = result_of(table, run_of(tmp_path / "both", {facts: facts, method: under(f"paper_{method}", method)}, PAPER))
    own, paper = row_of(both, "hotpotqa", f"{title}, read from facts (ours)"), row_of(both, "hotpotqa", title)
    assert (own.num, paper.num) == (2, 2)
    assert own.published[0].values == paper.published[0].values
    variant, options = reasons(both, *own.labels)
    assert variant.startswith(f"{facts} is a variant of ours: it reads short answers from facts, there they are ")
    assert options.startswith(f"{facts} was run with options other than those of the profile paper_{method}: ")
    assert "num_question_passages" not in options
    assert ("least_probability = 0.85 (there 0.0)" in options) == (method == "toqd")
    assert reasons(both, *paper.labels) == []
    table_text = written(both, "text")
    assert "table 1 (a)" in table_text
    assert "table 1 (b)" in table_text


def test_a_facts_variant_with_the_options_of_the_profile_is_still_a_variant(tmp_path):
    run = run_of(tmp_path / "run", {"searchain_facts": under("paper_searchain", "searchain_facts")}, PAPER)
    (why,) = reasons(result_of("searchain_table1", run), "hotpotqa", "SearChain, read from facts (ours)")
    assert "variant of ours" in why


def test_an_ablation_of_a_facts_variant_is_none_of_the_published_form(tmp_path):
    run = run_of(tmp_path / "run", {"unverified": MethodPlan("searchain_facts", {"verify": False})}, OURS)
    result = result_of("searchain_table1", run)
    assert row_of(result, "hotpotqa", "SearChain w/o Verification").num == 0
    title = "SearChain w/o Verification, read from facts (ours)"
    assert row_of(result, "hotpotqa", f"{title} (unverified)").num == 2


@pytest.mark.parametrize("name", [f"searchain_table{number}" for number in ("2", "3a", "3b", "5", "6", "9")])
def test_no_table_takes_a_facts_variant_for_searchain(tmp_path, name):
    ways = {"facts": "searchain_facts", "bare": MethodPlan("searchain", {"use_retrieval": False})}
    result = result_of(name, run_of(tmp_path / "run", ways, OURS))
    of_facts = [row for row in result.rows if any("facts" in label for label in row.labels)]
    assert of_facts
    for row in of_facts:
        assert any("variant of ours" in why for paper in row.published for why in paper.why_not)
    assert [row for row in result.rows if "SearChain" in row.labels and not row.num and row.published]
    assert [line for line in result.missing if line.startswith("SearChain on hotpotqa: ")]


@pytest.mark.parametrize("name", ["toqd_table5", "toqd_figure4"])
def test_a_table_without_a_row_for_a_facts_variant_says_so(tmp_path, name):
    run = run_of(tmp_path / "run", {"toqd_facts": "toqd_facts", "oner": "oner"}, OURS)
    result = result_of(name, run)
    assert not result.has_data
    assert [note for note in result.notes if note.startswith("toqd_facts is in no row: it is a variant of ours")]


# -- what to evaluate -------------------------------------------------------------------------------------------------------


def settings_of(line):
    """The settings that a command of a table gives."""
    words = shlex.split(line.partition(": ")[2].partition(", then")[0])
    sets = [words[place + 1] for place, word in enumerate(words) if word == "--set"]
    return words[words.index("--methods") + 1], assignments(sets)


def test_an_ablation_is_asked_for_with_the_parts_and_options_of_the_run_that_it_is_compared_with(tmp_path):
    ways = {
        "unverified": MethodPlan("searchain", {"verify": False, "max_nodes": 2}),
        "mine": MethodPlan("searchain", {"theta": 2.5}),
    }
    run = run_of(tmp_path / "run", ways, {**PAPER, "methods": {"searchain": {"max_rounds": 3}}})
    (line,) = [line for line in result_of("searchain_table1", run).missing if line.startswith("SearChain w/o Completion")]
    method, settings = settings_of(line)
    assert method == "searchain"
    assert settings["methods"]["searchain"] == {
        "max_rounds": 3, "theta": 2.5, "use_retrieval": True, "verify": True, "complete": False
    }  # fmt: skip
    assert (settings["reader"], settings["duplicate_detector"]) == ("dpr", "cross_encoder")
    assert settings["readers"] == {"dpr": {"passage_slot": "title"}}


WHERE, RIVER = "Where was Einstein born?", "Which river is at Ulm?"


@pytest.mark.parametrize("lacking", ["w/o Verification", "w/o Completion"])
@pytest.mark.parametrize("kept", ["searchain", "searchain_facts"])
async def test_the_commands_of_the_ablations_give_the_published_form_whose_last_prompt_holds_the_chain(tmp_path, lacking, kept):
    run = run_of(tmp_path / "run", {kept: kept}, OURS)
    (line,) = [line for line in result_of("searchain_table1", run).missing if line.startswith(f"SearChain {lacking} on")]
    method, settings = settings_of(line)
    assert method == "searchain"
    final = "It is the Danube [2]. So the final answer is the Danube."
    if lacking == "w/o Verification":  # a wrong answer passes, an open query is completed
        says = [chain((WHERE, "Bonn"), (RIVER, None)), chain((WHERE, "Bonn"), (RIVER, "the Danube")), final]
    else:  # a wrong answer is corrected
        says = [chain((WHERE, "Bonn"), (RIVER, "the Danube")), chain((WHERE, "Ulm"), (RIVER, "the Danube")), final]
    found = {WHERE: "Einstein was born in Ulm.", RIVER: "The Danube flows through Ulm."}
    record = await Bench(says, found, {WHERE: ("Ulm", 5.0), RIVER: ("The Danube", 5.0)}).ask(
        A.question, method, **settings["methods"]["searchain"]
    )
    last = calls(record)[-1][-1].text
    assert WHERE in last
    assert RIVER in last
    assert "number of the fact" not in last
    assert ("Ulm" in last.partition(WHERE)[2].partition(RIVER)[0]) == (lacking == "w/o Completion")
