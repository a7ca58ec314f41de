"""The examples of deployment, read in their own formats: YAML, units, configuration of a server."""

import re
from functools import cache
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "examples/deploy"
CONTAINER = DEPLOY / "container"
CONTAINERFILE = CONTAINER / "Containerfile"
KUBERNETES = DEPLOY / "kubernetes"
MONITORING = DEPLOY / "monitoring"
PROXIES = DEPLOY / "proxies"
SYSTEMD = DEPLOY / "systemd"

Tree = dict[str, Any]


@cache
def compose_services() -> dict[str, Tree]:
    """Return the services of the compose file by name, its anchors resolved."""
    services: dict[str, Tree] = yaml.safe_load((CONTAINER / "compose.yaml").read_text())["services"]
    return services


def manifest_names() -> list[str]:
    """Return the files of manifests that the kustomization names."""
    kustomization = yaml.safe_load((KUBERNETES / "kustomization.yaml").read_text())
    names: list[str] = kustomization["resources"]
    return names


@cache
def manifests() -> list[Tree]:
    """Return every manifest that the kustomization names."""
    trees: list[Tree] = []
    for name in manifest_names():
        trees += yaml.safe_load_all((KUBERNETES / name).read_text())
    return trees


def of_kind(kind: str) -> dict[str, Tree]:
    """Return the manifests of a kind by name."""
    return {tree["metadata"]["name"]: tree for tree in manifests() if tree["kind"] == kind}


def workloads() -> dict[str, Tree]:
    """Return Kubernetes' sources of pods, by name."""
    return {**of_kind("Deployment"), **of_kind("StatefulSet")}


def pods() -> dict[str, Tree]:
    """Return the one container of each workload, by the workload's name."""
    containers = {}
    for name, workload in workloads().items():
        [container] = workload["spec"]["template"]["spec"]["containers"]
        containers[name] = container
    return containers


def directives(text: str) -> dict[str, str]:
    """Return the settings of a configuration file of Valkey or Redis."""
    settings = {}
    for line in text.splitlines():
        setting = line.split("#")[0].strip()
        if setting:
            name, _, value = setting.partition(" ")
            settings[name] = value.strip().strip('"')
    return settings


def unit(path: Path) -> dict[str, list[str]]:
    """Return the values of each setting of a systemd unit, in all sections."""
    settings: dict[str, list[str]] = {}
    for line in path.read_text().splitlines():
        name, equals, value = line.partition("=")
        if equals and not line.startswith("#"):
            settings.setdefault(name, []).append(value)
    return settings


def environment_file() -> dict[str, str]:
    """Return the settings that the systemd units read."""
    settings = {}
    for line in (SYSTEMD / "giornale.env").read_text().splitlines():
        if line and not line.startswith("#"):
            name, _, value = line.partition("=")
            settings[name] = value
    return settings


def copied_into_image() -> list[str]:
    """Return the files and folders of the repository that the Containerfile copies."""
    lines = re.findall(r"^COPY (?!--from)(.+) \S+$", CONTAINERFILE.read_text(), re.MULTILINE)
    return [name for line in lines for name in line.split()]
