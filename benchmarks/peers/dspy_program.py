"""The loop as a program of DSPy; its cache is off, as its calls would otherwise be kept from one run to the next."""

# mypy: ignore-errors
# Its libraries are only in an environment of its own.

from __future__ import annotations

import asyncio

import dspy
from _task import MAX_SENTENCES, Task, is_last, run


class NextSentence(dspy.Signature):
    """Write the next sentence of the reasoning."""

    examples: str = dspy.InputField()
    passages: list[str] = dspy.InputField()
    question: str = dspy.InputField()
    sentences: list[str] = dspy.InputField()
    reply: str = dspy.OutputField()


class FinalAnswer(dspy.Signature):
    """Answer the question from the passages."""

    examples: str = dspy.InputField()
    passages: list[str] = dspy.InputField()
    question: str = dspy.InputField()
    reply: str = dspy.OutputField()


class IRCoT(dspy.Module):
    """Reasoning and retrieval in turns."""

    def __init__(self, task: Task) -> None:
        super().__init__()
        self.task = task
        self.reason = dspy.Predict(NextSentence)
        self.read = dspy.Predict(FinalAnswer)

    async def aforward(self, question: str) -> dspy.Prediction:
        """Answers a question."""
        head = self.task.head
        passages, sentences = list(self.task.search(0)), list[str]()
        while len(sentences) < MAX_SENTENCES:
            said = await self.reason.acall(examples=head, passages=passages, question=question, sentences=sentences)
            sentences.append(said.reply)
            if is_last(said.reply):
                break
            passages += self.task.search(len(sentences))
        return await self.read.acall(examples=head, passages=passages, question=question)


async def answer_all(task: Task) -> list[str]:
    """Answers every question of the task."""
    lm = dspy.LM("openai/scripted", api_base=task.base_url, api_key="no-key-needed", temperature=0, max_tokens=256, cache=False)
    turns = asyncio.Semaphore(task.parallel)
    program = IRCoT(task)
    with dspy.context(lm=lm):

        async def answer(question: str) -> str:
            async with turns:
                return str((await program.acall(question=question)).reply)

        return list(await asyncio.gather(*map(answer, task.questions)))


if __name__ == "__main__":
    run(answer_all)
