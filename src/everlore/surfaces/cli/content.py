"""What the content commands do, once their arguments are read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path

from pydantic import SecretStr

from everlore.config import Settings
from everlore.content import importing
from everlore.content.connect import open_site
from everlore.content.documents import Document as SiteDocument
from everlore.content.documents import counts, documents
from everlore.engine import open_engine
from everlore.memory.records import Document, mirror
from everlore.surfaces.cli import output
from everlore.surfaces.cli.opening import settings_of_command
from everlore.surfaces.contracts.emcp.toolset import EMBEDDED
from everlore.sync.upkeep import embed_all
from everlore.types import Owner, Scope
from everlore.vault.folder import SYSTEM, FolderVault


def import_folder(folder: Path, *, as_json: bool) -> bool:
    """True when every file could be read."""
    settings = settings_of_command("error")
    report = _changed(settings, partial(importing.import_folder, folder=folder), as_json=as_json)
    if settings.emcp.database_url.get_secret_value():
        output.warn("EVEROS_EMCP__DATABASE_URL is set, so the content tools read that database and not this import")
    return not report.unreadable


def forget_folder(folder: Path, *, as_json: bool) -> None:
    _changed(settings_of_command("error"), partial(importing.forget_folder, folder=folder), as_json=as_json)


def _changed(settings: Settings, work: Callable[[Path], importing.Report], *, as_json: bool) -> importing.Report:
    """What `work` did to the embedded site; memories follow it."""
    with FolderVault(settings.memory.root).lock("content import"):
        report = work(_embedded(settings))
        _remember(settings)
    if as_json:
        output.show_json(asdict(report))
        return report
    output.show_pairs([(name, str(getattr(report, name))) for name in ("added", "changed", "unchanged", "removed")])
    for path, reason in report.unreadable.items():
        output.show_finding("error", f"{path}: {reason}", "its document stays as it was")
    return report


def status(*, as_json: bool) -> None:
    settings = settings_of_command("error")
    embedded = _embedded(settings)
    chosen = bool(settings.emcp.database_url.get_secret_value())
    imported = {} if chosen else importing.sources(embedded)
    found: dict[str, int] = {}
    site = open_site(settings.emcp, embedded)
    try:
        if chosen or embedded.is_file():
            found = counts(site)
    finally:
        site.close()
    if as_json:
        output.show_json({"database": site.shown, "kind": site.engine.dialect.name, **found, "folders": imported})
        return
    output.show_pairs(
        [
            ("database", site.shown),
            ("kind", site.engine.dialect.name),
            *((name, str(count)) for name, count in found.items()),
            *([] if found else [("documents", "none yet; run: everlore content import FOLDER")]),
            *((folder, f"{count} documents") for folder, count in imported.items()),
        ]
    )


def _remember(settings: Settings) -> None:
    """The imported documents are found by the memory tools, too: each is a record with the type `document`."""
    embedded = _embedded(settings)
    owner = Owner(Scope(settings.mcp.app, settings.mcp.project), "user", settings.mcp.user)
    site = open_site(settings.emcp.model_copy(update={"database_url": SecretStr("")}), embedded)
    engine = open_engine(settings)
    try:
        mirror(engine, owner, "document", (_document(one) for one in documents(site)))
        with output.progress() as report:
            embed_all(engine, report)
    finally:
        engine.close()
        site.close()


def _document(one: SiteDocument) -> Document:
    return Document(
        source=f"content://{one.id}",
        content={"title": one.title, "text": one.text, "content_id": one.id},
        edited=one.edited * 1000,
        tags=("content",),
    )


def _embedded(settings: Settings) -> Path:
    return FolderVault(settings.memory.root).root / SYSTEM / EMBEDDED
