"""A plugin in the repo-server's own pod."""
