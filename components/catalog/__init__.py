"""Plugins that this project brings along."""
