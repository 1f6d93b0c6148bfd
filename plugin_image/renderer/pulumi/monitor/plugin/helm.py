"""Charts: what Helm makes of them is read before a part is lost, and made again where it varies.

A post-renderer keeps the text that Helm makes. The component of version 4 takes one. The
function behind version 3 takes none, so its charts are also rendered as those of version 4,
which registers nothing; their hooks are not seen that way.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any, Final

from pulumi.runtime.proto import provider_pb2, resource_pb2

from .... import charts
from ....charts import Uses
from ..errors import MonitorError, Refusal
from ..recording import Report
from ..run_context import RunOptions
from ..values import structs, wire
from . import contents, repositories, self_contained
from .contents import Content
from .plugins import Constructed, Fields
from .process import KubernetesPlugin
from .repositories import Repositories

_TEMPLATE: Final = "kubernetes:helm:template"
_CHART: Final = "kubernetes:helm.sh/v4:Chart"

_INCLUDE_HOOKS: Final = "includeHooks"
"""An input of newer versions of the provider; this one would pass over it."""

_KEEP: Final = '"$@" > "$0" && cat "$0"'
_KEEP_ONLY: Final = '"$@" > "$0"'
"""What `sh` does as a post-renderer: `$0` is the file for the text, the rest makes the text."""

_OF_VALUES: Final = ("values", "valueYamlFiles")
_FETCH: Final = ("repo", "username", "password", "version", "devel")
"""How a chart of version 3 may be fetched as that of a release is."""

Inputs = Mapping[str, Any]
Render = Callable[[Path | None], Sequence[Content]]
"""Renders a chart once more, as it is or in another place."""


class Helm:
    """The charts of one provider."""

    def __init__(
        self,
        plugin: KubernetesPlugin,
        options: RunOptions,
        repositories: Repositories,
        report: Report,
    ) -> None:
        self._plugin = plugin
        self._report = report
        self._options = options
        self._repositories = repositories

    def construct(
        self,
        request: resource_pb2.RegisterResourceRequest,
        fields: Fields,
        inputs: Inputs,
        called: str,
    ) -> Constructed:
        """A chart of version 4, whose objects are registered.

        Raises Refusal where one is defined twice, cannot be read or is made up, for hooks that
        the provider does not make yet, and what the plugin raises.
        """
        if inputs.get(_INCLUDE_HOOKS):
            raise Refusal(
                f"{called} has {_INCLUDE_HOOKS}, which the provider of this image does not know",
                "use kubernetes.helm.v3.Release, whose hooks are rendered",
            )
        # As the provider calls the release; made again, the chart is another resource.
        inputs = {**inputs, "name": inputs.get("name") or request.name}
        with self.scratch() as scratch:
            of_release = _as_of_a_release(inputs)
            archive = of_release and self._repositories.archive(of_release, scratch, called)
            if archive:
                inputs = repositories.moved(inputs, archive)
                request = _with_archive(request, archive)
            else:
                self._repositories.tell(inputs, called)
            return self._constructed(request, fields, inputs, called, scratch / "text")

    def _constructed(
        self,
        request: resource_pb2.RegisterResourceRequest,
        fields: Fields,
        inputs: Inputs,
        called: str,
        kept: Path,
    ) -> Constructed:
        asked = resource_pb2.RegisterResourceRequest()
        asked.CopyFrom(request)
        # Only this one: the others keep their marks of secrets.
        asked.object.fields["postRenderer"].Clear()
        structs.into_struct(_keeping(inputs, kept, passes_on=True), asked.object)
        try:
            placed = self_contained.chart(inputs, self._folder)
            response = self._plugin.construct(asked, fields, called, placed)
        except MonitorError:
            _read(kept, called)  # reports better what is wrong with the text
            raise
        found = _read(kept, called)
        contents.require_distinct(found, called, inputs.get("namespace") or self._plugin.namespace)
        chart = self._downloaded(str(inputs.get("chart")))
        self.require_same(
            found,
            lambda place: self.made(repositories.moved(inputs, place), called),
            chart=chart,
            values=self._values(inputs),
            called=called,
        )
        return Constructed(response, len(found), _without_hooks(chart, called))

    def _values(self, inputs: Inputs) -> Inputs:
        """The inputs that have a chart's values, with the texts of files."""
        given = {name: inputs[name] for name in _OF_VALUES if inputs.get(name)}
        return {name: _with_texts(value, self._folder) for name, value in given.items()}

    def template(self, arguments: Inputs) -> provider_pb2.InvokeResponse:
        """The answer with the objects of a chart of version 3. Raises as `construct`."""
        options = json.loads(arguments["jsonOpts"])
        called = f"the chart of release {options.get('release_name')!r}"
        with self.scratch() as scratch:
            of_release = _fetched_as_of_a_release(options)
            archive = of_release and self._repositories.archive(of_release, scratch, called)
            if archive:
                options = _with_path(options, charts.unpacked(archive, scratch))
            else:
                chart = options.get("path") or options.get("chart")
                self._repositories.tell({"chart": chart}, called)
            return self._templated(options, called)

    def _templated(self, options: Inputs, called: str) -> provider_pb2.InvokeResponse:
        answer = self.invoked(options, called)
        chart = self._fetched(options)
        if chart and _can_be_of_version_4(chart, options):
            self._require_readable(_as_of_version_4(chart, options), called)
        self.require_same(
            _answered(answer),
            lambda place: _answered(self.invoked(_with_path(options, place), called)),
            chart=chart,
            values=options.get("values"),
            called=called,
        )
        return answer

    def invoked(self, options: Inputs, called: str) -> provider_pb2.InvokeResponse:
        """The answer with what Helm makes of a chart of version 3."""
        placed = self_contained.template(options, self._folder)
        return self._plugin.invoke(
            _TEMPLATE,
            {"jsonOpts": json.dumps(placed or options)},
            called,
            is_self_contained=placed is not None,
        )

    def _require_readable(self, inputs: Inputs, called: str) -> None:
        """Raise Refusal for what version 3 leaves out. What only fails in version 4 is let pass."""
        try:
            self.made(inputs, called)
        except Refusal:
            raise
        except MonitorError:
            return

    def made(self, inputs: Inputs, called: str) -> list[Content]:
        """What Helm makes of a chart of version 4, of which nothing is registered."""
        with self.scratch() as scratch:
            kept = scratch / "text"
            asked = {**inputs, **_keeping(inputs, kept, passes_on=False)}
            placed = self_contained.chart(inputs, self._folder)
            self._plugin.rehearse(_CHART, asked, called, placed)
            return _read(kept, called)

    def require_same(
        self,
        found: Sequence[Content],
        again: Render,
        *,
        chart: Path | None,
        values: wire.Json,
        called: str,
    ) -> None:
        """Raise Refusal for a chart that makes something up."""
        if self._options.allow_random:
            return
        uses = charts.uses(chart, _texts(values)) if chart else charts.UNSEEN
        if uses.renders == 1:
            return
        with self.scratch() as scratch:
            for number in range(1, uses.renders):
                if chart and uses.clock and number == 1:
                    other = again(charts.as_of_another_day(chart, scratch))
                else:
                    other = again(chart)
                different = charts.difference(_manifests(found), _manifests(other))
                if different:
                    position, path = different
                    raise _made_up([*found, *other[len(found) :]][position], path, uses, called)

    def _downloaded(self, chart: str) -> Path | None:
        """The files of a chart of version 4, which Helm keeps where it downloads them."""
        here = self._folder / chart
        if here.exists():
            return here
        name = PurePosixPath(chart).name.removesuffix(".tgz")
        cache = repositories.cache_of_helm(self._plugin.environment)
        return _only(cache.glob(f"{name}*.tgz"))

    def _fetched(self, options: Inputs) -> Path | None:
        """The files of a chart of version 3, which the provider leaves where it downloads them."""
        name = PurePosixPath(options.get("chart") or "").name
        if options.get("path"):
            return self._folder / str(options["path"]) / name
        return _only(Path(self._temporary() or "/nonexistent").glob(f"helm*/{name}/"))

    @property
    def _folder(self) -> Path:
        """The program's."""
        return self._plugin.environment.folder

    def _temporary(self) -> str | None:
        return self._plugin.environment.env.get("TMPDIR")

    @contextmanager
    def scratch(self) -> Iterator[Path]:
        """A folder for what may hold secrets."""
        with tempfile.TemporaryDirectory(dir=self._temporary()) as folder:
            yield Path(folder)


def _keeping(inputs: Inputs, kept: Path, *, passes_on: bool) -> Inputs:
    """The input that keeps a chart's text, as its own post-renderer made it; Helm may get none."""
    own = inputs.get("postRenderer")
    if own:
        script = _KEEP if passes_on else _KEEP_ONLY
        arguments = ["-c", script, str(kept), own["command"], *(own.get("args") or ())]
        return {"postRenderer": {"command": "sh", "args": arguments}}
    # A shell would start others, each of which takes a millisecond.
    if passes_on:
        return {"postRenderer": {"command": "tee", "args": [str(kept)]}}
    return {"postRenderer": {"command": "cp", "args": ["/dev/stdin", str(kept)]}}


def _with_texts(value: wire.Json, folder: Path) -> wire.Json:
    """A list with the text of each file among its assets, as far as there is one here."""
    if not isinstance(value, list):
        return value
    paths = [part.get("path") if isinstance(part, Mapping) else None for part in value]
    return [
        {wire.SIGNATURE: wire.ASSET, "text": (folder / path).read_text(errors="replace")}
        if isinstance(path, str) and (folder / path).is_file()
        else part
        for path, part in zip(paths, value, strict=True)
    ]


def _texts(value: wire.Json) -> Iterator[str]:
    """Yield the strings in values."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, Mapping)):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(part)


def _read(kept: Path, called: str) -> list[Content]:
    """The objects of a text that was kept, if Helm got that far."""
    if not kept.exists():
        return []
    return contents.of_chart(kept.read_text(encoding="utf-8", errors="replace"), called)


def _without_hooks(chart: Path | None, called: str) -> str:
    """What to say of a chart of version 4, of which the provider makes no hooks."""
    files = charts.hooks(chart) if chart else []
    return f"{called} leaves out the hooks of {', '.join(files)}" if files else ""


def _as_of_a_release(inputs: Inputs) -> Inputs | None:
    """The inputs of a release of the same chart; None for what says it in another way there."""
    options = inputs.get("repositoryOpts") or {}
    if not inputs.get("chart") or not all(isinstance(value, str) for value in options.values()):
        return None
    place = {"name": "chart", "namespace": "default"}
    return {**{key: value for key, value in inputs.items() if key in repositories.WHERE}, **place}


def _fetched_as_of_a_release(options: Inputs) -> Inputs | None:
    """The same for a chart of version 3."""
    fetch = {key: value for key, value in (options.get("fetch_opts") or {}).items() if value}
    if options.get("path") or options.get("repo") or not fetch.keys() <= {*_FETCH}:
        return None
    versions = {
        version for version in (options.get("version"), fetch.pop("version", "")) if version
    }
    if len(versions) > 1:
        return None
    of_chart = {"chart": options.get("chart"), "version": "".join(versions)}
    if fetch.pop("devel", False):
        of_chart["devel"] = True
    return _as_of_a_release({**of_chart, "repositoryOpts": fetch})


def _with_archive(
    request: resource_pb2.RegisterResourceRequest, archive: Path
) -> resource_pb2.RegisterResourceRequest:
    """The same component of version 4, whose chart is in an archive now."""
    asked = resource_pb2.RegisterResourceRequest()
    asked.CopyFrom(request)
    for name in repositories.OF_A_REPOSITORY:
        asked.object.fields.pop(name, None)
    structs.into_struct({"chart": str(archive)}, asked.object)
    return asked


def _with_path(options: Inputs, chart: Path | None) -> Inputs:
    """The options for the same chart of version 3, whose files are in a folder now."""
    return {**options, "path": str(chart), "chart": ""} if chart else options


def _as_of_version_4(chart: Path, options: Inputs) -> Inputs:
    return {
        "chart": str(chart),
        "name": options.get("release_name"),
        "namespace": options.get("namespace") or "default",
        "values": options.get("values") or {},
        "skipCrds": bool(options.get("skip_crd_rendering")),
    }


def _can_be_of_version_4(chart: Path, options: Inputs) -> bool:
    """Whether version 4 would render the same, and downloads no dependencies for it."""
    own = any(options.get(key) for key in ("kube_version", "api_versions"))
    locked = any((chart / name).exists() for name in ("Chart.lock", "requirements.lock"))
    return not own and not locked


def _answered(answer: provider_pb2.InvokeResponse) -> list[Content]:
    result = structs.from_struct(getattr(answer, "return")).get("result") or []
    return [Content("", manifest) for manifest in result]


def _manifests(found: Sequence[Content]) -> list[Mapping[str, Any]]:
    return [content.manifest for content in found]


def _only(paths: Iterable[Path]) -> Path | None:
    """The path, if there is one and no other."""
    found = [*paths]
    return found[0] if len(found) == 1 else None


def _made_up(content: Content, path: str, uses: Uses, called: str) -> Refusal:
    return Refusal(
        f"{charts.named(content.manifest, content.place, path)} of {called} differs from render "
        f"to render, in {path or 'whether it is there'}",
        f"{uses.remedy(content.place)}, or set the plugin parameter `random` to allow",
    )
