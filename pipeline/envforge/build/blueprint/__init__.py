"""The blueprint room: what the tools of a family do, drawn from a domain and its rows."""

from envforge.build.blueprint.draw import draw_blueprint

__all__ = ["draw_blueprint"]
