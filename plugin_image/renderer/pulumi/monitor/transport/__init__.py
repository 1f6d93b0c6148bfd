"""How requests come: by gRPC, by named pipes, or by direct calls in the same process."""
