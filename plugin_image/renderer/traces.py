"""Sends a trace of each render, by OpenTelemetry's own SDK and its standard variables.

A trace is one span for the render, and one in it for each stage. Source: OpenTelemetry's
specification, "Environment Variable Specification" and "OpenTelemetry Protocol Exporter".
"""

import time
from collections.abc import Mapping
from typing import Final

from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Status, StatusCode, set_span_in_context

from .datagrams import Told
from .errors import Outcome

_SERVICE: Final = "argocd-plugin"
"""The service's name where OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES give none."""
_NANOSECONDS: Final = 1_000_000_000


class Traces:
    """Where traces go. What cannot be sent is tried again, then dropped, which the log says."""

    def __init__(self, env: Mapping[str, str]) -> None:
        """`env` is the process' own, which the SDK reads; raises what that does for a wrong one."""
        attributes = env.get("OTEL_RESOURCE_ATTRIBUTES", "")
        is_named = env.get("OTEL_SERVICE_NAME") or "service.name=" in attributes
        resource = Resource.create({} if is_named else {SERVICE_NAME: _SERVICE})
        provider = TracerProvider(resource=resource)
        provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
        self._tracer = provider.get_tracer("argocd-plugin-renderer")

    def add(self, told: Told) -> None:
        """Send that of a render which has just ended."""
        measured = told.measured
        attributes = {
            "argocd.application.name": told.application,
            "vcs.ref.head.revision": told.revision,
            "argocd.plugin.renderer": told.renderer,
            "argocd.plugin.path": told.path.value,
            "argocd.plugin.outcome": told.outcome.value,
        }
        given = {name: value for name, value in attributes.items() if value}
        span = self._tracer.start_span(
            "render", attributes=given, start_time=_nanoseconds(measured.begun)
        )
        inside = set_span_in_context(span)
        for stage, took in measured.seconds.items():
            begun = measured.begun + measured.starts[stage]
            part = self._tracer.start_span(
                stage.value, context=inside, start_time=_nanoseconds(begun)
            )
            part.end(_nanoseconds(begun + took))
        if told.outcome is not Outcome.OK:
            span.set_status(Status(StatusCode.ERROR, told.outcome.value))
        span.end(_nanoseconds(max(measured.begun, time.time())))


def _nanoseconds(seconds: float) -> int:
    return int(seconds * _NANOSECONDS)
