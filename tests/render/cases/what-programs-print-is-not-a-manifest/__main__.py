import pulumi
import pulumi_kubernetes as k8s

import os
import subprocess
import sys

print("kind: Printed")
os.write(1, b"kind: Written\n")
subprocess.run(["sh", "-c", "echo kind: Child; echo kind: Error >&2"], check=True)
subprocess.Popen(["sh", "-c", "sleep 300; echo kind: Late"])
if os.fork() == 0:
    os.setsid()
    os.execvp("sleep", ["sleep", "300"])
sys.stdout.flush()
k8s.core.v1.ConfigMap("settings", data={})
