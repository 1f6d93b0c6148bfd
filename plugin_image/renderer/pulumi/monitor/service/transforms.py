"""Runs a program's transforms, which its SDK serves as callbacks.

The order is the engine's: a resource's own, then those of its parents from the nearest
on, then the stack's. So is what the first of them gets: a secret is an output, as SDKs would
take its mark for one more mapping, and where the resource has transforms of its own, so is a
property that comes from other resources. What an answer does not have stays as it is: Go's SDK
answers nothing for a transform that returns nil.
Source: pulumi/pulumi `pkg/resource/deploy/source_eval.go`.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TypeVar

import grpc
from google.protobuf.message import Message
from pulumi.runtime.proto import callback_pb2, callback_pb2_grpc, resource_pb2
from pulumi.runtime.proto.callback_pb2 import Callback
from pulumi.runtime.proto.resource_pb2 import RegisterResourceRequest

from .. import policy
from ..errors import MonitorError, details_of
from ..plugin import providing
from ..resources.inheritance import given
from ..values import messages, structs, wire

_HEEDED = {
    # The option's name in a transform, and the field of a registration that it stands for.
    "provider": "provider",
    "providers": "providers",
    "protect": "protect",
    "retain_on_delete": "retainOnDelete",
    "aliases": "aliases",
    "depends_on": "dependencies",
    "ignore_changes": "ignoreChanges",
    "replace_on_changes": "replaceOnChanges",
    "replace_with": "replace_with",
    "replacement_trigger": "replacement_trigger",
    "additional_secret_outputs": "additionalSecretOutputs",
}
_OPTIONS = _HEEDED | {
    "version": "version",
    "deleted_with": "deletedWith",
    "plugin_download_url": "pluginDownloadURL",
    "import": "importId",
    "custom_timeouts": "customTimeouts",
}

_CALLBACK_FAILED = re.compile(r"^(?:Invoke callback \S+ error|transform failed): ")
"""What SDKs say before what a callback raised: in Python with a token of this run alone."""

_Answer = TypeVar("_Answer", bound=Message)


class Transforms:
    """The transforms that are registered so far."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stack: list[Callback] = []
        self._stack_invokes: list[Callback] = []
        self._of_resource: dict[str, tuple[str, list[Callback]]] = {}
        self._of_constructed: dict[tuple[str, str, str], list[Callback]] = {}

    def add_for_stack(self, callback: Callback) -> None:
        """Run `callback` on every resource from now on."""
        with self._lock:
            self._stack.append(callback)

    def add_for_invokes(self, callback: Callback) -> None:
        """Run `callback` on every function call from now on."""
        with self._lock:
            self._stack_invokes.append(callback)

    def add_for_children(self, urn: str, request: RegisterResourceRequest) -> None:
        """Let the transforms of a registered resource run on its children, too."""
        with self._lock:
            self._of_resource[urn] = request.parent, list(request.transforms)

    def hand_over(self, request: RegisterResourceRequest) -> None:
        """Keep a remote component's transforms for when its provider registers it."""
        with self._lock:
            self._of_constructed[_key(request)] = list(request.transforms)

    def apply(self, request: RegisterResourceRequest, called: str) -> None:
        """Change a RegisterResourceRequest, of what is `called` so, as the transforms say.

        Raises MonitorError when a transform fails, and Refusal for a value that none can get.
        """
        used = _used(request) if request.transforms else {}
        with self._lock:
            request.transforms.extend(self._of_constructed.pop(_key(request), ()))
        callbacks = self._of(request)
        if not callbacks:
            return
        properties = wire.as_outputs(policy.read(request.object, called))
        _write({k: wire.depending(v, used.get(k, ())) for k, v in properties.items()}, request)
        self._run(callbacks, request)
        if not request.remote:
            _write(wire.as_values(policy.read(request.object, called)), request)

    def _run(self, callbacks: Iterable[Callback], request: RegisterResourceRequest) -> None:
        for callback in callbacks:
            transformed = _call(
                callback, _transform_request(request), resource_pb2.TransformResponse
            )
            if transformed.HasField("properties"):
                request.object.CopyFrom(transformed.properties)
            if transformed.HasField("options"):
                _take_options(transformed.options, request)

    def apply_to_invoke(self, request: resource_pb2.ResourceInvokeRequest) -> None:
        """Change a ResourceInvokeRequest as the transforms say; raises MonitorError as `apply`."""
        with self._lock:
            callbacks = list(self._stack_invokes)
        for callback in callbacks:
            asked = resource_pb2.TransformInvokeRequest(
                token=request.tok,
                args=request.args,
                options=resource_pb2.TransformInvokeOptions(
                    provider=request.provider,
                    version=request.version,
                    plugin_download_url=request.pluginDownloadURL,
                ),
            )
            transformed = _call(callback, asked, resource_pb2.TransformInvokeResponse)
            if transformed.HasField("args"):
                request.args.CopyFrom(transformed.args)
            if transformed.HasField("options"):
                request.provider = transformed.options.provider

    def concern(self, request: RegisterResourceRequest) -> bool:
        """Whether there is a transform for a RegisterResourceRequest."""
        return bool(self._of(request))

    def _of(self, request: RegisterResourceRequest) -> Sequence[Callback]:
        with self._lock:
            return [*request.transforms, *self._inherited(request.parent), *self._stack]

    def _inherited(self, urn: str) -> Iterator[Callback]:
        while urn in self._of_resource:
            urn, callbacks = self._of_resource[urn]
            yield from callbacks


def _key(request: RegisterResourceRequest) -> tuple[str, str, str]:
    return request.parent, request.type, request.name


def _used(request: RegisterResourceRequest) -> Mapping[str, Sequence[str]]:
    """The resources that a property comes from; older SDKs name those of all properties."""
    if request.propertyDependencies or request.remote:
        return {key: part.urns for key, part in request.propertyDependencies.items()}
    return dict.fromkeys(request.object.fields, request.dependencies)


def _write(properties: Mapping[str, wire.Json], request: RegisterResourceRequest) -> None:
    request.ClearField("object")
    structs.into_struct(properties, request.object)


def _transform_request(request: RegisterResourceRequest) -> resource_pb2.TransformRequest:
    known = resource_pb2.TransformResourceOptions.DESCRIPTOR.fields_by_name
    fields = given(request)
    options = resource_pb2.TransformResourceOptions(
        **{
            name: fields[field]
            for name, field in _OPTIONS.items()
            if field in fields and name in known  # an older SDK has fewer
        }
    )
    if request.deleteBeforeReplaceDefined or request.deleteBeforeReplace:
        options.delete_before_replace = request.deleteBeforeReplace
    return resource_pb2.TransformRequest(
        type=request.type,
        name=request.name,
        custom=request.custom,
        parent=request.parent,
        properties=request.object,
        options=options,
    )


def _take_options(
    options: resource_pb2.TransformResourceOptions, request: RegisterResourceRequest
) -> None:
    """The options that a render heeds."""
    taken = given(options)
    known = options.DESCRIPTOR.fields_by_name
    # Of an option that an older SDK does not know in transforms, the program's word stays.
    fields = {name: field for name, field in _HEEDED.items() if name in known}
    _clear(request, fields.values())
    request.MergeFrom(
        RegisterResourceRequest(
            **{field: taken[name] for name, field in fields.items() if name in taken}
        )
    )
    request.deleteBeforeReplace = bool(options.delete_before_replace)


def _clear(message: Message, fields: Iterable[str]) -> None:
    for field in fields:
        message.ClearField(field)


def _call(callback: Callback, request: Message, answer: type[_Answer]) -> _Answer:
    """What a callback makes of a request, as a message of the class `answer`."""
    message = callback_pb2.CallbackInvokeRequest(
        token=callback.token, request=request.SerializeToString()
    )
    try:
        response = _stub(callback.target).Invoke(message).response
    except grpc.RpcError as error:
        raised = _CALLBACK_FAILED.sub("", details_of(error))
        raise MonitorError("UNKNOWN", f"a transform failed: {raised}") from error
    transformed = messages.parser(answer)(response)
    if isinstance(transformed, messages.TooDeep):
        raise policy.refuse_value("what a transform makes", structs.too_deep())
    return transformed


@cache
def _stub(target: str) -> callback_pb2_grpc.CallbacksStub:
    """A connection to an SDK's callbacks; there is one per process, kept to its end."""
    return callback_pb2_grpc.CallbacksStub(providing.connected(target))
