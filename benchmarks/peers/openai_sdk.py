"""The loop on the openai SDK."""

from __future__ import annotations

import asyncio

from _task import MAX_SENTENCES, Task, is_last, run
from openai import AsyncOpenAI


async def answer_all(task: Task) -> list[str]:
    """Answers every question of the task."""
    turns = asyncio.Semaphore(task.parallel)
    async with AsyncOpenAI(base_url=task.base_url, api_key="no-key-needed") as client:

        async def ask(prompt: str) -> str:
            reply = await client.chat.completions.create(
                model="scripted", messages=[{"role": "user", "content": prompt}], temperature=0, max_tokens=256
            )
            return reply.choices[0].message.content or ""

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
