"""The alerts and the dashboard ask for what a running service exposes, and docs/operations.md tells all of it."""

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from service.jobs.queues import FUNCTIONS
from tests.deploy.metrics import exposed, faults
from tests.e2e.playing import client
from tests.running import RunningService, running_service, until

ROOT = Path(__file__).parents[2]
MONITORING = ROOT / "examples/deploy/monitoring"
THREE = [{"kind": "human"}, {"kind": "bot", "level": "random"}, {"kind": "bot", "level": "random"}]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A running service with two web processes, in which a move was made."""
    with running_service(
        tmp_path_factory.mktemp("data"), GIORNALE_WEB_WORKERS="2", GIORNALE_EXHIBITIONS="0"
    ) as running:
        with client(running) as asker:
            opened = (
                asker.post("/v1/matches", json={"game": "calimala", "seats": THREE})
                .raise_for_status()
                .json()
            )
            asker.headers["Authorization"] = f"Bearer {opened['tokens']['seat:0']}"
            path = f"/v1/matches/{opened['id']}/moves"
            moves = until(lambda: asker.get(path).json()["moves"], "the human's turn")
            asker.post(path, json=moves[0]).raise_for_status()
        yield running


@pytest.fixture(scope="module")
def told(service: RunningService) -> str:
    """What /metrics tells."""
    with client(service) as asker:
        return asker.get("/metrics").raise_for_status().text


def alerts() -> list[str]:
    """Return the expression of each alert."""
    groups = yaml.safe_load((MONITORING / "alerts.yml").read_text())["groups"]
    return [rule["expr"] for group in groups for rule in group["rules"]]


def queries() -> list[str]:
    """Return the expression of each panel's query."""
    panels = json.loads((MONITORING / "dashboard.json").read_text())["panels"]
    return [target["expr"] for panel in panels for target in panel["targets"]]


@pytest.mark.parametrize("expressions", [alerts(), queries()], ids=["alerts", "dashboard"])
def test_every_query_asks_for_what_is_exposed(told: str, expressions: list[str]) -> None:
    """Each metric and each label that an alert or a panel names is there."""
    assert len(expressions) > 10
    assert faults(expressions, exposed(told)) == []


@pytest.mark.parametrize(
    ("expression", "fault"),
    [
        pytest.param("giornale_nothing > 1", "nothing exposes giornale_nothing", id="metric"),
        pytest.param('giornale_workers{line="a"}', "no label line", id="label"),
        pytest.param(
            "sum by (seat) (rate(giornale_failed_jobs_total[5m]))", "no label seat", id="grouping"
        ),
        pytest.param("1 > 2", "names no metric", id="none"),
    ],
)
def test_a_wrong_query_is_found(told: str, expression: str, fault: str) -> None:
    """The test above would tell of a metric or a label that is not there."""
    [found] = faults([expression], exposed(told))
    assert fault in found


def test_every_alert_says_what_it_means() -> None:
    """Each has a name of its own, a severity and a sentence."""
    [group] = yaml.safe_load((MONITORING / "alerts.yml").read_text())["groups"]
    names = [rule["alert"] for rule in group["rules"]]
    assert len(set(names)) == len(names)
    for rule in group["rules"]:
        assert rule["labels"]["severity"] in ("page", "ticket")
        assert rule["annotations"]["summary"].endswith(".")


def families(text: str) -> dict[str, str]:
    """Return the help of each of the service's metrics, by the name under which it is written down."""
    found = {}
    for family in text_string_to_metric_families(text):
        name = f"{family.name}_total" if family.type == "counter" else family.name
        if name.startswith("giornale_"):
            found[name] = family.documentation
    return found


def test_the_documentation_lists_every_metric(told: str) -> None:
    """docs/operations.md and /metrics name the same metrics, with a sentence each."""
    operations = (ROOT / "docs/operations.md").read_text()
    section = operations.split("## Metrics\n")[1].split("\n## ")[0]
    rows = dict(re.findall(r"^\| `(giornale_\w+)[^`]*` \| (.+) \|$", section, re.MULTILINE))
    assert rows.keys() == families(told).keys()
    assert all(sentence.endswith(".") for sentence in rows.values())
    assert all(sentence.endswith(".") for sentence in families(told).values())


def value(text: str, name: str, **labels: str) -> float:
    """Return one sample."""
    samples = [
        sample for family in text_string_to_metric_families(text) for sample in family.samples
    ]
    return next(
        sample.value for sample in samples if sample.name == name and sample.labels == labels
    )


def test_what_is_told_is_true(told: str) -> None:
    """Workers, processes, matches, build and start are those of this service."""
    assert [value(told, "giornale_workers", queue=name) for name in FUNCTIONS] == [1] * len(
        FUNCTIONS
    )
    assert [value(told, f"giornale_{server}_up") for server in ("keeper", "journal", "queues")] == [
        1,
        1,
        1,
    ]
    assert value(told, "giornale_public_matches", status="running") == 1
    assert value(told, "giornale_public_matches", status="open") == 0
    assert value(told, "giornale_journal_commits_total") >= 2
    assert 2 <= value(told, "giornale_web_processes") <= 3
    assert 20e6 < value(told, "giornale_web_resident_memory_bytes") < 2e9
    assert value(told, "giornale_web_threads") > 4
    assert 10 < value(told, "giornale_web_open_fds") < value(told, "giornale_web_max_fds")
    assert time.time() - 300 < value(told, "giornale_web_start_time_seconds") <= time.time()
    assert (
        0
        < value(told, "giornale_journal_memory_bytes")
        < value(told, "giornale_journal_memory_limit_bytes")
    )
    assert 0 < value(told, "giornale_data_free_bytes") < value(told, "giornale_data_size_bytes")
    assert 'giornale_build_info{machine="' in told
