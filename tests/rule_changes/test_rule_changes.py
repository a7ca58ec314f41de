"""The short form of `make rule-changes`."""

import ast
from itertools import islice

import pytest

from tests.rule_changes.__main__ import run
from tests.rule_changes.mutants import GAMES, changed_source, mutants

SEED = 1  # its third change is shown by most matches of Calimala


@pytest.mark.whole
def test_planted_changes_are_found(capsys: pytest.CaptureFixture[str]) -> None:
    """No match is called different under unchanged rules, and no shown change is missed."""
    assert run(number=3, matches=12, seed=SEED, jobs=1) == 0

    output = capsys.readouterr().out
    assert "unchanged rules, 12 matches: 0 false alarms" in output
    assert "1 found, 0 missed" in output


def test_each_change_is_one_expression_of_a_game() -> None:
    """The changed module differs from the one in the repository, and both games have changes."""
    chosen = list(islice(mutants(SEED), 20))

    assert {mutant.module.split(".")[1] for mutant in chosen} == set(GAMES)
    for mutant in chosen:
        tree, text = changed_source(mutant)
        before, after = text.partition(": ")[2].split(" -> ")
        assert before != after
        assert after in ast.unparse(tree)
