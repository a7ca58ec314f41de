"""Traces: one from the door to the job, nothing of what must stay secret, and nothing at all when they are off."""

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

from service import tracing
from service.api.app import create_app
from service.config import Config
from service.jobs.queues import SCORING, Queues
from service.matches.desk import Desk
from tests.service.api.conftest import Door, json, opened
from workers import context
from workers.worker import make_worker

HAS_SDK = find_spec("opentelemetry") is not None and find_spec("opentelemetry.sdk") is not None
needs_sdk = pytest.mark.skipif(
    not HAS_SDK, reason="the extra giornale[telemetry] is not installed here"
)
NAMED = [{"kind": "human", "name": name} for name in ("Cosimo", "Lorenzo", "Giuliano")]
FOREIGN = "00-" + "ab" * 16 + "-" + "cd" * 8 + "-01"


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
    """The door of an application that was made after tracing had begun; its peer is a proxy of 10.0.0.0/8 at most."""
    environ = {
        "GIORNALE_JOURNAL_URL": redis_url,
        "GIORNALE_DATA": str(tmp_path),
        "GIORNALE_ALLOW_SEED": "true",
        "GIORNALE_TRUSTED_PROXIES": "10.0.0.0/8",
    }
    app = create_app(Config.load(environ))
    desk: Desk = app.extensions["desk"]
    return Door(app.test_client(), desk)


def play_until_the_house_is_woken(door: Door, queues: Queues) -> str:
    """Move until a job for the house is there; return the id of the trace that it names."""
    while not queues.depth(SCORING):
        seat = next(seat for seat in range(3) if door.moves(f"seat:{seat}"))
        assert door.move(f"seat:{seat}").status_code == 201
    job = queues.queues[SCORING].jobs[0]
    return str(job.meta[tracing.PARENT].split("-")[1])


@needs_sdk
def test_a_move_and_its_job_are_one_trace(
    spans: Any, door: Door, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Door, decide, append and the job of the house, with its own decide and append, are one trace."""
    opened(door, seats=NAMED)
    queues: Queues = door.client.application.extensions["queues"]
    trace = play_until_the_house_is_woken(door, queues)
    monkeypatch.setattr(context, "desk", lambda: door.desk)
    make_worker(SCORING, queues.redis).work(burst=True, logging_level=None)

    found = [
        span for span in spans.get_finished_spans() if f"{span.context.trace_id:032x}" == trace
    ]
    names = {span.context.span_id: span.name for span in found}
    parents = {(span.name, names[span.parent.span_id] if span.parent else "") for span in found}
    assert parents >= {
        ("makeMove", ""),
        ("decide", "makeMove"),
        ("append", "makeMove"),
        ("decide", "job scoring"),
    }
    assert ("append", "job scoring") in parents
    [request] = [span for span in found if span.name == "makeMove"]
    assert dict(request.attributes) == {
        "http.request.method": "POST",
        "http.response.status_code": 201,
    }
    [job] = [span for span in found if span.name == "job scoring"]
    assert job.parent is not None


@needs_sdk
def test_no_secret_is_in_a_trace(spans: Any, door: Door) -> None:
    """Tokens, the seed, names and what a refused body held are in no attribute, event or name of a span."""
    opened(door, seats=NAMED, seed="the-hidden-seed")
    door.move("seat:0")
    door.post("moves", {"type": "Machiavelli"}, "seat:0")
    door.post("moves", {"type": "place"}, "gio_" + "a" * 26 + "_" + "b" * 43)
    door.get("/nowhere/Machiavelli")
    told = "\n".join(span.to_json() for span in spans.get_finished_spans())
    secrets = [
        *door.tokens.values(),
        "the-hidden-seed",
        "Cosimo",
        "Lorenzo",
        "Giuliano",
        "Machiavelli",
        "gio_",
    ]
    assert [secret for secret in secrets if secret in told] == []
    assert not any(span.events for span in spans.get_finished_spans())
    assert '"giornale.match"' in told


@needs_sdk
@pytest.mark.parametrize(
    ("peer", "given", "believed"),
    [
        pytest.param("10.1.2.3", FOREIGN, True, id="a-trusted-proxy"),
        pytest.param("192.0.2.1", FOREIGN, False, id="a-stranger"),
        pytest.param("10.1.2.3", FOREIGN + "\n", False, id="another-form"),
        pytest.param("10.1.2.3", "00-" + "0" * 32 + "-" + "0" * 16 + "-01", False, id="zeros"),
    ],
)
def test_only_a_trusted_proxy_names_a_trace(
    spans: Any, door: Door, peer: str, given: str, believed: bool
) -> None:
    """A stranger cannot choose the trace of their request, nor switch its recording on or off."""
    environ = {"REMOTE_ADDR": peer, "HTTP_TRACEPARENT": given}
    door.client.get("/v1/games", environ_overrides=environ)
    [span] = spans.get_finished_spans()
    assert (f"{span.context.trace_id:032x}" == "ab" * 16) == believed


@needs_sdk
@pytest.mark.parametrize(
    "meta", ["text", {tracing.PARENT: 7}, {tracing.PARENT: "x" * 9999}, {}, None, ["a"]], ids=repr
)
def test_a_forged_meta_is_nothing(spans: Any, meta: object) -> None:
    """Whatever stands in a job's meta, the job is done, in a trace of its own."""
    with tracing.job(SCORING, meta):
        pass
    [span] = spans.get_finished_spans()
    assert span.parent is None


@needs_sdk
def test_probes_are_not_traced(spans: Any, door: Door) -> None:
    """Liveness, readiness and metrics make no spans."""
    for path in ("/livez", "/readyz", "/metrics"):
        door.client.get(path)
    assert spans.get_finished_spans() == ()


def test_off_is_nothing(door: Door) -> None:
    """Without an endpoint there are no spans, nothing travels with a job, and the application is not wrapped."""
    assert not tracing.is_on()
    assert isinstance(tracing.span("decide", "m", 1), nullcontext)
    assert tracing.span("decide", "m", 1) is tracing.job(SCORING, {tracing.PARENT: FOREIGN})
    assert tracing.job_meta() is None
    assert not isinstance(door.client.application.wsgi_app, tracing.Door)
    opened(door)
    queues: Queues = door.client.application.extensions["queues"]
    queues.wake("a" * 26, 1, "house")
    job = queues.queues[SCORING].fetch_job(f"house-{'a' * 26}-1")
    assert job is not None
    assert job.meta == {}
    assert json(door.client.get("/livez")) == {"status": "ok"}


@pytest.mark.parametrize(
    ("environ", "wanted"),
    [
        ({}, False),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}, True),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://127.0.0.1:4318/v1/traces"}, True),
        (
            {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318", "OTEL_SDK_DISABLED": "true"},
            False,
        ),
        (
            {
                "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318",
                "OTEL_TRACES_EXPORTER": "none",
            },
            False,
        ),
    ],
    ids=["nothing", "endpoint", "endpoint-of-traces", "disabled", "no-exporter"],
)
def test_the_usual_variables_switch_it_on(environ: dict[str, str], wanted: bool) -> None:
    """An endpoint is what asks for traces; the usual switches turn them off."""
    assert tracing.wanted(environ) == wanted


def test_asking_without_the_extra_is_told() -> None:
    """A process that is told to trace and cannot says so, and works."""
    program = (
        "import logging, os, sys\n"
        "logging.basicConfig()\n"
        "sys.modules['opentelemetry'] = None\n"
        "from service import tracing\n"
        "tracing.setup('web', os.environ)\n"
        "print(tracing.is_on())\n"
    )
    done = run(program, "http://127.0.0.1:9")
    assert done.stdout.split() == ["False"]
    assert "pip install 'giornale[telemetry]'" in done.stderr


class Collector(BaseHTTPRequestHandler):
    """A collector that takes note of what it is sent."""

    received: list[tuple[str, bytes]] = []

    def do_POST(self) -> None:
        """Take what is sent."""
        self.received.append((self.path, self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.mark.skipif(
    not HAS_SDK or find_spec("opentelemetry.exporter") is None,
    reason="the extra giornale[telemetry] is not installed here",
)
def test_spans_reach_a_collector() -> None:
    """A process that ends sends what it has recorded, over OTLP in HTTP, to the endpoint of the usual variable."""
    with HTTPServer(("127.0.0.1", 0), Collector) as collector:
        listening = threading.Thread(target=collector.serve_forever)
        listening.start()
        program = (
            "import os\n"
            "from service import tracing\n"
            "tracing.setup('scoring', os.environ)\n"
            "with tracing.span('decide', 'm', 1): pass\n"
        )
        run(program, f"http://127.0.0.1:{collector.server_port}")
        collector.shutdown()
        listening.join()
    [(path, body)] = Collector.received
    assert path == "/v1/traces"
    assert b"giornale.match" in body
    assert b"scoring" in body


def run(program: str, endpoint: str) -> subprocess.CompletedProcess[str]:
    """Run a program that is told to send its traces to an endpoint."""
    environ = os.environ | {"OTEL_EXPORTER_OTLP_ENDPOINT": endpoint}
    return subprocess.run(
        [sys.executable, "-c", program], env=environ, capture_output=True, text=True, check=True
    )
