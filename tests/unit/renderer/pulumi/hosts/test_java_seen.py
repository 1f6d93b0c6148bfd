"""A result of a Java program is kept only if its classes name nothing but what computes."""

import os
import shutil
import subprocess
from collections.abc import Mapping
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
  interface Named { default String text() { return "a" + this; } }
  static class Wrong extends IllegalStateException implements Named {}
  public static void main(String[] args) throws Exception {
    var shops = List.of(new Shop("a", 1), new Shop("b", 2));
    var api = (com.pulumi.Pulumi.API) null;
    var numbers = new int[] {1, 2}.clone();
    assert numbers.length == "ab".toUpperCase(Locale.ROOT).length();
    ((Runnable) Wrong::new).run();
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
    "App$Size.hashCode": "Size.SMALL.hashCode()",
    "com/pulumi/core/Tuples.hashCode": "new com.pulumi.core.Tuples().hashCode()",
    "com/pulumi/kubernetes/Utilities": "com.pulumi.kubernetes.Utilities.getEnv()",
    "java/io/PrintStream.<init>": 'new java.io.PrintStream("x")',
    "java/lang/Class.getName": "((Runnable) () -> {}).getClass().getName()",
    "java/lang/Class.getResource": 'Size.class.getResource("/x")',
    "java/lang/Integer.getInteger": 'Integer.getInteger("x")',
    "java/lang/Math.random": "Math.random()",
    "java/lang/Object.hashCode": "args.hashCode()",
    "java/lang/StackOverflowError": "new StackOverflowError()",
    "java/lang/System.currentTimeMillis": "System.currentTimeMillis()",
    "java/lang/System.getenv": 'System.getenv("HOME")',
    "java/lang/Thread": "Thread.currentThread()",
    "java/lang/invoke/MethodHandles.lookup": "java.lang.invoke.MethodHandles.lookup()",
    "java/math/BigInteger.isProbablePrime": "java.math.BigInteger.TEN.isProbablePrime(1)",
    "java/nio/file/Files": 'java.nio.file.Files.exists(java.nio.file.Path.of("x"))',
    "java/time/Instant": "java.time.Instant.now()",
    "java/util/Arrays.parallelSort": "Arrays.parallelSort(args)",
    "java/util/Collections.shuffle": "Collections.shuffle(List.of(args))",
    "java/util/Date": "new Date()",
    "java/util/List.parallelStream": "List.of(args).parallelStream()",
    "java/util/Locale.getDefault": "Locale.getDefault()",
    "java/util/Objects.hash": "Objects.hash(Size.SMALL)",
    "java/util/UUID": "UUID.randomUUID()",
    "java/util/stream/StreamSupport": "java.util.stream.StreamSupport.stream(null, true)",
    "javax/naming/InitialContext": "new javax.naming.InitialContext()",
}
"""What a class names by a piece of code."""
_STANDING_IN = {
    "com/pulumi/Pulumi.java": "package com.pulumi; public class Pulumi { public interface API {} }",
    "com/pulumi/core/Tuples.java": "package com.pulumi.core; "
    "public class Tuples { public int hashCode() { return 1; } }",
    "com/pulumi/kubernetes/Utilities.java": "package com.pulumi.kubernetes; "
    "public class Utilities { public static void getEnv() {} }",
}
"""Of Pulumi's classes, no more than is named here."""


@pytest.fixture(scope="module")
def installer(tmp_path_factory: pytest.TempPathFactory) -> Installer:
    scratch = tmp_path_factory.mktemp("scratch")
    cache = Cache(scratch / "cache", scratch, Deadline(600), most_bytes=1_000_000)
    return Installer(cache, os.environ, scratch, cache.deadline)


@pytest.fixture(scope="module")
def pulumi(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What stands in for Pulumi's classes."""
    return _compiled(tmp_path_factory.mktemp("pulumi"), _STANDING_IN)


def _compiled(folder: Path, sources: Mapping[str, str], *others: Path) -> Path:
    for name, text in sources.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    known = os.pathsep.join(map(str, [".", *others]))
    command = ["javac", "-Xlint:none", "-cp", known, "-d", "classes", *sources]
    subprocess.run(command, cwd=folder, check=True)
    return folder / "classes"


def test_a_program_that_only_computes_is_not_hindered(
    tmp_path: Path, installer: Installer, pulumi: Path
) -> None:
    options = ("-Dx=y", "-Xmx512m")
    classes = _compiled(tmp_path, {"App.java": _COMPUTES}, pulumi)
    launch = Launch("App", [str(classes)], options=options)
    assert [*java_seen.hindrances(launch, installer)] == []


def test_whatever_does_more_is_named(tmp_path: Path, installer: Installer, pulumi: Path) -> None:
    lines = "".join(f"    {code};\n" for code in _MORE.values())
    source = f"""import java.util.*;
public class App {{
  enum Size {{ SMALL }}
  public static void main(String[] args) throws Exception {{
{lines}    String.format("%h", args.length);
  }}
  protected void finalize() {{}}
}}
"""
    options = ("-javaagent:x.jar", "-Djava.system.class.loader=x")
    classes = _compiled(tmp_path, {"App.java": source}, pulumi)
    found = {*java_seen.hindrances(Launch("App", [str(classes)], options=options), installer)}
    assert found >= {
        *(f"it uses {name}" for name in _MORE),
        *(f"it is run with {option}" for option in options),
        "it formats the hash of an object",
        "it has a finalizer",
    }


def test_classes_count_wherever_they_may_come_from(
    tmp_path: Path, installer: Installer, pulumi: Path
) -> None:
    source = "public class App { long now = System.nanoTime(); }"
    classes, again = _compiled(tmp_path, {"App.java": source}), tmp_path / "again"
    # Java takes the first of two, and none of its own from there.
    for name in ("App.class", "java/lang/System.class"):
        (again / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(pulumi / "com" / "pulumi" / "core" / "Tuples.class", again / name)
    archive = shutil.make_archive(str(tmp_path / "archive"), "zip", pulumi)
    launch = Launch("App", [archive, str(classes), str(again)])
    assert {*java_seen.hindrances(launch, installer)} == {
        "archive.zip has classes that are called as Pulumi's are",
        "an archive comes before its own classes",
        "it uses java/lang/System.nanoTime",
    }


@pytest.mark.parametrize("content", ["", "no class"])
def test_classes_that_cannot_be_read_hinder(
    tmp_path: Path, installer: Installer, content: str
) -> None:
    (tmp_path / "App.class").write_text(content)
    [said] = java_seen.hindrances(Launch("App", [str(tmp_path)]), installer)
    assert "cannot be read" in said


def test_a_program_from_an_archive_hinders(installer: Installer) -> None:
    assert "App is not its own" in java_seen.hindrances(Launch("App", ["lib.jar"]), installer)
