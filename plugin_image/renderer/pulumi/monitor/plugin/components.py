"""What the Kubernetes provider makes of charts, YAML and kustomizations, with nothing lost.

The provider reads leniently (`contents`), and what it loses is never registered. So what it
reads is read here, too, and the number of objects is compared where they are registered.
"""

from __future__ import annotations

import copy
import os
import threading
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from .. import policy
from ..errors import MonitorError, Refusal
from ..run_context import RunOptions
from ..values import structs, wire
from . import argument_types, contents, self_contained
from .addresses import Addresses
from .downloads import Downloads
from .helm import Helm
from .plugins import Constructed, Fields, Released
from .process import KubernetesPlugin
from .releases import Releases
from .repositories import Repositories

if TYPE_CHECKING:
    from pulumi.runtime.proto.provider_pb2 import InvokeResponse
    from pulumi.runtime.proto.resource_pb2 import RegisterResourceRequest

    from .local_bases import LocalBases

_NOWHERE: Final = "objects-without-a-namespace"
"""A namespace that no object names."""

Inputs = Mapping[str, Any]


class Components:
    """The provider, with a look at what it reads. Thread-safe."""

    def __init__(self, plugin: KubernetesPlugin, options: RunOptions, downloads: Downloads) -> None:
        repositories = Repositories(plugin, downloads)
        self._plugin = plugin
        self._report = downloads.report
        self._addresses = Addresses(downloads)
        self._helm = Helm(plugin, options, repositories, downloads.report)
        self._releases = Releases(plugin, self._helm, repositories)
        self._downloads = downloads
        self._lock = threading.Lock()
        self._bases: LocalBases | None = None

    def invoke(self, function: str, arguments: Inputs) -> InvokeResponse:
        """What a function gives.

        Raises Refusal for YAML or a chart of which something would be lost or is made up, and
        what the plugin raises.
        """
        plain: Inputs = _plain(arguments)
        self._tell(plain, f"the function {function}")
        match function:
            case "kubernetes:helm:template":
                return self._helm.template(plain)
            case "kubernetes:yaml:decode":
                return self._decode(plain)
            case "kubernetes:kustomize:directory":
                return self._kustomized(function, plain)
        self._hinder(f"the function {function}")
        return self._plugin.invoke(function, plain)

    def construct(
        self, request: RegisterResourceRequest, fields: Fields, called: str
    ) -> Constructed:
        """Make a component, which messages name as `called`. Raises as `invoke`."""
        inputs: Inputs = _plain(structs.from_struct(request.object))
        argument_types.require(inputs, called)
        self._tell(inputs, called)
        match request.type.removeprefix("kubernetes:"):
            case "helm.sh/v4:Chart":
                return self._helm.construct(request, fields, inputs, called)
            case "yaml/v2:ConfigFile" | "yaml/v2:ConfigGroup":
                return self._yaml(request, fields, inputs, called)
            case "kustomize/v2:Directory":
                return self._directory(request, fields, inputs, called)
        self._hinder(called)
        return Constructed(self._plugin.construct(request, fields, called), None)

    def release(self, inputs: Inputs, called: str) -> Released:
        """What a Helm release with these plain inputs installs. Raises as `invoke`."""
        argument_types.require(inputs, called)
        self._tell(inputs, called)
        return self._releases.render(inputs, called)

    def learn(self, error: MonitorError) -> bool:
        """Whether the plugin has learned from a failed `construct`."""
        return self._plugin.learn(error)

    def close(self) -> None:
        """End the plugin."""
        self._plugin.close()

    def _yaml(
        self, request: RegisterResourceRequest, fields: Fields, inputs: Inputs, called: str
    ) -> Constructed:
        children = self._read(inputs, called)
        if children is None:
            self._hinder(called)
        # The same request comes again where the provider has to learn.
        asked = copy.deepcopy(request)
        with self._helm.scratch() as scratch:
            for name, value in self._addresses.copied(inputs, scratch, called).items():
                # Only these: the others keep their marks of secrets.
                asked.object.fields[name].Clear()
                structs.into_struct({name: value}, asked.object)
            placed = self_contained.group(inputs)
            made = self._plugin.construct(asked, fields, called, placed)
        # The provider takes a pattern that matches no file for none.
        note = "" if children != 0 else f"{called} makes no object: there is none in what it names"
        return Constructed(made, children, note)

    def _directory(
        self, request: RegisterResourceRequest, fields: Fields, inputs: Inputs, called: str
    ) -> Constructed:
        """A kustomization of version 2."""
        self._hinder(called)
        # The same request comes again where the provider has to learn.
        asked = copy.deepcopy(request)
        with (
            self._helm.scratch() as scratch,
            self._local_bases().local(inputs.get("directory"), called, scratch) as folder,
        ):
            placed = {"directory": folder} if folder else {}
            structs.into_struct(placed, asked.object)
            # kustomize itself refuses equal objects, but it knows no default namespace.
            unnamed = {**inputs, **placed, "namespace": _NOWHERE}
            children = self._plugin.rehearse(request.type, unnamed, called)
            return Constructed(self._plugin.construct(asked, fields, called), children)

    def _kustomized(self, function: str, arguments: Inputs) -> InvokeResponse:
        """The function by which version 1 asks for a kustomization's objects."""
        directory = arguments.get("directory")
        called = f"the kustomization {directory}"
        self._hinder(called)
        with (
            self._helm.scratch() as scratch,
            self._local_bases().local(directory, called, scratch, by_browser=True) as folder,
        ):
            placed = {"directory": folder} if folder else {}
            return self._plugin.invoke(function, {**arguments, **placed}, called)

    def _local_bases(self) -> LocalBases:
        # Imported here: few programs have kustomizations.
        from .git_trees import GitTrees
        from .local_bases import LocalBases

        with self._lock:
            if self._bases is None:
                here = self._plugin.environment
                trees = GitTrees(here.env, self._downloads)
                self._bases = LocalBases(trees, self._addresses, self._report, here.folder)
            return self._bases

    def _tell(self, inputs: Inputs, called: str) -> None:
        """Report what the provider reads because the inputs name it, and that commands may."""
        if inputs.get("postRenderer") or inputs.get("postrender"):
            self._hinder(called)
        for asset in _assets(inputs):
            path = asset.get("path")
            if isinstance(path, str):
                here = os.path.realpath(self._plugin.environment.folder / path)
                self._report({"seen": {"paths": [here]}})
            elif "text" not in asset:
                self._hinder(called)

    def _hinder(self, called: str) -> None:
        """Report that what the provider reads for it is not known."""
        self._report({"seen": {"hindrances": [f"nobody sees what {called} is made from"]}})

    def _read(self, inputs: Inputs, called: str) -> int | None:
        """How many objects the files and YAML strings have; None where not all are here."""
        folder = self._plugin.environment.folder
        if "file" in inputs:
            found = contents.of_files([inputs["file"]], folder, patterns=False)
        else:
            found = contents.of_files(inputs.get("files") or [], folder, patterns=True)
        text, given = f"the text of {called}", f"the objects of {called}"
        written = [
            *contents.objects(contents.documents(inputs.get("yaml") or "", text), text),
            *contents.objects(inputs.get("objs") or [], given),
        ]
        contents.require_distinct([*(found or ()), *written], called, self._plugin.namespace)
        return None if found is None else len(found) + len(written)

    def _decode(self, arguments: Inputs) -> InvokeResponse:
        """The function by which SDKs ask for YAML's objects; it leaves out what has no kind."""
        text, written = "a YAML text of the program", arguments.get("text") or ""
        if len(written) == 1:
            # In Python a text is a list of its characters.
            raise Refusal(f"{text} is a single character", "give a list of texts: yaml=[text]")
        documents = contents.documents(written, text)
        contents.objects(documents, text)
        answer = self._plugin.invoke("kubernetes:yaml:decode", arguments, is_self_contained=True)
        result = structs.from_struct(getattr(answer, "return")).get("result") or []
        if len(documents) != len(result):
            raise policy.refuse_lost(text, len(documents), len(result))
        return answer


def _assets(node: Any) -> Iterator[Mapping[str, Any]]:
    """The assets and archives in inputs, wherever they are."""
    if isinstance(node, dict):
        if wire.signature_of(node) in (wire.ASSET, wire.ARCHIVE):
            yield node
        for part in node.values():
            yield from _assets(part)
    elif isinstance(node, list):
        for part in node:
            yield from _assets(part)


def _plain(data: wire.Json) -> wire.Json:
    """Inputs without marks: the provider's functions take plain values, and so do we."""
    data = wire.reveal(data)
    if wire.signature_of(data):
        return data
    if isinstance(data, dict):
        return {key: _plain(value) for key, value in data.items()}
    if isinstance(data, list):
        return [_plain(value) for value in data]
    return data
