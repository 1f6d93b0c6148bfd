"""Whatever changes of what a kept result is made from, one gets what a render gives."""

import random
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from tests.faults.results import (
    NOT_KEPT_OF,
    Rendered,
    ResultsContainer,
    install_catalogue,
    warm_container,
)
from tests.faults.warm import IMPORTS, config_map
from tests.faults.warm_nodejs import config_map as config_map_of_nodejs

ROUNDS: Final = 30


@pytest.fixture(scope="module")
def container(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ResultsContainer]:
    with warm_container(tmp_path_factory.mktemp("c")) as made:
        install_catalogue(made)
        yield made


PROGRAM: Final = """
import json, pathlib
here = pathlib.Path(__file__).resolve().parent
try:
    from lib import settings
    settings = settings.NAME
except Exception as error:
    settings = type(error).__name__
value = json.dumps({
    "data": sorted(path.read_text() for path in here.glob("data/*.txt")),
    "text": (here / "text").read_text() if (here / "text").is_file() else None,
    "listed": sorted(os.listdir(here)),
    "flag": os.path.exists(here / "flag"),
    "mode": os.access(here / "tool", os.X_OK),
    "settings": settings,
    "config": pulumi.Config().get("key"),
    "variable": os.environ.get("ARGOCD_ENV_COLOUR"),
    "revision": os.environ.get("ARGOCD_APP_REVISION") if (here / "tells").exists() else None,
    "beside": (here.parent / "two" / "Pulumi.yaml").read_text() if (here / "looks").exists() else 0,
})
"""
PROGRAM_OF_MODULES: Final = """
import * as k8s from "@pulumi/kubernetes";
import { Config } from "@pulumi/pulumi/index.js";
import fs, { existsSync, readFileSync } from "node:fs";
import { readFile } from "fs/promises";
import * as path from "path";
const here = import.meta.dirname;
const read = (file) => (existsSync(file) ? readFileSync(file, "utf8") : null);
const isFile = (name) => fs.lstatSync(path.join(here, "data", name)).isFile();
const isTool = () => {
    try {
        fs.accessSync(new URL("tool", import.meta.url), fs.constants.X_OK);
        return true;
    } catch {
        return false;
    }
};
let settings = "none";
if (existsSync("lib/settings.js")) {
    settings = await import("./lib/settings.js").catch((error) => ({ NAME: error.name }));
}
const texts = fs.readdirSync("data").filter((name) => name.endsWith(".txt") && isFile(name));
const variables = existsSync("tells") ? ["ARGOCD_APP_REVISION"] : [];
const value = JSON.stringify({
    data: await Promise.all(texts.map((name) => readFile(path.join("data", name), "utf8"))),
    text: read("text"),
    listed: fs.readdirSync(here).sort(),
    flag: existsSync(path.join(here, "flag")),
    mode: isTool(),
    settings: settings.NAME,
    config: new Config().get("key"),
    variable: "ARGOCD_ENV_COLOUR" in process.env && process.env.ARGOCD_ENV_COLOUR,
    revision: variables.map((name) => process.env[name]),
    beside: existsSync("looks") && read(path.join(path.dirname(here), "two", "Pulumi.yaml")),
});
"""


class Subject(NamedTuple):
    """What is rendered, and what may become of it."""

    renderer: str
    files: Mapping[str, str]
    """Of the repository."""
    new: Sequence[str]
    """Files that may come and go, from the Application's folder."""
    targets: Sequence[str]
    """What a link may lead to that comes in place of the first of them."""
    rounds: int = ROUNDS


_APPLICATION: Final = {
    "apps/one/Pulumi.dev.yaml": "config: {one:key: value}\n",
    "apps/one/data/a.txt": "a",
    "apps/one/data/b.txt": "b",
    "apps/one/text": "text",
    "apps/one/tool": "",
    "apps/two/Pulumi.yaml": "name: two\nruntime: python\n",
}
KPTFILE: Final = (
    "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: %s}\npipeline: {mutators: [%s]}\n"
)
MAP: Final = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: %s\n  namespace: shop\n"
PACKAGES: Final = {
    "apps/one/Kptfile": KPTFILE % ("one", "{image: apply-setters:v0.2.0, configMap: {a: b}}"),
    "apps/one/below/Kptfile": KPTFILE
    % ("below", "{image: set-namespace:v0.4, configMap: {namespace: below}}"),
    "apps/one/below/map.yaml": MAP % "below",
    "apps/one/data/a.yaml": MAP % "a" + "data:\n  key: value # kpt-set: ${a}\n",
    "apps/one/text.yaml": MAP % "text",
    "apps/one/.krmignore": "ignored.yaml\n",
    "apps/one/ignored.yaml": MAP % "ignored",
    "apps/one/tool": "",
    "apps/two/map.yaml": MAP % "two",
}
WORK: Final = {
    "apps/one/data/a.yaml": MAP % "a" + "data:\n  key: value\n  other: other\n",
    "apps/one/data/b.json": '{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "b"}}',
    "apps/one/text.yaml": MAP % "text",
    "apps/one/.hidden": "hidden",
    "apps/one/README": "read",
    "apps/one/tool": "",
    "apps/two/map.yaml": MAP % "two",
}
PYTHON: Final = {
    **_APPLICATION,
    "apps/one/__main__.py": IMPORTS + PROGRAM + config_map("value"),
    "apps/one/Pulumi.yaml": "name: one\nruntime: python\n",
    "apps/one/lib/settings.py": "NAME = 'name'\n",
}
MODULES: Final = {
    **_APPLICATION,
    "apps/one/index.js": PROGRAM_OF_MODULES + config_map_of_nodejs("value"),
    "apps/one/Pulumi.yaml": "name: one\nruntime: nodejs\n",
    "apps/one/package.json": '{"type": "module", "main": "index.js"}',
    "apps/one/lib/settings.js": "export const NAME = 'name';\n",
}
OF_PROGRAMS: Final = ("text", "flag", "tells", "looks", "data/c.txt", "../new")
"""Files that may come and go."""
SUBJECTS: Final = {
    "a program": Subject(
        "pulumi",
        PYTHON,
        OF_PROGRAMS,
        ("lib/settings.py", "data/a.txt", "tool", "../two/Pulumi.yaml"),
    ),
    "ES modules": Subject(
        "pulumi",
        MODULES,
        OF_PROGRAMS,
        ("lib/settings.js", "data/a.txt", "tool", "../two/Pulumi.yaml"),
        rounds=2 * ROUNDS // 3,
    ),
    "a package": Subject(
        "kpt",
        PACKAGES,
        ("text.yaml", "README", "data/.krmignore", "below/deep/Kptfile", "../new.yaml"),
        ("ignored.yaml", "below/map.yaml", "tool", "../two/map.yaml"),
        rounds=ROUNDS // 2,
    ),
    "a work": Subject(
        "manifest-work",
        WORK,
        ("text.yaml", "LICENSE", "data/.a.yaml", "../new.yaml"),
        ("tool", "../two/map.yaml"),
    ),
}
ENTRIES: Final = ("__main__.py", "index.js")


class Inputs:
    """A repository, and what Argo CD says; something of it changes from render to render."""

    def __init__(self, place: Path, subject: Subject, seed: int) -> None:
        self.root = place
        self._subject = subject
        self.env = {"ARGOCD_APP_REVISION": "0"}
        self._random = random.Random(seed)
        self.make()

    def make(self) -> None:
        """Make the repository, or make it again."""
        shutil.rmtree(self.root, ignore_errors=True)
        (self.root / ".git").mkdir(parents=True)
        for name, text in self._subject.files.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text)

    @property
    def folder(self) -> Path:
        return self.root / "apps" / "one"

    def change(self) -> str:
        """Change one thing; says what."""
        changes: list[Callable[[], str]] = [self._a_byte, self._a_byte, self._a_file, self._a_mode]
        changes += [self._a_name, self._a_link, self._a_variable, self._the_place, self._a_folder]
        return self._random.choice(changes)()

    def _file(self) -> Path:
        found = (p for p in sorted(self.root.rglob("*")) if p.is_file() and not p.is_symlink())
        return self._random.choice([p for p in found if p.name not in (*ENTRIES, "moved")])

    def _a_byte(self) -> str:
        file = self._file()
        content = bytearray(file.read_bytes() or b" ")
        content[self._random.randrange(len(content))] = self._random.choice(b"ab c:\n'")
        file.write_bytes(bytes(content))
        return f"a byte of {file}"

    def _a_file(self) -> str:
        file = self.folder / self._random.choice(self._subject.new)
        if file.is_file():
            file.unlink()
            return f"{file} is gone"
        file.parent.mkdir(exist_ok=True)
        file.write_text(MAP % "new" if file.suffix == ".yaml" else "new")
        return f"{file} is new"

    def _a_mode(self) -> str:
        file = self.folder / "tool"
        file.touch()
        file.chmod(file.stat().st_mode ^ 0o111)
        return f"{file} can be run, or no longer"

    def _a_name(self) -> str:
        file = self._file()
        file.rename(file.with_name(f"{file.name[:8]}.txt"))
        return f"{file} has another name"

    def _a_link(self) -> str:
        link = self.folder / self._subject.new[0]
        link.unlink(missing_ok=True)
        link.symlink_to(self._random.choice(self._subject.targets))
        return f"{link} leads to {link.readlink()}"

    def _a_variable(self) -> str:
        names = ("ARGOCD_ENV_COLOUR", "ARGOCD_APP_REVISION", "ARGOCD_APP_NAME", "OLDPWD")
        name = self._random.choice(names)
        self.env[name] = str(self._random.random())
        return f"{name} is {self.env[name]}"

    def _the_place(self) -> str:
        copy = self.root.with_name(f"{self.root.name[:20]}-{self._random.randrange(10**9)}")
        shutil.copytree(self.root, copy, symlinks=True)
        self.root = copy
        return f"it is in {copy}"

    def _a_folder(self) -> str:
        folder = self.folder / "folder"
        if folder.exists():
            folder.rmdir()
        else:
            folder.mkdir()
        return f"{folder} is there, or no longer"


@pytest.mark.parametrize(
    ("name", "seed"),
    [("a program", 0), ("a program", 1), ("ES modules", 0), ("a package", 0), ("a work", 0)],
)
def test_whatever_changes_a_kept_result_is_what_a_render_gives(
    container: ResultsContainer, tmp_path: Path, name: str, seed: int
) -> None:
    subject = SUBJECTS[name]
    inputs, made = Inputs(tmp_path / "repository", subject, seed), []

    def rendered(**env: str) -> Rendered:
        return container.rendered(inputs.folder, subject.renderer, **inputs.env, **env)

    for _ in range(subject.rounds):
        changed = inputs.change()
        found, again = rendered(), rendered()
        right = rendered(**NOT_KEPT_OF[subject.renderer])
        assert found[1:3] == again[1:3] == right[1:3], f"{changed}: {found} is not {right}"
        made += [again.path]
        if right.status:
            inputs.make()
    assert made.count("kept") > subject.rounds // 3, "hardly a result was ever used"
