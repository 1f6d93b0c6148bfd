"""A kustomization, with the bases that lie in the repository."""

from pathlib import Path

from ... import kubernetes_yaml
from ...errors import ManifestError
from ...request import Request
from ..entries import Entry, entries_of
from . import kustomization, program
from .folder import Folder


def entries(request: Request, folder: Folder, scratch: Path) -> list[Entry]:
    """The objects that `kustomize build` gives.

    Raises RefusedError and UsageError for what lies elsewhere, ProgramError when it fails,
    and ManifestError for what is not a Kubernetes object.
    """
    folder.require_links_inside()
    kustomization.require_local(folder)
    if request.seen:
        # Bases lie elsewhere in the repository, and variables may come from its process.
        request.seen.hindrances.add("nobody sees what kustomize looks at")
    output = program.output_of(
        ["kustomize", "build", "."],
        request=request,
        folder=folder,
        scratch=scratch,
        fix="correct the kustomization; what it names must lie in the repository",
    )
    try:
        documents = kubernetes_yaml.parse_all(output)
    except ValueError as error:
        raise ManifestError(
            f"what kustomize built cannot be read: {error}", fix="correct the kustomization"
        ) from error
    return list(entries_of(documents, "kustomize build", "correct the kustomization"))
