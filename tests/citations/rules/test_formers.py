"""Values that sentences of other languages call former or rejected."""

import pytest

from hopweave.citations.rules.given_up import is_given_up
from hopweave.core.types import Span

ASKED = {
    "de": ("Wie hoch ist die Gebühr?", "Wie hoch war die Gebühr vorher?"),
    "fr": ("Quel est le prix de la carte ?", "Quel était le prix auparavant ?"),
    "es": ("¿Cuánto cuesta el abono?", "¿Cuánto costaba el abono anteriormente?"),
    "it": ("Quanto costa la tessera?", "Quanto costava la tessera in precedenza?"),
    "sv": ("Hur mycket kostar kortet?", "Hur mycket kostade kortet tidigare?"),
    "da": ("Hvor meget koster kortet?", "Hvor meget kostede kortet tidligere?"),
    "cs": ("Kolik stojí průkaz?", "Kolik stál průkaz dříve?"),
    "ru": ("Сколько стоит абонемент?", "Сколько стоил абонемент раньше?"),
}


def given_up(asking, sentence, words):
    start = sentence.index(words)
    return is_given_up(asking, sentence, Span(start, start + len(words)))


@pytest.mark.parametrize(
    ("code", "sentence", "old", "new"),
    [
        ("de", "Die Gebühr beträgt 5 Euro (bisher 4 Euro).", "4 Euro", "5 Euro"),
        ("de", "Bisher kostete es 4 Euro, seit Mai 5 Euro.", "4 Euro", "5 Euro"),
        ("de", "Leitung: Ida Renn, bis 2020 Otto Lind", "Otto Lind", "Ida Renn"),
        ("de", "Ort; bisher: Markt; neu: Wiese.", "Markt", "Wiese"),
        ("de", "Der Antrag auf 9 Euro wurde abgelehnt; es bleibt bei 5 Euro.", "9 Euro", "5 Euro"),
        ("de", "Geleitet wird sie von Ida Renn; Otto Lind, ehemaliger Leiter, wohnt dort.", "Otto Lind", "Ida Renn"),
        ("fr", "La carte coûte 12 € (10 € l'an passé).", "10 €", "12 €"),
        ("fr", "La carte, auparavant à 10 €, coûte 12 € depuis mai.", "10 €", "12 €"),
        ("es", "El abono cuesta 22 € (antes 24 €).", "24 €", "22 €"),
        ("es", "Abono; antes: 24 €; ahora: 22 €.", "24 €", "22 €"),
        ("sv", "Kortet kostar 90 kr (tidigare 80 kr).", "80 kr", "90 kr"),
        ("sv", "Förslaget om 95 kr avslogs, kortet kostar fortfarande 90 kr.", "95 kr", "90 kr"),
        ("da", "Kortet koster 90 kr (hidtil 80 kr).", "80 kr", "90 kr"),
        ("da", "Forslaget om 95 kr blev forkastet, og kortet koster stadig 90 kr.", "95 kr", "90 kr"),
        ("cs", "Průkaz stojí 90 Kč (dosud 80 Kč).", "80 Kč", "90 Kč"),
        ("cs", "Návrh na 95 Kč byl zamítnut, průkaz stojí 90 Kč.", "95 Kč", "90 Kč"),
        ("ru", "Абонемент стоит 900 рублей (ранее 800 рублей).", "800 рублей", "900 рублей"),
        ("ru", "Предложение о 950 рублях отклонено, абонемент стоит 900 рублей.", "950 рублях", "900 рублей"),
        ("ru", "Предложение о взносе 90 руб. отклонено, взнос 80 рублей.", "90 руб", "80 рублей"),
        ("ru", "Взнос составляет 80 руб. Предложение о 90 рублях отклонено.", "90 рублях", "80 руб"),
        ("de", "Die 9 Euro pro Pers. abgelehnt, es bleibt bei 5 Euro.", "9 Euro", "5 Euro"),
        ("it", "La tessera costa 10 euro (fino al 2024 erano 8).", "8", "10 euro"),
        ("it", "La proposta di 15 euro è stata respinta, la tessera resta a 10 euro.", "15 euro", "10 euro"),
    ],
)
def test_of_two_values_the_former_one_is_given_up_unless_it_is_asked_for(code, sentence, old, new):
    now, before = ASKED[code]
    assert given_up(now, sentence, old)
    assert not given_up(now, sentence, new)
    assert not given_up(before, sentence, old)


def test_names_of_what_was_once_so_are_an_answer_to_what_was():
    told = "La biblioteca, prima nel convento di Orlau, è ora in piazza."
    assert given_up("Dove è la biblioteca?", told, "convento di Orlau")
    assert not given_up("Dove era la biblioteca?", told, "convento di Orlau")


def test_a_language_without_such_words_gives_nothing_up():
    assert not given_up("Mitä se maksaa?", "Se maksoi ennen 5 euroa.", "5 euroa")
