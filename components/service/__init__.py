"""A plugin in pods of its own, and the repo-server's way to it."""
