"""The one server of a vault: whoever needs it finds it or starts it, and it outlives them.

Nothing but the standard library is imported in this package: hooks and MCP processes must be there at once.
"""
