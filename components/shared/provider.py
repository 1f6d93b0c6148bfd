"""The provider that programs in other languages get the components from.

It says in the schema's terms what the components say in Python's. The SDK's own provider looks for
a property's description in one class only, but arguments here are put together from several.
Source: pulumi/pulumi `sdk/python/lib/pulumi/provider/experimental/component.py`.
"""

import ast
import inspect
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pulumi
from pulumi.errors import InputPropertiesError, InputPropertyError
from pulumi.provider import ConstructResult
from pulumi.provider.experimental.analyzer import Analyzer
from pulumi.provider.experimental.component import ComponentProvider
from pulumi.provider.experimental.util import camel_case
from pulumi.provider.server import ComponentInitError

from .errors import InstallerError, InvalidInputError
from .inputs import spelled


class DescribedProvider(ComponentProvider):
    """Serves components, with each property described by the class that declares it."""

    def __init__(
        self, components: Sequence[type[pulumi.ComponentResource]], name: str, version: str
    ) -> None:
        super().__init__([*components], name, version=version)
        schema = json.loads(self.schema or "")
        for component in components:
            resource = schema["resources"][f"{name}:index:{component.__name__}"]
            _describe(resource["properties"], component)
            _describe(resource["inputProperties"], _arguments(component))
        self.schema = json.dumps(schema)

    def construct(
        self,
        name: str,
        resource_type: str,
        inputs: Mapping[str, pulumi.Input[Any]],
        options: pulumi.ResourceOptions | None = None,
    ) -> ConstructResult:
        """Make a component. What the installer refuses is one sentence, in the schema's names."""
        component = self._component_defs[resource_type.rpartition(":")[2]]
        names = {python: known for known, python in component.inputs_mapping.items()}
        try:
            with spelled(names):
                return super().construct(name, resource_type, inputs, options)
        except ComponentInitError as error:
            if not isinstance(error.inner, InstallerError):
                raise
            raise _in_terms_of_the_schema(error.inner, names) from None


def _in_terms_of_the_schema(error: InstallerError, names: Mapping[str, str]) -> Exception:
    """The error, with arguments called as the schema calls them."""
    if isinstance(error, InvalidInputError):
        told = error.in_words_of(names)
        return InputPropertyError(told.field, f"{told.problem}. Fix: {told.fix}.")
    return InputPropertiesError(str(error))


def _arguments(component: type[pulumi.ComponentResource]) -> type:
    """The class of a component's arguments."""
    annotated: type = inspect.signature(component).parameters["args"].annotation
    return annotated


def _describe(properties: dict[str, Any], class_: type) -> None:
    analyzer = Analyzer("")
    for declaring in _with_bases(class_):
        for name in inspect.get_annotations(declaring):
            text = analyzer.get_docstring(declaring, name)
            if text and camel_case(name) in properties:
                properties[camel_case(name)].setdefault("description", text)


def _with_bases(class_: type) -> Iterator[type]:
    """The class, and those of ours that it names as its bases: a TypedDict forgets them."""
    yield class_
    (defined,) = ast.parse(inspect.getsource(class_)).body
    names = vars(sys.modules[class_.__module__])
    for base in defined.bases if isinstance(defined, ast.ClassDef) else ():
        found = names.get(base.id) if isinstance(base, ast.Name) else None
        if isinstance(found, type):
            yield from _with_bases(found)
