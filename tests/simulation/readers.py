"""Those who only read: states at versions, commits, lists and records; and those who follow."""

from collections.abc import Callable, Sequence
from typing import Any

import orjson

from service.errors import NotFound
from service.journal.errors import JournalUnavailable
from service.ledger.canonical import Json
from service.matches import listing, reading, records
from service.matches.access import Entered, enter
from service.matches.desk import Desk
from service.matches.following import Follower, Place, follow
from tests.simulation.kernel import Died
from tests.simulation.members import Member

BEAT = 1.5  # seconds
LONGEST = 12  # beats and news that a follower waits for


class Reader(Member):
    """Somebody who only reads."""

    def live(self) -> None:
        """Read now this, now that."""
        readings: Sequence[Callable[[Entered], None]] = (
            self._state,
            self._state,
            self._commits,
            self._list,
            self._record,
            self._follow,
        )
        for _ in range(self.random.choice((2, 6))):
            self.think(2500)
            answer = self.look()
            if answer.refusal is not None:
                return
            if answer.value is not None:
                self.random.choice(readings)(answer.value)

    def _state(self, entered: Entered) -> None:
        """Read the state at a version that the match has had."""
        version = self.random.randint(1, entered.loaded.version)

        def state(desk: Desk) -> Entered:
            loaded, caller = enter(desk, self.place.match, self.place.token)
            return Entered(reading.state_at(desk, loaded, version), caller)

        answer = self.ask(f"state at v{version} of {self._name()}", state)
        if answer.value is not None:
            self.check_state(answer.value, answer.began)
            fits = answer.value.loaded.version == version
            self.world.checker.demand(fits, f"another version than {version} was told")

    def _commits(self, entered: Entered) -> None:
        after = self.random.randrange(entered.loaded.version)

        def commits(desk: Desk) -> list[Json]:
            loaded, caller = enter(desk, self.place.match, self.place.token)
            return reading.commits(desk, loaded, caller, after, limit=20)

        answer = self.ask(f"commits after v{after} of {self._name()}", commits)
        for shown in answer.value or []:
            self.world.checker.told_shown(shown, self.place.seat, answer.began)

    def _list(self, _entered: Entered) -> None:
        """Read a list; each match in it must be at a version that it has had."""
        answer = self.ask(
            "list", lambda desk: listing.public(desk, status="", game=None, before=None, limit=20)
        )
        page = answer.value
        for shown in page.matches if page else []:
            self.world.checker.told_listed(shown, answer.began)

    def _record(self, _entered: Entered) -> None:
        def record(desk: Desk) -> list[bytes]:
            return list(records.export(desk, self.place.match, self.place.token))

        answer = self.ask(f"record of {self._name()}", record)
        for line in answer.value or []:
            stored = orjson.loads(line)["data"]
            content = stored["commit"]
            version = content["version"]
            checker = self.world.checker
            checker.told_commit(self.place.match, version, stored["hash"], answer.began)
            checker.told_record_line(stored, self.place.seat)

    def _follow(self, entered: Entered) -> None:
        """Follow the match for a while; what is told must go on where it has stopped."""
        world = self.world
        process = self.random.choice(world.webs)
        follower = Follower(
            match=self.place.match,
            token=self.place.token,
            beat=BEAT,
            render=as_line,
            rewritten=as_rewritten,
        )
        last = entered.loaded.version
        last_hash = entered.loaded.hash

        world.say(f"{process.name}: follow {self._name()} after v{last}")
        try:
            with process.entered() as desk:
                wakes: Any = process.wakes
                news = follow(desk, wakes, follower, Place(last, last_hash))
                for _ in range(LONGEST):
                    began = world.kernel.now
                    lines = next(news, None)
                    if lines is None:
                        return
                    for line in lines.splitlines():
                        shown = orjson.loads(line)
                        if "rewritten" in shown:
                            self._check_rewritten(shown["rewritten"])
                            return

                        world.checker.told_shown(shown, self.place.seat, began)
                        world.checker.goes_on(shown, last, last_hash)
                        last = shown["version"]
                        last_hash = shown["hash"]
        except (NotFound, JournalUnavailable, Died):
            return

    def _check_rewritten(self, version: int) -> None:
        """Check that a follower is told that the journal has gone back only if it has."""
        world = self.world
        world.say(f"a follower of {self._name()} is told that it is at v{version} again")
        has_gone_back = world.checker.gone_back_at >= 0
        world.checker.demand(has_gone_back, "a follower was told of a going back that was none")

    def _name(self) -> str:
        return self.world.trace.name(self.place.match)


def as_rewritten(version: int) -> bytes:
    """Return the news that the journal has gone back to a version."""
    return orjson.dumps({"rewritten": version}) + b"\n"


def as_line(shown: Json) -> bytes:
    """Return a commit as a line."""
    return orjson.dumps(shown) + b"\n"
