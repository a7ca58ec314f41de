"""A client of one match: it looks, submits commands, and checks what it is told."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from service.errors import Busy, Illegal, KeyConflict, Stale
from service.keys.tokens import Caller
from service.ledger.replay import Loaded
from service.matches import views
from service.matches.access import enter
from service.matches.command_handler import Committed, Submission
from service.matches.context import Context
from service.matches.repository import at_head
from tests.simulation.clients import Answer, Client

if TYPE_CHECKING:
    from tests.simulation.world import World

# Refusals that tell that a request has made no commit, and will make none.
NOT_MADE = (Stale, Illegal, KeyConflict, Busy)


class Entered(NamedTuple):
    """A match as a client has read it, and who the client is in it."""

    loaded: Loaded
    caller: Caller


@dataclass(frozen=True, slots=True)
class Place:
    """A match and a token of it; actor: whose the token is, "public" for none."""

    match: str
    token: str | None
    actor: str

    @property
    def seat(self) -> int | None:
        """The number of the seat, None for those without one."""
        _, _, number = self.actor.partition(":")
        return int(number) if number else None


class Member(Client):
    """A client of one match."""

    def __init__(self, world: "World", name: str, place: Place) -> None:
        super().__init__(world, name)
        self.place = place

    def look(self) -> Answer[Entered]:
        """Read the match as it is, and check what was told."""
        place = self.place
        name = self.world.trace.name(place.match)

        def read_match(ctx: Context) -> Entered:
            access = enter(ctx, place.match, place.token)
            return Entered(at_head(ctx, access), access.caller)

        answer = self.ask(f"look at {name}", read_match)
        if answer.value is not None:
            self.check_state(answer.value, answer.began)
        return answer

    def check_state(self, entered: Entered, began: int) -> None:
        """Check a match as it was told to this client."""
        loaded, caller = entered
        checker = self.world.checker
        checker.told_commit(loaded.id, loaded.version, loaded.hash, began)
        view = views.view(loaded, caller)
        checker.told_view(loaded.hash, caller.seat, view["state"])

    def submit(
        self,
        command: Mapping[str, Any],
        submission: Submission,
        request: Callable[[Context, Submission], Committed],
        *,
        is_sent_twice: bool = False,
    ) -> Answer[Committed]:
        """Submit a command, repeatedly if that is safe, and check what comes of it.

        is_sent_twice: whether somebody else submits the same: then a refusal says nothing of that.
        """
        place = self.place
        world = self.world
        checker = world.checker
        checker.intends(place.match, place.actor, command)

        what = f"{command['type']} in {world.trace.name(place.match)}"
        may_repeat = bool(submission.key) or submission.expected is not None
        ask = self.insist if may_repeat else self.ask

        def send(ctx: Context) -> Committed:
            return request(ctx, submission)

        answer: Answer[Committed] = ask(what, send)

        if answer.value is not None:
            self.check_made(answer.value, submission.key, answer.began)
            return answer

        is_refused = isinstance(answer.refusal, NOT_MADE)
        is_for_good = answer.is_first or submission.key != ""
        if is_refused and is_for_good and not is_sent_twice:
            checker.refused(place.match, place.actor, command)
        return answer

    def check_made(self, made: Committed, key: str, began: int) -> None:
        """Check a commit that was acknowledged to this client."""
        checker = self.world.checker
        commit_hash = made.entry["hash"]
        checker.acknowledges(self.place.match, made.version, commit_hash, began)
        if key:
            checker.answers(self.place.match, self.place.actor, key, commit_hash)
