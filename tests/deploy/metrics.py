"""What a running service exposes, and what a PromQL expression names."""

import re
from collections.abc import Iterable, Iterator
from importlib.util import find_spec

from prometheus_client.parser import text_string_to_metric_families

Labels = dict[str, set[str]]

_STRING = re.compile(r'"[^"]*"|\'[^\']*\'')
_SELECTOR = re.compile(r"([a-zA-Z_:][a-zA-Z0-9_:]*)(?![\w:])\s*(\{[^}]*\})?(?!\s*\()")
_GROUPING = re.compile(r"\b(?:by|without|on|ignoring)\s*\(([^)]*)\)")
_LABEL = re.compile(r"([a-zA-Z_]\w*)\s*(?:=~|!~|!=|=)")
_RANGE = re.compile(r"\[[^\]]*\]")
_WORDS = frozenset({"by", "without", "on", "ignoring", "and", "or", "unless", "bool", "inf", "nan"})
_VARIABLES = {"$__rate_interval": "5m"}
ADDED = frozenset({"job", "instance"})  # labels that Prometheus adds to all


def exposed(text: str) -> Labels:
    """Return the labels of each series that is exposed, by the name under which it is asked for."""
    found: Labels = {"up": set()}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            found.setdefault(sample.name, set()).update(sample.labels)
    return found


def prepared(expression: str) -> str:
    """Return an expression of a dashboard with its variables filled in."""
    for variable, value in _VARIABLES.items():
        expression = expression.replace(variable, value)
    return expression


def named(expression: str) -> Iterator[tuple[str, set[str]]]:
    """Yield each metric that an expression names, with the labels that are chosen, or grouped, by."""
    plain = _RANGE.sub("", _STRING.sub("''", expression))
    grouped = {
        label.strip()
        for labels in _GROUPING.findall(plain)
        for label in labels.split(",")
        if label.strip()
    }
    for name, chosen in _SELECTOR.findall(_GROUPING.sub("", plain)):
        if name not in _WORDS and not name.isdigit():
            yield name, grouped | set(_LABEL.findall(chosen))


def faults(expressions: Iterable[str], offered: Labels) -> list[str]:
    """Return what is wrong with expressions, a sentence each: their grammar, metrics or labels that nothing exposes."""
    found = []
    for expression in map(prepared, expressions):
        if find_spec("promql_parser") is not None:
            found += _grammar_faults(expression)
        metrics = list(named(expression))
        if not metrics:
            found.append(f"{expression}: names no metric")
        for name, labels in metrics:
            if name not in offered:
                found.append(f"{expression}: nothing exposes {name}")
            elif missing := labels - offered[name] - ADDED:
                found.append(f"{expression}: {name} has no label {', '.join(sorted(missing))}")
    return found


def _grammar_faults(expression: str) -> list[str]:
    import promql_parser

    try:
        promql_parser.parse(expression)
    except ValueError as error:
        return [f"{expression}: {error}"]
    return []
