"""The loop on a bare aiohttp client: what everything else is compared with."""

from __future__ import annotations

import asyncio
import json

import aiohttp
from _task import MAX_SENTENCES, Task, is_last, run


async def answer_all(task: Task) -> list[str]:
    """Answers every question of the task."""
    headers = {"Authorization": "Bearer no-key-needed"}
    turns = asyncio.Semaphore(task.parallel)
    connector = aiohttp.TCPConnector(limit=task.parallel)
    async with aiohttp.ClientSession(connector=connector, headers=headers, cookie_jar=aiohttp.DummyCookieJar()) as session:

        async def ask(prompt: str) -> str:
            body = {"model": "scripted", "messages": [{"role": "user", "content": prompt}], "temperature": 0, "max_tokens": 256}
            async with session.post(f"{task.base_url}/chat/completions", json=body) as response:
                return str(json.loads(await response.read())["choices"][0]["message"]["content"])

        async def answer(question: str) -> str:
            async with turns:
                passages, sentences = list(task.search(0)), list[str]()
                while len(sentences) < MAX_SENTENCES:
                    sentences.append(await ask(task.prompt(question, passages, sentences)))
                    if is_last(sentences[-1]):
                        break
                    passages += task.search(len(sentences))
                return await ask(task.prompt(question, passages, []))

        return list(await asyncio.gather(*map(answer, task.questions)))


if __name__ == "__main__":
    run(answer_all)
