"""Errors say what is wrong where, all at once, and which rulebook states a rule."""

import pytest

from domain.errors import MOST_UNKNOWN, BadMessage, BadOption, Faults, MatchRuleBroken, RuleBroken


def test_a_refusal_reads_as_rule_code_and_sentence() -> None:
    """So it stands in logs and in tests."""
    assert str(RuleBroken("no_card", "C3", "Take one.")) == "C3 no_card: Take one."


def test_the_rules_of_a_match_have_a_rulebook_of_their_own() -> None:
    """A game's refusal leaves open which game it is: whoever plays it knows."""
    assert RuleBroken("no_card", "M1", "Take one.").rulebook is None
    assert MatchRuleBroken("no_such_seat", "M1", "Take another.").rulebook == "match"


@pytest.mark.parametrize(
    ("path", "text"),
    [((), "the whole: is wrong"), (("a", 0), "a/0: is wrong")],
    ids=["whole", "place"],
)
def test_a_misfit_names_its_place(path: tuple[str | int, ...], text: str) -> None:
    """By the names and indices that lead there."""
    assert str(BadMessage(path, "is wrong")) == text


def test_errors_are_told_together_behind_a_prefix() -> None:
    """The first one holds the others; they become errors of the kind that is raised."""
    missing = BadMessage(("x",), "is missing")
    no_number = BadMessage((1,), "is no number")
    error = BadOption.together([missing, no_number], "box", 2, unnamed=4)

    first, second = error.all
    assert first.path == ("box", 2, "x")
    assert first.detail == "is missing"
    assert second.path == ("box", 2, 1)
    assert second.detail == "is no number"
    assert isinstance(second, BadOption)
    assert error.unnamed == 4


def test_no_faults_raise_nothing() -> None:
    """An object with nothing wrong is taken."""
    Faults(BadMessage).raise_any()


def test_faults_are_raised_in_the_order_in_which_they_were_found() -> None:
    """Each with all that it holds; unknown names past the limit are counted."""
    no_flag = BadMessage((4,), "is no flag")
    no_number = BadMessage((3,), "is no number", others=(no_flag,), unnamed=2)
    many_names = [f"name{number}" for number in range(MOST_UNKNOWN + 1)]

    faults = Faults(BadMessage)
    faults.add(no_number)
    faults.add_unknown(many_names, ("box",), "unknown")

    with pytest.raises(BadMessage) as raised:
        faults.raise_any()

    paths = [error.path for error in raised.value.all]
    assert paths[:3] == [(3,), (4,), ("box", "name0")]
    assert len(paths) == 2 + MOST_UNKNOWN
    assert raised.value.unnamed == 2 + 1
