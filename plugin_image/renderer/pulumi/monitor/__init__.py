"""The native engine: a resource monitor that records and creates nothing.

`session` puts one program's monitor together, from a `run_context`, and reports what is in
`recording`.
Requests come through a `transport` to a method of a `service`, which knows `resources` by their
`values`, and asks a `plugin` for what only the real Kubernetes provider can do. Each stands on
those after it. No code here could contact a cluster, a provider's cloud or a backend.

This runs in the interpreter of Python programs, too, and so imports nothing but the standard
library, what the SDK brings, and modules that keep to the same.
"""
