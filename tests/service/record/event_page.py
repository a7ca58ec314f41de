"""`python -m tests.service.record.event_page`: publish the catalogue of stored forms in the docs.

It refuses a catalogue that cannot read all published forms.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from service.record.catalogue import catalogue
from service.record.schema_changes import Verdict, compare, verdict_on

REFERENCE = Path(__file__).parents[3] / "docs" / "reference"
FORMS = REFERENCE / "catalogue.json"
PAGE = REFERENCE / "events.md"

_HEAD = """# Event catalogue

All events that the journal and records hold, with their fields. Brackets: the field may be missing.
`*`: secret to a seat or to the house. `?`: chance decides. These forms stay for ever
([how they change](../decisions/0010-changed-rules-stand-beside-the-old.md)).

[catalogue.json](catalogue.json) also has the commands, the options and the types. It is the output
of `giornale schema show --json`.
"""


def page() -> str:
    """Return the page of events."""
    return "\n".join([_HEAD, *_lines()])


def _lines() -> Iterator[str]:
    for rules, forms in catalogue()["forms"].items():
        yield f"## {'All matches' if rules == 'match' else rules}\n"
        yield "| event | fields |\n|---|---|"
        for tag, fields in forms["events"].items():
            listed = ", ".join(_shown(name, field) for name, field in fields.items())
            yield f"| `{tag}` | {listed} |"
        yield ""


def _shown(name: str, field: dict[str, object]) -> str:
    text = f"{name}{'*' if 'secret' in field else ''}{'?' if 'drawn' in field else ''}"
    return f"[{text}]" if field["optional"] else text


def main() -> int:
    """Write both files."""
    listed = catalogue()
    if FORMS.exists():
        changes = compare(json.loads(FORMS.read_bytes()), listed)
        if verdict_on(changes) is not Verdict.COMPATIBLE:
            for change in changes:
                print(f"{change.verdict.words}: {change.place}: {change.detail}", file=sys.stderr)
            return 1
    FORMS.write_text(json.dumps(listed, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
