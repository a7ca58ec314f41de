"""The fields of a match's metadata: one hash for each match, beside its commits.

In Redis the metadata are a hash with a key that ends in `aside`. A backup has the metadata, but the
hash chain of the commits does not cover them. TABLE describes every possible field. Any field may
be missing. A name in TABLE with a part in capitals stands for many fields:

    HASH    SHA-256 of a token, in hex
    HOLDER  holder of a token: `seat:N`, `owner`, `spectator` or `invitation`
    N       number of a seat

Stored names and the forms of their values never change. A new form of a value gets a new name, or
differs recognizably from the old form. A field that is no longer written is still read.
"""

from typing import NamedTuple

# ---- tokens and names ----------------------------------------------------------------------------

TOKEN = "token:"  # noqa: S105 - a field, no token
HOLDER = "holder:"
NAME = "name:"
REPLACEMENT = "replaced:"
REPLACEMENT_0_1_0 = "replaced:token:"
NOTE = "changed:"
COUNT = "traced:"

# ---- derived from the match ----------------------------------------------------------------------

SEATS = "seats"
ADVICE = "advice"
OUTCOME = "outcome"
DEADLINE = "deadline"
ASK = "take_back"
JOINT_ENTROPY = "joint_entropy"
FORKED_FROM = "forked_from"

# ---- other matches, imports and restores ---------------------------------------------------------

REMATCH = "rematch"
REMATCH_OF = "rematch_of"
TAKING = "taken:"
IMPORTED = "imported"
COMMAND_LINE = "command line"  # actor of deletions and imports without HTTP
GAPS = "gaps"

# ---- webhooks ------------------------------------------------------------------------------------

WEBHOOK_NONCE = "hooks"
WEBHOOK = "hook:"
DELIVERY = "hooked:"

# ---- what goes with a holder ---------------------------------------------------------------------


def fields_beside_holder(holder: str) -> tuple[str, ...]:
    """Return the fields to drop with a holder's token, besides the fields of the token itself."""
    return WEBHOOK + holder, DELIVERY + holder


class MetadataField(NamedTuple):
    """A field of the metadata.

    name: as stored, apart from parts in capitals.   writer: the action that sets it.
    since: the first release that may have stored it.
    """

    name: str
    value: str
    writer: str
    since: str


TABLE = (
    MetadataField(
        f"{TOKEN}HASH",
        "Holder of the token. Access rests on it.",
        "opening, join, replacement of a token",
        "0.1.0",
    ),
    MetadataField(
        f"{HOLDER}HOLDER",
        "Field of the holder's token: `token:HASH`.",
        "opening, join, replacement of a token",
        "0.1.0",
    ),
    MetadataField(
        f"{NAME}N",
        "Name of a seat's human with its salt, as JSON. The chain holds the digest of both.",
        "opening, join",
        "0.1.0",
    ),
    MetadataField(
        f"{REPLACEMENT}HOLDER",
        "Last replacement of the holder's token: `REQUEST ASKED NONCE`. REQUEST is a digest of the "
        "bearer and the idempotency key. ASKED is the requested holder, `-` for the bearer. The "
        "new token follows from NONCE and the key.",
        "replacement of a token with an idempotency key",
        "0.2.0",
    ),
    MetadataField(
        f"{REPLACEMENT_0_1_0}HASH:KEY",
        "A replacement of a token: `ASKED|HOLDER`. KEY is a digest of the idempotency key.",
        "0.1.0 alone",
        "0.1.0",
    ),
    MetadataField(
        f"{NOTE}TIME:NONCE",
        "Entry of the change log: `TAG HOLDER`. TAG is the tag of the event that a commit would "
        "have had (M13).",
        "change of a token or name without a commit",
        "0.2.0",
    ),
    MetadataField(
        f"{COUNT}ACTOR",
        "Number of commits that changed tokens or names for an actor. ACTOR is a holder, or "
        "`rematch|HOLDER` for seats that were handed on.",
        "change of a token or name with a commit",
        "0.2.0",
    ),
    MetadataField(
        SEATS,
        "Holders of the seats, as a JSON list: kind, level of a bot, absence, key. Lists read it.",
        "first commit, change of a seat, or the first list after an upgrade or import",
        "0.2.0",
    ),
    MetadataField(
        ADVICE,
        "`true` if humans may ask for advice (M14).",
        "the same as of `seats`",
        "0.2.0",
    ),
    MetadataField(
        OUTCOME,
        "Outcome of an ended match, as JSON.",
        "each commit after the end, or the first list after an upgrade or import",
        "0.2.0",
    ),
    MetadataField(
        DEADLINE,
        "Next deadline of the match, in milliseconds since the epoch: a run-out of its clock, or a "
        "lapse (M15, M19). Missing while nothing is due.",
        "each commit of a match with such a term",
        "0.2.0",
    ),
    MetadataField(
        ASK,
        "Open ask to take back, as JSON: version, and the seats that have yet to agree (M17).",
        "commit that changes the ask",
        "0.2.0",
    ),
    MetadataField(
        JOINT_ENTROPY,
        "`true` if the humans draw together (M19).",
        "the same as of `seats`",
        "0.2.0",
    ),
    MetadataField(
        FORKED_FROM,
        "Match and version that a fork goes on from, as JSON (M21).",
        "the same as of `seats`",
        "0.2.0",
    ),
    MetadataField(
        REMATCH,
        "ID of the match that follows this one (M20).",
        "rematch",
        "0.2.0",
    ),
    MetadataField(
        REMATCH_OF,
        "ID of the match that this one follows (M20).",
        "opening by a rematch",
        "0.2.0",
    ),
    MetadataField(
        f"{TAKING}seat:N",
        "Origin of the token of a kept seat: `rematch|NONCE|BY`, or `handed|NONCE|BY` after the "
        "seat was handed on. BY is the field of the token of the seat before. It may be missing.",
        "rematch, when a kept seat is taken",
        "0.2.0",
    ),
    MetadataField(
        IMPORTED,
        "Time and importer of a match that was played elsewhere, as JSON.",
        "import of a record",
        "0.2.0",
    ),
    MetadataField(
        GAPS,
        "Times that the clocks of a restored match do not count: `START-END,` for each, in "
        "milliseconds since the epoch.",
        "restore of a backup, or a look of the scheduler that finds a gap in the future",
        "0.2.0",
    ),
    MetadataField(
        WEBHOOK_NONCE,
        "Nonce of the last change of a webhook. While the field is there, each commit sets the "
        "timer of the match's webhooks (append.lua).",
        "change of a webhook",
        "0.2.0",
    ),
    MetadataField(
        f"{WEBHOOK}HOLDER",
        "Webhook of a holder, as JSON.",
        "PUT of a webhook",
        "0.2.0",
    ),
    MetadataField(
        f"{DELIVERY}HOLDER",
        "Calls of that webhook, as JSON: the last version answered with 2xx, and the last try.",
        "PUT and test of a webhook, and each call",
        "0.2.0",
    ),
)
