"""Messages: marks on fields, and messages that are made quickly."""

import inspect
from dataclasses import FrozenInstanceError, dataclass, field, replace

import pytest

from domain import wire
from domain.wire import quickly_made
from tests.domain.wire.stones import LAID, Gone, Laid, Stone

# ---- marks ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("viewer", "hidden"),
    [(1, Stone.ROUGH), (0, None), (None, None)],
    ids=["own", "other", "public"],
)
def test_redaction_keeps_secrets_from_all_but_their_audience(
    viewer: int | None, hidden: Stone | None
) -> None:
    """A seat sees its own secret, nobody sees the house's, all else stays."""
    seen = wire.redact(LAID, viewer)
    assert seen.hidden == hidden
    assert seen.boxed is None
    assert seen.drawn == Stone.CUT
    assert seen.words == LAID.words


def test_a_message_without_secrets_is_shown_as_it_is() -> None:
    """There is nothing to copy."""
    message = Gone()
    assert wire.redact(message, None) is message


def test_secret_fields_name_their_audiences() -> None:
    """The seat that the message names, or the house."""
    assert wire.secret_fields(Laid) == (("hidden", "seat"), ("boxed", "house"))
    assert wire.secret_fields(Gone) == ()


def test_drawn_fields_are_known() -> None:
    """A preview leaves out what chance decides, be it secret or public."""
    assert wire.drawn_fields(Laid) == ("hidden", "drawn")
    assert wire.drawn_fields(Gone) == ()


# ---- made quickly --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Plain:
    """A message as dataclasses make it."""

    seat: int
    bricks: tuple[int, ...]
    card: str | None = None


@quickly_made
@dataclass(frozen=True, slots=True)
class Quick:
    """The same, made quickly."""

    seat: int
    bricks: tuple[int, ...]
    card: str | None = None


def test_its_fields_are_set_by_place_by_name_and_by_default() -> None:
    message = Quick(1, bricks=(2, 3))

    assert type(message) is Quick
    assert (message.seat, message.bricks, message.card) == (1, (2, 3), None)
    assert message == Quick(1, (2, 3), None) != Quick(1, (2, 3), "mason")
    assert hash(message) == hash(Quick(1, (2, 3)))


def test_its_init_takes_what_the_one_of_dataclasses_takes() -> None:
    quick, plain = inspect.signature(Quick), inspect.signature(Plain)

    assert quick == plain
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'bricks'"):
        Quick(1)  # type: ignore[call-arg]


def test_it_cannot_be_changed() -> None:
    message = Quick(1, ())

    with pytest.raises(FrozenInstanceError):
        message.seat = 2  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del message.seat
    assert replace(message, seat=2) == Quick(2, ())
    assert message.seat == 1


def test_a_class_that_does_more_than_set_its_slots_stays_as_it_is() -> None:
    @dataclass(slots=True)
    class Changing:
        seat: int
        card: int

    @dataclass(frozen=True, slots=True)
    class WithAFactory:
        seat: int
        bricks: list[int] = field(default_factory=list)

    @dataclass(frozen=True, slots=True)
    class Heir(Plain):
        tower: int = 0

    for cls in (Changing, WithAFactory, Heir):
        before = cls.__init__
        assert quickly_made(cls).__init__ is before
