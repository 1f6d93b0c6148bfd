"""The commands of kubectl that are more than a request to the API."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

_SECONDS = 120


@dataclass(frozen=True)
class Kubectl:
    """kubectl with one kubeconfig."""

    kubeconfig: Path
    namespace: str

    def run(self, *arguments: str, standard_input: bytes = b"") -> str:
        """Run a command and return what it writes. Raises AssertionError."""
        command = ["kubectl", f"--kubeconfig={self.kubeconfig}", f"--namespace={self.namespace}"]
        done = subprocess.run(
            [*command, *arguments], input=standard_input, capture_output=True, timeout=_SECONDS
        )
        output = done.stdout.decode(errors="replace")
        assert done.returncode == 0, f"{arguments}: {output}{done.stderr.decode(errors='replace')}"
        return output

    def execute(
        self, pod: str, *command: str, container: str | None = None, standard_input: bytes = b""
    ) -> str:
        """Run a command in a container, and return what it writes. Raises AssertionError."""
        options = ["--stdin"] if standard_input else []
        options += [f"--container={container}"] if container else []
        return self.run("exec", pod, *options, "--", *command, standard_input=standard_input)

    def logs(self, pod: str, container: str) -> str:
        """Everything that a container has written since its last start."""
        return self.run("logs", pod, f"--container={container}")
