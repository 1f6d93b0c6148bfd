"""Charts as tests write them, programs that render one, and names of what must come of it."""

import gzip
import io
import tarfile
from collections.abc import Mapping
from typing import Any

from tests.faults.harness import Content

V4 = 'k8s.helm.v4.Chart("web", chart="./web", namespace="shop"{})\n'
V3 = 'k8s.helm.v3.Chart("web", k8s.helm.v3.LocalChartOpts(path="./web", namespace="shop"{}))\n'
NODE_V4 = 'new k8s.helm.v4.Chart("web", {chart: "./web", namespace: "shop"});'
NODE_V3 = 'new k8s.helm.v3.Chart("web", {path: "./web", namespace: "shop"});'
YAML_V4 = "web:\n  type: kubernetes:helm.sh/v4:Chart\n  properties: {chart: ./web, namespace: shop}"
GROUP = 'k8s.yaml.v2.ConfigGroup("all", files=["k/*.yaml"])\n'
FILE = 'k8s.yaml.v2.ConfigFile("all", file="all.yaml")\n'
FILE_V1 = 'k8s.yaml.ConfigFile("all", file="all.yaml")\n'
GROUP_V1 = 'k8s.yaml.ConfigGroup("all", files=["all.yaml"])\n'
DIRECTORY = 'new k8s.kustomize.v2.Directory("all", {directory: "./base", namespace: "shop"});'


def config_map(name: str = "a", data: str = "{x: one}", metadata: str = "") -> str:
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}{metadata}}}\ndata: {data}\n"


def chart(
    *templates: str,
    values: str = "{}",
    name: str = "web",
    files: Mapping[str, Content] | None = None,
) -> dict[str, Content]:
    """A chart in a folder of its name; files are named by path below it."""
    return {
        f"{name}/Chart.yaml": f"apiVersion: v2\nname: {name.rpartition('/')[2]}\nversion: 1.0.0\n",
        f"{name}/values.yaml": values,
        **{
            f"{name}/templates/{n}.yaml": text for n, text in zip("abcdef", templates, strict=False)
        },
        **{f"{name}/{path}": content for path, content in (files or {}).items()},
    }


def archive(files: Mapping[str, Content]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as members:
        for path, content in files.items():
            data = content if isinstance(content, bytes) else str(content).encode()
            member = tarfile.TarInfo(path)
            member.size = len(data)
            members.addfile(member, io.BytesIO(data))
    return gzip.compress(packed.getvalue(), mtime=0)


def names(*expected: str) -> Any:
    return lambda objects: sorted(o["metadata"]["name"] for o in objects) == sorted(expected)


SECRET = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData:\n  password: %s\n"
RANDOM = SECRET % "{{ .Values.auth.password | default (randAlphaNum 12) | quote }}"
IF_ELSE = (
    "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData:\n"
    "{{- if .Values.password }}\n  password: {{ .Values.password | quote }}\n"
    "{{- else }}\n  password: {{ randAlphaNum 10 | quote }}\n{{- end }}\n"
)
BY_RELEASE = config_map("{{ .Release.Name }}")
ANOTHER = r"Secret 's' .*differs from render to render, in stringData\.password"
