"""The meaning of every word and sign of a drawing, and the support of an answer in one sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hopweave.citations.marking import LISTING, OVERVIEW, says_unknown
from hopweave.citations.shortfalls import certainty_in_words, standing_in_words
from hopweave.core.types import Answer, Standing, Verdict
from hopweave.record import Record, Step
from hopweave.show.outline import SIGNS, TONES, Outline, Tone
from hopweave.show.own_checks import own_checks
from hopweave.show.plain import counted
from hopweave.text.citation_marks import without_marks
from hopweave.text.sentences import sentence_spans

SUPPORT: dict[str, str] = {
    "supported": "a sentence of a passage has the claim's words and is about what was asked, and no other says otherwise",
    "uncertain": "it is supported, but not certain: its confidence is too low for a tick, or a check of it read something else",
    "contradicted": "a passage says something else where the claim has its answer",
    "unsupported": "no sentence of the passages found bears the claim out, or the method's check failed; it may still be true",
}
"""The support of a claim (`hopweave.citations.support`; docs/support.md), and how an answer stands (docs/confidence.md)."""

ORIGINS: dict[str, str] = {
    "model": "the model's own words; nothing checked them",
    "verified": "the model's own words, which passed the method's check against a passage",
    "corrected": "a passage said otherwise, and its words replaced the model's",
    "completed": "the model left the query open, and a passage's words filled it in",
    "retrieved": "written by the model with the passages in its prompt, or listed by search",
    "yours": "not the model's: words that replaced the model's when the question was asked again",
}
"""Where a claim came from, as decided by the method."""

_LISTING = "A listing of what search found, which may not be all"
_RESTS_IN_PART = "Not every sentence of the answer rests on a passage"

LABELS: dict[str, str] = {
    "abandoned": "a query that a later chain leaves out",
    "action": "what the model decided to do next",
    "again": "the model is asked once more, since its reply was of no use",
    "answer": "an answer to a part of the question",
    "ask_again": "the model ended its turn and is asked for the next sentence",
    "branch": "a new chain of queries, written because of the step above it",
    "call": "a tool call by the model",
    "candidate": "one of several next steps or answers that are compared",
    "chain": "the chain of sub-questions that is used, out of several",
    "check": "the sentences that the answer may rest on, read again: all at once, then without those that state it",
    "cluster": "questions that are alike, one of which becomes a worked example",
    "commands": "sentences of a passage that give commands instead of stating something; the model does not see them",
    "compared": "the answer that code derives from two values",
    "cut": "more than the limit allows; the excess is left out",
    "decomposition": "whether the sub-question has to be decomposed further",
    "demonstrate": "a worked example is created",
    "demonstration": "a worked example that is shown to the model",
    "demonstrations": "the worked examples that are shown to the model",
    "disagreement": "documents answer the query differently, and no answer has a majority",
    "discarded": "a worked example that is not used",
    "draft": "a sentence as it was first written, in which the model is not sure of every token",
    "dropped": "a sub-question that the model calls irrelevant",
    "drift": "this run differs from the earlier record before the first change, so the change may not have the expected effect",
    "duplicate": "a query that was asked before, perhaps in other words; it is not processed again",
    "edit": "a sentence that is checked against passages",
    "edited": "the sentence after that check",
    "end": "the model asks no more questions",
    "enough": "the model wants nothing more looked up",
    "evidence": "the passages that a step may use",
    "fallback": "the first approach gave no answer, so the second is used",
    "follow_up": "a follow-up question that the model asks",
    "forced": "the model did not have the answer read, so it is read from the passages found so far",
    "gate": "whether the samples agree well enough to be left alone",
    "graph": "the sub-questions and which of them need the answers of others",
    "held": "how many passages are kept so far",
    "hop": "one round of queries",
    "iteration": "one round of searching and reasoning; the next searches with its words",
    "kept": "what goes on to the next step",
    "level": "one step of the search tree",
    "limit": "a limit was reached, and the work ends here",
    "made up": "an answer of which no passage that was found has the words; it is given as unknown",
    "refused": "an action that cannot be carried out; the model is told why",
    "rewritten": "a follow-up question, reworded so that it can be understood without the conversation",
    "no_search": "nothing is searched for, for the reason given",
    "no_terms": "a query that consists of stop words or punctuation, for which a search by words finds nothing",
    "node": "a query of the chain or graph, with the model's answer",
    "not_searched": "a search that is not carried out, since no more are allowed",
    "note": "a remark on the options: a theta tuned for another reader, or a number that the paper leaves open",
    "offline": "work that is done once for all questions of a run; its calls are counted separately",
    "outvoted": "documents that give a minority answer; they are left out",
    "overflow": "the text so far leaves no room for an answer",
    "packed": "how much fits into the model's context",
    "paragraph": "one of the paragraphs, each of which is used alone to answer the question",
    "path": "a query that the answer rests on, in order, with its final answer",
    "plan": "the steps that the model intends to take",
    "plan dropped": "what an earlier step was answered with, which is in doubt or no name; the question is read as it is",
    "probe": "whether the model says that it can answer without searching",
    "query": "a query that is sent to the retriever",
    "question": "a question that is worked out, since it may become a worked example",
    "reading": "an answer read from numbered facts, with the evidence against it",
    "recitation": "what the model recites from memory",
    "repair": "something malformed was made usable, as described",
    "repeated": "the same as before; the work ends or continues without it",
    "retrieve": "whether passages are needed",
    "revised": "a query whose answer the model changed later",
    "rewrite": "a sub-question, rewritten with the answers to earlier ones",
    "route": "how the question is answered: from memory, with one search or with several",
    "sample": "one of several replies to the same prompt",
    "scorer": "how candidates were ranked",
    "scores": "what the checks and comparisons of each candidate add up to, best first",
    "sentence": "a sentence of the reasoning",
    "side": "one of two things that are compared, with its value",
    "step": "one step of the reasoning",
    "stop": "why the work ended",
    "sub_question": "a part of the question",
    "titles": "titles to which the search is restricted",
    "tree": "the root of the search tree",
    "parse failure": "model output that could not be parsed; it is counted, and never used as an answer",
    "verdict": "the result of the method's check of the query",
    "voice": "a document that is read separately, to vote",
    "values": "the sum of each candidate's ratings",
    "vote": "how the replies or candidates voted",
    "whole_corpus": "the question is about the documents as a whole, so search answers it and not the method",
    "withheld": "the answer that was withheld, since no passage supports it or it is not certain enough",
    "whole passages": "an answer read from whole passages, after what was read from their sentences was in doubt",
}
"""The meaning of the labels of decisions. Labels of methods from other packages are not explained."""

CONFIDENCE = (
    "f",
    "how sure the reader is that a passage answers the query; the scale depends on the reader, and SearChain corrects an "
    "answer only if f is above its threshold theta",
)
PROBABILITY = ("confidence", "the probability, 0 to 1, that the answer is right, estimated from how it was reached")
AFTER = ("after #n", "had to wait for step n")
FROM_STORE = ("from the store", "answered by a stored reply; no model was asked")
THINKING = ("thought for", "what the model wrote for itself before it replied; it is never read as an answer, and never cited")
MARK = ("[k]", "the words of a passage on which the sentence rests: citation k")


@dataclass(frozen=True, slots=True)
class Entry:
    """A word or sign, and its meaning."""

    word: str
    meaning: str


def legend_of(record: Record, outline: Outline) -> list[Entry]:
    """The words and signs in a drawing of a record, each once, in the order: support, origins, marks, labels."""
    nodes = [node for node, _ in outline.walk()]
    claims = record.answer.claims if record.answer is not None else ()
    verdict = record.answer.verdict if record.answer is not None else Verdict()
    supports = {*(claim.support for claim in claims), *(node.verdict for node in nodes)}
    supports |= {"uncertain"} & {verdict.standing}
    origins = {*(claim.origin for claim in claims), *(node.origin for node in nodes)}
    labels = {node.label for node in nodes if node.kind in ("decision", "parse_failure")}
    entries = [Entry(f"{SIGNS[word]} {word}", meaning) for word, meaning in SUPPORT.items() if word in supports]
    entries += [Entry(word, meaning) for word, meaning in ORIGINS.items() if word in origins]
    if record.answer is not None and record.answer.citations:
        entries.append(Entry(*MARK))
    entries += [Entry(word, meaning) for word, meaning in LABELS.items() if word in labels]
    if verdict.confidence is not None:
        entries.append(Entry(*PROBABILITY))
    if any(node.confidence is not None for node in nodes):
        entries.append(Entry(*CONFIDENCE))
    if any(node.after for node in nodes):
        entries.append(Entry(*AFTER))
    if any(node.from_store for node in nodes):
        entries.append(Entry(*FROM_STORE))
    if any(node.thinking for node in nodes):
        entries.append(Entry(*THINKING))
    return entries


def legend_of_reply(answer: Answer) -> list[Entry]:
    """The signs in a reply of a conversation: how the answer stands, if there is one, and the marks."""
    standing = answer.verdict.standing
    entries = [Entry(SIGNS[standing], SUPPORT[standing])] if answer.short.strip() else []
    return [*entries, *([Entry(*MARK)] if answer.citations else [])]


@dataclass(frozen=True, slots=True)
class Banner:
    """How an entire answer stands, for display.

    Attributes:
        standing: see `Verdict.standing`; `None` for an answer that claims nothing.
        sign: a sign for it, for use without colour.
        tone: the tone for it, for use with colour.
        headline: a few words.
        counts: its confidence and what came of a check, if these are known, how many claims rest on a passage, and how many are
            contradicted.
    """

    standing: Standing | None
    sign: str
    tone: Tone
    headline: str
    counts: str


def banner_of(answer: Answer, steps: Sequence[Step] = ()) -> Banner:
    """The banner of an answer. One that abstains, or is empty, claims nothing and is neither good nor bad.

    Args:
        answer: the answer.
        steps: of its record, if that is known: they say what the method's own check found.
    """
    verdict, standing = answer.verdict, answer.verdict.standing
    counts = "; ".join(filter(None, [certainty_in_words(verdict), *_counts(verdict)]))
    if answer.how == OVERVIEW:
        headline = "Counted in the index" if answer.short else "No answer is given"
        return Banner(None, "-", "quiet", headline, "the question is about the documents as a whole")
    if not answer.short.strip():
        return Banner(None, "-", "quiet", "No answer is given", counts if verdict.num_claims else "none was found")
    if says_unknown(answer):
        return Banner(None, "-", "quiet", "The answer was not found", "the model says that it cannot tell")
    itself = " itself" if verdict.num_supported else ""
    headline = standing_in_words(answer, own_checks(steps))
    if standing == "supported":
        headline = "The answer rests on a passage"
    elif standing == "unsupported" and not answer.cites_without_support:
        headline = _RESTS_IN_PART if _rests_in_part(answer) else f"The answer{itself} rests on no passage"
    if answer.how == LISTING:
        return Banner(standing, SIGNS[standing], TONES[standing], _LISTING, next(_counts(verdict)))
    return Banner(standing, SIGNS[standing], TONES[standing], headline, counts)


def is_explanation(answer: Answer) -> bool:
    """Whether an answer is several sentences, which its text has with their marks and nothing else."""
    written = "".join(without_marks(answer.text)[0].split())
    return len(sentence_spans(answer.short)) > 1 and written == "".join(answer.short.split())


def _rests_in_part(answer: Answer) -> bool:
    """Whether some sentences of an explanation rest on a passage, and no single claim carries it."""
    return answer.verdict.carried_by is None and answer.verdict.num_supported > 0 and is_explanation(answer)


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
