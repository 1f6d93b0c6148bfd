"""`python -m plugin_image.renderer`."""

from plugin_image.renderer.cli import main

main(prog_name="renderer")
