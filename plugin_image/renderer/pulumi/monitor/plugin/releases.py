"""Helm releases: the chart that the provider finds, rendered as Helm would, with its hooks.

The provider is asked for the chart (`repositories`), and never to create the release. What Helm
makes of the chart then comes in two parts: the text that the chart of version 4 keeps, and the
hooks, which only the function behind version 3 gives. Source: pulumi-kubernetes
`provider/pkg/provider/invoke_helm_template.go`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .... import charts
from ... import hooks
from ..values import structs, wire
from . import contents, release_values, repositories
from .contents import Content
from .helm import Helm
from .plugins import Released
from .process import KubernetesPlugin
from .repositories import Repositories

_CRDS, _TEMPLATES = "/crds/", "/templates/"

Inputs = Mapping[str, Any]


class Releases:
    """The releases of one provider."""

    def __init__(self, plugin: KubernetesPlugin, helm: Helm, repositories: Repositories) -> None:
        self._plugin = plugin
        self._helm = helm
        self._repositories = repositories

    def render(self, inputs: Inputs, called: str) -> Released:
        """What a release with these inputs installs; name and namespace are among them.

        Raises Refusal for a chart that is not found or whose dependencies are not, and for one of
        which something would be lost or is made up; and what the plugin raises.
        """
        environment = self._plugin.environment
        temporary = environment.env.get("TMPDIR")
        values = release_values.of(
            inputs, environment.folder, called, temporary=Path(temporary) if temporary else None
        )
        with self._helm.scratch() as scratch:
            asked = {
                name: inputs[name] for name in repositories.WHERE if inputs.get(name) is not None
            }
            chart, version = self._repositories.find(asked, scratch, called)

            # Nothing is made up in a folder `crds`, which may hold megabytes.
            told_apart = not inputs.get("postrender")
            varying = {**inputs, "skipCrds": True} if told_apart else inputs
            found = self._made(inputs, values, chart, called)
            contents.require_distinct(found, called, str(inputs["namespace"]))
            self._helm.require_same(
                [c for c in found if not (told_apart and _is_as_it_lies(c))],
                lambda place: self._made(varying, values, place or chart, called),
                chart=chart,
                values=values,
                called=called,
            )
            return Released(
                contents=found,
                version=version,
                chart=charts.metadata(chart),
                lookups=charts.lookups(chart),
            )

    def _made(self, inputs: Inputs, values: Inputs, chart: Path, called: str) -> list[Content]:
        """What the chart makes with these values: its objects, then its hooks."""
        # As a text, because the provider drops nulls elsewhere.
        text = json.dumps(values, ensure_ascii=False)
        own = inputs.get("postrender")
        asked = {
            "chart": str(chart),
            "name": inputs["name"],
            "namespace": inputs["namespace"],
            "skipCrds": bool(inputs.get("skipCrds")),
            "valueYamlFiles": [{wire.SIGNATURE: wire.ASSET, "text": text}],
            **({"postRenderer": {"command": own}} if own else {}),
        }
        found = self._helm.made(asked, called)
        if inputs.get("disableWebhooks"):
            return found
        return [*found, *self._hooks(asked, values, called)]

    def _hooks(self, asked: Inputs, values: Inputs, called: str) -> Sequence[Content]:
        options = {
            "path": asked["chart"],
            "release_name": asked["name"],
            "namespace": asked["namespace"],
            "values": values,
            "skip_crd_rendering": True,
        }
        answer = self._helm.invoked(options, called)
        result = structs.from_struct(getattr(answer, "return")).get("result") or []
        return [Content("a hook", manifest) for manifest in result if hooks.of_helm(manifest)]


def _is_as_it_lies(content: Content) -> bool:
    """Whether Helm takes it out of a folder `crds` as it is."""
    return _CRDS in content.place.partition(_TEMPLATES)[0]
