"""`python -m plugin_image.renderer`."""

from .cli import run

run()
