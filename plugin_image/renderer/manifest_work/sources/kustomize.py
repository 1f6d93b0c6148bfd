"""A kustomization, with the bases that lie in the repository."""

from pathlib import Path

from plugin_image.renderer import kubernetes_yaml
from plugin_image.renderer.errors import ManifestError
from plugin_image.renderer.manifest_work.entries import Entry, entries_of
from plugin_image.renderer.manifest_work.sources import program
from plugin_image.renderer.manifest_work.sources.folder import Folder
from plugin_image.renderer.supervise import Deadline


def entries(folder: Folder, scratch: Path, deadline: Deadline) -> list[Entry]:
    """The objects that `kustomize build` gives.

    Raises ProgramError when it fails, as it does for what lies elsewhere, and ManifestError
    for what is no Kubernetes object.
    """
    folder.require_links_inside()
    output = program.output_of(
        ["kustomize", "build", "."],
        folder=folder,
        scratch=scratch,
        deadline=deadline,
        fix="correct the kustomization; what it names must lie in the repository",
    )
    try:
        documents = kubernetes_yaml.parse_all(output)
    except ValueError as error:
        raise ManifestError(
            f"what kustomize built cannot be read: {error}", fix="correct the kustomization"
        ) from error
    return list(entries_of(documents, "kustomize build"))
