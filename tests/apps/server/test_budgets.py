"""The daily budget of tokens: questions side by side do not overrun it, and one that is cut off keeps none reserved."""

import asyncio
import json

import httpx
import pytest
from support.served_app import FOLLOW_UP, KEY, QUESTION, app_over, bearer, client_of, keys, listening, wait_for
from support.tiers import first_of

from hopweave.apps.server.server_settings import Limits
from hopweave.core.errors import ModelError
from hopweave.models.llms.scripted import Line, Scripted

BUDGET = 500
SLOW = [("", Line("So the answer is: Ines Halloran.", delay_seconds=0.3))]


def usage_of(folder):
    """What the key of Anna used, and what is reserved for it."""
    kept = json.loads((folder / "answers" / "anna" / "usage.json").read_text())
    return kept["tokens"], kept["reserved"]


def tokens_of(reply):
    """The tokens of an answer."""
    calls = [step["usage"] for step in reply.json()["record"]["steps"] if step["kind"] == "model_call"]
    return sum(usage["prompt_tokens"] + usage["completion_tokens"] for usage in calls)


async def asked_at_once(address, num, **more):
    async with httpx.AsyncClient(base_url=address, headers=bearer(KEY), timeout=60) as client:
        bodies = [{"question": f"{QUESTION} {number}", **more} for number in range(num)]
        return await asyncio.gather(*(client.post("/v1/answers", json=body) for body in bodies))


@pytest.mark.slow
@pytest.mark.parametrize("limits", first_of([{"max_tokens": 200}, {}]))
def test_a_hundred_questions_at_once_overrun_a_budget_by_less_than_one_of_them(tmp_path, limits):
    held_to = keys(tokens_per_day=BUDGET, requests_per_minute=1000)
    app = app_over(tmp_path, Scripted(SLOW), keys=held_to, limits=Limits(**limits))
    with listening(app) as address:
        replies = asyncio.run(asked_at_once(address, 100))
        answered = [reply for reply in replies if reply.status_code == 200]
        refused = [reply for reply in replies if reply.status_code != 200]
        assert {reply.status_code for reply in refused} == {429}
        assert {reply.json()["error"]["code"] for reply in refused} == {"daily_budget_reserved"}
        assert {reply.headers["retry-after"] for reply in refused} == {"5"}
        used = sum(map(tokens_of, answered))
        assert 0 < used < BUDGET + max(map(tokens_of, answered))
        assert usage_of(tmp_path) == (used, {})
        while used < BUDGET:  # what was reserved and not used can be used later
            replies = asyncio.run(asked_at_once(address, 1))
            assert [reply.status_code for reply in replies] == [200]
            used += tokens_of(replies[0])
        assert [reply.json()["error"]["code"] for reply in asyncio.run(asked_at_once(address, 3))] == ["daily_budget"] * 3


def test_long_questions_at_once_that_ask_for_a_single_token_overrun_a_budget_by_less_than_one_of_them(tmp_path):
    app = app_over(tmp_path, Scripted(SLOW), keys=keys(tokens_per_day=BUDGET, requests_per_minute=1000))
    long = {"earlier": [{"question": "Which of them? " * 40, "answer": "It is not known. " * 40}], "options": {"max_tokens": 1}}
    with listening(app) as address:
        used = []
        for _ in range(3):  # what is known after the first ones does not let too many begin either
            used += [tokens_of(one) for one in asyncio.run(asked_at_once(address, 20, **long)) if one.status_code == 200]
        assert 0 < sum(used) < BUDGET + max(used)
        assert usage_of(tmp_path) == (sum(used), {})


def test_a_question_that_fails_or_cannot_be_asked_gives_back_what_was_reserved(tmp_path):
    llm = Scripted([("", ModelError("no", retryable=False))])
    with client_of(app_over(tmp_path, llm, keys=keys(tokens_per_day=BUDGET)), KEY) as client:
        used = 0
        for _ in range(3):
            failed = client.post("/v1/answers", json={"question": QUESTION})
            assert failed.json()["record"]["error"]
            used += tokens_of(failed)
            assert usage_of(tmp_path) == (used, {})
        elsewhere = {"of": failed.json()["id"], "changes": [{"change": "forbid", "step": 10**6, "passage": "carrow"}]}
        assert client.post("/v1/answers", json=elsewhere).status_code == 422
        assert usage_of(tmp_path) == (used, {})


@pytest.mark.parametrize("is_streamed", [False, True])
def test_a_question_whose_client_goes_away_counts_what_it_used_until_then(tmp_path, is_streamed):
    llm = Scripted([("Asked now:", '{"question": "Where was Ines Halloran born?"}'), ("", Line("x", stalls=True))])
    body = {"question": FOLLOW_UP, "earlier": [{"question": QUESTION, "answer": "Ines Halloran"}], "stream": is_streamed}
    with listening(app_over(tmp_path, llm, keys=keys(tokens_per_day=BUDGET))) as address:

        async def leave():
            async with httpx.AsyncClient(base_url=address, headers=bearer(KEY)) as client:
                asking = asyncio.create_task(client.post("/v1/answers", json=body))
                while len(llm.calls) < 2:  # noqa: ASYNC110 - it is another thread that is waited for
                    await asyncio.sleep(0.01)
                asking.cancel()
                await asyncio.gather(asking, return_exceptions=True)

        asyncio.run(leave())
        wait_for(lambda: usage_of(tmp_path)[1] == {})
        assert usage_of(tmp_path)[0] > 0
