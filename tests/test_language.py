"""The measures of the English count the right sentences."""

from tests.language import Part, risen

PLAIN = "The lock is held. Wait until the other process ends."
HARD = "What is asked is told to whom it may concern; it is that which counts."


def test_plain_sentences_have_no_figures() -> None:
    """Sentences without a clause or a semicolon count for no figure."""
    figures = Part([("a.py:1", PLAIN)]).figures()
    assert figures == {
        "clauses": 0,
        "that": 0,
        "semicolons": 0,
        "questions": 0,
        "participles": 0,
    }


def test_clauses_and_semicolons_are_counted() -> None:
    """A semicolon ends a sentence, so the example has two, both with a clause."""
    figures = Part([("a.py:1", HARD)]).figures()
    assert figures["clauses"] == 100
    assert figures["that"] == 50
    assert 60 < figures["semicolons"] < 70


def test_code_is_no_english() -> None:
    """Names in backticks and fields of a format are not read."""
    figures = Part([("a.py:1", "Read the member `what;which` of {that_which} here.")]).figures()
    assert figures["clauses"] == 0
    assert figures["semicolons"] == 0


def test_a_risen_figure_is_told_with_its_sentences() -> None:
    """A new part has the limit 0."""
    part = Part([("a.py:7", HARD)])
    [clauses, *_] = list(risen({"code": part}, {}))
    assert clauses.startswith("code: clauses 100, at most 0\n  a.py:7  What is asked")
    assert list(risen({"code": part}, {"code": part.figures()})) == []
