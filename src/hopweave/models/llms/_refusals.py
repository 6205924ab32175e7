"""Reads from an error response which field of the request an endpoint does not accept.

Endpoints say it in many ways: OpenAI in `param` and `code` of its `error`; vLLM, Mistral and FastAPI with pydantic's `loc`, as
JSON or as Python in a message; Gemini with `Unknown name "seed"`; most in words alone, such as "`temperature` does not support
0 with this model" or, with status 403, "You are not allowed to request logprobs from this model".

A field counts as refused only if the request has it, the message speaks of something unsupported, and the call makes sense
without it. A field that the message merely names is a suspect: the request is made once without it, and only if that succeeds
was it refused. A value that the user set and that is merely out of range is the user's to correct.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Sampling
from hopweave.models.llms._json import parsed
from hopweave.models.llms._learnt import LEAVABLE, REFUSABLE
from hopweave.models.llms._servers import LIMITS, THINKING_FIELDS

STATUSES = frozenset({400, 403, 422})
"""Statuses of responses that may name a field."""

_STATUSES_WITHOUT_TOOLS = frozenset({404, 500, 501})
_USUAL = Sampling()

_UNSUPPORTED_CODES = frozenset(
    {"unsupported_parameter", "unsupported_value", "unknown_parameter", "unrecognized_parameter", "unsupportedparamserror"}
)
_UNSUPPORTED = lazy_pattern(
    r"unsupported|not (?:be |been |currently |yet )?(?:support|allow|permit|accept|available|enabled|implemented|recogni)"
    r"|not (?:a )?valid|n't (?:support|accept|allow|recogni[sz]e)|unrecogni[sz]ed|unknown|unexpected"
    r"|extra_forbidden|extra inputs|additional properties|disallowed|deprecated|incompatible|may only be set"
    r"|can ?not (?:both )?be (?:used|specified|set|combined)|can ?not (?:use|specify|set|combine)"
    r"|only (?:the default|supports?|takes?|accepts?)|must be (?:exactly )?1\b|requires? (?:--|the flag)|to be set\b"
    r"|only [\w.]{1,20} is (?:allowed|supported|accepted)|unavailable|has been removed|must be (?:null|none|unset|omitted)\b"
    r"|invalid (?:parameter|argument|field):? ?[`'\"]?\w{1,40}[`'\"]?\.?\Z",
    re.IGNORECASE,
)
_NO_TOOLS = lazy_pattern(
    r"no endpoints? found that supports? (?:tool|function)|(?:not|n't) support(?:ed)? (?:\w{1,20} ){0,2}(?:tool|function)"
    r"|(?:tool|function)s?(?:[ _](?:calls?|calling|use|choice))? (?:is|are) (?:not |un)(?:supported|implemented|enabled)"
    r"|(?:tool|function)s? (?:\w{1,20} ){0,2}requires? (?:--|the flag)",
    re.IGNORECASE,
)
_TOO_MUCH = lazy_pattern(
    r"too (?:large|big|high|many)|at most|maximum|less than or equal|greater than|valid range|exceed"
    r"|must be (?:<|between|less)",
    re.IGNORECASE,
)
_SAYS_WHAT_TO_SAY = lazy_pattern(
    r"supported values|(?:must|should) be|expected|allowed values|one of|invalid (?:\w+ )?(?:value|effort|level)", re.IGNORECASE
)
_LOC_IN_TEXT = lazy_pattern(r"'loc': \('body', '(\w+)'")
_QUOTES = "[`'\"]"

# Other words for a field. Common words count only between quotation marks.
_WORDS: Mapping[str, str] = {
    "response_format": r"response[_ ]format|response_schema|json_schema|structured[_ ]outputs?|guided[_ ](?:json|decoding)",
    "stop": rf"{_QUOTES}stop{_QUOTES}|stop[_ ](?:sequences?|strings?|words?)|(?:parameter|model):? stop",
    "logprobs": r"logprobs|log[_ -]?prob(?:abilitie)?s",
    "n": rf"{_QUOTES}n{_QUOTES}|n ?(?:!=|=|>) ?\d+|n must be|parameter:? n",
    "tools": r"tools|tool[_ ](?:use|calls?|calling|choice)|function[_ ]calling",
    "reasoning_effort": r"reasoning[_. ]effort|reasoning (?:value|level)|think value|support (?:thinking|reasoning)",
    "think": rf"{_QUOTES}think{_QUOTES}|think value|support thinking",
    "thinking": r"thinking(?:\.\w+)*",
    "reasoning": rf"{_QUOTES}reasoning{_QUOTES}|reasoning(?:\.\w+)+",
    "chat_template_kwargs": r"chat_template(?:_kwargs)?|enable_thinking",
}


@dataclass(frozen=True, slots=True)
class Refusal:
    """A field that is not accepted.

    Attributes:
        name: the field of the request.
        value: the value that is not accepted, if others may be: a level of thinking.
    """

    name: str
    value: str = ""


def refusal_of(status: int, body: str, sent: Mapping[str, Any]) -> Refusal | None:
    """The optional field of a request that an endpoint does not accept, if that is why it was refused.

    Args:
        status: of the response.
        body: of the response.
        sent: the request.
    """
    if status in _STATUSES_WITHOUT_TOOLS and "tools" in sent:
        return Refusal("tools") if _NO_TOOLS.search(_told(body).text) else None
    if status not in STATUSES:
        return None
    told = _told(body)
    name = _named(told, sent)
    if name is None or name not in sent or name not in REFUSABLE:
        return None
    if name in THINKING_FIELDS:
        return Refusal(name, _refused_level(sent[name], told.text))
    is_too_much = name in LIMITS and not told.is_rename and _TOO_MUCH.search(told.text) is not None
    return Refusal(name) if told.is_unsupported and not is_too_much else None


def suspect_of(status: int, body: str, sent: Mapping[str, Any]) -> str | None:
    """The optional field that an error response names without saying that it is not accepted; `None` if it names none.

    A temperature, `top_p` or seed that somebody chose is no suspect: its value may be out of range.

    Args:
        status: of the response.
        body: of the response.
        sent: the request.
    """
    name = _named(_told(body), sent) if status in STATUSES else None
    if name is None or name not in sent or name not in LEAVABLE:
        return None
    is_chosen = name in ("temperature", "top_p", "seed") and sent[name] != getattr(_USUAL, name)
    return None if is_chosen else name


def names_a_field(status: int, body: str, sent: Mapping[str, Any]) -> bool:
    """Whether an error response is about a field of the request, and so not about the key."""
    told = _told(body) if status in STATUSES else None
    if told is None:
        return False
    return told.field in sent or (told.is_unsupported and _mentioned(told.text, sent) is not None)


def exceeds_limit(status: int, body: str, sent: Mapping[str, Any]) -> bool:
    """Whether an endpoint says that a request asks for more new tokens than it gives."""
    if status not in (400, 422) or not any(name in sent for name in LIMITS):
        return False
    told = _told(body)
    is_about_limit = told.field in LIMITS or re.search(r"max_(?:completion_|output_|new_)?tokens", told.text) is not None
    return is_about_limit and _TOO_MUCH.search(told.text) is not None


def wants_thoughts_back(status: int, body: str) -> bool:
    """Whether an endpoint misses the thoughts of an earlier turn."""
    text = _told(body).text if status in (400, 422) else ""
    return "reasoning_content" in text and re.search(r"missing|must be passed|required", text, re.IGNORECASE) is not None


def clashes_with_prefill(status: int, body: str) -> bool:
    """Whether an endpoint cannot go on from a turn while the model may think (llama.cpp)."""
    text = _told(body).text.lower() if status in (400, 422, 500) else ""
    return "prefill" in text and "enable_thinking" in text


@dataclass(frozen=True, slots=True)
class _Told:
    """What an error response says.

    Attributes:
        text: its words.
        field: the field of the request that it names apart from its words; `None` if it names none.
        is_unsupported: whether it speaks of something that is not supported.
    """

    text: str
    field: str | None
    is_unsupported: bool

    @property
    def is_rename(self) -> bool:
        """Whether it names both limits: one is to be used in place of the other."""
        return all(limit in self.text for limit in LIMITS)


def _told(body: str) -> _Told:
    body = body[: 1 << 14]
    try:
        data = parsed(body.encode("utf-8", "replace"))
    except ValueError:
        return _Told(body, None, _UNSUPPORTED.search(body) is not None)
    error = _error_in(data)
    details = list(_details_in(error)) or list(_details_in(data))
    text = " ".join([_message_in(error), *(str(detail.get("msg", "")) for detail in details)]).strip()
    field = _field_in(error, details, text)
    code = str(error.get("code") or error.get("type") or "").lower()
    kinds = [str(detail.get("type", "")) for detail in details]
    is_unsupported = code in _UNSUPPORTED_CODES or _UNSUPPORTED.search(" ".join([text, *kinds])) is not None
    return _Told(text, field, is_unsupported)


def _error_in(data: Any) -> Mapping[str, Any]:
    if isinstance(data, list) and data:  # Gemini
        data = data[0]
    if not isinstance(data, dict):
        return {"message": data if isinstance(data, str) else json.dumps(data)}
    error = data.get("error")
    if isinstance(error, dict):
        return error
    return {**data, "message": error} if isinstance(error, str) else data


def _message_in(error: Mapping[str, Any]) -> str:
    message = error.get("message")
    if message is None:
        message = error.get("detail")
    return message if isinstance(message, str) else "" if message is None else json.dumps(message)


def _details_in(error: Any) -> Iterator[Mapping[str, Any]]:
    """The single errors of pydantic, wherever a server puts them."""
    if isinstance(error, list):
        yield from (one for one in error if isinstance(one, dict) and "loc" in one)
    elif isinstance(error, dict):
        for name in ("detail", "details", "message"):
            yield from _details_in(error.get(name))


def _field_in(error: Mapping[str, Any], details: list[Mapping[str, Any]], text: str) -> str | None:
    param = error.get("param")
    if isinstance(param, str) and param and param != "body":
        return _top(param)
    for detail in details:
        loc = detail.get("loc")
        named = [str(one) for one in loc if one != "body"] if isinstance(loc, list) else []
        if named:
            return named[0]
    found = _LOC_IN_TEXT.search(text)
    return found[1] if found else None


def _named(told: _Told, sent: Mapping[str, Any]) -> str | None:
    return told.field if told.field is not None else _mentioned(told.text, sent)


def _top(path: str) -> str:
    """The field at the top of a path such as `messages[0].content`."""
    return re.split(r"[.\[]", path.removeprefix("body."), maxsplit=1)[0]


def _mentioned(text: str, sent: Mapping[str, Any]) -> str | None:
    """The optional field of a request that a text mentions first; of two that do not go together, the less important."""
    places = {name: found.start() for name in sent if name in REFUSABLE and (found := _word_of(name).search(text))}
    if {"temperature", "top_p"} <= places.keys() and re.search(r"both|and", text):
        return "top_p"
    return min(places, key=lambda name: (places[name], name), default=None)


def _word_of(name: str) -> re.Pattern[str]:
    # Not every language puts spaces around a word.
    return re.compile(rf"(?<!\w)(?:{_WORDS.get(name, re.escape(name))})(?!\w)", re.IGNORECASE | re.ASCII)


def _refused_level(value: Any, text: str) -> str:
    """The level of thinking that is refused, as it was sent, if it is the level and not the whole field."""
    words = [one for one in (value.values() if isinstance(value, dict) else [value]) if isinstance(one, str)]
    named = next((word for word in words if re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE)), "")
    return named or (json.dumps(value) if _SAYS_WHAT_TO_SAY.search(text) else "")
