"""`python -m plugin_image.renderer`."""

from .entry import main

main()
