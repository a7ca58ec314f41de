"""Any version can be read, by each caller as much as he may see; snapshots change nothing but the time it takes."""

from dataclasses import replace
from typing import Any

import pytest
from prometheus_client import REGISTRY

from service.errors import NotFound
from service.keys.tokens import Caller
from service.ledger import replay
from service.ledger.canonical import digest
from service.ledger.commit import parse_commit, rules_of
from service.ledger.decoding import decode_events
from service.ledger.replay import Loaded, apply
from service.ledger.secrets import put_back
from service.matches import playing, reading
from service.matches.desk import Desk
from service.matches.loading import at_version, load
from service.matches.opening import Opened, Wish, open_new
from service.matches.snapshots import read_snapshot, write_snapshot
from service.matches.submitting import Submission
from tests.service.matches.conftest import bots, humans, play_on

PUBLIC, SEAT_0, SEAT_1 = Caller(), Caller("seat", 0), Caller("seat", 1)


@pytest.fixture
def played(desk: Desk) -> Opened:
    """A whole match of Calimala, two humans and a bot."""
    opened = open_new(desk, Wish("calimala", [*humans(2), *bots(1)], seed="reading"))
    play_on(desk, opened)
    return opened


def fresh(desk: Desk) -> Desk:
    """Return a desk with an empty shelf on the same journal."""
    return Desk(desk.journal, desk.secret, desk.clock, desk.wake)


def head(desk: Desk, opened: Opened) -> Loaded:
    return load(desk, opened.loaded.id)


def test_every_version_can_be_read(desk: Desk, played: Opened) -> None:
    """State at version n is the fold of the first n commits, and commit n holds the digest of its public view."""
    entries = [parse_commit(data) for data in desk.journal.read(played.loaded.id)]
    kept, match = {}, None
    for entry in entries:
        match = apply(match, decode_events([entry], rules_of(entries[0])))
        view = match.game.view(match.state, None)
        kept[entry["commit"]["version"]] = (
            digest(view),
            entry["hash"],
            entry["commit"]["time"],
        )
    for version in range(1, len(entries) + 1, 17):
        then = at_version(fresh(desk), played.loaded.id, version)
        assert (digest(reading.view(then, PUBLIC)["state"]), then.hash, then.time) == kept[version]
        assert entries[version - 1]["commit"]["view"] == kept[version][0]


def test_what_is_replayed_is_counted(desk: Desk, played: Opened) -> None:
    """Each commit that is folded counts once, and a match that is remembered costs none."""

    def counted() -> float:
        return REGISTRY.get_sample_value("giornale_replayed_commits_total") or 0.0

    other = fresh(desk)
    before = counted()
    version = head(other, played).version
    assert counted() - before == version > 0
    head(other, played)
    assert counted() - before == version


def test_checkpoints_change_nothing(desk: Desk, played: Opened) -> None:
    """Versions read in any order from one desk, along its checkpoints, are those read from fresh ones."""
    last = head(desk, played).version
    for version in (last, 1, 50, 51, 49, 100, 101, last - 1, 150):
        assert at_version(desk, played.loaded.id, version) == at_version(
            fresh(desk), played.loaded.id, version
        )


def test_a_checkpoint_of_another_stream_is_dropped(
    desk: Desk, played: Opened, calimala: Opened
) -> None:
    """What a process keeps of a match is used only if the journal's next commit follows it."""
    fake = replace(at_version(fresh(desk), calimala.loaded.id, 1), version=50)
    desk.past.put(fake, f"{played.loaded.id}@50")
    assert at_version(desk, played.loaded.id, 60) == at_version(fresh(desk), played.loaded.id, 60)


@pytest.mark.parametrize("version", [0, 10_000])
def test_a_version_that_is_not_there_is_not_found(desk: Desk, played: Opened, version: int) -> None:
    """The answer names the versions there are."""
    with pytest.raises(NotFound, match="versions 1 to"):
        reading.state_at(desk, head(desk, played), version)


def test_a_snapshot_and_the_tail_equal_a_full_replay(desk: Desk, played: Opened) -> None:
    """A state brought forward from any snapshot is the state replayed from the start."""
    whole = head(fresh(desk), played)
    for version in (1, 40, whole.version):
        write_snapshot(desk, at_version(fresh(desk), played.loaded.id, version))
        assert head(fresh(desk), played) == whole


def test_a_long_replay_leaves_a_snapshot(desk: Desk, played: Opened) -> None:
    """Whoever had to fold a long tail stores the result for the next."""
    assert read_snapshot(desk, played.loaded.id) is None
    loaded = head(fresh(desk), played)
    assert read_snapshot(desk, played.loaded.id) == loaded


SPOILT: dict[str, Any] = {
    "not-json": lambda data: data[:-5],
    "other-shape": lambda data: data.replace(b'"shape":"', b'"shape":"0'),
    "other-rules": lambda data: data.replace(
        b'"rules":"calimala/1","shape"', b'"rules":"calimala/0","shape"'
    ),
    "ahead": lambda data: data.replace(b'"version":', b'"version":9'),
    "other-hash": lambda data: data.replace(b'"hash":"', b'"hash":"0'),
    "missing-part": lambda data: data.replace(b'"state":', b'"stat":'),
    "unreadable-state": lambda data: data.replace(b'"state":{', b'"state":{"x":1,'),
}


@pytest.mark.parametrize("spoil", SPOILT.values(), ids=SPOILT)
def test_a_snapshot_that_does_not_fit_is_dropped(desk: Desk, played: Opened, spoil: Any) -> None:
    """A snapshot is only ever an optimisation: a bad one is ignored and the journal replayed."""
    whole = head(desk, played)
    write_snapshot(desk, whole)
    data = desk.journal.snapshot(played.loaded.id)
    assert data is not None
    assert spoil(data) != data
    desk.journal.put_snapshot(played.loaded.id, spoil(data))
    assert read_snapshot(desk, played.loaded.id) is None
    assert head(fresh(desk), played) == whole


def test_a_seat_sees_its_own_secrets_and_no_others(desk: Desk, calimala: Opened) -> None:
    """A kept scoring card is read by its keeper alone, in history and state (C43)."""
    move = playing.legal_moves(calimala.loaded, 1)[0]
    playing.move(desk, Submission(calimala.loaded.id, calimala.tokens["seat:1"]), move)
    loaded = head(desk, calimala)
    seen = {
        caller: reading.commits(desk, loaded, caller, 1, 1)[0]
        for caller in (PUBLIC, SEAT_0, SEAT_1)
    }
    assert seen[SEAT_1]["command"] == {**move, "seat": 1}
    assert seen[PUBLIC]["command"] == seen[SEAT_0]["command"] == {"type": move["type"], "seat": 1}
    assert seen[PUBLIC]["events"] == seen[SEAT_0]["events"] != seen[SEAT_1]["events"]


def test_nobody_sees_the_secret_before_the_end_and_all_see_it_after(
    desk: Desk, calimala: Opened
) -> None:
    """The first commit hides the secret from every caller; the last commit reveals it to all (M9)."""
    secret = calimala.loaded.match.secret or ""
    for caller in (PUBLIC, SEAT_0, Caller("owner")):
        assert secret not in str(reading.commits(desk, calimala.loaded, caller, 0, 10))
    play_on(desk, calimala)
    loaded = head(desk, calimala)
    assert secret in str(reading.commits(desk, loaded, PUBLIC, loaded.version - 1, 1))


def test_the_revelation_is_the_last_commit_and_whole(desk: Desk, played: Opened) -> None:
    """After the end the house lays open every secret part of every commit, once (M9)."""
    entries = [parse_commit(data) for data in desk.journal.read(played.loaded.id)]
    command, _ = put_back(entries[-1])
    assert command["type"] == "reveal"
    assert command["parts"] == {
        str(entry["commit"]["version"]): entry["secrets"] for entry in entries if entry["secrets"]
    }
    assert head(desk, played).match.revealed


def test_history_pages_meet_without_gap_or_overlap(desk: Desk, played: Opened) -> None:
    """Pages of seven read one after another are the whole history."""
    loaded = head(desk, played)
    whole = reading.commits(desk, loaded, PUBLIC, 0, loaded.version)
    paged = [
        one
        for after in range(0, loaded.version, 7)
        for one in reading.commits(desk, loaded, PUBLIC, after, 7)
    ]
    assert paged == whole
    assert [one["version"] for one in whole] == list(range(1, loaded.version + 1))


def test_time_never_runs_backwards(calimala: Opened, desk: Desk) -> None:
    """When the clock is set back, commits keep the time of the last one."""
    late = Desk(desk.journal, desk.secret, lambda: 1_000, desk.wake)
    move = playing.legal_moves(calimala.loaded, 0)[0]
    made = playing.move(late, Submission(calimala.loaded.id, calimala.tokens["seat:0"]), move)
    assert made.entry["commit"]["time"] == calimala.loaded.time


def test_the_outcome_is_told_after_the_end(desk: Desk, played: Opened) -> None:
    """Points and ranks of every seat, as the rules give them."""
    loaded = head(desk, played)
    outcome = replay.outcome(loaded)
    assert outcome is not None
    assert loaded.match.standing.status == "finished"
    assert len(outcome["points"]) == len(outcome["ranks"]) == 3
    assert min(outcome["ranks"]) == 1
