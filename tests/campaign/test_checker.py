"""The checker finds every kind of corruption that is planted, and nothing in a sound journal."""

import ast
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from tests.campaign import answers, chains, checker, findings, history, journal
from tests.campaign.planted import PLANTED
from tests.campaign.sound_case import MATCH, Case, sound

MODULES = (checker, answers, chains, journal, history, findings)


def test_nothing_is_found_where_everything_is_right() -> None:
    """A sound history of a sound journal has no finding."""
    case = sound()
    assert checker.check(case.tries, case.journal) == []


@pytest.mark.parametrize(
    ("plant", "rule", "words"), PLANTED, ids=[plant.__name__ for plant, _, _ in PLANTED]
)
def test_what_is_planted_is_found(plant: Callable[[Case], None], rule: str, words: str) -> None:
    """Each planted corruption is found, and named as what it is."""
    case = sound()
    plant(case)

    found = checker.check(case.tries, case.journal)
    texts = [finding.text for finding in found if finding.rule == rule]
    assert any(words in text for text in texts)
    assert {finding.match for finding in found} == {MATCH}


def test_every_rule_has_something_planted() -> None:
    """Only what `giornale verify` finds is not the checker's own."""
    rules = {rule for _plant, rule, _words in PLANTED}
    assert rules == findings.RULES.keys() - {findings.UNVERIFIED}


def test_a_refused_try_beside_an_unknown_one_may_have_made_the_commit() -> None:
    """A request is held to its refusals only if no try of it is unknown."""
    case = sound()
    case.edit(2, status=412, problem="stale-version", told=(), version=2, repeated=False)
    assert checker.check(case.tries, case.journal) == []


@pytest.mark.parametrize("module", MODULES)
def test_the_checker_shares_no_code_with_the_service(module: ModuleType) -> None:
    """Its modules import the standard library, redis and one another."""
    own_names = {one.__name__ for one in MODULES}
    imported = imported_modules(module)
    from_outside = {name for name in imported if top_level(name) not in sys.stdlib_module_names}
    assert from_outside <= own_names | {"redis"}


def imported_modules(module: ModuleType) -> set[str]:
    """Return the names of the modules that a module imports."""
    assert module.__file__ is not None
    source = Path(module.__file__).read_text()
    tree = ast.parse(source)

    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= _imported_from(node)
    return names


def _imported_from(node: ast.ImportFrom) -> set[str]:
    """Return the modules of `from X import Y`: X, or each X.Y where X is the campaign's package."""
    package = node.module or ""
    if package == "tests.campaign":
        return {f"{package}.{alias.name}" for alias in node.names}
    return {package}


def top_level(name: str) -> str:
    """Return the package that a module is in."""
    return name.partition(".")[0]
