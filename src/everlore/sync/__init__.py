"""Sync: what happens in the files reaches the index and the profiles, by itself and on request."""
