"""The loop on a bare aiohttp client: what everything else is compared with."""

from __future__ import annotations

import json

import aiohttp
from _task import Task, answer_each, run


async def answer_all(task: Task) -> list[str]:
    """Answers every question of the task."""
    headers = {"Authorization": "Bearer no-key-needed"}
    connector = aiohttp.TCPConnector(limit=task.parallel)
    async with aiohttp.ClientSession(connector=connector, headers=headers, cookie_jar=aiohttp.DummyCookieJar()) as session:

        async def ask(prompt: str) -> str:
            body = {"model": "scripted", "messages": [{"role": "user", "content": prompt}], "temperature": 0, "max_tokens": 256}
            async with session.post(f"{task.base_url}/chat/completions", json=body) as response:
                return str(json.loads(await response.read())["choices"][0]["message"]["content"])

        return await answer_each(task, ask)


if __name__ == "__main__":
    run(answer_all)
