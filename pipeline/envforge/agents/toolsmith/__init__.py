"""Writes further tools and their tests for a database; a workbench that is handed in tries them, the gates decide."""
