"""The HTTP application: the memory contract's routes and the probes around one engine.

The caller opens and closes the engine; the application runs the cascade's worker while it serves.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from anyio import CapacityLimiter, to_thread
from fastapi import FastAPI

from everlore import __version__
from everlore.cascade import Worker
from everlore.engine import Engine
from everlore.memory import prepare, retry
from everlore.surfaces.http import errors, health, routes
from everlore.surfaces.http.metrics import Metrics
from everlore.surfaces.http.middleware import LoopbackOnly, Observe, is_loopback

PROBES_AT_ONCE = 2


def create_app(engine: Engine) -> FastAPI:
    development = os.environ.get("ENV", "").upper() == "DEV"

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        app.state.workers = CapacityLimiter(engine.settings.api.threads)
        # probes have threads of their own, so that a busy server still says that it lives
        app.state.probes = CapacityLimiter(PROBES_AT_ONCE)
        worker = Worker(engine, prepare, retry)
        worker.start()
        try:
            yield
        finally:
            await to_thread.run_sync(worker.stop)

    app = FastAPI(
        title="Everlore",
        version=__version__,
        description="Long-term memory for AI agents. Compatible with the EverOS HTTP API, version 1.",
        openapi_url="/openapi.json" if development else None,
        redirect_slashes=False,
        lifespan=lifespan,
    )
    app.state.engine = engine
    app.state.metrics = Metrics(engine)
    errors.install(app)
    app.include_router(routes.router)
    app.include_router(health.router)
    if is_loopback(engine.settings.api.host):
        app.add_middleware(LoopbackOnly)
    app.add_middleware(Observe, metrics=app.state.metrics)
    return app
