"""The table of forged records: the forgeries, and a verifier's right findings.

Every hash of the chain is right, unless it is the forgery itself.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import pytest

from domain.games import GAMES
from domain.match.terms.joint_entropy import pledge_of
from service.matches import automation
from service.record import record
from service.record.commit import Json, StoredCommit, canonical, digest, milliseconds, timestamp
from service.record.signatures import ORDER
from tests import toy
from tests.attacks.forging import DIGESTS, SALTS, Entries, chained, entries_of, mended
from tests.records import make
from tests.service.record.verify.forgeries import drawn_together, with_changes
from tests.service.record.verify.small_order import encodings
from tests.service.toy_matches import (
    Change,
    forged,
    move,
    new_context,
    opened,
    put,
    record_of,
    signed,
    whole,
)
from tests.signing import ADA, BEA, CLEO, Player

Lines = list[bytes]
Forge = Callable[[Lines], Lines]
Verdict = tuple[int, str]

NO_HASH = "0" * 64
NEW_YEAR = "2031-01-01T00:00:00.000Z"

# ---- true records --------------------------------------------------------------------------------

# The commits of a whole match of one round. The third swaps, too.
OPENED = 1  # and dealt
SWAPPED = 2
SETTLED = 4
REVEALED = 5

# The commits of a match with changes of seats.
JOINED = 2
REPLACED = 4
TOKEN_REPLACED = 7
NAME_ERASED = 8
TOKEN_REVOKED = 9

# The commits of a match of open hands that is on. The second keeps.
DEALT = 1
SWAPPED_OPENLY = 3
SETTLED_OPENLY = 4  # a coin, the pay, the next deal


# The commits of a match with keys on seats 0 and 1, and a bot on seat 2. Bea joins, Ada
# swaps with a note of her own, Bea keeps. In the second round a bot moves for Ada, who comes back.
BEA_JOINED = 2
STARTED = 3
HIDDEN = 4
PUBLIC = 5
OF_A_BOT = 6
OF_THE_HOUSE = 7
STOOD_IN = 8
OF_A_STAND_IN = 9
CAME_BACK = 10
BEA_AGAIN = 11


# The last commits of signed matches of the released games, still running: moves without hidden
# parts. In Calimala both seats have kept a hidden card before.
SIX_MOVES = range(6, 12)
HIDDEN_CARD = 7
TWO_MOVES = range(11, 13)

# The commits of a match with joint draws. JOINED is the same.
DISCLOSED = 3
LEFT = 4
PLEDGED = 6
PLEDGED_LAST = 7
DISCLOSED_AGAIN = 8
DISCLOSED_LAST = 9


def running() -> Lines:
    """Return the public record of a match of open hands. It lacks only the match's secret."""
    ctx = new_context()
    with pytest.MonkeyPatch.context() as patch:
        toy.install(patch, toy.OPEN_HANDED)
        match = opened(ctx, rounds=2)
        move(ctx, match, 0, "keep")
        move(ctx, match, 1, "swap")
        automation.act(ctx, match.loaded.id)
        return record_of(ctx, match)


def signed_and_running(game: str, commits: int) -> Lines:
    """Return the public part of the first commits of a signed match of a released game."""
    return as_public(make.lines_in(make.signed_path(GAMES[game]))[:commits])


def as_public(lines: Lines) -> Lines:
    """Return a record as the public has it while the match is on."""
    return [record.line(record.redact(entry, [])) for entry in entries_of(lines)]


TRUE_RECORDS: dict[str, Callable[[], Lines]] = {
    "whole": lambda: whole(new_context(), 1),
    "gathered": lambda: with_changes(new_context()),
    "running": running,
    "signed": lambda: signed(new_context()),
    "together": lambda: drawn_together(new_context()),
    "sealed": lambda: as_public(signed(new_context())[:-1]),
    "firenze": lambda: signed_and_running("firenze", SIX_MOVES[-1]),
    "calimala": lambda: signed_and_running("calimala", TWO_MOVES[-1]),
}


# ---- ways to forge -------------------------------------------------------------------------------


def value(number: int, place: str, new: Any) -> Forge:
    """Return a forgery with a value in a place of a commit."""
    return changed(number, put(place, new))


def changed(number: int, change: Change) -> Forge:
    """Return a forgery of a commit."""
    return lambda lines: forged(lines, number, change)


def message(number: int, **fields: Any) -> Forge:
    """Return a forgery of fields, the same in a command and in its first event."""

    def change(stored: StoredCommit) -> None:
        for one in messages_of(stored):
            one.update(fields)

    return changed(number, change)


def seat(**fields: Any) -> Forge:
    """Return a forgery of fields of the first seat in the opening."""

    def change(stored: StoredCommit) -> None:
        for one in messages_of(stored):
            one["seats"][0].update(fields)

    return changed(OPENED, change)


def messages_of(stored: StoredCommit) -> Sequence[Any]:
    """Return the command of a commit and its first event."""
    content = stored["commit"]
    return (content["command"], content["events"][0])


def event(number: int, index: int, **fields: Any) -> Forge:
    """Return a forgery of fields of an event."""
    return changed(number, lambda stored: stored["commit"]["events"][index].update(fields))


def events(number: int, change: Callable[[list[Json]], list[Json]]) -> Forge:
    """Return a forgery with another list in place of a commit's events."""

    def change_list(stored: StoredCommit) -> None:
        content = stored["commit"]
        content["events"] = change(content["events"])

    return changed(number, change_list)


def instead(number: int, actor: str, command: Json, replacement: Json) -> Forge:
    """Return a forgery with another command and one event in place of those of a commit."""

    def change(stored: StoredCommit) -> None:
        content = stored["commit"]
        content["actor"], content["command"], content["events"] = actor, command, [replacement]

    return changed(number, change)


def other_match(match: str) -> Forge:
    """Return a forgery with another match in every commit."""

    def forge(lines: Lines) -> Lines:
        for number in range(1, len(lines) + 1):
            lines = forged(lines, number, put("commit.match", match))
        return lines

    return forge


def revealed_anew(number: int, change: Change) -> Forge:
    """Return a forgery of a commit's secret parts. The revelation confirms them."""

    def forge(lines: Lines) -> Lines:
        lines = forged(lines, number, change)
        parts = entries_of(lines)[number - 1]["secrets"]

        def reveal(stored: StoredCommit) -> None:
            for one in messages_of(stored):
                one["parts"][str(number)] = parts

        return forged(lines, len(lines), reveal)

    return forge


def entries(change: Callable[[Entries], None], leave: Sequence[str] = ()) -> Forge:
    """Return a forgery: entries of a record change, and everything after them is mended."""

    def forge(lines: Lines) -> Lines:
        forged_entries = entries_of(lines)
        change(forged_entries)
        return mended(forged_entries, leave)

    return forge


def act_out_of_turn(stored: StoredCommit) -> None:
    """Let the other seat have given the command."""
    stored["commit"]["actor"] = "seat:1"
    stored["commit"]["command"]["seat"] = 1


def lay_open(stored: StoredCommit) -> None:
    """Write a secret into the public part."""
    part = stored["secrets"]["seat:0"]
    stored["commit"]["events"][0]["card"] = part["0"].pop("card")


def open_again(lines: Lines) -> Lines:
    """Let the second commit have opened the match once more."""
    opening = entries_of(lines)[OPENED - 1]["commit"]
    return forged(lines, SWAPPED, put("commit.events", opening["events"]))


def draw_another_card(stored: StoredCommit) -> None:
    """Let the seat have drawn the next card."""
    hidden_fields = stored["secrets"]["seat:0"]["0"]
    hidden_fields["card"] = (hidden_fields["card"] + 1) % toy.CARDS


def count_versions(stored: StoredCommit) -> None:
    """Number the draws by versions, as in a match of older releases, not by moves."""
    for one in messages_of(stored):
        del one["draws"]


def drop_rules(index: int) -> Change:
    """Return a change: the command (0) or the event (1) alone loses its match rules."""
    return lambda stored: messages_of(stored)[index].pop("match_rules")


def seal_another_secret(stored: StoredCommit) -> None:
    """Let the house have sealed another secret than the one it is committed to."""
    for place in ("command", "0"):
        stored["secrets"]["house"][place]["secret"] = "5" * 64


def reveal_less(stored: StoredCommit) -> None:
    """Leave the first commit out of the revelation."""
    for one in messages_of(stored):
        one["parts"].pop("1")


def reveal_another_salt(stored: StoredCommit) -> None:
    """Reveal another salt of a part than the one with its digest."""
    for one in messages_of(stored):
        one["parts"][str(SWAPPED)]["seat:0"]["salt"] = "00"


def hide_nothing(forged_entries: Entries) -> None:
    """Hide nothing for an audience without secrets."""
    forged_entries[SWAPPED - 1]["secrets"]["house"] = {}


def salt_otherwise(forged_entries: Entries) -> None:
    """Give the parts of all commits but the first another salt."""
    for entry in forged_entries[1:]:
        for part in entry["secrets"].values():
            part["salt"] = "00" * 32


def break_chain(lines: Lines) -> Lines:
    """Let a commit name another one than its predecessor. Everything after it fits."""
    forged_entries = entries_of(lines)
    hash_before = NO_HASH
    for entry in forged_entries[SWAPPED - 1 :]:
        entry["commit"]["prev"] = hash_before
        entry["hash"] = hash_before = digest(entry["commit"])
    return list(map(record.line, forged_entries))


def part(**members: Any) -> Forge:
    """Return a forgery with another part of the first seat, beside its salt."""
    return value(SWAPPED, "secrets.seat:0", {"salt": "", **members})


# ---- signatures (M18) ----------------------------------------------------------------------------


def planned(number: int, **fields: Any) -> Forge:
    """Return a forgery of fields of a seat in the opening."""

    def change(stored: StoredCommit) -> None:
        for one in messages_of(stored):
            one["seats"][number].update(fields)

    return changed(OPENED, change)


def signed_by(player: Player, number: int, **fields: Any) -> Forge:
    """Return a forgery: a player signs other fields of the command than the commit has."""

    def sign(stored: StoredCommit) -> None:
        content = stored["commit"]
        whole_command = {**content["command"], **_hidden_command(stored)}
        content["signature"] = player.sign(
            content["match"], number, content["prev"], {**whole_command, **fields}
        )

    return changed(number, sign)


def _hidden_command(stored: StoredCommit) -> Json:
    own_part: Json = stored["secrets"].get(stored["commit"]["actor"], {})
    hidden: Json = own_part.get("command", {})
    return hidden


def signed_over(number: int, **fields: Any) -> Forge:
    """Return a forgery: Bea signs a commit of hers with other fields in the signed text."""

    def sign(stored: StoredCommit) -> None:
        content: Any = stored["commit"]
        signed = {name: content[name] for name in ("command", "match", "prev", "version")}
        text = canonical({**signed, "key": BEA.key, **fields})
        content["signature"] = BEA.private.sign(text).hex()

    return changed(number, sign)


def write_greater_number(stored: StoredCommit) -> None:
    """Write the second half of a signature as another number that is the same in the group."""
    signature = stored["commit"]["signature"]
    number = int.from_bytes(bytes.fromhex(signature)[32:], "little") + ORDER
    stored["commit"]["signature"] = signature[:64] + number.to_bytes(32, "little").hex()


def hide_signature_as_well(stored: StoredCommit) -> None:
    """Add a hidden copy of the signature of a command without hidden parts."""
    signature = stored["commit"]["signature"]
    stored["secrets"]["house"] = {"salt": "", "signature": {"hex": signature}}


def leave_out(number: int) -> Forge:
    """Return a forgery: a commit is left out."""
    return entries(lambda forged_entries: forged_entries.__delitem__(number - 1))


def drop_signature(stored: StoredCommit) -> None:
    """Take the signature off a commit."""
    stored["commit"].pop("signature", None)
    for one in stored["secrets"].values():
        one.pop("signature", None)


def publish_signature(stored: StoredCommit) -> None:
    """Show the signature of a hidden command to everybody."""
    secret = stored["secrets"]["seat:0"].pop("signature")
    stored["commit"]["signature"] = secret["hex"]


def show_signature_as_well(stored: StoredCommit) -> None:
    """Add a public copy of the signature of a hidden command."""
    stored["commit"]["signature"] = stored["secrets"]["seat:0"]["signature"]["hex"]


def hide_signature(stored: StoredCommit) -> None:
    """Hide the signature of a command without hidden parts."""
    signature = stored["commit"].pop("signature")
    stored["secrets"]["seat:1"] = {"salt": "", "signature": {"hex": signature}}


def tell_nothing(stored: StoredCommit) -> None:
    """Leave out the list of commands with hidden parts."""
    stored["commit"]["events"][0].pop("hides")


def claim_hidden(numbers: Sequence[int]) -> Forge:
    """Return a forgery: commits claim to be signed, in secret parts nobody has seen."""

    def claim(forged_entries: Entries) -> None:
        for number in numbers:
            content = forged_entries[number - 1]["commit"]
            content.pop("signature", None)
            content["secrets"] = {content["actor"]: NO_HASH}

    return lambda lines: rechained(lines, claim)


def rechained(lines: Lines, change: Callable[[Entries], None]) -> Lines:
    """Return a changed record. The digests of its secret parts stay as they are."""
    forged_entries = entries_of(lines)
    change(forged_entries)
    return chained(forged_entries, leave=[DIGESTS])


def hide_signature_elsewhere(stored: StoredCommit) -> None:
    """Put the signature of a hidden command into the part of another seat."""
    secret = stored["secrets"]["seat:0"].pop("signature")
    stored["secrets"]["seat:1"] = {"salt": "", "signature": secret}


def hide_more_of_a_command(stored: StoredCommit) -> None:
    """Hide a field of a signed command for somebody else."""
    stored["secrets"]["seat:2"] = {"salt": "", "command": {"why": "x"}}


def hidden_signature(change: Callable[[Json], Json]) -> Forge:
    """Return a forgery with another spelling of a hidden command's signature."""

    def rewrite(stored: StoredCommit) -> None:
        own_part = stored["secrets"]["seat:0"]
        own_part["signature"] = change(own_part["signature"])

    return revealed_anew(HIDDEN, rewrite)


def sign_as_before(forged_entries: Entries) -> None:
    """Put the signature of a commit under a later one with the same command."""
    earlier, later = (forged_entries[number - 1]["commit"] for number in (PUBLIC, BEA_AGAIN))
    later["signature"] = earlier["signature"]


def come_later(stored: StoredCommit) -> None:
    """Let a commit have been made a millisecond later."""
    content = stored["commit"]
    content["time"] = timestamp(milliseconds(content["time"]) + 1)


def prove_nothing(stored: StoredCommit) -> None:
    """Leave out the proof of the joining key."""
    for one in messages_of(stored):
        del one["proof"]


def take_no_key(stored: StoredCommit) -> None:
    """Leave out the joining key."""
    for one in messages_of(stored):
        del one["key"]


def choose_otherwise(stored: StoredCommit) -> None:
    """Let the seat have noted something else."""
    stored["secrets"]["seat:0"]["command"]["why"] = "another note"


# ---- the table -----------------------------------------------------------------------------------

IDS = {
    "none": "",
    "space": "a b",
    "colon": "x:head",
    "tag": "{p01}",
    "path": "../keys",
    "capitals": "A" * 26,
    "long": "a" * 27,
    "line": "a" * 26 + "\n",
    "letters": "é" * 26,
}
TIMES = {
    "word": "yesterday",
    "30-february": "2031-02-30T00:00:00.000Z",
    "month-13": "2031-13-01T00:00:00.000Z",
    "hour-24": "2031-01-01T24:00:00.000Z",
    "year-1": "0001-01-01T00:00:00.000Z",
    "other-digits": "٢٠٣١-01-01T00:00:00.000Z",
    "line": "2031-01-01T00:00:00.000Z\n",
}

# These name no match rules. The first are named by a missing member.
NO_RULES: dict[str, Any] = {"1": 1, "0": 0, "text": "2", "true": True, "null": None, "list": [2]}

# Findings in a whole match of one round: the first bad commit, its code, and the forgery.
WHOLE: dict[Verdict, dict[str, Forge]] = {
    (OPENED, "bad_shape"): {
        **{f"id-{name}": other_match(match) for name, match in IDS.items()},
        "M1-no-events": value(OPENED, "commit.events", []),
    },
    (OPENED, "not_opened"): {
        "M1-other-game": message(OPENED, game="chess"),
        "M1-other-rules": value(OPENED, "commit.command.rules", "calimala/9"),
        "M1-bad-option": message(OPENED, options={"edition": "plain", "rounds": 10}),
        "M1-option-missing": message(OPENED, options={}),
        "M1-visibility": message(OPENED, visibility="a|b"),
        "M10-draws-counted-otherwise": message(OPENED, draws="versions"),
        "M10-draws-counted-in-one-place": value(OPENED, "commit.command.draws", "versions"),
        "M14-no-advice-told": message(OPENED, advice=False),
        **{f"rules-{name}": message(OPENED, match_rules=one) for name, one in NO_RULES.items()},
        "rules-of-the-command-alone": changed(OPENED, drop_rules(1)),
        "rules-of-the-event-alone": changed(OPENED, drop_rules(0)),
        "rules-that-differ": value(OPENED, "commit.command.match_rules", 3),
    },
    (OPENED, "bad_seat"): {
        "M1-no-seats": event(OPENED, 0, seats=[]),
        "M1-kind": seat(kind="dog"),
        "M1-human-of-a-level": seat(level="greedy"),
        "M1-level": seat(kind="bot", level="<b>"),
        "M1-bot-without-level": seat(kind="bot", level=""),
        "M1-name-in-clear": seat(name="Ginevra"),
        "M10-bot-with-entropy": seat(kind="bot", level="random", entropy="00"),
        "M10-half-a-byte": seat(entropy="0"),
        "M10-a-seed's-separator": seat(entropy="00|"),
        "M10-too-much": seat(entropy="00" * 33),
    },
    (OPENED, "secrets_differ"): {"M10-draws-by-versions": changed(OPENED, count_versions)},
    (OPENED, "actor_wrong"): {"M1-not-its-owner": value(OPENED, "commit.actor", "house")},
    (OPENED, "events_differ"): {
        "M1-else-opened": value(OPENED, "commit.command.visibility", "private"),
        "M1-other-game-told": event(OPENED, 0, game="chess"),
        "M1-other-options-told": event(OPENED, 0, options={"edition": "plain", "rounds": 2}),
        "M1-other-views-told": event(OPENED, 0, views=2),
        "M1-another-seat-told": value(OPENED, "commit.events.0.seats.1.name", NO_HASH),
        "M14-advice-told": event(OPENED, 0, advice=True),
        "M15-clock-told": event(OPENED, 0, clock={"bank_s": 5, "level": "random", "move_s": 0}),
        "M17-take-back-told": event(OPENED, 0, take_back="own"),
        "M1-number-is-a-truth": value(OPENED, "commit.events.0.views", True),
    },
    (OPENED, "not_sealed"): {"M10-no-commitment": message(OPENED, commitment="")},
    (OPENED, "relabelled"): {"M10-bound-elsewhere": message(OPENED, match="z" * 26)},
    (OPENED, "commitment_broken"): {
        "M10-not-the-secret-committed-to": revealed_anew(OPENED, seal_another_secret),
        "M10-no-secret": revealed_anew(OPENED, put("secrets.house.0.secret", "x")),
    },
    (SWAPPED, "bad_shape"): {
        "field-too-many": value(SWAPPED, "commit.more", 1),
        "event-is-no-object": value(SWAPPED, "commit.events", [3]),
        "part-is-no-object": value(SWAPPED, "secrets.seat:0", []),
        "no-salt": value(SWAPPED, "secrets.seat:0", {"0": {}}),
        "secret-of-no-event": part(**{"7": {}}),
        "number-of-an-event-too-long": part(**{"1" * 5000: {}}),
    },
    (SWAPPED, "not_canonical"): {
        "version-is-no-number": value(SWAPPED, "commit.version", True),
        "seat-is-a-fraction": event(SWAPPED, 0, seat=1.5),
        "number-of-an-event-in-other-digits": part(**{"1\N{ARABIC-INDIC DIGIT TWO}": {}}),
    },
    (SWAPPED, "unreadable"): {
        "event-type-is-no-string": event(SWAPPED, 0, type=[]),
        "M1-opened-again": open_again,
    },
    (SWAPPED, "other_match"): {"other-match": value(SWAPPED, "commit.match", "another")},
    (SWAPPED, "out_of_order"): {
        "other-version": value(SWAPPED, "commit.version", 99),
        "commit-missing": lambda lines: [*lines[: SWAPPED - 1], *lines[SWAPPED:]],
        "commit-twice": lambda lines: [*lines[: SWAPPED - 1], *lines],
    },
    (SWAPPED, "chain_broken"): {"other-hash-before": break_chain},
    (SWAPPED, "time_wrong"): {"time-that-runs-back": value(OPENED, "commit.time", NEW_YEAR)},
    (SWAPPED, "not_allowed"): {"T2-out-of-turn": changed(SWAPPED, act_out_of_turn)},
    (SWAPPED, "actor_wrong"): {
        "M6-for-another": value(SWAPPED, "commit.command.seat", 1),
        "M6-not-its-holder": value(SWAPPED, "commit.actor", "seat:1"),
    },
    (SWAPPED, "events_differ"): {
        "T2-dealt-to-another": event(SWAPPED, 0, seat=1),
        "T2-kept-as-well": events(
            SWAPPED, lambda original: [*original, {"type": "card_kept", "seat": 0}]
        ),
        "M9-secret-laid-open": revealed_anew(SWAPPED, lay_open),
    },
    (SWAPPED, "secrets_differ"): {
        "M9-part-of-nothing": entries(hide_nothing),
        "M10-another-card-drawn": revealed_anew(SWAPPED, draw_another_card),
        "M18-hidden-in-a-command-that-hides-nothing": value(SWAPPED, "commit.command.type", "keep"),
    },
    (SWAPPED, "salt_wrong"): {
        "M10-salts-made-up": entries(salt_otherwise, [SALTS]),
        "M10-salt-made-up": revealed_anew(SWAPPED, put("secrets.seat:0.salt", NO_HASH)),
        "M10-part-without-salt": revealed_anew(SWAPPED, put("secrets.house", {"salt": ""})),
    },
    (SETTLED, "actor_wrong"): {"M6-not-the-house": value(SETTLED, "commit.actor", "seat:1")},
    (SETTLED, "events_differ"): {
        "T3-coin-on-edge": event(SETTLED, 0, heads=None),
        "T3-paid-too-much": event(SETTLED, 1, points=[50, 0]),
    },
    (SETTLED, "unreadable"): {
        "T3-nothing-happened": value(SETTLED, "commit.events", []),
        "no-such-command": value(SETTLED, "commit.command.type", "win"),
    },
    (SETTLED, "view_differs"): {"another-view": value(SETTLED, "commit.view", NO_HASH)},
    (REVEALED, "time_wrong"): {
        f"time-{name}": value(REVEALED, "commit.time", time) for name, time in TIMES.items()
    },
    (REVEALED, "events_differ"): {
        "M9-command-reveals-otherwise": value(REVEALED, "commit.command.secret", NO_HASH),
    },
    (REVEALED, "unreadable"): {"M9-reveals-a-list": event(REVEALED, 0, parts=[])},
    (REVEALED, "revelation_differs"): {
        "M9-reveals-nothing": event(REVEALED, 0, parts={}),
        "M9-reveals-less": changed(REVEALED, reveal_less),
        "M9-reveals-another-salt": changed(REVEALED, reveal_another_salt),
        "M9-part-of-nobody": value(SWAPPED, "secrets.seat:9", {"salt": "00"}),
    },
    (REVEALED, "commitment_broken"): {
        "M10-other-commitment": message(OPENED, commitment=NO_HASH),
        "M10-another-secret-revealed": message(REVEALED, secret="6" * 64),
    },
}

# The same of a match with changes of seats.
GATHERED: dict[Verdict, dict[str, Forge]] = {
    (JOINED, "bad_seat"): {
        "M2-name-in-clear": message(JOINED, name="Ginevra"),
        "M10-no-hex": message(JOINED, entropy="xyz"),
    },
    (JOINED, "actor_wrong"): {
        "M2-the-house-joins": value(JOINED, "commit.actor", "house"),
        "M2-a-seat-that-none-has": value(JOINED, "commit.actor", "seat:16"),
    },
    (JOINED, "events_differ"): {
        "M2-joined-by-another-name": event(JOINED, 0, name=NO_HASH),
        "M10-joined-with-other-entropy": event(JOINED, 0, entropy="ff"),
        "M2-joined-by-no-event": value(JOINED, "commit.events", []),
        "M2-another-event-first": events(
            JOINED, lambda original: [{"type": "name_erased"}, *original]
        ),
    },
    (JOINED, "secrets_differ"): {
        "M9-join-hides": revealed_anew(
            JOINED, put("secrets.house", {"salt": "", "command": {"why": "x"}})
        ),
        "M9-joining-hides": revealed_anew(
            JOINED, put("secrets.seat:0", {"salt": "", "0": {"why": "x"}})
        ),
    },
    (STARTED, "events_differ"): {"M4-start-tells-more": event(STARTED, 0, seat=0)},
    (REPLACED, "events_differ"): {"M8-bot-of-another-level": event(REPLACED, 0, level="greedy")},
    (TOKEN_REPLACED, "events_differ"): {
        "M13-token-of-another": event(TOKEN_REPLACED, 0, holder="owner"),
    },
    (NAME_ERASED, "events_differ"): {"M13-name-of-another": event(NAME_ERASED, 0, seat=0)},
    (TOKEN_REVOKED, "events_differ"): {
        "M13-no-token-revoked": event(TOKEN_REVOKED, 0, type="token_replaced"),
    },
    (REPLACED, "bad_seat"): {
        "M8-level": message(REPLACED, level="<b>"),
        "M8-at-another-seat": event(REPLACED, 0, seat=1),
        "M3-left-by-the-way": events(
            REPLACED, lambda original: [*original, {"type": "seat_left", "seat": 0}]
        ),
    },
}

# The same of a match that is on. Its draws cannot be checked yet, but all else of its events can.
RUNNING: dict[Verdict, dict[str, Forge]] = {
    (DEALT, "events_differ"): {
        "running-a-card-less": events(DEALT, lambda original: original[:-1])
    },
    (SWAPPED_OPENLY, "events_differ"): {
        "running-drawn-by-another": event(SWAPPED_OPENLY, 0, seat=0)
    },
    (SWAPPED_OPENLY, "unreadable"): {"running-type": event(SWAPPED_OPENLY, 0, type="card_kept")},
    (SWAPPED_OPENLY, "actor_wrong"): {
        "running-actor": value(SWAPPED_OPENLY, "commit.actor", "seat:0"),
    },
    (SETTLED_OPENLY, "events_differ"): {
        "running-points": event(SETTLED_OPENLY, 1, points=[9, 9]),
        "running-cards-laid-open": event(SETTLED_OPENLY, 1, cards=[5, 5]),
        "running-dealt-to-another": event(SETTLED_OPENLY, 2, seat=1),
        "running-event-missing": events(SETTLED_OPENLY, lambda original: original[:-1]),
        "running-event-twice": events(SETTLED_OPENLY, lambda original: [*original, original[-1]]),
        "running-other-order": events(SETTLED_OPENLY, lambda original: original[::-1]),
    },
}


# The same of a match with two signing seats.
SIGNED: dict[Verdict, dict[str, Forge]] = {
    (OPENED, "key_wrong"): {
        "M18-key-in-capitals": planned(0, key=ADA.key.upper()),
        "M18-no-key-told": planned(0, key=""),
        "M18-key-is-null": planned(0, key=None),
        "M18-key-is-no-text": planned(0, key=[ADA.key]),
        "M18-key-of-an-open-seat": planned(1, key=CLEO.key),
        "M18-key-of-a-bot": planned(2, key=CLEO.key),
        **{
            f"M18-key-of-small-order-{number}": planned(0, key=encoded.hex())
            for number, encoded in enumerate(encodings(), 1)
        },
    },
    (OPENED, "signature_wrong"): {"M18-opening-is-signed": signed_by(ADA, OPENED)},
    (BEA_JOINED, "key_wrong"): {
        "M18-key-of-another-seat": message(BEA_JOINED, key=ADA.key),
        "M18-joined-with-no-key": message(BEA_JOINED, key="ab"),
        "M18-joined-without-proof": changed(BEA_JOINED, prove_nothing),
        "M18-joined-with-the-key-of-cleo": message(BEA_JOINED, key=CLEO.key),
        "M18-proof-of-another": message(BEA_JOINED, proof="00" * 64),
        "M18-key-was-another": planned(0, key=CLEO.key),
        "M18-proof-is-null": message(BEA_JOINED, proof=None),
        "M18-another-time-before-the-join": changed(OPENED, come_later),
        "M18-proof-without-key": changed(BEA_JOINED, take_no_key),
    },
    (BEA_JOINED, "signature_wrong"): {"M18-join-is-signed": signed_by(BEA, BEA_JOINED)},
    (STARTED, "signature_wrong"): {
        "M18-owner-signs": signed_by(ADA, STARTED),
        "M18-a-part-is-signed": revealed_anew(
            STARTED, put("secrets.seat:0.signature", {"hex": "00" * 64})
        ),
    },
    (HIDDEN, "signature_wrong"): {
        "M18-left-out": leave_out(HIDDEN),
        "M18-seat-had-another-name": message(BEA_JOINED, name=NO_HASH),
        "M18-another-time-before": changed(STARTED, come_later),
        "M18-hidden-not-signed": revealed_anew(HIDDEN, drop_signature),
        "M18-hidden-signature-is-shown": revealed_anew(HIDDEN, publish_signature),
        "M18-hidden-signature-is-shown-as-well": changed(HIDDEN, show_signature_as_well),
        "M18-hidden-signature-elsewhere": revealed_anew(HIDDEN, hide_signature_elsewhere),
        "M18-command-hidden-elsewhere": revealed_anew(HIDDEN, hide_more_of_a_command),
        "M18-another-hidden-choice": revealed_anew(HIDDEN, choose_otherwise),
        "M18-hidden-signature-says-more": hidden_signature(lambda secret: {**secret, "more": 1}),
        "M18-hidden-signature-has-another-name": hidden_signature(
            lambda secret: {"text": secret["hex"]}
        ),
        "M18-hidden-signature-is-empty": hidden_signature(lambda _: {}),
        "M18-hidden-signature-in-capitals": hidden_signature(
            lambda secret: {"hex": secret["hex"].upper()}
        ),
        "M18-hidden-signature-is-a-number": hidden_signature(lambda _: {"hex": 7}),
    },
    (HIDDEN, "bad_shape"): {
        "M18-hidden-signature-is-a-text": value(HIDDEN, "secrets.seat:0.signature", "00" * 64),
    },
    (PUBLIC, "bad_shape"): {
        "M18-signature-is-no-text": value(PUBLIC, "commit.signature", {"hex": "00" * 64}),
        "M18-signature-is-null": value(PUBLIC, "commit.signature", None),
    },
    (PUBLIC, "signature_wrong"): {
        "M18-not-signed": changed(PUBLIC, drop_signature),
        "M18-signed-by-another": signed_by(ADA, PUBLIC),
        "M18-signed-something-else": signed_by(BEA, PUBLIC, type="swap"),
        "M18-other-command": value(PUBLIC, "commit.command.type", "swap"),
        "M18-more-in-the-command": value(PUBLIC, "commit.command.more", 1),
        "M18-other-key-is-signed": signed_over(PUBLIC, key=CLEO.key),
        "M18-other-command-is-signed": signed_over(PUBLIC, command={"type": "keep", "seat": 0}),
        "M18-other-match-is-signed": signed_over(PUBLIC, match="z" * 26),
        "M18-other-commit-before-is-signed": signed_over(PUBLIC, prev=NO_HASH),
        "M18-other-version-is-signed": signed_over(PUBLIC, version=PUBLIC + 1),
        "M18-signature-of-a-greater-number": changed(PUBLIC, write_greater_number),
        "M18-signature-is-hidden": revealed_anew(PUBLIC, hide_signature),
        "M18-signature-is-hidden-as-well": revealed_anew(PUBLIC, hide_signature_as_well),
        "M18-signature-is-short": value(PUBLIC, "commit.signature", "00" * 63),
        "M18-signature-is-empty": value(PUBLIC, "commit.signature", ""),
        "M18-signature-that-fits-all": value(
            PUBLIC, "commit.signature", "01" + "00" * 31 + "00" * 32
        ),
    },
    (OF_A_BOT, "signature_wrong"): {"M18-bot-signs": signed_by(CLEO, OF_A_BOT)},
    (OF_THE_HOUSE, "bad_seat"): {
        "M18-house-takes-a-key-away": events(
            OF_THE_HOUSE, lambda original: [*original, {"type": "seat_left", "seat": 1}]
        ),
        "M18-house-puts-a-bot-there": events(
            OF_THE_HOUSE,
            lambda original: [*original, {"type": "seat_replaced", "seat": 1, "level": "random"}],
        ),
    },
    (STOOD_IN, "bad_seat"): {
        "M2-a-held-seat-is-joined": instead(
            STOOD_IN,
            "public",
            {"type": "join", "seat": 1},
            {"type": "seat_joined", "seat": 1},
        ),
        "M19-a-seat-lapses-after-the-start": instead(
            STOOD_IN, "house", {"type": "lapse", "due": 1}, {"type": "seat_left", "seat": 1}
        ),
    },
    (OF_THE_HOUSE, "signature_wrong"): {"M18-house-signs": signed_by(ADA, OF_THE_HOUSE)},
    (OF_A_STAND_IN, "signature_wrong"): {"M18-stand-in-signs": signed_by(ADA, OF_A_STAND_IN)},
    (CAME_BACK, "signature_wrong"): {
        "M18-came-back-unsigned": changed(CAME_BACK, drop_signature),
        "M18-another-bot-stood-in": message(STOOD_IN, level="greedy"),
    },
    (BEA_AGAIN, "signature_wrong"): {
        "M18-signature-of-an-earlier-commit": entries(sign_as_before),
    },
}


class Forged(NamedTuple):
    """A row: the forged record, and its right verdict."""

    lines: Lines
    verdict: Verdict


def forged_rows() -> dict[str, Forged]:
    """Return all forged records by their names."""
    rows = {}
    for name_of_record, table in TABLES.items():
        true_lines = TRUE_RECORDS[name_of_record]()
        for verdict, forgeries in table.items():
            for name, forge in forgeries.items():
                rows[name] = Forged(forge(true_lines), verdict)
    return rows


# The same of a match with joint draws, at the second attempt (M19).
TOGETHER: dict[Verdict, dict[str, Forge]] = {
    (OPENED, "bad_seat"): {"M19-pledge-is-no-digest": seat(pledge="00")},
    (OPENED, "not_opened"): {
        "M19-none-told": message(OPENED, joint_entropy=False),
        "M19-draws-by-versions": changed(OPENED, count_versions),
    },
    (JOINED, "bad_seat"): {"M19-joined-without-a-digest": message(JOINED, pledge="x")},
    (DISCLOSED, "pledge_wrong"): {
        "M19-other-entropy": message(DISCLOSED, entropy="00" * 32),
        "M19-pledged-anew-by-the-way": events(
            DISCLOSED,
            lambda original: [
                {"type": "entropy_pledged", "seat": 1, "digest": pledge_of("00" * 32, 1)},
                *original,
            ],
        ),
        "M19-no-hex": message(DISCLOSED, entropy="A5" * 32),
        "M19-pledged-otherwise": seat(pledge="00" * 32),
    },
    (JOINED, "pledge_wrong"): {
        "M19-joined-with-the-pledge-of-another": message(JOINED, pledge=pledge_of("5a" * 32, 0)),
        "M19-disclosed-while-a-seat-is-open": events(
            JOINED,
            lambda original: [
                {"type": "entropy_disclosed", "seat": 0, "entropy": "5a" * 32},
                *original,
            ],
        ),
    },
    (LEFT, "pledge_wrong"): {
        "M19-nothing-dropped": events(LEFT, lambda original: original[:1]),
        "M19-a-bot-in-place-of-who-owes": instead(
            LEFT,
            "owner",
            {"type": "replace", "seat": 1, "level": "random"},
            {"type": "seat_replaced", "seat": 1, "level": "random"},
        ),
    },
    (PLEDGED, "pledge_wrong"): {
        "M19-pledged-what-was-dropped": message(PLEDGED, digest=pledge_of("a5" * 32, 1)),
        "M19-disclosed-while-a-pledge-is-owed": events(
            PLEDGED,
            lambda original: [
                *original,
                {"type": "entropy_disclosed", "seat": 1, "entropy": "b6" * 32},
            ],
        ),
    },
    (PLEDGED, "events_differ"): {"M19-another-pledge": event(PLEDGED, 0, digest=NO_HASH)},
    (PLEDGED_LAST, "pledge_wrong"): {
        "M19-pledged-what-was-disclosed": message(PLEDGED_LAST, digest=pledge_of("5a" * 32, 0)),
    },
    (PLEDGED, "actor_wrong"): {"M19-by-the-house": value(PLEDGED, "commit.actor", "house")},
    (DISCLOSED_AGAIN, "pledge_wrong"): {
        "M19-starts-too-early": events(
            DISCLOSED_AGAIN, lambda original: [*original, {"type": "match_started"}]
        ),
    },
    (DISCLOSED_LAST, "pledge_wrong"): {
        "M19-starts-without-a-part": event(DISCLOSED_LAST, 0, type="name_erased"),
    },
}

# The same of a running match of rules unknown to browsers: its opening lists the hiding commands.
SEALED: dict[Verdict, dict[str, Forge]] = {
    (OPENED, "not_opened"): {
        "M18-nothing-told-to-hide": changed(OPENED, tell_nothing),
        "M18-tag-in-capitals": event(OPENED, 0, hides=["Swap"]),
        "M18-tag-twice": event(OPENED, 0, hides=["swap", "swap"]),
        "M18-tag-is-no-text": event(OPENED, 0, hides=[["swap"]]),
    },
    (PUBLIC, "signature_wrong"): {"M18-move-is-said-to-hide": claim_hidden([PUBLIC])},
    (CAME_BACK, "signature_wrong"): {"M18-return-is-said-to-hide": claim_hidden([CAME_BACK])},
}

# The same of running matches of the released games, with two signing seats. Nobody has seen a
# secret part: a signature that is said to lie there cannot be checked before the end.
OF_FIRENZE: dict[Verdict, dict[str, Forge]] = {
    (OPENED, "not_opened"): {
        "M18-firenze-is-said-to-hide": event(OPENED, 0, hides=["build", "take_card"]),
        "M18-hides-is-no-list": event(OPENED, 0, hides="build"),
        "M18-hides-is-null": event(OPENED, 0, hides=None),
    },
    (OPENED, "events_differ"): {"M18-command-names-what-hides": message(OPENED, hides=[])},
    (SIX_MOVES[0], "signature_wrong"): {
        "M18-six-moves-are-said-to-hide": claim_hidden(SIX_MOVES),
    },
    (SIX_MOVES[-1], "signature_wrong"): {
        "M18-a-move-is-said-to-hide": claim_hidden(SIX_MOVES[-1:]),
    },
}
OF_CALIMALA: dict[Verdict, dict[str, Forge]] = {
    (OPENED, "not_opened"): {
        "M18-calimala-is-said-to-hide-nothing": event(OPENED, 0, hides=[]),
        "M18-calimala-is-said-to-hide-more": event(
            OPENED, 0, hides=["keep_scoring_card", "place_disc"]
        ),
        "M18-hides-in-another-order": event(OPENED, 0, hides=["place_disc", "keep_scoring_card"]),
    },
    (TWO_MOVES[0], "signature_wrong"): {
        "M18-moves-are-said-to-hide": claim_hidden(TWO_MOVES),
    },
    (HIDDEN_CARD, "signature_wrong"): {
        "M18-hidden-card-is-not-sealed": value(HIDDEN_CARD, "commit.secrets", {}),
    },
}

TABLES = {
    "whole": WHOLE,
    "gathered": GATHERED,
    "running": RUNNING,
    "signed": SIGNED,
    "together": TOGETHER,
    "sealed": SEALED,
    "firenze": OF_FIRENZE,
    "calimala": OF_CALIMALA,
}
NAMES = [name for table in TABLES.values() for rows in table.values() for name in rows]
