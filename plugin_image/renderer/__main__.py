"""`python -m plugin_image.renderer`."""

from .client import main

main()
