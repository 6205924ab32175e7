"""A paragraph of a document has values for several questions: each has a tick as the answer to its own question alone."""

import pytest

from hopweave.citations.support import judge
from hopweave.core.types import Passage


def has_tick(question, answer, told, title="Notes"):
    """Whether an answer is supported by a text."""
    return judge(question, answer, [Passage("notes", told, title)]).support == "supported"


SOIL = (
    "Sample A contained 42 mg/kg of lead. Sample B, from beside the tank, contained 310 mg/kg of lead; cadmium was below "
    "the limit (0.1 mg/kg). The analysis was carried out by Dr Lund and reviewed by Dr Amari on 19 April. Sample C was "
    "lost in transit."
)
LEASE = (
    "The Tenant pays £1,150 a month for the flat, and £85 for each hour of cleaning. The rent may be increased every "
    "January by the rate of inflation. Invoices are sent on the last working day of the month. If the rent is more than "
    "14 days late, interest is charged at 3%."
)
CLUB = (
    "Appeals are heard by the president within 28 days. The treasurer, Mr Okafor, issues receipts; the secretary, Ms "
    "Bream, keeps the register. Up to 16 guests are admitted, of whom no more than four may swim."
)
PUMP = (
    "The upper tank holds 40 litres, the lower one 90 litres. The filter lies behind the left side panel. The fuse is "
    "behind the right side panel. The seal lasts about five years, the fan about ten. Oil is changed every 30 hours and "
    "kept for seven days."
)
SALT = "Refill the salt container when it is empty: it holds 1.5 kg of salt. The rinse aid dispenser holds 110 ml."
MUSEUM = (
    "The museum is open from 10:00 to 17:30; the café serves lunch from noon until 14:30. Each of us may show up to six "
    "pictures, none wider than 120 cm. The west wing was closed in August and reopened on 2 October."
)
TRIP = "Sofia is driving the bus there and Karl will drive back on Sunday. The trial, which lasts six months, is free."
DAEMON = (
    "The log level is one of error, warn and info, and defaults to info. Passwords are hashed with Argon2; before that, "
    "bcrypt was used. The largest upload is 200 MB, and a request ends after 60 seconds."
)
WELLS = (
    "Of the 14 wells that were tested, 11 met the standard. The next round is planned for May. Owners must report any "
    "repair within 21 days; the fee of £30 must be claimed by the end of June; the clerk, Mrs Doyle, will submit the "
    "claim."
)
POLICY = "The excess is £150, or £500 for damage by subsidence. A guide is paid £780 a day, and £390 for half a day."
BACKUP = (
    "Incremental backups run hourly by default; full backups run weekly. The flag --dry-run lists what would be copied; "
    "--force overwrites without asking. Output is written to job.out, errors to job.err. The command jobs add puts a job "
    "into the queue, jobs rm removes one. The lamp is orange while charging and turns green when it is full."
)
TRIAL = (
    "Plots with 120 kg of lime yielded 7.4 t/ha, and unfertilised plots 4.1 t/ha. The mean wait fell from 15.2 weeks in "
    "2022 to 12.7 weeks. Each member may have 40 plots waiting and 8 running. The boiler costs £27,300, £4,100 more than "
    "was planned. 100 ml of acid and 900 ml of water are added."
)
MOTION = (
    "Mr Ferris moved that the slide be closed until it has been repaired; Ms Otieno seconded the motion. Mrs Kaur is "
    "succeeded as treasurer by Ms Otieno. Mr Cho will chair the next meeting, as Mrs Singh is away. The choir, led by "
    "Piotr Nowak since Ruth Abel moved to Wales, sings in May. The lease ends on 30 June, so we will move on 22 June. "
    "Maintenance takes place from 7:00 to 9:00."
)
CAMP = (
    "The pool is heated from May to September. The lamp is white in normal operation and red if it is too hot. The club "
    "has 82 members, nine of them new. The trip to Bruges was put off from April to October because of the cost. Each "
    "shard holds 200 GB at most, and a table may have up to 96 shards. The survey was paid for by the county and carried "
    "out by Moovit Research. A slow flashing lamp means that it is empty, a fast flashing lamp that it is full."
)


@pytest.mark.parametrize(
    ("question", "told", "right", "wrong"),
    [
        pytest.param("How much lead did sample A contain?", SOIL, "42 mg/kg", "310 mg/kg", id="told apart by a letter"),
        pytest.param("How much lead did sample B contain?", SOIL, "310 mg/kg", "0.1 mg/kg", id="a later clause"),
        pytest.param("Who carried out the analysis?", SOIL, "Dr Lund", "Dr Amari", id="by another one"),
        pytest.param("Which sample was lost?", SOIL, "Sample C", "Sample A", id="what is lost is no motion"),
        pytest.param("How much does the Tenant pay a month?", LEASE, "£1,150", "£85", id="chosen by a unit"),
        pytest.param(
            "When are invoices sent?", LEASE, "the last working day of the month", "every January", id="another sentence"
        ),
        pytest.param("After how many days late is interest charged?", LEASE, "14", "3", id="a condition that is asked for"),
        pytest.param("Who hears appeals?", CLUB, "the president", "Mr Okafor", id="the past of a verb"),
        pytest.param("How many guests may swim?", CLUB, "four", "16", id="no more than"),
        pytest.param("How much does the lower tank hold?", PUMP, "90 litres", "40 litres", id="upper and lower"),
        pytest.param(
            "Where is the fuse?", PUMP, "behind the right side panel", "behind the left side panel", id="left and right"
        ),
        pytest.param("How long does the fan last?", PUMP, "about ten", "about five years", id="about so many"),
        pytest.param("How often is oil changed?", PUMP, "every 30 hours", "seven days", id="how often"),
        pytest.param("How much salt does the container hold?", SALT, "1.5 kg", "110 ml", id="weighed and measured"),
        pytest.param("When does the museum close?", MUSEUM, "17:30", "10:00", id="open until"),
        pytest.param("When does the museum open?", MUSEUM, "10:00", "17:30", id="open from"),
        pytest.param("Until when does the café serve lunch?", MUSEUM, "14:30", "noon", id="from noon"),
        pytest.param("How wide may a picture be?", MUSEUM, "120 cm", "six", id="a number of things is no width"),
        pytest.param("When was the west wing reopened?", MUSEUM, "2 October", "August", id="reopened"),
        pytest.param("Who is driving the bus there?", TRIP, "Sofia", "Karl", id="somebody else in a later clause"),
        pytest.param("How long does the trial last?", TRIP, "six months", "Sunday", id="said aside of what is asked"),
        pytest.param("What is the default log level?", DAEMON, "info", "warn", id="defaults to a word"),
        pytest.param("What are passwords hashed with?", DAEMON, "Argon2", "bcrypt", id="before that"),
        pytest.param("What is the largest size of an upload?", DAEMON, "200 MB", "60 seconds", id="a time is no size"),
        pytest.param("How many wells met the standard?", WELLS, "11", "14", id="some of all"),
        pytest.param("How many wells were tested?", WELLS, "14", "11", id="all of which some"),
        pytest.param("Within how many days must repairs be reported?", WELLS, "21", "14", id="May ends a sentence"),
        pytest.param("Who will submit the claim?", WELLS, "Mrs Doyle", "June", id="by when is not by whom"),
        pytest.param("What is the normal excess?", POLICY, "£150", "£500", id="the general case"),
        pytest.param("What is the excess for subsidence?", POLICY, "£500", "£150", id="a special case"),
        pytest.param("How much is a guide paid a day?", POLICY, "£780", "£390", id="half a day"),
        pytest.param("How often do full backups run?", BACKUP, "weekly", "hourly", id="words for how often"),
        pytest.param("Which flag lists what would be copied?", BACKUP, "--dry-run", "--force", id="options"),
        pytest.param("Where are errors written?", BACKUP, "job.err", "job.out", id="without a verb"),
        pytest.param("Which command removes a job?", BACKUP, "jobs rm", "jobs add", id="commands"),
        pytest.param("What colour is the lamp while charging?", BACKUP, "orange", "green", id="colours"),
        pytest.param("What did unfertilised plots yield?", TRIAL, "4.1 t/ha", "7.4 t/ha", id="words before a value"),
        pytest.param("What was the mean wait in 2022?", TRIAL, "15.2 weeks", "12.7 weeks", id="in a year"),
        pytest.param("How many plots may a member have waiting?", TRIAL, "40", "8", id="what is counted is said once"),
        pytest.param("What does the boiler cost?", TRIAL, "£27,300", "£4,100", id="a difference"),
        pytest.param("How much water is added?", TRIAL, "900 ml", "100 ml", id="amounts of things"),
        pytest.param("Who seconded the motion?", MOTION, "Ms Otieno", "Mr Ferris", id="who seconded"),
        pytest.param("Who is the new treasurer?", MOTION, "Ms Otieno", "Mrs Kaur", id="succeeded as"),
        pytest.param("Who will chair the next meeting?", MOTION, "Mr Cho", "Mrs Singh", id="a reason"),
        pytest.param("Who leads the choir?", MOTION, "Piotr Nowak", "Ruth Abel", id="led by"),
        pytest.param("When does the lease end?", MOTION, "30 June", "22 June", id="so we do something else"),
        pytest.param("When does maintenance end?", MOTION, "9:00", "7:00", id="the end of a period"),
        pytest.param("From which month is the pool heated?", CAMP, "May", "September", id="from month to month"),
        pytest.param("What colour is the lamp in normal operation?", CAMP, "white", "red", id="red if"),
        pytest.param("How many of the members are new?", CAMP, "nine", "82", id="some of them"),
        pytest.param("When is the trip to Bruges?", CAMP, "October", "April", id="put off"),
        pytest.param("How much does each shard hold at most?", CAMP, "200 GB", "96", id="how much is not how many"),
        pytest.param("Who paid for the survey?", CAMP, "the county", "Moovit Research", id="paid for by"),
        pytest.param("What does a fast flashing lamp mean?", CAMP, "it is full", "it is empty", id="fast and slow"),
    ],
)
def test_a_value_of_a_paragraph_answers_its_own_question_alone(question, told, right, wrong):
    assert has_tick(question, right, told)
    assert not has_tick(question, wrong, told)


@pytest.mark.parametrize(
    ("question", "answer", "told"),
    [
        ("How much does the course cost?", "€15", "The course costs €15 and there is no late fee."),
        ("To whom does the library lend the projector?", "schools", "The library lends the projector to schools for 3 weeks."),
        ("When does the pool close?", "9 pm", "The pool is open between 7 am and 9 pm."),
        ("When does the pool open?", "9 am", "The pool is closed until 9 am."),
        ("When does the bar shut?", "midnight", "The bar opens at noon and shuts at midnight."),
        ("How high is the fee for late returns?", "£5", "The fee for late returns is £5."),
        (
            "Where is the fuse of the pump kept?",
            "behind the panel",
            "Where is the fuse of the pump kept? It is behind the panel.",
        ),
        ("How often must the oil be changed?", "every 500 km", "The oil must be changed every 500 km."),
    ],
)
def test_a_plain_sentence_answers_a_plain_question(question, answer, told):
    assert has_tick(question, answer, told)


@pytest.mark.parametrize(
    ("question", "answer", "told"),
    [
        ("What must not be used in the salt container?", "coarse salt", "The salt container holds 2 kg of coarse salt."),
        ("When does the pool open?", "9 pm", "The pool is open between 7 am and 9 pm."),
        ("When does the pool close?", "9 am", "The pool is closed until 9 am."),
        ("How long does it take to clean the boiler?", "3 bar", "It takes 3 bar to clean the boiler."),
        ("What is the capacity of the inner tank?", "12 litres", "The capacity of the outer tank is 12 litres."),
        ("By when is permission expected?", "spring", "Permission is expected by November, and the hall is to open in spring."),
    ],
)
def test_a_sentence_about_something_else_does_not(question, answer, told):
    assert not has_tick(question, answer, told)
