"""Stands for pip where Pulumi's language host asks it for packages with plugins to install.

There is nothing to install, and pip would take a second to look through all packages.
"""

print("[]")  # noqa: T201
