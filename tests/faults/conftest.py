"""The real parts that a plugin image has, where the renderer looks for them."""

from tests.render.conftest import image_folders, image_programs

__all__ = ["image_folders", "image_programs"]
