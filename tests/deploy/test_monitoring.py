"""Alerts, dashboard and documentation name a running service's real metrics, with true values."""

import json
import re
from collections.abc import Iterator
from importlib.util import find_spec

import httpx
import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from service.store.jobs.table import QUEUES, WEBHOOK_JOBS
from tests.deploy.conftest import MakeApp
from tests.deploy.places import CONTAINER, MONITORING, ROOT, Tree, compose_services
from tests.e2e.playing import client
from tests.running import running_service

# Parts of a PromQL expression.
STRING = re.compile(r'"[^"]*"')
RANGE = re.compile(r"\[[^\]]*\]")
GROUPING = re.compile(r"\b(?:by|without|on|ignoring)\s*\(([^)]*)\)")
SELECTOR = re.compile(r"([a-zA-Z_:][a-zA-Z0-9_:]*)(?![\w:])\s*(\{[^}]*\})?(?!\s*\()")
LABEL = re.compile(r"([a-zA-Z_]\w*)\s*(?:=~|!~|!=|=)")
NARROWED = re.compile(r"(giornale_\w+)(\{[^}]*\})")
CHOSEN = re.compile(r'([a-zA-Z_]\w*)\s*=~?\s*"([\w|]+)"')  # a label, and its values by name
KEYWORDS = {"and", "or", "unless", "bool", "inf", "nan"}
ADDED_LABELS = {"job", "instance"}  # Prometheus adds these to every series

ROW = re.compile(r"^\| `(giornale_\w+)[^`]*` \| (.+) \|$", re.MULTILINE)


@pytest.fixture(scope="module")
def metrics(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The text of /metrics of a running service with two web processes and a match of humans."""
    data = tmp_path_factory.mktemp("data")
    with (
        running_service(data, GIORNALE_WEB_WORKERS="2") as running,
        client(running) as asker,
    ):
        make_a_move(asker)
        yield asker.get("/metrics").raise_for_status().text


def make_a_move(asker: httpx.Client) -> None:
    """Open a match of humans, and make the first legal move of one of them."""
    opening = {"game": "calimala", "seats": [{"kind": "human"}] * 3}
    opened = asker.post("/v1/matches", json=opening)
    match = opened.raise_for_status().json()

    path = f"/v1/matches/{match['match']}/moves"
    token = match["tokens"]["seat:0"]
    headers = {"Authorization": f"Bearer {token}"}
    legal = asker.get(path, headers=headers)
    move = legal.raise_for_status().json()["moves"][0]
    asker.post(path, headers=headers, json=move).raise_for_status()


Labels = dict[str, set[str]]  # the values of each label


def exposed(text: str) -> dict[str, Labels]:
    """Return the labels of each series in the text of /metrics, by the name it is asked for by."""
    series: dict[str, Labels] = {"up": {}}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            labels = series.setdefault(sample.name, {})
            for name, value in sample.labels.items():
                labels.setdefault(name, set()).add(value)
    return series


def faults(expression: str, offered: dict[str, Labels]) -> list[str]:
    """Return the faults of an expression: metrics, labels or values that nothing exposes."""
    expression = expression.replace("$__rate_interval", "5m")
    if find_spec("promql_parser") is not None:
        import promql_parser

        promql_parser.parse(expression)

    plain = RANGE.sub("", STRING.sub('""', expression))
    grouped = {name.strip() for listed in GROUPING.findall(plain) for name in listed.split(",")}
    selectors = [
        (name, grouped.union(LABEL.findall(chosen)))
        for name, chosen in SELECTOR.findall(GROUPING.sub("", plain))
        if name not in KEYWORDS
    ]
    complaints = [] if selectors else [f"{expression}: names no metric"]
    for name, labels in selectors:
        if name not in offered:
            complaints.append(f"{expression}: nothing exposes {name}")
        elif not labels <= offered[name].keys() | ADDED_LABELS:
            complaints.append(f"{expression}: {name} has no label of {labels}")

    for name, narrowed in NARROWED.findall(expression):
        for label, chosen in CHOSEN.findall(narrowed):
            if not set(chosen.split("|")) <= offered.get(name, {}).get(label, set()):
                complaints.append(f"{expression}: {label} of {name} is never {chosen}")
    return complaints


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


@pytest.mark.whole
@pytest.mark.parametrize(
    "expressions",
    [alert_expressions(), panel_expressions()],
    ids=["alerts", "dashboard"],
)
def test_every_query_asks_for_exposed_metrics(metrics: str, expressions: list[str]) -> None:
    """Each metric and label that an alert or a panel names is exposed, with the named values."""
    assert len(expressions) > 10
    offered = exposed(metrics)
    assert [fault for one in expressions for fault in faults(one, offered)] == []

    wrong = "sum by (seat) (rate(giornale_failed_jobs_total[5m])) > giornale_nothing"
    assert len(faults(wrong, offered)) == 2
    assert len(faults('giornale_witness_calls_total{outcome="denied"}', offered)) == 1


def test_every_alert_has_a_name_a_severity_and_a_sentence() -> None:
    """Each alert has a name of its own, a severity and a sentence."""
    rules = alerts()
    assert len({rule["alert"] for rule in rules}) == len(rules)
    for rule in rules:
        assert rule["labels"]["severity"] in ("page", "ticket")
        assert rule["annotations"]["summary"].endswith(".")


def test_the_documentation_lists_every_metric(metrics: str) -> None:
    """docs/reference/metrics.md and /metrics name the same metrics, with a sentence each."""
    documented = dict(ROW.findall((ROOT / "docs/reference/metrics.md").read_text()))

    help_texts = {}
    for family in text_string_to_metric_families(metrics):
        name = f"{family.name}_total" if family.type == "counter" else family.name
        if name.startswith("giornale_"):
            help_texts[name] = family.documentation

    assert documented.keys() == help_texts.keys()
    for sentence in [*documented.values(), *help_texts.values()]:
        assert sentence.endswith(".")


def test_the_metrics_cover_processes_servers_and_matches(metrics: str) -> None:
    """Metrics tell of processes, servers, matches, and the use of memory, files and disk."""
    values = {}
    for family in text_string_to_metric_families(metrics):
        for sample in family.samples:
            values[sample.name, *sample.labels.values()] = sample.value

    for queue in QUEUES:
        assert values["giornale_workers", queue] == (queue != WEBHOOK_JOBS), (
            "webhooks are off by default"
        )
    for server in ("scheduler", "journal", "queues"):
        assert values[f"giornale_{server}_up",] == 1
    assert values["giornale_web_processes",] == 2
    assert 'giornale_build_info{machine="' in metrics

    assert values["giornale_public_matches", "running"] == 1
    assert values["giornale_public_matches", "open"] == 0
    assert values["giornale_journal_commits_total",] == 2

    assert 20e6 < values["giornale_web_resident_memory_bytes",] < 2e9
    assert values["giornale_web_threads",] > 4
    parts = {
        "giornale_web_open_fds": "giornale_web_max_fds",
        "giornale_journal_memory_bytes": "giornale_journal_memory_limit_bytes",
        "giornale_data_free_bytes": "giornale_data_size_bytes",
    }
    for part, whole in parts.items():
        assert 0 < values[part,] < values[whole,]


def test_prometheus_asks_a_service_of_compose_and_has_its_rules(make_app: MakeApp) -> None:
    """Host, port and path are those of the metrics. The host is allowed."""
    prometheus = yaml.safe_load((CONTAINER / "prometheus.yml").read_text())
    [scrape] = prometheus["scrape_configs"]
    [static] = scrape["static_configs"]
    [target] = static["targets"]
    host, port = target.split(":")
    assert host in compose_services()
    assert int(port) == 8000

    environment = compose_services()["web"]["environment"]
    [hosts] = re.findall(r":-([^}]*)\}", environment["GIORNALE_ALLOWED_HOSTS"])
    app = make_app(GIORNALE_ALLOWED_HOSTS=hosts)
    answer = app.test_client().get(scrape["metrics_path"], headers={"Host": target})
    assert answer.status_code == 200

    mounted = [volume.split(":")[1] for volume in compose_services()["prometheus"]["volumes"]]
    rule_files = prometheus["rule_files"]
    assert rule_files
    assert set(rule_files) <= set(mounted)
