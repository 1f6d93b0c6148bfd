"""How requests come: by gRPC, or by direct calls in the same process."""
