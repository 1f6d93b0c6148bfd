import grpc
import pulumi
import pulumi_kubernetes as k8s


async def serve():
    # As some versions of the SDK do for transforms and hooks, and leave it running.
    server = grpc.aio.server()
    server.add_insecure_port("127.0.0.1:0")
    await server.start()
    servers.append(server)
    return "served"


servers = []
k8s.core.v1.ConfigMap("settings", data={"state": pulumi.Output.from_input(serve())})
