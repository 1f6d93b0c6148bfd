"""Adds exported plugins to what an ArgoCD, or the values of a chart, have already.

For the form operator, what is printed is a patch of the ArgoCD:

    kubectl get argocd NAME -n NAMESPACE -o json |
      python -m components.export.merge FOLDER > patch.yaml
    kubectl patch argocd NAME -n NAMESPACE --type merge --patch-file patch.yaml

For the form argo-helm, values to pass after all others:

    helm get values RELEASE -n NAMESPACE -o json |
      python -m components.export.merge FOLDER > merged.yaml
    helm upgrade RELEASE argo/argo-cd -n NAMESPACE --version VERSION \\
      --reuse-values --values merged.yaml

FOLDER is what components.export.files has written. The input may also be the manifest, or the file
of values, in a Git repository. The result has all that others have in the lists of containers,
volumes and objects, in the same order, and the plugins as exported; with --remove, without them.
"""

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from ..shared import yaml_text
from ..shared.errors import InstallerError
from . import forms, merging
from .merging import ARGO_HELM, OPERATOR, Form


def main(arguments: list[str], text: str) -> int:
    """Print the result; return the exit status: 2 for an input that is not what it should be."""
    parser = argparse.ArgumentParser(
        prog=f"python -m {__package__}.merge",
        description=(__doc__ or "").replace("components.export", str(__package__)),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="the exported files")
    parser.add_argument("--remove", action="store_true", help="take the plugins out again")
    given = parser.parse_args(arguments)
    try:
        form = _form(given.folder)
        exported = yaml.safe_load((given.folder / form.file).read_text())
        result = merging.merged(form, _theirs(form, text), exported, remove=given.remove)
    except InstallerError as error:
        sys.stderr.write(f"error: {error}\n")
        return 2
    sys.stdout.write(yaml_text.dump(result))
    return 0


def _form(folder: Path) -> Form:
    for form in (OPERATOR, ARGO_HELM):
        if (folder / form.file).is_file():
            return form
    if (folder / forms.KUSTOMIZE_FILE).is_file():
        problem = f"{folder} is a kustomize Component, which adds to what is there by itself"
        raise InstallerError(f"{problem}. Fix: name it under components: of a kustomization")
    problem = f"{folder} has neither {OPERATOR.file} nor {ARGO_HELM.file}"
    raise InstallerError(f"{problem}. Fix: write the exported files there first")


def _theirs(form: Form, text: str) -> Mapping[str, Any]:
    document = _parsed(text)
    if form is OPERATOR:
        wanted, fits = "one ArgoCD", _kind(document) == "ArgoCD"
    else:
        wanted, fits = "values of a chart", isinstance(document, Mapping) and not _kind(document)
    if not fits:
        raise InstallerError(
            f"the input is not {wanted}, which the exported files are for. Fix: look at what the "
            "command before this one prints; --help has that command"
        )
    return dict(document)


def _parsed(text: str) -> Any:
    """Return the only document, or None where there is none. Of a release without values: {}."""
    if text.strip() == "null":
        return {}
    try:
        return json.loads(text)
    except ValueError:
        pass
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError:
        return None


def _kind(document: Any) -> Any:
    return document.get("kind") if isinstance(document, Mapping) else None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], "" if sys.stdin.isatty() else sys.stdin.read()))
