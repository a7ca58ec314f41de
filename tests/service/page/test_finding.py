"""Search in the documentation: every word counts, and names come before the rest."""

import json

from service.page.assets import STATIC
from tests.service.verify.node import run_node, with_node

ENTRIES = [
    {"id": "openMatch", "title": "Open a match", "words": "open a match openmatch post"},
    {"id": "listMatches", "title": "List matches", "words": "list matches listmatches get"},
    {"id": "schema-MatchList", "title": "MatchList", "words": "matchlist"},
    {"id": "schema-Match", "title": "Match", "words": "match"},
]
PROGRAM = """
const { found } = await import(process.argv[1]);
const [entries, text] = JSON.parse(process.argv[2]);
console.log(JSON.stringify(found(entries, text).map((entry) => entry.id)));
"""


def found(text: str) -> list[str]:
    """Return the ids of what a text finds, in order."""
    module = (STATIC / "docs/finding.js").as_uri()
    asked = json.dumps([ENTRIES, text])
    ran = run_node("--input-type=module", "--eval", PROGRAM, module, asked)
    assert ran.returncode == 0, ran.stderr
    ids: list[str] = json.loads(ran.stdout)
    return ids


@with_node
def test_what_is_called_so_comes_first() -> None:
    """Then what begins so, then what holds it anywhere; capitals do not count."""
    everything = ["schema-Match", "schema-MatchList", "openMatch", "listMatches"]

    assert found("MATCH ") == everything


@with_node
def test_every_word_must_be_there() -> None:
    """In any order; a method is a word, too."""
    assert found("match open") == ["openMatch"]
    assert found("get match") == ["listMatches"]
    assert found("openmatch") == ["openMatch"]
    assert found("match castle") == []
    assert found("  ") == []
