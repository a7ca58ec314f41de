"""A match is deleted after its head was read: reads of many matches go on without it."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from service.base.metadata_fields import COMMAND_LINE, SEATS
from service.capabilities.clock import use_cases as clocks
from service.matches import automation, derived, forks, lifecycle, records
from service.matches.context import Context
from service.matches.lifecycle import DAY, HOUR, Patience, expire
from service.matches.listing import MatchFilter, overviews, public
from service.matches.opening import NewMatch, OpenRequest, open_new
from service.matches.timers import Pulse
from service.store.archive.archive import Archive
from service.store.archive.places import Directory
from service.store.journal.values import CLOCK, Gap, Timer
from tests.service.matches.conftest import START, Clock, bots, humans, now, play_on
from tests.service.matches.test_forks import fork, played, with_base

CLOCK_TERM = {"bank_s": 300, "move_s": 5, "level": "greedy"}

DeleteBefore = Callable[[Any, str], None]


@pytest.fixture
def delete_before(monkeypatch: pytest.MonkeyPatch) -> DeleteBefore:
    """Let a function of a module delete its match before it reads the match."""

    def patch(module: Any, name: str) -> None:
        function = getattr(module, name)

        def delete_and_read(ctx: Context, match_id: str, *arguments: Any) -> Any:
            if ctx.journal.events.head(match_id) is not None:
                lifecycle.delete(ctx, match_id, COMMAND_LINE)
            return function(ctx, match_id, *arguments)

        monkeypatch.setattr(module, name, delete_and_read)

    return patch


def without_seats(ctx: Context, opened: NewMatch) -> str:
    """Remove the field of a match's seats, as in an imported match. Return the match's id."""
    ctx.journal.metadata.put(opened.loaded.id, {SEATS: None})
    return opened.loaded.id


def open_firenze(ctx: Context, **terms: Any) -> NewMatch:
    """Open a match of two humans."""
    return open_new(ctx, OpenRequest("firenze", humans(2), seed="deleted", terms=terms))


def test_a_list_leaves_it_out(ctx: Context, delete_before: DeleteBefore) -> None:
    """A list leaves out a match that is deleted meanwhile. The other matches of the page stay."""
    without_seats(ctx, open_firenze(ctx))
    stays = open_firenze(ctx).loaded.id
    delete_before(derived, "load")

    page = public(ctx, "", None, None, 10)
    assert [summary["match"] for summary in page.matches] == [stays]


def test_overviews_leave_it_out(ctx: Context, delete_before: DeleteBefore) -> None:
    """Overviews leave out a match that is deleted meanwhile, and do not call it damaged."""
    without_seats(ctx, open_firenze(ctx))
    stays = open_firenze(ctx).loaded.id
    delete_before(derived, "load")

    result = overviews(ctx, MatchFilter(), 10)
    assert [summary["match"] for summary in result.matches] == [stays]
    assert result.damaged == []


def test_overviews_name_a_match_without_its_commits(
    ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Overviews call a match without its commits damaged, and list the others."""
    lacking = without_seats(ctx, open_firenze(ctx))
    stays = open_firenze(ctx).loaded.id
    ctx.cache.forget()
    tail, read_events = ctx.journal.events.tail, ctx.journal.events.read

    def tail_without(match_id: str, *arguments: Any) -> Any:
        entries, holder, head = tail(match_id, *arguments)
        return ([] if match_id == lacking else entries), holder, head

    def read_without(match_id: str, *arguments: Any) -> Any:
        return [] if match_id == lacking else read_events(match_id, *arguments)

    monkeypatch.setattr(ctx.journal.events, "tail", tail_without)
    monkeypatch.setattr(ctx.journal.events, "read", read_without)

    result = overviews(ctx, MatchFilter(), 10)
    assert [summary["match"] for summary in result.matches] == [stays]
    assert result.damaged == [lacking]


def test_it_is_not_archived(ctx: Context, delete_before: DeleteBefore, tmp_path: Path) -> None:
    opened = open_new(ctx, OpenRequest("calimala", bots(3), seed="deleted"))
    play_on(ctx, opened)
    match = without_seats(ctx, opened)
    delete_before(derived, "load")

    assert lifecycle.archive(ctx, Archive(Directory(tmp_path)), match) is None
    assert list(tmp_path.iterdir()) == []


def test_it_does_not_expire(
    ctx: Context, delete_before: DeleteBefore, caplog: pytest.LogCaptureFixture
) -> None:
    """A deleted match does not expire. Nothing is logged, and the idle index loses it."""
    clock = Clock()
    ctx = replace(ctx, clock=clock)
    open_firenze(ctx)
    clock.now = START + 2 * HOUR
    delete_before(lifecycle, "load")

    patience = Patience(open=HOUR, running=HOUR)
    assert [expire(ctx, patience), expire(ctx, patience)] == [0, 0]
    assert caplog.records == []
    assert ctx.journal.index.idle(clock.now + 2 * DAY, 9) == []


def test_the_house_does_not_reveal_it(ctx: Context, delete_before: DeleteBefore) -> None:
    """The job to reveal a match that is deleted meanwhile ends without an error."""
    opened = open_new(ctx, OpenRequest("calimala", bots(3), seed="deleted"))
    match = opened.loaded.id
    play_on(ctx, opened, until=2)
    expire(replace(ctx, clock=lambda: START + 9 * DAY), Patience(open=DAY, running=DAY))
    assert now(ctx, opened).status.awaiting == "house"

    delete_before(automation, "pieces")
    automation.act(ctx, match)
    assert ctx.journal.events.head(match) is None


@pytest.mark.parametrize("reader", ["load", "pieces"])
def test_its_clock_is_left_alone(ctx: Context, delete_before: DeleteBefore, reader: str) -> None:
    """The clock of a match that is deleted meanwhile decides nothing, also after gaps."""
    opened = open_firenze(ctx, clock=CLOCK_TERM)
    play_on(ctx, opened, until=3)
    due = now(ctx, opened).match.next_due
    assert due is not None
    delete_before(clocks, reader)

    later = replace(ctx, clock=lambda: due)
    pulse = Pulse(due, 0, (Gap(START, due),))
    assert clocks.see_to(later, Timer(CLOCK, opened.loaded.id, due, due), pulse) is False
    assert ctx.journal.events.head(opened.loaded.id) is None


def test_an_audit_of_its_fork_goes_on(delete_before: DeleteBefore) -> None:
    """M21: if a base is deleted meanwhile, an audit of its fork checks it partly."""
    ctx, base, last = with_base("firenze")
    match = fork(ctx, base, last // 2).loaded.id
    played(ctx, match)

    delete_before(forks, "pieces")
    assert records.audit(ctx, match).verdict == "partly_checked"
    assert ctx.journal.events.head(base) is None


def test_a_deleted_base_forbids_no_advice(ctx: Context, delete_before: DeleteBefore) -> None:
    """M14: a deleted base forbids its fork no advice, since nobody plays the base any more."""
    opened = open_firenze(ctx)
    assert forks.is_unadvised(ctx, opened.loaded.id)

    delete_before(forks, "load_version")
    assert not forks.is_unadvised(ctx, opened.loaded.id)
