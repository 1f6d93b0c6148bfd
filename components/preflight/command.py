"""`rights`: prints the Roles of an account that installs, or that previews only."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from ..shared.errors import InstallerError
from ..shared.rights import Right
from . import configuration, rights, roles

_DESCRIPTION: Final = """\
Prints the rights that an installation takes in the cluster, as Roles to apply: those that
`pulumi up` asks for, for `up` and `destroy` alike, and no others. No cluster is asked, nothing
is decrypted, and nobody has to be logged in.
"""
_EXAMPLES: Final = """\
examples:
  Let a ServiceAccount install what Pulumi.dev.yaml says:

    %(prog)s Pulumi.dev.yaml | kubectl apply -f -
    kubectl create rolebinding argocd-cmp-installer -n argocd \\
      --role=argocd-cmp-installer --serviceaccount=ci:deployer

  Let another one run `pulumi preview` only:

    %(prog)s Pulumi.dev.yaml --preview | kubectl apply -f -
    kubectl create rolebinding argocd-cmp-preview -n argocd \\
      --role=argocd-cmp-preview --serviceaccount=ci:reviewer

The first lines of what is printed have these commands for the namespaces that are concerned.
Applying a Role replaces the one of the same name: give each configuration its own by --name.
"""
_PREVIEW: Final = "argocd-cmp-preview"


def main(arguments: Sequence[str], *, prog: str) -> int:
    """Print the Roles; return the exit status: 2 for a configuration that would be refused."""
    parser = argparse.ArgumentParser(
        prog=f"{prog} rights",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "file",
        nargs="?",
        type=Path,
        metavar="FILE",
        help="the stack's configuration, Pulumi.<stack>.yaml beside its Pulumi.yaml; without it, "
        "the rights for a configuration that sets nothing but the image",
    )
    parser.add_argument(
        "--preview", action="store_true", help="the rights that `pulumi preview` takes"
    )
    parser.add_argument(
        "--name",
        metavar="NAME",
        help=f"name of the Roles (default: {roles.NAME}, with --preview {_PREVIEW})",
    )
    given = parser.parse_args(arguments)
    try:
        needed = _needed(given.file, preview=given.preview)
    except InstallerError as error:
        sys.stderr.write(f"error: {error}\n")
        return 2
    if needed:
        name = given.name or (_PREVIEW if given.preview else roles.NAME)
        sys.stdout.write(_manifest(needed, name))
    else:
        sys.stderr.write("It takes no rights in the cluster.\n")
    return 0


def _needed(file: Path | None, *, preview: bool) -> Sequence[Right]:
    given = configuration.of_file(file) if file else configuration.default()
    # Whoever asks for the rights has a cluster, even if the stack must not look it up.
    plugin = {key: value for key, value in given.plugin.items() if key != "check_deployment"}
    needed = rights.needed(
        plugin,
        [*given.applications.values()],
        given.health_checks,
        [*given.projects.values()],
    )
    return rights.previewed(plugin) if preview else needed


def _manifest(needed: Sequence[Right], name: str) -> str:
    lines = [
        "# To give them to an account (a ServiceAccount: --serviceaccount=<namespace>:<name>):",
        *(f"#   {command}" for command in roles.bindings(needed, name)),
        roles.manifest(needed, name),
    ]
    return "\n".join(lines)
