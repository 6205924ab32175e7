"""A Chain-of-Query is read however the model lays it out, and what cannot be read is said."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.texts import messes

from hopweave.answering.methods.searchain._chain import Chain, ChainNode, parse_chain, render_nodes
from hopweave.text.matching import normalize_answer

UNSOLVED = None
WHO, WHEN = "Who won?", "When was it?"


def pairs(chain: Chain) -> list[tuple[str, str | None]]:
    """Query and answer of each node; `None` for the answer of a node that is unsolved."""
    return [(node.query, UNSOLVED if node.is_unsolved else node.answer) for node in chain.nodes]


LAYOUTS: dict[str, tuple[str, list[tuple[str, str | None]]]] = {
    "the form asked for": (
        "[Query 1]: Who won?\n[Answer 1]: silver\n[Query 2]: When was it?\n[Answer 2]: 1931",
        [(WHO, "silver"), (WHEN, "1931")],
    ),
    "a space before the colon": ("[Query 1] : Who won?\n[Answer 1] : silver", [(WHO, "silver")]),
    "no colon after brackets": ("[Query 1] Who won?\n[Answer 1] silver", [(WHO, "silver")]),
    "a dash instead of the colon": ("[Query 1] - Who won?\n[Answer 1] – silver", [(WHO, "silver")]),
    "a negative number without a colon": ("[Query 1] How cold?\n[Answer 1] -5 degrees", [("How cold?", "-5 degrees")]),
    "a colon inside the brackets": ("[Query 1:] Who won?\n[Answer 1:] silver", [(WHO, "silver")]),
    "everything inside the brackets": ("[Query 1: Who won?]\n[Answer 1: silver]", [(WHO, "silver")]),
    "spaces inside the brackets": ("[ Query  1 ]: Who won?\n[ Answer 1 ]: silver", [(WHO, "silver")]),
    "no space before the number": ("[Query1]: Who won?\n[Answer1]: silver", [(WHO, "silver")]),
    "a number sign": ("Query #1: Who won?\nAnswer #1: silver", [(WHO, "silver")]),
    "lower and upper case": ("[query 1]: Who won?\n[ANSWER 1]: silver", [(WHO, "silver")]),
    "no brackets": ("Query 1: Who won?\nAnswer 1: silver", [(WHO, "silver")]),
    "neither brackets nor numbers": ("Query: Who won?\nAnswer: silver", [(WHO, "silver")]),
    "bold around the marker": ("**[Query 1]**: Who won?\n**[Answer 1]**: silver", [(WHO, "silver")]),
    "bold around the marker and its colon": ("**Query 1:** Who won?\n**Answer 1:** silver", [(WHO, "silver")]),
    "bold within the brackets": ("[**Query 1**]: Who won?\n[**Answer 1**]: silver", [(WHO, "silver")]),
    "bold around whole lines": ("**[Query 1]: Who won?**\n**[Answer 1]: silver**", [(WHO, "silver")]),
    "bold around the words": ("[Query 1]: **Who won?**\n[Answer 1]: **silver**", [(WHO, "silver")]),
    "underscores": ("__Query 1__: Who won?\n_Answer 1_: silver", [(WHO, "silver")]),
    "emphasis that begins the query": (
        "[Query 1]: *Hamlet* was written by whom?\n[Answer 1]: *Marlowe* or *Bacon*",
        [("*Hamlet* was written by whom?", "*Marlowe* or *Bacon*")],
    ),
    "headings": ("### Query 1: Who won?\n### Answer 1: silver", [(WHO, "silver")]),
    "headings without a colon": ("### Query 1\nWho won?\n### Answer 1\nsilver", [(WHO, "silver")]),
    "the flag as a heading": (
        "### Query 1\nWho won?\n### Answer 1\nsilver\n\n### Unsolved Query\nWhen was it?",
        [(WHO, "silver"), (WHEN, UNSOLVED)],
    ),
    "the flag as an answer under a heading": (
        "### Query 1\nWho won?\n### Answer 1\nUnsolved Query\n### Query 2\nWhen was it?\n### Answer 2\n1931",
        [(WHO, UNSOLVED), (WHEN, "1931")],
    ),
    "bullets": ("- [Query 1]: Who won?\n  * [Answer 1]: silver", [(WHO, "silver")]),
    "a numbered list": ("1. [Query 1]: Who won?\n2) **Answer 1**: silver", [(WHO, "silver")]),
    "a quotation": ("> [Query 1]: Who won?\n> [Answer 1]: silver", [(WHO, "silver")]),
    "a word before the marker": ("Step 1: [Query 1]: Who won?\n[Answer 1]: silver", [(WHO, "silver")]),
    "numbered questions": ("Question 1: Who won?\nAnswer 1: silver", [(WHO, "silver")]),
    "the task's question first": ("[Question]: Long one?\n[Query 1]: Who won?\n[Answer 1]: silver", [(WHO, "silver")]),
    "talk before and after": (
        "Sure, here it is.\n\n[Query 1]: Who won?\n[Answer 1]: silver\n\nI hope this helps.",
        [(WHO, "silver")],
    ),
    "the answer on the query's line": (
        "[Query 1]: Who won? [Answer 1]: silver [Query 2]: When was it? [Answer 2]: 1931",
        [(WHO, "silver"), (WHEN, "1931")],
    ),
    "the answer on the query's line in bold": ("**[Query 1]:** Who won? **[Answer 1]:** silver", [(WHO, "silver")]),
    "brackets in the query": (
        "[Query 1]: Who wrote [X] book [1]?\n[Answer 1]: the [late] author",
        [("Who wrote [X] book [1]?", "the [late] author")],
    ),
    "the text on the next line": ("[Query 1]:\nWho won?\n[Answer 1]:\n\n  silver", [(WHO, "silver")]),
    "a query over two lines": ("[Query 1]: Who\n  won?\n[Answer 1]: silver", [(WHO, "silver")]),
    "a query over two lines that has no question mark": (
        "[Query 1]: the winner\nof the race\n[Answer 1]: silver",
        [
            ("the winner of the race", "silver"),
        ],
    ),
    "a title with a question mark at the end of a line": (
        '[Query 1]: Who sang "Who Won?"\nin 1931?\n[Answer 1]: silver',
        [('Who sang "Who Won?" in 1931?', "silver")],
    ),
    "a query that goes on with a capital letter": (
        "[Query 1]: Who sang\nI Will Win?\n[Answer 1]: silver",
        [("Who sang I Will Win?", "silver")],
    ),
    "a query that goes on like talk, in small letters": (
        "[Query 1]: the mayor of Orlau\nthen and\nthe chain he wore\n[Answer 1]: gold",
        [("the mayor of Orlau then and the chain he wore", "gold")],
    ),
    "talk below a flagged query": (
        "[Query 1]: Who won?\n[Answer 1]: silver\n[Unsolved Query]: When was it?\nI don't know the answer, so I stop here.",
        [(WHO, "silver"), (WHEN, UNSOLVED)],
    ),
    "talk in brackets below a flagged query": (
        "[Unsolved Query]: **When was it?**\n(I will stop here and wait.)",
        [(WHEN, UNSOLVED)],
    ),
    "a note below a query": ("[Query 1]: Who won?\n- Note: the race of 1931\n[Answer 1]: silver", [(WHO, "silver")]),
    "talk below a query without a question mark": (
        "[Unsolved Query]: Glass Mill [SEP] location\nI do not know the answer, so I stop here.",
        [("Glass Mill [SEP] location", UNSOLVED)],
    ),
    "a flag at the end of a query": ("[Query 1]: Who won? [Unsolved Query]", [(WHO, UNSOLVED)]),
    "a flag in bold at the end of a query": ("**[Query 1]**: Who won? **[Unsolved Query]**", [(WHO, UNSOLVED)]),
    "a flag at the end of a flagged query": ("[Unsolved Query]: Who won? (unsolved)", [(WHO, UNSOLVED)]),
    "a query that speaks of what is unsolved": (
        "[Query 1]: Which case is (unsolved) still?\n[Answer 1]: silver",
        [("Which case is (unsolved) still?", "silver")],
    ),
    "line breaks of Windows": ("[Query 1]: Who won?\r\n[Answer 1]: silver\r\n\r\nTalk.\r\n", [(WHO, "silver")]),
    "line breaks of old Macs": ("[Query 1]: Who won?\r[Answer 1]: silver", [(WHO, "silver")]),
    "quotes round the query": ('[Query 1]: "Who won?"\n[Answer 1]: “silver”', [(WHO, "silver")]),
    "quotes at both ends of the query": (
        '[Query 1]: "Kid A" or "OK Computer"\n[Answer 1]: "x" and "y"',
        [('"Kid A" or "OK Computer"', '"x" and "y"')],
    ),
    "colons and addresses": (
        "[Query 1]: What is at https://a.b/c?d=[e]: a page?\n[Answer 1]: 2001: A Space Odyssey",
        [("What is at https://a.b/c?d=[e]: a page?", "2001: A Space Odyssey")],
    ),
    "marker words in the text": (
        "[Query 1]: What is the answer to Query 1 of the final content?\n[Answer 1]: the answer, unsolved query",
        [("What is the answer to Query 1 of the final content?", "the answer, unsolved query")],
    ),
    "other scripts": (
        "[Query 1]: 北京在哪里？ 😀 𝒳\n[Answer 1]: Łódź – naïve",
        [("北京在哪里？ 😀 𝒳", "Łódź – naïve")],
    ),
    "all queries before all answers": (
        "[Query 1]: Who won?\n[Query 2]: When was it?\n[Answer 1]: silver\n[Answer 2]: 1931",
        [(WHO, "silver"), (WHEN, "1931")],
    ),
    "all queries before all answers, no numbers": (
        "[Query]: Who won?\n[Query]: When was it?\n[Answer]: silver\n[Answer]: 1931",
        [(WHO, "silver"), (WHEN, "1931")],
    ),
    "numbers on the answers only": (
        "[Query]: Who won?\n[Query]: When was it?\n[Answer 1]: silver\n[Answer 2]: 1931",
        [(WHO, "silver"), (WHEN, "1931")],
    ),
    "numbers from 0, queries first": (
        "[Query 0]: Who won?\n[Query 1]: When was it?\n[Answer 0]: silver\n[Answer 1]: 1931",
        [(WHO, "silver"), (WHEN, "1931")],
    ),
    "the first query has no answer": (
        "[Query 1]: Who won?\n[Query 2]: When was it?\n[Answer 2]: 1931",
        [(WHO, UNSOLVED), (WHEN, "1931")],
    ),
    "the first query has no answer, no numbers": (
        "Query: Who won?\nQuery: When was it?\nAnswer: 1931",
        [(WHO, UNSOLVED), (WHEN, "1931")],
    ),
    "the answered query has no words": ("[Query 1]: Who won?\n[Query 2]:\n[Answer 2]: 1931", [(WHO, UNSOLVED)]),
    "an answer with a slip in its number": ("[Query 1]: Who won?\n[Answer 2]: silver", [(WHO, "silver")]),
    "an empty answer": ("[Query 1]: Who won?\n[Answer 1]:", [(WHO, UNSOLVED)]),
    "the flag after its query": ("[Query 1]: Who won?\n[Unsolved Query]: Who won?", [(WHO, UNSOLVED)]),
    "the flag after its query in other case": ("[Query 1]: Who won?\n[Unsolved Query]: who won", [(WHO, UNSOLVED)]),
    "the flag without words": ("[Query 1]: Who won?\n[Unsolved Query]", [(WHO, UNSOLVED)]),
    "the flag with the number of its query": (
        "[Query 1]: Who won?\n[Unsolved Query 1]: Who won the cup?",
        [("Who won the cup?", UNSOLVED)],
    ),
    "a flag with other words": (
        "[Query 1]: Who won?\n[Unsolved Query]: When was it?",
        [(WHO, UNSOLVED), (WHEN, UNSOLVED)],
    ),
    "the flag alone": ("[Unsolved Query]: Who won?", [(WHO, UNSOLVED)]),
    "the flag alone after a node": (
        "[Query 1]: Who won?\n[Answer 1]: silver\n[Unsolved Query]: When was it?",
        [(WHO, "silver"), (WHEN, UNSOLVED)],
    ),
    "flag of one query after another query": (
        "[Query 1]: Who won?\n[Query 2]: When was it?\n[Unsolved Query]: Who won?\n[Answer 2]: 1931",
        [(WHO, UNSOLVED), (WHEN, "1931")],
    ),
    "both ways, as in figure 16": (
        "[Query 1]: Who won?\nIf you don't know the answer:\n[Unsolved Query]: Who won?\nIf you know it:\n[Answer 1]: x",
        [(WHO, UNSOLVED)],
    ),
    "an instruction repeated": ("[Query 1]: Who won?\n[Answer 1]: silver\nPlease stop here.", [(WHO, "silver")]),
    "gaps in the numbers": (
        "[Query 2]: Who won?\n[Answer 2]: silver\n[Query 7]: When was it?\n[Answer 7]: 1931",
        [(WHO, "silver"), (WHEN, "1931")],
    ),
    "numbers repeated": (
        "[Query 1]: Who won?\n[Answer 1]: silver\n[Query 1]: When was it?\n[Answer 1]: 1931",
        [(WHO, "silver"), (WHEN, "1931")],
    ),
    "numbers repeated, the first without an answer": (
        "[Query 1]: Who won?\n[Query 1]: When was it?\n[Answer 1]: 1931",
        [(WHO, UNSOLVED), (WHEN, "1931")],
    ),
    "a number of many digits": (f"[Query {'9' * 50}]: Who won?\n[Answer]: silver", [(WHO, "silver")]),
    "an answer referenced in a later query": (
        "[Query 1]: Who won?\n[Answer 1]: silver\n[Query 2]: When did [Answer 1] run?\n[Answer 2]: 1931",
        [(WHO, "silver"), ("When did silver run?", "1931")],
    ),
    "a sentence referenced in a later query": (
        "[Query 1]: Who won the race?\n[Answer 1]: The race was won by Ida Renn, who runs.\n"
        "[Query 2]: When was [Answer 1] born?\n[Answer 2]: 1931",
        [("Who won the race?", "The race was won by Ida Renn, who runs."), ("When was Ida Renn born?", "1931")],
    ),
    "an answer of two paragraphs": (
        "[Query 1]: Who won?\n[Answer 1]: The winner was Ida Renn.\n\nShe ran for Orlau.\n\n"
        "[Query 2]: When was it?\n[Answer 2]: 1931",
        [(WHO, "The winner was Ida Renn. She ran for Orlau."), (WHEN, "1931")],
    ),
    "an answer of two paragraphs at the end": (
        "[Query 1]: Who won?\n[Answer 1]: The winner was Ida Renn.\n\nShe ran for Orlau.\n\nI hope this helps.",
        [(WHO, "The winner was Ida Renn. She ran for Orlau.")],
    ),
    "an answer that is a list": (
        "[Query 1]: Who won?\n[Answer 1]: These won:\n\n- Ida Renn\n\n- Liv Aas\n\nI hope this helps.",
        [(WHO, "These won: - Ida Renn - Liv Aas")],
    ),
    "talk after a few words": ("[Query 1]: Who won?\n[Answer 1]: Ida Renn\n\nShe ran for Orlau.", [(WHO, "Ida Renn")]),
    "a paragraph after a query": ("[Query 1]: Who won?\n\nThis asks for a person.\n[Answer 1]: silver", [(WHO, "silver")]),
    "an answer referenced that is not known": (
        "[Query 1]: Who won?\n[Answer 1]: unknown\n[Query 2]: When did [Answer 1] run?\n[Answer 2]: 1931",
        [(WHO, UNSOLVED), ("When did [Answer 1] run?", "1931")],
    ),
    "a query that references its own answer": (
        "[Query 1]: Is [Answer 1] right?\n[Answer 1]: silver",
        [("Is [Answer 1] right?", "silver")],
    ),
    "a second example": (
        "[Query 1]: Who won?\n[Answer 1]: silver\n\nExample:\n[Question]: Other?\n[Query 1]: Else?\n[Answer 1]: x",
        [(WHO, "silver")],
    ),
    "empty": ("", []),
    "blank": (" \n\t ", []),
    "prose": ("I think that the answer is silver. My query was answered.", []),
}


@pytest.mark.parametrize(("text", "expected"), LAYOUTS.values(), ids=LAYOUTS)
def test_each_layout_gives_every_query_its_own_answer(text, expected):
    assert pairs(parse_chain(text)) == expected


def test_an_answer_that_comes_after_the_flag_is_kept_and_the_node_stays_flagged():
    node = parse_chain("[Query 1]: Who won?\n[Unsolved Query]: Who won?\n[Answer 1]: silver").nodes[0]
    assert (node.answer, node.is_unsolved) == ("silver", True)


IGNORANCE = """
I don't know | I don’t know. | I do not know the answer | I'm not sure. | I’m not sure about this | I am unable to answer that
I cannot find the answer | We don't have enough information | I do not have access to this information | Sorry, I can't say
unknown | Unknown. | (unknown) | **Unknown** | It is unknown | The answer is not known | it's unclear from the passage
Unknown, as no source says so. | Unknown - it is not recorded. | unknown at this time | Not specified in the question.
not mentioned | Not available | not yet known | N/A | n/a | None | none. | No answer | No information is available
No information about him | No helpful information found. | No relevant information was found
Unsolved | Unsolved Query | unanswered | ? | ??? | - | ... | … | ____
"""
KNOWLEDGE = """
None of the Above (film) | None of the Above | None but the Lonely Heart | Unknown Pleasures | Unknown (2011 film)
the unknown soldier | N.A.S.A. | No Country for Old Men | Not Fade Away | ...And Justice for All | I Don't Know How to Love Him
I Don't Want to Miss a Thing | I Can't Help Myself | I Do Not Want What I Haven't Got | We Don't Need Another Hero
Unsolved Mysteries | Unanswered Prayers | Uncertain, Texas | -5 | --5 degrees | .5 | No | no | No, it was not | Na
0 | Nonesuch
Not found guilty | No Answerphone | +
"""


@pytest.mark.parametrize("answer", [part.strip() for part in re.split(r"[|\n]", IGNORANCE) if part.strip()])
def test_an_answer_that_says_no_more_than_that_it_is_not_known_counts_as_unsolved(answer):
    node = parse_chain(f"[Query 1]: Who won?\n[Answer 1]: {answer}").nodes[0]
    assert (node.answer, node.is_unsolved) == ("", True)


@pytest.mark.parametrize("answer", [part.strip() for part in re.split(r"[|\n]", KNOWLEDGE) if part.strip()])
def test_a_name_that_begins_like_ignorance_is_an_answer(answer):
    node = parse_chain(f"[Query 1]: Who won?\n[Answer 1]: {answer}").nodes[0]
    assert (node.answer, node.is_unsolved) == (answer, False)


FINALS = {
    "one line": ("[Final Content]: It was silver [1].", "It was silver [1]."),
    "the next line": ("[Final Content]:\n\nIt was silver.", "It was silver."),
    "bold": ("**[Final Content]:** It was silver.", "It was silver."),
    "without brackets": ("Final Content: It was silver.", "It was silver."),
    "by another name": ("**Final Answer**: It was silver.", "It was silver."),
    "a heading": ("### Final Content\nIt was silver [1].", "It was silver [1]."),
    "a closed heading": ("## Final Answer ##\n\nIt was silver.", "It was silver."),
    "a heading in bold": ("**Final Content**\n\nIt was silver.", "It was silver."),
    "a heading of plain words": ("Final Content\nIt was silver.", "It was silver."),
    "a heading in small letters": ("\n\n### final content\nIt was silver.", "It was silver."),
    "a numbered heading": ("2. **Final Content**\nIt was silver.", "It was silver."),
    "two headings": (
        "### Final Content\nIt was silver [1].\n\n**Final Answer**\nsilver",
        "It was silver [1].\n**Final Answer**\nsilver",
    ),
    "several lines": ("[Final Content]: One.\n\nTwo.\nSo the final answer is x.", "One.\nTwo.\nSo the final answer is x."),
    "markers inside a line": (
        "[Final Content]: As [Query 1]: asks and [Answer 1]: says, silver.",
        "As [Query 1]: asks and [Answer 1]: says, silver.",
    ),
    "lines that begin with an answer": (
        "[Final Content]: Thus:\n[Answer 1]: silver\nAnswer: silver\nFinal answer: silver",
        "Thus:\n[Answer 1]: silver\nAnswer: silver\nFinal answer: silver",
    ),
    "another example follows": ("[Final Content]: Silver.\n\nExample:\n[Question]: Else?\n[Query 1]: Else?", "Silver."),
    "another chain follows": ("[Final Content]: Silver.\n[Query 1]: Else?\n[Answer 1]: x", "Silver."),
}


@pytest.mark.parametrize(("text", "final"), FINALS.values(), ids=FINALS)
def test_final_content_holds_all_that_follows_it_but_another_chain(text, final):
    chain = parse_chain(f"[Query 1]: Who won?\n[Answer 1]: silver\n{text}")
    assert chain.final == final
    assert pairs(chain) == [(WHO, "silver")]


def test_a_heading_of_the_final_content_ends_an_answer_of_sentences():
    chain = parse_chain("[Query 1]: Who won?\n[Answer 1]: Ida Renn won the race.\n\n### Final Content\nIt was Ida Renn [1].")
    assert pairs(chain) == [(WHO, "Ida Renn won the race.")]
    assert (chain.final, chain.problems) == ("It was Ida Renn [1].", ())


@pytest.mark.parametrize(
    "words", ["so the\nfinal answer\nis silver.", "The final answer\nis silver.", "Final answers\nare given."]
)
def test_a_sentence_that_is_wrapped_at_the_words_is_no_heading(words):
    assert pairs(parse_chain(f"[Query 1]: Who won?\n[Answer 1]: {words}")) == [(WHO, " ".join(words.split()))]


@pytest.mark.parametrize("text", ["### Final Content\nIt was silver.", "I plan it.\n\n**Final Answer**\nsilver"])
def test_a_heading_without_a_chain_has_no_final_content_but_ends(text):
    chain = parse_chain(text)
    assert (chain.nodes, chain.final, chain.is_ended) == ((), "", True)


PROBLEMS = {
    "": "the reply is empty",
    "prose": "no marker such as [Query 1]: was found",
    "[Final Content]: x": "no query was found",
    "[Query 1]:\n[Answer 1]: x": "query 1 has no words",
    "[Unsolved Query]:": "an unsolved query has no words",
    "[Answer 3]: x": "answer 3 belongs to no query",
    "[Answer]: x": "an answer belongs to no query",
    "[Query 1]: a\n[Answer 1]: x\n[Answer 1]: y": "answer 1 belongs to no query",
    "[Query 4]: a": "query 4 has neither an answer nor a flag; it counts as unsolved",
    "[Query 4]: a?\nI am not sure.": "what stands below query 4 is no part of it, and is left out",
    "[Query]: a?\nAda": "what stands below query 1 is no part of it, and is left out",
    "[Unsolved Query]: a\nLet me wait.": "what stands below an unsolved query is no part of it, and is left out",
    "[Query 1]: a\n[Answer 1]: x\n[Question]: b": "another example or chain begins; the rest is left out",
    "[Query 1]: a\n[Answer 1]: x\n[Final Content]: f\n[Query 1]: b": "another example or chain begins; the rest is left out",
}


@pytest.mark.parametrize(("text", "problem"), PROBLEMS.items())
def test_what_could_not_be_read_is_said(text, problem):
    assert problem in parse_chain(text).problems


def test_a_chain_in_the_form_asked_for_has_no_problems():
    text = "[Query 1]: a\n[Answer 1]: x\n[Unsolved Query]: b\n[Final Content]: f"
    assert parse_chain(text).problems == ()


@pytest.mark.parametrize("end", ["", "\n```", "\n---", "\n\nI hope this helps.", "\nPlease stop here."])
def test_what_says_nothing_of_the_chain_is_no_problem_below_a_query(end):
    chain = parse_chain(f"```\n[Unsolved Query]: Who won?{end}")
    assert (pairs(chain), chain.problems) == ([(WHO, UNSOLVED)], ())


CUT_OFF = {
    "in a query": ("[Unsolved Query]: When was", [(WHO, "silver")], "the last query is cut off at max_tokens"),
    "at the end of a query": ("[Query 2]: When was it?", [(WHO, "silver")], "the last query is cut off at max_tokens"),
    "in a query that refers to an answer": (
        "[Query 2]: Where was [Answer 1] bo",
        [(WHO, "silver")],
        "the last query is cut off at max_tokens",
    ),
    "in an answer": (
        "[Query 2]: When was it?\n[Answer 2]: **12 Ma",
        [(WHO, "silver"), (WHEN, "12 Ma")],
        "the last answer is cut off at max_tokens",
    ),
    "before an answer": (
        "[Query 2]: When was it?\n[Answer 2]:",
        [(WHO, "silver"), (WHEN, UNSOLVED)],
        "the last answer is cut off at max_tokens",
    ),
    "in a query in brackets": ("[Query 2: When was", [(WHO, "silver")], "the last query is cut off at max_tokens"),
    "in the final content": ("[Final Content]: It\nwas si", [(WHO, "silver")], "the final content is cut off at max_tokens"),
    "in a marker": ("[Unsolved Qu", [(WHO, "silver")], "the last marker is cut off at max_tokens"),
}


@pytest.mark.parametrize(("end", "expected", "problem"), CUT_OFF.values(), ids=CUT_OFF)
def test_a_query_that_is_cut_off_is_left_out_and_anything_else_kept_and_said(end, expected, problem):
    text = f"[Query 1]: Who won?\n[Answer 1]: silver\n{end}"
    chain = parse_chain(text, is_whole=False)
    assert pairs(chain) == expected
    assert problem in chain.problems
    assert chain.final == ("It\nwas si" if "final" in problem else "")
    assert not any("cut off" in problem for problem in parse_chain(text).problems)


@pytest.mark.parametrize(
    "end",
    [
        "\n\nI hope that this hel",  # talk
        "\n[Unsolved Query]: When was it?\nI do not kno",
        "\n[Final Content]: Silver.\n\nExample:\n[Question]: Wh",
        "\n[Question]: Else?\n[Query 1]: Who is",
    ],
)
def test_what_is_cut_off_behind_the_chain_takes_nothing_from_it(end):
    text = f"[Query 1]: Who won?\n[Answer 1]: silver{end}"
    assert parse_chain(text, is_whole=False) == parse_chain(text)


def test_a_chain_of_200_nodes_is_read_in_order():
    nodes = [ChainNode(number, f"query {number} of many", f"result {number}", is_unsolved=False) for number in range(1, 201)]
    assert list(parse_chain(render_nodes(nodes)).nodes) == nodes


def test_rendered_nodes_keep_to_one_line_each():
    node = ChainNode(1, "Who\nwon?", "sil\n\n[Query 2]: ver", is_unsolved=False)
    assert render_nodes([node]).split("\n") == ["[Query 1]: Who won?", "[Answer 1]: sil [Query 2]: ver"]


# -- properties --------------------------------------------------------------------------------------------------------

SIGNS = list("[]:*_#->.,?!()\"'12 \n\r")
NAMES = ["query", "Answer", "unsolved", "question", "final", "content", "unknown", "example", "**", "\r\n", "99", "😀"]
WHOLE = ["[Query 1]: ", "[Answer 1]: ", "[Unsolved Query]: ", "[Final Content]: ", "[Question]: ", "[Answer 1]", "[Query"]
MESSES = messes([*SIGNS, *NAMES, *WHOLE, "\nAnswer:"], max_pieces=30)


@given(st.one_of(MESSES, st.text()))
def test_any_text_is_read_without_an_error(text):
    chain = parse_chain(text)
    assert [node.number for node in chain.nodes] == list(range(1, len(chain.nodes) + 1))
    assert all(node.query and (node.answer or node.is_unsolved) for node in chain.nodes)
    assert chain.nodes or chain.problems
    assert len(parse_chain(text, is_whole=False).nodes) <= len(chain.nodes)


def collapsed(text: str) -> str:
    return " ".join(text.split())


@given(MESSES)
def test_every_query_stands_in_the_text(text):
    for node in parse_chain(text.replace("[Answer 1]", "[Answer 1]:")).nodes:  # without references, which are replaced
        assert collapsed(node.query) in collapsed(text.replace("[Answer 1]", "[Answer 1]:"))


# Words that cannot be markers, Markdown, quotation marks, references or ignorance: those are what the parser takes off or acts
# on, so a node that is made of them is not given back as it was. Letters and digits with harmless punctuation are.
WORDS = st.lists(st.from_regex(r"[b-mo-zé0-9]{1,6}[,?]?", fullmatch=True), min_size=1, max_size=5).map(" ".join)


@st.composite
def chains(draw):
    queries = draw(st.lists(WORDS, max_size=6, unique_by=normalize_answer))  # equal words would be one node
    answers = [draw(st.one_of(st.none(), WORDS)) for _ in queries]
    return [
        ChainNode(number, query, answer or "", is_unsolved=answer is None)
        for number, (query, answer) in enumerate(zip(queries, answers, strict=True), 1)
    ]


@pytest.mark.slow
@given(chains())
def test_rendered_nodes_are_read_back_as_they_were(nodes):
    chain = parse_chain(render_nodes(nodes))
    assert list(chain.nodes) == nodes
    assert chain.problems == () or not nodes
