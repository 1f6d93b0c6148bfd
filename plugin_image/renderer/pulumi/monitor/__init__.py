"""The native engine: a resource monitor that records and creates nothing.

`Monitor` (core) answers the requests of pulumi/pulumi `proto/pulumi/resource.proto`
whatever carries them. Two doors lead to it: `direct` for a Python program in the same
process, `server` for any SDK by gRPC. It has no code that could contact a cluster, a
provider or a backend.
"""
