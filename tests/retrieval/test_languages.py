"""Corpora in many languages: told apart, indexed, searched, answered and cited like English ones, which stay as they were."""

import json
import random
import unicodedata
from contextlib import closing
from dataclasses import dataclass
from functools import cache

import pytest
import tantivy
from hypothesis import given
from hypothesis import strategies as st
from support.commands import ran

from hopweave.core.errors import DataError, SettingsError
from hopweave.core.types import Passage
from hopweave.retrieval.engines.bm25 import BM25
from hopweave.retrieval.engines.weave import Weave
from hopweave.retrieval.index import bm25_index as _bm25_index
from hopweave.retrieval.index.analysis import CODES, ENGLISH, Analysis, language_of
from hopweave.retrieval.index.bm25_compaction import LIVE_PER_DELETED
from hopweave.retrieval.index.index_folder import read_manifest, write_manifest
from hopweave.retrieval.index.language_detection import detected


@dataclass(frozen=True)
class Corpus:
    """Texts of a language, a question in other forms of the words than the first text has, its answer, and who comes first."""

    texts: tuple[str, ...]
    question: str
    answer: str
    sentence: str
    only_stop_words: str = ""


CORPORA = {
    "german": Corpus(
        (
            "Die Leuchttürme der Küste sind alt. Der höchste wurde von Ines Halloran entworfen. Er steht auf einem Felsen.",
            "Die Donau fließt durch Ulm und mündet in das Schwarze Meer.",
            "Auf dem Markt kaufen die Leute Brot und Käse, bevor sie nach Hause gehen.",
        ),
        "Wer hat den höchsten Leuchtturm entworfen?",
        "Ines Halloran",
        "Der höchste wurde von Ines Halloran entworfen.",
        "und die der das",
    ),
    "french": Corpus(
        (
            "Les phares de la côte sont anciens. Le plus haut fut dessiné par Inès Moreau. Il se dresse sur un rocher.",
            "Le Rhône traverse Lyon et se jette dans la Méditerranée.",
            "Au marché, les gens achètent du pain et du fromage avant de rentrer chez eux.",
        ),
        "Qui a dessiné le phare ancien ?",
        "Inès Moreau",
        "Le plus haut fut dessiné par Inès Moreau.",
        "et les de la",
    ),
    "russian": Corpus(
        (
            "Маяки на этом берегу старые. Самый высокий построила Инна Громова. Он стоит на скале.",
            "Волга течёт через Казань и впадает в Каспийское море.",
            "На рынке люди покупают хлеб и сыр, прежде чем идти домой.",
        ),
        "Кто построил высокие маяки?",
        "Инна Громова",
        "Самый высокий построила Инна Громова.",
        "и в на не",
    ),
    "arabic": Corpus(
        (
            "المنارات على هذا الساحل قديمة. صممت أعلى منارة المهندسة سلمى حداد. تقف المنارة على صخرة.",
            "يجري نهر النيل عبر القاهرة ويصب في البحر المتوسط.",
            "في السوق يشتري الناس الخبز والجبن قبل أن يعودوا إلى بيوتهم.",
        ),
        "من صمم المنارة؟",
        "سلمى حداد",
        "صممت أعلى منارة المهندسة سلمى حداد.",
    ),
    "chinese": Corpus(
        (
            "这片海岸的灯塔都很古老。最高的灯塔由林若兰设计。它建在一块岩石上。",
            "长江流经武汉，最后注入东海。",
            "人们在市场上买面包和奶酪，然后回家。",
        ),
        "最高的灯塔是谁设计的？",
        "林若兰",
        "最高的灯塔由林若兰设计。",
    ),
    "japanese": Corpus(
        (
            "この海岸の灯台は古い。一番高い灯台は岡田美緒が設計した。それは岩の上に建っている。",
            "信濃川は新潟市を流れて日本海に注ぐ。",
            "人々は市場でパンとチーズを買ってから家に帰る。",
        ),
        "一番高い灯台を設計したのは誰ですか。",
        "岡田美緒",
        "一番高い灯台は岡田美緒が設計した。",
    ),
    "korean": Corpus(
        (
            "이 해안의 등대들은 오래되었다. 가장 높은 등대는 김서연이 설계했다. 그 등대는 바위 위에 서 있다.",
            "한강은 서울을 지나 서해로 흐른다.",
            "사람들은 시장에서 빵과 치즈를 사고 집으로 돌아간다.",
        ),
        "가장 높은 등대를 설계한 사람은 누구인가?",
        "김서연",
        "가장 높은 등대는 김서연이 설계했다.",
    ),
}

ONE_SENTENCE = {
    "danish": "Floden er lang og bred, og den løber mod nord, hvor den når havet.",
    "dutch": "De rivier is lang en breed en stroomt door de stad naar de zee.",
    "english": "The river is long and wide, and it flows to the north.",
    "finnish": "Joki on pitkä ja leveä, ja se virtaa pohjoiseen kohti merta.",
    "greek": "Ο ποταμός είναι μακρύς και κυλάει προς τον βορρά.",
    "hungarian": "A folyó hosszú és széles, és északra folyik a tenger felé.",
    "italian": "Il fiume è lungo e largo e scorre verso nord, fino al mare.",
    "norwegian": "Elven er lang og bred og renner mot nord, der den når havet ved byen.",
    "portuguese": "O rio é longo e largo e corre para o norte até chegar ao mar.",
    "romanian": "Râul este lung și lat și curge spre nord până la mare.",
    "spanish": "El río es largo y ancho y corre hacia el norte hasta llegar al mar.",
    "swedish": "Floden är lång och bred och rinner norrut, där den når havet.",
    "tamil": "ஆறு நீளமானது, அது வடக்கு நோக்கி பாய்கிறது.",
    "turkish": "Nehir uzun ve geniştir, kuzeye doğru akar ve denize ulaşır.",
    "thai": "แม่น้ำสายนี้ยาวและกว้าง ไหลไปทางเหนือจนถึงทะเล",
    "lao": "ແມ່ນ້ຳສາຍນີ້ຍາວ ແລະ ໄຫຼໄປທາງເໜືອ",
    "khmer": "ទន្លេនេះវែង ហើយហូរទៅខាងជើង",
    "burmese": "ဤမြစ်သည် ရှည်လျားပြီး မြောက်ဘက်သို့ စီးဆင်းသည်။",
    "other": "Rzeka jest długa i szeroka, płynie na północ i wpada do morza.",
}

ENGLISH_PASSAGES = [
    Passage("light", "The lights of the coast are old. The highest one was designed by Ines Halloran.", "Lights"),
    Passage("river", "The river's banks are wide, and it flows to the sea.", "River"),
    Passage("hotel", "The Hotel Sakura (東京都の桜ホテル) stands near the market of the town.", "Hotel Sakura"),
]


def passages_of(corpus):
    return [Passage(f"{number}", text, f"{number}") for number, text in enumerate(corpus.texts)]


def ids(folder, query, kind=BM25, **options):
    with closing(kind(folder, **options)) as opened:
        [hits] = opened.search([query], 10)
    return [hit.passage.id for hit in hits]


@pytest.fixture(params=CORPORA)
def language(request):
    return request.param


# -- telling the language ----------------------------------------------------------------------------------------------------


def test_the_language_of_a_few_sentences_is_told(language):
    assert detected(CORPORA[language].texts) == language


@pytest.mark.parametrize("language", ONE_SENTENCE)
def test_the_language_of_one_sentence_is_told(language):
    assert detected([ONE_SENTENCE[language]]) == language


@pytest.mark.parametrize("texts", [[], [""], ["17 + 4 = 21"] * 50, ["zorb quix blarn", "vond krell"], ["..."], ["\ud800"]])
def test_what_cannot_be_told_counts_as_english(texts):
    assert detected(texts) == "english"


def test_the_language_of_most_of_the_texts_counts():
    german, english = CORPORA["german"].texts, [passage.text for passage in ENGLISH_PASSAGES[:2]]
    assert detected([*german, *german, *english]) == "german"
    assert detected([*german, *english, *english, *english]) == "english"


@pytest.mark.parametrize(
    ("name", "expected"), [("german", "german"), ("DE", "german"), (" Japanese", "japanese"), ("no", "norwegian")]
)
def test_a_language_has_a_name_and_a_code(name, expected):
    assert language_of(name) == expected


@pytest.mark.parametrize("name", ["klingon", "", "d", "xx"])
def test_another_name_is_refused_with_all_that_there_are(name):
    with pytest.raises(SettingsError, match=r"choose one of: arabic, .* turkish"):
        language_of(name)


@pytest.mark.slow
@pytest.mark.parametrize("language", CODES)
def test_every_language_can_be_indexed_and_searched(language, tmp_path):
    text = ONE_SENTENCE.get(language) or CORPORA[language].texts[0]
    BM25.build(tmp_path, [Passage("a", text), Passage("b", "Something else 42")], language=language)
    assert ids(tmp_path, text) == ["a"]
    assert ids(tmp_path, "42") == ["b"]


# -- from documents to a citation --------------------------------------------------------------------------------------------


def test_documents_are_indexed_searched_answered_and_cited(language, tmp_path):
    corpus = CORPORA[language]
    folder, index = tmp_path / "documents", tmp_path / "index"
    folder.mkdir()
    for number, text in enumerate(corpus.texts):
        (folder / f"{number}.txt").write_text(text, encoding="utf-8")
    assert ran("index", folder, "--to", index).exit_code == 0
    assert f"language     {language}\n" in ran("index", "--to", index, "--stats").stdout
    for retriever in ("bm25", "weave"):
        found = ran("search", corpus.question, "--corpus", index, "--retriever", retriever, "--json").stdout.splitlines()
        assert json.loads(found[0])["passage"]["id"] == "0.txt"
    rules = tmp_path / "rules.toml"
    rules.write_text(f'[[rules]]\nmatch = "(?s)."\nsay = "{corpus.answer}"\n', encoding="utf-8")
    asked = ("--method", "direct_retrieval", "--llm", "scripted", "--set", f"llms.scripted.rules_file={rules}", "--json")
    answered = ran("ask", corpus.question, "--corpus", index, *asked)
    record = json.loads(answered.stdout)
    [citation] = record["answer"]["claims"][0]["citations"]
    text = corpus.texts[0]
    assert citation["passage_id"] == "0.txt"
    assert citation["quote"] == corpus.sentence == text[citation["start"] : citation["end"]]
    assert text[citation["focus"]["start"] : citation["focus"]["end"]] == corpus.answer


def test_a_long_text_is_cut_at_sentences_and_every_citation_says_where(language, tmp_path):
    corpus = CORPORA[language]
    text = " ".join(corpus.texts) if language not in ("chinese", "japanese") else "".join(corpus.texts)
    (tmp_path / "long.txt").write_text(text * 3, encoding="utf-8")
    assert ran("index", tmp_path / "long.txt", "--to", tmp_path / "index", "--max-words", "24").exit_code == 0
    with closing(BM25(tmp_path / "index")) as opened:
        passages = list(opened.all_passages())
    assert len(passages) > 3
    for passage in passages:
        assert passage.text == (text * 3)[passage.start : passage.end]
        assert passage.text[-1] in ".。"
    assert ids(tmp_path / "index", corpus.question)[0] in {one.id for one in passages if corpus.answer in one.text}


# -- one language an index ---------------------------------------------------------------------------------------------------


def test_an_update_keeps_the_language_and_refuses_another(tmp_path):
    german = passages_of(CORPORA["german"])
    BM25.build(tmp_path, german[:2])
    before = read_manifest(tmp_path)
    BM25.update(tmp_path, upsert=[german[2], *ENGLISH_PASSAGES[:2]])
    BM25.update(tmp_path, delete=["river"], language="de")
    assert read_manifest(tmp_path).analyzer == before.analyzer == "german-1"
    assert ids(tmp_path, "Käse kaufte") == ["2"]
    with pytest.raises(SettingsError, match=r"built for the language german.*hopweave index PATH... --to .* --language french"):
        BM25.update(tmp_path, upsert=[german[0]], language="fr")
    assert read_manifest(tmp_path).num_passages == 4


def test_a_rebuild_may_have_another_language(tmp_path):
    BM25.build(tmp_path, passages_of(CORPORA["german"]))
    BM25.build(tmp_path, ENGLISH_PASSAGES)
    assert read_manifest(tmp_path).analyzer.startswith("english-1")
    BM25.build(tmp_path, ENGLISH_PASSAGES, language="german")
    assert read_manifest(tmp_path).analyzer.startswith("german-1")


def test_what_is_asked_for_has_to_be_an_index_of_words(tmp_path):
    (tmp_path / "a.txt").write_text("An oak.")
    said = ran("index", tmp_path / "a.txt", "--to", tmp_path / "i", "--engine", "dense", "--language", "german")
    assert (said.exit_code, "leave it out" in said.stderr) == (1, True)
    said = ran("index", tmp_path / "a.txt", "--to", tmp_path / "i", "--language", "klingon")
    assert (said.exit_code, "choose one of: arabic" in said.stderr) == (1, True)
    assert not (tmp_path / "i").exists()


def test_an_index_with_an_analyzer_from_elsewhere_says_how_to_rebuild_it(tmp_path):
    BM25.build(tmp_path, ENGLISH_PASSAGES)
    manifest = read_manifest(tmp_path)
    for name in ("english-9", "klingon-1", "english", ""):
        write_manifest(tmp_path, type(manifest)(**{**_fields(manifest), "analyzer": name}))
        with pytest.raises(DataError, match="rebuild it with: hopweave index"):
            BM25(tmp_path)


def _fields(manifest):
    return {name: getattr(manifest, name) for name in manifest.__dataclass_fields__}


# -- English stays as it was -------------------------------------------------------------------------------------------------


@cache
def first_english_analyzer():
    """The analyzer of the first version, written out."""
    stop_words = (
        "a an and are as at be but by for if in into is it no not of on or such that the their then there these they this"
    )
    return (
        tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
        .filter(tantivy.Filter.remove_long(255))
        .filter(tantivy.Filter.lowercase())
        .filter(tantivy.Filter.custom_stopword(f"{stop_words} to was will with".split()))
        .filter(tantivy.Filter.stemmer("english"))
        .build()
    )


@given(st.text(st.characters(max_codepoint=0x24F, exclude_characters="'")))
def test_english_terms_are_those_of_the_first_version(text):
    assert ENGLISH.terms_of(text) == first_english_analyzer().analyze(unicodedata.normalize("NFC", text))


@given(
    st.lists(st.text(max_size=40) | st.just("hopweave0between0texts") | st.just("Ada's oil"), max_size=6),
    st.sampled_from(sorted(CODES)),
)
def test_several_texts_have_the_terms_that_each_has_alone(texts, language):
    analysis = Analysis(language)
    assert analysis.terms_of_each(texts) == [analysis.terms_of(text) for text in texts]


def test_an_english_corpus_has_the_identity_of_the_first_version(tmp_path):
    BM25.build(tmp_path, ENGLISH_PASSAGES[:2])
    with closing(BM25(tmp_path)) as opened:
        assert "analyzer=english-1 corpus=" in opened.identity
    BM25.update(tmp_path, upsert=ENGLISH_PASSAGES)
    with closing(BM25(tmp_path)) as opened:
        assert "analyzer=english-1+pairs corpus=" in opened.identity
    BM25.update(tmp_path, delete=["hotel"])
    with closing(BM25(tmp_path)) as opened:
        assert "analyzer=english-1 corpus=" in opened.identity


def test_japanese_words_in_an_english_corpus_are_found(tmp_path):
    BM25.build(tmp_path, ENGLISH_PASSAGES)
    assert ids(tmp_path, "東京の桜") == ["hotel"]
    assert ids(tmp_path, "ホテル") == ["hotel"]
    assert ids(tmp_path, "the hotels") == ["hotel"]


def test_an_index_of_an_earlier_version_is_searched_and_updated_as_it_was_built(tmp_path):
    def as_before(patch):
        patch.setattr(_bm25_index, "Analysis", lambda language: Analysis(language, cuts=False))

    with pytest.MonkeyPatch.context() as patch:
        as_before(patch)
        BM25.build(tmp_path, ENGLISH_PASSAGES)
    assert read_manifest(tmp_path).analyzer == "english-1"
    assert "cut" not in read_manifest(tmp_path).state
    BM25.update(tmp_path, upsert=[Passage("more", "A hotel 大阪城ホテル in the town.")])
    assert read_manifest(tmp_path).analyzer == "english-1"
    assert ids(tmp_path, "大阪城ホテル") == ["more"]
    assert ids(tmp_path, "大阪") == []
    assert sorted(ids(tmp_path, "hotels")) == ["hotel", "more"]
    assert ids(tmp_path, "hotels", Weave, depth=0)


# -- words that run together -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("東京都庁は新宿にある。", "新宿"),
        ("東京都庁は新宿にある。", "東京都"),
        ("ｶﾞﾗｽの橋が架かっている。", "ガラス"),
        ("Ｔｏｋｙｏ２０２０の大会。", "tokyo2020"),
        ("1964年の大会。", "1964"),
        ("ไปเที่ยวเชียงใหม่กับเพื่อน", "เชียงใหม่"),
        ("서울특별시청은 여기 있다.", "서울특별시"),
        ("川。", "川"),
    ],
)
def test_a_word_within_a_run_is_found(text, query, tmp_path):
    BM25.build(tmp_path, [Passage("here", text), Passage("there", "北海道札幌市に行く。"), Passage("else", "An oak.")])
    assert ids(tmp_path, query)[0] == "here"


def test_a_title_in_a_script_without_capitals_is_a_link(tmp_path):
    BM25.build(
        tmp_path,
        [
            Passage("film", "映画「青い灯台」は岡田美緒が監督した。", "青い灯台"),
            Passage("okada", "新潟で生まれた画家でもある。", "岡田美緒"),
            *(Passage(f"n{n}", f"第{n}の町には市場がある。", f"町の名{n}") for n in range(20)),
        ],
    )
    with closing(Weave(tmp_path)) as opened:
        [hits] = opened.search(["青い灯台の監督はどこの出身か"], 3)
    assert [hit.passage.id for hit in hits][:2] == ["film", "okada"]
    assert hits[1].via.by == "link"


# -- queries without a word --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", [name for name, corpus in CORPORA.items() if corpus.only_stop_words])
def test_a_query_of_stop_words_alone_says_so(language, tmp_path):
    corpus = CORPORA[language]
    BM25.build(tmp_path, passages_of(corpus))
    for query in (corpus.only_stop_words, "?! ...", ""):
        for retriever in ("bm25", "weave"):
            said = ran("search", query or " ", "--corpus", tmp_path, "--retriever", retriever)
            assert (said.exit_code, "the query contains no word to search for" in said.stdout) == (0, True)
    said = ran("search", "zzzz", "--corpus", tmp_path)
    assert "no passage contains a word of the query" in said.stdout


def test_a_follow_up_query_without_a_word_is_noted_and_fails_nothing(tmp_path):
    BM25.build(tmp_path / "index", ENGLISH_PASSAGES)
    rules = tmp_path / "rules.toml"
    rules.write_text(
        '[[rules]]\nfind = "Intermediate answer"\nsay = "So the final answer is: Ines Halloran"\n'
        '[[rules]]\nmatch = "(?s)."\nsay = "Follow up: what is it?"\n'
    )
    asked = ("--corpus", tmp_path / "index", "--llm", "scripted", "--set", f"llms.scripted.rules_file={rules}")
    for method in ("oner", "direct_retrieval"):
        record = json.loads(ran("ask", "Is it of the?", "--method", method, *asked, "--json").stdout)
        assert record["error"] is None
        [note] = [step for step in record["steps"] if step["kind"] == "decision" and step["label"] == "no_terms"]
        [search] = [step for step in record["steps"] if step["kind"] == "search"]
        assert note["parent"] == search["id"]
        assert note["text"] == f"nothing to search for, only stop words or punctuation: {search['queries'][0]}"
    shown = ran("ask", "Is it of the?", "--method", "direct_retrieval", *asked)
    assert "nothing to search for, only stop words or punctuation: Is it of the?" in " ".join(shown.stdout.split())
    found = json.loads(ran("ask", "Who designed the lights?", "--method", "direct_retrieval", *asked, "--json").stdout)
    assert not [step for step in found["steps"] if step.get("label") == "no_terms"]


# -- deletions ---------------------------------------------------------------------------------------------------------------

WORDS = [f"{first}{second}{third}" for first in "bdgkmpt" for second in ("or", "il", "un") for third in ("ak", "em", "ig", "")]


def drawn(num, seed=7):
    draw = random.Random(seed)
    weights = [1 / (1 + number) for number in range(len(WORDS))]
    return [
        Passage(f"p{n}", " ".join(draw.choices(WORDS, weights, k=draw.randint(4, 40))), draw.choice(WORDS)) for n in range(num)
    ]


def scores(folder):
    with closing(BM25(folder)) as opened:
        found = opened.search(WORDS + [f"{one} {other}" for one, other in zip(WORDS, WORDS[7:], strict=False)], 30)
    return [[(hit.passage.id, hit.score) for hit in hits] for hits in found]


@pytest.mark.parametrize("share", [0.004, 0.3, 0.97])
def test_after_deletions_scores_are_those_of_a_new_index(share, tmp_path):
    passages = drawn(700)
    gone = {passage.id for passage in random.Random(1).sample(passages, int(share * len(passages)))}
    left = [passage for passage in passages if passage.id not in gone]
    BM25.build(tmp_path / "old", passages)
    BM25.update(tmp_path / "old", delete=sorted(gone))
    BM25.build(tmp_path / "new", left)
    assert scores(tmp_path / "old") == scores(tmp_path / "new")
    with closing(BM25(tmp_path / "old")) as opened:
        assert list(opened.all_passages()) == left


def test_after_replacements_scores_are_those_of_a_new_index(tmp_path):
    passages, others = drawn(300), drawn(300, seed=8)
    BM25.build(tmp_path / "old", passages)
    BM25.update(tmp_path / "old", upsert=others[:200], delete=["p250"])
    BM25.update(tmp_path / "old", upsert=others[100:250])
    BM25.build(tmp_path / "new", [*others[:250], *passages[251:]])
    assert scores(tmp_path / "old") == scores(tmp_path / "new")


@pytest.mark.slow
def test_of_what_the_engine_counts_few_are_deleted_even_in_a_large_index(tmp_path, monkeypatch):
    monkeypatch.setattr("hopweave.retrieval.index.bm25_compaction.FEW", 0)
    passages = drawn(900)
    BM25.build(tmp_path, passages)
    for first in range(0, 600, 12):
        BM25.update(tmp_path, delete=[passage.id for passage in passages[first : first + 12]])
        num_deleted, num_live = engine_counts(tmp_path)
        assert num_deleted * LIVE_PER_DELETED <= num_live
    assert num_live == 300


def engine_counts(folder):
    """How many passages the engine has marked as deleted, and how many are left."""
    segments = json.loads((folder / read_manifest(folder).data / "meta.json").read_text())["segments"]
    num_deleted = sum(one["deletes"]["num_deleted_docs"] for one in segments if one["deletes"])
    return num_deleted, sum(one["max_doc"] for one in segments) - num_deleted
