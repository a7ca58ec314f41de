"""Traces: one from the door to the job, without secrets. Without an endpoint there are none."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import nullcontext
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from service.app import create_app
from service.base import tracing
from service.base.config import Config
from service.base.release import with_extra
from service.store.jobs.queues import Queues
from service.store.jobs.seal import CODE
from service.store.jobs.table import HOUSE
from tests.service.api.conftest import Door, json, opened
from workers import process
from workers.app import open_lane
from workers.worker import make_worker

HAS_SDK = find_spec("opentelemetry") is not None and find_spec("opentelemetry.sdk") is not None
needs_sdk = pytest.mark.skipif(
    not HAS_SDK, reason="the extra giornale[telemetry] is not installed here"
)
NAMES = ("Cosimo", "Lorenzo", "Giuliano")
NAMED_SEATS = [{"kind": "human", "name": name} for name in NAMES]

FOREIGN_TRACE = "ab" * 16
FOREIGN_PARENT = f"00-{FOREIGN_TRACE}-{'cd' * 8}-01"
ZERO_PARENT = f"00-{'0' * 32}-{'0' * 16}-01"


@pytest.fixture
def spans() -> Iterator[Any]:
    """An exporter that keeps all spans, while this process traces."""
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter = InMemorySpanExporter()
    tracing.start(SimpleSpanProcessor(exporter), "test", {})
    yield exporter
    tracing.stop()


@pytest.fixture
def door(redis_url: str, tmp_path: Path) -> Door:
    """The door of a new application. It trusts proxies of 10.0.0.0/8."""
    environ = {
        "GIORNALE_JOURNAL_URL": redis_url,
        "GIORNALE_DATA": str(tmp_path),
        "GIORNALE_ALLOW_SEED": "true",
        "GIORNALE_TRUSTED_PROXIES": "10.0.0.0/8",
    }
    return Door.of(create_app(Config.load(environ)))


def play_until_the_house_is_woken(door: Door, queues: Queues) -> str:
    """Move until a job for the house is there. Return the id of its trace."""
    while not queues.depth(HOUSE):
        seat = next(seat for seat in range(3) if door.moves(f"seat:{seat}"))
        assert door.move(f"seat:{seat}").status_code == 201
        door.services.enqueuer.flush()

    [job] = queues.queues[HOUSE].jobs
    _version, trace, *_rest = job.meta[tracing.PARENT].split("-")
    return str(trace)


def trace_of(span: Any) -> str:
    """Return the id of the trace a span belongs to, in hex."""
    return f"{span.context.trace_id:032x}"


@needs_sdk
def test_a_move_and_its_job_are_one_trace(
    spans: Any, door: Door, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A move and the job of the house are one trace, each with its decide and append."""
    opened(door, seats=NAMED_SEATS)
    queues = door.services.queues
    trace = play_until_the_house_is_woken(door, queues)
    monkeypatch.setattr(process, "ctx", lambda: door.ctx)
    make_worker(open_lane(HOUSE, queues)).work(burst=True, logging_level=None)

    of_trace = [span for span in spans.get_finished_spans() if trace_of(span) == trace]
    names = {span.context.span_id: span.name for span in of_trace}
    names_and_parents = {
        (span.name, names[span.parent.span_id] if span.parent else "") for span in of_trace
    }
    assert names_and_parents >= {
        ("makeMove", ""),
        ("decide", "makeMove"),
        ("append", "makeMove"),
        ("decide", "job house"),
        ("append", "job house"),
    }

    [request] = [span for span in of_trace if span.name == "makeMove"]
    assert dict(request.attributes) == {
        "http.request.method": "POST",
        "http.response.status_code": 201,
    }
    [job] = [span for span in of_trace if span.name == "job house"]
    assert job.parent is not None


@needs_sdk
def test_no_secret_is_in_a_trace(spans: Any, door: Door) -> None:
    """No attribute, event or name of a span holds a token, the seed, a name or a refused body.

    Liveness, readiness and metrics make no spans.
    """
    opened(door, seats=NAMED_SEATS, seed="the-hidden-seed")
    door.move("seat:0")
    door.post("moves", {"type": "Machiavelli"}, "seat:0")
    door.post("moves", {"type": "place"}, "gio_" + "a" * 26 + "_" + "b" * 43)
    door.get("/nowhere/Machiavelli")

    finished = spans.get_finished_spans()
    recorded = "\n".join(span.to_json() for span in finished)
    secrets = [*door.tokens.values(), *NAMES, "the-hidden-seed", "Machiavelli", "gio_"]
    assert [secret for secret in secrets if secret in recorded] == []
    assert not any(span.events for span in finished)
    assert '"giornale.match"' in recorded

    for path in ("/livez", "/readyz", "/metrics"):
        door.client.get(path)
    assert len(spans.get_finished_spans()) == len(finished)


@needs_sdk
@pytest.mark.parametrize(
    ("peer", "header", "believed"),
    [
        pytest.param("10.1.2.3", FOREIGN_PARENT, True, id="a-trusted-proxy"),
        pytest.param("192.0.2.1", FOREIGN_PARENT, False, id="a-stranger"),
        pytest.param("10.1.2.3", FOREIGN_PARENT + "\n", False, id="another-form"),
        pytest.param("10.1.2.3", ZERO_PARENT, False, id="zeros"),
    ],
)
def test_only_a_trusted_proxy_names_a_trace(
    spans: Any, door: Door, peer: str, header: str, believed: bool
) -> None:
    """Only a trusted proxy can choose the trace of a request."""
    environ = {"REMOTE_ADDR": peer, "HTTP_TRACEPARENT": header}
    door.client.get("/v1/games", environ_overrides=environ)
    [span] = spans.get_finished_spans()
    assert (trace_of(span) == FOREIGN_TRACE) == believed


@needs_sdk
@pytest.mark.parametrize(
    "meta", ["text", {tracing.PARENT: 7}, {tracing.PARENT: "x" * 9999}, {}, None, ["a"]], ids=repr
)
def test_a_forged_meta_is_nothing(spans: Any, meta: object) -> None:
    """A job with a forged meta is done, in a trace of its own."""
    with tracing.job(HOUSE, meta):
        pass
    [span] = spans.get_finished_spans()
    assert span.parent is None


def test_off_is_nothing(door: Door) -> None:
    """Without an endpoint there are no spans, and the application is not wrapped.

    The meta of a job holds its code alone.
    """
    assert not tracing.is_on()
    assert isinstance(tracing.span(tracing.VersionStep("decide", "m", 1)), nullcontext)
    assert isinstance(tracing.job(HOUSE, {tracing.PARENT: FOREIGN_PARENT}), nullcontext)
    assert not isinstance(door.client.application.wsgi_app, tracing.Door)
    assert json(door.client.get("/livez")) == {"status": "ok"}

    assert tracing.job_meta() is None

    opened(door)
    queues = door.services.queues
    match = "a" * 26
    queues.enqueue(match, 1, "house")
    job = queues.queues[HOUSE].fetch_job(f"house-{match}-1")
    assert job is not None
    assert job.meta.keys() == {CODE}


ENDPOINT = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}
ENDPOINT_OF_TRACES = {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://127.0.0.1:4318/v1/traces"}


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({}, False),
        (ENDPOINT, True),
        (ENDPOINT_OF_TRACES, True),
        (ENDPOINT | {"OTEL_SDK_DISABLED": "true"}, False),
        (ENDPOINT | {"OTEL_TRACES_EXPORTER": "none"}, False),
    ],
    ids=["nothing", "endpoint", "endpoint-of-traces", "disabled", "no-exporter"],
)
def test_the_usual_variables_switch_it_on(environ: dict[str, str], expected: bool) -> None:
    """An endpoint switches traces on. The usual switches turn them off."""
    assert tracing.wanted(environ) == expected


ASKING_WITHOUT_THE_EXTRA = """
import logging, os, sys
logging.basicConfig()
sys.modules["opentelemetry"] = None
from service.base import tracing
tracing.setup("web", os.environ)
print(tracing.is_on())
"""

TRACING_ONE_SPAN = """
import os
from service.base import tracing
tracing.setup("house", os.environ)
with tracing.span(tracing.VersionStep("decide", "m", 1)):
    pass
"""


def test_asking_without_the_extra_is_told() -> None:
    """A process that should trace without the extra says so, and works."""
    completed = run(ASKING_WITHOUT_THE_EXTRA, "http://127.0.0.1:9")
    assert completed.stdout.split() == ["False"]
    assert with_extra("telemetry") in completed.stderr


class Collector(BaseHTTPRequestHandler):
    """A collector that notes each request."""

    received: list[tuple[str, bytes]] = []

    def do_POST(self) -> None:
        """Note a request."""
        length = int(self.headers["Content-Length"])
        self.received.append((self.path, self.rfile.read(length)))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.mark.skipif(
    not HAS_SDK or find_spec("opentelemetry.exporter") is None,
    reason="the extra giornale[telemetry] is not installed here",
)
def test_spans_reach_a_collector() -> None:
    """A process that ends sends its recorded spans, over OTLP in HTTP, to the endpoint."""
    with HTTPServer(("127.0.0.1", 0), Collector) as collector:
        listening = threading.Thread(target=collector.serve_forever, args=(0.01,))
        listening.start()
        run(TRACING_ONE_SPAN, f"http://127.0.0.1:{collector.server_port}")
        collector.shutdown()
        listening.join()

    [(path, body)] = Collector.received
    assert path == "/v1/traces"
    assert b"giornale.match" in body
    assert b"house" in body


def run(program: str, endpoint: str) -> subprocess.CompletedProcess[str]:
    """Run a program that is told to send its traces to an endpoint."""
    return subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"OTEL_EXPORTER_OTLP_ENDPOINT": endpoint},
        capture_output=True,
        text=True,
        check=True,
    )
