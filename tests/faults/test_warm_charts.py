"""A provider that is lent serves one render after another, and takes nothing along."""

import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from plugin_image.renderer import processes
from tests.faults.charts import V3, V4, chart
from tests.faults.harness import Content
from tests.faults.warm import COLD, wait_until
from tests.faults.warm_provider import ProviderContainer

FOO = "apiVersion: example.com/v1\nkind: Foo\nmetadata: {name: foo}\n"
CLUSTER_WIDE = """apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: foos.example.com}
spec:
  group: example.com
  names: {kind: Foo, plural: foos}
  scope: Cluster
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
"""
SEEN = """apiVersion: v1
kind: ConfigMap
metadata: {name: seen}
data:
  version: {{ .Capabilities.KubeVersion | quote }}
  has: {{ .Capabilities.APIVersions.Has "example.com/v1/Foo" | quote }}
  namespace: {{ .Release.Namespace }}
  found: {{ lookup "v1" "Secret" "" "" | toJson | quote }}
"""
CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
GROUP = 'k8s.yaml.v2.ConfigGroup("all", yaml=open("all.txt").read())\n'
TEAM = 'opts=pulumi.ResourceOptions(provider=k8s.Provider("team", namespace="team"))'
UPPER = "#!/bin/sh\nexec tr a-z A-Z\n"


class Shop(NamedTuple):
    """A program, and the destination that it is rendered for."""

    program: str
    files: dict[str, Content]
    env: dict[str, str] = {}  # noqa: RUF012 - nobody changes it
    is_lent: bool = True
    """Whether a provider is lent for it."""


SHOPS = {
    "a kind of the cluster": Shop(
        V4.format(""), chart(FOO, files={"crds/foo.yaml": CLUSTER_WIDE, "README.md": "x"})
    ),
    "the same kind without its definition": Shop(V4.format(""), chart(FOO)),
    "the same kind in YAML": Shop(GROUP, {"all.txt": FOO}),
    "what a chart sees": Shop(V3.format(""), chart(SEEN), {"KUBE_VERSION": "1.30.1"}),
    "what it sees elsewhere": Shop(
        V4.format(""),
        chart(SEEN),
        {"KUBE_VERSION": "1.33.0", "KUBE_API_VERSIONS": "v1,example.com/v1/Foo"},
    ),
    "a namespace of a provider": Shop(
        f'k8s.helm.v4.Chart("web", chart="./web", {TEAM})\n', chart(CONFIG_MAP)
    ),
    "no namespace": Shop('k8s.helm.v4.Chart("web", chart="./web")\n', chart(CONFIG_MAP)),
    "a chart that fails": Shop(V4.format(""), chart("{{ fail `not today` }}")),
    "a chart that is not there": Shop(V3.format(""), {}),
    "a command": Shop(
        V4.format(', post_renderer={"command": "./upper"}'),
        {**chart(CONFIG_MAP), "upper": UPPER},
        is_lent=False,
    ),
    "a file of values": Shop(
        V4.format(', value_yaml_files=[pulumi.FileAsset("v.yaml")]'),
        {**chart("data: {{ .Values.a }}\n" + CONFIG_MAP), "v.yaml": "a: {b: c}"},
        is_lent=False,
    ),
    "a setting of Helm": Shop(V4.format(""), chart(CONFIG_MAP), {"HELM_DEBUG": "1"}),
}


@pytest.fixture(scope="module")
def container(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ProviderContainer]:
    made = ProviderContainer(tmp_path_factory.mktemp("container"))
    made.env["RENDERER_PASS_ENV"] = "HELM_DEBUG"
    yield made
    made.kill()


def project(container: ProviderContainer, shop: Shop) -> Path:
    folder = container.project(shop.program, "")
    for name, content in shop.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(str(content))
        path.chmod(0o755)
    return folder


def until_lent(container: ProviderContainer) -> None:
    folder = project(container, SHOPS["no namespace"])
    wait_until(lambda: container.counted(folder)[1] == 0, lambda: str(container.providers()))


@pytest.mark.parametrize(
    "name", ["a kind of the cluster", "the same kind in YAML", "what a chart sees", "a command"]
)
def test_what_is_lent_is_started_for_no_render(container: ProviderContainer, name: str) -> None:
    shop = SHOPS[name]
    until_lent(container)
    folder = project(container, shop)
    cold, _ = container.counted(folder, **COLD, **shop.env)
    assert container.counted(folder, **shop.env) == (cold, 0 if shop.is_lent else 1)


@pytest.mark.parametrize(
    "rounds", [1, pytest.param(len(SHOPS) - 1, marks=pytest.mark.thorough)], ids=["some", "all"]
)
def test_nothing_of_a_render_reaches_the_next_whatever_these_are(
    container: ProviderContainer, rounds: int
) -> None:
    folders = {name: project(container, shop) for name, shop in SHOPS.items()}
    cold = {
        name: container.generate(folder, **COLD, **SHOPS[name].env)
        for name, folder in folders.items()
    }
    until_lent(container)
    # In all rounds together each comes after each other one.
    names = [*folders]
    for distance in range(1, rounds + 1):
        for first, second in zip(names, names[distance:] + names[:distance], strict=True):
            for name in (first, second):
                outcome = container.generate(folders[name], **SHOPS[name].env)
                assert outcome == cold[name], f"{first}, then {second}"


def test_one_that_is_killed_costs_no_wrong_output(container: ProviderContainer) -> None:
    folder = project(container, SHOPS["a kind of the cluster"])
    right = container.generate(folder, **COLD)
    chance = random.Random(19)
    for _ in range(4):
        until_lent(container)
        with container.start(folder) as process:
            time.sleep(chance.uniform(0, 0.4))
            processes.kill(container.providers())
            stdout, stderr = process.communicate(timeout=600)
        outcome: Any = (process.returncode, stdout, stderr)
        assert outcome == right or (outcome[:2] == (1, "") and "failed" in stderr), outcome
    assert container.generate(folder) == right


def test_one_outlives_no_server(container: ProviderContainer) -> None:
    until_lent(container)
    assert container.providers()
    kept = container.providers()
    container.kill()
    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in kept))
