"""The examples of deployment name only what there is: settings, commands, ports, probes, files."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from service.cli.commands import main
from service.config import Config
from service.jobs.queues import FUNCTIONS
from service.journal.redis import open_journal
from service.journal.redis.store import CONFIRM_MS
from service.process.valkey import SETTINGS, Server
from tests.deploy.conftest import MakeApp
from tests.deploy.places import (
    CONTAINER,
    CONTAINERFILE,
    DEPLOY,
    KUBERNETES,
    ROOT,
    SYSTEMD,
    Tree,
    compose,
    compose_services,
    copied_into_image,
    directives,
    environment_file,
    manifest_names,
    of_kind,
    pods,
    unit,
    variables,
)

PROCESSES = {("web",), ("keeper",), *(("worker", name) for name in FUNCTIONS)}
PORT = 8000
SOME_SECRET = "x" * 32

# What a journal's server must have, or moves can be lost.
SAFE = {"appendonly": "yes", "appendfsync": "always", "maxmemory-policy": "noeviction", "save": ""}

# What depends on the machine, and what the test's own server chooses for itself.
OF_THE_MACHINE = {"dir", "unixsocket", "unixsocketperm", "bind", "port", "maxmemory"}


def files() -> list[Path]:
    """Return every file of the examples."""
    return sorted(path for path in DEPLOY.rglob("*") if path.is_file())


@pytest.mark.parametrize("path", files(), ids=lambda path: str(path.relative_to(DEPLOY)))
def test_only_settings_that_exist_are_named(path: Path) -> None:
    """No file sets, or speaks of, a GIORNALE_ variable that the service does not know."""
    known = Config.load({}).environment().keys()

    assert set(variables(path)) <= known


def filled_in(value: str) -> str:
    """Return a value of the compose file with its variables replaced by defaults or a secret."""
    return re.sub(
        r"\$\{\w+(?::-(?P<default>[^}]*))?\}",
        lambda variable: variable["default"] or SOME_SECRET,
        value,
    )


def test_settings_have_right_values() -> None:
    """What containers, pods and units are given makes a configuration."""
    environment = compose_services()["web"]["environment"]
    filled = {name: filled_in(str(value)) for name, value in environment.items()}
    by_compose = Config.load(filled, connected=True)
    assert by_compose.allowed_hosts == ("localhost", "web")

    by_kubernetes = Config.load(of_kind("ConfigMap")["giornale"]["data"])
    assert by_kubernetes.port == PORT

    by_systemd = Config.load(environment_file(), connected=True)
    assert by_systemd.port == PORT


def ours(containers: Iterable[Tree]) -> list[Tree]:
    """Return the containers that run Giornale, not its servers."""
    return [container for container in containers if container["image"] == "giornale"]


def arguments_of_unit(name: str) -> tuple[str, ...]:
    """Return the arguments that a unit's name stands for: "giornale-worker@bots.service"."""
    plain = name.removeprefix("giornale-").removesuffix(".service")
    return tuple(plain.split("@"))


def test_every_process_of_the_service_is_started_once() -> None:
    """Web, keeper and a worker for each queue: by compose, by Kubernetes, by systemd."""
    services = ours(compose_services().values())
    by_compose = [tuple(service["command"]) for service in services]

    containers = ours(pods().values())
    by_kubernetes = [tuple(container["args"]) for container in containers]

    wanted = " ".join(unit(SYSTEMD / "giornale.target")["Wants"])
    by_systemd = [arguments_of_unit(name) for name in wanted.split()]

    for started in (by_compose, by_kubernetes, by_systemd):
        assert sorted(started) == sorted(PROCESSES)


@pytest.mark.parametrize("arguments", sorted(PROCESSES), ids=" ".join)
def test_every_process_is_a_command(arguments: tuple[str, ...]) -> None:
    """The command line knows each, and it complains of the missing journal, not of the command."""
    runner = CliRunner(env={"GIORNALE_JOURNAL_URL": ""})

    result = runner.invoke(main, arguments)

    assert result.exit_code == 1
    assert "GIORNALE_JOURNAL_URL is needed" in result.output


def probes(tree: Any) -> list[tuple[str, int]]:
    """Return path and port of every HTTP probe in a manifest."""
    if isinstance(tree, list):
        inner = tree
        own = []
    elif isinstance(tree, dict):
        inner = list(tree.values())
        probe = tree.get("httpGet")
        own = [(probe["path"], probe["port"])] if probe else []
    else:
        return []

    found = list(own)
    for each in inner:
        found += probes(each)
    return found


def test_ports_are_those_of_the_service() -> None:
    """Containers, pods and probes name the port that is served."""
    web = pods()["web"]
    assert [port["containerPort"] for port in web["ports"]] == [PORT]
    assert {port for _, port in probes(web)} == {PORT}

    assert compose_services()["web"]["ports"] == [f"127.0.0.1:{PORT}:{PORT}"]
    exposed = re.findall(r"^EXPOSE (\d+)$", CONTAINERFILE.read_text(), re.MULTILINE)
    assert exposed == [str(PORT)]


def test_what_is_probed_is_answered(make_app: MakeApp) -> None:
    """Under whatever host name, for a probe names an address.

    Kubernetes takes a pod away only where it cannot even be read from.
    """
    by_kubernetes = {path for path, _ in probes(pods()["web"])}
    assert by_kubernetes == {"/livez", "/readyz?reading"}

    healthcheck = compose_services()["web"]["healthcheck"]
    [by_compose] = re.findall(r"http://127\.0\.0\.1:8000(/\w+)", str(healthcheck))

    client = make_app().test_client()
    for path in [*by_kubernetes, by_compose]:
        answer = client.get(path, headers={"Host": "10.0.0.9"})
        assert answer.status_code in (200, 503)


def test_a_probe_waits_as_long_as_the_journal_may_take() -> None:
    """Kubernetes waits for a second if nothing is said; a replica alone is waited for that long."""
    web = pods()["web"]
    for probe in (web["readinessProbe"], web["livenessProbe"]):
        assert probe["timeoutSeconds"] * 1000 > 2 * CONFIRM_MS


def journals() -> dict[str, str]:
    """Return the configuration of the journal's server, as each example has it."""
    return {
        "container": (CONTAINER / "journal.conf").read_text(),
        "kubernetes": of_kind("ConfigMap")["valkey"]["data"]["journal.conf"],
        "systemd": (SYSTEMD / "journal.conf").read_text(),
    }


@pytest.mark.parametrize("name", ["container", "kubernetes", "systemd"])
def test_a_journal_set_up_like_this_is_safe(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The service has nothing to complain of a real server with these settings."""
    settings = directives(journals()[name])
    assert SAFE.items() <= settings.items()
    assert settings["maxmemory"].endswith("b")

    for setting in SAFE:
        monkeypatch.delitem(SETTINGS, setting)
    for setting in settings.keys() - OF_THE_MACHINE:
        monkeypatch.setitem(SETTINGS, setting, settings[setting])

    with Server(tmp_path) as server:
        journal = open_journal(server.url, 4)
        assert journal.server.check() == []
        journal.close()


def test_the_journals_bound_is_below_that_of_its_pod() -> None:
    """So the server refuses to write more before the kernel kills it."""
    bound = directives(journals()["kubernetes"])["maxmemory"]
    limit = pods()["journal"]["resources"]["limits"]["memory"]

    assert (bound, limit) == ("768mb", "1Gi")


def test_files_that_containers_mount_are_there() -> None:
    """Whatever compose mounts by a relative path lies in the repository."""
    for service in compose_services().values():
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            assert not source.startswith(".") or (CONTAINER / source).is_file()


def test_files_that_the_image_is_built_from_are_there() -> None:
    """What the Containerfile copies, and the folder and the file that compose builds from."""
    for name in copied_into_image():
        assert (ROOT / name).exists()

    build = compose()["services"]["web"]["build"]
    assert (CONTAINER / build["context"]).resolve() == ROOT
    assert (ROOT / build["dockerfile"]).is_file()


def test_the_kustomization_names_every_manifest() -> None:
    """All files of the folder, and no others."""
    names = {path.name for path in KUBERNETES.iterdir()}

    assert names == {"kustomization.yaml", *manifest_names()}
