"""Pulumi components that install config management plugins into Argo CD."""
