"""Refused requests: every route returns errors in one shape, that of OpenAI's API."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from hopweave.apps.wrong_values import in_words
from hopweave.core.characters import whole
from hopweave.core.errors import DatabaseError, DataError, HopweaveError

_LOG = logging.getLogger(__name__)
_KINDS = {401: "authentication_error", 403: "permission_error", 404: "not_found_error", 429: "rate_limit_error"}
_MAX_SHOWN = 300


class Refused(Exception):
    """A request that is not served.

    Args:
        status: of HTTP.
        code: for programs.
        message: for humans; it ends with what to do, if possible.
        headers: additional ones.
    """

    def __init__(self, status: int, code: str, message: str, *, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.headers = dict(headers or {})

    @property
    def error(self) -> dict[str, Any]:
        """The error as JSON."""
        return error_of(self.status, self.code, self.message)

    def reply(self) -> Response:
        """The response."""
        return JSONResponse({"error": self.error}, self.status, headers=self.headers)

    @classmethod
    def of(cls, error: Exception) -> Refused:
        """An error as a refusal."""
        return error if isinstance(error, Refused) else cls.of_the_server(error)

    @classmethod
    def of_the_server(cls, error: Exception) -> Refused:
        """A request that failed on the server's side. Only the log has the error, which may contain paths and addresses."""
        _LOG.error("a request failed: %s", error, exc_info=None if isinstance(error, HopweaveError) else error)
        if isinstance(error, DatabaseError):
            said = "the server's database cannot be reached, or does not answer; ask again later"
            return cls(503, "no_database", said, headers={"Retry-After": "10"})
        if isinstance(error, DataError):
            said = (
                "something that the server keeps, such as the index of the documents, cannot be read; its log says what to do"
            )
            return cls(500, "server_error", said)
        return cls(500, "server_error", "the server could not do this; its log says why")


def error_of(status: int, code: str, message: str) -> dict[str, Any]:
    """The error as JSON."""
    kind = _KINDS.get(status, "invalid_request_error" if status < 500 else "server_error")
    return {"message": whole(message), "type": kind, "code": code, "param": None}


def unusable(error: Exception) -> Refused:
    """A refusal of an invalid request."""
    return Refused(422, "invalid_request", str(error))


@contextmanager
def refusing(*kinds: type[Exception]) -> Iterator[None]:
    """Turns errors of these kinds into refusals of an invalid request."""
    try:
        yield
    except kinds as error:
        raise unusable(error) from None


def install(app: FastAPI) -> None:
    """Turns every error that a route raises into a reply in this shape."""

    async def refused(_: Request, error: Exception) -> Response:
        match error:
            case RequestValidationError():
                return Refused(422, "invalid_request", _explained(error)).reply()
            case HTTPException():
                code = {404: "not_found", 405: "method_not_allowed"}.get(error.status_code, "invalid_request")
                return Refused(error.status_code, code, str(error.detail), headers=error.headers).reply()
        return Refused.of(error).reply()

    for kind in (Refused, RequestValidationError, HTTPException, HopweaveError, Exception):
        app.add_exception_handler(kind, refused)


def _explained(error: RequestValidationError) -> str:
    first = error.errors()[0]
    is_no_object = first["loc"] == ("body",) and first["type"] != "missing"
    if first["type"] == "json_invalid" or is_no_object:
        return "the body must be a JSON object; send one, with the header Content-Type: application/json"
    return in_words(first, "the body")[:_MAX_SHOWN]
