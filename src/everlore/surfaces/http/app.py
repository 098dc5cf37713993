"""The HTTP application: the memory contract's routes, the gateway and the probes around one engine.

The caller opens and closes the engine and the accounts; the application runs the cascade's worker while it serves.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from anyio import CapacityLimiter, to_thread
from fastapi import FastAPI
from starlette.routing import Route

from everlore import __version__
from everlore.accounts.store import Accounts
from everlore.background.claim import Claim
from everlore.engine import Engine
from everlore.extras import load
from everlore.memory import come_back, prepare
from everlore.surfaces.http import (
    bin_routes,
    browse_routes,
    emcp,
    errors,
    gateway_auth,
    gateway_mem,
    gateway_uploads,
    health,
    owner,
    pages,
    review_routes,
    routes,
)
from everlore.surfaces.http.feed import Feed
from everlore.surfaces.http.guard import Guard, Meter
from everlore.surfaces.http.mcp_routes import Loaders, Toolsets
from everlore.surfaces.http.metrics import Metrics
from everlore.surfaces.http.middleware import Activity, LoopbackOnly, Observe, host_of, is_loopback
from everlore.surfaces.http.threads import Threads
from everlore.surfaces.http.turns import Turns
from everlore.sync.worker import Worker


def create_app(
    engine: Engine, accounts: Accounts, toolsets: Loaders | None = None, claim: Claim | None = None
) -> FastAPI:
    """`toolsets` are served over MCP. With a `claim`, processes of the vault's owner are known by its token."""
    feed = Feed()
    engine = replace(engine, heard=feed.recalled)
    mcp = Toolsets(engine, toolsets or {}, {"evo": emcp.gated}, own=claim is not None and claim.background)
    development = os.environ.get("ENV", "").upper() == "DEV"

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        app.state.threads = Threads(engine.settings)
        app.state.turns = Turns(engine.settings.multimodal.parse_at_once)
        app.state.searchers = None
        if engine.settings.api.search_processes:  # most servers need not import what it takes
            app.state.searchers = load("everlore.surfaces.http.searchers:Searchers")(engine.settings)
        worker = Worker(engine, prepare, come_back)
        worker.start()
        try:
            async with mcp.running(), emcp.content_server(engine) as app.state.content:
                yield
        finally:
            await app.state.door.close()
            # in a thread of its own: all others may be held up by requests that wait for something
            stops = [worker.stop] if app.state.searchers is None else [app.state.searchers.close, worker.stop]
            for stop in stops:
                await to_thread.run_sync(stop, limiter=CapacityLimiter(1))

    app = FastAPI(
        title="Everlore",
        version=__version__,
        description="Long-term memory for AI agents. Compatible with the EverOS HTTP API, version 1.",
        openapi_url="/openapi.json" if development else None,
        redirect_slashes=False,
        lifespan=lifespan,
    )
    app.state.engine = engine
    app.state.accounts = accounts
    app.state.attempts = Meter(engine.settings.auth.attempts_per_minute)
    app.state.metrics = Metrics(engine)
    app.state.activity = Activity()
    app.state.saved = {}
    app.state.feed = feed
    app.state.toolsets = mcp
    errors.install(app)
    for module in (
        routes,
        bin_routes,
        browse_routes,
        review_routes,
        health,
        gateway_auth,
        gateway_mem,
        gateway_uploads,
        owner,
        pages,
        emcp,
    ):
        app.include_router(module.router)
    app.include_router(routes.extra)
    app.include_router(gateway_uploads.raw)
    app.router.routes += [Route("/mcp", mcp), Route("/mcp/{toolset}", mcp)]
    load("everlore.surfaces.page.door:enter")(app, claim)
    app.add_middleware(Guard, engine=engine, accounts=accounts, attempts=app.state.attempts, claim=claim)
    if is_loopback(engine.settings.api.host):
        app.add_middleware(LoopbackOnly, also=host_of(engine.settings.auth.public_url))
    app.add_middleware(Observe, metrics=app.state.metrics, activity=app.state.activity, feed=feed)
    return app
