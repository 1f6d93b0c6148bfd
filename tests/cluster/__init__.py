"""Image, push and pods on a real node.

A package, so that its real parts end with its last test (`scope="package"`).
"""
