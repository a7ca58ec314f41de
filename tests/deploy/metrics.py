"""What a running service exposes, and what a PromQL expression names."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec

from prometheus_client.parser import text_string_to_metric_families

Labels = dict[str, set[str]]  # the labels of each series, by its name

STRING = re.compile(r'"[^"]*"|\'[^\']*\'')
RANGE = re.compile(r"\[[^\]]*\]")
GROUPING = re.compile(r"\b(?:by|without|on|ignoring)\s*\(([^)]*)\)")
SELECTOR = re.compile(r"([a-zA-Z_:][a-zA-Z0-9_:]*)(?![\w:])\s*(\{[^}]*\})?(?!\s*\()")
LABEL = re.compile(r"([a-zA-Z_]\w*)\s*(?:=~|!~|!=|=)")

KEYWORDS = frozenset(
    {"by", "without", "on", "ignoring", "and", "or", "unless", "bool", "inf", "nan"}
)
DASHBOARD_VARIABLES = {"$__rate_interval": "5m"}
ADDED_LABELS = frozenset({"job", "instance"})  # Prometheus adds these to every series


@dataclass(frozen=True)
class Selector:
    """A metric that an expression names, and the labels by which it is chosen or grouped."""

    metric: str
    labels: frozenset[str]


def exposed(text: str) -> Labels:
    """Return the labels of each series in the text of /metrics, by the name it is asked for by."""
    labels: Labels = {"up": set()}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            labels.setdefault(sample.name, set()).update(sample.labels)
    return labels


def without_variables(expression: str) -> str:
    """Return an expression of a dashboard with its variables filled in."""
    for variable, value in DASHBOARD_VARIABLES.items():
        expression = expression.replace(variable, value)
    return expression


def grouping_labels(expression: str) -> set[str]:
    """Return the labels that an expression groups or matches by."""
    labels: set[str] = set()
    for listed in GROUPING.findall(expression):
        names = (name.strip() for name in listed.split(","))
        labels.update(name for name in names if name)
    return labels


def selectors(expression: str) -> Iterator[Selector]:
    """Yield each metric that an expression names."""
    plain = RANGE.sub("", STRING.sub("''", expression))
    grouped = grouping_labels(plain)

    for name, chosen in SELECTOR.findall(GROUPING.sub("", plain)):
        if name not in KEYWORDS and not name.isdigit():
            yield Selector(name, frozenset(grouped.union(LABEL.findall(chosen))))


def faults(expressions: Iterable[str], offered: Labels) -> list[str]:
    """Return what is wrong with expressions, a sentence each.

    Wrong are their grammar, and metrics or labels that nothing exposes.
    """
    found: list[str] = []
    for expression in map(without_variables, expressions):
        found += grammar_faults(expression)

        named = list(selectors(expression))
        if not named:
            found.append(f"{expression}: names no metric")
        for selector in named:
            found += [f"{expression}: {fault}" for fault in selector_faults(selector, offered)]
    return found


def selector_faults(selector: Selector, offered: Labels) -> list[str]:
    """Return a clause if nothing exposes the metric, or if it lacks a label."""
    if selector.metric not in offered:
        return [f"nothing exposes {selector.metric}"]

    missing = selector.labels - offered[selector.metric] - ADDED_LABELS
    if missing:
        return [f"{selector.metric} has no label {', '.join(sorted(missing))}"]
    return []


def grammar_faults(expression: str) -> list[str]:
    """Return what the parser says against an expression, where a parser is installed."""
    if find_spec("promql_parser") is None:
        return []

    import promql_parser

    try:
        promql_parser.parse(expression)
    except ValueError as error:
        return [f"{expression}: {error}"]
    return []
