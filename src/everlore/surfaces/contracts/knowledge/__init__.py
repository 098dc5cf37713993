"""The contract memory-mcp, whose toolset is `knowledge`: its tools, their results and its words."""

from everlore.surfaces.contracts.identity import Identity

CONTRACT_VERSION = "0.1.0"
IDENTITY = Identity(
    server_name="memory-mcp",
    server_version=CONTRACT_VERSION,
    instructions="AI agent memory server with knowledge graph and code search. 21 tools available.",
)
