"""All tools of the contract, each under its own name."""

from __future__ import annotations

from everlore.surfaces.contracts.knowledge.toolset import toolset


def test_there_are_twenty_one() -> None:
    tools = toolset().tools
    assert len({tool.name for tool in tools}) == len(tools) == 21
    assert all(tool.title and tool.description.endswith(".") for tool in tools)
    assert {tool.name for tool in tools if tool.destroys} == {
        "update_memory",
        "delete_memory",
        "delete_project",
        "reset_all_memory",
    }
