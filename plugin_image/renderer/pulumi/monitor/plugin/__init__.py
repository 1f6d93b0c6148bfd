"""The real Kubernetes provider, for charts, YAML and kustomizations, with nothing lost by it."""
