"""The published contracts, a package each: their shapes, limits and tools. HTTP, MCP and command line carry them."""
