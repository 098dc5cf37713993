"""Accounts: who may use a server, and which part of the vault is theirs.

Canonical state that is not memory, in `.everlore/accounts.db` or, with a PostgreSQL store, in the database, where all
servers share it. Credentials are stored as hashes only.
"""
