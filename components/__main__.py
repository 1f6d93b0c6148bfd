"""Serves the components to programs in any language, as the Pulumi package `argocd-cmp`.

Pulumi runs the folder, `python components`; installed, it is `python -m argocd_cmp`. With a command
in place of Pulumi's address, it is for people:

    rights    print the rights in the cluster that an installation takes, as Roles (rights --help)
"""

import sys
from importlib import import_module
from pathlib import Path

_FOLDER = Path(__file__).resolve().parent


def _main(arguments: list[str]) -> int:
    if not arguments or arguments[0] in ("-h", "--help"):
        sys.stdout.write(__doc__)
        return 0 if arguments else 2
    if arguments[0] == "rights":
        command = import_module(f"{_FOLDER.name}.preflight.command")
        return int(command.main(arguments[1:], prog=_program()))
    served = import_module(_FOLDER.name)
    provider = import_module(f"{_FOLDER.name}.shared.provider")
    described = provider.DescribedProvider(
        served.COMPONENTS, served.NAME, served.VERSION, served.CHOICES
    )
    import_module("pulumi.provider").main(described, arguments)
    return 0


def _program() -> str:
    """Return the words by which people call this."""
    return "python components" if _FOLDER.name == "components" else f"python -m {_FOLDER.name}"


if __name__ == "__main__":
    # Replaced, not extended: with this folder itself first, our modules would hide those of the
    # standard library, and of others, that happen to have the same name.
    sys.path[0] = str(_FOLDER.parent)
    sys.exit(_main(sys.argv[1:]))
