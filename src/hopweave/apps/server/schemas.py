"""What clients send and get, with examples. The record itself is described in the documentation, not here."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from hopweave.apps.server.kept import Entry
from hopweave.record.changes import MAX_CHANGES
from hopweave.run.asked import MAX_QUESTION_CHARACTERS
from hopweave.run.conversation import Turn

MAX_EARLIER = 50
_QUESTION = "Who designed the bridge that the painter of The Harbour was born next to?"

Text = Annotated[str, Field(min_length=1, max_length=MAX_QUESTION_CHARACTERS)]
Name = Annotated[str, Field(min_length=1, max_length=200)]
Values = dict[str, str | int | float | bool | list[str | int | float | bool]]
Options = dict[str, bool | int | float | str | None]


class Strict(BaseModel):
    """A body without unknown fields."""

    model_config = ConfigDict(extra="forbid")


class EarlierTurn(Strict):
    """A question that was asked before, and its answer."""

    question: Text
    answer: Annotated[str, Field(max_length=100_000)] = ""

    def turn(self) -> Turn:
        """The turn as the library represents it."""
        return Turn(self.question, self.answer)


class AnswerRequest(Strict):
    """A question; or a kept answer, whose question is asked again with changes."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {"question": _QUESTION},
                {"question": _QUESTION, "method": "ircot", "corpus": "starter", "options": {"max_llm_calls": 20}},
                {"question": "And when was it opened?", "earlier": [{"question": _QUESTION, "answer": "Ada Finch"}]},
                {
                    "of": "019aab12c3d4-5e6f708192a3b4c5",
                    "changes": [{"change": "forbid", "step": 5, "passage": "harbour-2"}],
                },
            ]
        },
    )

    question: Annotated[Text | None, Field(description="The question; required unless `of` is given.")] = None
    method: Annotated[Name | None, Field(description="One of GET /v1/methods; the server's default if absent.")] = None
    corpus: Annotated[Name | None, Field(description="One of GET /v1/corpora; the first one if absent.")] = None
    options: Annotated[
        Options,
        Field(
            description="Options of the method, as GET /v1/methods lists them; require_support and min_confidence (0 to 1), "
            "which withhold an answer; check, which may be `more`, for up to two calls more that check it; and max_llm_calls, "
            "max_tokens, max_searches, max_seconds, which can only lower the server's limits.",
            max_length=50,
        ),
    ] = Field(default_factory=dict)
    filter: Annotated[
        Values,
        Field(description="Values of metadata that passages must have; of several for a key, one is enough.", max_length=20),
    ] = Field(default_factory=dict)
    labels: Annotated[list[Name], Field(description="The allowed answers, if the answer is a label.", max_length=50)] = Field(
        default_factory=list
    )
    long: Annotated[
        bool | None, Field(description="Ask for an explanation of several sentences, or not; null: as the question begins.")
    ] = None
    earlier: Annotated[
        list[EarlierTurn],
        Field(description="The conversation so far, from which a follow-up question is completed.", max_length=MAX_EARLIER),
    ] = Field(default_factory=list)
    of: Annotated[
        str | None,
        Field(description="The id of a kept answer to ask again; everything else stays as it was.", max_length=100),
    ] = None
    changes: Annotated[
        list[dict[str, Any]],
        Field(
            description="With `of`: what changes at a step and after it: the model's reply (`reply`), a query (`query`), a "
            "passage that is not found (`forbid`) or comes first (`pin`). Everything before it is replayed without the model.",
            max_length=MAX_CHANGES,
        ),
    ] = Field(default_factory=list)
    stream: Annotated[bool, Field(description="Send the steps of the trace as they happen, as server-sent events.")] = False
    drawing: Annotated[
        bool, Field(description="With stream: also send after each step what it changes in the drawing of the steps.")
    ] = False


class AnswerReply(BaseModel):
    """A kept answer."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"id": "019aab12c3d4-5e6f708192a3b4c5", "record": {"schema": "hopweave.record/2", "question": {}}}]
        }
    )

    id: Annotated[str, Field(description="For GET /v1/answers/{id}.")]
    record: Annotated[
        dict[str, Any],
        Field(description="The record, as `hopweave ask --out` writes it: answer, claims, citations, passages and every step."),
    ]


class AnswerList(BaseModel):
    """Kept answers, newest first."""

    answers: list[Entry]
    next: Annotated[str | None, Field(description="The value of `before` for the next page; null after the last one.")] = None


class SearchRequest(Strict):
    """A search."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"query": "bridge in Brno", "max_hits": 3}]})

    query: Annotated[Text, Field(description="What to search for.")]
    corpus: Annotated[Name | None, Field(description="One of GET /v1/corpora; the first one if absent.")] = None
    max_hits: Annotated[int, Field(description="At most this many passages, within the server's limit.", ge=1)] = 5
    filter: Annotated[Values, Field(description="As in POST /v1/answers.", max_length=20)] = Field(default_factory=dict)


class PassageReply(BaseModel):
    """A passage of a corpus."""

    id: str
    text: str
    title: str = ""
    source: Annotated[str, Field(description="The file or address that it was read from, if it is known.")] = ""
    start: int | None = None
    end: int | None = None
    metadata: dict[str, str] = Field(default_factory=dict)
    sections: Annotated[list[str], Field(description="The headings that it stands under, from the outermost.")] = Field(
        default_factory=list
    )
    also_in: Annotated[
        list[str], Field(description="Other files with the same text; only where a passage is asked for by its id.")
    ] = Field(default_factory=list)


class HitReply(BaseModel):
    """A passage that was found."""

    rank: int
    score: float
    passage: PassageReply
    via: Annotated[dict[str, str] | None, Field(description="The passage that led to it, if the query itself did not.")] = None


class SearchReply(BaseModel):
    """What was found."""

    corpus: str
    hits: list[HitReply]


class BoxReply(BaseModel):
    """A rectangle on a page, in shares (0 to 1) of its width and height, from the upper left corner."""

    left: float
    top: float
    right: float
    bottom: float


class MarkedReply(BaseModel):
    """Words of a passage, and where they are on its page."""

    start: int
    end: int
    text: Annotated[str, Field(description="The words, as the passage has them.")]
    boxes: Annotated[list[BoxReply], Field(description="One for each line; none if they were not found on the page.")]


class PageReply(BaseModel):
    """The page of a PDF that a passage is from."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "source": "report.pdf#page=3",
                    "page": 3,
                    "num_pages": 12,
                    "width": 1240,
                    "height": 1754,
                    "spans": [
                        {
                            "start": 0,
                            "end": 14,
                            "text": "Ulm is a city.",
                            "boxes": [{"left": 0.12, "top": 0.07, "right": 0.25, "bottom": 0.09}],
                        }
                    ],
                    "why": "",
                }
            ]
        }
    )

    source: str
    page: Annotated[int | None, Field(description="Counted from 1; null if the passage is not from a page of a PDF.")] = None
    num_pages: int | None = None
    width: Annotated[int | None, Field(description="Of the image, in pixels; null if there is none.")] = None
    height: int | None = None
    spans: Annotated[list[MarkedReply], Field(description="In the order in which they were asked for.")] = Field(
        default_factory=list
    )
    why: Annotated[str, Field(description="Why there is no image of the page; empty if there is one.")] = ""


class MethodReply(BaseModel):
    """A method."""

    name: str
    summary: str = ""
    group: Annotated[str, Field(description="One of `groups`; empty for a method that names none.")] = ""
    options: Annotated[dict[str, str], Field(description="The options that can be set over HTTP, with what they mean.")]


class MethodList(BaseModel):
    """The methods that can be chosen."""

    default: str
    groups: Annotated[dict[str, str], Field(description="The groups of methods, by when they search, with a sentence on each.")]
    methods: list[MethodReply]


class CorpusReply(BaseModel):
    """A corpus."""

    name: str
    num_passages: int | None = None


class OverviewReply(BaseModel):
    """What a corpus holds, as far as the caller may see it, and questions to begin with."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "num_passages": 187,
                    "num_documents": 120,
                    "num_records": 100,
                    "num_files": 1,
                    "formats": ["PDF", "Markdown"],
                    "titles": ["Carrow Head"],
                    "questions": ["Where was the designer of Carrow Head Light born?"],
                }
            ]
        }
    )

    num_passages: Annotated[int | None, Field(description="Null if it is not known, or not for the caller to know.")] = None
    num_documents: Annotated[
        int | None, Field(description="Likewise; each row of a table and each record of a file is a document.")
    ] = None
    num_records: Annotated[int | None, Field(description="Likewise: how many of them are rows or records.")] = None
    num_files: Annotated[int | None, Field(description="Likewise: the files that hold these rows and records.")] = None
    formats: Annotated[list[str], Field(description="Of the files that the first passages are from, the commonest first.")]
    titles: Annotated[list[str], Field(description="Of some passages.")]
    questions: Annotated[list[str], Field(description="Made from the words of passages, without a model: three at most.")]


class CorpusList(BaseModel):
    """The corpora that the caller may search; the first one is the default."""

    corpora: list[CorpusReply]


class State(BaseModel):
    """Whether the server runs and is ready."""

    status: Literal["ok", "ready", "not ready"]
    why: str = ""


class ErrorBody(BaseModel):
    """Why a request was refused."""

    message: str
    type: str
    code: str
    param: str | None = None


class ErrorReply(BaseModel):
    """A refused request."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "error": {
                        "message": "there is no corpus 'lihgt' for you to search; GET /v1/corpora lists them",
                        "type": "not_found_error",
                        "code": "unknown_corpus",
                        "param": None,
                    }
                }
            ]
        }
    )

    error: ErrorBody


REFUSALS: dict[int | str, dict[str, Any]] = {
    400: {"model": ErrorReply, "description": "The body cannot be read as text."},
    401: {"model": ErrorReply, "description": "The key is missing or unknown."},
    404: {"model": ErrorReply, "description": "It does not exist, or the caller may not see it."},
    405: {
        "model": ErrorReply,
        "description": "The path does not support this method, for example because an id contains a slash.",
    },
    408: {"model": ErrorReply, "description": "The body took too long."},
    413: {"model": ErrorReply, "description": "The body is too large."},
    421: {"model": ErrorReply, "description": "The server is not known under this name."},
    422: {"model": ErrorReply, "description": "The request is invalid."},
    429: {"model": ErrorReply, "description": "The rate or the daily budget of the key is spent; see Retry-After."},
    503: {
        "model": ErrorReply,
        "description": "The server is busy, starting or stopping, or lacks its database; see Retry-After.",
    },
}
"""The refusals that every route may return."""
