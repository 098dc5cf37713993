"""Code search: source folders cut into named chunks, kept up to date and found by meaning and by identifier.

The index of code is a database of its own in the vault (`.everlore/code.db`), opened when it is first used. It holds
nothing that could not be read again from the folders, and stays local also where memories are kept on a server.
"""

from everlore.code.search import CodeHit, chunk_count, code_hits
from everlore.code.service import CodeIndex, delete_all, open_code
from everlore.code.status import Status, status_of

__all__ = ["CodeHit", "CodeIndex", "Status", "chunk_count", "code_hits", "delete_all", "open_code", "status_of"]
