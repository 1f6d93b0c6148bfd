"""Odd projects: files that are none, names and configuration that the Pulumi CLI would not take."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.faults import harness
from tests.faults.harness import CANARY, Content, Fault, javascript, python, yaml_program

_MAP = 'k8s.core.v1.ConfigMap("a", data={"key": "value"})\n'
_SHOWS = """
import json
config = pulumi.Config()
k8s.core.v1.ConfigMap("a", data={
    "stack": pulumi.get_stack(),
    "organization": pulumi.get_organization(),
    "value": config.get("value") or "none",
})
"""
_GO = {"Pulumi.yaml": "name: odd\nruntime: go\n", "main.go": "package main\n"}
_YAML = yaml_program("a:\n  type: kubernetes:core/v1:ConfigMap")


def folder(path: Path) -> None:
    """A folder in place of a file."""
    path.mkdir()


def link(target: str) -> Callable[[Path], None]:
    """A link in place of a file."""
    return lambda path: path.symlink_to(target)


def pulumi_yaml(more: str, runtime: str = "python") -> dict[str, Content]:
    """A Python program with more in its Pulumi.yaml."""
    return {**python(_SHOWS), "Pulumi.yaml": f"name: odd\nruntime: {runtime}\n{more}"}


def stack_file(content: Content, project: str = "") -> dict[str, Content]:
    """A Python program with this file of its stack."""
    return {**pulumi_yaml(project), "Pulumi.dev.yaml": content}


def has(**data: str) -> Callable[[list[dict[str, Any]]], bool]:
    """Whether there is one ConfigMap with at least this data."""
    return lambda objects: len(objects) == 1 and data.items() <= objects[0]["data"].items()


_PLACES: Mapping[str, Mapping[str, Content]] = {
    "Pulumi.yaml": python(_MAP),
    "Pulumi.dev.yaml": python(_MAP),
    "__main__.py": python(_MAP),
    "requirements.txt": python(_MAP),
    "uv.lock": python(_MAP),
    "poetry.lock": python(_MAP),
    "package.json": javascript("", node_modules=folder),
    "go.mod": _GO,
}
_NO_FILES: Mapping[str, tuple[Content, str]] = {
    "a folder": (folder, "is a folder"),
    "a named pipe": (os.mkfifo, "is a named pipe"),
    "a link to nothing": (link("nowhere"), "is a link that leads nowhere"),
    "a link out of the repository": (
        link("/etc/passwd"),
        "is a link that leads out of the repository",
    ),
}
NO_FILES = [
    Fault(f"{name} is {kind}", {**files, name: content}, refused=rf"^{name} {message}")
    for name, files in _PLACES.items()
    for kind, (content, message) in _NO_FILES.items()
]
PROGRAMS = [
    Fault(
        "main is a named pipe",
        {
            **python(_MAP),
            "Pulumi.yaml": "name: odd\nruntime: python\nmain: app.py\n",
            "app.py": os.mkfifo,
        },
        refused=r"^app\.py is a named pipe",
    ),
    Fault(
        "main leads out", pulumi_yaml("main: ../other\n"), refused="`main` of .* out of the project"
    ),
    Fault("main is absolute", pulumi_yaml("main: /etc/passwd\n"), refused="out of the project"),
    Fault(
        "main has a NUL", pulumi_yaml('main: "a\\0b"\n'), refused="`main` of .* cannot be followed"
    ),
    Fault(
        "main is a link to itself",
        {**pulumi_yaml("main: loop\n"), "loop": link("loop")},
        refused="`main` of Pulumi.yaml",
    ),
    Fault(
        "index.js is a named pipe",
        {
            "Pulumi.yaml": "name: odd\nruntime: nodejs\n",
            "index.js": os.mkfifo,
            "node_modules/@pulumi/pulumi/cmd/run/index.js": "",
        },
        refused=r"^index\.js is a named pipe",
    ),
    Fault(
        "a package of the program's own has the name of the renderer's",
        python(
            "import plugin_image\nfrom plugin_image.helpers import VALUE\n"
            'k8s.core.v1.ConfigMap("a", data={"value": VALUE, "other": plugin_image.OTHER})\n',
            **{
                "plugin_image/__init__.py": "OTHER = 'b'\n",
                "plugin_image/helpers.py": "VALUE = 'a'\n",
            },
        ),
        renders=has(value="a", other="b"),
    ),
    Fault(
        "an empty folder has the name of the renderer's package",
        python(_MAP, **{"plugin_image/README.md": "", "plugin_image.py": "raise ValueError\n"}),
        renders=has(key="value"),
    ),
    Fault(
        "two project files",
        {**_YAML, "Pulumi.json": "{}"},
        refused="both Pulumi.yaml and Pulumi.json",
    ),
    Fault(
        "a project in UTF-16",
        {**python(_MAP), "Pulumi.yaml": "name: odd\nruntime: python\n".encode("utf-16")},
        renders=has(key="value"),
    ),
    Fault(
        "a project in Latin-1",
        {**python(_MAP), "Pulumi.yaml": "name: odd\ndescription: größer\n".encode("latin-1")},
        refused=r"^Pulumi\.yaml is not a text file: line 2 is not UTF-8",
    ),
    Fault(
        "requirements in Latin-1",
        python(_MAP, **{"requirements.txt": "# größer\n".encode("latin-1")}),
        refused=r"^requirements\.txt is not a text file: line 1",
    ),
    Fault(
        "requirements in UTF-16 without a mark",
        python(_MAP, **{"requirements.txt": "pulumi\n".encode("utf-16-le")}),
        refused=r"^requirements\.txt is not a text file: line 1 holds a NUL",
    ),
    Fault(
        "requirements in UTF-16, as PowerShell writes them",
        python(_MAP, **{"requirements.txt": "./missing\r\n".encode("utf-16")}),
        refused="dependencies cannot be installed.*missing",
    ),
    Fault(
        "requirements by an absolute path",
        python(_MAP, **{"requirements.txt": "-r /etc/passwd\n"}),
        refused=r"^requirements\.txt names a file outside of the repository",
    ),
]
STACKS = (
    [
        Fault(
            f"the stack {name}",
            stack_file("config: {value: a}\n"),
            ["--stack", name],
            renders=has(stack="dev", organization=organization, value="a"),
        )
        for name, organization in (
            ("acme/dev", "acme"),
            ("organization/odd/dev", "organization"),
        )
    ]
    + [
        Fault(f"the stack {name!r}", stack_file(""), ["--stack", name], refused=message)
        for name, message in (
            ("x/../dev", "not a stack name"),
            ("../dev", "not a stack name"),
            ("dve", "stack 'dve' has no Pulumi.dve.yaml, and the folder has the stacks dev"),
            ("acme/other/dev", "of the project 'other'"),
            ("dev/", "not a stack name"),
            ("d\nev", "not a stack name"),
        )
    ]
    + [
        Fault(
            "a stack without a file where that is allowed",
            stack_file("config: {value: a}\n"),
            ["--stack", "test", "--allow-missing-stack-file"],
            renders=has(stack="test", value="none"),
        ),
        Fault(
            "a stack without a file where none has one", pulumi_yaml(""), renders=has(stack="dev")
        ),
        Fault(
            "an older spelling of stackConfigDir",
            {**pulumi_yaml("config: stacks\n"), "stacks/Pulumi.dev.yaml": "config: {value: a}\n"},
            renders=has(value="a"),
        ),
        Fault(
            "stackConfigDir leads out",
            pulumi_yaml("stackConfigDir: ../other\n"),
            refused="`stackConfigDir` of Pulumi.yaml leads out of the repository",
        ),
        Fault(
            "a stack's file in a format that Pulumi passes over",
            {**pulumi_yaml(""), "Pulumi.dev.yml": "config: {value: a}\n"},
            refused=r"^Pulumi\.dev\.yml is not what Pulumi reads",
        ),
    ]
)
_SEALED = "encryptionsalt: v1:/e/oio+rh74=:v1:RyD6WTc/BW2d8hvP:unlLZ0gI/GkTTzRY+UtGQ1In7tgluw==\n"
CONFIGURATION = [
    Fault(f"a stack's file with {what}", stack_file(content), refused=message)
    for what, content, message in (
        ("the same key twice", "config: {value: a, odd:value: b}\n", "'odd:value' twice"),
        ("a key of three parts", "config: {a:b:c: d}\n", "not a configuration key"),
        ("a number as a key", "config: {1: a}\n", "not a configuration key"),
        ("an alias of itself", "config: {value: &a [*a]}\n", r"^Pulumi\.dev\.yaml"),
        ("deep lists", f"config: {{value: {'[' * 5000}{']' * 5000}}}\n", r"^Pulumi\.dev\.yaml"),
        ("a date", "config: {value: 2020-01-01}\n", "the date 2020-01-01"),
        ("bytes", "config: {value: !!binary aGk=}\n", "a bytes"),
        ("an environment", "environment: [team]\n", "ESC environments.*remove `environment`"),
        (
            "wrong autonaming",
            "config: {pulumi:autonaming: {providers: [a]}}\n",
            "autonaming .* wrong",
        ),
        (
            "wrong naming",
            "config: {pulumi:autonaming: {providers: {kubernetes: a}}}\n",
            "autonaming",
        ),
        (
            "long names",
            "config: {pulumi:autonaming: {pattern: '${hex(99999999999)}'}}\n",
            "autonaming",
        ),
    )
] + [
    Fault(
        "a wrong salt and a passphrase",
        stack_file("encryptionsalt: 3\nconfig: {value: {secure: 'v1:a:b'}}\n"),
        env={"PULUMI_CONFIG_PASSPHRASE": "x"},
        refused="no usable `encryptionsalt`",
    ),
    Fault(
        "a value that no passphrase has encrypted",
        stack_file(_SEALED + "config: {value: {secure: 'v1:AAAA:AAAA'}}\n"),
        env={"PULUMI_CONFIG_PASSPHRASE": "x"},
        refused="cannot be decrypted",
    ),
    Fault(
        "a declared type",
        stack_file("config: {value: many}\n", "config: {value: {type: integer}}\n"),
        refused="'odd:value' of Pulumi.dev.yaml is not of the type integer",
    ),
    Fault(
        "a declared secret in plain",
        stack_file(
            f"config: {{value: {CANARY}}}\n", "config: {value: {type: string, secret: true}}\n"
        ),
        refused="is in plain text, and Pulumi.yaml declares it as secret",
    ),
    Fault(
        "a declared secret in plain, by the Application",
        pulumi_yaml("config: {value: {type: string, secret: true}}\n"),
        ["-c", f"value={CANARY}"],
        refused="is in plain text, and Pulumi.yaml declares it as secret",
    ),
    Fault(
        "an older spelling of a key",
        stack_file("config: {odd:config:value: a}\n"),
        renders=has(value="a"),
    ),
    Fault(
        "a key of the Application twice",
        pulumi_yaml(""),
        ["-c", "value=a", "-c", "odd:value=b"],
        refused="'odd:value' twice",
    ),
]
FAULTS = [*NO_FILES, *PROGRAMS, *STACKS, *CONFIGURATION]


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_an_odd_project_renders_as_it_is_meant_or_is_refused(fault: Fault, tmp_path: Path) -> None:
    harness.check(fault, tmp_path)
