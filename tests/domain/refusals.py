"""What every refusal is: a rule that its page states, a snake_case code, one or two full sentences for people."""

import re
from functools import cache
from pathlib import Path

from domain.errors import RuleBroken

PAGES = Path(__file__).parents[2] / "docs/rules"
CODE = re.compile(r"[a-z]+(_[a-z]+)*")
SENTENCES = re.compile(r"[A-Z][^.]*[^.\s](\. [A-Z][^.]*[^.\s])?\.")


@cache
def rules(page: str) -> frozenset[str]:
    """Return the numbers of the rules that docs/rules/<page>.md states."""
    return frozenset(
        re.findall(r"^- ([A-Z]\d+) ", (PAGES / f"{page}.md").read_text(), re.MULTILINE)
    )


def check(refusal: RuleBroken, page: str) -> None:
    """Fail unless the refusal is as the contract promises."""
    assert refusal.rule in rules(page), refusal
    assert CODE.fullmatch(refusal.code), refusal
    assert SENTENCES.fullmatch(refusal.detail), refusal
