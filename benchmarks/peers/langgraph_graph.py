"""The loop as a graph of LangGraph, with the chat model of LangChain."""

# mypy: ignore-errors
# Its libraries are only in an environment of its own.

from __future__ import annotations

import operator
from typing import Annotated, TypedDict

from _task import MAX_SENTENCES, Task, is_last, run
from langchain_openai import ChatOpenAI
from langgraph.graph import END, START, StateGraph


class State(TypedDict):
    """One question: its passages and sentences so far, and its answer."""

    question: str
    passages: Annotated[list[str], operator.add]
    sentences: Annotated[list[str], operator.add]
    answer: str


async def answer_all(task: Task) -> list[str]:
    """Answers every question of the task."""
    model = ChatOpenAI(model="scripted", base_url=task.base_url, api_key="no-key-needed", temperature=0, max_tokens=256)

    def retrieve(state: State) -> dict[str, list[str]]:
        return {"passages": task.search(len(state["sentences"]))}

    async def reason(state: State) -> dict[str, list[str]]:
        reply = await model.ainvoke(task.prompt(state["question"], state["passages"], state["sentences"]))
        return {"sentences": [str(reply.content)]}

    async def read(state: State) -> dict[str, str]:
        reply = await model.ainvoke(task.prompt(state["question"], state["passages"], []))
        return {"answer": str(reply.content)}

    def after(state: State) -> str:
        return "read" if is_last(state["sentences"][-1]) or len(state["sentences"]) >= MAX_SENTENCES else "retrieve"

    graph = StateGraph(State)
    graph.add_node("retrieve", retrieve)
    graph.add_node("reason", reason)
    graph.add_node("read", read)
    graph.add_edge(START, "retrieve")
    graph.add_edge("retrieve", "reason")
    graph.add_conditional_edges("reason", after, ["retrieve", "read"])
    graph.add_edge("read", END)
    asked = [State(question=question, passages=[], sentences=[], answer="") for question in task.questions]
    states = await graph.compile().abatch(asked, {"max_concurrency": task.parallel})
    return [state["answer"] for state in states]


if __name__ == "__main__":
    run(answer_all)
