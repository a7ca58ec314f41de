"""The manifests for Kubernetes refer to what they hold themselves."""

import re
from typing import Any

import pytest

from tests.deploy.places import manifests, of_kind, pods, workloads


def ports_of(service: str) -> list[int]:
    """Return the ports of a Service."""
    return [port["port"] for port in of_kind("Service")[service]["spec"]["ports"]]


def template_of(workload: dict[str, Any]) -> dict[str, Any]:
    """Return the template of a workload's pods."""
    template: dict[str, Any] = workload["spec"]["template"]
    return template


def volumes_of(workload: dict[str, Any]) -> set[str]:
    """Return the names of the volumes that a workload's pods may mount."""
    volumes = template_of(workload)["spec"].get("volumes", [])
    claims = workload["spec"].get("volumeClaimTemplates", [])
    names = {volume["name"] for volume in volumes}
    return names.union(claim["metadata"]["name"] for claim in claims)


def test_services_choose_pods_that_there_are() -> None:
    """The labels of each selector are those of some pods."""
    templates = [
        template_of(manifest) for manifest in manifests() if "template" in manifest.get("spec", {})
    ]
    labels = [template["metadata"]["labels"] for template in templates]

    for service in of_kind("Service").values():
        assert service["spec"]["selector"] in labels


@pytest.mark.parametrize("name", workloads())
def test_a_workload_knows_its_pods(name: str) -> None:
    """It chooses them by the labels that it gives them."""
    workload = workloads()[name]

    wanted = workload["spec"]["selector"]["matchLabels"]
    assert wanted == template_of(workload)["metadata"]["labels"]


@pytest.mark.parametrize("name", workloads())
def test_volumes_and_settings_of_a_workload_are_defined(name: str) -> None:
    """What containers mount and read is declared in the workload or in a ConfigMap."""
    workload = workloads()[name]
    container = pods()[name]

    mounts = {mount["name"] for mount in container.get("volumeMounts", [])}
    assert mounts <= volumes_of(workload)

    for reference in container.get("envFrom", []):
        assert reference["configMapRef"]["name"] in of_kind("ConfigMap")


@pytest.mark.parametrize(("name", "path"), [("web", "/"), ("records", "/v1/records")])
def test_an_ingress_leads_to_a_port_of_the_web(name: str, path: str) -> None:
    """Its backend is a Service that listens there."""
    [rule] = of_kind("Ingress")[name]["spec"]["rules"]
    assert rule["http"]["paths"][0]["path"] == path
    backend = rule["http"]["paths"][0]["backend"]["service"]

    assert backend["port"]["number"] in ports_of(backend["name"])


def test_the_web_is_told_where_the_servers_are() -> None:
    """Journal and queue are Services, at the ports that the URLs name."""
    urls = [variable["value"] for variable in pods()["web"]["env"] if "URL" in variable["name"]]

    assert len(urls) == 2
    for url in urls:
        [(service, port)] = re.findall(r"@(\w+):(\d+)/", url)
        assert int(port) in ports_of(service)
