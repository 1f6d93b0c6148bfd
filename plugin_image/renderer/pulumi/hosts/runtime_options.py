"""Reads `runtime.options` of Pulumi.yaml, of which none is passed over in silence."""

from collections.abc import Mapping
from typing import Any

from ...errors import ProjectError
from ..project import Project


def read(project: Project, known: Mapping[str, type]) -> Mapping[str, Any]:
    """The options of a project, each of the type that `known` has for its name.

    Raises ProjectError for another type, and for an option that is not known: the program may
    rely on what it does elsewhere.
    """
    where = f"`runtime.options` of {project.file}"
    for name, value in project.runtime_options.items():
        if name not in known:
            raise ProjectError(
                f"{where} has {name!r}, which programs in {project.runtime} do not have",
                fix=f"correct it to one of {', '.join(known)}, or remove it"
                if known
                else "remove it",
            )
        if type(value) is not known[name]:
            what = {bool: "true or false", str: "a string"}[known[name]]
            raise ProjectError(f"`{name}` in {where} is not {what}", fix="correct it")
    return project.runtime_options


def choice(project: Project, name: str, among: tuple[str, ...]) -> str:
    """The value of an option, of which there are only these; the first where it is not set."""
    value: str = project.runtime_options.get(name, among[0])
    if value not in among:
        raise ProjectError(
            f"`{name}` in `runtime.options` of {project.file} is {value!r}",
            fix=f"use one of {', '.join(among)}",
        )
    return value
