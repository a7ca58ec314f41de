"""docs/reference/protections.md: each line names a test as its proof."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROTECTED = (ROOT / "docs/reference/protections.md").read_text()
LINES = [line for line in PROTECTED.splitlines() if line.startswith("| ")][1:]
PROOF = re.compile(r"\[`(?P<test>test_\w+)`\]\(\.\./\.\./(?P<file>tests/[\w/]+\.py)\) \|$")


def test_the_table_is_read() -> None:
    """There are lines to check. A change of the table's form does not make the next test empty."""
    assert len(LINES) >= 15


@pytest.mark.parametrize("line", LINES, ids=[line.split("|")[1].strip() for line in LINES])
def test_each_line_names_a_test_that_there_is(line: str) -> None:
    """The last column links the file of the named test."""
    proof = PROOF.search(line)
    assert proof is not None, line

    source = (ROOT / proof["file"]).read_text()
    assert f"def {proof['test']}(" in source
