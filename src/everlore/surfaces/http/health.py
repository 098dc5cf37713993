"""Probes for operators: is it well, how big is it, how quick is it. Not part of the memory contract."""

from __future__ import annotations

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.requests import Request
from starlette.responses import Response

from everlore import __version__
from everlore.cascade import troubles
from everlore.engine import Engine
from everlore.surfaces.http.metrics import Metrics
from everlore.surfaces.http.models import Failure, Health

SHOWN_PROBLEMS = 20

router = APIRouter(tags=["operations"], responses={503: {"model": Failure}})


def examine(engine: Engine) -> Health:
    status = engine.index.status()
    problems = troubles(engine.index)
    return Health(
        status="degraded" if problems else "ok",
        version=__version__,
        model={"name": engine.embedder.name, "ready": engine.embedder.ready()},
        index={
            "rows": dict(status.rows),
            "units": status.units,
            "unembedded": status.unembedded,
            "files": status.files,
            "queued": status.queued,
            "failed": status.failed,
            "problems": status.problems,
        },
        messages_buffered=engine.buffer.count(),
        problems=problems[:SHOWN_PROBLEMS],
    )


@router.get("/health")
@router.head("/health", include_in_schema=False)
async def health(request: Request) -> Health:
    limiter: CapacityLimiter = request.app.state.probes
    return await to_thread.run_sync(examine, request.app.state.engine, limiter=limiter)


@router.get("/metrics", response_class=Response)
@router.head("/metrics", include_in_schema=False)
async def metrics(request: Request) -> Response:
    numbers: Metrics = request.app.state.metrics
    limiter: CapacityLimiter = request.app.state.probes
    text = await to_thread.run_sync(generate_latest, numbers.registry, limiter=limiter)
    return Response(text, media_type=CONTENT_TYPE_LATEST)
