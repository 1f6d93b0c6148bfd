"""A result of a Java program is kept only if its classes name nothing but what computes."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from plugin_image.renderer.cache import Cache
from plugin_image.renderer.pulumi.hosts import java_seen
from plugin_image.renderer.pulumi.hosts.java_launch import Launch
from plugin_image.renderer.pulumi.installer import Installer
from plugin_image.renderer.supervise import Deadline

pytestmark = pytest.mark.skipif(not shutil.which("javap"), reason="there is no JDK")

_COMPUTES = """
import java.util.*;
import java.util.stream.*;
public class App {
  enum Size { SMALL, LARGE }
  record Shop(String name, int replicas) {}
  interface Named { default String text() { return getClass().getSimpleName() + this; } }
  static class Wrong extends IllegalStateException implements Named {}
  public static void main(String[] args) throws Exception {
    var shops = List.of(new Shop("a", 1), new Shop("b", 2));
    var numbers = new int[] {1, 2}.clone();
    String[][] names = {args.clone()};
    for (var shop : shops) {
      switch (shop.name()) { case "a" -> System.out.println(shop + "!"); default -> {} }
    }
    switch (Size.valueOf("SMALL")) { case SMALL -> numbers[0]++; default -> throw new Wrong(); }
    var byName = Collectors.toMap(Shop::name, Shop::replicas, Math::max, TreeMap::new);
    Map<String, Integer> found = shops.stream().collect(byName);
    System.out.printf("%s %d%n", new StringBuilder("x").append(found), names.length);
    System.out.println(Base64.getEncoder().encodeToString("x".getBytes()).hashCode());
  }
}
"""
_MORE = {
    "java/lang/Math.random": "Math.random()",
    "java/lang/Object.hashCode": "args.hashCode()",
    "java/lang/System.currentTimeMillis": "System.currentTimeMillis()",
    "java/lang/System.getenv": 'System.getenv("HOME")',
    "java/lang/Integer.getInteger": 'Integer.getInteger("x")',
    "java/lang/Class.getResource": 'Size.class.getResource("/x")',
    "java/lang/Thread": "Thread.currentThread()",
    "java/nio/file/Files": 'java.nio.file.Files.exists(java.nio.file.Path.of("x"))',
    "java/io/PrintStream.<init>": 'new java.io.PrintStream("x")',
    "java/time/Instant": "java.time.Instant.now()",
    "java/util/Collections.shuffle": "Collections.shuffle(List.of(args))",
    "java/util/Date": "new Date()",
    "java/util/List.parallelStream": "List.of(args).parallelStream()",
    "java/util/Objects.hash": "Objects.hash(Size.SMALL)",
    "java/util/UUID": "UUID.randomUUID()",
    "App$Size.hashCode": "Size.SMALL.hashCode()",
    "javax/naming/InitialContext": "new javax.naming.InitialContext()",
}
"""What a class names by a piece of code."""


@pytest.fixture(scope="module")
def installer(tmp_path_factory: pytest.TempPathFactory) -> Installer:
    scratch = tmp_path_factory.mktemp("scratch")
    cache = Cache(scratch / "cache", scratch, Deadline(60), most_bytes=1_000_000)
    return Installer(cache, os.environ, scratch, cache.deadline)


def _launch(folder: Path, source: str, options: Sequence[str] = ()) -> Launch:
    (folder / "App.java").write_text(source)
    subprocess.run(["javac", "-d", folder / "classes", folder / "App.java"], check=True)
    return Launch("App", [str(folder / "classes")], options=options)


def test_a_program_that_only_computes_is_not_hindered(tmp_path: Path, installer: Installer) -> None:
    options = ("-Dx=y", "-Xmx512m")
    assert [*java_seen.hindrances(_launch(tmp_path, _COMPUTES, options), installer)] == []


def test_whatever_does_more_is_named(tmp_path: Path, installer: Installer) -> None:
    lines = "".join(f"    {code};\n" for code in _MORE.values())
    main = "  public static void main(String[] args) throws Exception {\n"
    source = (
        f"import java.util.*;\npublic class App {{\n  enum Size {{ SMALL }}\n{main}{lines}  }}\n}}"
    )
    launch = _launch(tmp_path, source, ["-javaagent:x.jar"])
    found = {*java_seen.hindrances(launch, installer)}
    assert {*(f"it uses {name}" for name in _MORE), "it is run with -javaagent:x.jar"} <= found


def test_classes_that_cannot_be_read_hinder(tmp_path: Path, installer: Installer) -> None:
    (tmp_path / "App.class").write_text("")
    [said] = java_seen.hindrances(Launch("App", [str(tmp_path)]), installer)
    assert "cannot be read" in said


def test_a_program_from_an_archive_hinders(installer: Installer) -> None:
    assert "App is not its own" in java_seen.hindrances(Launch("App", ["lib.jar"]), installer)
