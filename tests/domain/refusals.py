"""The form of every refusal: a rule of its page, a code, and one or two sentences for people."""

import re
from functools import cache
from pathlib import Path

from domain.errors import RuleBroken

PAGES = Path(__file__).parents[2] / "docs/rules"
RULE = re.compile(r"^- ([A-Z]\d+) ", re.MULTILINE)
CODE = re.compile(r"[a-z]+(_[a-z]+)*")
SENTENCES = re.compile(r"[A-Z][^.]*[^.\s](\. [A-Z][^.]*[^.\s])?\.")


@cache
def rules(page: str) -> frozenset[str]:
    """Return the numbers of the rules that docs/rules/<page>.md states."""
    text = (PAGES / f"{page}.md").read_text()
    return frozenset(RULE.findall(text))


def check(refusal: RuleBroken, page: str) -> None:
    """Fail unless the refusal is as the contract promises. page: its rulebook."""
    assert refusal.rulebook == ("match" if page == "match" else None), refusal
    assert refusal.rule in rules(page), refusal
    assert CODE.fullmatch(refusal.code), refusal
    assert SENTENCES.fullmatch(refusal.detail), refusal
