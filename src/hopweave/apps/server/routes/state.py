"""The state of the server: for load balancers, and for Prometheus."""

from __future__ import annotations

from fastapi import APIRouter, Response
from prometheus_client import CONTENT_TYPE_LATEST

from hopweave.apps.server.routes._given import BEARER, TheCaller, TheService
from hopweave.apps.server.schemas import State

router = APIRouter(tags=["state"])


@router.get("/healthz")
async def health() -> State:
    """Whether the server runs."""
    return State(status="ok")


@router.get(
    "/readyz",
    responses={503: {"model": State, "description": "It is starting or stopping, or lacks the model or its database."}},
)
async def readiness(service: TheService, response: Response) -> State:
    """Whether the server takes questions."""
    why = service.why_not_ready
    if why:
        response.status_code = 503
    return State(status="not ready" if why else "ready", why=why)


@router.get("/metrics", dependencies=[BEARER], response_class=Response, responses={200: {"content": {"text/plain": {}}}})
async def metrics(service: TheService, caller: TheCaller) -> Response:
    """Counts and times for Prometheus. If the server has keys, one is needed here, too, and only its corpora are named."""
    return Response(service.metrics.text(caller.may_search), media_type=CONTENT_TYPE_LATEST)
