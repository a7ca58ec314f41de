"""Forgeries of the campaign that change what single commits say: values, events, actors, times.

Each changes a record's entries somewhere at random, as a forger with a plan would. It returns None
if it changed nothing.
"""

from collections.abc import Iterator
from datetime import timedelta
from random import Random
from typing import Any

from service.ledger.commit import StoredCommit, milliseconds, timestamp
from tests.attacks.forging import Entries, Forged

NASTY_NUMBERS = [True, -1, 7, 2**53 - 1]
NASTY_TEXTS = ["", "x", "house", "seat:0"]
NASTY: list[Any] = [*NASTY_NUMBERS, *NASTY_TEXTS, [], [0], {}, {"seat:0": {}}, None]
SEATED = ["seat:0", "seat:1", "seat:2", "seat:9", "seat:99"]
ACTORS = ["owner", "house", "public", "invitation", *SEATED, ""]
DAY_MS = round(timedelta(days=1).total_seconds() * 1000)
SHIFTS_MS = [-DAY_MS, -1000, -1, 1, 999, 1000, DAY_MS]

# A container in a JSON value, and a step into it: a name or an index.
Step = tuple[Any, Any]


def _steps(value: Any) -> Iterator[Step]:
    """Yield every container in a JSON value with every step into it."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for step, inner in list(items):
        yield value, step
        if isinstance(inner, dict | list):
            yield from _steps(inner)


def _messages(entry: StoredCommit) -> list[Any]:
    """Return what tells what was wanted and what happened: command, events, secret parts."""
    content = entry["commit"]
    return [content["command"], content["events"], entry["secrets"]]


def _random_step(random: Random, entries: Entries) -> Step:
    """Return a container in the messages of some commit, and a step into it."""
    entry = random.choice(entries)
    steps = list(_steps(_messages(entry)))
    return random.choice(steps)


def value(random: Random, entries: Entries) -> Forged | None:
    """Put another value in a place of a command, an event or a part.

    Often it is one from a like place elsewhere.
    """
    container, step = _random_step(random, entries)
    elsewhere = _messages(random.choice(entries))
    alike = [
        other[name] for other, name in _steps(elsewhere) if name == step and isinstance(other, dict)
    ]

    old = container[step]
    choices = [*NASTY, *alike, *alike]
    if type(old) is int:
        choices += [old + 1, old - 1] * 4

    container[step] = random.choice(choices)
    return Forged(entries)


def field(random: Random, entries: Entries) -> Forged | None:
    """Take a member out of a message, or put one in."""
    container, step = _random_step(random, entries)

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
    """Leave out, repeat, swap or move a commit; the times stay in order."""
    times = [entry["commit"]["time"] for entry in entries]
    place = _place_of_a_commit(random, entries)

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
            new_place = random.randrange(1, len(entries))
            moved = entries.pop(place)
            entries.insert(new_place, moved)

    for entry, time in zip(entries, times, strict=True):
        entry["commit"]["time"] = time
    return Forged(entries)


def _place_of_a_commit(random: Random, entries: Entries) -> int:
    """Return the place of a commit that neither opens the match nor reveals, if there is one."""
    if len(entries) <= 2:
        return 0
    return random.randrange(1, len(entries) - 1)


def _copied(entry: StoredCommit) -> StoredCommit:
    """Return an entry of its own, whose messages are still the other's."""
    parts = {audience: dict(part) for audience, part in entry["secrets"].items()}
    return {
        "commit": {**entry["commit"]},
        "hash": entry["hash"],
        "secrets": parts,
    }


def actor(random: Random, entries: Entries) -> Forged | None:
    """Let somebody else have given a command; every other time that of a join."""
    joins = [entry for entry in entries if entry["commit"]["command"]["type"] == "join"]
    candidates = joins if joins and random.random() < 0.5 else entries

    chosen = random.choice(candidates)
    chosen["commit"]["actor"] = random.choice(ACTORS)
    return Forged(entries)


def time(random: Random, entries: Entries) -> Forged | None:
    """Move one commit's time, or the times of all commits from there on."""
    first = random.randrange(len(entries))
    shift_ms = random.choice(SHIFTS_MS)
    end = len(entries) if random.random() < 0.5 else first + 1

    for entry in entries[first:end]:
        content = entry["commit"]
        shifted_ms = milliseconds(content["time"]) + shift_ms
        content["time"] = timestamp(shifted_ms)
    return Forged(entries)
