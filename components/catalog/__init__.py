"""Plugins that come with this project."""
