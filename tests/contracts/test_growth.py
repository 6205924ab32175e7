"""No reader of text takes time that grows with the square of its length: every parser, and what reads documents and marks.

Each reads texts that are made of one piece over and over, with something before and behind it, as a model caught in a loop
writes, or somebody who means harm. What takes long is measured again with four times as much, by the processor's clock.
"""

from __future__ import annotations

import importlib
import inspect
import itertools
import pkgutil
import time
from pathlib import Path

import pytest
from support.readers import read_document, read_mail

from hopweave.answering import methods, parsing
from hopweave.answering.methods.ircot import _finding as finding
from hopweave.answering.methods.searchain import _path as path
from hopweave.answering.toolkit.adopted_phrase import adopted_phrase
from hopweave.citations import citing, fragments, marking, places, support
from hopweave.citations.rules import (
    asides,
    bands,
    bounds,
    cases,
    changes,
    contrasts,
    ends,
    enumerations,
    estimates,
    given_up,
    hedges,
    how_often,
    kinship,
    negation,
    opening_times,
    other_clauses,
    own_words,
    parallels,
    parties,
    parts,
    rankings,
    relations,
    roles,
    segments,
    succession,
    superlatives,
)
from hopweave.core import prompt
from hopweave.core.errors import DataError
from hopweave.core.types import Citation, Claim, Hit, Passage, Question, Sampling, Span
from hopweave.ingest import letterhead, term_lists
from hopweave.ingest.document import Part
from hopweave.ingest.json_stream import load_json
from hopweave.ingest.pdf_layout import Rule, Word
from hopweave.ingest.pdf_rows import with_rows
from hopweave.ingest.recognise import format_of
from hopweave.ingest.split import cut_part
from hopweave.models.replies import reply_of
from hopweave.retrieval.index import links
from hopweave.text import (
    alike_names,
    alternatives,
    answer_kinds,
    citation_marks,
    defaults,
    defined_terms,
    document_names,
    evidence,
    explanations,
    matching,
    quantities,
    refusal,
    sentences,
    table_rows,
    values,
    values_alike,
    values_asked,
    wanted,
)
from hopweave.text import instructions as commands
from hopweave.text import key_terms as keywords

PIECES = (
    *"\"'`“‘([{<>.,:;!?*_#-=|\\&1aQ \t\n\r\xa0\u2060\ud800",
    *("[1]", "[1, 2] ", "1. a\n", "a\n", "- ", "1 -> 2, ", "->", "-->", "---", "Q, ", "1, ", "1-9, ", "(_", "n 1 and ", "&gt;"),
    *("[Query 1]: a\n", "[Answer 1]: b\n", "[Query 1]: a\n[Answer 1]: b\n", "[Unsolved Query]: c\n", "[Final Content]: "),
    *("Thought: a\n", "Action 1: ", "Search[", "Follow up: a\n", "Intermediate answer: b\n", "Question: ", "question "),
    *(
        "Titles: [",
        '"a", ',
        "'a' ",
        '["',
        '{"a":',
        '"\\',
        "A. ",
        "Dr. ",
        "a. ",
        "No! ",
        "no ",
        "not ",
        "son of Ida, ",
        "was possibly ",
        "; a: b",
        "1 of Ida, ",
        "in seconds, 5 ",
        "I do not know. ",
        "the ",
    ),
    *("So the final answer is ", "answer is ", "answer: ", "first, ", "First, a. ", "Search Query: ", "Rationale: ", "\n---\n"),
    *("best choice is ", "need to know ", "Plan:\n", "Solution:\n", "drop 1 ", "keep ", "```\n", "QS: [a] ", '[WikiSearch("'),
    *("<!--", "-->", "<![", "<![CDATA[", "<!", "<?", "<a ", "<a b='", "</", "</p>", "<p>", "<b>", "<script>", "&#1", "“ "),
    *("<search>", "</search>", "<answer> a ", "<think>", "</think>", "<|begin_search_query|>", "<|end_search_query|>"),
    *("\\boxed{", "{", "\\text{a}", "Final information: ", "Final answer: ", "No relevant information ", "Follow-up 2: "),
    *(".TP\n", ".de x\n", ".if n \\{\n", "\\fB", "\\", ".TS\n", "T{\n", '.BR "', "From: a\n", "=?x?b?", "00:01 --> 00:02\n"),
    *("→", ".,", "\n\n", "é", "     \n", "****\n", "Ida "),
)
AROUND = (("a", "b"), ("1. ", "\n"), ("[", "->"), ('"', "."))
SUB_QUESTIONS = ("Who wrote it first?", "Where was she born?", "When was that?")
QUESTIONS = (Question("s", "Who?"), Question("l", "Is it?", "label", ("Yes", "No")), Question("e", "Why?", "long"))

GIVEN = {
    "items": SUB_QUESTIONS,
    "sub_questions": SUB_QUESTIONS,
    "names": ("Rationale", "Search Query", "Answer"),
    "question": "Who wrote it?",
    "num_choices": 3,
    "choices": ("yes", "no"),
    "name": "answer",
    "passage": "The default is None.",
    "num": 3,
    "query": "Who wrote it first?",
    "other": "Who wrote it?",
    "labels": ("Yes", "No"),
    "span": Span(0, 1),
    "fields": {"answer": str, "fact": int, "first": dict},
}
"""What stands behind the text in the signatures of the parsers."""

NOT_TEXT = {"probability_of", "edges_text", "chain_of", "render_nodes", "demanded", "each_once", "fresh", "ordered"}
"""Public functions of the parsers that read no text of a model."""

BASE = 6_000
SLOW = {"document.md": 2_000, "judge": 2_000}
"""Readers of which less shows how they grow: they take longer for each character."""

SECONDS = 0.03
MOST_GROWTH = 12
SHORTEST = 0.01
"""Seconds below which a time says what the processor's caches hold; what grows with the square takes far longer than that."""


def parser_modules():
    """`hopweave.answering.parsing`, what it builds on, and the parsers beside methods, whose docstrings begin with "Parses"."""
    shared = [f"{parsing.__name__}.{module.name}" for module in pkgutil.iter_modules(parsing.__path__)]
    beside = [f"{methods.__name__}.{path.parent.name}.{path.stem}" for path in Path(methods.__path__[0]).glob("*/_*.py")]
    for name in [*shared, "hopweave.text.final", "hopweave.text.refusal", *sorted(beside)]:
        loaded = importlib.import_module(name)
        if name not in beside or loaded.__doc__.startswith("Parses "):
            yield loaded


def parsers():
    """Every public function of a parser that reads a text, by name, as a function of that text alone."""
    for loaded in parser_modules():
        last = loaded.__name__.rpartition(".")[2].lstrip("_")
        for name, function in inspect.getmembers(loaded, inspect.isfunction):
            if function.__module__ == loaded.__name__ and not name.startswith("_") and name not in NOT_TEXT:
                yield from as_readers(f"{last}.{name}", function)


def as_readers(name, function):
    _, *others = inspect.signature(function).parameters.values()
    needed = [one for one in others if one.default is inspect.Parameter.empty and one.kind is not one.VAR_POSITIONAL]
    if name == "final.final_answer":
        yield from ((f"{name}, {one.form}", lambda text, one=one: function(text, one)) for one in QUESTIONS)
        return
    if name == "candidates.parse_candidates":
        yield from ((f"{name}, {one.form}", lambda text, one=one: function(text, one, 2)) for one in QUESTIONS)
        return
    unknown = [one.name for one in needed if one.name not in GIVEN]
    assert not unknown, f"say in GIVEN what {name} is to get for {unknown}, or in NOT_TEXT that it reads no text"
    if name == "follow_ups.cut_before":
        yield name, lambda text: function(text, "final", "question", behind="follow_up")
        return
    if name == "fields.parse_fields":
        yield name, lambda text: function(text, GIVEN["names"], lead="let us see:", ends=("Question", "Context"))
        return
    yield name, lambda text: function(text, *(GIVEN[one.name] for one in needed))


def no_error(function, text):
    try:
        return function(text)
    except DataError:
        return None


CITED = (Claim("Who?", "a", "verified", (Citation(1, "p", 0, 1, "x"),)),)
OTHERS = {
    "links.openings": links.openings,
    **{
        f"document{suffix}": (lambda text, suffix=suffix: no_error(lambda one: read_document(one, suffix), text))
        for suffix in (".txt", ".md", ".html", ".rst", ".man", ".info", ".srt")
    },
    "read_mail": lambda text: no_error(read_mail, text.encode("utf-8", "replace")),
    "format_of": lambda text: format_of(text.encode("utf-8", "replace")),
    "sentence_spans": sentences.sentence_spans,
    "first_sentence": sentences.first_sentence,
    "sentence_around": lambda text: sentences.sentence_around(text, Span(0, 1)),
    "cut_part": lambda text: list(cut_part(Part(text), 200)),
    "load_json": lambda text: no_error(lambda one: load_json(one, "here"), text),
    "fence": lambda text: prompt.fence(text, "A title"),
    "unblunt": prompt.unescape,
    "reply_of": lambda text: reply_of(text, Sampling(stop=("so it was said",))),
    "reply_of thoughts": lambda text: reply_of(f"<think>{text}", Sampling()),
    "settle_marks": lambda text: citation_marks.settle_marks(text, (1,)),
    "locate": lambda text: citing.locate("so it was", text),
    "locate words": lambda text: citing.locate(text, "a passage"),
    "on_one_line": citing.on_one_line,
    "places_of_value": lambda text: list(values.places_of_value("5 seconds", text)),
    "places_of_value of a text": lambda text: list(values.places_of_value(text, "It took five seconds.")),
    "values_of_none": lambda text: refusal.values_of_none("None", text),
    "places_of_quantity": lambda text: list(quantities.places_of_quantity("5 seconds", text)),
    "places_of_quantity of a text": lambda text: list(quantities.places_of_quantity(text, "It took five seconds.")),
    "is_of_another": lambda text: parallels.is_of_another(["Ida"], f"{text} 5 of Otto", Span(len(text) + 1, len(text) + 2)),
    "is_amount_of_another": lambda text: parallels.is_amount_of_another("How deep is it?", f"5 mm {text} 7 mm", Span(0, 1)),
    "is_no_end": lambda text: bounds.is_no_end("What is the maximum?", f"5 to 9 {text}", Span(0, 1)),
    "is_of_another_name": lambda text: alike_names.is_of_another_name("What of X1?", f"5 X2 {text}", Span(0, 1), tuple),
    "sentences_of": places.sentences_of,
    "is_no_default": lambda text: defaults.is_no_default("What is the default?", f"5 {text}", Span(0, 1)),
    "is_in_other_part": lambda text: is_in_other_part(
        "What is the a of B?", f"{text} 7 mg", Span(len(text) + 1, len(text) + 2)
    ),
    "is_of_another_in_order": lambda text: is_in_other_part("What is a?", f"respectively {text} 7", Span(13, 14)),
    "bounds_asked": lambda text: bounds.bounds_asked("What is the maximum?", text, values_alike.values_in(text)),
    "is_of_an_estimate": lambda text: estimates.is_of_an_estimate(
        "What is it?", f"{text} 7", Span(len(text) + 1, len(text) + 2)
    ),
    "is_on_another_line": lambda text: table_rows.is_on_another_line("Who is A?", f"B: c\n{text}\nA: d", Span(3, 4)),
    "is_of_another_case": lambda text: cases.is_of_another_case(
        wanted.Wanted("How much for children?", wanted.content_stems("how much for children")), "", f"£5 {text} £6", Span(0, 2)
    ),
    "is_on_other_side": lambda text: succession.is_on_other_side("Who took over?", f"A {text}", text, Span(0, 1)),
    "is_of_another_of_several": lambda text: rankings.is_of_another_of_several(
        f"Who came to the first meeting? {text}", text, Span(0, 1)
    ),
    "is_of_other_place": lambda text: rankings.is_of_other_place(f"Who came second? {text}", f"Place: 3; Boat: {text}"),
    "is_in_other_band": lambda text: bands.is_in_other_band(
        f"What is it after 5 years? {text}", f"Years: 1 to 4 {text}; Days: 3; {text}", Span(0, 1)
    ),
    "is_in_band": lambda text: bands.is_in_band(text, "Years: 1 to 4; Days: 3."),
    "is_of_another_clause": lambda text: other_clauses.is_of_another_clause(
        "Who has no fee for the wall?", f"A {text}", Span(0, 1), ""
    ),
    "is_in_other_role": lambda text: roles.is_in_other_role("Who does Ada Finch report to?", f"{text} reports", Span(0, 1)),
    "is_stated_in_other_role": lambda text: roles.is_stated_in_other_role(f"Ada Finch reports {text}", f"{text} reports"),
    "is_stated_of_another_clause": lambda text: other_clauses.is_stated_of_another_clause(
        "", f"The wall is 9 {text}", f"A 9 {text}", ""
    ),
    "is_of_another_clause_at_the_end": lambda text: other_clauses.is_of_another_clause(
        "How is the wall?", f"{text} A", Span(len(text) + 1, len(text) + 2), ""
    ),
    "is_one_of_a_list": lambda text: superlatives.is_one_of_a_list("Which is the longest?", f"A {text}", "", Span(0, 1)),
    "parties_in": parties.parties_in,
    "is_told_beside": lambda text: asides.is_told_beside(
        wanted.Wanted("What is it?", wanted.content_stems(text[:99])), f"{text} £5", Span(len(text) + 1, len(text) + 3)
    ),
    "is_one_of_a_row": lambda text: enumerations.is_one_of_a_row("Where is it?", text, Span(0, 1)),
    "words_above": lambda text: document_names.words_above(Passage("p", "", text, f"{text}.txt")),
    "judge.editions": lambda text: support.judge(
        "What does the key cost in version 2?",
        "£7",
        [
            Passage("p", f"{text} The key costs £7.", "Orlau", "fees_v3.txt"),
            Passage("q", f"{text} The key costs £6.", "Orlau", "fees_v2.txt"),
        ],
    ),
    "judge.mail": lambda text: support.judge(
        "What does the key cost?",
        "£7",
        [Passage("p", f"{text} The key costs £7.", "Re", "a.eml#quote=1"), Passage("q", f"{text} It is £6.", "Re", "a.eml")],
    ),
    "title_of": letterhead.title_of,
    "subject_of_letter": lambda text: letterhead.subject_of_letter(f"{text}\n\nDear Ida,\n\n{text}"),
    "rows_without_names": lambda text: term_lists.rows_without_names(text.split("\n")),
    "definitions": lambda text: defined_terms.definitions("Glossary", ["2 Definitions", text[:99]], text),
    "uses of terms": defined_terms.uses,
    "names_another": lambda text: alike_names.names_another(f"the X200 {text}", f"the X300 {text}"),
    "are_of_alike_things": lambda text: alike_names.are_of_alike_things(f"X200 {text}", f"X300 {text}"),
    "asks_for_default": lambda text: defaults.asks_for_default(f"unless I {text}"),
    "kinds_of_values_asked": lambda text: values_asked.kinds_of_values_asked(f"how much {text} for it"),
    "has_value_of": lambda text: values_asked.has_value_of(text, {"time", "date", "clock", "money", "%", "length"}, "de"),
    "alternatives": lambda text: alternatives.alternatives(f"How much heavier is A than B {text}"),
    "kind_asked.german": lambda text: answer_kinds.kind_asked(f"Wie viele gibt es nicht {text}"),
    "is_of_another_of_a_kind": lambda text: contrasts.is_of_another_of_a_kind(
        f"What is the upper tank {text}", f"9 the lower one {text}", Span(0, 1)
    ),
    "is_other_use_of_a_time": lambda text: how_often.is_other_use_of_a_time(
        f"How often {text}", f"{text} for 9", Span(len(text) + 5, len(text) + 6)
    ),
    "is_of_less_fitting_words": lambda text: own_words.is_of_less_fitting_words(
        wanted.content_stems("the fee for dogs"), f"£5 {text} £6", Span(0, 2), values_alike.values_in(f"£5 {text} £6")
    ),
    "move_asked": lambda text: opening_times.move_asked(f"When does it {text}"),
    "opening_or_closing": lambda text: opening_times.opening_or_closing(
        f"{text} from 9 to 5", Span(len(text) + 6, len(text) + 7)
    ),
    "is_in_another_segment": lambda text: segments.is_in_another_segment(
        "Wer ist nicht der Erste?", f"Ida ist nicht die Erste, {text}", Span(0, 3)
    ),
    "is_difference": lambda text: changes.is_difference(f"What is it {text}", f"£5 {text}", Span(0, 2)),
    "is_other_measure": lambda text: values_asked.is_other_measure(f"what is the {text}", f"5 kg {text}"),
    "is_other_end": lambda text: ends.is_other_end("Until when is it lit?", f"from 1 May to 4 June {text}", Span(5, 10)),
    "values_in.german": lambda text: values_alike.values_in(f"Das ist nicht für die {text}"),
    "values_in.finnish": lambda text: values_alike.values_in(f"Se ei ole 5 000 {text}", "fi"),
    "values_in.japanese": lambda text: values_alike.values_in(f"これは12万{text}", "ja"),
    "is_given_up.german": lambda text: given_up.is_given_up("Was kostet das?", f"Das ist nicht {text} 7 Euro", Span(14, 15)),
    "is_of_another_case.german": lambda text: cases.is_of_another_case(
        wanted.Wanted("Was kostet das für Kinder?", wanted.content_stems("für Kinder")),
        "",
        f"Das ist nicht 7 € {text} 5 €",
        Span(14, 15),
    ),
    "is_in_other_part.german": lambda text: is_in_other_part("Was kostet A?", f"Das ist nicht 7 € {text} 5 €", Span(14, 15)),
    "is_replaced": lambda text: negation.is_replaced("What is it?", f"5 {text}", Span(0, 1)),
    "judge": lambda text: support.judge("What does the key cost?", "£7", [Passage("p", f"{text}\nThe key costs £7.", "Orlau")]),
    "judge.who": lambda text: support.judge(
        "Who said that the key costs £7?", "Ida", [Passage("p", f"Ida said that the key costs £7 {text}", "Orlau")]
    ),
    "judge.earlier": lambda text: support.judge(
        "What was agreed for the key in 2024?",
        "£7",
        [Passage("p", f"The proposal of £7 for the key was agreed in 2024, up from £6 a year earlier {text}", "Orlau")],
    ),
    "is_other_row": lambda text: table_rows.is_other_row(
        "What of b?", f"city: {text}; river: a", Span(6, 7), ["city: b; river: c"]
    ),
    "is_other_column": lambda text: table_rows.is_other_column("On which river is it?", f"city: {text}; river: a", Span(6, 7)),
    "tells_of_opposite": lambda text: relations.tells_of_opposite("Where was she born?", text, Span(0, 1)),
    "is_left_open": lambda text: hedges.is_left_open("Where was she born?", text, Span(len(text) - 1, len(text))),
    "leaves_open": lambda text: hedges.leaves_open(text, "Ida Renn was born in Sula."),
    "denies_there": lambda text: negation.denies_there("Where was she born?", text, Span(len(text) - 1, len(text))),
    "is_kin_asked": lambda text: kinship.is_kin_asked("Who is the son of Ida?", text, Span(len(text) - 1, len(text))),
    "is_kin_asked of a text": lambda text: kinship.is_kin_asked(text, "Ida is the son of Otto.", Span(0, 3)),
    "fragments": fragments.fragments,
    "without_marks": citation_marks.without_marks,
    "drop_marks": citation_marks.drop_marks,
    "single_marks": lambda text: list(citation_marks.single_marks(text, range(1000))),
    "words_in": keywords.words_in,
    "only_repeats": lambda text: keywords.only_repeats(text, "who wrote it first?"),
    "longest_shared_run": lambda text: keywords.longest_shared_run("It was Ida Renn of Marlow.", text, "who wrote it first?"),
    "marking.validate_marks": lambda text: marking.validate_marks(text, text[:9], CITED, add_missing=True),
    "commands_in": lambda text: commands.commands_in(text, "who wrote it first?"),
    "without_commands": lambda text: commands.without_commands(Passage("p", text), "who wrote it first?"),
    "normalize_answer": matching.normalize_answer,
    "is_yes_or_no": matching.is_yes_or_no,
    "final_content": path.final_content,
    "listed_titles": finding.listed_titles,
    "chosen_sentences": lambda text: evidence.chosen_sentences(
        "Who wrote it first?", [Hit(Passage("p", text, "A"), 1.0, 1)], 10**9
    ),
    "asks_to_explain": explanations.asks_to_explain,
    "asks_to_explain.german": lambda text: explanations.asks_to_explain(f"Warum ist das nicht {text}"),
    "adopted_phrase": lambda text: adopted_phrase("x", [text] * 3, [Passage("p", text)]),
}
READERS = {**dict(parsers()), **OTHERS}


def is_in_other_part(query, sentence, focus):
    asked = wanted.Wanted(query, wanted.content_stems(query))
    return parts.is_in_other_part(asked, sentence, focus, values_alike.values_in(sentence))


def seconds(reader, text):
    begun = time.process_time()
    reader(text)
    return time.process_time() - begun


def made_of(piece, length, before="", behind=""):
    return before + piece * (length // len(piece)) + behind


def growth(reader, piece, around, length):
    """How many times longer it takes for four times the text, and how long that is; up to three times, until it is not long."""
    shortest, longest = float("inf"), float("inf")
    for turn in range(3):  # each with another text, since readers remember what short ones hold
        shortest = min(shortest, seconds(reader, f"{made_of(piece, length, *around)}{turn}"))
        longest = min(longest, seconds(reader, f"{made_of(piece, 4 * length, *around)}{turn}"))
        if longest < 8 * shortest:
            break
    return longest / max(shortest, SHORTEST), longest


def grows_with_its_text(name, texts):
    reader, length = READERS[name], SLOW.get(name, BASE)
    for piece, around in texts:
        if seconds(reader, made_of(piece, length, *around)) < SECONDS:
            continue
        times, took = growth(reader, piece, around, length)
        assert times < MOST_GROWTH, f"{piece!r} within {around}: {times:.0f} times longer for 4 times the text, {took:.1f} s"


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if name.startswith("judge.") else ()) for name in READERS]
)
def test_time_grows_no_faster_than_the_text(name):
    """An eighth of the pieces, another for each reader in turn, each within one of what may stand around it."""
    turns = list(zip(PIECES, itertools.cycle(AROUND + AROUND[:1]), strict=False))[list(READERS).index(name) % 8 :: 8]
    grows_with_its_text(name, [(piece, around if piece != "\ud800" else AROUND[0]) for piece, around in turns])


@pytest.mark.slow
@pytest.mark.parametrize("quarter", range(4))
@pytest.mark.parametrize("name", READERS)
def test_so_it_is_of_each_piece_within_all_that_may_stand_around_it(name, quarter):
    pieces = PIECES[quarter::4]
    grows_with_its_text(name, [(piece, around) for piece in pieces for around in (AROUND if piece != "\ud800" else AROUND[:1])])


LONGEST = {
    "controller.parse_titled": ("", " ", ".", "'", "Titles: ["),
    "arrows.parse_arrows": ("1. ", "-", "1, ", "_", " "),
    "sentence_spans": ("", "“", "'", "a", "A. "),
    "links.openings": ("", "a.", "module ", "a\t", "a(1"),
    "document.html": ("", "<!--", "<!", "<a ", "<![CDATA["),
    "document.txt": (
        "",
        "a  1  ",
        "\ta\tb\n",
        "\ta\tb\nc\t1\t2\n",
        "a  b  c\nd  1  2\ne  3  4\n\n",
        "a  b\n",
        "a  1  2\n",
        "a\n----------\n",
    ),
    "document.man": ("", "\\", ".de x\n", ".if n \\{", "x\\\n", ".TS\n", '"'),
    "read_mail": ("", "From: a\n", "=?", "\n ", "=?x?b?"),
    "format_of": ("", " \n", "a: b\n", "<!--", '.\\"\n'),
    "numbered.parse_numbered": ("1. ", "a\n", "["),
    "final.short_form": ("", "“", ".,"),
    "chain.parse_chain": ("[Query 1]: a\n[Answer 1]: I don't have the ", " ", "[", "[Answer]: a\n", "[Query "),
    "tool_calls.first_call": ('[WikiSearch("', " ", '"', '")', "[WikiSearch('"),
    "follow_ups.parse_follow_ups": ("Follow up", " ", "*", "1.", "final answer "),
    "actions.read_action": ("Finish[", " ", "[", "]"),
    "fields.parse_fields": ("", "Search Query", "_ "),
    "asks_to_explain": ("W ", "? ", "; ", ": ", ". ", "?! ", "and, ", ", how do ", ", how does work "),
    "asks_to_explain.german": ("", "? ", "? und ", ", wie "),
    "choice.parse_choice": ("", "best choice is ", "9 "),
}
"""What each text begins with, and pieces of which it is made."""


PAGES = {
    "a line": lambda at: (20 * at, 0),
    "running text": lambda at: (10 * (at % 60), 12 * (at // 60)),
    "a column": lambda at: (0, 12 * at),
    "a place": lambda at: (0, 0),
    "stairs": lambda at: (4 * at, 3 * at),
    "two columns": lambda at: (300 * (at % 2), 12 * (at // 2)),
    "a table": lambda at: (60 * (at % 6), 12 * (at // 6)),
    "a wide table": lambda at: (60 * (at % 45), 12 * (at // 45)),
}
"""Where words may stand on a page of a PDF, by their number."""
RULES = {
    "no rules": [],
    "a grid": [rule for at in range(400) for rule in (Rule(0, 12 * at, 900, 12 * at), Rule(20 * at, 0, 20 * at, 900))],
    "rows": [Rule(0, 12 * at, 900, 12 * at) for at in range(400)],
}


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("page", PAGES)
def test_tables_of_a_page_are_found_in_time_that_grows_no_faster_than_its_words(page, rules):
    def reader(text):
        placed = ((word, *PAGES[page](at)) for at, word in enumerate(text.split()))
        with_rows(text, [Word(word, x, y, x + 8, y + 10) for word, x, y in placed], RULES[rules], None)

    if seconds(reader, made_of("7 ", BASE, "Name " * 6)) >= SECONDS:
        times, took = growth(reader, "7 ", ("Name " * 6, ""), BASE)
        assert times < MOST_GROWTH, f"{times:.0f} times longer for 4 times the words, {took:.1f} s"


@pytest.mark.parametrize(
    ("name", "start", "piece"),
    [
        pytest.param(name, start, one, marks=() if one == every[0] else pytest.mark.slow)
        for name, (start, *every) in LONGEST.items()
        for one in every
    ],
)
def test_a_megabyte_is_read_in_time_that_is_linear(name, start, piece):
    times, took = growth(READERS[name], piece, (start, "x"), 1 << 18)
    assert times < MOST_GROWTH, f"{times:.0f} times longer for 4 times the text, {took:.1f} s"


def test_a_passage_is_shown_and_quoted_in_time_that_is_linear():
    def quoted(text):
        passage = Passage("p", text)
        return citing.cite(1, passage, Span(len(text) // 2, len(text) // 2 + 1))

    for piece in ("“", "A. ", " "):
        assert growth(quoted, piece, ("a", "b"), 1 << 16)[0] < MOST_GROWTH
