"""Lets Gradle compile a Java program, and tell what `gradle run` would start.

Source: pulumi/pulumi-java `pkg/internal/executors/executor_gradle.go`.
"""

import json
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from ... import files
from ...errors import ProjectError
from ..project import Project
from .java_build import Build
from .java_launch import Launch

MARKERS: Sequence[str] = (
    "settings.gradle",
    "settings.gradle.kts",
    "build.gradle",
    "build.gradle.kts",
)
OUTPUTS = frozenset({".gradle", "build"})
TOOL = "gradle"
WRAPPER = "gradlew"

_OF_ROOTS: Final = MARKERS[:2]
_TASK: Final = "rendererLaunch"
_WRONG: Final = re.compile(r"^\* What went wrong:\n((?:.+\n)+)", re.MULTILINE)
_SCRIPT: Final = Path(__file__).with_name("java_launch.gradle")


def base(project: Project, folder: Path) -> Path:
    """The nearest folder upwards with settings, or the folder itself where none has any."""
    above = files.upwards(folder, project.repository)
    has_settings = (f for f in above if any(files.exists(f / name) for name in _OF_ROOTS))
    return next(has_settings, folder)


def related(_project: Project, _folder: Path) -> list[Path]:
    """None: all projects of a build are below its settings."""
    return []


def launch(build: Build, subproject: str) -> Launch:
    """See `Builder`."""
    installer = build.installer
    home = installer.cache.downloads("gradle")
    told = installer.scratch / "launch.json"
    told.unlink(missing_ok=True)
    parts = Path(subproject).parts
    # Without a path it is that of any project, as `gradle run` has it.
    task = ":".join(["", *parts, _TASK]) if parts else _TASK
    arguments: list[str | Path] = [
        *("--no-daemon", "--console=plain", "--quiet", "--init-script", _SCRIPT),
        # The script looks at tasks that others would not see by then.
        "-Dorg.gradle.configuration-cache=false",
        f"-D{_TASK}={told}",
        task,
    ]
    env = {"GRADLE_USER_HOME": str(home), "GRADLE_OPTS": build.options("GRADLE_OPTS")}
    build.run(arguments, env, home, _reason)
    found = json.loads(told.read_text())
    if not found["main"]:
        raise ProjectError(
            "build.gradle does not say which class to run",
            fix="name it: `application { mainClass = 'guestbook.App' }`",
        )
    folder = os.path.relpath(found.pop("folder"), build.folder.resolve() / subproject)
    return Launch(**found, folder=folder)


def _reason(output: str) -> str:
    """What went wrong, by its first cause, and the cause of that, if it is told."""
    told = _WRONG.search(output)
    lines = told[1].splitlines() if told else []
    causes = [line for line in lines if line.lstrip().startswith("> ")] or lines[:1]
    below = [line for line in causes[1:] if line.startswith(" ")]
    return ": ".join(line.lstrip(" >").rstrip(".") for line in [*causes[:1], *below[-1:]])
