"""Stands in for Pulumi's official language host for Java: `… -m tests.render.java_language_host`.

That one's Go module could not be had. This one does what it does to run a program: it starts the
same command of Maven in the program's folder, with the same environment.
Source: pulumi/pulumi-java `pkg/cmd/pulumi-language-java/main.go`, `executor_maven.go`.
"""

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import grpc
from google.protobuf.empty_pb2 import Empty
from pulumi.runtime.proto import language_pb2, language_pb2_grpc, plugin_pb2

from tests.render import corpus

NAME: Final = "pulumi-language-java"


class _Host(language_pb2_grpc.LanguageRuntimeServicer):
    def __init__(self, repository: str, engine: str) -> None:
        self._repository = repository
        self._engine = engine

    def GetPluginInfo(self, _: Empty, __: grpc.ServicerContext) -> Any:  # noqa: N802
        return plugin_pb2.PluginInfo(version="1.0.0")

    def GetRequiredPlugins(self, _: Any, __: grpc.ServicerContext) -> Any:  # noqa: N802
        return language_pb2.GetRequiredPluginsResponse()

    def InstallDependencies(self, _: Any, __: grpc.ServicerContext) -> Iterator[Any]:  # noqa: N802
        return iter(())

    def Run(self, request: Any, _: grpc.ServicerContext) -> Any:  # noqa: N802
        kept = f"-Dmaven.repo.local={self._repository}"
        done = subprocess.run(
            ["mvn", kept, "--no-transfer-progress", "compile", "exec:java"],
            cwd=request.pwd,
            env={
                **os.environ,
                "PULUMI_MONITOR": request.monitor_address,
                "PULUMI_ENGINE": self._engine,
                "PULUMI_PROJECT": request.project,
                "PULUMI_STACK": request.stack,
                "PULUMI_ORGANIZATION": request.organization,
                "PULUMI_DRY_RUN": str(request.dryRun).lower(),
                "PULUMI_PARALLEL": str(request.parallel),
                "PULUMI_CONFIG": json.dumps(dict(request.config)),
                "PULUMI_CONFIG_SECRET_KEYS": json.dumps(list(request.configSecretKeys)),
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        return language_pb2.RunResponse(error=done.stdout if done.returncode else "")


def put_into(folder: Path) -> Path:
    """Make it a program in a folder, which goes on PATH."""
    folder.mkdir()
    repository = corpus.java_cache() / "tools" / "maven"
    start = shlex.join([sys.executable, "-m", __name__, str(repository)])
    program = folder / NAME
    program.write_text(f'#!/bin/sh\ncd {shlex.quote(str(corpus.ROOT))} && exec {start} "$@"\n')
    program.chmod(0o755)
    return folder


def main(repository: str, engine: str) -> None:
    """Serve until the engine ends this process; the port is the first line."""
    server = grpc.server(ThreadPoolExecutor(max_workers=4))
    language_pb2_grpc.add_LanguageRuntimeServicer_to_server(_Host(repository, engine), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()
    server.wait_for_termination()


if __name__ == "__main__":
    main(*sys.argv[1:])
