"""A Helm chart, with the dependencies that lie in its folder `charts/`."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from ... import charts, files, kubernetes_yaml
from ...errors import ManifestError, RefusedError, UsageError
from ...request import Request
from ..entries import Entry, entries_of
from ..options import DNS_NAME, Options
from . import program
from .folder import Folder

_HELM: Final = "helm.sh/helm/v3/cmd/helm"
"""What Helm's `main` is. Its functions are those that `charts` knows."""
_TEMPLATE: Final = re.compile(r"^---\n# Source: (.+)$", re.MULTILINE)
_LONGEST_RELEASE_NAME: Final = 53
_SCHEMA: Final = "values.schema.json"
_FILE_OR_SERVER: Final = re.compile(
    rb'"(?:\$ref|\$dynamicRef|\$recursiveRef)"\s*:\s*"(?!#)|"\$?(?:id|schema)"\s*:\s*"file:'
)
_SEPARATORS: Final = frozenset(",\"'")


def entries(request: Request, folder: Folder, options: Options, scratch: Path) -> list[Entry]:
    """The objects of the chart as `helm template` gives them, without those of its tests.

    Raises UsageError for a namespace or value file that is missing, ProgramError when helm
    fails, and ManifestError for what is not a Kubernetes object or is made up.
    """
    if not options.namespace:
        raise UsageError(
            "a chart is installed into a namespace, and none is named",
            fix="set the plugin parameter `namespace`",
        )
    folder.require_links_inside()
    _require_own_schemas(folder)

    def rendered(chart: Path | None = None) -> list[Entry]:
        output = program.output_of(
            _command(folder, options, chart),
            request=request,
            folder=folder,
            scratch=scratch,
            fix="correct the chart or its values; dependencies must lie in its folder charts/",
        )
        return _parsed(output)

    found = rendered()
    if request.seen:
        request.seen.hindrances.update(_hindrances(request, folder, options))
    if options.random != "allow":
        _require_same(found, rendered, folder, options, scratch)
    return found


def _hindrances(request: Request, folder: Folder, options: Options) -> Iterator[str]:
    """Why what helm makes of the chart cannot be kept."""
    from ... import go_built

    helm = go_built.program(Path(program.executable("helm", request)))
    if helm is None or helm.package != _HELM:
        yield "nobody knows what this helm looks at"
    if options.random == "allow":
        yield "charts may make something up"
    yield from charts.doubts(folder.path)


def _parsed(output: bytes) -> list[Entry]:
    # The text before the first mark is empty; then names and texts take turns.
    _, *parts = _TEMPLATE.split(output.decode())
    found = [
        entry
        for name, text in zip(parts[::2], parts[1::2], strict=True)
        for entry in entries_of(_documents(name, text), name, "correct the chart")
    ]
    repeated = charts.repeated_definitions([(entry.origin, entry.manifest) for entry in found])
    return [entry for number, entry in enumerate(found) if number not in repeated]


def _require_same(
    found: list[Entry],
    rendered: Callable[[Path | None], list[Entry]],
    folder: Folder,
    options: Options,
    scratch: Path,
) -> None:
    """Raise ManifestError for what differs each time, which would never be in sync."""
    values = [(folder.path / name).read_text(errors="replace") for name in options.value_files]
    uses = charts.uses(folder.path, values)
    for number in range(1, uses.renders):
        another_day = uses.clock and number == 1
        other = rendered(charts.as_of_another_day(folder.path, scratch) if another_day else None)
        different = charts.difference(
            [entry.manifest for entry in found], [entry.manifest for entry in other]
        )
        if different:
            position, path = different
            entry = [*found, *other[len(found) :]][position]
            raise ManifestError(
                f"{charts.named(entry.manifest, entry.origin, path)} differs from render "
                f"to render, in {path or 'whether it is there'}",
                fix=f"{uses.remedy(entry.origin)}, or set the plugin parameter `random` to allow",
            )


def _require_own_schemas(folder: Folder) -> None:
    """Raise RefusedError for a schema that refers to a file or server, which helm would read."""
    for parent, _, names in folder.walk(folder.path):
        path = Path(parent, _SCHEMA)
        if _SCHEMA in names and _refers(files.read(path, folder.repository)):
            raise RefusedError(
                f"{folder.relative(path)} refers to another file or server",
                fix="put what it refers to into its own `definitions`",
            )


def _refers(schema: bytes) -> bool:
    return _FILE_OR_SERVER.search(schema.replace(b"\\/", b"/")) is not None


def _command(folder: Folder, options: Options, chart: Path | None) -> list[str]:
    """The command, in which nothing that an Application gives can be taken for an option."""
    return [
        *("helm", "template", f"--namespace={options.namespace}", "--include-crds", "--skip-tests"),
        *([f"--kube-version={options.kube_version}"] if options.kube_version else ()),
        *(f"--api-versions={version}" for version in options.api_versions),
        *(f"--values={_values(folder, file)}" for file in options.value_files),
        *("--", _release_name(options), str(chart or ".")),
    ]


def _release_name(options: Options) -> str:
    """Source: helm.sh/helm/v3, pkg/chartutil/validate_name.go."""
    name = options.release_name
    if not DNS_NAME.fullmatch(name) or len(name) > _LONGEST_RELEASE_NAME:
        raise UsageError(
            f"the release would be called {name!r}, which none can be",
            fix="set the plugin parameter `releaseName`: lower case letters, digits, `-` and "
            f"`.`, at most {_LONGEST_RELEASE_NAME}",
        )
    return name


def _values(folder: Folder, name: str) -> str:
    """The file as helm takes it: a path that is not an address, in a list that commas separate."""
    if not name.isprintable() or _SEPARATORS.intersection(name):
        raise UsageError(
            f"`valueFiles` has {name!r}, which helm would read as several files",
            fix="name the file without commas and quotes",
        )
    # Never an absolute path or an address, and nothing that only its own spelling says.
    word = f"./{name}"
    path = folder.path / word
    folder.require_inside(path)
    if not files.exists(path, folder.repository):
        raise UsageError(
            f"`valueFiles` has {name!r}, which is not a file",
            fix="correct the path, which counts from the chart's folder",
        )
    return word


def _documents(name: str, text: str) -> list[object]:
    try:
        # Other people's charts have them, and who delivers one cannot correct it.
        return kubernetes_yaml.parse_all(text.encode(), repeated_keys=True)
    except ValueError as error:
        raise ManifestError(f"{name} cannot be read: {error}", fix="correct the chart") from error
