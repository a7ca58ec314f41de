"""The tables of a match's commands and events for the page's modules.

`make openapi` writes them from domain/match/messages.py. A verifier in a browser then follows the
same tables as `giornale verify`.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from domain.match import messages
from service.record.verify import match_commands

FILE = Path(__file__).parents[4] / "page/static/verify/match_messages.js"
HEAD = """\
// The commands and events of a match. Written by `make openapi` from domain/match/messages.py: do
// not change it by hand.

/** @import { FirstEvent } from "./types.d.ts" */
"""


def module() -> str:
    """Return the text of the module."""
    first_events = {
        command: {"event": first.tag, "inCommand": first.in_command, "inEvent": first.in_event}
        for command, first in match_commands.FIRST_EVENTS.items()
    }
    parts = [
        HEAD,
        _set("COMMANDS", "All commands of a match. All others are its game's.", messages.COMMANDS),
        _set("EVENTS", "All events of a match. All others are its game's.", messages.EVENTS),
        _map(
            "ACTORS",
            "Actors of the commands for which the general rule does not hold.",
            match_commands.ACTORS,
        ),
        _set(
            "OF_HUMANS",
            "Commands that the human of a seat gives, and never a bot.",
            messages.OF_HUMANS,
        ),
        _set(
            "SHIFTS_DRAWS",
            "Commands that reports count as shifting draws by versions.",
            match_commands.SHIFTS_DRAWS,
        ),
        _map(
            "FIRST_EVENTS",
            "Event 0 of each command. @type {ReadonlyMap<string, FirstEvent>}",
            first_events,
        ),
        _map(
            "SEATED_BY",
            "The commands in which an event may change who sits. All but `lapse` name the seat.",
            match_commands.SEATED_BY,
        ),
        _map("SEAT_KINDS", "The kind of a seat after an event.", match_commands.SEAT_KINDS),
    ]
    return "\n".join(parts)


def _set(name: str, text: str, tags: Iterable[str]) -> str:
    items = "".join(f"  {_literal(tag)},\n" for tag in tags)
    return f"/** {text} */\nexport const {name} = new Set([\n{items}]);\n"


def _map(name: str, text: str, table: Mapping[str, object]) -> str:
    pairs = "".join(f"  [{_literal(key)}, {_literal(value)}],\n" for key, value in table.items())
    return f"/** {text} */\nexport const {name} = new Map([\n{pairs}]);\n"


def _literal(value: object) -> str:
    """Return a value as biome formats it."""
    if isinstance(value, Mapping):
        members = ", ".join(f"{name}: {_literal(one)}" for name, one in value.items())
        return f"{{ {members} }}"
    return json.dumps(value)


if __name__ == "__main__":
    FILE.write_text(module(), encoding="utf-8")
