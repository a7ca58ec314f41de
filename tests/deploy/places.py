"""The examples of deployment, read as what they are: YAML, units, configuration of a server."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "examples/deploy"
CONTAINER = DEPLOY / "container"
KUBERNETES = DEPLOY / "kubernetes"
PROXIES = DEPLOY / "proxies"
SYSTEMD = DEPLOY / "systemd"

Tree = dict[str, Any]


def compose() -> Tree:
    """Return the compose file, its anchors resolved."""
    found: Tree = yaml.safe_load((CONTAINER / "compose.yaml").read_text())
    return found


def manifests() -> list[Tree]:
    """Return every manifest that the kustomization names."""
    names: list[str] = yaml.safe_load((KUBERNETES / "kustomization.yaml").read_text())["resources"]
    return [one for name in names for one in yaml.safe_load_all((KUBERNETES / name).read_text())]


def of_kind(kind: str) -> dict[str, Tree]:
    """Return the manifests of a kind by their names."""
    return {one["metadata"]["name"]: one for one in manifests() if one["kind"] == kind}


def pods() -> dict[str, Tree]:
    """Return the one container of each workload, by the workload's name."""
    workloads = {**of_kind("Deployment"), **of_kind("StatefulSet")}
    return {
        name: one["spec"]["template"]["spec"]["containers"][0] for name, one in workloads.items()
    }


def directives(text: str) -> dict[str, str]:
    """Return the settings of a configuration file of Valkey or Redis."""
    lines = (line.split("#")[0].strip() for line in text.splitlines())
    pairs = (line.partition(" ") for line in lines if line)
    return {name: value.strip().strip('"') for name, _, value in pairs}


def unit(path: Path) -> dict[str, list[str]]:
    """Return the values of each setting of a systemd unit, whatever its section."""
    found: dict[str, list[str]] = {}
    for line in path.read_text().splitlines():
        name, mark, value = line.partition("=")
        if mark and not line.startswith("#"):
            found.setdefault(name, []).append(value)
    return found


def variables(path: Path) -> Iterator[str]:
    """Yield every setting of Giornale that a file names, commented ones too."""
    yield from re.findall(r"\bGIORNALE_[A-Z_]+\b", path.read_text())


def environment_file() -> dict[str, str]:
    """Return the settings that the systemd units read."""
    lines = (SYSTEMD / "giornale.env").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
