"""What every word and sign of a drawing means, and how a whole answer stands in one sentence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hopweave.core.types import Answer, Verdict
from hopweave.record import Record
from hopweave.show.outline import SIGNS, TONES, Outline, Tone
from hopweave.show.plain import counted

SUPPORT: dict[str, str] = {
    "supported": "a passage holds the claim's own words, and the reader does not deny it",
    "contradicted": "no passage bears the claim out, and one answers the same query otherwise",
    "unsupported": "no passage that was found bears the claim out, or the method's check speaks against it; it may be true",
}
"""How a claim stands (`hopweave.citations.support`; docs/support.md)."""

ORIGINS: dict[str, str] = {
    "model": "the model's own words; nothing checked them",
    "verified": "the model's own words, which passed the method's check against a passage",
    "corrected": "a passage said otherwise, and its words replaced the model's",
    "completed": "the model left the query open, and a passage's words filled it",
    "retrieved": "written by the model with the passages before it",
    "yours": "not the model's: words that were put in their place when the question was asked again",
}
"""How a claim came to be, which is the method's business."""

LABELS: dict[str, str] = {
    "abandoned": "a query that a later chain leaves out",
    "action": "what the model decided to do next",
    "again": "the model is asked once more, since what it wrote was of no use",
    "answer": "an answer to a part",
    "ask_again": "the model ended its turn and is asked for the next sentence",
    "branch": "a new chain of queries, written because of what stands above it",
    "call": "what the model called for",
    "candidate": "one of several next steps that are compared",
    "commands": "sentences of a passage that command instead of stating something; the model does not see them",
    "compared": "the answer that code gives from two values",
    "cut": "more than the limit allows; the rest is left out",
    "decomposition": "whether the sub-question has to be decomposed further",
    "demonstrate": "a worked example is made",
    "demonstration": "a worked example that is shown to the model",
    "demonstrations": "the worked examples that are shown to the model",
    "disagreement": "documents answer the query differently, and no answer has a majority",
    "discarded": "a worked example that is not used",
    "dropped": "a sub-question that the model calls irrelevant",
    "drift": "the work left the way of the earlier record before it was to, so a change or a finding is not as expected",
    "duplicate": "a query that was asked before, perhaps in other words; it is not processed again",
    "edit": "a sentence that is checked against passages",
    "edited": "the sentence after that check",
    "end": "the model asks nothing more",
    "enough": "the model wants nothing more looked up",
    "evidence": "the passages that a step may use",
    "fallback": "the first way came to no answer, so the second is taken",
    "follow_up": "a follow-up question that the model asks",
    "gate": "whether the samples agree well enough to be left alone",
    "graph": "the sub-questions and which of them need the answers of others",
    "held": "how many passages are kept so far",
    "hop": "one round of queries",
    "kept": "what goes on to the next step",
    "level": "one step of the search tree",
    "limit": "a limit was reached, and the work ends here",
    "rewritten": "a follow-up question as it reads without the conversation before it",
    "no_search": "nothing is searched for, for the reason given",
    "no_terms": "a query of stop words or punctuation alone, for which a search by words can find nothing",
    "node": "a query of the chain or graph, with the model's answer",
    "note": "what to know of the options: a theta that is another reader's, or a number that the paper leaves open",
    "offline": "a stage that is made once for all questions of a run; its calls are counted apart",
    "outvoted": "documents whose answer fewer documents give; they are left out",
    "overflow": "what was written leaves no room for an answer",
    "packed": "how much fits into the model's context",
    "paragraph": "one of the paragraphs that are answered from, each alone",
    "path": "a query that the answer rests on, in order, with the answer it has in the end",
    "plan": "the steps that the model means to take",
    "probe": "whether the model says that it can answer by itself",
    "query": "a query that is sent to the retriever",
    "reading": "an answer read from numbered facts, with what speaks against it",
    "recitation": "what the model recites from memory",
    "repair": "something malformed was made usable, as described",
    "repeated": "the same as before; the work ends or goes on without it",
    "retrieve": "whether passages are needed",
    "revised": "a query whose answer the model changed later",
    "rewrite": "a sub-question, written anew with the answers before it",
    "sample": "one of several replies to the same prompt",
    "scorer": "how candidates were ranked",
    "sentence": "a sentence of the reasoning",
    "side": "one of two things that are compared, with its value",
    "step": "one step of the reasoning",
    "stop": "why the work ended",
    "sub_question": "a part of the question",
    "titles": "titles that bound what is searched",
    "tree": "the root of the search tree",
    "parse failure": "model output that could not be parsed; it is counted and never taken for an answer",
    "verdict": "how the query stands after the method's check",
    "voice": "a document that is read alone, to vote",
    "values": "what the ratings of each candidate add up to",
    "vote": "how the replies or candidates voted",
    "withheld": "the answer that was withheld, since no passage bears it out",
}
"""What the labels of decisions mean. A label of a method from elsewhere explains itself or stays unexplained."""

CONFIDENCE = (
    "f",
    "how sure the reader is that a passage answers the query; its scale is the reader's own, and SearChain corrects an answer "
    "only where f is above its threshold theta",
)
AFTER = ("after #n", "had to wait for step n")
FROM_STORE = ("from the store", "answered by a stored reply; no model was asked")
MARK = ("[k]", "the words of a passage on which the sentence rests: citation k")


@dataclass(frozen=True, slots=True)
class Entry:
    """A word or sign, and what it means."""

    word: str
    meaning: str


def legend_of(record: Record, outline: Outline) -> list[Entry]:
    """The words and signs that a drawing of a record shows, each once, in the order: support, origins, marks, labels."""
    nodes = [node for node, _ in outline.walk()]
    claims = record.answer.claims if record.answer is not None else ()
    supports = {*(claim.support for claim in claims), *(node.verdict for node in nodes)}
    origins = {*(claim.origin for claim in claims), *(node.origin for node in nodes)}
    labels = {node.label for node in nodes if node.kind in ("decision", "parse_failure")}
    entries = [Entry(f"{SIGNS[word]} {word}", meaning) for word, meaning in SUPPORT.items() if word in supports]
    entries += [Entry(word, meaning) for word, meaning in ORIGINS.items() if word in origins]
    if record.answer is not None and record.answer.citations:
        entries.append(Entry(*MARK))
    entries += [Entry(word, meaning) for word, meaning in LABELS.items() if word in labels]
    if any(node.confidence is not None for node in nodes):
        entries.append(Entry(*CONFIDENCE))
    if any(node.after for node in nodes):
        entries.append(Entry(*AFTER))
    if any(node.from_store for node in nodes):
        entries.append(Entry(*FROM_STORE))
    return entries


@dataclass(frozen=True, slots=True)
class Banner:
    """How a whole answer stands, for people.

    Attributes:
        sign: tells it without colour.
        tone: tells it in colour.
        headline: in a few words.
        counts: how many claims rest on a passage, and what says otherwise.
    """

    sign: str
    tone: Tone
    headline: str
    counts: str


def banner_of(answer: Answer) -> Banner:
    """How an answer stands. One that abstains, or has no words, claims nothing and is neither good nor bad."""
    verdict = answer.verdict
    counts = "; ".join(_counts(verdict))
    if not answer.short.strip():
        return Banner("-", "quiet", "No answer is given", counts)
    headline = {
        "supported": "The answer rests on a passage",
        "contradicted": "A passage says otherwise",
        "unsupported": "The answer rests on no passage",
    }[verdict.support]
    if answer.cites_without_support:
        headline = "The passage that is cited does not settle the answer"
    return Banner(SIGNS[verdict.support], TONES[verdict.support], headline, counts)


def _counts(verdict: Verdict) -> Iterator[str]:
    if verdict.num_claims:
        rest = "rests" if verdict.num_claims == 1 else "rest"
        yield f"{verdict.num_supported} of {counted(verdict.num_claims, 'claim')} {rest} on a passage"
    else:
        yield "it makes no claim that could be checked"
    if verdict.num_contradicted:
        yield f"{verdict.num_contradicted} {'is' if verdict.num_contradicted == 1 else 'are'} contradicted by one"
    if verdict.num_sentences_without_claim:
        yield f"sentences of the text that state no claim: {verdict.num_sentences_without_claim}"
