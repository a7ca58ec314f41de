"""Shared parts of all tests: a real server, one for each process of pytest."""

import gc
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from redis import Redis
from werkzeug.routing import Rule

from service.ops.process.valkey import Server
from service.store.journal.keys import LAYOUT
from service.store.journal.redis import connection
from tests.redis_cluster import RunningCluster, running_cluster
from tests.running import PATIENCE, RunningService, running_service

# A busy machine may take long for an example.
settings.register_profile(
    "patient", parent=settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("patient")


def pytest_configure(config: pytest.Config) -> None:
    """Take Ctrl-C, and keep bytecode in pytest's cache if it may not lie beside the code.

    Without any bytecode, each process of a test would compile all its imports.
    """
    _take_interrupts()
    has_cache = config.pluginmanager.has_plugin("cacheprovider")
    if not sys.dont_write_bytecode or not has_cache or config.cache is None:
        return

    directory = config.cache.mkdir("bytecode")
    sys.pycache_prefix = str(directory)
    sys.dont_write_bytecode = False

    # The processes of xdist and of the tests read these.
    os.environ["PYTHONPYCACHEPREFIX"] = str(directory)
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

    # Earlier runs' copies of the code are never run again.
    temporary = Path(tempfile.gettempdir()).resolve()
    shutil.rmtree(directory / temporary.relative_to("/"), ignore_errors=True)


def _take_interrupts() -> None:
    """Take SIGINT, since a shell ignores it for processes in the background.

    All programs started and interrupted by tests would ignore it, too.
    """
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


BROWSER = Path(__file__).with_name("browser")
BROWSER_SHORT_FORM = BROWSER / "test_play.py"


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out the tests in a browser but the short form, unless a path names them."""
    is_long = collection_path.suffix == ".py" and collection_path != BROWSER_SHORT_FORM
    if is_long and collection_path.is_relative_to(BROWSER) and not _names_browser_tests(config):
        return True
    return None


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Say if only the short form ran: `make test` runs no other test in a browser."""
    asks_for_all = any(BROWSER.is_relative_to(path) for path in _named_paths(config))
    if asks_for_all and not _names_browser_tests(config):
        name = BROWSER_SHORT_FORM.name
        terminalreporter.write_line(f"Of tests/browser only {name} ran; `make browser` runs all.")


def _names_browser_tests(config: pytest.Config) -> bool:
    """Return True if a path in the folder of the tests in a browser is named."""
    return any(path.is_relative_to(BROWSER) for path in _named_paths(config))


def _named_paths(config: pytest.Config) -> list[Path]:
    """Return the paths given to pytest, or else those of the settings."""
    return [Path(argument.partition("::")[0]).absolute() for argument in config.args]


def pytest_collection_finish() -> None:
    """Spare the garbage collector permanent objects, and call it rarely."""
    gc.freeze()
    gc.set_threshold(100_000, 20, 100)


@pytest.fixture(scope="session", autouse=True)
def _routes_compiled_once() -> Iterator[None]:
    """All applications share Werkzeug's compiled functions that build the URLs of a route.

    Werkzeug compiles two for each route of each application. Without sharing that takes most of
    the time to make an application.
    """
    compiled: dict[Any, Any] = {}
    compile_builder = Rule._compile_builder

    def compile_once(rule: Any, append_unknown: bool = True) -> Any:
        if rule.defaults:  # They are constants of the functions.
            return compile_builder(rule, append_unknown)
        key = (rule.rule, tuple(rule._trace), append_unknown)
        if key not in compiled:
            compiled[key] = compile_builder(rule, append_unknown)
        return compiled[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Rule, "_compile_builder", compile_once)
        yield


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server set up as in production, on its own directory."""
    with Server(tmp_path_factory.mktemp("redis")) as bundled, pytest.MonkeyPatch.context() as patch:
        # On a busy machine the server may take longer to answer than the service would wait.
        patch.setattr("service.store.jobs.queues._ANSWER_SECONDS", PATIENCE)
        patch.setitem(connection.OPTIONS, "socket_timeout", PATIENCE)
        yield bundled


@pytest.fixture
def redis_url(server: Server) -> str:
    """The URL of the server, emptied."""
    with Redis.from_url(server.url) as client:
        client.flushall()
    return server.url


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Server]:
    """A server for a test to kill or spoil."""
    with Server(tmp_path) as server:
        yield server


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """The whole service, for all tests that only ask and play, since its start is costly."""
    own_settings = {
        "GIORNALE_ALLOW_SEED": "true",
        "GIORNALE_OPENINGS": "0",
        "GIORNALE_REPLACE_AFTER_HOURS": "0",
        "GIORNALE_RATE_LIMIT": "0",
        "GIORNALE_ADDRESS_LIMIT": "0",
    }
    with running_service(tmp_path_factory.mktemp("service"), **own_settings) as started:
        yield started


@pytest.fixture
def later_layout(redis_url: str) -> Iterator[Callable[[str], None]]:
    """A function that gives the journal the layout of a later release. It is removed afterwards."""
    with Redis.from_url(redis_url) as client:
        yield lambda layout: client.set(LAYOUT, layout)
        client.delete(LAYOUT)


@pytest.fixture(scope="session")
def shared_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningCluster]:
    """A cluster that no test may spoil, started when the first test asks for it."""
    with running_cluster(tmp_path_factory.mktemp("cluster")) as cluster:
        yield cluster


@pytest.fixture(scope="session")
def cluster_masters(shared_cluster: RunningCluster) -> Iterator[list[Any]]:
    """A client of each master of the shared cluster."""
    clients = [node.client() for node in shared_cluster.masters()]
    yield clients
    for client in clients:
        client.close()


@pytest.fixture
def redis_cluster(shared_cluster: RunningCluster, cluster_masters: list[Any]) -> RunningCluster:
    """The cluster, emptied."""
    for client in cluster_masters:
        client.flushall()
    return shared_cluster


HANDLED_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)


@pytest.fixture
def handlers_put_back() -> Iterator[None]:
    """The signal handlers are put back after a worker has taken them."""
    handlers = {number: signal.getsignal(number) for number in HANDLED_SIGNALS}
    yield
    for number, handler in handlers.items():
        signal.signal(number, handler)
