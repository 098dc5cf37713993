"""What EverMe's gateway and its MCP toolset share: the same memories in the same shapes, over HTTP or in-process."""
