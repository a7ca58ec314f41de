"""What every client does: ask a web process, and know what an answer means."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from domain.errors import RuleBroken
from service.errors import ServiceError
from service.journal.errors import JournalUnavailable
from service.matches.context import Context
from tests.simulation.kernel import MILLISECOND, Died
from tests.simulation.processes import Process

if TYPE_CHECKING:
    from tests.simulation.world import World

T = TypeVar("T")

TRIES = 30  # of a request that may be repeated
NOBODY_ANSWERS = 100 * MILLISECOND


@dataclass(frozen=True, slots=True)
class Answer(Generic[T]):
    """What came of a request.

    value: the answer, None where there is none.   refusal: why not, None for an answer.
    began: when it was asked.   is_first: whether it was asked but once.
    Without value and refusal nobody knows what came of it.
    """

    began: int
    value: T | None = None
    refusal: Exception | None = None
    is_first: bool = True

    @property
    def is_known(self) -> bool:
        """Whether the request was answered or refused."""
        return self.value is not None or self.refusal is not None


class Client:
    """Somebody with a source of chance of their own."""

    def __init__(self, world: "World", name: str) -> None:
        self.world = world
        self.name = name
        self.random = Random(f"{world.seed}|{name}")
        self._keys = 0

    def begin(self, after: int = 0) -> None:
        """Begin to live."""
        self.world.kernel.spawn(self.name, self.live, after)

    def live(self) -> None:
        """Do what this client does, to its end."""
        raise NotImplementedError

    def think(self, most_ms: int) -> None:
        """Let some time pass."""
        self.world.kernel.pause(self.random.randrange(most_ms * MILLISECOND))

    def new_key(self) -> str:
        """Return an idempotency key of this client."""
        self._keys += 1
        return f"{self.name}-{self._keys}"

    def ask(self, what: str, request: Callable[[Context], T]) -> Answer[T]:
        """Ask some web process once, and return its answer."""
        world = self.world
        process = self.random.choice(world.webs)
        began = world.kernel.now
        if not process.is_alive:
            world.kernel.pause(NOBODY_ANSWERS)

        answer = self._answer(process, request, began)
        world.say(f"{process.name}: {what} -> {_told(answer)}")
        return answer

    def _answer(self, process: Process, request: Callable[[Context], T], began: int) -> Answer[T]:
        try:
            with process.entered() as ctx:
                return Answer(began, value=request(ctx))
        except (ServiceError, RuleBroken) as refusal:
            return Answer(began, refusal=refusal)
        except Died:
            return Answer(began)
        except JournalUnavailable:
            is_excused = began <= self.world.faults_end
            complaint = "a request failed although all had been well for a while"
            self.world.checker.demand(is_excused, complaint)
            return Answer(began)
        except Exception as error:  # noqa: BLE001 - a client would see the status 500
            self.world.checker.demand(False, f"a request failed inside the service: {error!r}")
            return Answer(began)

    def insist(self, what: str, request: Callable[[Context], T]) -> Answer[T]:
        """Ask until there is an answer; only for what may be repeated."""
        answer = self.ask(what, request)
        for _ in range(TRIES):
            if answer.is_known:
                return answer
            self.think(600)
            answer = replace(self.ask(f"{what} (again)", request), is_first=False)
        return answer


def _told(answer: Answer[Any]) -> str:
    if answer.refusal is not None:
        return f"refused: {type(answer.refusal).__name__}: {answer.refusal}"
    if answer.value is None:
        return "nobody knows"
    version = getattr(answer.value, "version", None)
    return "answered" if version is None else f"v{version}"
