"""Signed records as a forger may write them who has the server's keys and the match's secret (M18).

All digests, salts and hashes fit, and the revelation tells what the forged parts hold. What such a
forger lacks are the players' private keys.
"""

from collections.abc import Callable
from typing import Any

from service.ledger.commit import Json, StoredCommit, canonical
from service.ledger.signatures import ORDER
from service.matches import lobby
from service.matches.command_handler import Submission
from service.matches.moves import move
from service.matches.opening import OpenRequest, open_new
from tests.attacks.forging import Entries, entries_of, mended
from tests.service.toy_matches import new_context, play_on, record_of
from tests.service.verify.small_order import encodings
from tests.signing import ADA, BEA, CLEO

Lines = list[bytes]
Forge = Callable[[Entries], None]
Verdict = tuple[int, str]

# The commits of the signed match. Ada holds seat 0 and Bea seat 1; a bot stands in for Bea.
OPENED = 1  # and dealt
SWAPPED = 2  # by Ada, who notes why: the signature is hidden with it
REPLACED = 3
PLAYED = 4  # by the bot, in Bea's place
SETTLED = 5
KEPT = 6  # by Ada
RETURNED = 7  # Bea
KEPT_LAST = 8  # by Bea
SIGNED = {ADA.key: [SWAPPED, KEPT], BEA.key: [RETURNED, KEPT_LAST]}

NOTE = "a note"


def signed_match() -> Lines:
    """Return the record of a match of the toy in which all is done that matters to signatures."""
    ctx = new_context()
    plans = [{"kind": "human", "key": player.key} for player in (ADA, BEA)]
    match = open_new(ctx, OpenRequest("toy", plans, {"rounds": 2}, seed="signed"), key="signed")
    match_id, ada, bea = match.loaded.id, match.tokens["seat:0"], match.tokens["seat:1"]

    swap = {"type": "swap", "seat": 0, "why": NOTE}
    move(ctx, ADA.submission(ctx, match_id, ada, swap), {"type": "swap", "why": NOTE})
    lobby.replace(ctx, Submission(match_id, match.tokens["owner"]), 1, "random")
    play_on(ctx, match, until=SETTLED)
    move(ctx, ADA.submission(ctx, match_id, ada, keeping(0)), {"type": "keep"})
    returning = {"type": "return", "seat": 1}
    lobby.return_(ctx, BEA.submission(ctx, match_id, bea, returning))
    move(ctx, BEA.submission(ctx, match_id, bea, keeping(1)), {"type": "keep"})
    play_on(ctx, match)
    return record_of(ctx, match)


def keeping(seat: int) -> Json:
    """Return the command that keeps a seat's card."""
    return {"type": "keep", "seat": seat}


# ---- ways to forge -------------------------------------------------------------------------------


def content(number: int, change: Callable[[Any], None]) -> Forge:
    """Return what changes the public part of a commit."""
    return lambda entries: change(entries[number - 1]["commit"])


def part(number: int, audience: str, change: Callable[[Json], None]) -> Forge:
    """Return what changes a secret part of a commit, which may be made for it."""
    return lambda entries: change(entries[number - 1]["secrets"].setdefault(audience, {"salt": ""}))


def signature(number: int, other: Callable[[str], Any]) -> Forge:
    """Return what puts another value in place of a signature, wherever it is."""

    def forge(entries: Entries) -> None:
        stored: Any = entries[number - 1]
        if number == SWAPPED:
            own = stored["secrets"]["seat:0"]["signature"]
            own["hex"] = other(own["hex"])
        else:
            stored["commit"]["signature"] = other(stored["commit"]["signature"])

    return forge


def signed_over(number: int, **fields: Any) -> Forge:
    """Return what has a commit of Ada's signed by her, but with other fields in what is signed."""

    def forge(entries: Entries) -> None:
        stored = entries[number - 1]
        said = {"key": ADA.key, "command": whole_command(stored)}
        signed = {name: stored["commit"][name] for name in ("match", "version", "prev")}
        made = ADA.private.sign(canonical({**signed, **said, **fields})).hex()
        signature(number, lambda _before: made)(entries)

    return forge


def whole_command(stored: StoredCommit) -> Json:
    """Return the command of a commit of Ada's, with what it hides."""
    hidden = stored["secrets"].get("seat:0", {}).get("command", {})
    return {**stored["commit"]["command"], **hidden}


def key_of_seat(seat: int, key: object) -> Forge:
    """Return what gives a seat another key in the opening."""

    def forge(entries: Entries) -> None:
        for message in opening(entries):
            message["seats"][seat]["key"] = key

    return forge


def opening(entries: Entries) -> list[Any]:
    """Return the command and the event that open the match."""
    first = entries[OPENED - 1]["commit"]
    return [first["command"], first["events"][0]]


def greater(made: str) -> str:
    """Return a signature whose second half is another number that is the same in the group."""
    number = int.from_bytes(bytes.fromhex(made)[32:], "little") + ORDER
    return made[:64] + number.to_bytes(32, "little").hex()


def by_bea(number: int) -> Forge:
    """Return what has a commit of Ada's signed by Bea."""

    def forge(entries: Entries) -> None:
        stored = entries[number - 1]
        one = stored["commit"]
        made = BEA.sign(one["match"], one["version"], one["prev"], whole_command(stored))
        signature(number, lambda _before: made)(entries)

    return forge


def into_content(entries: Entries) -> None:
    """Put the signature of a hidden command where all see it."""
    stored: Any = entries[SWAPPED - 1]
    stored["commit"]["signature"] = stored["secrets"]["seat:0"].pop("signature")["hex"]


def into_both(entries: Entries) -> None:
    """Put the signature of a hidden command there, too."""
    stored: Any = entries[SWAPPED - 1]
    stored["commit"]["signature"] = stored["secrets"]["seat:0"]["signature"]["hex"]


def into_part(audience: str, *, stays: bool) -> Forge:
    """Return what puts the signature of an open command into a part."""

    def forge(entries: Entries) -> None:
        stored: Any = entries[KEPT - 1]
        made = stored["commit"]["signature"]
        stored["secrets"][audience] = {"salt": "", "signature": {"hex": made}}
        if not stays:
            del stored["commit"]["signature"]

    return forge


def set_to(name: str, value: Any) -> Callable[[Any], None]:
    """Return what gives an object a member."""
    return lambda container: container.update({name: value})


def without(name: str) -> Callable[[Any], None]:
    """Return what takes a member away."""
    return lambda container: container.pop(name)


def left_out(number: int) -> Forge:
    """Return what leaves a commit out."""
    return lambda entries: entries.__delitem__(number - 1)


def swapped_around(entries: Entries) -> None:
    """Let Bea have returned before Ada kept her card."""
    entries[KEPT - 1], entries[RETURNED - 1] = entries[RETURNED - 1], entries[KEPT - 1]
    times = sorted(entries[number - 1]["commit"]["time"] for number in (KEPT, RETURNED))
    for number, time in zip((KEPT, RETURNED), times, strict=True):
        entries[number - 1]["commit"]["time"] = time


def earlier(entries: Entries) -> None:
    """Let the house have acted as early as it could."""
    entries[SETTLED - 1]["commit"]["time"] = entries[PLAYED - 1]["commit"]["time"]


HEX = "ab" * 64
WRONG = "signature_wrong"
KEY_WRONG = "key_wrong"
SHAPE = "bad_shape"

# What is forged, and what every verifier finds.
FORGED_SIGNATURES: dict[str, tuple[Forge, Verdict]] = {
    "s-beyond-the-order": (signature(KEPT, greater), (KEPT, WRONG)),
    "s-beyond-the-order-hidden": (signature(SWAPPED, greater), (SWAPPED, WRONG)),
    "s-other": (signature(KEPT, lambda made: made[:-4] + "0000"), (KEPT, WRONG)),
    "s-zero": (signature(KEPT, lambda made: made[:64] + "0" * 64), (KEPT, WRONG)),
    "r-small-order": (signature(KEPT, lambda made: "01" + "00" * 31 + made[64:]), (KEPT, WRONG)),
    "capitals": (signature(KEPT, str.upper), (KEPT, WRONG)),
    "short": (signature(KEPT, lambda made: made[:-2]), (KEPT, WRONG)),
    "empty": (signature(KEPT, lambda _: ""), (KEPT, WRONG)),
    "empty-hidden": (signature(SWAPPED, lambda _: ""), (SWAPPED, WRONG)),
    "number": (signature(KEPT, lambda _: 7), (KEPT, SHAPE)),
    "number-hidden": (signature(SWAPPED, lambda _: 7), (SWAPPED, WRONG)),
    "null": (signature(KEPT, lambda _: None), (KEPT, SHAPE)),
    "of-another-commit": (
        lambda entries: signature(KEPT, lambda _: _signature_of(entries, KEPT_LAST))(entries),
        (KEPT, WRONG),
    ),
    "key-of-another-seat": (by_bea(KEPT), (KEPT, WRONG)),
    "key-of-another-seat-hidden": (by_bea(SWAPPED), (SWAPPED, WRONG)),
    "key-exchanged": (key_of_seat(0, CLEO.key), (SWAPPED, WRONG)),
    "key-in-what-is-signed": (signed_over(KEPT, key=CLEO.key), (KEPT, WRONG)),
    "command-in-what-is-signed": (signed_over(KEPT, command=keeping(1)), (KEPT, WRONG)),
    "command-without-what-is-hidden": (
        signed_over(SWAPPED, command={"type": "swap", "seat": 0}),
        (SWAPPED, WRONG),
    ),
    "prev-in-what-is-signed": (signed_over(KEPT, prev="0" * 64), (KEPT, WRONG)),
    "version-in-what-is-signed": (signed_over(KEPT, version=KEPT + 1), (KEPT, WRONG)),
    "match-in-what-is-signed": (signed_over(KEPT, match="z" * 26), (KEPT, WRONG)),
    "command": (content(KEPT, lambda one: one["command"].update(type="swap")), (KEPT, WRONG)),
    "command-hidden": (
        part(SWAPPED, "seat:0", lambda own: own["command"].update(why="another note")),
        (SWAPPED, WRONG),
    ),
    "time-before-it": (earlier, (KEPT, WRONG)),
    "what-a-bot-did-before-it": (content(PLAYED, set_to("view", "0" * 64)), (KEPT, WRONG)),
    "left-out-before-it": (left_out(SETTLED), (SETTLED, WRONG)),
    "left-out": (left_out(KEPT), (KEPT, WRONG)),
    "reordered": (swapped_around, (KEPT, WRONG)),
    "missing": (content(KEPT, without("signature")), (KEPT, WRONG)),
    "missing-hidden": (part(SWAPPED, "seat:0", without("signature")), (SWAPPED, WRONG)),
    "doubled": (into_both, (SWAPPED, WRONG)),
    "doubled-open": (into_part("seat:0", stays=True), (KEPT, WRONG)),
    "doubled-elsewhere": (into_part("house", stays=True), (KEPT, WRONG)),
    "open-of-what-is-hidden": (into_content, (SWAPPED, WRONG)),
    "hidden-of-what-is-open": (into_part("seat:0", stays=False), (KEPT, WRONG)),
    "in-the-houses-part": (into_part("house", stays=False), (KEPT, WRONG)),
    "in-another-seats-part": (into_part("seat:1", stays=False), (KEPT, WRONG)),
    "hidden-with-more": (
        part(SWAPPED, "seat:0", lambda own: own["signature"].update(more=1)),
        (SWAPPED, WRONG),
    ),
    "hidden-as-a-text": (part(SWAPPED, "seat:0", set_to("signature", HEX)), (SWAPPED, SHAPE)),
    "on-the-opening": (content(OPENED, set_to("signature", HEX)), (OPENED, WRONG)),
    "on-the-opening-hidden": (
        part(OPENED, "house", set_to("signature", {"hex": HEX})),
        (OPENED, WRONG),
    ),
    "on-the-owners": (content(REPLACED, set_to("signature", HEX)), (REPLACED, WRONG)),
    "on-a-bots-move": (content(PLAYED, set_to("signature", HEX)), (PLAYED, WRONG)),
    "on-the-houses": (content(SETTLED, set_to("signature", HEX)), (SETTLED, WRONG)),
    "key-null": (key_of_seat(0, None), (OPENED, KEY_WRONG)),
    "key-empty": (key_of_seat(0, ""), (OPENED, KEY_WRONG)),
    "key-number": (key_of_seat(0, 7), (OPENED, KEY_WRONG)),
    "key-capitals": (key_of_seat(0, ADA.key.upper()), (OPENED, KEY_WRONG)),
    "key-twice": (key_of_seat(1, ADA.key), (OPENED, KEY_WRONG)),
    **{
        f"key-small-order-{number}": (key_of_seat(0, encoded.hex()), (OPENED, KEY_WRONG))
        for number, encoded in enumerate(encodings(), 1)
    },
}


def _signature_of(entries: Entries, number: int) -> Any:
    return entries[number - 1]["commit"].get("signature")


def forged_signatures() -> dict[str, Lines]:
    """Return the forged records by name. The toy must be registered."""
    lines = signed_match()
    forged = {}
    for name, (forge, _verdict) in FORGED_SIGNATURES.items():
        entries = entries_of(lines)
        forge(entries)
        forged[name] = mended(entries)
    return forged
