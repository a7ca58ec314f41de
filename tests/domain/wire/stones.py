"""Messages and states with every shape of field, for the tests of the wire."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from domain import wire


class Stone(wire.Named):
    """An enum on the wire."""

    ROUGH = 0
    CUT = 1


@dataclass(frozen=True, slots=True)
class Mark:
    """A part of a message."""

    by: int
    text: str | None


@dataclass(frozen=True, slots=True)
class Gone:
    """A message without fields."""

    tag: ClassVar[str] = "gone"


@dataclass(frozen=True, slots=True)
class Laid:
    """A message with every shape of field that messages of games have."""

    tag: ClassVar[str] = "laid"
    seat: int
    stone: Stone
    stones: tuple[Stone, ...] = ()
    pair: tuple[int, Stone] | None = None
    flag: bool = False
    words: tuple[str, ...] = ()
    hidden: Stone | None = wire.secret("seat", drawn=True)
    boxed: int | None = wire.secret("house")
    drawn: Stone | None = wire.drawn()


@dataclass(frozen=True, slots=True)
class Carted:
    """A message with the other shapes: records, tables, messages in a message, any JSON."""

    tag: ClassVar[str] = "carted"
    mark: Mark
    note: str | None
    marks: tuple[Mark, ...]
    load: Laid | Gone
    trail: tuple[Laid | Gone, ...]
    places: tuple[int | None, ...]
    by_name: dict[str, Stone]
    label: str = 'it\'s "quoted"'
    colours: list[str] = field(default_factory=list)
    rest: Mapping[str, Any] = field(default_factory=dict)
    anything: Any = None


@dataclass(slots=True)
class Yard:
    """A state with an agenda of several kinds."""

    counts: list[int]
    agenda: list[Laid | Gone]
    rows: list[list[Stone | None]]
    names: dict[str, int]
    last: Laid | None = None
    next: Laid | Gone | None = None


@dataclass(slots=True)
class Shed:
    """A state that holds another class."""

    yards: list[Yard]


KNOWN = wire.table(Laid, Gone, Carted)

LAID = Laid(
    seat=1,
    stone=Stone.CUT,
    stones=(Stone.ROUGH,),
    pair=(3, Stone.CUT),
    flag=True,
    words=("a",),
    hidden=Stone.ROUGH,
    boxed=7,
    drawn=Stone.CUT,
)
CARTED = Carted(
    mark=Mark(by=1, text="x"),
    note="n",
    marks=(Mark(by=0, text=None), Mark(by=2, text="y")),
    load=LAID,
    trail=(Gone(), LAID),
    places=(1, None),
    by_name={"top": Stone.CUT},
    label="new",
    colours=["red"],
    rest={"deep": [1, {"deeper": True}]},
    anything=[None, "z"],
)
BARE = Carted(
    mark=Mark(by=0, text=None), note=None, marks=(), load=Gone(), trail=(), places=(), by_name={}
)
MESSAGES: dict[str, wire.Message] = {
    "every-field": LAID,
    "defaults": Laid(seat=0, stone=Stone.ROUGH),
    "no-fields": Gone(),
    "other-shapes": CARTED,
    "other-shapes-bare": BARE,
}
YARD = Yard(
    counts=[1, 2],
    agenda=[LAID, Gone()],
    rows=[[Stone.CUT, None], []],
    names={"x": 1},
    last=LAID,
    next=Gone(),
)
