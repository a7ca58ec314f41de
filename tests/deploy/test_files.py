"""The examples of deployment name only existing settings, commands, ports, probes and files."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from service.base.config import Config
from service.ops.cli.commands import main
from service.ops.process.valkey import SETTINGS, Server
from service.store.jobs.table import QUEUES, WEBHOOK_JOBS
from service.store.journal.redis import open_journal
from service.store.journal.redis.store import CONFIRM_MS
from tests.deploy.conftest import MakeApp
from tests.deploy.places import (
    CONTAINER,
    CONTAINERFILE,
    DEPLOY,
    KUBERNETES,
    ROOT,
    SYSTEMD,
    Tree,
    compose_services,
    copied_into_image,
    directives,
    environment_file,
    manifest_names,
    manifests,
    of_kind,
    pods,
    unit,
    workloads,
)

# All but the worker of webhooks. They are off unless an operator wants them.
WORKERS = [name for name in QUEUES if name != WEBHOOK_JOBS]
PROCESSES = {("web",), ("scheduler",), *(("worker", name) for name in WORKERS)}
PORT = 8000
SOME_SECRET = "x" * 32

# Necessary settings of a journal's server, or moves can be lost.
SAFE = {"appendonly": "yes", "appendfsync": "always", "maxmemory-policy": "noeviction", "save": ""}

# Settings that depend on the machine, and those that the test's own server chooses.
OF_THE_MACHINE = {"dir", "unixsocket", "unixsocketperm", "bind", "port", "maxmemory"}


def test_only_settings_that_exist_are_named() -> None:
    """No file sets, or speaks of, a GIORNALE_ variable that the service does not know."""
    settings = Config.load({}).environment().keys()
    for path in DEPLOY.rglob("*"):
        if path.is_file():
            names = set(re.findall(r"\bGIORNALE_[A-Z_]+\b", path.read_text()))
            assert names <= settings, path


def filled_in(value: str) -> str:
    """Return a value of the compose file with its variables replaced by defaults or a secret."""
    return re.sub(
        r"\$\{\w+(?::-(?P<default>[^}]*))?\}",
        lambda variable: variable["default"] or SOME_SECRET,
        value,
    )


def test_settings_have_right_values() -> None:
    """The settings of containers, pods and units make a configuration."""
    environment = compose_services()["web"]["environment"]
    filled = {name: filled_in(str(value)) for name, value in environment.items()}
    by_compose = Config.load(filled, connected=True)
    assert by_compose.allowed_hosts == ("localhost", "web")

    by_kubernetes = Config.load(of_kind("ConfigMap")["giornale"]["data"])
    assert by_kubernetes.port == PORT

    by_systemd = Config.load(environment_file(), connected=True)
    assert by_systemd.port == PORT


def test_every_process_of_the_service_is_started_once() -> None:
    """Web, scheduler and a worker for each queue but webhooks: by compose, Kubernetes and systemd.

    Each is a command, and fails without the URL of a journal.
    """
    services = compose_services().values()
    by_compose = [tuple(one["command"]) for one in services if one["image"] == "giornale"]
    containers = pods().values()
    by_kubernetes = [tuple(one["args"]) for one in containers if one["image"] == "giornale"]
    units = " ".join(unit(SYSTEMD / "giornale.target")["Wants"])
    by_systemd = [
        tuple(name.removeprefix("giornale-").removesuffix(".service").split("@"))
        for name in units.split()
    ]
    for started in (by_compose, by_kubernetes, by_systemd):
        assert sorted(started) == sorted(PROCESSES)

    runner = CliRunner(env={"GIORNALE_JOURNAL_URL": ""})
    for arguments in PROCESSES:
        result = runner.invoke(main, arguments)
        assert result.exit_code == 1
        assert "GIORNALE_JOURNAL_URL is needed" in result.output


def probes() -> list[Tree]:
    """Return the probes of Kubernetes."""
    web = pods()["web"]
    return [probe for name, probe in web.items() if name.endswith("Probe")]


def test_ports_are_those_of_the_service() -> None:
    """Containers, pods and probes name the port that is served."""
    web = pods()["web"]
    assert [port["containerPort"] for port in web["ports"]] == [PORT]
    assert {probe["httpGet"]["port"] for probe in probes()} == {PORT}

    assert compose_services()["web"]["ports"] == [f"127.0.0.1:{PORT}:{PORT}"]
    exposed = re.findall(r"^EXPOSE (\d+)$", CONTAINERFILE.read_text(), re.MULTILINE)
    assert exposed == [str(PORT)]


def test_probes_are_answered(make_app: MakeApp) -> None:
    """Probes are answered under any host name, since they name an address.

    Kubernetes sends requests to a pod as long as it can be read from. The timeouts of its probes
    are over twice the longest wait for a replica of the journal.
    """
    by_kubernetes = {probe["httpGet"]["path"] for probe in probes()}
    assert by_kubernetes == {"/livez", "/readyz?reading"}

    healthcheck = compose_services()["web"]["healthcheck"]
    [by_compose] = re.findall(r"http://127\.0\.0\.1:8000(/\w+)", str(healthcheck))

    client = make_app().test_client()
    for path in [*by_kubernetes, by_compose]:
        answer = client.get(path, headers={"Host": "10.0.0.9"})
        assert answer.status_code in (200, 503)

    for probe in (pods()["web"]["readinessProbe"], pods()["web"]["livenessProbe"]):
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
    """The service's check finds no fault in a real server with these settings."""
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

    if name == "kubernetes":  # the server refuses to write before the kernel kills it
        limit = pods()["journal"]["resources"]["limits"]["memory"]
        assert (settings["maxmemory"], limit) == ("768mb", "1Gi")


def test_files_that_are_named_are_there() -> None:
    """Mounts and builds of compose, files for the Containerfile, and all manifests exist."""
    for service in compose_services().values():
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            assert not source.startswith(".") or (CONTAINER / source).is_file()

    for name in copied_into_image():
        assert (ROOT / name).exists()
    build = compose_services()["web"]["build"]
    assert (CONTAINER / build["context"]).resolve() == ROOT
    assert (ROOT / build["dockerfile"]).is_file()

    names = {path.name for path in KUBERNETES.iterdir()}
    assert names == {"kustomization.yaml", *manifest_names()}


# ---- what the manifests for Kubernetes refer to --------------------------------------------------


def ports_of(service: str) -> list[int]:
    """Return the ports of a Service."""
    return [port["port"] for port in of_kind("Service")[service]["spec"]["ports"]]


def test_services_choose_pods_that_there_are() -> None:
    """The labels of each selector are those of some pods."""
    templates = [
        manifest["spec"]["template"]
        for manifest in manifests()
        if "template" in manifest.get("spec", {})
    ]
    labels = [template["metadata"]["labels"] for template in templates]
    for service in of_kind("Service").values():
        assert service["spec"]["selector"] in labels


@pytest.mark.parametrize("name", workloads())
def test_a_workload_has_its_pods_volumes_and_settings(name: str) -> None:
    """A workload chooses pods by the labels it gives them. Mounts and variables are declared."""
    spec = workloads()[name]["spec"]
    template = spec["template"]
    assert spec["selector"]["matchLabels"] == template["metadata"]["labels"]

    volumes = template["spec"].get("volumes", [])
    claims = spec.get("volumeClaimTemplates", [])
    declared = {volume["name"] for volume in volumes}
    declared.update(claim["metadata"]["name"] for claim in claims)

    container = pods()[name]
    mounts = container.get("volumeMounts", [])
    assert {mount["name"] for mount in mounts} <= declared

    for reference in container.get("envFrom", []):
        assert reference["configMapRef"]["name"] in of_kind("ConfigMap")


@pytest.mark.parametrize(("name", "path"), [("web", "/"), ("records", "/v1/records")])
def test_an_ingress_leads_to_a_port_of_the_web(name: str, path: str) -> None:
    """The backend of an Ingress is a Service with that port."""
    [rule] = of_kind("Ingress")[name]["spec"]["rules"]
    assert rule["http"]["paths"][0]["path"] == path
    backend = rule["http"]["paths"][0]["backend"]["service"]
    assert backend["port"]["number"] in ports_of(backend["name"])


def test_the_web_knows_the_addresses_of_the_servers() -> None:
    """Journal and queue are Services, at the ports that the URLs name."""
    urls = [variable["value"] for variable in pods()["web"]["env"] if "URL" in variable["name"]]
    assert len(urls) == 2
    for url in urls:
        [(service, port)] = re.findall(r"@(\w+):(\d+)/", url)
        assert int(port) in ports_of(service)
