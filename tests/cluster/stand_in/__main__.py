"""Serves the provider until the engine that started it ends."""

import sys
from concurrent.futures import ThreadPoolExecutor

import grpc
from pulumi.runtime.proto import provider_pb2_grpc

from tests.cluster.stand_in.provider import Provider


def main() -> None:
    """Listen on a free loopback port, and print its number: that is how the engine finds it."""
    server = grpc.server(ThreadPoolExecutor())
    provider_pb2_grpc.add_ResourceProviderServicer_to_server(Provider(), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()
    server.wait_for_termination()


if __name__ == "__main__":
    main()
