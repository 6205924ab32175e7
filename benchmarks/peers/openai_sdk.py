"""The loop on the openai SDK."""

from __future__ import annotations

from _task import Task, answer_each, run
from openai import AsyncOpenAI


async def answer_all(task: Task) -> list[str]:
    """Answers every question of the task."""
    async with AsyncOpenAI(base_url=task.base_url, api_key="no-key-needed") as client:

        async def ask(prompt: str) -> str:
            reply = await client.chat.completions.create(
                model="scripted", messages=[{"role": "user", "content": prompt}], temperature=0, max_tokens=256
            )
            return reply.choices[0].message.content or ""

        return await answer_each(task, ask)


if __name__ == "__main__":
    run(answer_all)
