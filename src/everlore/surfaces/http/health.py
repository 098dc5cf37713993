"""Probes for operators: is it well, how big is it, how quick is it. Not part of the memory contract."""

from __future__ import annotations

from collections.abc import Callable

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from everlore import __version__
from everlore.accounts.store import Accounts
from everlore.engine import Engine
from everlore.errors import Damaged, EverloreError, Unavailable
from everlore.redact import redact
from everlore.stores.sqlite.canonical import HINT
from everlore.surfaces.contracts.everos.answers import Failure, Health
from everlore.surfaces.http.metrics import CONTENT_TYPE, Metrics
from everlore.surfaces.http.threads import probe
from everlore.sync.upkeep import troubles

SHOWN_PROBLEMS = 20
SIZES = ("units", "unembedded", "files", "queued", "failed", "problems")

router = APIRouter(tags=["operations"], responses={503: {"model": Failure}})


def examine(engine: Engine) -> Health:
    """With accounts, files may name their owners: problems are then counted, not told."""
    status = engine.index.upkeep.status()
    broken = [*engine.backend.troubles(), *_unwritable(engine)]
    problems = [*broken, *_waiting(engine), *_unembedded(engine, status.unembedded), *troubles(engine.index)]
    hidden = [f"{len(problems)} problems; `everlore doctor` on the server tells them"] if problems else []
    told = hidden if engine.settings.auth.enabled else problems
    return Health(
        status="degraded" if problems else "ok",
        version=__version__,
        model={"name": engine.embedder.name, "ready": engine.embedder.ready()},
        index={"rows": dict(status.rows)} | {name: getattr(status, name) for name in SIZES},
        messages_buffered=_buffered(engine),
        problems=told[:SHOWN_PROBLEMS],
    )


def _buffered(engine: Engine) -> int | None:
    """None where it cannot be told, which is among the problems."""
    try:
        return engine.buffer.count()
    except EverloreError:
        return None


def _unwritable(engine: Engine) -> list[str]:
    try:
        engine.vault.try_write()
    except EverloreError as error:
        return [str(error)]
    return []


def _waiting(engine: Engine) -> list[str]:
    """What the language model must see first, and why it has not."""
    if engine.llm is None or not (reason := engine.llm.trouble) or not (count := engine.buffer.count(closed=True)):
        return []
    return [f"messages that wait for the language model, and are extracted once it answers: {count}. {redact(reason)}"]


def _unembedded(engine: Engine, count: int) -> list[str]:
    """Why pieces have no vector; that they have none for a moment is nothing to tell."""
    if not count or not (reason := engine.embedder.trouble):
        return []
    return [
        f"pieces that wait for the embedding model, and are found by their words until then: {count}. {redact(reason)}"
    ]


@router.get("/health")
@router.head("/health", include_in_schema=False)
async def health(request: Request) -> Health:
    return await probe(request, examine, request.app.state.engine)


@router.get("/healthz", response_model=None)
@router.head("/healthz", include_in_schema=False, response_model=None)
async def healthz() -> Response:
    """The process answers."""
    return JSONResponse({"status": "ok"})


@router.get("/readyz", response_model=None)
@router.head("/readyz", include_in_schema=False, response_model=None)
async def readyz(request: Request) -> Response:
    """It can do its work."""
    checks = await probe(request, _checks, request.app.state.engine, request.app.state.accounts)
    fine = all(found == "ok" for found in checks.values())
    return JSONResponse({"status": "ok" if fine else "unavailable", "checks": checks}, 200 if fine else 503)


def _checks(engine: Engine, accounts: Accounts) -> dict[str, str]:
    def tried(check: Callable[[], object]) -> str:
        try:
            check()
        except (EverloreError, OSError) as error:
            return redact(str(error))
        return "ok"

    return {
        "vault": tried(engine.vault.try_write),
        "databases": tried(lambda: _sound(engine)),
        "index": tried(lambda: _indexed(engine)),
        "accounts": tried(lambda: accounts.events(1)),
    }


def _sound(engine: Engine) -> None:
    if troubles := engine.backend.troubles():
        raise Damaged(f"{'; '.join(troubles)}; {HINT}")


def _indexed(engine: Engine) -> None:
    engine.index.upkeep.status()
    if reason := engine.vault.unready():
        raise Unavailable(reason)


@router.get("/metrics", response_class=Response)
@router.head("/metrics", include_in_schema=False)
async def metrics(request: Request) -> Response:
    numbers: Metrics = request.app.state.metrics
    return Response(await probe(request, numbers.text), media_type=CONTENT_TYPE)
