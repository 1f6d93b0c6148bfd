"""The provider that programs in other languages get the components from.

It says in the schema's terms what the components say in Python's. The SDK's own provider looks for
a property's description in one class only, but arguments here are put together from several.
Source: pulumi/pulumi `sdk/python/lib/pulumi/provider/experimental/component.py`.
"""

import ast
import inspect
import json
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import pulumi
from pulumi.errors import InputPropertiesError
from pulumi.provider import ConstructResult
from pulumi.provider.experimental.analyzer import Analyzer
from pulumi.provider.experimental.component import ComponentProvider
from pulumi.provider.experimental.util import camel_case
from pulumi.provider.server import ComponentInitError

from . import spelling
from .errors import InstallerError, InvalidInputError
from .inputs import reject_unknown, spelled


class DescribedProvider(ComponentProvider):
    """Serves components, with each property described by the class that declares it."""

    def __init__(
        self,
        components: Sequence[type[pulumi.ComponentResource]],
        name: str,
        version: str,
        choices: Mapping[str, Collection[str]] = MappingProxyType({}),
    ) -> None:
        """Serve `components`. `choices` are the values of the arguments that have but a few."""
        super().__init__([*components], name, version=version)
        schema = json.loads(self.schema or "")
        for component in components:
            resource = schema["resources"][f"{name}:index:{component.__name__}"]
            _describe(resource["properties"], component)
            _describe(resource["inputProperties"], _arguments(component))
        holders = [r["inputProperties"] for r in schema["resources"].values()]
        holders += [type_["properties"] for type_ in schema["types"].values()]
        for argument, values in choices.items():
            _offer(schema["types"], f"{name}:index", holders, argument, values)
        self.schema = json.dumps(schema)

    def construct(
        self,
        name: str,
        resource_type: str,
        inputs: Mapping[str, pulumi.Input[Any]],
        options: pulumi.ResourceOptions | None = None,
    ) -> ConstructResult:
        """Make a component. What the installer refuses is one sentence, in the schema's names."""
        name_of_class = resource_type.rpartition(":")[2]
        component = self._components[name_of_class]
        try:
            reject_unknown("", inputs, self._component_defs[name_of_class].inputs_mapping)
            with spelled(spelling.arguments(_arguments(component)), _refusal):
                return super().construct(name, resource_type, inputs, options)
        except ComponentInitError as error:
            if isinstance(error.inner, InputPropertiesError):
                raise error.inner from None
            if isinstance(error.inner, InstallerError):
                raise _refusal(error.inner) from None
            raise
        except InstallerError as error:
            raise _refusal(error) from None

    def map_inputs(self, inputs: Mapping[str, Any], component_def: Any) -> dict[str, Any]:
        """Return the arguments by their names in Python.

        The SDK's own takes an Output for an object that has no fields, and drops what it does not
        know. What is in an object, the components read in either spelling.
        """
        names = component_def.inputs_mapping
        return {names[name]: value for name, value in inputs.items()}


def _refusal(error: InstallerError) -> Exception:
    """The error as Pulumi shows it to programs in other languages, without a traceback.

    Not as an error about a property, beside which Pulumi prints the value: it may be a credential.
    The list of those is empty, and not left out, without which the SDK raises an error of its own.
    """
    if isinstance(error, InvalidInputError):
        return InputPropertiesError(f"{error.field} {error.problem}. Fix: {error.fix}.", [])
    return InputPropertiesError(str(error), [])


def _offer(
    types: dict[str, Any],
    module: str,
    holders: Sequence[dict[str, Any]],
    argument: str,
    values: Collection[str],
) -> None:
    """Let the schema say that an argument, or what a list in it holds, has one of a few values.

    There are no defaults in the schema: SDKs would send them, and an argument that nobody has set
    would count as set. The descriptions tell them.
    """
    property_name = camel_case(argument)
    token = f"{module}:{property_name[0].upper()}{property_name[1:]}"
    types[token] = {
        "type": "string",
        "description": f"What `{property_name}` may be.",
        "enum": [{"value": value, "description": f"`{value}`"} for value in values],
    }
    for properties in holders:
        if found := properties.get(property_name):
            place = found.get("items", found)
            # An argument of that name may be something else elsewhere.
            if place.get("type") == "string":
                del place["type"]
                place["$ref"] = f"#/types/{token}"


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
