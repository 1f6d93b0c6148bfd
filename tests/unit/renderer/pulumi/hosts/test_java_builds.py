"""A Java program is built once for each state of its files, and run as its tool would run it."""

import json
import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from plugin_image.renderer.cache import Cache
from plugin_image.renderer.errors import DependencyError, ProgramError, ProjectError
from plugin_image.renderer.pulumi.hosts import java, java_launch
from plugin_image.renderer.pulumi.hosts.java_launch import Launch
from plugin_image.renderer.pulumi.installer import Installer
from plugin_image.renderer.pulumi.project import load_project
from plugin_image.renderer.supervise import Deadline

_JAVAC = '#!/bin/sh\nmkdir -p "$2"\n> "$2/RendererEnd.class"\n'
_TOOL = """\
#!/bin/sh
cd "$(dirname "$0")/.."
echo "$0 $*" >> calls
(cd "$OLDPWD" && find . -type f) > files
test -e said && cat said && exit 1
for argument; do
  case $argument in
    -Dmdep.outputFile=*) printf %s "$PWD/lib.jar" > "${argument#*=}";;
    -Doutput=*) cp answer "${argument#*=}";;
    -DrendererLaunch=*) cp answer "${argument#*=}";;
  esac
done
"""
_POM = """\
<project xmlns="http://maven.apache.org/POM/4.0.0">{}
  <build>
    <outputDirectory>{}</outputDirectory>
    <plugins><plugin><artifactId>exec-maven-plugin</artifactId>{}</plugin></plugins>
  </build>
</project>
"""
_MAIN = "<configuration><mainClass>shop.App</mainClass></configuration>"


class Machine:
    """A JDK, Maven and Gradle that do nothing but what they are told, and a repository."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.repository = folder, folder / "repository"
        self.path = ["/usr/bin", "/bin"]
        self.program = self.repository / "program"
        for path in (self.program, self.repository / ".git", folder / "classes" / "shop"):
            path.mkdir(parents=True)
        (folder / "classes" / "shop" / "App.class").write_text("")
        (folder / "lib.jar").write_text("a library")
        self.has("bin/javac", _JAVAC)
        self.write({"Pulumi.yaml": "name: shop\nruntime: java\n"})

    def has(self, name: str, script: str = _TOOL) -> None:
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(script)
        path.chmod(0o755)

    def write(self, texts: Mapping[str, str], where: str = "program") -> None:
        for name, text in texts.items():
            path = self.repository / where / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def maven(self, configuration: str = _MAIN, properties: str = "") -> Launch:
        """What is run of a program of Maven, with that in what Maven says of its pom.xml."""
        self.has("bin/mvn")
        pom = _POM.format(properties, self.folder / "classes", configuration)
        (self.folder / "answer").write_text(pom)
        self.write({"pom.xml": "<project/>"} if not (self.program / "pom.xml").exists() else {})
        return self.launch()

    def launch(self, folder: str = "program") -> Launch:
        scratch = self.folder / "scratch"
        # Each render has one of its own.
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir()
        cache = Cache(self.folder / "cache", scratch, Deadline(600), most_bytes=1_000_000)
        env = {"PATH": os.pathsep.join([str(self.folder / "bin"), *self.path])}
        installer = Installer(cache, env, scratch, cache.deadline)
        installed = java.install(load_project(self.repository / folder), installer)
        return java_launch.kept(installed.path)

    @property
    def builds(self) -> list[str]:
        calls = self.folder / "calls"
        return calls.read_text().splitlines() if calls.exists() else []

    @property
    def files(self) -> set[str]:
        """Those that the tool has found where it was run."""
        return {name.removeprefix("./") for name in (self.folder / "files").read_text().split()}


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_what_maven_has_made_is_kept_apart_from_what_maven_keeps(machine: Machine) -> None:
    launch = machine.maven()
    (machine.folder / "lib.jar").unlink()
    assert [Path(path).name for path in launch.classpath] == ["000-classes", "001-lib.jar"]
    assert Path(launch.classpath[1]).read_text() == "a library"
    assert launch.has("shop.App")
    assert not launch.has("com.pulumi.Pulumi")


@pytest.mark.parametrize(
    ("configuration", "properties", "launch"),
    [
        (_MAIN, "", Launch("shop.App")),
        ("", "<properties><exec.mainClass>a.B</exec.mainClass></properties>", Launch("a.B")),
        (_MAIN.replace("shop.App", "module/shop.App"), "", Launch("shop.App")),
        (
            "<configuration><mainClass>a.B</mainClass>"
            "<commandlineArgs>a 'b c'</commandlineArgs></configuration>",
            "",
            Launch("a.B", arguments=["a", "b c"]),
        ),
        (
            "<configuration><mainClass>a.B</mainClass>"
            "<arguments><argument>a b</argument><argument/></arguments></configuration>",
            "",
            Launch("a.B", arguments=["a b", ""]),
        ),
        (
            "<configuration><mainClass>a.B</mainClass><systemProperties><systemProperty>"
            "<key>k</key><value>v</value></systemProperty></systemProperties></configuration>",
            "",
            Launch("a.B", options=["-Dk=v"]),
        ),
        (
            f"{_MAIN}<executions><execution><id>default-cli</id><configuration>"
            "<mainClass>a.B</mainClass></configuration></execution></executions>",
            "",
            Launch("a.B"),
        ),
        (
            f"{_MAIN}<executions><execution><id>generate</id><configuration>"
            "<mainClass>a.B</mainClass></configuration></execution></executions>",
            "",
            Launch("shop.App"),
        ),
    ],
)
def test_a_program_is_run_as_mavens_plugin_is_configured(
    configuration: str, properties: str, launch: Launch, machine: Machine
) -> None:
    found = machine.maven(configuration, properties)
    assert (found.main, found.arguments, found.options) == (
        launch.main,
        list(launch.arguments),
        list(launch.options),
    )


@pytest.mark.parametrize(
    ("configuration", "refused"),
    [
        ("", "does not say which class to run"),
        ("<configuration><classpathScope>test</classpathScope></configuration>", "classpathScope"),
    ],
)
def test_what_nobody_could_run_alike_is_refused(
    configuration: str, refused: str, machine: Machine
) -> None:
    with pytest.raises(ProjectError, match=refused):
        machine.maven(configuration)


@pytest.mark.parametrize(
    "changed",
    ["src/main/java/shop/App.java", "pom.xml", "src/main/resources/Pulumi.yaml", "src/target/a"],
)
def test_a_changed_file_builds_again(changed: str, machine: Machine) -> None:
    machine.write({changed: "<project/>"})
    machine.maven()
    machine.write({changed: "<project></project>"})
    machine.maven()
    assert len(machine.builds) == 2


@pytest.mark.parametrize("changed", ["Pulumi.dev.yaml", "PulumiNames.dev.yaml", "target/a"])
def test_what_decides_about_no_class_builds_nothing(changed: str, machine: Machine) -> None:
    machine.maven()
    machine.write({changed: "config: {}"})
    machine.maven()
    assert len(machine.builds) == 1
    assert machine.files == {"pom.xml"}


def test_parents_of_a_pom_and_settings_of_maven_are_there_and_count(machine: Machine) -> None:
    parent = "<project xmlns='http://maven.apache.org/POM/4.0.0'/>"
    pom = parent.replace("/>", "><parent>{}</parent></project>")
    machine.write({"pom.xml": pom.format(""), "other/pom.xml": ""}, where="")
    machine.write({"pom.xml": pom.format("<relativePath>../base</relativePath>")})
    machine.write({"base/pom.xml": parent, ".mvn/jvm.config": "-Xmx1g\n# b\n-Dc=d"}, where="")
    assert machine.maven().options == ["-Xmx1g", "-Dc=d"]
    copied = machine.folder / "scratch" / "java"
    found = {str(p.relative_to(copied)) for p in copied.rglob("*") if p.is_file()}
    assert found == {"program/pom.xml", "base/pom.xml", ".mvn/jvm.config"}
    machine.write({".mvn/jvm.config": "-Xmx2g"}, where="")
    machine.maven()
    assert len(machine.builds) == 2


def test_a_wrapper_is_taken_though_nothing_keeps_it_executable(machine: Machine) -> None:
    machine.write({"mvnw": _TOOL.replace('"$(dirname "$0")/.."', str(machine.folder))})
    machine.maven()
    assert [re.match(r"\S*/mvnw ", call) is not None for call in machine.builds] == [True]


def _told_by_gradle(machine: Machine, folder: str) -> None:
    """Have Gradle tell of a program that it would run in a folder of the build."""
    machine.has("bin/gradle")
    where = machine.folder / "scratch" / "java" / folder
    told = {"main": "shop.App", "classpath": [], "arguments": ["a"], "options": ["-Xmx1g"]}
    (machine.folder / "answer").write_text(json.dumps({**told, "folder": str(where)}))


def test_gradle_builds_a_part_of_the_nearest_build_with_settings(machine: Machine) -> None:
    machine.write({"settings.gradle": "", "lib/src/build/Lib.java": "", "lib/build/x": ""}, "")
    machine.write({"build.gradle": ""})
    _told_by_gradle(machine, "program")
    assert machine.launch() == Launch("shop.App", [], ["a"], ["-Xmx1g"], ".")
    assert machine.builds[0].endswith(" :program:rendererLaunch")
    assert {"settings.gradle", "lib/src/build/Lib.java", "program/build.gradle"} <= machine.files
    assert "lib/build/x" not in machine.files


def test_gradle_finds_the_program_in_a_build_of_which_it_is_a_part(machine: Machine) -> None:
    machine.write({"settings.gradle": "", "app/build.gradle": ""})
    _told_by_gradle(machine, "app")
    assert machine.launch().folder == "app"
    assert machine.builds[0].endswith(" rendererLaunch")


@pytest.mark.parametrize("name", ["pom.xml", "build.gradle"])
def test_what_is_missing_is_told_with_the_variant_that_has_it(name: str, machine: Machine) -> None:
    machine.write({name: "<project/>"})
    machine.path = []
    with pytest.raises(DependencyError, match=r"is not installed\. .* variant `java`"):
        machine.launch()


def test_a_program_of_no_tool_is_refused(machine: Machine) -> None:
    with pytest.raises(ProjectError, match=r"neither a pom.xml nor a build.gradle"):
        machine.launch()


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "[INFO] Building\n[ERROR] COMPILATION ERROR : \n"
            "[ERROR] {copy}/src/main/java/shop/App.java:[7,12] cannot find symbol\n"
            "  symbol:   class Shop\n  location: class shop.App\n",
            "src/main/java/shop/App.java:7: cannot find symbol (class Shop)",
        ),
        (
            "{copy}/src/main/java/shop/App.java:22: error: cannot find symbol\n"
            "    new Shop()\n        ^\n  symbol:   class Shop\n",
            "src/main/java/shop/App.java:22: cannot find symbol (class Shop)",
        ),
        (
            "e: file://{copy}/src/main/kotlin/App.kt:3:5 Unresolved reference: shop\n",
            "src/main/kotlin/App.kt:3: Unresolved reference: shop",
        ),
    ],
)
def test_a_mistake_in_the_source_is_told_with_its_place(
    said: str, told: str, machine: Machine
) -> None:
    copy = machine.folder / "scratch" / "java"
    (machine.folder / "said").write_text(said.format(copy=copy))
    with pytest.raises(
        ProgramError, match=f"^{re.escape(f'the program does not compile: {told}')}"
    ):
        machine.maven()


_CENTRAL = "central (https://maven.example.com/maven2)"


@pytest.mark.parametrize(
    ("tool", "said", "told"),
    [
        (
            "mvn",
            "[WARNING] The POM is missing\n[ERROR] Failed to execute goal on project shop: "
            "Could not resolve dependencies for project com.example:shop:jar:1.0: "
            f"Could not find artifact com.pulumi:kubernetes:jar:9 in {_CENTRAL} -> [Help 1]\n"
            "[ERROR] \n",
            f"Could not find artifact com.pulumi:kubernetes:jar:9 in {_CENTRAL}",
        ),
        (
            "mvn",
            "[ERROR] [ERROR] Some problems were encountered while processing the POMs:\n"
            "[ERROR] 'dependencies.dependency.version' for a:b:jar is missing. @ line 15\n",
            "'dependencies.dependency.version' for a:b:jar is missing. @ line 15",
        ),
        (
            "gradle",
            "\nFAILURE: Build failed with an exception.\n\n* What went wrong:\n"
            "Could not resolve all files for configuration ':compileClasspath'.\n"
            "> Could not resolve com.pulumi:pulumi:9.\n  Required by:\n      project :\n"
            "   > Could not get resource 'https://maven.example.com/pulumi.pom'.\n\n* Try:\n",
            "Could not resolve com.pulumi:pulumi:9: Could not get resource "
            "'https://maven.example.com/pulumi.pom'",
        ),
        (
            "gradle",
            'Exception in thread "main" java.net.UnknownHostException: services.example.com\n'
            "\tat java.base/sun.nio.ch.NioSocketImpl.connect(NioSocketImpl.java:572)\n",
            "java.net.UnknownHostException: services.example.com",
        ),
        ("gradle", "Killed\n", "it gave no reason"),
    ],
)
def test_why_a_tool_fails_is_told(tool: str, said: str, told: str, machine: Machine) -> None:
    (machine.folder / "said").write_text(said)
    machine.has(f"bin/{tool}")
    machine.write({"pom.xml" if tool == "mvn" else "build.gradle": "<project/>"})
    with pytest.raises(DependencyError) as refused:
        machine.launch()
    assert refused.value.summary == f"the program cannot be built: {told}"


def test_maven_looks_again_for_what_was_not_there(machine: Machine) -> None:
    noted = machine.folder / "cache" / "tools" / "maven" / "com" / "a.pom.lastUpdated"
    noted.parent.mkdir(parents=True)
    noted.write_text("")
    (machine.folder / "said").write_text("[ERROR] a is not there\n")
    with pytest.raises(DependencyError):
        machine.maven()
    assert not noted.exists()


def test_what_changes_behind_a_link_to_a_folder_is_built_anew(machine: Machine) -> None:
    machine.write({"App.java": "before"}, where="shared")
    (machine.program / "src").symlink_to("../shared")
    machine.maven()
    machine.maven()
    assert len(machine.builds) == 1
    machine.write({"App.java": "after"}, where="shared")
    machine.maven()
    assert len(machine.builds) == 2
