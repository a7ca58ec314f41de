"""Commands of the match: their actors and first events (docs/reference/record.md, section 2).

The first event repeats the command, so no game is needed to compare the two.
"""

from collections.abc import Mapping
from dataclasses import fields
from typing import NamedTuple

from domain.match import messages
from domain.match.messages import COMMAND_RULES
from domain.seats import HOUSE_ACTOR
from domain.wire import Message
from service.record.commit import Json, StoredCommit, canonical
from service.record.verify.report import Wrong


class FirstEvent(NamedTuple):
    """The first event of a command.

    in_command: fields of the command alone.   in_event: fields of the event alone.
    """

    tag: str
    in_command: tuple[str, ...]
    in_event: tuple[str, ...]


def _first_event(command: type[Message], event: type[Message]) -> FirstEvent:
    in_command, in_event = _names(command), _names(event)
    return FirstEvent(
        event.tag,
        tuple(name for name in in_command if name not in in_event),
        tuple(name for name in in_event if name not in in_command),
    )


def _names(message: type[Message]) -> list[str]:
    return [field.name for field in fields(message)]


def _has_general_actor(command: type[Message], actors: tuple[str, ...]) -> bool:
    """Return True for the default actors: the seat in the field `seat`, else the house."""
    return actors == ((messages.SEAT,) if "seat" in _names(command) else (HOUSE_ACTOR,))


# The tables of `domain.match.messages`, by tag. Browsers have copies (match_messages.js).

# Actors of the commands that are exceptions to the default (`_has_general_actor`).
ACTORS: Mapping[str, tuple[str, ...]] = {
    command.tag: rule.actors
    for command, rule in COMMAND_RULES.items()
    if not _has_general_actor(command, rule.actors)
}
FIRST_EVENTS: Mapping[str, FirstEvent] = {
    command.tag: _first_event(command, rule.causes[0]) for command, rule in COMMAND_RULES.items()
}
SEAT_KINDS: Mapping[str, str] = {event.tag: kind for event, kind in messages.SEAT_KINDS.items()}
# Commands that may change the holder of a seat, by event. All but `lapse` name the seat.
SEATED_BY: Mapping[str, tuple[str, ...]] = {
    event.tag: tuple(command.tag for command, rule in COMMAND_RULES.items() if event in rule.causes)
    for event in messages.SEAT_KINDS
}
SHIFTS_DRAWS = tuple(command.tag for command, rule in COMMAND_RULES.items() if rule.shifts_draws)


def check_first_event(stored: StoredCommit) -> None:
    """Check that a command of the match and event 0 say the same. Raises Wrong.

    They may hide nothing but the match's secret, in the house's part of the opening.
    """
    content = stored["commit"]
    command, events = content["command"], content["events"]
    tag = command.get("type")
    first = FIRST_EVENTS.get(tag) if isinstance(tag, str) else None
    if first is None:
        return

    event = events[0] if events else {}
    is_told = event.get("type") == first.tag and canonical(
        _without(command, first.in_command)
    ) == canonical(_without(event, first.in_event))
    if not is_told:
        kind = event.get("type", "none")
        detail = f"its event 0 ({kind}) does not follow from its command"
        raise Wrong(content["version"], "events_differ", detail)

    for audience, part in stored["secrets"].items():
        places = part.keys() & {"command", "0"}
        is_opening = tag == messages.Open.tag and audience == HOUSE_ACTOR
        if places and not (
            is_opening and all(part[place].keys() == {"secret"} for place in places)
        ):
            detail = f"its secret part for {audience} does not follow from its command"
            raise Wrong(content["version"], "secrets_differ", detail)


def _without(message: Json, names: tuple[str, ...]) -> Json:
    """Return the members of a message without its `type` and some others."""
    left_out = ("type", *names)
    return {name: value for name, value in message.items() if name not in left_out}
