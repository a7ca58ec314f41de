"""Schemas of the bodies that open, join and change a match."""

from typing import Any, ClassVar

from marshmallow import Schema, ValidationError, fields, validate

from domain import names
from domain.json_types import Json
from domain.match.terms.clock import BANK_S, MOVE_S
from domain.match.terms.take_back import OPTIONS as TAKE_BACKS
from domain.options import Number
from service.api.contract.fields import Strict, characters, entries, whole_number
from service.api.contract.parameters import SIGNATURE_FORM, WholeText, whole
from service.base.errors import echoed
from service.matches import bots
from service.matches.opening import ShortPlan
from service.record.commit import MATCH_ID, is_digest
from service.record.signatures import is_key
from service.record.terms.take_back import OFF
from service.store.keys.tokens import HOLDER_FORM

MOST_SEATS = 16

_ENTROPY = WholeText("([0-9a-f]{2}){1,32}", error="must be 1 to 32 bytes in lower-case hex")
_HEX_FORM = WholeText("[0-9a-f]{64}", error="must be 64 digits of lower-case hex")
_SIGNATURE_FORM = WholeText(SIGNATURE_FORM.pattern, error=SIGNATURE_FORM.expected)
_HOLDER = WholeText(HOLDER_FORM, error="must be owner, spectator, invitation or seat:N")


class NameField(fields.String):
    """The name of a player, normalized to its one form."""

    def _deserialize(self, value: object, *more: Any, **options: Any) -> str:
        name = names.normal(super()._deserialize(value, *more, **options))
        if not names.is_name(name):
            raise ValidationError(names.EXPECTED)
        return name


def _name(**more: Any) -> fields.String:
    about = {
        "description": "Name of the seat's player, stored outside the hash chain.",
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
    about = {"description": "`digest` of the human's pledge, if all draw together (M19)."}
    return fields.String(validate=_HEX_FORM, metadata=about, **more)


def key_field(**more: Any) -> fields.String:
    """Return a field for the key of a seat."""
    about = {"description": "A key that signs for the seat (M18). It stays in the history."}
    return fields.String(validate=[_HEX_FORM, _check_key], metadata=about, **more)


def proof_field(text: str) -> fields.String:
    """Return a field for the signature that proves a key. `text`: its description."""
    return fields.String(validate=_SIGNATURE_FORM, metadata={"description": text})


def _check_key(key: str) -> None:
    """Refuse 64 hex digits that are no key."""
    if is_digest(key) and not is_key(key):
        raise ValidationError("must be a key of Ed25519 in canonical form, and not of small order")


def _level() -> fields.String:
    about = {"description": "Level of the bot: one of the `levels` of the game."}
    return fields.String(
        validate=validate.OneOf(bots.NAMES), load_default=bots.DEFAULT, metadata=about
    )


def _kind(kind: str) -> fields.String:
    about = {"description": "Kind of the seat at the opening."}
    return fields.String(required=True, validate=validate.OneOf([kind]), metadata=about)


class HumanSeatSchema(Strict):
    """A seat of a human from the beginning. The answer has its token."""

    kind = _kind("human")
    name = _name()
    entropy = entropy_field()
    key = key_field()
    proof = proof_field("The key's signature over opening, Idempotency-Key and seat (M18).")
    pledge = pledge_field()


class BotSeatSchema(Strict):
    """A seat of a bot."""

    kind = _kind("bot")
    level = _level()
    name = _name()


class OpenSeatSchema(Strict):
    """A seat for anybody to take."""

    kind = _kind("open")


SHORT_SEATS = ("human", "open", "bot", *(f"bot:{level}" for level in bots.NAMES))
_SEAT_EXPECTED = f"must be {', '.join(SHORT_SEATS)} or an object"


class SeatPlanField(fields.Field[Json]):
    """The plan of a seat: one of three schemas, distinguished by `kind`, or a short form."""

    KINDS: ClassVar[dict[str, Schema]] = {
        "human": HumanSeatSchema(),
        "bot": BotSeatSchema(),
        "open": OpenSeatSchema(),
    }

    def _deserialize(self, value: object, *_: object, **__: object) -> Json:
        if isinstance(value, str):
            return _short_seat(value)
        if not isinstance(value, dict):
            raise ValidationError(_SEAT_EXPECTED)
        kind = value.get("kind")
        if not isinstance(kind, str) or kind not in self.KINDS:
            raise ValidationError({"kind": [f"must be one of {', '.join(self.KINDS)}"]})
        plan: Json = self.KINDS[kind].load(value)
        return plan


SEAT_FORMS = [{"$ref": f"#/components/schemas/{form}Seat"} for form in ("Short", "Long")]


def _short_seat(word: str) -> ShortPlan:
    """Return the plan of a seat in short form. Raises ValidationError."""
    if word not in SHORT_SEATS:
        raise ValidationError(f'{_SEAT_EXPECTED}, not "{echoed(word)}"')
    kind, _, level = word.partition(":")
    plan = {"kind": kind, "level": level} if level else {"kind": kind}
    return ShortPlan(SeatPlanField.KINDS[kind].load(plan))


class Seats(fields.List[Any]):
    """The plans of all seats. If there are more than MOST_SEATS, the plans are refused unread."""

    def _deserialize(self, value: Any, *more: Any, **options: Any) -> list[Any]:
        if isinstance(value, list) and len(value) > MOST_SEATS:
            raise ValidationError(f"must be a list of 1 to {MOST_SEATS}")
        loaded: list[Any] = super()._deserialize(value, *more, **options)
        return loaded


class FlagField(fields.Boolean):
    """True or false. Words and numbers are refused."""

    def _deserialize(self, value: object, *_: object, **__: object) -> bool:
        if not isinstance(value, bool):
            raise self.make_error("invalid")
        return value


def _seconds(number: Number) -> fields.Integer:
    """Return a field for a number of seconds, described by the domain."""
    text = f"{number.text[0].upper()}{number.text[1:]}."
    return whole_number(text, number.least, number.most, required=True)


class NewClockSchema(Strict):
    """The clock of a match (M15)."""

    bank_s = _seconds(BANK_S)
    move_s = _seconds(MOVE_S)
    level = fields.String(
        required=True,
        validate=validate.OneOf(bots.NAMES),
        metadata={"description": "Level of the stand-in bots for empty banks."},
    )


class ForkSchema(Strict):
    """A version of a match."""

    match = fields.String(
        required=True,
        validate=WholeText(MATCH_ID, error="must be the id of a match"),
        metadata={"description": "Its id."},
    )
    version = whole_number("Its version.", 1, required=True)


class OpenMatchSchema(Strict):
    """A match to be opened."""

    game = fields.String(required=True, metadata={"description": "The game's key."})
    seats = Seats(
        SeatPlanField(
            metadata={"oneOf": SEAT_FORMS},
            error_messages={"null": _SEAT_EXPECTED},
        ),
        required=True,
        validate=entries(1, MOST_SEATS),
        metadata={"description": "The seats at the opening, seat 0 first."},
    )
    options = fields.Dict(
        keys=fields.String(),
        load_default=dict,
        metadata={"description": "Options of the match. Those left out have their default."},
    )
    visibility = fields.String(
        validate=validate.OneOf(["public", "private"]),
        load_default="public",
        metadata={"description": "A private match is visible only with its tokens."},
    )
    clock = fields.Nested(
        NewClockSchema,
        metadata={"description": "A clock (M15). Left out: no time limit."},
    )
    # False by default. The contract does not show the default, since generated clients take a
    # member with a default for a required member.
    advice = FlagField(
        load_default=bool,
        metadata={
            "description": "True if humans may ask for advice (M14). The game needs `strong` bots."
        },
    )
    take_back = fields.String(
        validate=validate.OneOf([OFF, *TAKE_BACKS]),
        metadata={
            "description": "Moves that can be taken back (M17). off, the default: none. own: "
            "a seat's own of one turn. consent: all, if all humans agree."
        },
    )
    fork = fields.Nested(
        ForkSchema,
        metadata={"description": "Base of a fork (M21). To fork one's own match, send its token."},
    )
    # False by default. The contract does not show the default, as for `advice`.
    joint_entropy = FlagField(
        load_default=bool,
        metadata={
            "description": "True if the humans draw together: all pledge, then disclose (M19)."
        },
    )
    seed = fields.String(
        validate=characters(1, 200),
        metadata={"description": "Fixes every draw. Only for a server that is set up for it."},
    )


class JoinSchema(Strict):
    """The joining human."""

    # A missing name is read as "". The default is a callable, so that the contract does not show
    # it: a client that sends "" is refused.
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
    """The pledged entropy (M19)."""

    entropy = fields.String(
        required=True,
        validate=_HEX_FORM,
        metadata={"description": "The 32 bytes in hex."},
    )


class BotSchema(Strict):
    """A bot for a seat."""

    level = _level()


class AskTakeBackSchema(Strict):
    """A request to take moves back."""

    to = whole_number("The version to go back to.", 1, required=True)


class RotateSchema(Strict):
    """The token to replace."""

    holder = fields.String(
        validate=_HOLDER,
        load_default=lambda: None,
        metadata={"description": "Holder of the token. Left out: the caller."},
    )
