"""A stand-in for the plugin binary of Pulumi's docker-build provider.

The binary cannot be had everywhere; the SDK can. This carries out its one resource that the
installer uses, `docker-build:index:Image`, by calling the Docker CLI with the inputs that it
received, so that a real image is built and pushed by `pulumi up`. docs/image.md says what of
the real provider that leaves uncovered.
"""
