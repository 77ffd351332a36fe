"""Mutation operators and other solutions that the task gates never see: they measure what the gates are worth."""
