"""Tells what the result of a Java program may depend on, by its classes, as the program is built.

Of a program that runs in a virtual machine nobody sees what it looks at, or makes up. So its
classes may name only what does neither: each other, Pulumi's classes of resources, and those of
Java's own that compute what they are given. `javap` of the JDK says what they name.
"""

import re
import zipfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import dropwhile
from pathlib import Path
from typing import Final

from ...errors import DependencyError
from ..installer import Installer
from .java_build import tool
from .java_launch import Launch

VARIABLES: Final = frozenset({"JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"})
"""Those that give the virtual machine options, which may be anything."""
_OPTION: Final = re.compile(
    r"-D(?!(?:java|javax|jdk|sun)\.)[^=]+(?:=.*)?|-Xm[sx]\w+|-Xss\w+|-ea", re.S
)
"""Options of the virtual machine that neither run code nor read files."""
_AT_ONCE: Final = 100
"""Classes that one command line names, of which javap says some megabytes."""
_NAMED: Final = re.compile(
    r"^ *#\d+ = (?:Class|(?:Interface)?Methodref|Fieldref) +#\S+ +// +(?P<name>.+)$", re.MULTILINE
)
"""A class, method or field that a class names. Source: Java Virtual Machine Specification, 4.4."""
_FURTHER: Final[Mapping[str, re.Pattern[str]]] = {
    "it formats the hash of an object": re.compile(
        r"^ *#\d+ = String +#\d+ +// .*%[^a-zA-Z%]*[hH]", re.MULTILINE
    ),
    "it has a finalizer": re.compile(r"^ *#\d+ = Utf8 +finalize$", re.MULTILINE),
}
"""What else a class may say that hinders."""
_ARRAY: Final = re.compile(r"\[+(?:L(?P<of>[^;]+);|[A-Z])(?P<member>\..+)?")
_PLAIN: Final = "java/lang/Object"
"""What stands for an array of numbers."""
_OF_MACHINE: Final = ("java/", "javax/", "jdk/", "sun/")
"""Where names of classes begin that no program can define."""
_PULUMI: Final = "com/pulumi/"
_OF_REPOSITORIES: Final = ("/com/pulumi/", "/files-2.1/com.pulumi/")
"""Where Maven and Gradle keep what Pulumi has published."""
_OF_PULUMI: Final = re.compile(
    r"com/pulumi/(?:(?:Config|Context|Log|Pulumi)(?:\$\w+)?"
    r"|(?:context|core|exceptions|kubernetes|random|resources)/(?!internal/|Utilities\b).+)"
)
_OF_LANGUAGE: Final = re.compile(
    r"java/lang/(?:AutoCloseable|Boolean|Byte|CharSequence|Character|Class|Comparable|Double|Enum"
    r"|Float|Integer|Iterable|Long|Math|Number|Object|Record|Runnable|Short|String|StringBuffer"
    r"|StringBuilder|System|Throwable|Void|(?!OutOfMemory|StackOverflow|VirtualMachine)\w*Error"
    r"|\w*Exception"
    r"|invoke/(?:CallSite|LambdaMetafactory|MethodHandles?(?:\$Lookup)?|MethodType"
    r"|StringConcatFactory|TypeDescriptor)"
    r"|runtime/(?:ObjectMethods|SwitchBootstraps))"
)
_OF_LIBRARY: Final = re.compile(
    r"java/(?:io/(?:PrintStream|Serializable|\w+Exception)|math/\w+"
    r"|nio/charset/(?:Charset|StandardCharsets)|time/Duration"
    r"|security/(?:MessageDigest|NoSuchAlgorithmException)"
    r"|util/(?:Abstract\w+|Array(?:Deque|List|s)|Base64|BitSet|Collections?|Comparator|Deque"
    r"|Enum(?:Map|Set)|HexFormat|Iterator|(?:Linked)?Hash(?:Map|Set)|LinkedList|List(?:Iterator)?"
    r"|Locale|Map|Navigable(?:Map|Set)|NoSuchElementException|Objects|Optional(?:Double|Int|Long)?"
    r"|Queue|Sequenced\w+|Set|Sorted(?:Map|Set)|String(?:Joiner|Tokenizer)|Tree(?:Map|Set)"
    r"|function/\w+|regex/\w+|stream/(?!StreamSupport)\w+))(?:\$\w+)?"
)
"""Java's own classes without clock, chance, files, variables, threads and processes."""
_MADE_UP: Final = re.compile(
    r"deepHashCode|getBoolean|getInteger|getLong|hash|hashCode|\w+ProbablePrime|parallel\w*|random"
    r"|shuffle|toIdentityString"
)
"""Members of these that make something up all the same, look at the virtual machine's settings, or
do things in any order."""
_INHERITED: Final = re.compile(r"hashCode|parallel(?:Stream)?")
"""Such as a class may have from one of these."""
_OF_CONTENT: Final = re.compile(
    r"java/lang/(?:Boolean|Character|Double|Integer|Long|String)\.hashCode"
)
"""Those that are of what an object holds, and not of where it is in memory."""
_ONLY: Final[Mapping[str, Collection[str]]] = {
    "java/io/PrintStream": {"append", "flush", "format", "print", "printf", "println"},
    "java/lang/Class": {"cast", "desiredAssertionStatus", "isInstance"},
    "java/lang/System": {"arraycopy", "err", "lineSeparator", "out"},
    "java/util/Locale": {"ENGLISH", "ROOT", "US"},
    # What a compiler writes for a lambda names these, and does not call them.
    "java/lang/invoke/CallSite": (),
    "java/lang/invoke/MethodHandle": (),
    "java/lang/invoke/MethodHandles": (),
    "java/lang/invoke/MethodHandles$Lookup": (),
    "java/lang/invoke/MethodType": (),
}
"""All that a program may use of these."""


def hindrances(launch: Launch, installer: Installer) -> Iterator[str]:
    """Why the results of a program cannot be kept. Raises DeadlineError."""
    yield from (f"it is run with {each}" for each in launch.options if not _OPTION.fullmatch(each))
    if not launch.has(launch.main):
        yield f"{launch.main} is not its own"
    places = [path for path in map(Path, launch.classpath) if path.exists()]
    if any(map(Path.is_dir, dropwhile(Path.is_dir, places))):
        yield "an archive comes before its own classes"
    folders = [place for place in places if place.is_dir()]
    yield from (what for place in places if place not in folders for what in _of_archive(place))
    try:
        yield from _of_classes(folders, installer)
    except DependencyError as error:
        yield f"its classes cannot be read: {error.summary}"


def _of_archive(place: Path) -> Iterator[str]:
    """Whether it has classes of Pulumi's, and is not from them, or may have some."""
    if any(repository in str(place) for repository in _OF_REPOSITORIES):
        return
    try:
        with zipfile.ZipFile(place) as archive:
            if any(name.startswith(_PULUMI) for name in archive.namelist()):
                yield f"{place.name} has classes that are called as Pulumi's are"
    except zipfile.BadZipFile:
        yield f"{place.name} cannot be read"


def _of_classes(folders: Sequence[Path], installer: Installer) -> Iterator[str]:
    """What all classes in folders name beyond what they may. Raises DependencyError."""
    files = {path: folder for folder in folders for path in folder.rglob("*.class")}
    names = (str(path.relative_to(folder).with_suffix("")) for path, folder in files.items())
    own = {name for name in names if not name.startswith(_OF_MACHINE)}
    named = set[str]()
    for some in _in_parts([*files]):
        said = _said(some, installer)
        named |= {_name(found["name"]) for found in _NAMED.finditer(said)}
        yield from (what for what, says in _FURTHER.items() if says.search(said))
    yield from (f"it uses {name}" for name in sorted(named) if not _is_harmless(name, own))
    # Each class names itself.
    yield from (f"nobody knows what {name} does" for name in sorted(own - named))


def _in_parts(classes: Sequence[Path]) -> Iterator[Sequence[Path]]:
    for start in range(0, len(classes), _AT_ONCE):
        yield classes[start : start + _AT_ONCE]


def _said(classes: Sequence[Path], installer: Installer) -> str:
    """What javap says of classes."""
    said = installer.scratch / "javap"
    javap = tool("javap", installer.env)
    installer.run([javap, "-verbose", *classes], installer.scratch, result=said)
    return said.read_text(errors="replace")


def _name(written: str) -> str:
    """The class, or its method or field after a dot, as javap writes it."""
    name = written.replace('"', "").partition(":")[0]
    array = _ARRAY.fullmatch(name)
    return f"{array['of'] or _PLAIN}{array['member'] or ''}" if array else name


def _is_harmless(name: str, own: Collection[str]) -> bool:
    """Whether what is named neither looks at anything nor makes anything up."""
    class_, _, member = name.partition(".")
    if class_ in own or _OF_PULUMI.fullmatch(class_):
        return not _INHERITED.fullmatch(member)
    if not (_OF_LANGUAGE.fullmatch(class_) or _OF_LIBRARY.fullmatch(class_)):
        return False
    if _MADE_UP.fullmatch(member):
        return bool(_OF_CONTENT.fullmatch(name))
    return member in {*_ONLY.get(class_, (member,)), ""}
