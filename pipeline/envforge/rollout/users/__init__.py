"""Simulated users, by name: they hold a part of what they want back, and tell it when they are asked."""

from __future__ import annotations

from envforge.core.contracts import Model
from envforge.core.errors import ConfigError
from envforge.rollout.users.model_user import ModelUsers
from envforge.rollout.users.scripted_user import ScriptedUsers
from envforge.rollout.users.user import SimulatedUser, UserMaker

__all__ = ["USERS", "SimulatedUser", "UserMaker", "user_maker"]

USERS = ("scripted", "model")


def user_maker(name: str, model: Model | None = None) -> UserMaker:
    """Who makes the users of this name. Raises ConfigError; a model user needs a model."""
    if name == "scripted":
        return ScriptedUsers()
    if name == "model" and model is not None:
        return ModelUsers(model)
    what = "needs a model" if name == "model" else "there is no such user"
    raise ConfigError(what, where=f"--user {name}", remedy=f"one of {', '.join(USERS)}; a model with --user-model")
