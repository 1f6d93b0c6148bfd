"""The real parts that a plugin image has, where the renderer looks for them."""

from tests.render.conftest import image_programs

__all__ = ["image_programs"]
