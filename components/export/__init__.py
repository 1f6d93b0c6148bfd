"""Plugins as files, for an Argo CD whose Deployment is not to be patched."""
