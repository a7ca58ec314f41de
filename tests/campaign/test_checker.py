"""The checker finds every kind of corruption that is planted, and nothing in a sound journal."""

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.campaign import answers, chains, checker, findings, history, journal
from tests.campaign.planted import PLANTED
from tests.campaign.sound_case import MATCH, Case, sound

ALLOWED_IMPORTS = {
    "collections",
    "dataclasses",
    "hashlib",
    "itertools",
    "json",
    "pathlib",
    "re",
    "redis",
    "tests",
    "threading",
    "time",
    "typing",
}


def test_nothing_is_found_where_everything_is_right() -> None:
    """A sound history of a sound journal has no finding."""
    case = sound()
    assert checker.check(case.tries, case.journal) == []


@pytest.mark.parametrize(
    ("plant", "rule"), PLANTED, ids=lambda value: getattr(value, "__name__", "")
)
def test_what_is_planted_is_found(plant: Callable[[Case], None], rule: str) -> None:
    """Each planted corruption is found, and named as what it is."""
    case = sound()
    plant(case)

    found = checker.check(case.tries, case.journal)
    assert rule in {finding.rule for finding in found}
    assert {finding.match for finding in found} == {MATCH}


def test_a_refused_try_beside_an_unknown_one_may_have_made_the_commit() -> None:
    """A request is held to its refusals only if no try of it is unknown."""
    case = sound()
    case.edit(2, status=412, problem="stale-version", told=(), version=2, repeated=False)
    assert checker.check(case.tries, case.journal) == []


@pytest.mark.parametrize("module", [checker, answers, chains, journal, history, findings])
def test_the_checker_shares_no_code_with_the_service(module: Any) -> None:
    """Its modules import the standard library, redis and one another."""
    tree = ast.parse(Path(module.__file__).read_text())
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module or "")

    assert {name.partition(".")[0] for name in names} <= ALLOWED_IMPORTS
    inner = {name for name in names if name.startswith("tests")}
    assert all(name.startswith("tests.campaign") for name in inner)
