"""Argo CD's own reading of a plugin's output (`tests/toolchain/modules/argocd-reader`)."""

import json
import subprocess
from collections.abc import Iterable
from typing import Any

from tests import toolchain


def read(streams: Iterable[str]) -> list[list[dict[str, Any]]]:
    """The objects of each stream, as they would reach a cluster; an error fails the test."""
    asked = "".join(f"{json.dumps(stream)}\n" for stream in streams)
    program = toolchain.ensure(["argocd-reader"])["argocd-reader"]
    answered = subprocess.run([program], input=asked, stdout=subprocess.PIPE, text=True, check=True)
    outcomes = [json.loads(line) for line in answered.stdout.splitlines()]
    assert not [outcome["error"] for outcome in outcomes if "error" in outcome]
    return [outcome.get("objects", []) for outcome in outcomes]
