"""Alerts, dashboard and documentation name what a running service exposes, and that is true."""

import json
import re
import time
from collections.abc import Iterator

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from service.jobs.queues import FUNCTIONS
from tests.deploy.conftest import MakeApp
from tests.deploy.metrics import exposed, faults
from tests.deploy.places import CONTAINER, MONITORING, ROOT, Tree, compose_services
from tests.e2e.playing import client
from tests.running import RunningService, running_service, until

SEATS = [{"kind": "human"}, {"kind": "bot", "level": "random"}, {"kind": "bot", "level": "random"}]
ROW = re.compile(r"^\| `(giornale_\w+)[^`]*` \| (.+) \|$", re.MULTILINE)
SERVERS = ("keeper", "journal", "queues")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A running service with two web processes, in which a move was made."""
    data = tmp_path_factory.mktemp("data")
    with running_service(data, GIORNALE_WEB_WORKERS="2") as running:
        make_a_move(running)
        yield running


def make_a_move(running: RunningService) -> None:
    """Open a match with bots, and make the first legal move of its one human."""
    with client(running) as asker:
        answer = asker.post("/v1/matches", json={"game": "calimala", "seats": SEATS})
        match = answer.raise_for_status().json()

    token = match["tokens"]["seat:0"]
    path = f"/v1/matches/{match['id']}/moves"
    with client(running, token) as asker:
        moves = until(lambda: asker.get(path).json()["moves"], "the human's turn")
        asker.post(path, json=moves[0]).raise_for_status()


@pytest.fixture(scope="module")
def metrics(service: RunningService) -> str:
    """The text of /metrics."""
    with client(service) as asker:
        return asker.get("/metrics").raise_for_status().text


def alerts() -> list[Tree]:
    """Return the rules for alerts."""
    [group] = yaml.safe_load((MONITORING / "alerts.yml").read_text())["groups"]
    rules: list[Tree] = group["rules"]
    return rules


def alert_expressions() -> list[str]:
    """Return the expression of each alert."""
    return [rule["expr"] for rule in alerts()]


def panel_expressions() -> list[str]:
    """Return the expression of each query of the dashboard's panels."""
    panels = json.loads((MONITORING / "dashboard.json").read_text())["panels"]
    return [target["expr"] for panel in panels for target in panel["targets"]]


@pytest.mark.parametrize(
    "expressions",
    [alert_expressions(), panel_expressions()],
    ids=["alerts", "dashboard"],
)
def test_every_query_asks_for_what_is_exposed(metrics: str, expressions: list[str]) -> None:
    """Each metric and each label that an alert or a panel names is there."""
    assert len(expressions) > 10
    assert faults(expressions, exposed(metrics)) == []


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
def test_a_wrong_query_is_found(metrics: str, expression: str, fault: str) -> None:
    """The test above would tell of a metric or a label that is not there."""
    [found] = faults([expression], exposed(metrics))

    assert fault in found


def test_every_alert_says_what_it_means() -> None:
    """Each has a name of its own, a severity and a sentence."""
    rules = alerts()
    names = [rule["alert"] for rule in rules]
    assert len(set(names)) == len(names)

    for rule in rules:
        assert rule["labels"]["severity"] in ("page", "ticket")
        assert rule["annotations"]["summary"].endswith(".")


def sentences(text: str) -> dict[str, str]:
    """Return the help of each of the service's metrics, by the name in the documentation."""
    by_name = {}
    for family in text_string_to_metric_families(text):
        name = f"{family.name}_total" if family.type == "counter" else family.name
        if name.startswith("giornale_"):
            by_name[name] = family.documentation
    return by_name


def documented_sentences() -> dict[str, str]:
    """Return the sentence of each metric in docs/operations.md, by name."""
    operations = (ROOT / "docs/operations.md").read_text()
    _, _, from_here = operations.partition("## Metrics\n")
    section, _, _ = from_here.partition("\n## ")
    return dict(ROW.findall(section))


def test_the_documentation_lists_every_metric(metrics: str) -> None:
    """docs/operations.md and /metrics name the same metrics, with a sentence each."""
    documented = documented_sentences()
    told = sentences(metrics)

    assert documented.keys() == told.keys()
    for sentence in [*documented.values(), *told.values()]:
        assert sentence.endswith(".")


def value(text: str, name: str, **labels: str) -> float:
    """Return one sample."""
    [found] = [
        sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.name == name and sample.labels == labels
    ]
    return found


def test_the_metrics_know_the_processes(metrics: str) -> None:
    """One worker for each queue, all servers, two web processes and the one that started them."""
    for queue in FUNCTIONS:
        assert value(metrics, "giornale_workers", queue=queue) == 1

    for server in SERVERS:
        assert value(metrics, f"giornale_{server}_up") == 1

    assert 2 <= value(metrics, "giornale_web_processes") <= 3
    assert 'giornale_build_info{machine="' in metrics


def test_the_metrics_know_the_matches(metrics: str) -> None:
    """The one that runs, and its commits: the opening and a move at least."""
    assert value(metrics, "giornale_public_matches", status="running") == 1
    assert value(metrics, "giornale_public_matches", status="open") == 0
    assert value(metrics, "giornale_journal_commits_total") >= 2


def test_the_metrics_know_what_the_web_processes_use(metrics: str) -> None:
    """Memory, threads, files and the time of the start are possible ones."""
    assert 20e6 < value(metrics, "giornale_web_resident_memory_bytes") < 2e9
    assert value(metrics, "giornale_web_threads") > 4

    open_files = value(metrics, "giornale_web_open_fds")
    assert 10 < open_files < value(metrics, "giornale_web_max_fds")

    now = time.time()
    assert now - 300 < value(metrics, "giornale_web_start_time_seconds") <= now


def test_the_metrics_know_how_much_room_there_is(metrics: str) -> None:
    """In the journal's memory and on the disk, something is used and something is free."""
    journal = value(metrics, "giornale_journal_memory_bytes")
    assert 0 < journal < value(metrics, "giornale_journal_memory_limit_bytes")

    free = value(metrics, "giornale_data_free_bytes")
    assert 0 < free < value(metrics, "giornale_data_size_bytes")


def prometheus() -> Tree:
    """Return the configuration of Prometheus."""
    configuration: Tree = yaml.safe_load((CONTAINER / "prometheus.yml").read_text())
    return configuration


def allowed_hosts() -> str:
    """Return the hosts that compose allows by default."""
    environment = compose_services()["web"]["environment"]
    [hosts] = re.findall(r":-([^}]*)\}", environment["GIORNALE_ALLOWED_HOSTS"])
    return str(hosts)


def test_prometheus_asks_a_service_of_compose(make_app: MakeApp) -> None:
    """Host, port and path are those where the metrics are, and the host is allowed."""
    [scrape] = prometheus()["scrape_configs"]
    [static] = scrape["static_configs"]
    [target] = static["targets"]
    host, port = target.split(":")
    assert host in compose_services()
    assert int(port) == 8000

    app = make_app(GIORNALE_ALLOWED_HOSTS=allowed_hosts())
    answer = app.test_client().get(scrape["metrics_path"], headers={"Host": target})
    assert answer.status_code == 200


def test_prometheus_has_its_rules() -> None:
    """Compose mounts each file of rules where the configuration looks for it."""
    mounted = [volume.split(":")[1] for volume in compose_services()["prometheus"]["volumes"]]

    rule_files = prometheus()["rule_files"]
    assert rule_files
    assert set(rule_files) <= set(mounted)
