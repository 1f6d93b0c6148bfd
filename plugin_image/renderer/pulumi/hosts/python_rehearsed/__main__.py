"""The program of a rehearsal (`python_rehearsal.py`): it makes what many programs make.

At its end it writes each `Range` of the pages that the run has written, as a line, to the file of
which an environment variable has the number.
"""

import atexit
import os
import sys
from contextlib import suppress

import pulumi


def _make() -> None:
    labels = {"app": "rehearsal"}
    with suppress(ModuleNotFoundError):
        import pulumi_kubernetes as kubernetes

        container = {"name": "rehearsal", "image": "rehearsal", "ports": [{"container_port": 80}]}
        kubernetes.apps.v1.Deployment(
            "rehearsal",
            spec={
                "replicas": pulumi.Config().get_int("replicas") or 1,
                "selector": {"match_labels": labels},
                "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
            },
        )
        service = kubernetes.core.v1.Service("rehearsal", spec={"selector": labels})
        pulumi.export("service", service.metadata["name"].apply(str))


def _tell() -> None:
    pages = sys.modules["_argocd_plugin_image.renderer.pages"]
    with os.fdopen(int(os.environ["RENDERER_REHEARSAL"]), "wb") as told:
        for each in pages.written():
            told.write(b"%d %d\n" % each)


_make()
atexit.register(_tell)
