from hopweave.core.types import Passage
from hopweave.show.hits import matched_words, nearest_sentence


def test_the_sentence_shown_of_a_hit_shares_words_that_say_something_and_is_no_heading_if_tied():
    text = "Minutes of the yard meeting\n\nThe yard was cold. Petra Lind will be their trainer. The apprentices come on Monday."
    assert nearest_sentence("trainer of the apprentices", Passage("a", text)) == "Petra Lind will be their trainer."
    assert nearest_sentence("the yard", Passage("a", text)) == "The yard was cold."
    assert nearest_sentence("who is it", Passage("a", "Ida. Who is it?")) == "Who is it?"


def test_a_word_with_a_hyphen_is_matched_by_its_parts():
    assert matched_words("two-factor login", Passage("a", "Two-factor login is on.")) == ["two-factor", "login"]
    assert matched_words("two-factor login", Passage("a", "The factor of the login.")) == ["login"]
