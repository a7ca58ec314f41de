"""Forgeries of the campaign that change what a record says of its match.

Opening, seats, binding, secrets, views, ending: each is changed at random, as a forger with a plan
would. A forgery returns None if it changed nothing.
"""

from random import Random
from typing import Any

from service.ledger.commit import Json
from tests.attacks.forging import (
    COMMITMENT,
    DIGESTS,
    PARTS,
    SALTS,
    Entries,
    Forged,
    cut,
    key_of,
    opening_messages,
    secret_of,
    set_secret,
)

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
    """Return a value that an option may be told to have had, a neighbour of a number, too."""
    neighbours = [old + 1, old - 1] if type(old) is int else []
    return random.choice([*OPTION_VALUES, *neighbours])


def seat(random: Random, entries: Entries) -> Forged | None:
    """Change kind, level, name or entropy of a seat at the opening, or of one who joined."""
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
    """Change those fields of a message that it has."""
    for name, new_value in change.items():
        if name in message:
            message[name] = new_value


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
            _invent_part(random, entries)

    return Forged(entries)


def _invent_part(random: Random, entries: Entries) -> None:
    """Let a commit have a secret part in which nothing is told."""
    invented: Json = {"salt": "", "0": {}}
    receiver = random.choice(entries)
    audience = random.choice(["house", "seat:0", "seat:1"])
    receiver["secrets"][audience] = invented


def revelation(random: Random, entries: Entries) -> Forged | None:
    """Let the revelation tell something else than what was sealed."""
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
    """Show the public something else."""
    shown_after = random.choice(entries)["commit"]["view"]
    random.choice(entries)["commit"]["view"] = shown_after
    return Forged(entries)


def ending(random: Random, entries: Entries) -> Forged | None:
    """Tell the match as one that was aborted earlier."""
    kept = random.randrange(1, len(entries))
    return Forged(cut(entries, kept))
