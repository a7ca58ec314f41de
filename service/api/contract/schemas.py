"""The shapes of what opens, joins and changes a match."""

from typing import Any, ClassVar

from marshmallow import Schema, ValidationError, fields, validate

from domain import names
from domain.json_types import Json
from domain.match.terms.clock import BANK_S, MOVE_S
from domain.match.terms.take_back import OPTIONS as TAKE_BACKS
from domain.options import Number
from service.api.contract.parameters import WholeText, whole
from service.matches import bots
from service.record.commit import MATCH_ID, is_digest
from service.record.signatures import is_key
from service.record.terms.take_back import OFF

# What is wrong is said as what would be right, here as in the domain.
fields.Field.default_error_messages |= {"required": "is missing", "null": "must not be null"}
fields.String.default_error_messages["invalid"] = "must be a string"
fields.Integer.default_error_messages["invalid"] = "must be a whole number"
fields.List.default_error_messages["invalid"] = "must be a list"
fields.Dict.default_error_messages["invalid"] = "must be an object"
fields.Nested.default_error_messages["type"] = "must be an object"

MOST_SEATS = 16
HOLDER = r"owner|spectator|invitation|seat:[0-9]{1,2}"

_ENTROPY = WholeText("([0-9a-f]{2}){1,32}", error="must be 1 to 32 bytes in hex")
_HEX_FORM = WholeText("[0-9a-f]{64}", error="must be 32 bytes in lower-case hex")
_SIGNATURE_FORM = WholeText("[0-9a-f]{128}", error="must be 64 bytes in lower-case hex")
_HOLDER = WholeText(HOLDER, error="must be owner, spectator, invitation or seat:N")


class NameField(fields.String):
    """The name of a player, which is brought into its one form."""

    def _deserialize(self, value: object, *more: Any, **named: Any) -> str:
        name = names.normal(super()._deserialize(value, *more, **named))
        if not names.is_name(name):
            raise ValidationError(names.EXPECTED)
        return name


def _name(**more: Any) -> fields.String:
    about = {
        "description": "The human's name, kept outside the hash chain.",
        "minLength": 1,
        "maxLength": names.LONGEST,
        "pattern": whole("[^\\x00-\\x1f\\x7f-\\x9f]*"),
    }
    return NameField(metadata=about, **more)


def entropy_field(**more: Any) -> fields.String:
    """Return a field for the entropy of a human."""
    about = {"description": "Bytes in hex that go into the seed of every draw (M10)."}
    return fields.String(validate=_ENTROPY, metadata=about, **more)


def pledge_field(**more: Any) -> fields.String:
    """Return a field for the pledge of a human."""
    about = {"description": "What the human pledges where all draw together: `digest` (M19)."}
    return fields.String(validate=_HEX_FORM, metadata=about, **more)


def key_field(**more: Any) -> fields.String:
    """Return a field for the key of a seat."""
    about = {"description": "A key that signs for the seat (M18); it stays in the history."}
    return fields.String(validate=[_HEX_FORM, _check_key], metadata=about, **more)


def proof_field(text: str) -> fields.String:
    """Return a field for the signature that proves a key. `text`: its description."""
    return fields.String(validate=_SIGNATURE_FORM, metadata={"description": text})


def _check_key(key: str) -> None:
    """Refuse what has the form of a key and is none."""
    if is_digest(key) and not is_key(key):
        raise ValidationError("must be a key of Ed25519 in canonical form, and not of small order")


def _level() -> fields.String:
    about = {"description": "How the bot chooses: one of the `levels` of the game."}
    return fields.String(
        validate=validate.OneOf(bots.NAMES), load_default=bots.DEFAULT, metadata=about
    )


def _kind(kind: str) -> fields.String:
    about = {"description": "How the seat begins."}
    return fields.String(required=True, validate=validate.OneOf([kind]), metadata=about)


class Strict(Schema):
    """An object that holds no members but those that are described."""

    error_messages = {"unknown": "unknown field", "type": "must be an object"}


class HumanSeatSchema(Strict):
    """A seat that a human holds from the beginning; the answer has its token."""

    kind = _kind("human")
    name = _name()
    entropy = entropy_field()
    key = key_field()
    proof = proof_field("The key's signature over opening, Idempotency-Key and seat (M18).")
    pledge = pledge_field()


class BotSeatSchema(Strict):
    """A seat that a bot holds."""

    kind = _kind("bot")
    level = _level()
    name = _name()


class OpenSeatSchema(Strict):
    """A seat that anybody may take."""

    kind = _kind("open")


class SeatPlanField(fields.Field[Json]):
    """How a seat begins: one of three schemas, distinguished by `kind`."""

    KINDS: ClassVar[dict[str, Schema]] = {
        "human": HumanSeatSchema(),
        "bot": BotSeatSchema(),
        "open": OpenSeatSchema(),
    }

    def _deserialize(self, value: object, *_: object, **__: object) -> Json:
        if not isinstance(value, dict):
            raise ValidationError("must be an object")
        kind = value.get("kind")
        if not isinstance(kind, str) or kind not in self.KINDS:
            raise ValidationError({"kind": [f"must be one of {', '.join(self.KINDS)}"]})
        plan: Json = self.KINDS[kind].load(value)
        return plan


_SEAT_PLANS = [
    {"$ref": f"#/components/schemas/{kind.capitalize()}Seat"} for kind in SeatPlanField.KINDS
]


class Seats(fields.List[Any]):
    """The plans of all seats; far too many are refused before each is looked at."""

    def _deserialize(self, value: Any, *more: Any, **named: Any) -> list[Any]:
        if isinstance(value, list) and len(value) > MOST_SEATS:
            raise ValidationError(f"must be a list of at most {MOST_SEATS}")
        loaded: list[Any] = super()._deserialize(value, *more, **named)
        return loaded


class FlagField(fields.Boolean):
    """True or false; no word or number stands for either."""

    def _deserialize(self, value: object, *_: object, **__: object) -> bool:
        if not isinstance(value, bool):
            raise ValidationError("must be true or false")
        return value


def _seconds(number: Number) -> fields.Integer:
    """Return a number of seconds, as the domain describes it."""
    error = f"must be a whole number from {number.least} to {number.most}"
    return fields.Integer(
        required=True,
        strict=True,
        validate=validate.Range(number.least, number.most, error=error),
        error_messages={"invalid": error},
        metadata={"description": f"{number.text[0].upper()}{number.text[1:]}."},
    )


class NewClockSchema(Strict):
    """How much time the seats have (M15)."""

    bank_s = _seconds(BANK_S)
    move_s = _seconds(MOVE_S)
    level = fields.String(
        required=True,
        validate=validate.OneOf(bots.NAMES),
        metadata={"description": "Which bot stands in when a bank is empty."},
    )


class ForkSchema(Strict):
    """A version of a match."""

    match = fields.String(
        required=True,
        validate=WholeText(MATCH_ID, error="must be the id of a match"),
        metadata={"description": "Its id."},
    )
    version = fields.Integer(
        required=True,
        strict=True,
        validate=validate.Range(1, error="must be a version, from 1"),
        error_messages={"invalid": "must be a version, from 1"},
        metadata={"description": "Its version."},
    )


class OpenMatchSchema(Strict):
    """A match to be opened."""

    game = fields.String(required=True, metadata={"description": "The game's key."})
    seats = Seats(
        SeatPlanField(metadata={"oneOf": _SEAT_PLANS}),
        required=True,
        validate=validate.Length(1, MOST_SEATS),
        metadata={"description": "How each seat begins, seat 0 first."},
    )
    options = fields.Dict(
        keys=fields.String(),
        load_default=dict,
        metadata={"description": "The options to play with; what is left out has its default."},
    )
    visibility = fields.String(
        validate=validate.OneOf(["public", "private"]),
        load_default="public",
        metadata={"description": "A private match shows itself only to its tokens."},
    )
    clock = fields.Nested(
        NewClockSchema,
        metadata={"description": "A clock (M15). Left out: everybody has all the time there is."},
    )
    # False by default. The contract does not say so, since generated clients take what has a
    # default for something that must be sent.
    advice = FlagField(
        load_default=bool,
        metadata={
            "description": "Whether humans may ask for advice (M14); it takes `strong` bots."
        },
    )
    take_back = fields.String(
        validate=validate.OneOf([OFF, *TAKE_BACKS]),
        metadata={
            "description": "Which moves can be taken back (M17). off, the default: none. "
            "own: a seat's own of one turn. consent: all, if all humans agree."
        },
    )
    fork = fields.Nested(
        ForkSchema,
        metadata={
            "description": "What to go on from (M21); to fork one's own match, send its token."
        },
    )
    # False by default, as `advice` is.
    joint_entropy = FlagField(
        load_default=bool,
        metadata={
            "description": "Whether the humans draw together: all pledge, then disclose (M19)."
        },
    )
    seed = fields.String(
        validate=validate.Length(1, 200),
        metadata={"description": "Fixes every draw; taken only by a server that is set up for it."},
    )


class JoinSchema(Strict):
    """Who takes a seat."""

    # What is left out is read as "". The default is a callable, so that it is not in the contract:
    # a client that sends "" is refused.
    name = _name(load_default=str)
    entropy = entropy_field(load_default=str)
    key = key_field()
    proof = proof_field("The key's signature over match, seat and head hash (M18).")
    pledge = pledge_field()


class PledgeSchema(Strict):
    """A pledge of entropy (M19)."""

    digest = fields.String(
        required=True,
        validate=_HEX_FORM,
        metadata={
            "description": "SHA-256 of the canonical JSON of `entropy`, 32 random bytes in hex, "
            "and `seat`, its number."
        },
    )


class DisclosureSchema(Strict):
    """The entropy that was pledged (M19)."""

    entropy = fields.String(
        required=True,
        validate=_HEX_FORM,
        metadata={"description": "The 32 bytes in hex."},
    )


class BotSchema(Strict):
    """The bot that is to hold a seat."""

    level = _level()


class AskTakeBackSchema(Strict):
    """How far the match is to go back."""

    to = fields.Integer(
        required=True,
        strict=True,
        validate=validate.Range(min=1, error="must be at least 1"),
        metadata={"description": "The version to go back to."},
    )


class RotateSchema(Strict):
    """Whose token is to be replaced."""

    holder = fields.String(
        validate=_HOLDER,
        load_default=lambda: None,
        metadata={"description": "The caller's own if left out."},
    )
