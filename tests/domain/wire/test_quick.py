"""Messages that are made quickly are the same as before, and as immutable."""

import inspect
from dataclasses import FrozenInstanceError, dataclass, field, replace

import pytest

from domain.wire import quickly_made


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
