"""What goes wrong with real parts."""


class ToolchainError(Exception):
    """A real part cannot be had; says which, why and what to do."""
