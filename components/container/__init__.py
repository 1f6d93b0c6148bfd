"""A plugin's container, its definition and its credentials, in whatever pod it runs."""
