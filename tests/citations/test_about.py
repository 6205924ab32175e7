"""Whether the place of an answer is about what was asked: its subject, its relation, and what earlier claims tie to it."""

from dataclasses import replace

import pytest

from hopweave.citations.about import (
    is_about,
    is_date_in_place,
    leads_from,
    names_in,
    names_its_subject,
    says_as_much,
    share_of_words,
    states_relation,
    untied,
)
from hopweave.citations.citing import locate
from hopweave.citations.places import place_of
from hopweave.citations.support import claim_of, judge
from hopweave.core.types import Claim, Passage

RENN = Passage("renn", "Ida Renn is an engineer. She was born in Tromvik in 1902.", "Ida Renn")
ORLAU = Passage("orlau", "Orlau has 900 inhabitants. Its mayor is Ida Renn.", "Orlau")
MANUAL = Passage(
    "push",
    "OPTIONS\n\n--force\n\nUpdates the remote branch even if that loses commits.\n\n"
    "HISTORY\n\nThe program was written in 2005.",
    "git-push",
)


def place(passage, words):
    return place_of(passage, locate(words, passage.text))


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("Who is the mayor of Orlau?", ["Orlau"]),
        ("What does --force-with-lease do?", ["--force-with-lease"]),
        ("What does max_wal_size limit?", ["max_wal_size"]),
        ("Where is `sshd_config` kept?", ["sshd_config"]),
        ("In which year was fork added?", []),
        ("Who was king in 1950?", []),
        ("It says which module to use. Since which version does that exist?", []),
        ("Besides Ida Renn, who flew to Orlau?", ["Ida Renn", "Orlau"]),
        ("Where does base64 break a line?", ["base64"]),
        ("When was rsync 3.1.0 released?", ["3.1.0"]),
        ("Which licence has Orlau 2.4, of 1999?", ["Orlau 2.4"]),
    ],
)
def test_what_a_query_names_is_written_with_a_capital_or_as_code(query, names):
    assert names_in(query) == names


@pytest.mark.parametrize(
    ("title", "sections", "tied"),
    [
        ("Proof Key for Code Exchange by Public Clients", (), True),
        ("Lights", ("Proof Key for Code Exchange",), True),
        ("Lights", (), False),
    ],
)
def test_an_abbreviation_is_tied_to_what_stands_under_its_words(title, sections, tied):
    passage = Passage("key", "A code verifier has 43 characters at least.", title, sections=sections)
    assert is_about("How many characters has a PKCE code verifier?", "43", place(passage, "43")) is tied


STAGE = Passage("stage", "It was written in 2008.", "git-stage(1)")
ADD = Passage("add", "The git add command was written in 2005.", "git-add(1)")
SEE = Passage("see", "git stage is another name for git-add(1).", "Glossary")


@pytest.mark.parametrize(
    ("passage", "year", "others", "is_tied"),
    [
        (STAGE, "2008", [ADD], True),
        (ADD, "2005", [STAGE], False),
        (ADD, "2005", [], True),
        (ADD, "2005", [STAGE, SEE], True),
    ],
)
def test_the_name_of_a_found_page_in_small_letters_is_tied_as_other_names_are(passage, year, others, is_tied):
    assert is_about("When was the git stage command written?", year, place(passage, year), (), others) is is_tied


def test_a_place_is_the_sentence_with_its_title_the_heading_above_it_and_the_sentence_before_it():
    found = place(MANUAL, "2005")
    assert found.words == "git-push\nHISTORY\nThe program was written in 2005."
    assert place(MANUAL, "remote branch").words.startswith("git-push\nOPTIONS\n--force\nUpdates")


STEPS = (
    "Cold starts need care. The lamp is reset with these steps.\n1. Open the lid. It is heavy.\n2. Take out the wick.\n"
    "- Wipe it\n- Dry it\nKeep the lid.\n\n3. Close it."
)


@pytest.mark.parametrize(
    ("words", "read"),
    [
        ("Open", ["The lamp is reset with these steps.", "1. Open the lid."]),
        ("heavy", ["The lamp is reset with these steps.", "1. Open the lid.", "It is heavy."]),
        ("wick", ["The lamp is reset with these steps.", "1. Open the lid.", "It is heavy.", "2. Take out the wick."]),
        ("Dry", ["The lamp is reset with these steps.", "- Wipe it", "- Dry it"]),
        ("Keep", ["- Dry it", "Keep the lid."]),  # below the list
        ("Close", ["Keep the lid.", "3. Close it."]),  # of another list, to which nothing leads
    ],
)
def test_an_item_of_a_list_is_read_with_the_sentence_that_leads_to_the_list(words, read):
    assert place(Passage("lamp", STEPS), words).text == "\n".join(read)


def test_a_step_needs_the_words_of_its_question_only_where_the_list_begins():
    answer = "Take out the wick."
    assert claim_of(1, "How do I reset the lamp?", answer, "retrieved", [Passage("lamp", STEPS)]).support == "supported"
    apart = Passage("lamp", STEPS.replace("The lamp is reset with these steps.", "Lamps are reset in spring."))
    assert claim_of(1, "How do I reset the lamp?", answer, "retrieved", [apart]).support == "unsupported"


@pytest.mark.parametrize(
    ("asked", "answer", "support"),
    [
        ("How do I tag messages?", "press the key T twice to tag messages matching patterns of a list", "supported"),
        ("Which key tags messages of a list matching a pattern?", "T", "contradicted"),
    ],
)
def test_nothing_else_is_said_in_place_of_a_step(asked, answer, support):
    told = Passage("one", "To tag messages of a list matching a pattern, press the key T twice.")
    other = Passage("two", "To tag messages of a list matching a pattern, press the key Q twice.")
    assert claim_of(1, asked, answer, "retrieved", [told], beside=[other]).support == support


def test_a_place_goes_back_over_sentences_that_begin_with_a_pronoun():
    text = "Otto Falk kept a light. Ida Renn was a pilot. She was born in Sula. She learned to fly there. She died in 1902."
    found = place(Passage("p", text, "pilots"), "1902")
    assert untied("When did Ida Renn die?", "1902", found) == []
    assert untied("When did Otto Falk die?", "1902", found) == ["Otto Falk"]


def test_what_stands_before_a_heading_of_its_own_is_of_another_section():
    text = "AUTHOR\n       Written by Ada Finch.\n\nREPORTING BUGS\n       Orla tools online help: <https://orla.example>"
    page = Passage("lamp", text, "lamp.1")
    assert judge("Who wrote the lamp program?", "Orla tools", [page]).shortfall == "relation"
    assert judge("Who wrote the lamp program?", "Ada Finch", [page]).support == "supported"


def test_words_of_earlier_claims_count_if_they_lead_to_the_place():
    found = place(Passage("p", "The port of Sula has two piers.", "Ports"), "two")
    first = Claim("Where does the ferry end?", "Sula", "retrieved", "supported")
    assert is_about("How many piers does the end of the ferry have?", "two", found, [first])
    assert not is_about("How many wheels does the end of the ferry need?", "two", found)
    elsewhere = Claim("Where does the ferry end?", "Orlau", "retrieved", "supported")
    assert share_of_words("Where is the end of the ferry?", "two", found, [elsewhere]) == 0


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Where was Ida Renn born?", []),
        ("Where was she born?", []),
        ("Where was Otto Falk born?", ["Otto Falk"]),
        ("Where was the mayor of Orlau born?", ["Orlau"]),
    ],
)
def test_a_name_that_stands_neither_in_the_place_nor_behind_it_is_untied(query, expected):
    assert untied(query, "Tromvik", place(RENN, "Tromvik")) == expected


def test_a_name_is_tied_by_a_passage_that_has_it_and_names_the_page_of_the_place():
    asked = "Where was the mayor of Orlau born?"
    assert untied(asked, "Tromvik", place(RENN, "Tromvik"), (), [RENN, ORLAU]) == []
    apart = Passage("orlau", "Orlau has a mayor. Ida Renn is an engineer.", "A list")
    assert untied(asked, "Tromvik", place(RENN, "Tromvik"), (), [RENN, apart]) == ["Orlau"]


@pytest.mark.parametrize(
    "claims",
    [
        [Claim("Who is the mayor of Orlau?", "Ida Renn", support="supported")],
        [Claim("any", "The mayor of Orlau is Ida Renn.", support="supported")],
        [
            Claim("Which office is in Orlau?", "Town Hall of Orlau", support="supported"),
            Claim("Who heads the Town Hall of Orlau?", "Ida Renn", support="supported"),
        ],
    ],
)
def test_a_name_is_tied_by_supported_claims_that_lead_from_it_to_the_place(claims):
    assert is_about("Where was the mayor of Orlau born?", "Tromvik", place(RENN, "Tromvik"), claims)


def test_a_claim_that_no_passage_supports_ties_nothing():
    guessed = [Claim("Who is the mayor of Orlau?", "Ida Renn")]
    assert not is_about("Where was the mayor of Orlau born?", "Tromvik", place(RENN, "Tromvik"), guessed)
    assert leads_from("Orlau", guessed) == []


def test_a_query_without_names_needs_half_of_its_words():
    passage = Passage("news", "Release 2.5\nThe fork call was added for old kernels.", "News")
    assert is_about("In which release was the fork call added?", "2.5", place(passage, "fork call"))
    assert not is_about("In which release was the signal mask removed?", "2.5", place(passage, "fork call"))
    assert share_of_words("How is it called?", "x", place(passage, "fork call")) == 1.0


@pytest.mark.parametrize(
    ("query", "sentence", "is_stated"),
    [
        ("When was Ida Renn born?", "Ida Renn (1902 - 1970) was an engineer.", True),
        ("When was Ida Renn born?", "Ida Renn moved to Kiel in 1902.", False),
        ("Who directed Low Water?", "Low Water is a film by Piet Arens.", True),
        ("Who directed Low Water?", "Low Water stars Piet Arens.", False),
        ("Under which licence is Low Water?", "Low Water is by Piet Arens.", False),
        ("Which colour has Low Water?", "Low Water is by Piet Arens.", True),  # a relation that is not known
    ],
)
def test_a_known_relation_is_stated_by_one_of_its_words(query, sentence, is_stated):
    passage = Passage("p", sentence, "")
    assert states_relation(query, place(passage, sentence)) is is_stated


def test_a_relation_that_an_earlier_claim_settles_need_not_be_stated_again():
    passage = Passage("p", "Ida Renn of Low Water comes from Tromvik.", "")
    settled = [Claim("Who directed Low Water?", "Ida Renn", support="supported")]
    asked = "Who directed Low Water, and from where?"
    assert not states_relation(asked, place(passage, "Tromvik"))
    assert states_relation(asked, place(passage, "Tromvik"), settled)


def test_a_relation_of_somebody_else_is_not_settled_by_it():
    passage = Passage("p", "School on Fire is a film of 1988 by Piet Arens.", "School on Fire")
    settled = [Claim("When did Ida Renn die?", "14 June 1987", support="supported")]
    assert not states_relation("When did Piet Arens die?", place(passage, "1988"), settled)


@pytest.mark.parametrize(
    ("query", "said", "is_in_place"),
    [
        ("When was Curt Brand born?", "1899", True),
        ("When was Curt Brand born?", "1981", False),
        ("When did Curt Brand die?", "22 February 1981", True),
        ("When did Curt Brand die?", "1899", False),
        ("When did Curt Brand marry?", "1899", True),
    ],
)
def test_of_the_two_dates_of_a_life_the_one_that_is_asked_for_counts(query, said, is_in_place):
    assert is_date_in_place(query, said, "Curt Brand (15 April 1899 - 22 February 1981) was a director.") is is_in_place


@pytest.mark.parametrize(
    ("said", "is_statement"),
    [
        ("Ida Renn was born in Tromvik.", True),
        ("Curt Brand died on 22 February 1981.", True),
        ("Ida Renn", False),
        ("the town of Tromvik", False),
        ("she was born there", False),
        ("Prime the line again and wait.", False),  # an instruction
        ("Connect the mains of Orlau at once.", False),
        ("press and hold the MODE button for 6 seconds", False),
    ],
)
def test_a_statement_names_its_own_subject(said, is_statement):
    assert names_its_subject(said) is is_statement


# Each cause of wrong and missing ticks on documentation, with a passage of that kind.


@pytest.mark.parametrize(
    ("query", "answer", "passage", "support", "shortfall"),
    [
        pytest.param(
            "Since which version can tarn pull submodules?",
            "2.4",
            Passage("news", "Release 2.4 of 3 May 2011\nFaster checkouts on slow disks.", "Release notes of tarn"),
            "unsupported",
            "subject",
            id="a heading that holds a version and says nothing of what was added",
        ),
        pytest.param(
            "Who wrote the manual of tarn?",
            "Tarn for Everyone",
            Passage("book", "Tarn for Everyone is a book about tarn. The manual of tarn is short.", "Tarn for Everyone"),
            "unsupported",
            "kind",
            id="a title in answer to who",
        ),
        pytest.param(
            "under which licence is the package tarn?",
            "MIT",
            Passage("tarn", "The package tarn is free software under the MIT licence.", "tarn"),
            "supported",
            "",
            id="a name without a capital",
        ),
        pytest.param(
            "Under which licence is libbrine-dev?",
            "MIT",
            Passage("tarn", "The package tarn is free software under the MIT licence.", "tarn"),
            "unsupported",
            "subject",
            id="the licence of another package",
        ),
        pytest.param(
            "Which option makes tarn pull keep a merge commit?",
            "--no-ff",
            Passage("pull", "With --no-ff tarn pull creates a merge commit in any case.", "tarn-pull"),
            "supported",
            "",
            id="an option",
        ),
        pytest.param(
            "How many seconds does tarnd wait by default?",
            "300",
            Passage("d", "Timeout\nSeconds that tarnd waits for a client. The default is 300.", "tarnd.conf"),
            "supported",
            "",
            id="a number whose subject stands in the sentence before",
        ),
        pytest.param(
            "Which engine does the tarn use?",
            "the Sula engine",
            Passage("p", "The tarn no longer uses the Sula engine.", "The tarn"),
            "unsupported",
            "denial",
            id="what is no longer so",
        ),
        pytest.param(
            "Which engine does the tarn use?",
            "the Sula engine",
            Passage("p", "The tarn may use the Sula engine, if it is there.", "The tarn"),
            "supported",
            "",
            id="what a manual says with a may",
        ),
        pytest.param(
            "Who built the bridge of Orlau?",
            "Ida Renn",
            Passage("p", "The bridge of Orlau is rumoured to have been built by Ida Renn.", "Orlau"),
            "unsupported",
            "hedge",
            id="a rumour",
        ),
        pytest.param(
            "Who was the son of Ida Renn?",
            "Otto Renn",
            Passage("p", "Ida Renn was the daughter of Otto Renn.", "Ida Renn"),
            "unsupported",
            "relation",
            id="a father in answer to who is the son",
        ),
        pytest.param(
            "When was tarn 3.1.0 released?",
            "31 Aug 2008",
            Passage("p", "Release date: 28 Sep 2013; Version: tarn 3.1.0; Date of commit: 31 Aug 2008.", "Tarn"),
            "unsupported",
            "relation",
            id="another column of a table",
        ),
        pytest.param(
            "How long does tarn wait by default?",
            "15 minutes",
            Passage("p", "--timeout\nNumber of seconds that tarn waits (default: 900).", "tarn"),
            "supported",
            "",
            id="another unit",
        ),
        pytest.param(
            "How long may the key of TARN2s be?",
            "64 bytes",
            Passage("p", "The key may be up to 64 bytes long for TARN2b, up to 32 bytes long for TARN2s.", "Keys"),
            "unsupported",
            "relation",
            id="the number beside another name",
        ),
        pytest.param(
            "What is the default level of tarn?",
            "22",
            Passage("p", "The levels of tarn are from 1 to 22 with 3 being the default.", "tarn"),
            "unsupported",
            "relation",
            id="a number beside the default",
        ),
    ],
)
def test_each_cause_of_wrong_and_of_missing_ticks(query, answer, passage, support, shortfall):
    claim = claim_of(1, query, answer, "retrieved", [passage])
    assert (claim.support, claim.shortfall) == (support, shortfall)
    assert claim.citations  # what was found is cited in any case


FERRY = Passage(
    "ferry", "The ferry of Orlau runs all winter. It never carries horses. It takes 30 minutes to cross the lake.", "Ferry"
)
GZIP = Passage("gzip", "The environment variable GZIP can hold default options for gzip. It is obsolescent.", "gzip")
STATES = Passage("states", "Two states, trigger-waiting and trigger-pending, lie between broken and installed.", "Triggers")
TOOL = Passage("tool", "With --purge, files on the receiving side that are absent on the sending side are deleted.", "mirror")


@pytest.mark.parametrize(
    ("query", "said", "support", "shortfall"),
    [
        ("When does the ferry of Orlau run?", "The ferry of Orlau does not run all winter.", "unsupported", "denial"),
        ("When does the ferry of Orlau run?", "The ferry of Orlau runs all winter.", "supported", ""),
        ("What does the ferry of Orlau carry?", "The ferry of Orlau carries horses.", "unsupported", "denial"),
        ("How long is the tram of Sula under way?", "It takes 30 minutes to cross the lake.", "unsupported", "subject"),
        ("How long is the ferry of Orlau under way?", "It takes 30 minutes to cross the lake.", "supported", ""),
        (
            "What does --purge do?",
            "It deletes files on the receiving side that are absent on the sending side.",
            "supported",
            "",
        ),
        ("What does --purge do?", "It deletes files on the receiving side that are newer.", "unsupported", "words"),
        (
            "What does --keep do?",
            "It deletes files on the receiving side that are absent on the sending side.",
            "unsupported",
            "subject",
        ),
        ("What does --purge do?", "It deletes files.", "unsupported", "words"),
        ("Which environment variable holds default options for gzip?", "GZIP", "supported", ""),
        ("Which program has default options in gzip?", "GZIP", "unsupported", "bare"),
        ("Which two states lie between broken and installed?", "trigger-pending, trigger-waiting", "supported", ""),
        ("Which two states lie between broken and installed?", "trigger-pending and unpacked", "unsupported", "words"),
    ],
)
def test_a_sentence_is_borne_out_by_one_that_says_as_much_of_the_same_thing(query, said, support, shortfall):
    claim = claim_of(1, query, said, "retrieved", [FERRY, TOOL, GZIP, STATES])
    assert (claim.support, claim.shortfall) == (support, shortfall)


DAEMON = Passage("daemon", "The program of Orlau was rewritten in 40 days. It listens on port 873 by default.", "orlaud")


@pytest.mark.parametrize(
    ("query", "answer", "is_enough"),
    [
        ("Which port number does the daemon of Orlau listen on unless told otherwise?", "873", True),
        ("Which port number does the daemon of Orlau listen on unless told otherwise?", "40", False),
        ("How many days did the rewriting of the daemon of Orlau take?", "40", True),
        ("Which port has Orlau?", "40", True),  # two words are too few to tell
        ("Welchen Port benutzt der Daemon von Orlau normalerweise?", "40", False),
        ("Which port number does the successor of the daemon of Sula listen on?", "40", True),  # it leads through Sula
    ],
)
def test_a_place_has_a_third_of_the_words_that_the_query_has_besides_its_names(query, answer, is_enough):
    assert says_as_much(query, answer, place(DAEMON, answer)) is is_enough


def test_a_claim_that_leads_to_the_place_lends_it_its_words():
    query = "On which wharf stands the oldest lighthouse keeper of Orlau?"
    found = place(Passage("p", "Ida Renn of Orlau came to Pier 9.", "People"), "Pier 9")
    assert not says_as_much(query, "Pier 9", found)
    leading = Claim("Who is the oldest lighthouse keeper of Orlau?", "Ida Renn", "retrieved", "supported")
    assert says_as_much(query, "Pier 9", found, [leading])


@pytest.mark.parametrize(
    ("words", "is_stated"),
    [
        ("Tides is a film that was directed by Ida Renn in Sula.", False),
        ("Ida Renn, who directed Tides, was born in Sula.", True),
    ],
)
def test_each_relation_of_a_query_is_stated(words, is_stated):
    found = place(Passage("p", words, "Films"), "Sula")
    assert states_relation("Where was the director of Tides born?", found) is is_stated


@pytest.mark.parametrize(
    ("query", "said", "support", "shortfall"),
    [
        ("Where was Ida Renn born?", "Sula", "supported", ""),
        ("Where was Ida Renn born?", "Brno", "unsupported", "relation"),
        ("Where did Ida Renn die?", "Ida Renn died in Brno.", "supported", ""),
        ("Where did Ida Renn die?", "Ida Renn was born in Brno.", "unsupported", "relation"),
        ("Where was Ida Renn born?", "She was born in Sula and died in Brno.", "supported", ""),
    ],
)
def test_the_place_of_a_death_is_not_that_of_a_birth(query, said, support, shortfall):
    claim = claim_of(1, query, said, "model", [Passage("p", "Ida Renn was born in Sula and died in Brno.", "Ida Renn")])
    assert (claim.support, claim.shortfall) == (support, shortfall)


@pytest.mark.parametrize("query", ["Which version added tarn?", "Which version introduced tarn?"])
def test_the_release_that_deprecates_a_module_is_not_the_one_that_adds_it(query):
    module = Passage("tarn", "New in version 3.1.\n\nDeprecated since version 3.4.", "The tarn module")
    assert judge(query, "3.4", [module]).shortfall == "relation"
    assert judge(query, "3.1", [module]).support == "supported"


def test_the_release_that_removes_a_module_is_not_the_one_that_deprecates_it():
    module = Passage("tarn", "Deprecated since version 3.4, will be removed in version 3.12.", "The tarn module")
    found = [
        claim_of(1, query, version, "model", [module]).support
        for query in ("Since which version is tarn deprecated?", "In which version will tarn be removed?")
        for version in ("3.4", "3.12")
    ]
    assert found == ["supported", "unsupported", "unsupported", "supported"]


def test_a_release_that_adds_a_parameter_is_not_the_one_that_removes_the_module():
    module = Passage("tarn", "Changed in version 3.7: added the parameter pull to tarn.", "The tarn module")
    query = "In which version will the tarn module be removed?"
    assert claim_of(1, query, "3.7", "model", [module]).shortfall == "relation"


FAMILY = [
    Passage("karl", "Karl Renn was the son of a sailor. Otto Renn painted him.", "Karl Renn"),
    Passage("son", "He was a son of Karl Renn and the father of Ada Renn.", "Otto Renn"),
]


@pytest.mark.parametrize(
    ("query", "answer", "support"),
    [
        ("Who was the father of Otto Renn?", "Karl Renn", "supported"),
        ("Who was the son of Otto Renn?", "Karl Renn", "contradicted"),  # though a sentence on him has a son
        ("Who was the daughter of Otto Renn?", "Ada Renn", "supported"),
        ("Who was the mother of Otto Renn?", "Ada Renn", "unsupported"),
    ],
)
def test_a_sentence_that_has_the_answer_as_another_relative_of_the_same_person_counts_against_it_wherever_it_stands(
    query, answer, support
):
    assert claim_of(1, query, answer, "model", FAMILY).support == support


def test_a_statement_is_cited_by_the_sentence_that_shares_most_with_it():
    passage = Passage("p", "Orlau is a town on the lake. Orlau is not a town on the same side of the lake as Sula.", "Orlau")
    claim = claim_of(1, "Where is Orlau?", "Orlau is a town on the same side of the lake.", "model", [passage])
    assert (claim.support, claim.shortfall) == ("unsupported", "denial")


@pytest.mark.parametrize(
    ("source", "support"),
    [
        ("contracts/Orlau_Supply-Agreement_v2.docx", "supported"),
        ("contracts/Orlau Agreement.pdf#page=3", "supported"),
        ("Orlau/agreement.docx", "supported"),
        ("Orlau-agreement.html", "unsupported"),
        ("contracts/Sula_Agreement.docx", "unsupported"),
    ],
)
def test_the_name_of_a_file_says_what_a_document_with_a_general_title_is_about(source, support):
    text = (
        "2.2 Invoices are payable within 45 days of receipt. 3.1 The delivery takes six weeks. 4.1 The warranty is two years."
    )
    asked = "Within how many days are invoices payable under the agreement with Orlau?"
    passage = Passage("v2", text, "Supply Agreement", source)
    assert claim_of(1, asked, "45 days", "retrieved", [passage]).support == support
    assert claim_of(1, asked, "two years", "retrieved", [passage]).support == "unsupported"


@pytest.mark.parametrize(
    ("asked", "answer", "support"),
    [
        ("What is the delivery time in the agreement with Orlau?", "six weeks", "supported"),
        ("What is the notice period in the agreement with Orlau?", "six weeks", "unsupported"),
        ("What is the warranty period in the agreement with Orlau?", "three years", "unsupported"),
    ],
)
def test_where_only_the_file_names_the_subject_the_place_itself_has_half_of_the_other_words(asked, answer, support):
    text = "Delivery\n\nThe delivery time is six weeks.\n\nTerm\n\nThis agreement runs for three years."
    passage = Passage("v2", text, "Supply Agreement", "Orlau.docx")
    assert claim_of(1, asked, answer, "retrieved", [passage]).support == support


@pytest.mark.parametrize(
    ("asked", "answer", "support"),
    [
        ("What is the maximum pressure of the granite 450?", "10 bar", "supported"),
        ("What is the maximum pressure of the granite 600?", "10 bar", "unsupported"),
        ("Does the granite have a maximum pressure of 12 bar?", "No, it has a maximum pressure of 10 bar", "supported"),
        ("What is the maximum pressure in 2025?", "10 bar", "supported"),
    ],
)
def test_a_place_about_a_thing_with_another_number_is_not_about_it(asked, answer, support):
    passage = Passage("tips", "The maximum pressure is 10 bar. The granite was new in 2024.", "granite 450")
    assert claim_of(1, asked, answer, "retrieved", [passage]).support == support


@pytest.mark.parametrize(
    ("asked", "support"),
    [
        ("Where does the word foo come from?", "supported"),
        ("Where does the term `foo' come from?", "supported"),
        ("Where does the word bar come from?", "unsupported"),
        ("Where does the expression foobar come from?", "unsupported"),
    ],
)
def test_a_place_about_a_word_has_it_and_need_not_call_it_one(asked, support):
    told = "Very probably foo had no single origin and derives through all these channels from Yiddish feh."
    assert claim_of(1, asked, "Yiddish feh", "retrieved", [Passage("a", told, "Lexicon")]).support == support


@pytest.mark.parametrize(
    ("answer", "support"),
    [("what was matched", "supported"), ("In a replacement, & stands for the text of it", "unsupported")],
)
def test_a_place_without_the_sign_that_a_question_is_about_is_not_about_it(answer, support):
    told = "In a replacement, & stands for what was matched. The text of a replacement stands between strokes."
    assert claim_of(1, "What does & stand for in a replacement?", answer, "retrieved", [Passage("a", told)]).support == support


def test_a_row_of_a_table_is_read_with_the_sentence_before_it_only_if_that_leads_to_it():
    row = "place: workshop; lamp: yes, next to door 3; kind: foam."
    asked, led = "Where is the assembly point?", "Where are the lamps of Orlau?"
    before = Passage("a", f"The assembly point is the car park.\n\n{row}", "Safety")
    assert claim_of(1, asked, "car park", "retrieved", [before]).support == "supported"
    assert claim_of(1, asked, "door 3", "retrieved", [before]).support == "unsupported"
    assert (
        claim_of(1, led, "next to door 3", "retrieved", [replace(before, text=f"The lamps of Orlau:\n\n{row}")]).support
        == "supported"
    )


@pytest.mark.parametrize("said", ["St Oswin's school hall", "Police and fire officers", "Ferry and bus pass of Kerrow"])
def test_a_name_with_more_words_and_no_verb_is_no_statement_of_its_own(said):
    assert not names_its_subject(said)


@pytest.mark.parametrize(
    ("source", "asked", "support"),
    [
        ("gnu-cash/ch_basics.html", "What are the five basic account types in GNU Cash?", "supported"),
        ("manuals/GNU Cash/basics.html#2", "What are the five basic account types in GNU Cash?", "supported"),
        ("basics.html", "What are the five basic account types in GNU Cash?", "unsupported"),
        ("https://gnu-cash.example/basics.html", "What are the five basic account types in GNU Cash?", "unsupported"),
        ("gnu-cash/ch_basics.html", "What are the five basic account types in Ledger?", "unsupported"),
        ("gnu-cash/ch_basics.html", "What does GNU Cash charge for a backup copy?", "unsupported"),
    ],
)
def test_the_folder_of_a_manual_names_its_product_if_the_sentence_has_half_of_the_other_words(source, asked, support):
    told = "Accounting is based on five basic account types: Assets, Liabilities, Equity, Income and Expenses. They differ."
    passages = [Passage("p", told, "2.8. Accounts", source)]
    assert judge(asked, "Assets, Liabilities, Equity, Income and Expenses", passages).support == support


@pytest.mark.parametrize(
    ("asked", "support"),
    [
        ("Who has a casting vote in General Resolutions?", "supported"),
        ("Who has a casting vote in a General Resolution?", "supported"),
        ("Who has a casting vote in Special Resolutions?", "unsupported"),
        ("Who has a casting vote in General Congress?", "unsupported"),
    ],
)
def test_a_text_about_one_of_a_kind_is_about_what_names_several(asked, support):
    told = "The chair of the board has a casting vote. There is a quorum of nine."
    rules = Passage("rules", told, "Rules", sections=("4. Members by way of General Resolution",))
    assert judge(asked, "the chair of the board", [rules]).support == support
