"""Documents: a signed address to upload to, the upload, and the memories made of it.

An upload lies beside the accounts until it has become memories, so that any server of theirs may take it, and any
other make memories of it; what nobody asks for again is removed after its address has expired.
"""

from __future__ import annotations

import hashlib
import zlib

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from everlore.accounts import tokens
from everlore.accounts.store import Accounts
from everlore.accounts.values import Source, Upload
from everlore.clock import iso
from everlore.engine import Engine
from everlore.errors import Conflict, InvalidInput, NotFound
from everlore.kinds.pieces import split_text
from everlore.memory import NewMessage, flush, forget, listing, remember
from everlore.surfaces.contracts.everme.gateway import NewSource, Presign, Refusal, source_shown
from everlore.surfaces.contracts.everme.reading import Person
from everlore.surfaces.http.body import JsonRoute, form_file, read_bounded
from everlore.surfaces.http.gateway import ANSWERS, accounts, base_url, note, principal, success
from everlore.surfaces.http.gateway_mem import asking
from everlore.surfaces.http.threads import run
from everlore.transcripts.notes import without_front
from everlore.types import Predicate

BATCH = 500
TURN = 2000
"""Characters of a document that make one turn."""
LOCKS = 64
USED = "this upload was used already; ask for a new address"
TURN_MS = 1000
LOCK_SECONDS = 60.0
FORM_BYTES = 65_536
"""What a form may have besides its file."""


router = APIRouter(route_class=JsonRoute, prefix="/api/v1/mem", tags=["gateway"], responses=ANSWERS)
raw = APIRouter(prefix="/api/v1/mem", tags=["gateway"], responses=ANSWERS)
"""Uploads themselves, which are no JSON."""


@router.post("/uploads/presign")
def presign(body: Presign, request: Request) -> Response:
    """An address to upload a document to."""
    engine, who = request.app.state.engine, principal(request)
    auth = engine.settings.auth
    if body.size_bytes > auth.upload_max_bytes:
        raise Refusal(20006, f"documents may have at most {auth.upload_max_bytes} bytes; send it in parts")
    key = f"obj_{hashlib.sha256(tokens.new_id('').encode()).hexdigest()[:32]}"
    expires = engine.clock.now() + auth.upload_minutes * 60_000
    store = accounts(request)
    store.drop_expired_uploads()
    store.add_upload(who.account.id, key, body.file_name, body.size_bytes, body.content_hash, expires)
    signature = tokens.sign(store.secret(), "upload", key, str(expires))
    place = {
        "objectKey": key,
        "uploadUrl": f"{base_url(request)}/api/v1/mem/uploads/{key}?expires={expires}&signature={signature}",
        "method": "PUT",
        "formFields": {},
        "maxSize": auth.upload_max_bytes,
        "expiresAt": iso(expires),
    }
    return success(request, place)


@raw.put("/uploads/{key}")
@raw.post("/uploads/{key}")
async def upload(key: str, request: Request) -> Response:
    """The bytes themselves, to a signed address."""
    known = await run(request, _signed, accounts(request), request.app.state.engine, key, dict(request.query_params))
    if request.method == "POST":
        content = await _form_file(request, known)
    else:
        too_large = Refusal(40104, f"more than the announced {known.size} bytes came")
        content = await read_bounded(request, known.size, too_large)
    if len(content) != known.size or hashlib.sha256(content).hexdigest() != known.hash:
        raise Refusal(40104, "the content is not the one that was announced: its size or its SHA-256 differs")

    if not await run(request, accounts(request).store_upload, key, content):
        raise Refusal(40102, USED)
    return success(request, {"objectKey": key, "sizeBytes": len(content)})


@router.post("/sources")
async def create_source(body: NewSource, request: Request) -> Response:
    """Make memories of an uploaded document."""
    engine, person = asking(request)
    who = principal(request)
    keeper = accounts(request)
    source = await run(request, _ingest, engine, keeper, person, who.account.id, who.agent_id, body, lasting=True)
    await run(request, note, request, "source.create", source.id, "ok", who)
    return success(request, source_shown(source))


def _signed(store: Accounts, engine: Engine, key: str, query: dict[str, str]) -> Upload:
    expires, signature = query.get("expires", ""), query.get("signature", "")
    right = tokens.sign(store.secret(), "upload", key, expires)
    if not tokens.same(right.encode(), signature.encode("utf-8", "replace")):
        raise Refusal(40103, "the address is not one of ours; ask for a new one")
    if not expires.isdecimal() or int(expires) <= engine.clock.now():
        raise Refusal(40103, "the address has expired; ask for a new one")
    known = store.upload(key)
    if known is None:
        raise Refusal(40102, USED)
    return known


async def _form_file(request: Request, known: Upload) -> bytes:
    too_large = Refusal(40104, "the form is larger than the announced file")
    body = await read_bounded(request, known.size + FORM_BYTES, too_large)
    content = form_file(request.headers.get("content-type", ""), body, "file")
    if content is None:
        raise Refusal(20001, "send a multipart/form-data form with a file named file")
    return content


def _ingest(engine: Engine, store: Accounts, person: Person, account: str, agent: str, body: NewSource) -> Source:
    name = body.idempotency_key or body.document_key or body.object_key
    slot = zlib.crc32(f"{account} {name}".encode("utf-8", "replace")) % LOCKS
    with engine.vault.lock(f"source:{slot}", LOCK_SECONDS):
        before = store.find_source(account, idempotency_key=body.idempotency_key or "")
        if body.idempotency_key and before is not None:
            if before.hash != body.content_hash:
                raise Conflict("this idempotencyKey was used for another content; use a new one")
            return before
        older = store.find_source(account, document_key=body.document_key or "")
        if older is not None and older.hash == body.content_hash:
            return older
        kept = _kept(engine, store, account, body)
        session = f"source-{body.object_key.removeprefix('obj_')[:24]}"
        extracted = _remembered(engine, person, session, kept[0], kept[1])
        source = Source(
            id=tokens.new_id("src_"),
            account_id=account,
            agent_id=agent,
            object_key=body.object_key,
            title=body.title,
            size=body.size_bytes,
            hash=body.content_hash,
            document_key=body.document_key or "",
            idempotency_key=body.idempotency_key or "",
            platform=body.origin_platform or "",
            session_id=session,
            status="extracted" if extracted else "no_extraction",
            created=engine.clock.now(),
        )
        store.add_source(source)
        if older is not None:
            _forget_session(engine, person, older.session_id)
        store.drop_upload(body.object_key)
        return source


def _kept(engine: Engine, store: Accounts, account: str, body: NewSource) -> tuple[str, int]:
    """The text of the upload, and a moment that stays the same when the request is repeated."""
    known = store.upload(body.object_key)
    if known is None or known.account_id != account or not known.stored:
        raise Refusal(40102, "nothing was uploaded under this objectKey; upload first")
    if (known.size, known.hash) != (body.size_bytes, body.content_hash):
        raise Refusal(40104, "sizeBytes or contentHash is not that of the upload")
    content = store.content(known.key)
    if content is None:
        raise NotFound("the upload is gone; upload again")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidInput("the document is not UTF-8 text") from None
    return without_front(text)[0], known.expires - engine.settings.auth.upload_minutes * 60_000


def _remembered(engine: Engine, person: Person, session: str, text: str, moment: int) -> bool:
    messages = [
        NewMessage(person.user, "user", moment + at * TURN_MS, part) for at, part in enumerate(split_text(text, TURN))
    ]
    extracted = False
    for start in range(0, len(messages), BATCH):
        extracted = bool(remember(engine, person.scope, session, messages[start : start + BATCH])) or extracted
    return bool(flush(engine, person.scope, session)) or extracted


def _forget_session(engine: Engine, person: Person, session: str) -> None:
    while rows := listing(engine, person.owner, "episode", filter=Predicate("session_id", "eq", session)).rows:
        for row in rows:
            forget(engine, person.owner, row.key.public_id)
