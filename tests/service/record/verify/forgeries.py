"""Forged records. Every verifier must give the same verdicts on them.

A forgery puts a value in a place of a record.
Values are JSON text, since no library writes all of them.
Digests and chain are mended afterwards, unless they are the forgery itself.
"""

import hashlib
import json
import random
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import pytest

from domain.games import RELEASED
from domain.match.terms.joint_entropy import pledge_of
from service.matches import lobby, metadata_changes, tokens
from service.matches.command_handler import Submission
from service.matches.context import Context
from service.matches.opening import OpenRequest, open_new
from service.record import record
from tests.attacks.forging import Entries, entries_of, steps
from tests.records import make
from tests.service.toy_matches import fault, play_on, record_of, signed, whole

COUNT = 150
UNKNOWN_RULES = "unknown/1"


class Raw(NamedTuple):
    """A value as JSON text, canonical or not."""

    text: str


NUMBERS = (
    *("-1", "0", "7", "15", "16", "1.5", "6.0", "1e2", "-0", "-0.0", "1e400"),
    *("9007199254740991", "9007199254740992", "-9007199254740992", "18446744073709551616"),
)
TEXTS = (
    *('""', '"x"', '"house"', '"owner"', '"seat:1"', '"seat:16"', '"seat:01"', '"calimala/1"'),
    *('"\\ud800"', '"\u007f"', '"\U0001f600"', '"a\\/b"', f'"{"0" * 64}"', f'"{"A" * 64}"'),
)
OBJECTS = (
    *("null", "true", "[]", "[0]", "{}", '{"salt":""}', '{"seat:0":{}}', '{"type":[]}'),
    *('{"a":1,"a":1}', '{"b":1,"a":2}', '{"__proto__":1}', '{"constructor":{}}', '{"length":0}'),
    # Two names with opposite orders in UTF-8 and UTF-16, both ways.
    *('{"\ue000":1,"\U0001f600":2}', '{"\U0001f600":2,"\ue000":1}', '{"é":1}'),
)
DEPTHS = tuple("[" * depth + "]" * depth for depth in (50, 70, 300, 2500, 6000))
VALUES = tuple(map(Raw, (*NUMBERS, *TEXTS, *OBJECTS, *DEPTHS)))

NAMES = ("type", "seat", "holder", "match", "secret", "salt", "1", "é", "__proto__")
ACTORS = ("owner", "house", "public", "invitation", "seat:0", "seat:1", "seat:2", "seat:99", "")


# ---- true records, as possible forgers have them -------------------------------------------------


def true_records(ctx: Context) -> list[list[bytes]]:
    """Return true records: matches of the toy, with all other commands, and of real games."""
    of_toy = [whole(ctx, 1), with_changes(ctx), signed(ctx), drawn_together(ctx)]
    paths = [make.HOME / game / "1-3-09.ndjson.gz" for game in ("calimala", "firenze")]
    return [*of_toy, *map(make.lines_in, paths)]


def with_changes(ctx: Context) -> list[bytes]:
    """Return the record of a match with changes of seats, tokens and names."""
    plans = [{"kind": "open"}, {"kind": "human", "name": "Bea"}, {"kind": "bot", "level": "random"}]
    match = open_new(ctx, OpenRequest("toy", plans, {"rounds": 1}, seed="toy"), key="changes")
    match_id, owner = match.loaded.id, match.tokens["owner"]

    lobby.join(ctx, Submission(match_id, None), 0, {"name": "Ada", "entropy": "00ff"})
    lobby.start(ctx, Submission(match_id, owner))
    lobby.replace(ctx, Submission(match_id, owner), 0, "random")
    lobby.replace(ctx, Submission(match_id, owner), 1, "random")
    lobby.restore(ctx, Submission(match_id, owner), 1)
    bea = tokens.rotate(ctx, Submission(match_id, match.tokens["seat:1"]), None).token
    metadata_changes.erase(ctx, Submission(match_id, bea), 1)
    tokens.revoke(ctx, Submission(match_id, owner), "seat:0")

    match = replace(match, tokens={**match.tokens, "seat:1": bea})
    play_on(ctx, match)
    return record_of(ctx, match)


def drawn_together(ctx: Context) -> list[bytes]:
    """Return the record of a match with joint draws, at the second attempt (M19)."""
    plans = [
        {"kind": "human", "pledge": pledge_of("5a" * 32, 0)},
        {"kind": "open"},
        {"kind": "bot", "level": "random"},
    ]
    request = OpenRequest("toy", plans, {"rounds": 1}, seed="toy", terms={"joint_entropy": True})
    match = open_new(ctx, request, key="together")
    own_tokens = dict(match.tokens)

    def by(seat: int) -> Submission:
        return Submission(match.loaded.id, own_tokens.get(f"seat:{seat}"))

    bea = {"name": "Bea", "entropy": "", "pledge": pledge_of("a5" * 32, 1)}
    nobody = Submission(match.loaded.id, None)
    _, own_tokens["seat:1"] = lobby.join(ctx, nobody, 1, bea)
    lobby.disclose(ctx, by(0), "5a" * 32)
    lobby.leave(ctx, by(1), 1)
    _, own_tokens["seat:1"] = lobby.join(ctx, nobody, 1, {"name": "Cleo", "entropy": ""})
    for seat, entropy in ((1, "b6" * 32), (0, "6b" * 32)):
        lobby.pledge(ctx, by(seat), pledge_of(entropy, seat))
    lobby.disclose(ctx, by(0), "6b" * 32)
    lobby.disclose(ctx, by(1), "b6" * 32)

    play_on(ctx, replace(match, tokens=own_tokens))
    return record_of(ctx, match)


def unchanged(entries: Entries) -> Entries:
    """Return the whole record."""
    return entries


def redacted(entries: Entries) -> Entries:
    """Return an ended record with its secret parts in its revelation only."""
    return [record.redact(entry, []) for entry in entries]


def unended(entries: Entries) -> Entries:
    """Return the public part of a match that is on."""
    return redacted(entries[:-1])


def of_a_seat(entries: Entries) -> Entries:
    """Return a seat's part of a match that is on."""
    return [record.redact(entry, ["seat:0"]) for entry in entries[:-1]]


VERSIONS = (unchanged, unchanged, redacted, redacted, unended, of_a_seat)


# ---- forgeries -----------------------------------------------------------------------------------


def forged_records(ctx: Context, count: int = COUNT) -> Iterator[bytes]:
    """Yield `count` forged records, the same in each run. Some are still right."""
    chance = random.Random("forged records")
    records = true_records(ctx)
    for value in VALUES:
        yield with_member(chance, records[0], value)
    for _ in range(count - len(VALUES)):
        yield forged_record(chance, chance.choice(records))


def with_member(chance: random.Random, lines: list[bytes], value: Raw) -> bytes:
    """Return a record of unknown rules with one more member in an event."""
    entries = entries_of(lines)
    tell_unknown_rules(entries)
    entries[1]["commit"]["events"][0]["more"] = value
    return written(chance, entries)


def forged_record(chance: random.Random, lines: list[bytes]) -> bytes:
    """Return a record, or a part of it, with a random change."""
    entries = entries_of(lines)
    if chance.random() < 0.5:
        tell_unknown_rules(entries)
    entries = chance.choice(VERSIONS)(entries)

    forge = chance.choice((put_value, put_value, put_value, put_name, put_actor, put_salt))
    forge(chance, entries)
    if chance.random() < 0.8:
        mend_digests(entries)
    return written(chance, entries)


def tell_unknown_rules(entries: Entries) -> None:
    """Let a match be one of a game that no program plays."""
    content = entries[0]["commit"]
    for message in (content["command"], content["events"][0]):
        message["rules"] = UNKNOWN_RULES


def put_value(chance: random.Random, entries: Entries) -> None:
    """Put another value in a place of a commit."""
    container, step = chance.choice(list(steps(an_entry(chance, entries))))
    container[step] = chance.choice(VALUES)


def put_name(chance: random.Random, entries: Entries) -> None:
    """Let an object have one member more."""
    objects = [
        container
        for container, _ in steps(an_entry(chance, entries))
        if isinstance(container, dict)
    ]
    chance.choice(objects)[chance.choice(NAMES)] = chance.choice(VALUES)


def put_actor(chance: random.Random, entries: Entries) -> None:
    """Let somebody else have given a command."""
    chance.choice(entries)["commit"]["actor"] = chance.choice(ACTORS)


def put_salt(chance: random.Random, entries: Entries) -> None:
    """Give the secret parts of a commit another salt, also in the revelation."""
    revealed = revealed_parts(entries)
    entry = chance.choice(entries)
    revelation = revealed.get(str(entry["commit"]["version"]), {})
    for parts in (entry["secrets"], revelation):
        for part in parts.values():
            part["salt"] = "00" * 32


def an_entry(chance: random.Random, entries: Entries) -> Any:
    """Return a commit: often the first or the last, since most checks concern them."""
    return chance.choice([entries[0], entries[-1], chance.choice(entries)])


def revealed_parts(entries: Entries) -> dict[str, Any]:
    """Return the parts in the last commit's revelation, by version; {} if it reveals none."""
    events: Any = entries[-1]["commit"]["events"]
    parts = events[-1].get("parts") if isinstance(events[-1], dict) else None
    return parts if isinstance(parts, dict) else {}


def mend_digests(entries: Entries) -> None:
    """Compute the digests of secret parts anew, from the entry's parts or the revealed ones."""
    revealed = revealed_parts(entries) if isinstance(entries[-1]["commit"], dict) else {}
    for number, entry in enumerate(entries, 1):
        parts: Any = entry["secrets"] or revealed.get(str(number))
        content: Any = entry["commit"]
        if isinstance(parts, dict) and isinstance(content, dict):
            content["secrets"] = {audience: digest(part) for audience, part in parts.items()}


# ---- as text -------------------------------------------------------------------------------------


def written(chance: random.Random, entries: Entries) -> bytes:
    """Return forged entries as a record, with a mended chain."""
    lines = []
    hash_before = ""
    for entry in entries:
        content: Any = entry["commit"]
        if isinstance(content, dict) and not isinstance(content["prev"], Raw):
            content["prev"] = hash_before
        if not isinstance(entry["hash"], Raw):
            entry["hash"] = digest(content)
        hash_before = entry["hash"]
        lines.append(line(chance, entry))
    return b"".join(lines)


def line(chance: random.Random, entry: Any) -> bytes:
    """Return an entry in its envelope."""
    content = entry["commit"] if isinstance(entry["commit"], dict) else {}
    match, version, time = (content.get(name, "") for name in ("match", "version", "time"))
    envelope = {
        "specversion": "1.0",
        "type": "giornale.commit",
        "source": f"/v1/matches/{spoken(chance, match)}",
        "subject": match,
        "id": spoken(chance, version),
        "time": time,
        "datacontenttype": "application/json",
        "data": entry,
    }
    return f"{text_of(envelope)}\n".encode(errors="replace")


def spoken(chance: random.Random, value: Any) -> str:
    """Return a value as text, in one of the forms of several languages."""
    if not isinstance(value, Raw):
        return str(value)
    if value.text.startswith('"'):
        return str(json.loads(value.text))
    return chance.choice([value.text, value.text.title().replace("Null", "None")])


def digest(value: Any) -> str:
    """Return the SHA-256 of a value's text, in hex."""
    return hashlib.sha256(text_of(value).encode()).hexdigest()


def text_of(value: Any) -> str:
    """Return a value as canonical JSON, raw values in it as they are."""
    if isinstance(value, Raw):
        return value.text
    if isinstance(value, Mapping):
        members = [f"{text_of(name)}:{text_of(value[name])}" for name in sorted(value)]
        return f"{{{','.join(members)}}}"
    if isinstance(value, list):
        return f"[{','.join(map(text_of, value))}]"
    return json.dumps(value, ensure_ascii=False)


# ---- what this program finds ---------------------------------------------------------------------


def fault_without_play(forged: bytes, monkeypatch: pytest.MonkeyPatch) -> tuple[int, str] | None:
    """Return the fault that is found in a record without its game, None if there is none.

    The secrets of released rules are known without their games.
    """
    with monkeypatch.context() as patch:
        patch.setattr("service.record.verify.audit.RULES", {})
        patch.setattr("service.record.verify.people.RULES", {game.rules: game for game in RELEASED})
        return fault(record.lines(forged))
