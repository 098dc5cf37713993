"""The contract memory-mcp, whose toolset is `knowledge`: its tools, their results and its words."""
