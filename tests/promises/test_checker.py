"""The checker finds every kind of corruption that is planted, and nothing in a sound journal."""

import ast
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.promises import checker, history, rematches, reports, stored
from tests.promises.broken import AGAIN, MATCH, PLANTED, Plant, call_again, sound
from tests.simulation import banks, checker as simulated, debts

# Each module of the checkers, with its permitted imports besides the standard library. The
# simulation shares one thing with the product: the form of an entry for a store.
MODULES: dict[ModuleType, set[str]] = {
    checker: set(),
    history: set(),
    reports: set(),
    rematches: set(),
    banks: {"service.store.journal.values"},
    debts: set(),
    stored: {"redis"},
    simulated: {"service.store.journal.values"},
}


def test_a_right_history_has_no_findings() -> None:
    assert sound().found() == []


@pytest.mark.parametrize("plant", PLANTED, ids=[plant.change.__name__ for plant in PLANTED])
def test_planted_corruptions_are_found(plant: Plant) -> None:
    """Each planted corruption is found, under its own rule."""
    case = sound()
    plant.change(case)

    findings = case.found()
    texts = [finding.text for finding in findings if finding.rule == plant.rule]
    assert any(plant.words in text for text in texts)
    assert {finding.match for finding in findings} <= {MATCH, AGAIN}


def test_every_rule_has_something_planted() -> None:
    """Every rule has a planted corruption, except that of `giornale verify`."""
    rules = {plant.rule for plant in PLANTED}
    assert rules == checker.RULES.keys() - {checker.UNVERIFIED}


def test_a_refused_try_beside_an_unknown_one_may_have_committed() -> None:
    """A request is held to its refusals only if no try of it is unknown."""
    case = sound()
    case.edit(2, status=412, problem="stale-version", told=(), version=2, repeated=False)
    assert case.found() == []


def test_nothing_is_late_while_nobody_is_answered() -> None:
    """An unavailable service reports nothing, however long it lasts."""
    case = sound()
    del case.tries[8]
    case.tries = [one for one in case.tries if one.what != "commits"]
    assert case.found() == []


def test_a_call_may_repeat_if_a_fault_hid_its_answer() -> None:
    """A fault just after the answer excuses a repeat. An earlier or much later one does not."""
    case = sound()
    call_again(case)
    answered = case.tries[9].ended
    assert case.found((answered + 1, answered + 1)) == []
    assert case.found((answered - 60, answered - 50), (answered + 50, answered + 60)) != []


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_the_checkers_share_no_code_with_the_service(module: ModuleType) -> None:
    """The checkers import the standard library, one another, and the names in MODULES."""
    own_names = {one.__name__ for one in MODULES}
    imported = imported_modules(module)
    others = {name for name in imported if name.partition(".")[0] not in sys.stdlib_module_names}
    assert others <= own_names | MODULES[module]


def imported_modules(module: ModuleType) -> set[str]:
    """Return the names of a module's imports."""
    assert module.__file__ is not None
    tree = ast.parse(Path(module.__file__).read_text())

    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module or "")
    return names


def test_a_log_that_is_not_whole_is_found() -> None:
    """The checker finds a missing commit, a doubled one, and a gap in the positions."""
    journal = sound().journal
    hashes = [
        json.loads(content)["hash"]
        for one in journal.matches.values()
        for _, content in one.commits
    ]
    log = [{"position": position, "hash": one} for position, one in enumerate(hashes)]
    assert list(checker.check_log(log, journal)) == []

    doubled = [*log, {"position": len(log), "hash": hashes[0]}]
    for wrong in (log[:-1], log[1:], doubled):
        assert list(checker.check_log(wrong, journal)) != []
    assert "gap" in next(checker.check_log(log[1:], journal)).text
