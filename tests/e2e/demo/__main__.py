"""`make demo`: the main job once, and what happened at each step.

The guestbook in Python, TypeScript and YAML is rendered at once, by the plugin's own command
line. Meanwhile the real parts are obtained, if they are not there yet; then Argo CD delivers
the guestbook from a Git repository. Nothing is left behind.
"""

import platform
import sys

_ELSEWHERE = """\
The demo runs real parts of a cluster as processes of Linux. With Docker, this does the same:

  docker run --rm -it --privileged -v "$PWD:/checkout" -w /checkout \\
    -v argocd-pulumi-plugin:/root/.cache golang:1.26-trixie sh -c 'apt-get update &&
    apt-get install -y nodejs npm python3-venv && make demo VENV=/root/.cache/venv'
"""


def main() -> int:
    """Run the demo; Ctrl-C ends it cleanly. Elsewhere than on Linux, say how to run it there."""
    if platform.system() != "Linux":
        sys.stderr.write(_ELSEWHERE)
        return 1
    # First of all; what takes time to import comes afterwards.
    from tests.e2e.demo import ending

    ending.interruptible()
    try:
        with ending.uninterrupted():
            from rich.console import Console

            from tests.e2e.demo.run import run

        return run(Console(highlight=False))
    except KeyboardInterrupt:
        sys.stderr.write("\nInterrupted; everything is stopped.\n")
        return 130


if __name__ == "__main__":
    sys.exit(main())
