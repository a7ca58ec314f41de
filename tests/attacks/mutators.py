"""The forgeries of the campaign: each changes a record's entries somewhere at random, as a forger with a plan would."""

from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from random import Random
from typing import Any, NamedTuple

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
NASTY: list[Any] = [
    True,
    -1,
    7,
    2**53 - 1,
    "",
    "x",
    "house",
    "seat:0",
    [],
    [0],
    {},
    {"seat:0": {}},
    None,
]
ACTORS = (
    "owner",
    "house",
    "public",
    "invitation",
    "seat:0",
    "seat:1",
    "seat:2",
    "seat:9",
    "seat:99",
    "",
)
DAY_MS = round(timedelta(days=1).total_seconds() * 1000)


class Forged(NamedTuple):
    """Forged entries, and what must not be mended in them because the forgery lies there."""

    entries: Entries
    leave: Sequence[str] = ()


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


def value(random: Random, entries: Entries) -> Forged | None:
    """Put another value in a place of a command, an event or a part; often one from a like place elsewhere."""
    container, step = random.choice(list(_places(_messages(random.choice(entries)))))
    alike = [
        other[name]
        for other, name in _places(_messages(random.choice(entries)))
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
    container, step = random.choice(list(_places(_messages(random.choice(entries)))))
    if isinstance(container, dict) and random.random() < 0.7:
        del container[step]
    elif isinstance(container, dict):
        container[random.choice(["extra", "seat", "match", "secret", "card"])] = random.choice(
            NASTY
        )
    else:
        container.pop(step)
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
            events[place] = random.choice(random.choice(entries)["commit"]["events"])
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
            entries.insert(random.randrange(1, len(entries)), entries.pop(place))
    for entry, time in zip(entries, times, strict=True):
        entry["commit"]["time"] = time
    return Forged(entries)


def _copied(entry: StoredCommit) -> StoredCommit:
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
    shift = random.choice([-DAY_MS, -1000, -1, 1, 999, 1000, DAY_MS])
    until = len(entries) if random.random() < 0.5 else place + 1
    for entry in entries[place:until]:
        entry["commit"]["time"] = timestamp(milliseconds(entry["commit"]["time"]) + shift)
    return Forged(entries)


def opening(random: Random, entries: Entries) -> Forged | None:
    """Change what the match was opened with, in command and event alike: options, visibility, rules, views."""
    command, opened = opening_messages(entries)
    names = [*command["options"], *["visibility", "game", "rules", "views"]]
    name = random.choice(names)
    if name in command["options"]:
        old = command["options"][name]
        choices: list[Any] = [
            True,
            False,
            "english",
            "german",
            "first_game",
            "spares",
            "chosen",
            "plain",
            "gilded",
            10,
            60,
        ]
        new = random.choice([*choices, old + 1, old - 1] if type(old) is int else choices)
        command["options"][name] = opened["options"][name] = new
    else:
        new = random.choice(
            ["private", "public", "calimala", "firenze", "firenze/1", "firenze/2", 1, 2, 99]
        )
        command[name] = opened[name] = new
    return Forged(entries)


def seat(random: Random, entries: Entries) -> Forged | None:
    """Let another have sat there: kind, level, name or entropy of a seat at the opening or of one who joined."""
    joins = [
        entry["commit"]
        for entry in entries
        if entry["commit"]["command"]["type"] in ("join", "replace")
    ]
    change = random.choice(
        [
            {"name": f"{random.getrandbits(256):064x}"}, {"name": ""}, {"name": "Ginevra"},
            {"entropy": f"{random.getrandbits(64):016x}"}, {"entropy": ""}, {"level": "greedy"}, {"level": "random"},
            {"kind": "bot", "level": "random", "entropy": ""}, {"kind": "human", "level": ""}, {"kind": "open"},
        ]
    )  # fmt: skip
    if joins and random.random() < 0.5:
        chosen = random.choice(joins)
        for message in (chosen["command"], chosen["events"][0]):
            message.update({name: new for name, new in change.items() if name in message})
        return Forged(entries)
    place = random.randrange(len(entries[0]["commit"]["command"]["seats"]))
    for message in opening_messages(entries):
        message["seats"][place] |= change
    return Forged(entries)


def binding(random: Random, entries: Entries) -> Forged | None:
    """Relabel the match, or tell it as one of the other kind of commitment."""
    secret = secret_of(entries)
    key = key_of(entries, secret)
    how = random.randrange(5)
    for entry in entries:
        if how < 3:
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
    house = entries[0]["secrets"]["house"]
    match random.randrange(4):
        case 0:
            set_secret(entries, random.randbytes(32))
        case 1:
            house[random.choice(["command", "0"])]["secret"] = random.randbytes(32).hex()
        case 2:
            del house[random.choice(["command", "0"])]["secret"]
        case _:
            del entries[0]["secrets"]["house"]
    return Forged(entries)


def part(random: Random, entries: Entries) -> Forged | None:
    """Change what is secret: its digest, its salt, whose it is; take it out or invent one."""
    having = [entry for entry in entries if entry["secrets"]]
    chosen = random.choice(having)
    audience = random.choice(list(chosen["secrets"]))
    match random.randrange(6):
        case 0:
            chosen["commit"]["secrets"][audience] = f"{random.getrandbits(256):064x}"
            return Forged(entries, [DIGESTS])
        case 1:
            chosen["secrets"][audience]["salt"] = f"{random.getrandbits(256):064x}"
            return Forged(entries, [SALTS])
        case 2:
            other = random.choice(["house", "seat:0", "seat:1", "seat:2", "owner", ""])
            chosen["secrets"][other] = chosen["secrets"].pop(audience)
            return Forged(entries) if other != audience else None
        case 3:
            del chosen["secrets"][audience]
        case 4:
            del chosen["commit"]["secrets"][audience]
            return Forged(entries, [DIGESTS])
        case _:
            invented = {"salt": "", "0": dict[str, Any]()}
            random.choice(entries)["secrets"][random.choice(["house", "seat:0", "seat:1"])] = (
                invented
            )
    return Forged(entries)


def revelation(random: Random, entries: Entries) -> Forged | None:
    """Let the revelation tell something else than what was sealed."""
    last = entries[-1]["commit"]
    messages = [last["command"], last["events"][-1]]
    version = random.choice(list(messages[0]["parts"]))
    for message in messages[: random.choice([1, 2, 2])]:
        if version in message["parts"] and random.random() < 0.5:
            message["parts"] = {
                number: told for number, told in message["parts"].items() if number != version
            }
        else:
            message["parts"] = {**message["parts"], str(len(entries)): {"house": {"salt": ""}}}
    return Forged(entries, [PARTS])


def view(random: Random, entries: Entries) -> Forged | None:
    """Show the public something else."""
    random.choice(entries)["commit"]["view"] = random.choice(entries)["commit"]["view"]
    return Forged(entries)


def ending(random: Random, entries: Entries) -> Forged | None:
    """Tell the match as one that was aborted earlier."""
    return Forged(cut(entries, random.randrange(1, len(entries))))


MUTATORS: tuple[Mutator, ...] = (
    value, field, event, commit, actor, time, opening, seat, binding, secret, part, revelation, view, ending,
)  # fmt: skip
