"""A server of the Pulumi kind that says what it was started with; started as a program by a test.

A request is a line: `folder` asks what its folder for temporary files is, `engine` what its engine
says, `start` to start a process that stays, `grow` to take memory.
"""

import os
import socket
import subprocess
import sys


def main() -> None:
    host, _, port = sys.argv[1].partition(":")
    kept: list[object] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:
        print(listener.getsockname()[1], flush=True)  # noqa: T201 - the protocol
        while True:
            connection, _ = listener.accept()
            with connection, connection.makefile("rw") as file:
                match file.readline().strip():
                    case "folder":
                        answer = os.path.realpath(os.environ["TMPDIR"])
                    case "engine":
                        with socket.create_connection((host, int(port))) as engine:
                            engine.sendall(b"who?\n")
                            answer = engine.makefile().readline().strip()
                    case "start":
                        kept.append(subprocess.Popen(["sleep", "600"]))
                        answer = "started"
                    case "grow":
                        kept.append(bytearray(os.urandom(1 << 20) * 300))
                        answer = "grown"
                    case other:
                        answer = f"what is {other}?"
                file.write(f"{answer}\n")


if __name__ == "__main__":
    main()
