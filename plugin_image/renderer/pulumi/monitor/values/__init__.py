"""Property values: in wire form, in protobuf's messages, and what only a cluster can know."""
