from .factories import build

__all__ = ["build"]
