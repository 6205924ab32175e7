"""What can be chosen and searched: methods, corpora, passages."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query

from hopweave.apps.server.asking import described
from hopweave.apps.server.callers import Caller
from hopweave.apps.server.refusals import Refused, refusing
from hopweave.apps.server.routes._given import BEARER, TheCaller, TheService
from hopweave.apps.server.schemas import (
    REFUSALS,
    CorpusList,
    CorpusReply,
    HitReply,
    MethodList,
    MethodReply,
    OverviewReply,
    PassageReply,
    SearchReply,
    SearchRequest,
)
from hopweave.apps.server.service import Service
from hopweave.core.catalog import METHOD_GROUPS
from hopweave.core.errors import SearchError, SettingsError
from hopweave.core.indexing import CountsPassages
from hopweave.core.types import Hit, Passage
from hopweave.core.visibility import Visible
from hopweave.ingest.origin import Origin
from hopweave.run.components import Components

_LOG = logging.getLogger(__name__)
router = APIRouter(tags=["corpora"], dependencies=[BEARER], responses=REFUSALS)

Name = Annotated[str, Path(description="One of GET /v1/corpora.", max_length=200)]
PassageId = Annotated[str, Path(description="Of a citation, a hit or a step.", max_length=2000)]


@router.get("/v1/methods")
async def methods(service: TheService) -> MethodList:
    """The methods that can be chosen, with the options that can be set over HTTP."""
    found = [MethodReply(**one) for one in described(service.choices.methods)]
    return MethodList(default=service.choices.default_method, groups=METHOD_GROUPS, methods=found)


@router.get("/v1/corpora")
async def corpora(service: TheService, caller: TheCaller) -> CorpusList:
    """The corpora that the caller may search."""
    found = []
    for name in filter(caller.may_search, service.server.corpora):
        async with service.corpora.opened(name, caller.access) as parts:
            found.append(CorpusReply(name=name, num_passages=_size(parts, caller)))
    return CorpusList(corpora=found)


@router.get("/v1/corpora/{name}/overview")
async def overview(
    name: Name,
    service: TheService,
    caller: TheCaller,
    where: Annotated[
        list[str],
        Query(
            default_factory=list, description="A value of metadata to filter by, as KEY=VALUE; may be repeated.", max_length=20
        ),
    ],
) -> OverviewReply:
    """What a corpus holds, as far as the caller may see it, and questions to begin with; no model is called."""
    name = service.corpus_of(caller, name)
    with refusing(SettingsError), _told():
        visible = Visible(caller.access, _values(where))
        async with service.corpora.by_id(name, visible.access, visible.where) as parts:
            found = await service.overview(parts, visible)
            num_passages = found.num_passages if found.num_passages is not None or where else _size(parts, caller)
    return OverviewReply.model_validate({**asdict(found), "num_passages": num_passages})


@router.post("/v1/search")
async def search(body: SearchRequest, service: TheService, caller: TheCaller) -> SearchReply:
    """Searches a corpus as a method would; no model is called."""
    name = service.corpus_of(caller, body.corpus)
    given: Mapping[str, Any] = body.filter
    with refusing(SettingsError):
        where = Visible(caller.access, given).where
    max_hits = min(body.max_hits, service.server.limits.max_hits)
    async with service.corpora.opened(name, caller.access, where) as parts:
        with _told():  # by the engine, even if the retriever on top of it would ask the model
            [hits] = await parts.search([body.query], max_hits)
    return SearchReply(corpus=name, hits=[_hit(one) for one in hits])


@router.get("/v1/corpora/{name}/passages/{passage_id:path}")
async def passage(name: Name, passage_id: PassageId, service: TheService, caller: TheCaller) -> PassageReply:
    """A passage by its id, with the other files that have the same text."""
    found, origin = await seen(name, passage_id, service, caller, with_origin=True)
    return _passage(found).model_copy(update={"also_in": list(origin.also_in) if origin is not None else []})


async def seen(
    name: str, passage_id: str, service: Service, caller: Caller, *, with_origin: bool = False
) -> tuple[Passage, Origin | None]:
    """A passage that the caller may see and, if requested, the file that it comes from, if the index knows it.

    Raises:
        Refused: if the corpus or the passage does not exist or is hidden from the caller; the message does not tell which.
    """
    name = service.corpus_of(caller, name)
    with _told():
        async with service.corpora.by_id(name, caller.access, {}) as parts:
            found = await parts.passage(passage_id)
            if found is None:
                raise Refused(404, "unknown_passage", f"there is no passage {passage_id[:100]!r} in {name} for you to see")
            return found, await parts.origin(passage_id) if with_origin else None


def _size(parts: Components, caller: Caller) -> int | None:
    """The number of passages. It includes hidden ones, so it is not shown to holders of keys."""
    engine: object = parts.engine
    return engine.num_passages if isinstance(engine, CountsPassages) and caller.limits is None else None


def _values(given: list[str]) -> dict[str, tuple[str, ...]]:
    """Values of metadata by key, from `KEY=VALUE`.

    Raises:
        SettingsError: for anything else.
    """
    values: dict[str, tuple[str, ...]] = {}
    for one in given:
        key, equals, value = one.partition("=")
        if not equals:
            raise SettingsError(f"where: {one[:100]!r} is not of the form KEY=VALUE")
        values[key] = (*values.get(key, ()), value)
    return values


@contextmanager
def _told() -> Iterator[None]:
    """Refuses with status 503 if the corpus cannot be searched now, for example because its server is down."""
    try:
        yield
    except SearchError as error:
        _LOG.error("a corpus cannot be searched: %s", error)
        raise Refused(503, "search_failed", "the corpus cannot be searched now; ask again") from error


def _passage(one: Passage) -> PassageReply:
    return PassageReply.model_validate(one, from_attributes=True)


def _hit(hit: Hit) -> HitReply:
    via = asdict(hit.via) if hit.via is not None else None
    return HitReply(rank=hit.rank, score=hit.score, passage=_passage(hit.passage), via=via)
