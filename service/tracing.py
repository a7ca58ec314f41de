"""Traces for whoever runs OpenTelemetry: a request, what is decided and appended, and the job that follows, in one.

Off unless the extra is installed (`pip install giornale[telemetry]`) and an endpoint is named in the usual variables,
such as OTEL_EXPORTER_OTLP_ENDPOINT. While it is off, each call is one `if`.

Attributes are written out here and at the few calls of `span`: operations, statuses, match ids, versions, queues. No
token, seed, card or name is among them, and of an error only its type is told, since its text may quote what was sent.
"""

import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from importlib.metadata import version
from typing import Any

_log = logging.getLogger(__name__)

ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
PARENT = "traceparent"
_TRACEPARENT = re.compile(r"00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}")
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_PROBES = ("/livez", "/readyz", "/metrics")
_NOTHING: AbstractContextManager[None] = nullcontext()

Attributes = Mapping[str, str | int]
_tracer: Any = None


def wanted(environ: Mapping[str, str]) -> bool:
    """Return whether the environment asks for traces."""
    if (
        environ.get("OTEL_SDK_DISABLED", "").lower() == "true"
        or environ.get("OTEL_TRACES_EXPORTER") == "none"
    ):
        return False
    return any(environ.get(name) for name in ENDPOINTS)


def setup(part: str, environ: Mapping[str, str]) -> None:
    """Begin to trace in this process, a part of the service such as "web", if the environment asks for it."""
    if not wanted(environ):
        return
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        _log.warning(
            "traces are asked for, but the extra is not installed: pip install 'giornale[telemetry]'"
        )
        return

    begin(BatchSpanProcessor(OTLPSpanExporter()), part, environ)


def begin(processor: Any, part: str, environ: Mapping[str, str]) -> None:
    """Trace from now on, and hand ended spans to a processor of the SDK."""
    global _tracer
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider

    of_service = {
        "service.name": environ.get("OTEL_SERVICE_NAME", "giornale"),
        "service.version": version("giornale"),
        "giornale.part": part,
    }
    provider = TracerProvider(resource=Resource.create(of_service))
    provider.add_span_processor(processor)
    _tracer = provider.get_tracer("giornale")


def end() -> None:
    """Trace no more."""
    global _tracer
    _tracer = None


def is_on() -> bool:
    """Return whether this process traces."""
    return _tracer is not None


def span(name: str, match: str, number: int) -> AbstractContextManager[None]:
    """Return a block that is a span: what is done to a match, to make a version of it."""
    if _tracer is None:
        return _NOTHING
    return _recorded(name, {"giornale.match": match, "giornale.version": number})


def job(queue: str, meta: object) -> AbstractContextManager[None]:
    """Return a block that is the span of a queue's job, in the trace that its meta names.

    Whoever can write to the queues can write a meta: it is data of a strict form, or as if it were not there.
    """
    if _tracer is None:
        return _NOTHING
    named = meta.get(PARENT) if isinstance(meta, dict) else None
    return _recorded(f"job {queue}", {"giornale.queue": queue}, named, kind="CONSUMER")


def carried() -> dict[str, str] | None:
    """Return what a job's meta must hold so that the job belongs to the present trace, None if there is none."""
    if _tracer is None:
        return None
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    carrier: dict[str, str] = {}
    TraceContextTextMapPropagator().inject(carrier)
    return {PARENT: carrier[PARENT]} if PARENT in carrier else None


def tell(name: str, value: str | int) -> None:
    """Add an attribute to the present span."""
    if _tracer is not None:
        _present().set_attribute(name, value)


def name_request(operation: str) -> None:
    """Name the present request's span by its operation, as the contract calls it."""
    if _tracer is not None:
        _present().update_name(operation)


class Door:
    """A WSGI application around which every request but a probe is a span.

    believes: whether the peer of an address may say which trace a request belongs to: a trusted proxy may, a stranger
    may not.
    """

    def __init__(
        self, inner: Callable[..., Iterable[bytes]], believes: Callable[[str], bool]
    ) -> None:
        self._inner = inner
        self._believes = believes

    def __call__(
        self, environ: dict[str, Any], start_response: Callable[..., Any]
    ) -> Iterable[bytes]:
        """Answer a request; the span ends when the answer begins."""
        if environ.get("PATH_INFO", "").endswith(_PROBES):
            return self._inner(environ, start_response)

        def start(status: str, headers: list[tuple[str, str]], *error: Any) -> Any:
            tell("http.response.status_code", int(status[:3]))
            return start_response(status, headers, *error)

        method = environ["REQUEST_METHOD"]
        known = {"http.request.method": method if method in _METHODS else "_OTHER"}
        named = (
            environ.get("HTTP_TRACEPARENT")
            if self._believes(environ.get("REMOTE_ADDR", ""))
            else None
        )
        with _recorded("request", known, named, kind="SERVER"):
            return self._inner(environ, start)


@contextmanager
def _recorded(
    name: str, attributes: Attributes, parent: object = None, kind: str = "INTERNAL"
) -> Iterator[None]:
    """Record a block as a span, below a parent from outside where a right one is named. Only errors' types are told."""
    from opentelemetry.trace import SpanKind

    with _tracer.start_as_current_span(
        name,
        context=_context(parent),
        kind=SpanKind[kind],
        attributes=attributes,
        record_exception=False,
        set_status_on_exception=False,
    ) as begun:
        try:
            yield
        except Exception as error:
            begun.set_attribute("error.type", type(error).__name__)
            raise


def _context(parent: object) -> Any:
    """Return the context that a traceparent names, None (the present one) for what is none."""
    if not isinstance(parent, str) or not _TRACEPARENT.fullmatch(parent):
        return None
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    return TraceContextTextMapPropagator().extract({PARENT: parent})


def _present() -> Any:
    from opentelemetry.trace import get_current_span

    return get_current_span()
