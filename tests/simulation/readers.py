"""Those who only read: states at versions, commits, lists and records; and those who follow."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

import orjson

from service import answers
from service.errors import NotFound
from service.journal.errors import JournalUnavailable
from service.ledger.commit import Json
from service.matches import listing, records, views
from service.matches.access import Access, enter
from service.matches.context import Context
from service.matches.following import Follower, Place, follow
from tests.simulation.kernel import Died
from tests.simulation.members import Entered, Member

BEAT = 1.5  # seconds
LONGEST = 12  # beats and news that a follower waits for
PAGE = 20  # commits or matches that a reader asks for


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

        def read_state(ctx: Context) -> Entered:
            access = self._enter(ctx)
            return Entered(views.state_at(ctx, access, version), access.caller)

        answer = self.ask(f"state at v{version} of {self._name()}", read_state)
        if answer.value is None:
            return

        self.check_state(answer.value, answer.began)

        told_version = answer.value.loaded.version
        complaint = f"another version than {version} was told"
        self.world.checker.demand(told_version == version, complaint)

    def _commits(self, entered: Entered) -> None:
        """Read the commits after a version that the match has had."""
        after = self.random.randrange(entered.loaded.version)

        def read_commits(ctx: Context) -> list[answers.Commit]:
            return views.commits(ctx, self._enter(ctx), after, limit=PAGE)

        answer = self.ask(f"commits after v{after} of {self._name()}", read_commits)
        shown_commits = answer.value or []
        for shown in shown_commits:
            self.world.checker.told_shown(shown, self.place.seat, answer.began)

    def _list(self, _entered: Entered) -> None:
        """Read a list; each match in it must be at a version that it has had."""

        def read_list(ctx: Context) -> listing.Page:
            return listing.public(ctx, status="", game=None, before=None, limit=PAGE)

        answer = self.ask("list", read_list)
        shown_matches = answer.value.matches if answer.value else []
        for shown in shown_matches:
            self.world.checker.told_listed(shown, answer.began)

    def _record(self, _entered: Entered) -> None:
        """Read the record; each of its lines must be a commit with the right secrets."""
        place = self.place
        checker = self.world.checker

        def read_record(ctx: Context) -> list[bytes]:
            lines = records.export(ctx, place.match, place.token)
            return list(lines)

        answer = self.ask(f"record of {self._name()}", read_record)
        lines = answer.value or []
        for line in lines:
            stored = orjson.loads(line)["data"]
            version = stored["commit"]["version"]
            checker.told_commit(place.match, version, stored["hash"], answer.began)
            checker.told_record_line(stored, place.seat, answer.began)

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
        loaded = entered.loaded
        last_told = Place(loaded.version, loaded.hash)

        world.say(f"{process.name}: follow {self._name()} after v{last_told.version}")
        with suppress(NotFound, JournalUnavailable, Died), process.entered() as ctx:
            wakes: Any = process.wakes
            news = follow(ctx, wakes, follower, last_told)
            self._check_news(news, last_told)

    def _check_news(self, news: Iterator[bytes], last_told: Place) -> None:
        """Check what a follower is told, up to a number of news."""
        for _ in range(LONGEST):
            began_at = self.world.kernel.now
            lines = next(news, None)
            if lines is None:
                return

            for line in lines.splitlines():
                shown = orjson.loads(line)
                if "rewritten" in shown:
                    self._check_rewritten(shown["rewritten"])
                    return
                last_told = self._check_next(shown, last_told, began_at)

    def _check_next(self, shown: Json, last_told: Place, began_at: int) -> Place:
        """Check a commit that a follower is told; return where the follower is then."""
        checker = self.world.checker
        checker.told_shown(shown, self.place.seat, began_at)
        checker.goes_on(shown, last_told.version, last_told.hash)
        return Place(shown["version"], shown["hash"])

    def _check_rewritten(self, version: int) -> None:
        """Check that a follower is told that the journal has gone back only if it has."""
        world = self.world
        world.say(f"a follower of {self._name()} is told that it is at v{version} again")
        has_gone_back = world.checker.gone_back_at >= 0
        world.checker.demand(has_gone_back, "a follower was told of a going back that was none")

    def _enter(self, ctx: Context) -> Access:
        return enter(ctx, self.place.match, self.place.token)

    def _name(self) -> str:
        return self.world.trace.name(self.place.match)


def as_rewritten(version: int) -> bytes:
    """Return the news that the journal has gone back to a version."""
    return orjson.dumps({"rewritten": version}) + b"\n"


def as_line(shown: answers.Commit) -> bytes:
    """Return a commit as a line."""
    return orjson.dumps(shown) + b"\n"
