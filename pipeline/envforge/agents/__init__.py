"""Agents with a model: a kernel that runs them within limits and permissions, their tools and their prompts."""
