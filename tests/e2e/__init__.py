"""The real parts together: engine, provider, API server, Argo CD.

A package, so that its real parts end with its last test (`scope="package"`).
"""
