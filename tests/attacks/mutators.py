"""The forgeries of the campaign.

Each changes a record's entries somewhere at random, as a forger with a plan would.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from random import Random
from typing import Any, NamedTuple

from service.ledger.canonical import Json
from service.ledger.commit import StoredCommit
from service.ledger.times import milliseconds, timestamp
from tests.attacks.forging import (
    COMMITMENT,
    DIGESTS,
    PARTS,
    SALTS,
    Entries,
    cut,
    key_of,
    opening_messages,
    secret_of,
    set_secret,
)

OTHER_ID = "z" * 26
NASTY_NUMBERS = [True, -1, 7, 2**53 - 1]
NASTY_TEXTS = ["", "x", "house", "seat:0"]
NASTY: list[Any] = [*NASTY_NUMBERS, *NASTY_TEXTS, [], [0], {}, {"seat:0": {}}, None]
SEATED = ["seat:0", "seat:1", "seat:2", "seat:9", "seat:99"]
ACTORS = ["owner", "house", "public", "invitation", *SEATED, ""]
DAY_MS = round(timedelta(days=1).total_seconds() * 1000)


class Forged(NamedTuple):
    """Forged entries, and what must not be mended in them because the forgery lies there."""

    entries: Entries
    leave: Sequence[str] = ()


# Returns None if it changed nothing.
Mutator = Callable[[Random, Entries], Forged | None]


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every container in a JSON value with every step into it."""
    for step, inner in list(value.items()) if isinstance(value, dict) else list(enumerate(value)):
        yield value, step
        if isinstance(inner, dict | list):
            yield from _places(inner)


def _messages(entry: StoredCommit) -> list[Any]:
    """Return what tells what was wanted and what happened: command, events, secret parts."""
    return [entry["commit"]["command"], entry["commit"]["events"], entry["secrets"]]


def _random_place(random: Random, entries: Entries) -> tuple[Any, Any]:
    """Return a container in the messages of some commit, and a step into it."""
    entry = random.choice(entries)
    return random.choice(list(_places(_messages(entry))))


def value(random: Random, entries: Entries) -> Forged | None:
    """Put another value in a place of a command, an event or a part.

    Often one from a like place elsewhere.
    """
    container, step = _random_place(random, entries)
    elsewhere = _messages(random.choice(entries))
    alike = [
        other[name]
        for other, name in _places(elsewhere)
        if name == step and isinstance(other, dict)
    ]

    old = container[step]
    choices = [*NASTY, *alike, *alike]
    if type(old) is int:
        choices += [old + 1, old - 1] * 4
    container[step] = random.choice(choices)
    return Forged(entries)


def field(random: Random, entries: Entries) -> Forged | None:
    """Take a member out of a message, or put one in."""
    container, step = _random_place(random, entries)
    if isinstance(container, list):
        container.pop(step)
    elif random.random() < 0.7:
        del container[step]
    else:
        new_value = random.choice(NASTY)
        name = random.choice(["extra", "seat", "match", "secret", "card"])
        container[name] = new_value
    return Forged(entries)


def event(random: Random, entries: Entries) -> Forged | None:
    """Leave out, repeat, swap or borrow an event."""
    events = random.choice(entries)["commit"]["events"]
    place = random.randrange(len(events))
    match random.randrange(4):
        case 0:
            events.pop(place)
        case 1:
            events.insert(place, events[place])
        case 2:
            random.shuffle(events)
        case _:
            borrowed_from = random.choice(entries)["commit"]["events"]
            events[place] = random.choice(borrowed_from)
    return Forged(entries)


def commit(random: Random, entries: Entries) -> Forged | None:
    """Leave out, repeat, swap or move a commit, and number all anew."""
    times = [entry["commit"]["time"] for entry in entries]
    place = random.randrange(1, len(entries) - 1) if len(entries) > 2 else 0
    match random.randrange(4):
        case 0:
            times.pop(0)
            entries.pop(place)
        case 1:
            times.append(times[-1])
            entries.insert(place, _copied(entries[place]))
        case 2:
            entries[place], entries[place - 1] = entries[place - 1], entries[place]
        case _:
            to = random.randrange(1, len(entries))
            moved = entries.pop(place)
            entries.insert(to, moved)

    for entry, time in zip(entries, times, strict=True):
        entry["commit"]["time"] = time
    return Forged(entries)


def _copied(entry: StoredCommit) -> StoredCommit:
    """Return an entry of its own, whose messages are still the other's."""
    return {
        "commit": {**entry["commit"]},
        "hash": entry["hash"],
        "secrets": {name: dict(part) for name, part in entry["secrets"].items()},
    }


def actor(random: Random, entries: Entries) -> Forged | None:
    """Let somebody else have given a command; every other time that of a join."""
    joins = [entry for entry in entries if entry["commit"]["command"]["type"] == "join"]
    chosen = random.choice(joins if joins and random.random() < 0.5 else entries)
    chosen["commit"]["actor"] = random.choice(ACTORS)
    return Forged(entries)


def time(random: Random, entries: Entries) -> Forged | None:
    """Move one commit's time, or the times of all commits from there on."""
    place = random.randrange(len(entries))
    shift_ms = random.choice([-DAY_MS, -1000, -1, 1, 999, 1000, DAY_MS])
    until = len(entries) if random.random() < 0.5 else place + 1
    for entry in entries[place:until]:
        content = entry["commit"]
        content["time"] = timestamp(milliseconds(content["time"]) + shift_ms)
    return Forged(entries)


OPTION_TEXTS = ["english", "german", "first_game", "spares", "chosen", "plain", "gilded"]
OPTION_VALUES: list[Any] = [True, False, *OPTION_TEXTS, 10, 60]
RULES = ["calimala", "firenze", "firenze/1", "firenze/2"]
OPENING_VALUES: list[Any] = ["private", "public", *RULES, 1, 2, 99]


def opening(random: Random, entries: Entries) -> Forged | None:
    """Change options, visibility, rules or views of the opening, in command and event alike."""
    command, opened = opening_messages(entries)
    options = command["options"]
    name = random.choice([*options, "visibility", "game", "rules", "views"])
    if name not in options:
        command[name] = opened[name] = random.choice(OPENING_VALUES)
        return Forged(entries)

    old = options[name]
    neighbours = [old + 1, old - 1] if type(old) is int else []
    options[name] = opened["options"][name] = random.choice([*OPTION_VALUES, *neighbours])
    return Forged(entries)


def seat(random: Random, entries: Entries) -> Forged | None:
    """Change kind, level, name or entropy of a seat at the opening, or of one who joined."""
    seated = [
        entry["commit"]
        for entry in entries
        if entry["commit"]["command"]["type"] in ("join", "replace")
    ]
    change = random.choice(_seat_changes(random))
    if seated and random.random() < 0.5:
        chosen = random.choice(seated)
        for message in (chosen["command"], chosen["events"][0]):
            message.update({name: new for name, new in change.items() if name in message})
        return Forged(entries)

    place = random.randrange(len(entries[0]["commit"]["command"]["seats"]))
    for message in opening_messages(entries):
        message["seats"][place] |= change
    return Forged(entries)


def _seat_changes(random: Random) -> list[dict[str, str]]:
    """Return what a seat may be told to have been held by instead."""
    return [
        {"name": f"{random.getrandbits(256):064x}"},
        {"name": ""},
        {"name": "Ginevra"},
        {"entropy": f"{random.getrandbits(64):016x}"},
        {"entropy": ""},
        {"level": "greedy"},
        {"level": "random"},
        {"kind": "bot", "level": "random", "entropy": ""},
        {"kind": "human", "level": ""},
        {"kind": "open"},
    ]


def binding(random: Random, entries: Entries) -> Forged | None:
    """Relabel the match, or tell it as one of the other kind of commitment."""
    key = key_of(entries, secret_of(entries))
    how = random.randrange(5)
    if how < 3:
        for entry in entries:
            entry["commit"]["match"] = OTHER_ID

    for message in opening_messages(entries):
        if how in (1, 2) and "match" in message:
            message["match"] = OTHER_ID
        elif how == 3:
            message.pop("match", None)
        elif how == 4:
            message["match"] = entries[0]["commit"]["match"]

    if how == 3 and random.random() < 0.5:
        set_secret(entries, key)
    return Forged(entries, [COMMITMENT, SALTS] if how in (0, 1) else [])


def secret(random: Random, entries: Entries) -> Forged | None:
    """Draw from another secret, or seal it in one place alone, or not at all."""
    sealed = entries[0]["secrets"]["house"]
    match random.randrange(4):
        case 0:
            set_secret(entries, random.randbytes(32))
        case 1:
            other = random.randbytes(32).hex()
            sealed[random.choice(["command", "0"])]["secret"] = other
        case 2:
            del sealed[random.choice(["command", "0"])]["secret"]
        case _:
            del entries[0]["secrets"]["house"]
    return Forged(entries)


def part(random: Random, entries: Entries) -> Forged | None:
    """Change what is secret: its digest, its salt, whose it is; take it out or invent one."""
    chosen = random.choice([entry for entry in entries if entry["secrets"]])
    digests = chosen["commit"]["secrets"]
    parts = chosen["secrets"]
    audience = random.choice(list(parts))

    match random.randrange(6):
        case 0:
            digests[audience] = f"{random.getrandbits(256):064x}"
            return Forged(entries, [DIGESTS])
        case 1:
            parts[audience]["salt"] = f"{random.getrandbits(256):064x}"
            return Forged(entries, [SALTS])
        case 2:
            other = random.choice(["house", "seat:0", "seat:1", "seat:2", "owner", ""])
            parts[other] = parts.pop(audience)
            return Forged(entries) if other != audience else None
        case 3:
            del parts[audience]
        case 4:
            del digests[audience]
            return Forged(entries, [DIGESTS])
        case _:
            invented: Json = {"salt": "", "0": {}}
            receiver = random.choice(entries)
            receiver["secrets"][random.choice(["house", "seat:0", "seat:1"])] = invented
    return Forged(entries)


def revelation(random: Random, entries: Entries) -> Forged | None:
    """Let the revelation tell something else than what was sealed."""
    last = entries[-1]["commit"]
    messages = [last["command"], last["events"][-1]]
    version = random.choice(list(messages[0]["parts"]))
    number_of_liars = random.choice([1, 2, 2])

    for message in messages[:number_of_liars]:
        parts = message["parts"]
        if version in parts and random.random() < 0.5:
            message["parts"] = {number: told for number, told in parts.items() if number != version}
        else:
            message["parts"] = {**parts, str(len(entries)): {"house": {"salt": ""}}}
    return Forged(entries, [PARTS])


def view(random: Random, entries: Entries) -> Forged | None:
    """Show the public something else."""
    shown_after = random.choice(entries)["commit"]["view"]
    random.choice(entries)["commit"]["view"] = shown_after
    return Forged(entries)


def ending(random: Random, entries: Entries) -> Forged | None:
    """Tell the match as one that was aborted earlier."""
    return Forged(cut(entries, random.randrange(1, len(entries))))


MUTATORS: tuple[Mutator, ...] = (
    value,
    field,
    event,
    commit,
    actor,
    time,
    opening,
    seat,
    binding,
    secret,
    part,
    revelation,
    view,
    ending,
)
