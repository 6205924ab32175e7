"""Questions about the documents as a whole are recognised, and ordinary questions about documents are not."""

import json

import pytest
from support.pages import ROOT

from hopweave.run.whole_corpus_questions import WholeCorpus, whole_corpus

LISTINGS = [
    ("Which documents mention the Kerrow Light?", "the Kerrow Light"),
    ("which documents mention kerrow light", "kerrow light"),
    ("Which document mentions Ada Finch?", "Ada Finch"),
    ("Which of the documents mention Ada Finch?", "Ada Finch"),
    ("Which of these documents is about whaling?", "whaling"),
    ("Which of my letters mention the harbour fire?", "the harbour fire"),
    ("Which of these articles discuss tides and currents?", "tides and currents"),
    ("What documents talk about the storm of 1871?", "the storm of 1871"),
    ("Which documents describe lighthouse maintenance?", "lighthouse maintenance"),
    ("Which files mention ServerRoot?", "ServerRoot"),
    ('Which documents mention "who pays what"?', "who pays what"),
    ("Which of your files contain the word “Sula”?", "Sula"),
    ("Which documents mention the name Sula?", "Sula"),
    ("Which documents mention the words of the king?", "the words of the king"),
    ("Which of them mention Ada Finch?", "Ada Finch"),
    ("Which docs say something about Orlau?", "Orlau"),
    ("In which documents is Ada Finch mentioned?", "Ada Finch"),
    ("Which documents is Ada Finch mentioned in?", "Ada Finch"),
    ("How many documents mention the Kerrow Light?", "the Kerrow Light"),
    ("How many of these documents discuss Orlau?", "Orlau"),
    ("List all documents about lighthouse maintenance.", "lighthouse maintenance"),
    ("List every document that mentions Orlau", "Orlau"),
    ("Please show me all the documents on whaling.", "whaling"),
    ("Can you find all my files that mention Ada Finch, please?", "Ada Finch"),
    ("Could you tell me which documents mention Sula?", "Sula"),
    ("Do any of the documents mention whales?", "whales"),
    ("Are there any documents about whales?", "whales"),
    ("Is there a document that mentions whales or seals?", "whales or seals"),
    ("Is Ada Finch mentioned in any of these documents?", "Ada Finch"),
]
OTHERS = [
    ("What are these documents about?", "topics"),
    ("what is this corpus about", "topics"),
    ("What’s this document about?", "topics"),
    ("Tell me what these documents are about.", "topics"),
    ("What do all these documents have in common?", "topics"),
    ("What do my notes say?", "topics"),
    ("What is in these files?", "topics"),
    ("What are the main topics of the documents?", "topics"),
    ("Which topics do the documents cover?", "topics"),
    ("What kind of documents do you have?", "topics"),
    ("Give me an overview of the corpus.", "topics"),
    ("Summarise these documents", "summary"),
    ("Please summarize the documents in three sentences.", "summary"),
    ("Can you give me a short summary of all documents?", "summary"),
    ("Summarise everything.", "summary"),
    ("How many documents are there?", "number"),
    ("How many files do you have in total?", "number"),
    ("How many documents are in the corpus?", "number"),
    ("What is the number of documents in this collection?", "number"),
    ("How big is the corpus?", "number"),
    ("Which documents do you have?", "titles"),
    ("List all documents.", "titles"),
    ("Show me the titles of the documents", "titles"),
    ("What documents are there in this folder?", "titles"),
]
ORDINARY = [
    "Which document abolished slavery in Orlau?",
    "Which documents are needed for a passport?",
    "Which documents have legal force?",
    "Which document mentions the treaty that Ada Finch signed?",
    "Which documents mention who built the lighthouse?",
    "Which documents mention whales most often?",
    "Which documents mention it?",
    "Which documents mention?",
    "Which of these films mention a lighthouse?",
    "Which of these contain caffeine?",
    "Which letters mention the harbour fire?",
    "Which files does git read at startup?",
    "Which file describes the host keys?",
    "Which file is read first?",
    "What files contain the password hashes?",
    "What types of files are there?",
    "What is in the index?",
    "What does the index contain?",
    "What are the letters about?",
    "What is the novel about?",
    "What is everything?",
    "What do the two documents that Ada Finch signed say about the harbour?",
    "How many documents did Ada Finch sign?",
    "How many documents are there in the Sula archive?",
    "How many files can be open at a time?",
    "How many books mention Orlau?",
    "How do I list all files that contain a word?",
    "How can I summarise a document?",
    "Find files containing the word foo",
    "find files on disk",
    "list files",
    "Summarise the life of Ada Finch.",
    "Summarise the documents of the treaty of Orlau.",
    "Is Ada Finch mentioned in the treaty?",
    "Was the founding document of Sula about fishing?",
    "Where are the documents of the harbour board kept?",
    "Wovon handeln diese Dokumente?",
    "",
    "?",
    "documents " * 100,
]


@pytest.mark.parametrize(("question", "subject"), LISTINGS)
def test_a_question_for_the_documents_that_mention_something_is_recognised_with_its_subject(question, subject):
    assert whole_corpus(question) == WholeCorpus("listing", subject, any(mark in question for mark in '"“'))


@pytest.mark.parametrize(("question", "wanted"), OTHERS)
def test_a_question_about_all_documents_is_recognised_with_what_it_wants(question, wanted):
    assert whole_corpus(question) == WholeCorpus(wanted)
    assert whole_corpus(f"  {question.upper()} ") == WholeCorpus(wanted)


@pytest.mark.parametrize("question", ORDINARY)
def test_an_ordinary_question_is_not_recognised(question):
    assert whole_corpus(question) is None


@pytest.mark.parametrize(
    "question",
    ["Which of them mention Ada Finch?", "How many of these are about Orlau?", "What are these documents about?"],
)
def test_them_and_these_mean_all_documents_only_if_nothing_was_said_before(question):
    assert whole_corpus(question) is not None
    assert whole_corpus(question, is_first=False) is None
    assert whole_corpus("Which documents mention Ada Finch?", is_first=False) == WholeCorpus("listing", "Ada Finch")


def test_no_question_of_the_starter_data_is_recognised():
    lines = (ROOT / "src/hopweave/starter/questions.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line)["question"] for line in lines]
    assert len(questions) > 10
    assert [question for question in questions if whole_corpus(question)] == []
