"""Serving live episodes to other programs: MCP over stdio and streamable HTTP, and plain JSON beside it."""
