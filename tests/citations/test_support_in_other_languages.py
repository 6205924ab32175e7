"""The support rule in other languages than English: what is denied, left open or unknown there has no tick."""

import unicodedata

import pytest

from hopweave.citations.rules.denials import _clauses
from hopweave.citations.support import claim_of, judge
from hopweave.core.types import Passage
from hopweave.text.refusal import does_not_know

MILL = {
    "de": Passage(
        "de",
        "Die Mühle in Orlau wurde am 12. Mai 1958 stillgelegt. Sie gehörte Ida Renn. Möglicherweise baute Otto Lind die "
        "Mühle in Orlau. Besucher dürfen den Turm, jedoch nicht den Keller betreten. "
        "Der Zugang erfolgt ohne Schlüssel. Sie hat 1.250 Steine.",
        "Die Mühle",
    ),
    "fr": Passage(
        "fr",
        "Le moulin d'Orlau fut fermé le 12 mai 1958. Il appartenait à Ida Renn. Il aurait été construit par Otto Lind. "
        "Les visiteurs ne peuvent pas entrer dans la cave. "
        "Si la porte est fermée, aucune lampe n'est allumée. Il compte 1\u00a0250 pierres.",
        "Le moulin",
    ),
    "es": Passage(
        "es",
        "El molino de Orlau fue cerrado el 12 de mayo de 1958. Los visitantes no pueden entrar en la bodega. "
        "El molino no tiene ventanas.",
        "El molino",
    ),
    "ru": Passage(
        "ru",
        "Мельница в Орлау была закрыта 12 мая 1958 года. Возможно, её владельцем был Отто Линд. Проект мельницы не "
        "является частью музея, однако открыт летом. В ней было 1 250 камней.",
        "Мельница",
    ),
    "ja": Passage(
        "ja",
        "この水車は2019年5月12日に廃止されました。所有者は山本花子だったかもしれない。水車は粉を保存しません。"
        "鍵が指定されない場合、扉は青色になります。部屋は十三個あります。",
        "水車",
    ),
    "zh": Passage(
        "zh", "这座水车于2019年5月12日关闭。主人可能是李大华。水车不储存面粉，仅仅储存谷物。共有十三个房间。", "水车"
    ),
}
STATED = [
    ("de", "Wann wurde die Mühle in Orlau stillgelegt?", "am 12. Mai 1958"),
    ("de", "Wann wurde die Mühle in Orlau stillgelegt?", "12.05.1958"),
    ("de", "Wem gehörte die Mühle in Orlau?", "Ida Renn"),
    ("de", "Welchen Raum dürfen Besucher der Mühle nicht betreten?", "den Keller"),
    ("de", "Wie viele Steine hat die Mühle?", "1250"),
    ("de", "Dürfen Besucher den Keller betreten?", "Nein, Besucher dürfen den Keller nicht betreten."),
    ("fr", "Quand le moulin d'Orlau fut-il fermé ?", "le 12 mai 1958"),
    ("fr", "Combien de pierres le moulin compte-t-il ?", "1250"),
    ("fr", "Où les visiteurs du moulin ne peuvent-ils pas entrer ?", "dans la cave"),
    ("es", "¿Cuándo fue cerrado el molino de Orlau?", "12 de mayo de 1958"),
    ("ru", "Когда была закрыта мельница в Орлау?", "12 мая 1958 года"),
    ("ru", "Сколько камней было в мельнице?", "1250"),
    ("ru", "Частью чего не является проект мельницы?", "музея"),
    ("ja", "この水車はいつ廃止されましたか？", "2019年5月12日"),
    ("ja", "水車は何を保存しませんか？", "粉"),
    ("ja", "鍵が指定されない場合、扉は何色になりますか？", "青色"),
    ("ja", "水車の部屋は何個ありますか？", "十三個"),
    ("zh", "这座水车什么时候关闭的？", "2019年5月12日"),
    ("zh", "水车储存什么？", "谷物"),
    ("zh", "水车不储存什么？", "面粉"),
]
NOT_STATED = [
    ("de", "Welchen Raum dürfen Besucher der Mühle betreten?", "den Keller"),
    ("de", "Womit erfolgt der Zugang zur Mühle?", "Schlüssel"),
    ("de", "Wer baute die Mühle in Orlau?", "Otto Lind"),
    ("de", "Wann wurde die Mühle in Tromvik stillgelegt?", "am 12. Mai 1958"),
    ("de", "Wie viele Steine hat die Mühle?", "250"),
    ("de", "Dürfen Besucher den Keller betreten?", "Ja, Besucher dürfen den Keller betreten."),
    ("de", "Dürfen Besucher den Keller betreten?", "Ja, die Mühle hat 1.250 Steine."),
    ("de", "Dürfen Besucher den Keller betreten?", "Ja."),
    ("fr", "Où les visiteurs du moulin peuvent-ils entrer ?", "dans la cave"),
    ("fr", "Qu'est-ce qui est allumé si la porte est fermée ?", "lampe"),
    ("fr", "Qui a construit le moulin d'Orlau ?", "Otto Lind"),
    ("fr", "Combien de pierres le moulin compte-t-il ?", "250"),
    ("fr", "Quand le moulin de Tromvik fut-il fermé ?", "le 12 mai 1958"),
    ("es", "¿Dónde pueden entrar los visitantes del molino?", "en la bodega"),
    ("es", "¿Qué tiene el molino?", "ventanas"),
    ("ru", "Частью чего является проект мельницы?", "музея"),
    ("ru", "Кто был владельцем мельницы в Орлау?", "Отто Линд"),
    ("ru", "Сколько камней было в мельнице?", "250"),
    ("ja", "水車は何を保存しますか？", "粉"),
    ("ja", "水車は何を保存しますか？", "水車は粉を保存します。"),
    ("ja", "水車の所有者は誰でしたか？", "山本花子"),
    ("ja", "水車の部屋は何個ありますか？", "三個"),
    ("zh", "水车储存什么？", "面粉"),
    ("zh", "水车的主人是谁？", "李大华"),
    ("zh", "水车共有多少个房间？", "三个"),
]
UNKNOWN = [
    *("unbekannt", "Das ist nicht bekannt.", "nicht angegeben", "inconnu", "Je ne sais pas.", "no se sabe", "неизвестно"),
    *("Я не знаю.", "不明です。", "わかりません。", "記載がありません。", "不知道", "文中未提及。", "未提供相关信息"),
    *("Das geht aus dem Text nicht hervor.", "알 수 없습니다.", "모르겠습니다.", "불명확합니다.", "미상", "정보가 없습니다."),
    *("본문에 언급되지 않았습니다.", "명시되지 않음"),
]


def support(code, query, answer):
    return claim_of(1, query, answer, "retrieved", [MILL[code]]).support


@pytest.mark.parametrize(("code", "query", "answer"), STATED)
def test_what_a_passage_in_another_language_plainly_states_is_supported(code, query, answer):
    assert support(code, query, answer) == "supported"


@pytest.mark.parametrize(("code", "query", "answer"), NOT_STATED)
def test_what_a_passage_in_another_language_denies_leaves_open_or_has_of_another_thing_is_not_supported(code, query, answer):
    assert support(code, query, answer) != "supported"


@pytest.mark.parametrize("answer", UNKNOWN)
def test_an_answer_that_says_in_another_language_that_there_is_none_claims_nothing(answer):
    passage = Passage("x", f"Der Wert: {answer}. La valeur : {answer}.", "Wert")
    claim = claim_of(1, "Wer baute die Mühle?", answer, "retrieved", [passage])
    assert (claim.text, claim.support) == ("", "unsupported")


def test_a_question_in_english_about_a_passage_in_another_language_heeds_its_not():
    claim = claim_of(1, "What does the water wheel store, 面粉 or 谷物?", "面粉", "retrieved", [MILL["zh"]])
    assert claim.support != "supported"


def test_accents_that_are_characters_of_their_own_change_nothing():
    text = unicodedata.normalize("NFD", "Die Mühle gehörte Jörg Müller. Sie läuft nicht im Frühjahr.")
    passage = Passage("x", text, "Die Mühle")
    assert claim_of(1, "Wem gehörte die Mühle?", "Jörg Müller", "retrieved", [passage]).support == "supported"
    assert claim_of(1, "Wann läuft die Mühle?", "im Frühjahr", "retrieved", [passage]).shortfall == "denial"


@pytest.mark.parametrize(
    ("text", "query", "answer", "is_supported"),
    [
        ("אורלאו: הטחנה נסגרה ב-12 במאי 1958. היא אינה פועלת בחורף.", "מתי הטחנה פועלת?", "בחורף", False),
        ("אורלאו: הטחנה נסגרה ב-12 במאי 1958. היא אינה פועלת בחורף.", "מתי נסגרה הטחנה?", "12 במאי 1958", True),
        ("أُغلقت طاحونة أورلاو في 12 مايو 1958. لا يستخدم النظام المنفذ 80.", "ما المنفذ الذي يستخدمه النظام؟", "80", False),
        ("이 프로그램은 파일을 삭제하지 않는다.", "이 프로그램은 무엇을 삭제합니까?", "파일", False),
        ("이 프로그램은 파일을 삭제하지 않는다.", "이 프로그램은 무엇을 삭제하지 않습니까?", "파일", True),
        ("Το πρόγραμμα δεν διαγράφει αρχεία.", "Τι διαγράφει το πρόγραμμα;", "αρχεία", False),
    ],
)
def test_a_not_counts_in_hebrew_arabic_korean_and_greek(text, query, answer, is_supported):
    claim = claim_of(1, query, answer, "retrieved", [Passage("x", text, "")])
    assert (claim.support == "supported") is is_supported
    assert [text[one.focus.start : one.focus.end] for one in claim.citations] == [answer]


RULES = {
    "de": Passage(
        "de#1",
        "Die Probezeit in der Orlauer Mühle dauert sechs Monate, bei Auszubildenden vier Monate. Der Nachlass in der Orlauer "
        "Mühle beträgt 30 % für Schüler, 15 % mit der Inselkarte. Das Wehr ist grün. Der Mahlgang der Orlauer Mühle ist rot.",
        "Orlauer Mühle",
    ),
    "fr": Passage(
        "fr#1",
        "Le délai du moulin d'Orlau est de deux jours pour le blé et de cinq jours pour le seigle. L'entrée du moulin d'Orlau "
        "coûte 8 €, pour les enfants 3 €.",
        "Le moulin d'Orlau",
    ),
    "es": Passage(
        "es#1",
        "La entrada del molino de Orlau cuesta 8 euros, para los niños 3 euros. El molino de Orlau abre a las 9:00.",
        "Molino",
    ),
    "it": Passage(
        "it#1",
        "Il condensatore del mulino di Orlau è di 8 µF per la SP 250, 10 µF per la SP 400. La tessera del mulino di Orlau "
        "costa 8 euro, per i ragazzi 3 euro.",
        "Il mulino di Orlau",
    ),
    "sv": Passage(
        "sv#1",
        "Inträdet till kvarnen i Orlau kostar 80 kr, för barn 30 kr. Väntetiden i kvarnen i Orlau är två dagar för vete och "
        "fem dagar för råg.",
        "Kvarnen i Orlau",
    ),
    "da": Passage(
        "da#1",
        "Entreen til møllen i Orlau koster 80 kr, for børn 30 kr. Møllen i Orlau maler på hverdage kl. 7-18 og lørdage "
        "kl. 9-14.",
        "Møllen i Orlau",
    ),
    "cs": Passage(
        "cs#1",
        "Vstup do mlýna v Orlau stojí 80 Kč, pro děti 30 Kč. Čekání ve mlýně v Orlau trvá dva dny u pšenice a pět dnů u žita.",
        "Mlýn v Orlau",
    ),
    "ru": Passage(
        "ru#1",
        "Вход на мельницу в Орлау стоит 80 рублей, для детей 30 рублей.",
        "Мельница в Орлау",
    ),
}


@pytest.mark.parametrize(
    ("code", "query", "right", "wrong"),
    [
        ("de", "Wie lang ist die Probezeit für Auszubildende in der Orlauer Mühle?", "vier Monate", "sechs Monate"),
        ("de", "Wie hoch ist der Nachlass in der Orlauer Mühle mit der Inselkarte?", "15 %", "30 %"),
        ("fr", "Quel est le délai du moulin d'Orlau pour le seigle ?", "cinq jours", "deux jours"),
        ("fr", "Combien coûte l'entrée du moulin d'Orlau pour les enfants ?", "3 €", "8 €"),
        ("es", "¿Cuánto cuesta la entrada del molino de Orlau para los niños?", "3 euros", "8 euros"),
        ("it", "Di quanti µF è il condensatore del mulino di Orlau per la SP 400?", "10 µF", "8 µF"),
        ("it", "Quanto costa la tessera del mulino di Orlau per i ragazzi?", "3 euro", "8 euro"),
        ("sv", "Hur mycket kostar inträdet till kvarnen i Orlau för barn?", "30 kr", "80 kr"),
        ("sv", "Hur lång är väntetiden i kvarnen i Orlau för råg?", "fem dagar", "två dagar"),
        ("da", "Hvor meget koster entreen til møllen i Orlau for børn?", "30 kr", "80 kr"),
        ("da", "Hvornår maler møllen i Orlau om lørdagen?", "9-14", "7-18"),
        ("cs", "Kolik stojí vstup do mlýna v Orlau pro děti?", "30 Kč", "80 Kč"),
        ("cs", "Jak dlouho trvá čekání ve mlýně v Orlau u žita?", "pět dnů", "dva dny"),
        ("ru", "Сколько стоит вход на мельницу в Орлау для детей?", "30 рублей", "80 рублей"),
    ],
)
def test_a_value_of_another_case_supports_nothing(code, query, right, wrong):
    assert judge(query, right, [RULES[code]]).support == "supported"
    assert judge(query, wrong, [RULES[code]]).support == "unsupported"


def test_a_german_noun_counts_as_a_word_that_the_place_needs_and_not_as_a_name():
    query = "Welche Farbe hat der Mahlgang in der Orlauer Mühle?"
    assert judge(query, "rot", [RULES["de"]]).support == "supported"
    assert judge(query, "grün", [RULES["de"]]).support == "unsupported"


@pytest.mark.parametrize(
    ("name", "told", "is_tied"),
    [
        ("Wer baute den Turm der Orlauer Windmühlen?", "Ida Renn baute den Turm der Orlauer Windmühle.", True),
        ("Wer baute den Turm der Orlau-Mühle?", "Ida Renn baute den Turm der Mühle in Orlau.", True),
        ("Wer baute den Turm der Mühle 27 in Orlau?", "Ida Renn baute den Turm der Mühle 28 in Orlau.", False),
    ],
)
def test_names_of_several_words_may_be_inflected_and_their_numbers_may_not(name, told, is_tied):
    assert (judge(name, "Ida Renn", [Passage("p", told)]).support == "supported") is is_tied


OPENED = "Safety sheet\n\nProduct: Ferrolin S-30, made in Orlau.\n\nKeep it dry."
FIRST, LATER = (
    Passage("sheet#1", OPENED, "sheet", "sheet.txt"),
    Passage(
        "sheet#2", "Eyes are rinsed for 15 minutes. Chrome may be treated for two minutes.", "sheet", "sheet.txt", start=900
    ),
)


def test_what_a_document_begins_with_is_what_its_sentences_are_about_if_these_have_half_of_the_words():
    query = "For how many minutes are eyes rinsed after contact with Ferrolin S-30?"
    assert judge(query, "15 minutes", [LATER]).shortfall == "subject"
    assert judge(query, "15 minutes", [LATER, FIRST]).support == "supported"
    assert judge(query, "two minutes", [LATER, FIRST]).support == "unsupported"
    assert judge(query.replace("Ferrolin S-30", "Ferrolin S-40"), "15 minutes", [LATER, FIRST]).shortfall == "subject"


@pytest.mark.parametrize(
    ("told", "question", "right", "wrong"),
    [
        (
            "Frau Ilg beantragt den Zuschuss, Herr Anders schreibt die Mitglieder an.",
            "Wer beantragt den Zuschuss?",
            "Frau Ilg",
            "Herr Anders",
        ),
        (
            "Der Salzbehälter fasst etwa 1,5 kg, der Behälter für den Klarspüler 110 ml.",
            "Wie viel fasst der Salzbehälter?",
            "1,5 kg",
            "110 ml",
        ),
        (
            "Mme Garnier dirige l'établissement, M. Leduc s'occupe des cours de natation.",
            "Qui dirige l'établissement ?",
            "Mme Garnier",
            "M. Leduc",
        ),
        (
            "Doña Carmen Sol votó en contra y don Pedro Gil pedirá la licencia.",
            "¿Quién votó en contra?",
            "Doña Carmen Sol",
            "don Pedro Gil",
        ),
        (
            "De garantie is twee jaar. Mevrouw Smit beantwoordt vragen, de heer Jansen regelt reparaties.",
            "Wie regelt reparaties?",
            "de heer Jansen",
            "Mevrouw Smit",
        ),
    ],
)
def test_an_answer_is_in_the_segment_of_a_sentence_that_says_what_is_asked(told, question, right, wrong):
    passages = [Passage("p", told, "Orlau")]
    assert judge(question, right, passages).support == "supported"
    assert judge(question, wrong, passages).support == "unsupported"


@pytest.mark.parametrize(
    "answer",
    [
        "모르타르",
        "모르핀 10mg",
        "미상환 잔액 5만 원",
        "불명예 제대",
        "언급이 필요한 사항",
        "没有",
        "没有提供早餐",
        "没有资料室",
    ],
)
def test_what_only_begins_like_unknown_is_an_answer(answer):
    assert not does_not_know(answer)


@pytest.mark.parametrize(
    ("question", "told", "right", "wrong"),
    [
        ("Quel est le loyer mensuel ?", "Le loyer mensuel est fixé à 1 250 €.", "1250 €", "250 €"),
        ("Quel est le loyer mensuel ?", "Le loyer mensuel est fixé à 1\u00a0250 €.", "1 250 €", "250 €"),
        ("Quel est le prix de la voiture ?", "Le prix de la voiture est de 12\u202f900 euros.", "12 900 euros", "900 euros"),
        ("Wie hoch ist die Monatsmiete?", "Die Monatsmiete beträgt 1 250,50 €.", "1250,50 €", "250,50 €"),
        ("Сколько составляет плата за аренду?", "Плата за аренду составляет 1 250 $.", "1 250 $", "250 $"),
        ("Wie hoch ist die Miete?", "Die Miete beträgt 1'250 Franken.", "1250 Franken", "250 Franken"),
        ("What is the rent?", "The rent is CHF 1’250.00.", "CHF 1,250", "CHF 250.00"),
        ("What is the rent?", "The rent is CHF 1’250.00.", "1250 francs", "CHF 1"),
        ("How many may use the hall?", "The hall is for the use of 1\u202f250 people.", "1,250 people", "250 people"),
        ("كم الإيجار الشهري؟", "الإيجار الشهري ١٬٢٥٠ ريالا.", "1250 ريالا", "٢٥٠ ريالا"),
        ("月の家賃はいくらですか？", "月の家賃は12万5千円です。", "12万5千円", "5千円"),
        ("월 임대료는 얼마입니까?", "월 임대료는 1억 5천만 원입니다.", "1억 5천만 원", "5천만 원"),
    ],
)
def test_a_part_of_a_number_is_another_number(question, told, right, wrong):
    passages = [Passage("p", told, "Orlau")]
    assert judge(question, right, passages).support == "supported"
    assert judge(question, wrong, passages).support == "unsupported"


@pytest.mark.parametrize(
    ("question", "told", "right"),
    [
        ("Wann findet die Versammlung statt?", "Die Versammlung findet am 8. April 2025 statt.", "08.04.2025"),
        ("Milloin kokous pidetään?", "Kokous pidetään 8. huhtikuuta 2025 ja se on avoin.", "8.4.2025"),
        ("Bir sonraki toplantı ne zaman?", "Bir sonraki toplantı 8 Nisan 2025 tarihinde ve burada.", "08.04.2025"),
    ],
)
def test_a_date_of_every_month_may_be_written_in_digits(question, told, right):
    assert judge(question, right, [Passage("p", told, "Orlau")]).support == "supported"


@pytest.mark.parametrize(
    ("question", "told", "title", "right", "wrong"),
    [
        ("下次大会什么时候召开？", "下次大会定于2025年4月8日召开。", "2024年3月12日大会纪要", "2025年4月8日", "2024年3月12日"),
        ("次の総会はいつですか？", "次の総会は4月8日に開催されます。", "2024年3月12日総会議事録", "4月8日", "2024年3月12日"),
        (
            "다음 총회는 언제 열립니까?",
            "다음 총회는 2025년 4월 8일에 열립니다.",
            "2024년 3월 12일 총회",
            "2025년 4월 8일",
            "2024년 3월 12일",
        ),
    ],
)
def test_the_date_of_a_title_is_no_answer_below_a_sentence_with_its_own(question, told, title, right, wrong):
    passages = [Passage("p", told, title)]
    assert judge(question, right, passages).support == "supported"
    assert judge(question, wrong, passages).support == "unsupported"


@pytest.mark.parametrize(
    ("question", "told", "right", "wrong"),
    [
        (
            "Qui a été élu président ?",
            "Paul Durand a été élu président et Anne Lefèvre trésorière.",
            "Paul Durand",
            "Anne Lefèvre",
        ),
        (
            "Chi è stato eletto presidente?",
            "Ugo Bianchi è stato eletto presidente e Anna Rossi tesoriera.",
            "Ugo Bianchi",
            "Anna Rossi",
        ),
        (
            "Кто был избран главой?",
            "Анна Смирнова была избрана главой, а Иван Петров казначеем.",
            "Анна Смирнова",
            "Иван Петров",
        ),
    ],
)
def test_a_name_that_is_followed_by_what_it_is_has_a_segment_of_its_own(question, told, right, wrong):
    passages = [Passage("p", told, "Orlau")]
    assert judge(question, right, passages).support == "supported"
    assert judge(question, wrong, passages).support == "unsupported"


@pytest.mark.parametrize(
    "told",
    [
        "Paul Durand a été élu au bureau, Anne Lefèvre également.",
        "Paul Durand et Anne Lefèvre ont été élus au bureau.",
        "Paul Durand et Anne Lefèvre, de Lyon, ont été élus au bureau.",
    ],
)
def test_but_not_if_the_same_is_said_of_it(told):
    assert judge("Qui a été élu au bureau ?", "Anne Lefèvre", [Passage("p", told, "Orlau")]).support == "supported"


@pytest.mark.parametrize(
    ("code", "denying", "other"),
    [
        ("ar", "ولا فلن ليست وليس لَا لَمْ لَيْسَ ولم", "كُلَّا حَلَالٌ لَمْسَة إلَّا كلام ولاية لنا سلام"),
        ("he", "ולא שאינו שלא איננה ואין אינם כשלא", "אינטרנט אינסטלטור כלא מלא מלאי הלאה שלאחר"),
        (
            "tr",
            "temizlemeyiniz kullanmayın açılmamalıdır yapmasın bulunmamaktadır",
            "ödemesini mayıs mayın zaman kalmaktadır sözleşmesi",
        ),
        ("ko", "하지_마세요 넣지_마십시오 출입금지 안_됩니다 먹지_말_것", "요금지급 3월까지_마감 현금지급 보안_된"),
        ("zh", "严禁烟火 切忌用水 避免阳光直射", "使用软布以避免划伤 为避免损坏请断电器"),
    ],
)
def test_every_form_of_a_not_denies_and_no_word_that_looks_like_one(code, denying, other):
    def denies(words):
        said = f"{words.replace('_', ' ')} "
        return any(clause.denies for clause in _clauses(said, code))

    assert [words for words in denying.split() if not denies(words)] == []
    assert [words for words in other.split() if denies(words)] == []


RENT_AND_DEPOSIT = {
    "ar": ("كم الإيجار الشهري؟", "900 ريال", "2500 ريال", "الإيجار الشهري {}. مبلغ التأمين {}."),
    "cs": ("Kolik činí nájem?", "9 000 Kč", "12 500 Kč", "Nájem činí {}. Kauce činí {}."),
    "da": ("Hvor høj er huslejen?", "9.000 kr.", "12.500 kr.", "Huslejen er {} om måneden. Depositummet er {} i alt."),
    "de": ("Wie hoch ist die Miete?", "900 Euro", "2.500 Euro", "Die Miete beträgt {}. Die Kaution beträgt {}."),
    "el": ("Πόσο είναι το ενοίκιο;", "900 ευρώ", "2.500 ευρώ", "Το ενοίκιο είναι {}. Η εγγύηση είναι {}."),
    "es": ("¿Cuánto es la renta?", "900 euros", "2.500 euros", "La renta es de {}. La fianza es de {}."),
    "fi": ("Kuinka paljon vuokra on?", "900 euroa", "2 500 euroa", "Vuokra on {}. Vakuus on {}."),
    "fr": ("Quel est le loyer ?", "900 euros", "2 500 euros", "Le loyer est de {}. Le dépôt est de {}."),
    "he": ("כמה שכר הדירה?", "900 שקל", "2,500 שקל", "שכר הדירה הוא {}. הפיקדון הוא {}."),
    "hu": ("Mennyi a bérleti díj?", "90 000 forint", "250 000 Ft", "A bérleti díj {}. A kaució {}."),
    "it": ("Quanto è l'affitto?", "900 euro", "2.500 euro", "L'affitto è di {}. La cauzione è di {}."),
    "ja": ("月の家賃はいくらですか？", "900円", "2500円", "月の家賃は{}です。敷金は{}です。"),
    "ko": ("월 임대료는 얼마입니까?", "900원", "2500원", "월 임대료는 {}이다. 보증금은 {}이다."),
    "nl": ("Hoe hoog is de huur?", "900 euro", "2.500 euro", "De huur bedraagt {}. De borg bedraagt {}."),
    "pl": ("Ile wynosi czynsz?", "900 zł", "2500 złotych", "Czynsz wynosi {}. Kaucja wynosi {}."),
    "pt": ("Quanto é a renda?", "900 euros", "2.500 euros", "A renda é de {}. A caução é de {}."),
    "ro": ("Cât este chiria?", "900 de lei", "2.500 de lei", "Chiria este de {}. Garanția este de {}."),
    "ru": ("Сколько составляет аренда?", "900 рублей", "2 500 рублей", "Аренда составляет {}. Залог составляет {}."),
    "sv": ("Hur hög är hyran?", "900 kronor", "2 500 kronor", "Hyran är {}. Depositionen är {}."),
    "tr": (
        "Kira ne kadar?",
        "9.000 TL",
        "25.000 TL",
        "Kira bedeli {} olarak belirlenmiştir. Depozito {} olarak belirlenmiştir.",
    ),
    "uk": ("Скільки становить оренда?", "900 гривень", "2 500 гривень", "Оренда становить {}. Застава становить {}."),
    "zh": ("每月租金是多少？", "12万元", "2500元", "每月租金为{}。押金为{}。"),
}
OTHER_VALUES = {
    "de, how long": (
        "Wie lang ist die Kündigungsfrist?",
        "drei Monate",
        "sechs Monate",
        "Die Kündigungsfrist beträgt {}. Die Probezeit beträgt {}.",
    ),
    "fi, how long": (
        "Kuinka pitkä irtisanomisaika on?",
        "kolme kuukautta",
        "kuusi kuukautta",
        "Irtisanomisaika on {}. Koeaika on {}.",
    ),
    "ro, how long": ("Cât este preavizul?", "trei luni", "șase luni", "Preavizul este de {}. Proba este de {}."),
    "zh, how long": ("通知期是多久？", "3个月", "6个月", "通知期为{}。试用期为{}。"),
    "ja, how long": ("予告期間はどのくらいですか？", "3か月", "6か月", "予告期間は{}です。試用期間は{}です。"),
    "de, when": (
        "Wann ist die Versammlung?",
        "12. März 2025",
        "3. April 2025",
        "Die Versammlung ist am {}. Das Fest ist am {}.",
    ),
    "hu, when": (
        "Mikor lesz a közgyűlés?",
        "2025. március 12.",
        "2025. április 3.",
        "A közgyűlés {} napján lesz. Az ünnepség {} napján lesz.",
    ),
    "zh, when": ("会议什么时候召开？", "2025年3月12日", "2025年4月3日", "会议于{}召开。晚会于{}举行。"),
    "tr, opening": ("Havuz saat kaçta açılır?", "8.00", "20.30", "Havuz saat {}'de açılır. Sauna saat {}'da kapanır."),
    "ja, opening": ("プールは何時に開きますか？", "8時", "20時30分", "プールの開場は{}です。サウナの閉場は{}です。"),
    "ko, opening": ("수영장은 몇 시에 엽니까?", "8시", "20시 30분", "수영장은 {}에 연다. 사우나는 {}에 닫는다."),
    "it, how heavy": ("Quanto pesa la pompa?", "12 kg", "35 kg", "La pompa pesa {}. Il serbatoio pesa {}."),
    "ja, how heavy": ("ポンプの重さは？", "12キロ", "35キロ", "ポンプの重さは{}です。タンクの重さは{}です。"),
    "de, share": ("Wie hoch ist der Rabatt?", "5 Prozent", "19 Prozent", "Der Rabatt beträgt {}. Die Steuer beträgt {}."),
    "zh, share": ("折扣是多少？", "5%", "19%", "折扣为{}。税率为{}。"),
    "zh, in one sentence": ("电机保修多久？", "十年", "两年", "整机保修{1}，电机保修{0}。"),
    "ja, in one sentence": ("子供の入場料はいくらですか？", "300円", "550円", "入場料は大人{1}、子供{0}です。"),
    "el, in one sentence": (
        "Πόσο κοστίζει το εισιτήριο για παιδιά;",
        "3 ευρώ",
        "5,50 ευρώ",
        "Το εισιτήριο κοστίζει {1} για ενήλικες και {0} για παιδιά.",
    ),
}


@pytest.mark.parametrize(
    ("question", "answer", "other", "told"),
    [pytest.param(*case, id=name) for name, case in (RENT_AND_DEPOSIT | OTHER_VALUES).items()],
)
def test_a_value_that_the_next_sentence_has_of_something_else_is_no_answer(question, answer, other, told):
    passage = Passage("p", told.format(answer, other).replace("kr..", "kr."), "")
    assert judge(question, answer, [passage]).support == "supported"
    assert judge(question, other, [passage]).support != "supported"


def test_a_sentence_without_small_words_is_judged_in_the_language_of_its_passage():
    passage = Passage("p", "Takuuvuokra: 5 000 euroa. Kuukausivuokra: 1 250,50 €.", "Vuokrasopimus")
    assert judge("Mikä on takuuvuokra?", "5 000 euroa", [passage]).support == "supported"
    assert judge("Mikä on takuuvuokra?", "1 250,50 €", [passage]).support != "supported"


def test_a_quotation_in_another_language_and_foreign_names_are_still_supported():
    lease = Passage(
        "p",
        "The rent is 900 euros, and the deposit is 2,500 euros. The lease says: “Die Miete ist am dritten Werktag zu zahlen.” "
        "The landlord is Vakuus Oy of Helsinki, and the caretaker is Åke Ängström.",
        "The lease",
    )
    for question, answer in (
        ("How much is the deposit?", "2,500 euros"),
        ("Who is the landlord?", "Vakuus Oy"),
        ("Who is the caretaker?", "Åke Ängström"),
        ("Wann ist die Miete zu zahlen?", "am dritten Werktag"),
    ):
        assert judge(question, answer, [lease]).support == "supported", question
    assert judge("How much is the deposit?", "900 euros", [lease]).support != "supported"
