"""The examples of deployment name only what there is: settings, commands, ports, probes, files."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from service.api.app import create_app
from service.cli.commands import main
from service.config import Config
from service.jobs.queues import FUNCTIONS
from service.journal.redis import open_journal
from service.process.connections import IDLE_SECONDS
from service.process.valkey import SETTINGS, Server
from tests.deploy.places import (
    CONTAINER,
    DEPLOY,
    KUBERNETES,
    PROXIES,
    ROOT,
    SYSTEMD,
    compose,
    directives,
    environment_file,
    manifests,
    of_kind,
    pods,
    unit,
    variables,
)

PARTS = {("web",), ("keeper",), *(("worker", name) for name in FUNCTIONS)}
PORT = 8000
SAFE = {"appendonly": "yes", "appendfsync": "always", "maxmemory-policy": "noeviction", "save": ""}


def files() -> list[Path]:
    """Return every file of the examples."""
    return sorted(path for path in DEPLOY.rglob("*") if path.is_file())


@pytest.mark.parametrize("path", files(), ids=lambda path: str(path.relative_to(DEPLOY)))
def test_only_settings_that_exist_are_named(path: Path) -> None:
    """No file sets, or speaks of, a GIORNALE_ variable that the service does not know."""
    assert set(variables(path)) <= Config.load({}).environment().keys()


def test_settings_have_right_values() -> None:
    """What containers, pods and units are given makes a configuration."""
    given = {
        name: str(value) for name, value in compose()["services"]["web"]["environment"].items()
    }
    filled = {name: re.sub(r"\$\{(\w+)(?::-([^}]*))?\}", lambda found: found[2] or "x" * 32, value)
              for name, value in given.items()}  # fmt: skip
    assert Config.load(filled, connected=True).allowed_hosts == ("localhost", "web")
    assert Config.load(of_kind("ConfigMap")["giornale"]["data"]).port == PORT
    assert Config.load(environment_file(), connected=True).port == PORT


def test_every_part_of_the_service_is_started_once() -> None:
    """Web, keeper and a worker for each queue: by compose, by Kubernetes, by systemd."""
    services = compose()["services"]
    by_compose = [tuple(one["command"]) for one in services.values() if one["image"] == "giornale"]
    by_pods = [tuple(one["args"]) for one in pods().values() if one["image"] == "giornale"]
    target = " ".join(unit(SYSTEMD / "giornale.target")["Wants"]).split()
    by_units = [tuple(re.sub(r"giornale-|\.service", "", name).split("@")) for name in target]
    for found in (by_compose, by_pods, by_units):
        assert sorted(found) == sorted(PARTS)


@pytest.mark.parametrize("part", sorted(PARTS), ids=" ".join)
def test_every_part_is_a_command(part: tuple[str, ...]) -> None:
    """The command line knows each, and it complains of the missing journal, not of the command."""
    result = CliRunner(env={"GIORNALE_JOURNAL_URL": ""}).invoke(main, part)
    assert result.exit_code == 1
    assert "GIORNALE_JOURNAL_URL is needed" in result.output


def probes(tree: Any) -> list[tuple[str, int]]:
    """Return path and port of every HTTP probe in a manifest."""
    if isinstance(tree, list):
        return [one for item in tree for one in probes(item)]
    if not isinstance(tree, dict):
        return []
    own = [(tree["httpGet"]["path"], tree["httpGet"]["port"])] if "httpGet" in tree else []
    return own + [one for value in tree.values() for one in probes(value)]


def test_ports_and_probes_are_those_of_the_service(redis_url: str, tmp_path: Path) -> None:
    """What is probed is answered, for whatever host, at the port that is served and published."""
    app = create_app(
        Config.load({"GIORNALE_JOURNAL_URL": redis_url, "GIORNALE_DATA": str(tmp_path)})
    )
    web = pods()["web"]
    assert [port["containerPort"] for port in web["ports"]] == [PORT]
    found = probes(web)
    assert {path for path, _port in found} == {"/livez", "/readyz"}
    assert {port for _path, port in found} == {PORT}
    [checked] = re.findall(
        r"http://127\.0\.0\.1:8000(/\w+)", str(compose()["services"]["web"]["healthcheck"])
    )
    for path in [path for path, _port in found] + [checked]:
        answer = app.test_client().get(path, headers={"Host": "10.0.0.9"})
        assert answer.status_code in (200, 503)
    assert compose()["services"]["web"]["ports"] == [f"127.0.0.1:{PORT}:{PORT}"]
    assert re.findall(
        r"^EXPOSE (\d+)$", (CONTAINER / "Containerfile").read_text(), re.MULTILINE
    ) == [str(PORT)]


def test_kubernetes_names_what_it_has() -> None:
    """Services choose pods that there are, volumes and settings are defined, ports are those of the servers."""
    services = of_kind("Service")
    labels = [
        one["spec"]["template"]["metadata"]["labels"]
        for one in manifests()
        if "template" in one.get("spec", {})
    ]
    for one in services.values():
        assert one["spec"]["selector"] in labels
    for workload in [*of_kind("Deployment").values(), *of_kind("StatefulSet").values()]:
        assert (
            workload["spec"]["selector"]["matchLabels"]
            == workload["spec"]["template"]["metadata"]["labels"]
        )
        spec = workload["spec"]["template"]["spec"]
        claims = [
            one["metadata"]["name"] for one in workload["spec"].get("volumeClaimTemplates", [])
        ]
        volumes = {volume["name"] for volume in spec.get("volumes", [])} | set(claims)
        for container in spec["containers"]:
            assert {mount["name"] for mount in container.get("volumeMounts", [])} <= volumes
            for reference in container.get("envFrom", []):
                assert reference["configMapRef"]["name"] in of_kind("ConfigMap")
    [rule] = of_kind("Ingress")["web"]["spec"]["rules"]
    backend = rule["http"]["paths"][0]["backend"]["service"]
    assert backend["port"]["number"] in [
        port["port"] for port in services[backend["name"]]["spec"]["ports"]
    ]
    urls = [variable["value"] for variable in pods()["web"]["env"] if "URL" in variable["name"]]
    for url in urls:
        host, port = re.findall(r"@(\w+):(\d+)/", url)[0]
        assert int(port) in [one["port"] for one in services[host]["spec"]["ports"]]


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
    """A real server with these settings is one of which the service has nothing to complain."""
    settings = directives(journals()[name])
    assert SAFE.items() <= settings.items()
    assert settings["maxmemory"].endswith("b")
    ours = {"dir", "unixsocket", "unixsocketperm", "bind", "port"}
    for setting in SAFE:
        monkeypatch.delitem(SETTINGS, setting)
    for setting, value in settings.items():
        if setting not in ours | {"maxmemory"}:
            monkeypatch.setitem(SETTINGS, setting, value)
    with Server(tmp_path) as server:
        journal = open_journal(server.url, 4)
        assert journal.check() == []
        journal.close()


def test_the_containers_memory_holds_the_journal() -> None:
    """The server refuses more before the kernel kills it: its bound is below the limit of its pod."""
    bound = directives(journals()["kubernetes"])["maxmemory"]
    limit = pods()["journal"]["resources"]["limits"]["memory"]
    assert (bound, limit) == ("768mb", "1Gi")


def test_files_that_are_named_are_there() -> None:
    """Whatever the containers mount, copy or build from lies in the repository."""
    for service in compose()["services"].values():
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            assert not source.startswith(".") or (CONTAINER / source).is_file()
    text = (CONTAINER / "Containerfile").read_text()
    for line in re.findall(r"^COPY (?!--from)(.+) \S+$", text, re.MULTILINE):
        assert all((ROOT / name).exists() for name in line.split())
    build = compose()["services"]["web"]["build"]
    assert (CONTAINER / build["context"]).resolve() == ROOT
    assert (ROOT / build["dockerfile"]).is_file()
    assert {path.name for path in KUBERNETES.iterdir()} == {
        "kustomization.yaml", *yaml.safe_load((KUBERNETES / "kustomization.yaml").read_text())["resources"],
    }  # fmt: skip


def test_prometheus_asks_where_the_metrics_are(redis_url: str, tmp_path: Path) -> None:
    """Target, path and rules of prometheus.yml are those of compose."""
    told = yaml.safe_load((CONTAINER / "prometheus.yml").read_text())
    [scrape] = told["scrape_configs"]
    host, port = scrape["static_configs"][0]["targets"][0].split(":")
    assert host in compose()["services"]
    assert int(port) == PORT
    mounts = compose()["services"]["prometheus"]["volumes"]
    assert all(any(f":{rules}:" in mount for mount in mounts) for rules in told["rule_files"])
    hosts = re.findall(
        r":-([^}]*)\}", compose()["services"]["web"]["environment"]["GIORNALE_ALLOWED_HOSTS"]
    )[0]
    environ = {
        "GIORNALE_JOURNAL_URL": redis_url,
        "GIORNALE_DATA": str(tmp_path),
        "GIORNALE_ALLOWED_HOSTS": hosts,
    }
    asker = create_app(Config.load(environ)).test_client()
    answer = asker.get(scrape["metrics_path"], headers={"Host": f"{host}:{port}"})
    assert answer.status_code == 200


def test_the_proxies_name_places_that_there_are(redis_url: str, tmp_path: Path) -> None:
    """Paths that nginx and Caddy treat apart are routes of the service, and bodies have the service's bound."""
    app = create_app(
        Config.load({"GIORNALE_JOURNAL_URL": redis_url, "GIORNALE_DATA": str(tmp_path)})
    )
    rules = {rule.rule for rule in app.url_map.iter_rules()}
    nginx, caddy = (PROXIES / "nginx.conf").read_text(), (PROXIES / "Caddyfile").read_text()
    exact = re.findall(r"location = (\S+)", nginx) + re.findall(r"path (\S+)", caddy)
    assert exact == ["/metrics", "/metrics"]
    assert set(exact) <= rules
    [pattern] = re.findall(r"location ~ (\S+)", nginx)
    streams = [re.sub(r"<[^>]+>", "a" * 26, rule) for rule in rules if rule.endswith("/stream")]
    assert streams
    assert all(re.search(pattern, path) for path in streams)
    assert "client_max_body_size 64k" in nginx
    assert "max_size 64KB" in caddy
    assert Config.load({}).max_body == 64 * 1024
    assert {f"127.0.0.1:{PORT}"} == set(re.findall(r"127\.0\.0\.1:\d+", nginx + caddy))


@pytest.mark.parametrize(
    ("name", "pattern"),
    [("nginx.conf", r"^\s*keepalive_timeout (\d+)s;"), ("Caddyfile", r"^\s*keepalive (\d+)s")],
    ids=["nginx", "caddy"],
)
def test_a_proxy_lets_go_of_idle_connections_before_the_service_does(
    name: str, pattern: str
) -> None:
    """Otherwise a request may be sent on a connection that is just being ended, and a POST is not repeated."""
    [seconds] = re.findall(pattern, (PROXIES / name).read_text(), re.MULTILINE)
    assert int(seconds) < IDLE_SECONDS


@pytest.mark.skipif(shutil.which("nginx") is None, reason="nginx is not on the PATH")
def test_nginx_takes_its_file(tmp_path: Path) -> None:
    """`nginx -t` finds nothing wrong, certificates of its own laid beside."""
    certificate = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-subj",
        "/CN=games.example.org",
    ]
    certificate += ["-keyout", "privkey.pem", "-out", "fullchain.pem"]
    subprocess.run(certificate, cwd=tmp_path, check=True, capture_output=True)
    text = (PROXIES / "nginx.conf").read_text().replace("/etc/ssl/games.example.org", str(tmp_path))
    (tmp_path / "site.conf").write_text(text.replace("listen 443", "listen 127.0.0.1:8443"))
    http = f"http {{ access_log off; include {tmp_path}/site.conf; }}"
    around = f"pid {tmp_path}/pid;\nerror_log stderr;\nevents {{}}\n{http}\n"
    (tmp_path / "nginx.conf").write_text(around)
    command = ["nginx", "-t", "-p", str(tmp_path), "-c", str(tmp_path / "nginx.conf")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(shutil.which("caddy") is None, reason="caddy is not on the PATH")
def test_caddy_takes_its_file() -> None:
    """`caddy validate` finds nothing wrong."""
    command = [
        "caddy",
        "validate",
        "--adapter",
        "caddyfile",
        "--config",
        str(PROXIES / "Caddyfile"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
