"""The eMCP contract, whose toolset is `evo`: a site's documents and records, read over HTTP and MCP."""
