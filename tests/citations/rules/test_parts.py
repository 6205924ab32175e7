"""Sentences that give several things a value each, in parts of their own."""

import pytest

from hopweave.citations.rules.estimates import is_of_an_estimate
from hopweave.citations.rules.parts import is_in_other_part
from hopweave.core.types import Span
from hopweave.text.values_alike import values_in
from hopweave.text.wanted import Wanted, content_stems

ARMS = "The rate was 0.84 in the Sula group and 1.27 in the control group (ratio 0.66; P = 0.004)."
DOSES = "The level fell by 1.8 mmol/L with 40 mg and by 1.1 mmol/L with 10 mg."
FREEZERS = "Samples may be stored at -20 °C for 3 months or at -80 °C for 2 years."
SHELVES = "Suladin is stored at -70 °C, Brnovax at 2 to 8 °C."
DATES = "Received 14 March 2019; accepted 2 September 2019; published online 11 October 2019"
SCREENED = "Of 1,204 records screened, 1,131 were excluded on title, 63 on full text, and 10 were kept."
VISITS = "Follow-up was complete in 55 patients of group A, 60 of group B and 22 of group C."
AGES = "In those older than 70 years the ratio was 1.31; in those younger than 50 years it was 1.02."
ROUNDS = "Pain is assessed every 4 h, sedation every 2 h and delirium once per shift."
STAFF = "The lead investigator was Ida Renn; the statistician was Ada Finch."
LIFE = "Ida Renn was born in Sula; she died in Brno."
BRIDGE = "The Sula bridge was built in 1848, burnt in 1870 and rebuilt in 1901."
TOWN = "Founded by Ida Renn in 1887, Sula moved to Brno in 1900."
YEARS = "Karl( b. 1127 – d. Sula( now part of Brno), 7 or 8 December 1201) was Duke from 1163 until his death in 1201."
ORDER = "It was seen in 0, 7 and 3 patients in groups A, B and C, respectively."
UNITS = "The limits of Sula and Brno were 1.5 ml and 0.3 ml, respectively."
ARMS_APART = "Glucose was 6.1 mmol/L vs. 9.8 mmol/L (p < 0.001)."
STORES = "Stores opened in the quarter numbered 6, while 2 were closed."
LIST = "It has 3, 5 and 7 gates."
EXCEPT = "Lamps are kept for 36 months, except for bearings, which are kept for 12 months."
INQUIRY = "It is decided within four months, or, where an inquiry is held, within nine months."
REPORTED = "Nausea was seen in 31 of 206 patients given Suladin and in 12 of 206 given placebo."
RATE = "Interest is payable at 5.25% until 31 July 2025 and at 6.1% after that date."
CAPPED = "It pays 0.5% of the price for each week of delay, not exceeding 10% of the price."


@pytest.mark.parametrize(
    ("asked", "sentence", "value", "is_in_other"),
    [
        ("What was the rate in the Sula group?", ARMS, "0.84", False),
        ("What was the rate in the Sula group?", ARMS, "1.27", True),
        ("What was the rate in the control group?", ARMS, "1.27", False),
        ("What was the rate in the control group?", ARMS, "0.84", True),
        ("What was the ratio of the groups?", ARMS, "0.66", False),  # in brackets, it is compared with nothing outside
        ("How much did the level fall with 10 mg?", DOSES, "1.8 mmol/L", True),
        ("How much did the level fall with 10 mg?", DOSES, "1.1 mmol/L", False),
        ("How long may samples be stored at -80 °C?", FREEZERS, "3 months", True),
        ("How long may samples be stored at -80 °C?", FREEZERS, "2 years", False),
        ("At what temperature is Brnovax stored?", SHELVES, "-70 °C", True),
        ("At what temperature is Brnovax stored?", SHELVES, "2 to 8 °C", False),
        ("At what temperature is Suladin stored?", SHELVES, "-70 °C", False),
        ("At what temperature is Suladin stored?", SHELVES, "2 to 8 °C", True),
        ("When was the paper accepted?", DATES, "14 March 2019", True),
        ("When was the paper accepted?", DATES, "2 September 2019", False),
        ("When was the paper accepted?", DATES, "11 October 2019", True),
        ("How many records were excluded on full text?", SCREENED, "1,131", True),
        ("How many records were excluded on full text?", SCREENED, "63", False),
        ("How many records were excluded on title?", SCREENED, "1,131", False),
        ("How many patients of group C completed follow-up?", VISITS, "55", True),
        ("How many patients of group C completed follow-up?", VISITS, "22", False),
        ("How many patients of group A completed follow-up?", VISITS, "55", False),
        ("What was the ratio in those younger than 50 years?", AGES, "1.31", True),
        ("What was the ratio in those younger than 50 years?", AGES, "1.02", False),
        ("What was the ratio in those older than 70 years?", AGES, "1.31", False),
        ("How often is delirium assessed?", ROUNDS, "every 2 h", True),
        ("How often is delirium assessed?", ROUNDS, "once per shift", False),
        ("Who was the statistician?", STAFF, "Ida Renn", True),
        ("Who was the statistician?", STAFF, "Ada Finch", False),
        ("Where did Ida Renn die?", LIFE, "Brno", False),  # "she" is who the other clause names
        ("When was the Sula bridge destroyed?", BRIDGE, "1870", False),  # the subject is that of all its parts
        ("When was the Sula bridge rebuilt?", BRIDGE, "1901", False),
        ("When was Sula founded?", TOWN, "1887", False),
        ("When was Karl, Duke of Sula, born?", YEARS, "1127", False),
        ("How many patients of group B had it?", ORDER, "0", True),
        ("How many patients of group B had it?", ORDER, "7", False),
        ("How many patients of group C had it?", ORDER, "7", True),
        ("What was the limit of Brno?", UNITS, "1.5 ml", True),
        ("What was the limit of Brno?", UNITS, "0.3 ml", False),
        ("How many stores did it close?", STORES, "6", True),
        ("How many stores did it close?", STORES, "2", False),
        ("How many gates has it?", LIST, "3", False),
        ("What was the glucose?", ARMS_APART, "9.8 mmol/L", False),
        ("How many gates has it?", LIST, "7", False),
        ("For how long are bearings kept?", EXCEPT, "36 months", True),
        ("For how long are bearings kept?", EXCEPT, "12 months", False),
        ("For how long are lamps kept?", EXCEPT, "36 months", False),
        ("How long does it take where an inquiry is held?", INQUIRY, "four months", True),
        ("How long does it take where an inquiry is held?", INQUIRY, "nine months", False),
        ("How many patients given placebo had nausea?", REPORTED, "31", True),
        ("How many patients given placebo had nausea?", REPORTED, "12", False),  # of patients as well
        ("What is payable after 31 July 2025?", RATE, "6.1%", False),  # "that date" is before
        ("What is the maximum that it pays?", CAPPED, "0.5%", True),
        ("What is the maximum that it pays?", CAPPED, "10%", False),
        ("What does it pay of the price?", CAPPED, "0.5%", False),
    ],
)
def test_a_value_is_that_of_the_part_of_its_sentence_which_has_the_words_of_the_query(asked, sentence, value, is_in_other):
    start = sentence.index(value)
    assert (
        is_in_other_part(Wanted(asked, content_stems(asked)), sentence, Span(start, start + len(value)), values_in(sentence))
        is is_in_other
    )


FOUND = "It rose by 118 ml (95% CI 82 to 154; P = 0.004; n = 206), to 3.8 ± 1.1 l."


@pytest.mark.parametrize(
    ("asked", "number", "is_one"),
    [
        ("How much did it rise?", "118 ml", False),
        ("How much did it rise?", "82", True),
        ("How much did it rise?", "154", True),
        ("How much did it rise?", "0.004", True),
        ("How much did it rise?", "206", True),
        ("How much did it rise?", "1.1 l", True),
        ("How much did it rise?", "3.8 ± 1.1 l", False),
        ("What was the upper limit of the confidence interval?", "154", False),
        ("What was the P value?", "0.004", False),
        ("How many patients were there?", "206", False),
        ("What was the standard deviation?", "1.1 l", False),
    ],
)
def test_what_only_goes_with_a_value_is_an_answer_if_it_is_asked_for(asked, number, is_one):
    start = FOUND.index(number)
    assert is_of_an_estimate(asked, FOUND, Span(start, start + len(number))) is is_one
