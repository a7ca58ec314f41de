"""Traces for OpenTelemetry.

A request, its decisions and appends, and the jobs that follow are one trace.

Tracing is off unless the extra `telemetry` is installed and one of ENDPOINTS is set in the
environment. While it is off, `span` is `contextlib.nullcontext`, and does nothing.

The attributes are methods, operations, statuses, match ids, versions, queues and types of errors.
They contain no token, seed, card or name. The text of an error is not recorded, since it may quote
the request.
"""

import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from multiprocessing.util import Finalize
from typing import Any, NamedTuple
from wsgiref.types import WSGIEnvironment

from service.base.release import release, with_extra

_log = logging.getLogger(__name__)

ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")

# Key of the trace in a job's meta, named like the header of W3C Trace Context.
PARENT = "traceparent"

_TRACEPARENT = re.compile(r"00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}")
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_PROBES = ("/livez", "/readyz", "/metrics")
_STATUS_CODE = slice(0, 3)  # the code in a WSGI status such as "200 OK"

Attributes = Mapping[str, str | int]
Wsgi = Callable[..., Iterable[bytes]]

_tracer: Any = None


class VersionStep(NamedTuple):
    """A step in making a version of a match: "decide" or "append"."""

    name: str
    match: str
    version: int


# span(step): the context manager of a block, recorded as a span while this process traces.
span: Callable[[VersionStep], AbstractContextManager[object]] = nullcontext


def wanted(environ: Mapping[str, str]) -> bool:
    """Return True if the environment asks for traces."""
    if environ.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return False
    if environ.get("OTEL_TRACES_EXPORTER") == "none":
        return False

    return any(environ.get(name) for name in ENDPOINTS)


def setup(part: str, environ: Mapping[str, str]) -> None:
    """Start to trace if the environment asks for it. part: role of the process, such as "web"."""
    if not wanted(environ):
        return

    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        advice = with_extra("telemetry")
        _log.warning(f"traces are switched on, but the extra is not installed: {advice}")
        return

    start(BatchSpanProcessor(OTLPSpanExporter()), part, environ)


def start(processor: Any, part: str, environ: Mapping[str, str]) -> None:
    """Trace from now on, and hand ended spans to a processor of the SDK."""
    global _tracer, span
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider

    resource = Resource.create(
        {
            "service.name": environ.get("OTEL_SERVICE_NAME", "giornale"),
            "service.version": release(),
            "giornale.part": part,
        }
    )
    provider = TracerProvider(resource=resource)
    provider.add_span_processor(processor)
    # Functions of `atexit` are not called in children of `multiprocessing`.
    Finalize(None, provider.force_flush, exitpriority=0)
    _tracer = provider.get_tracer("giornale")
    span = _step_recorded


def stop() -> None:
    """Trace no more."""
    global _tracer, span
    _tracer = None
    span = nullcontext


def is_on() -> bool:
    """Return True if this process traces."""
    return _tracer is not None


def job(queue: str, meta: object) -> AbstractContextManager[None]:
    """Return a context manager that records a job as a span, in the trace of the job's meta.

    Anyone with write access to the queues can write a meta. An invalid meta is ignored.
    """
    if _tracer is None:
        return nullcontext()

    parent = meta.get(PARENT) if isinstance(meta, dict) else None
    return _recorded(f"job {queue}", {"giornale.queue": queue}, parent, kind="CONSUMER")


def job_meta() -> dict[str, str] | None:
    """Return the meta for a job of the current trace, None if there is no trace."""
    if _tracer is None:
        return None

    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    carrier: dict[str, str] = {}
    TraceContextTextMapPropagator().inject(carrier)
    return {PARENT: carrier[PARENT]} if PARENT in carrier else None


def set_attribute(name: str, value: str | int) -> None:
    """Add an attribute to the current span."""
    if _tracer is not None:
        _current_span().set_attribute(name, value)


class Door:
    """A WSGI application that makes a span of every request, except for _PROBES.

    believes: takes the address of a peer. Returns True if this peer may name the trace of its
        request, such as a trusted proxy.
    operation_of: returns the contract's name for the operation of an answered request.
    """

    def __init__(
        self,
        inner: Wsgi,
        believes: Callable[[str], bool],
        operation_of: Callable[[WSGIEnvironment], str],
    ) -> None:
        self._inner = inner
        self._believes = believes
        self._operation_of = operation_of

    def __call__(
        self, environ: WSGIEnvironment, start_response: Callable[..., Any]
    ) -> Iterable[bytes]:
        """Answer a request. The span ends before the body of the answer is sent."""
        path = environ.get("PATH_INFO", "")
        if path.endswith(_PROBES):
            return self._inner(environ, start_response)

        def start_recorded(status: str, headers: list[tuple[str, str]], *error: Any) -> Any:
            span = _current_span()
            span.update_name(self._operation_of(environ))
            span.set_attribute("http.response.status_code", int(status[_STATUS_CODE]))
            return start_response(status, headers, *error)

        method = environ["REQUEST_METHOD"]
        known_method = method if method in _METHODS else "_OTHER"
        attributes = {"http.request.method": known_method}

        with _recorded("request", attributes, self._parent_of(environ), kind="SERVER"):
            return self._inner(environ, start_recorded)

    def _parent_of(self, environ: WSGIEnvironment) -> str | None:
        """Return the traceparent of a request, None if its peer is not believed."""
        peer = environ.get("REMOTE_ADDR", "")
        if not self._believes(peer):
            return None
        return environ.get("HTTP_TRACEPARENT")


def _step_recorded(step: VersionStep) -> AbstractContextManager[None]:
    attributes: Attributes = {"giornale.match": step.match, "giornale.version": step.version}
    return _recorded(step.name, attributes)


@contextmanager
def _recorded(
    name: str,
    attributes: Attributes,
    parent: object = None,
    kind: str = "INTERNAL",
) -> Iterator[None]:
    """Record a block as a span, below `parent` if that is a valid traceparent.

    Only the type of an error is stored.
    """
    from opentelemetry.trace import SpanKind

    recording = _tracer.start_as_current_span(
        name,
        context=_context(parent),
        kind=SpanKind[kind],
        attributes=attributes,
        record_exception=False,
        set_status_on_exception=False,
    )

    with recording as current:
        try:
            yield
        except Exception as error:
            current.set_attribute("error.type", type(error).__name__)
            raise


def _context(parent: object) -> Any:
    """Return the context of a traceparent. None (the current context) for an invalid one."""
    if not isinstance(parent, str) or not _TRACEPARENT.fullmatch(parent):
        return None

    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    return TraceContextTextMapPropagator().extract({PARENT: parent})


def _current_span() -> Any:
    from opentelemetry.trace import get_current_span

    return get_current_span()
