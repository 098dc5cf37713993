"""The backends there are, by the URL of the store. Nothing above asks which one it has."""

from __future__ import annotations

from everlore.backends.base import Backend
from everlore.config import Settings
from everlore.errors import Misconfigured
from everlore.extras import load, require

BACKENDS = {"": "everlore.backends.files:open_files", "postgresql": "everlore.backends.postgres:PostgresBackend"}
"""By how the URL begins; without one, everything is in files."""
EXTRAS = {"postgresql": "postgres"}
"""The packages that some need."""
_ALSO = {"postgres": "postgresql"}


def open_backend(settings: Settings) -> Backend:
    scheme = _scheme(settings.store.url.get_secret_value())
    if scheme not in BACKENDS:
        known = " and ".join(f"{name}://" for name in BACKENDS if name)
        raise Misconfigured(f"the store's URL begins with {scheme}://, but only {known} is known")
    if scheme in EXTRAS:
        require(EXTRAS[scheme])
    backend: Backend = load(BACKENDS[scheme])(settings)
    return backend


def _scheme(url: str) -> str:
    begins, separator, _ = url.partition("://")
    if not separator:
        return "postgresql" if url else ""  # host=... dbname=..., as PostgreSQL's own tools write it
    name = begins.partition("+")[0]
    return _ALSO.get(name, name)
