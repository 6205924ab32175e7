"""Which language a text is in."""

import tomllib
from importlib.resources import files

import pytest

from hopweave.citations.rules.denials import denies_there_elsewhere, deny_alike_elsewhere
from hopweave.citations.rules.relations import relations_asked
from hopweave.core.types import Span
from hopweave.text.answer_kinds import kind_asked
from hopweave.text.comparing import life_date, wanted_of
from hopweave.text.languages import is_foreign, language_beside, language_of, months, words_for
from hopweave.text.matching import is_yes, is_yes_or_no, without_yes_or_no
from hopweave.text.sentences import sentence_spans

TEXTS = {
    "de": [
        "Was ist das?",
        "In welcher Stadt liegt Brünn?",
        "Exim lauscht auf Port 25.",
        "Verwendet Debian standardmäßig Postfix?",
    ],
    "fr": ["Quel est le port ?", "Qu'affiche bash si la valeur est NULL ?"],
    "es": ["¿Qué puerto se usa por defecto?"],
    "ru": ["Какой порт?"],
    "ja": ["mount コマンドは Version 5 の AT&T UNIX には存在していた。"],
    "zh": ["这些软件包是 Debian 的吗？"],
    "ko": ["이것은 책입니다."],
    "ar": ["ما هذا؟"],
    "en": [
        "Who directed Les enfants du paradis?",
        "Was Ida Renn born in Brno?",
        "City of God (Cidade de Deus)",
        "Tokyo (東京) is old.",
    ],
    "": ["Die Hard", "Los Angeles", "Ludwig van Beethoven", "La La Land", "Komprimierte Archive", "1958"],
}
SHORT_SENTENCES = {
    "fi": ["Puheenjohtaja on mahdollisesti Liisa Virtanen."],
    "hu": ["Az elnök állítólag Kovács János.", "A társasház elnöke állítólag Kovács János."],
    "tr": ["Garanti süresi iki yıl değildir.", "Aylık kira her daire için 900 TL değildir."],
    "pl": ["Prezes to prawdopodobnie Jan Kowalski.", "Gwarancja obowiązuje 2 lata, a na silnik 10 lat."],
    "cs": ["Nájem se prodlužuje do 31. 5. 2027.", "na dobu neurčitou"],
    "ru": ["Гарантия на насос действует 2 года, на двигатель 10 лет.", "до 15 числа"],
    "uk": ["Гарантія на насос діє 2 роки.", "до 15 днів включно, з січня"],
    "sv": ["fyra gånger om året"],
    "da": ["Om lørdagen er tiden uændret."],
    "es": ["Fianza y garantía."],
    "en": [
        "A café in Orlau",
        "A protégé of Renn",
        "The price to pay is 5 złoty.",
        "5 złoty a month",
        "Notes on pumps",
        "Possible on request",
        "The Kraków office is on Żabia Street.",
    ],
}
SENTENCES = [
    ["Das gilt z. B. für Dateien.", "Am 12. Mai 1958 wurde sie stillgelegt.", "Die 2. Auflage ist ca. 1.234,5 km lang."],
    ["Er sagte: „Komm!“", "Dann ging er, d. h. usw. nicht weit.", "Siehe Abs. 3."],
    ["M. Renn est né le 1er mai, c.-à-d. hier.", "Il dit : « Viens ! »", "Voir la page 3."],
    ["Это т. е. всё, см. рис. 5.", "Проф. И. И. Петров ушёл в 1958 г. в Орле."],
    ["El Sr. Renn nació en 1958.", "¿Quién es?", "Nadie lo sabe."],
    ["「行くよ。」と彼は言った。", "mount は古い。", "そうですか？"],
    ["无需编辑文件。", "mount 是什么？", "RAID-0 很快。"],
    ["Le bail prend fin le 31 déc. 2024.", "Il est renouvelé le 1er janv. 2025.", "Il commence en sept. 2025 au plus tard."],
    ["Le prix est de 250 € T.T.C. par mois.", "La S.A.R.L. Dupont les vend."],
    ["Het eindigt op 31 dec. 2024.", "Mevr. De Vries en dhr. Jansen komen op 3 mrt. 2025.", "Dat is alles."],
    ["Zgodnie z aneksem z dnia 12 maja 2024 r. Rada Gminy podwyższa opłatę.", "W 2024 r. Strony ustaliły cenę."],
    ["Umowa obowiązuje do 31 grudnia 2024 r.", "Strony mogą ją przedłużyć.", "Ustawa z dnia 7 lipca 1994 r. Prawo budowlane."],
    ["Die Fa. Müller liefert die Ware.", "Das ist für Frau Dr. Weiß."],
    ["A Profa. Maria e a Dra. Ana vieram.", "Não há mais ninguém."],
    [
        "Взнос составляет 450 руб.",
        "Взнос действует до 31 декабря 2025 г.",
        "Стороны вправе изменить его за 5 тыс. руб.",
        "Он мал.",
    ],
    ["В 1958 г. Петров ушёл, а в 1960 г. Сидоров умер.", "Согласно договору от 12 мая 2024 г. Стороны вправе это изменить."],
    ["Он живёт в г. Орле и платит 90 руб. (ранее 80 руб.) за проезд.", "Это 350 руб. в год."],
    ["У 1958 р. Петро пішов.", "Договір діє до 31 грудня 2024 р.", "Сторони його змінили."],
    ["Πότε λήγει;", "Στις 5 Μαΐου."],
    ["جاء د. أحمد.", "هذا كل شيء."],
    ["Due anni fa è nata la casa.", "Il dott. Rossi e il sig. Verdi ci vivono da allora."],
    ["Det måste vi dra.", "Sedan är det klart."],
]


@pytest.mark.parametrize(("code", "text"), [(code, text) for code, texts in TEXTS.items() for text in texts])
def test_the_language_of_a_text_is_told_by_its_small_words_and_letters(code, text):
    assert language_of(text) == code


@pytest.mark.parametrize(("code", "text"), [(code, text) for code, texts in SHORT_SENTENCES.items() for text in texts])
def test_between_languages_with_the_same_small_words_letters_and_hedges_decide(code, text):
    assert language_of(text) == code


def test_small_words_that_english_shares_are_no_english_in_a_text_full_of_accents():
    assert language_of("A havi bérleti díj 1 250 000 forint.") != "en"
    assert language_of("A summer fête.") == "en"


@pytest.mark.parametrize(
    ("text", "question", "code"),
    [
        ("Vuokra on 650 euroa.", "Mikä on vuokra?", "fi"),
        ("A havi bérleti díj 1 250 000 forint.", "Mennyi a havi bérleti díj?", "hu"),
        ("Die Miete in Wien kostet 500 Euro.", "Wie hoch ist die Miete?", "de"),
        ("The rent is 650 euros.", "Mikä on vuokra?", "en"),
        ("It is on the hill.", "Wo liegt es?", "en"),
        ("Vuokra on 650 euroa.", "What is the rent?", "en"),
    ],
)
def test_beside_a_question_a_text_is_english_only_by_words_that_the_language_of_the_question_lacks(text, question, code):
    assert language_beside(text, question) == code


FINNISH = "Vuokra on 900 euroa kuukaudessa. Vuokranantaja ei ole vastuussa siitä. Takuuvuokra: 5 000 euroa."
GERMAN = "Die Miete ist am ersten Tag des Monats zu zahlen. Die Kaution wird nicht verzinst."
ENGLISH = "The rent is 900 euros, and the deposit is 5,000 euros. The lease says: Die Miete ist im Voraus zu zahlen."


@pytest.mark.parametrize(
    ("sentence", "passage", "question", "code"),
    [
        ("Takuuvuokra: 5 000 euroa.", FINNISH, "", "fi"),
        ("Takuuvuokra: 5 000 euroa.", FINNISH, "What is the deposit?", "fi"),
        ("Takuuvuokra: 5 000 euroa.", "Takuuvuokra: 5 000 euroa.", "Mikä on takuuvuokra?", "fi"),
        ("Deposit: 5,000 euros.", ENGLISH, "Mikä on takuuvuokra?", "en"),
        ("Die Miete ist im Voraus zu zahlen.", ENGLISH, "What does the lease say?", "de"),
        ("The tenant pays it.", GERMAN, "Wer zahlt die Miete?", "en"),
        ("Il serbatoio pesa 35 kg.", "La pompa pesa 12 kg. Il serbatoio pesa 35 kg.", "Quanto pesa la pompa?", "it"),
        ("Залог составляет 2500 рублей.", "Залог составляет 2500 рублей.", "Wie hoch ist die Kaution?", "ru"),
        ("De huur moet op de eerste dag van de maand worden betaald.", GERMAN, "Wer zahlt?", "nl"),
        ("東京都", "東京都に住んでいます。", "", "ja"),
    ],
)
def test_a_sentence_is_in_the_language_of_its_passage_unless_it_plainly_has_another(sentence, passage, question, code):
    assert language_beside(sentence, passage, question) == code


@pytest.mark.parametrize("sentences", SENTENCES)
def test_sentences_of_other_languages_end_neither_at_their_abbreviations_nor_at_the_day_of_a_date(sentences):
    text = (" " if sentences[0].isascii() or "。" not in sentences[0] else "").join(sentences)
    assert [text[span.start : span.end] for span in sentence_spans(text)] == sentences


@pytest.mark.parametrize(
    ("answer", "is_a_yes", "rest"),
    [
        ("Ja, seit 1931.", True, "seit 1931."),
        ("Nein.", False, ""),
        ("Oui, en 1931", True, "en 1931"),
        ("Да, с 1931 года", True, "с 1931 года"),
        ("はい、1931年です。", True, "1931年です。"),
        ("いいえ。", False, ""),
        ("是的，始于1931年", True, "始于1931年"),
    ],
)
def test_a_yes_or_no_is_one_in_whatever_language(answer, is_a_yes, rest):
    assert (is_yes_or_no(answer), is_yes(answer), without_yes_or_no(answer)) == (True, is_a_yes, rest)


@pytest.mark.parametrize("name", ["Ja Rule", "Non nobis", "Si", "Da", "Jo", "Ne", "Tak Mahal", "はいから"])
def test_a_name_that_begins_like_a_yes_or_no_is_none(name):
    assert not is_yes_or_no(name)


@pytest.mark.parametrize(
    ("sentence", "words", "is_denied"),
    [
        ("Benutzern ist es nicht erlaubt, die Dateien zu löschen.", "die Dateien", True),
        ("Falls nichts angegeben ist, gilt Port 80.", "Port 80", False),
        ("Er liest weder Namen, Rechte noch Größen.", "Größen", True),
        ("Zugriff auf alle Konten (außer root).", "root", True),
        ("Zugriff auf alle Konten (außer root).", "alle Konten", False),
        ("Sie kostet nicht mehr als 5 Kronen.", "5 Kronen", False),
        ("Il ne lit pas les noms, les droits et les tailles.", "les tailles", True),
        ("Les pages ne sont pas seulement lues.", "lues", False),
        ("Он не только читает, но и пишет файлы.", "файлы", False),
        ("この値は表示しなければなりません。", "値", False),
        ("この機能は使用不可能です。", "可能", True),
        ("管理者以外は使えます。", "管理者", True),
        ("维修是不可能的。", "可能", True),
    ],
)
def test_a_not_denies_its_clause_and_nothing_else(sentence, words, is_denied):
    start = sentence.index(words)
    assert denies_there_elsewhere("", sentence, Span(start, start + len(words))) is is_denied


@pytest.mark.parametrize(
    ("left", "right", "is_alike"),
    [
        ("Die Daten werden gelöscht.", "Die Daten werden nicht gelöscht.", False),
        ("Die Daten werden nicht gelöscht.", "Die Daten werden niemals gelöscht.", True),
        ("Die Daten werden gelöscht.", "Die Daten werden gelöscht, aber die Namen werden nicht geändert.", True),
        ("RAID-0 は冗長性を提供します。", "RAID-0 は冗長性を提供しません。", False),
        ("这些软件包是正式组成部分。", "这些软件包不是正式组成部分。", False),
    ],
)
def test_two_sentences_of_another_language_deny_alike_if_both_or_neither_deny_what_they_share(left, right, is_alike):
    assert deny_alike_elsewhere(left, right) is is_alike
    assert deny_alike_elsewhere(right, left) is is_alike


def test_every_language_has_twelve_months_or_none():
    table = tomllib.loads((files("hopweave.text") / "languages.toml").read_text("utf-8"))
    assert {len(words["months"].split()) for words in table.values() if "months" in words} == {12}
    assert (months()["märz"], months()["мая"], months()["août"]) == (3, 5, 8)


def test_a_not_after_a_without_denies_something_else():
    said = "El valor es 0, salvo que el nombre {}sea una orden."
    assert not deny_alike_elsewhere(said.format("no "), said.format(""))
    assert deny_alike_elsewhere(said.format("no "), said.format("no "))


def test_an_english_not_counts_beside_words_of_another_language():
    assert not deny_alike_elsewhere("Der Wert ist 0, which is not used.", "Der Wert ist 0, which is used.")


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Wann wurde die Mühle stillgelegt?", "time"),
        ("Was ist der Standardport?", "any"),
        ("Qui est son père ?", "person"),
        ("Hat die Mühle mehr Steine?", "any"),
    ],
)
def test_a_word_of_another_language_is_no_english_word_that_is_written_alike(question, kind):
    assert (kind_asked(question), relations_asked(question), wanted_of(question)) == (kind, (), None)
    assert life_date(question, "Ida Renn (1899 - 1981) war Müllerin.") == ""


@pytest.mark.parametrize("code", ["de", "fr", "es", "it", "pt", "nl", "sv", "da", "fi", "pl", "cs", "hu", "ro", "tr"])
def test_the_small_words_of_a_language_tell_it_or_a_close_one_and_never_english(code):
    words = words_for(code, "small").split()
    assert words
    for first in range(0, len(words) - 5, 5):
        assert language_of(" ".join(words[first : first + 5])) not in {"en", ""}


@pytest.mark.parametrize(
    "code",
    [
        "os.path.join(src, dst)",
        "Key Word: NONE; PostgreSQL: non-reserved.",
        "git log [-o <file>]",
        "shutil.copy(src, dst)",
        "div.em { margin: 0.5em; }",
    ],
)
def test_words_within_code_tell_no_language(code):
    assert not is_foreign(code)
