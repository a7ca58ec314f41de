"""docs/names.md says what the docstrings say today."""

import ast

import pytest

from tests.names import PACKAGES, PAGE, ROOT, as_markdown, first_sentence, page


def docstring(text: str) -> ast.Module:
    """Return a module with a docstring."""
    return ast.parse(f'"""{text}"""')


def test_the_page_is_what_the_code_says() -> None:
    """If this fails, `make names` writes the page anew."""
    assert PAGE.read_text() == page(), "docs/names.md is out of date: run make names"


def test_every_module_with_code_says_what_it_holds() -> None:
    """A module without a docstring would be missing in the page."""
    silent = []
    for package in PACKAGES:
        for module in (ROOT / package).rglob("*.py"):
            tree = ast.parse(module.read_text())
            if tree.body and not first_sentence(tree):
                silent.append(str(module.relative_to(ROOT)))
    assert silent == []


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        pytest.param("One. Two.", "One.", id="the-first-of-two"),
        pytest.param(
            "Keys end in .json always.", "Keys end in .json always.", id="a-dot-in-a-word"
        ),
        pytest.param("May I? Yes. But.", "May I? Yes.", id="a-question-with-its-answer"),
        pytest.param("One\nthought.\n\nMore.", "One thought.", id="over-two-lines"),
        pytest.param("No full stop\n\nMore.", "No full stop", id="without-a-full-stop"),
        pytest.param("", "", id="nothing"),
    ],
)
def test_a_sentence_ends_at_its_full_stop(text: str, sentence: str) -> None:
    """A docstring is cut after its first sentence, and told in one line."""
    assert first_sentence(docstring(text)) == sentence


def test_angle_brackets_are_text() -> None:
    """Outside of code they would be read as HTML, and not be shown."""
    assert as_markdown("<data> and `<data>`") == r"\<data> and `<data>`"
