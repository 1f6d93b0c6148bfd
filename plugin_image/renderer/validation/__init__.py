"""Whether the API server would take the objects: what it says of fields and types, without it.

Objects are held against the schemas of the destination's version of Kubernetes, custom resources
against the definitions in the same set. What passes may be refused by a cluster all the same, for
what is no matter of schemas. Nothing is refused that a cluster takes.
"""
