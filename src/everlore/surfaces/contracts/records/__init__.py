"""The Memory Server contract, whose toolset is `records`: structured records, saved once, found by meaning and tags."""
