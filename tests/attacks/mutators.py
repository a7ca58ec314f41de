"""The forgers of a campaign. Each changes a record's entries somewhere at random.

They do it as a forger with a plan would: some change the content of single commits, others a
record's statements about its match. Each returns None if it changed nothing.
"""

from collections.abc import Callable
from copy import deepcopy
from datetime import timedelta
from random import Random
from typing import Any

from service.record.commit import Json, StoredCommit, milliseconds, timestamp
from tests.attacks.forging import (
    COMMITMENT,
    DIGESTS,
    PARTS,
    SALTS,
    Entries,
    Forged,
    Step,
    cut,
    key_of,
    opening_messages,
    secret_of,
    set_secret,
    steps,
)
from tests.signing import ADA, CLEO

NASTY_NUMBERS = [True, -1, 7, 2**53 - 1]
NASTY_TEXTS = ["", "x", "house", "seat:0"]
NASTY: list[Any] = [*NASTY_NUMBERS, *NASTY_TEXTS, [], [0], {}, {"seat:0": {}}, None]
SEATED = ["seat:0", "seat:1", "seat:2", "seat:9", "seat:99"]
ACTORS = ["owner", "house", "public", "invitation", *SEATED, ""]
DAY_MS = round(timedelta(days=1).total_seconds() * 1000)
SHIFTS_MS = [-DAY_MS, -1000, -1, 1, 999, 1000, DAY_MS]


def _messages(entry: StoredCommit) -> list[Any]:
    """Return the command, the events and the secret parts of a commit."""
    content = entry["commit"]
    return [content["command"], content["events"], entry["secrets"]]


def _random_step(random: Random, entries: Entries) -> Step:
    """Return a container in the messages of some commit, and a step into it."""
    entry = random.choice(entries)
    return random.choice(list(steps(_messages(entry))))


def value(random: Random, entries: Entries) -> Forged | None:
    """Put another value in a place of a command, an event or a part.

    Often it is one from a like place elsewhere.
    """
    container, step = _random_step(random, entries)
    elsewhere = _messages(random.choice(entries))
    alike = [
        other[name] for other, name in steps(elsewhere) if name == step and isinstance(other, dict)
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
    """Leave out, repeat, swap or move a commit. The times stay in order."""
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
    """Return the place of a commit between the opening and the revelation, if there is one."""
    if len(entries) <= 2:
        return 0
    return random.randrange(1, len(entries) - 1)


def _copied(entry: StoredCommit) -> StoredCommit:
    """Return a new entry with the other's messages."""
    parts = {audience: dict(part) for audience, part in entry["secrets"].items()}
    return {
        "commit": {**entry["commit"]},
        "hash": entry["hash"],
        "secrets": parts,
    }


def actor(random: Random, entries: Entries) -> Forged | None:
    """Name another actor of a command. Half of the time it is a join, if there is one."""
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


OTHER_ID = "z" * 26

OPTION_TEXTS = ["english", "german", "first_game", "spares", "chosen", "plain", "gilded"]
OPTION_VALUES: list[Any] = [True, False, *OPTION_TEXTS, 10, 60]
RULES = ["calimala", "firenze", "firenze/1", "firenze/2"]
OPENING_VALUES: list[Any] = ["private", "public", *RULES, 1, 2, 99]


def opening(random: Random, entries: Entries) -> Forged | None:
    """Change options, visibility, rules or views of the opening, in command and event alike."""
    command, opened = opening_messages(entries)
    options = command["options"]
    name = random.choice([*options, "visibility", "game", "rules", "views"])

    if name in options:
        new_value = _other_option(random, options[name])
        options[name] = new_value
        opened["options"][name] = new_value
    else:
        new_value = random.choice(OPENING_VALUES)
        command[name] = new_value
        opened[name] = new_value

    return Forged(entries)


def _other_option(random: Random, old: Any) -> Any:
    """Return a possible value of an option, a neighbour of a number, too."""
    neighbours = [old + 1, old - 1] if type(old) is int else []
    return random.choice([*OPTION_VALUES, *neighbours])


def seat(random: Random, entries: Entries) -> Forged | None:
    """Change kind, level, name or entropy of a seat at the opening, or of a joined player."""
    contents = [entry["commit"] for entry in entries]
    seated = [content for content in contents if content["command"]["type"] in ("join", "replace")]
    change = random.choice(_seat_changes(random))

    if seated and random.random() < 0.5:
        chosen = random.choice(seated)
        for message in (chosen["command"], chosen["events"][0]):
            _change_what_is_told(message, change)
        return Forged(entries)

    number_of_seats = len(contents[0]["command"]["seats"])
    place = random.randrange(number_of_seats)
    for message in opening_messages(entries):
        message["seats"][place] |= change
    return Forged(entries)


def _change_what_is_told(message: Json, change: dict[str, str]) -> None:
    """Change the existing ones of these fields in a message."""
    for name, new_value in change.items():
        if name in message:
            message[name] = new_value


def _seat_changes(random: Random) -> list[dict[str, str]]:
    """Return false descriptions of a seat."""
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

    match random.randrange(5):
        case 0:
            _relabel_commits(entries)
            return Forged(entries, [COMMITMENT, SALTS])
        case 1:
            _relabel_commits(entries)
            _relabel_opening(entries)
            return Forged(entries, [COMMITMENT, SALTS])
        case 2:
            _relabel_commits(entries)
            _relabel_opening(entries)
        case 3:
            for message in opening_messages(entries):
                message.pop("match", None)
            if random.random() < 0.5:
                set_secret(entries, key)
        case _:
            for message in opening_messages(entries):
                message["match"] = entries[0]["commit"]["match"]

    return Forged(entries)


def _relabel_commits(entries: Entries) -> None:
    """Let every commit be of another match."""
    for entry in entries:
        entry["commit"]["match"] = OTHER_ID


def _relabel_opening(entries: Entries) -> None:
    """Let the opening be bound to another match, if it is bound to any."""
    for message in opening_messages(entries):
        if "match" in message:
            message["match"] = OTHER_ID


def base(random: Random, entries: Entries) -> Forged | None:
    """Let a fork go on from something else (M21), in its command, in its event or in both."""
    first = entries[0]["commit"]
    if "base" not in first["command"]:
        return None

    reference = deepcopy(first["command"]["base"])
    match random.randrange(4):
        case 0:
            reference["hash"] = f"{random.getrandbits(256):064x}"
        case 1:
            reference["version"] += random.choice([-1, 1, 1000])
        case 2:
            reference["match"] = OTHER_ID
        case _:
            numbers = [step for step in steps(reference["state"]) if type(step[0][step[1]]) is int]
            container, step = random.choice(numbers)
            container[step] += random.choice([-1, 1])

    messages = [first["command"], first["events"][1]]
    for message in random.choice([messages, messages, messages[:1], messages[1:]]):
        message["base"] = reference
    return Forged(entries)


def secret(random: Random, entries: Entries) -> Forged | None:
    """Draw from another secret, or seal it in one place alone, or not at all."""
    sealed = entries[0]["secrets"]["house"]

    match random.randrange(4):
        case 0:
            set_secret(entries, random.randbytes(32))
        case 1:
            other = random.randbytes(32).hex()
            place = random.choice(["command", "0"])
            sealed[place]["secret"] = other
        case 2:
            place = random.choice(["command", "0"])
            del sealed[place]["secret"]
        case _:
            del entries[0]["secrets"]["house"]

    return Forged(entries)


def part(random: Random, entries: Entries) -> Forged | None:
    """Change a secret part: its digest, its salt, its audience. Take it out or invent one."""
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
            _invent_part(random, entries)

    return Forged(entries)


def _invent_part(random: Random, entries: Entries) -> None:
    """Give a commit a secret part without content."""
    invented: Json = {"salt": "", "0": {}}
    receiver = random.choice(entries)
    audience = random.choice(["house", "seat:0", "seat:1"])
    receiver["secrets"][audience] = invented


def revelation(random: Random, entries: Entries) -> Forged | None:
    """Let the revelation tell something else than the sealed parts."""
    last = entries[-1]["commit"]
    messages = [last["command"], last["events"][-1]]
    version = random.choice(list(messages[0]["parts"]))
    number_of_liars = random.choice([1, 2, 2])

    for message in messages[:number_of_liars]:
        parts = dict(message["parts"])
        if version in parts and random.random() < 0.5:
            del parts[version]
        else:
            parts[str(len(entries))] = {"house": {"salt": ""}}
        message["parts"] = parts

    return Forged(entries, [PARTS])


def view(random: Random, entries: Entries) -> Forged | None:
    """Give a commit the view digest of another one."""
    shown_after = random.choice(entries)["commit"]["view"]
    random.choice(entries)["commit"]["view"] = shown_after
    return Forged(entries)


def ending(random: Random, entries: Entries) -> Forged | None:
    """Tell the match as one that was aborted earlier."""
    length = random.randrange(1, len(entries))
    return Forged(cut(entries, length))


def signature(random: Random, entries: Entries) -> Forged | None:
    """Take signatures off, put them elsewhere, or sign oneself. Take keys away, or bring others."""
    holders = [holder for entry in entries for holder in _signed_in(entry)]
    if not holders:
        return None

    chosen, other = random.choice(holders), random.choice(holders)
    match random.randrange(6):
        case 0:
            del chosen["signature"]
        case 1:
            chosen["signature"], other["signature"] = other["signature"], chosen["signature"]
        case 2:
            random.choice(entries)["commit"]["signature"] = f"{random.getrandbits(512):0128x}"
        case 3:
            _change_keys(entries, random.choice([ADA.key, CLEO.key, "01" + "00" * 31]))
        case 4:
            _change_keys(entries, None)
        case _:
            _change_keys(entries, None)
            for holder in holders:
                holder.pop("signature", None)
    return Forged(entries)


def _signed_in(entry: StoredCommit) -> list[Any]:
    """Return the parts of a commit with a signature: its CONTENT, or a secret part."""
    return [one for one in (entry["commit"], *entry["secrets"].values()) if "signature" in one]


def _change_keys(entries: Entries, key: str | None) -> None:
    """Give every seat with a key another one, or none."""
    messages = opening_messages(entries)
    parts = [plan for message in messages for plan in message["seats"]]
    for entry in entries:
        if entry["commit"]["command"]["type"] == "join":
            parts += [entry["commit"]["command"], entry["commit"]["events"][0]]
    for one in parts:
        if "key" in one and key is None:
            del one["key"]
        elif "key" in one:
            one["key"] = key


Mutator = Callable[[Random, Entries], Forged | None]

# A campaign's seed picks from this table: another order gives other forgeries.
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
    base,
    signature,
)
