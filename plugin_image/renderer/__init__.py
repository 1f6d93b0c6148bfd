"""The renderer: a Pulumi program in, Kubernetes manifests out.

It runs inside the plugin container (or locally) and creates nothing: the
program talks to a resource monitor of ours that only records. It refuses whatever it
cannot turn into a Kubernetes object, and never writes a partial result.
"""
