"""Tells what the result of a Java program may depend on, by its classes, as the program is built.

Of a program that runs in a virtual machine nobody sees what it looks at, or makes up. So its
classes may name only what does neither: each other, Pulumi's of resources, and those of Java's own
that compute what they are given. `javap` of the JDK says what they name.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Final

from ...errors import DependencyError
from ..installer import Installer
from .java_build import tool
from .java_launch import Launch

_AT_ONCE: Final = 100
"""Classes that one command line names."""
_OPTION: Final = re.compile(r"-D[^=]+(?:=.*)?|-Xm[sx]\w+|-Xss\w+", re.DOTALL)
"""Of the virtual machine, those that run no code."""
_NAMED: Final = re.compile(
    r"^ *#\d+ = (?P<kind>Class|(?:Interface)?Method|Field)(?:ref)? +#\S+ +// +(?P<name>\S+)$",
    re.MULTILINE,
)
"""A class, method or field that a class names. Source: Java Virtual Machine Specification, 4.4."""
_ARRAY: Final = re.compile(r"\[+(?:L(?P<of>[^;]+);|[A-Z])")
_PLAIN: Final = "java/lang/Object"
"""What stands for an array of numbers."""
_OF_PULUMI: Final = re.compile(
    r"com/pulumi/(?:(?:Config|Context|Log|Pulumi)|"
    r"(?:context|core|exceptions|kubernetes|random|resources)/(?!internal/).+)"
)
_OF_LANGUAGE: Final = re.compile(
    r"java/lang/(?:AutoCloseable|Boolean|Byte|CharSequence|Character|Class|Comparable|Double|Enum"
    r"|Float|Integer|Iterable|Long|Math|Number|Object|Record|Short|String|StringBuffer"
    r"|StringBuilder|System|Throwable|Void|\w*Error|\w*Exception"
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
    r"|Map|Navigable(?:Map|Set)|NoSuchElementException|Objects|Optional(?:Double|Int|Long)?"
    r"|Queue|Sequenced\w+|Set|Sorted(?:Map|Set)|String(?:Joiner|Tokenizer)|Tree(?:Map|Set)"
    r"|function/\w+|regex/\w+|stream/\w+))(?:\$\w+)?"
)
"""Java's own classes without clock, chance, files, variables, threads and processes."""
_MADE_UP: Final = frozenset(
    {"deepHashCode", "getBoolean", "getInteger", "getLong", "hash", "hashCode", "identityHashCode"}
    | {"parallel", "parallelStream", "random", "shuffle"}
)
"""Methods of these, and of what inherits from them, that make something up all the same, look at
the virtual machine's settings, or do things in any order."""
_OF_CONTENT: Final = re.compile(
    r"java/lang/(?:Boolean|Character|Double|Integer|Long|String)\.hashCode"
)
"""Those that are of what an object holds, and not of where it is in memory."""
_ONLY: Final = {
    "java/lang/System": frozenset({"arraycopy", "err", "lineSeparator", "out"}),
    "java/lang/Class": frozenset({"cast", "getName", "getSimpleName", "isInstance"}),
    "java/io/PrintStream": frozenset({"append", "flush", "format", "print", "printf", "println"}),
}
"""All that a program may use of these."""


def hindrances(launch: Launch, installer: Installer) -> Iterator[str]:
    """Why the results of a program cannot be kept. Raises DeadlineError."""
    for option in launch.options:
        if not _OPTION.fullmatch(option):
            yield f"it is run with {option}"
    if not launch.has(launch.main):
        yield f"{launch.main} is not its own"
    places = [Path(path) for path in launch.classpath if Path(path).is_dir()]
    own = {
        str(path.relative_to(place).with_suffix("")): path
        for place in places
        for path in place.rglob("*.class")
    }
    try:
        named = {name for some in _in_parts([*own.values()]) for name in _named(some, installer)}
    except DependencyError as error:
        yield f"its classes cannot be read: {error.summary}"
        return
    yield from (f"it uses {name}" for name in sorted(named) if not _is_harmless(name, own))


def _in_parts(classes: Sequence[Path]) -> Iterator[Sequence[Path]]:
    for start in range(0, len(classes), _AT_ONCE):
        yield classes[start : start + _AT_ONCE]


def _named(classes: Sequence[Path], installer: Installer) -> Iterator[str]:
    """What classes name: other classes, and methods and fields after their class and a dot."""
    said = installer.scratch / "javap"
    javap = tool("javap", installer.env)
    installer.run([javap, "-verbose", "-private", *classes], installer.scratch, result=said)
    for found in _NAMED.finditer(said.read_text(errors="replace")):
        name = found["name"].replace('"', "").partition(":")[0]
        if array := _ARRAY.match(name):
            name = array["of"] or _PLAIN
        yield name


def _is_harmless(name: str, own: Collection[str]) -> bool:
    """Whether what is named neither looks at anything nor makes anything up."""
    class_, _, member = name.partition(".")
    if _OF_PULUMI.fullmatch(class_) or _OF_CONTENT.fullmatch(name):
        return True
    if member in _MADE_UP:
        return False
    is_known = _OF_LANGUAGE.fullmatch(class_) or _OF_LIBRARY.fullmatch(class_)
    return class_ in own or bool(is_known and member in {*_ONLY.get(class_, {member}), ""})
