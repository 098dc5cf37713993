"""`evercli`: the command line for people and agents. Contract: docs/guides/evercli.md.

A command starts in a few hundredths of a second. So nothing here imports the server, the MCP library or the engine,
and every command's module is imported only when that command runs.
"""
