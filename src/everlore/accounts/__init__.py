"""Accounts: who may use a server, and which part of the vault is theirs.

Canonical state that is not memory, in `.everlore/accounts.db`. Credentials are stored as hashes only.
"""
