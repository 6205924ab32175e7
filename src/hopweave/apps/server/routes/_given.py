"""Parameters that the routes share: the service and the caller."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

from fastapi import Depends, Request
from fastapi.security import HTTPBearer

from hopweave.apps.server.callers import Caller
from hopweave.apps.server.service import Service

BEARER = Depends(HTTPBearer(auto_error=False, description="An API key, if the server has keys. The gate checks it."))
"""Says in the OpenAPI document that a key is needed."""


_TRACE_CONTEXT = ("traceparent", "tracestate")


def trace_of(request: Request) -> Mapping[str, Sequence[str]]:
    """The trace that a request is a part of, as its headers say (W3C Trace Context)."""
    headers = {name: request.headers.getlist(name) for name in _TRACE_CONTEXT}
    return {name: values for name, values in headers.items() if values}


def _service_of(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


def _caller_of(request: Request) -> Caller:
    caller: Caller = request.state.caller
    return caller


TheService = Annotated[Service, Depends(_service_of)]
TheCaller = Annotated[Caller, Depends(_caller_of)]
