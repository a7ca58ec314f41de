"""How far a record is checked: what is left open is said in the report, and nothing else is."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from rq.timeouts import JobTimeoutException

from domain.games import RULES
from service.ledger import record
from service.ledger.codec import put_back
from service.matches import tokens
from service.matches.context import Context
from service.matches.opening import Opened
from service.matches.repository import load
from service.verify.audit import verify_record, verify_stored
from tests import toy
from tests.attacks.forging import Entries, entries_of
from tests.service.toy_matches import move, opened, play_on, record_of, whole


def begun(ctx: Context) -> Opened:
    """Open a match and play its first four commits."""
    match = opened(ctx)
    play_on(ctx, match, until=4)
    return match


def test_a_whole_record_is_decided_again_to_the_last_commit(ctx: Context) -> None:
    """Nothing is left unchecked in a whole record, and its outcome is worked out anew."""
    report = verify_record(whole(ctx)).report

    assert report.wrong is None
    assert report.unchecked == []
    assert not report.redacted
    assert report.ended
    assert report.folded == report.decided == report.commits == 8
    assert report.status == "finished"
    assert report.outcome is not None


def test_a_revelation_makes_a_redacted_record_whole(ctx: Context) -> None:
    """The last commit holds all secret parts (M9).

    A record that lost its own is checked by them as a whole one is.
    """
    *entries, revelation = entries_of(whole(ctx))
    bare_entries = [record.redact(stored, []) for stored in entries]
    bare_lines = [record.line(stored) for stored in (*bare_entries, revelation)]

    report = verify_record(bare_lines).report

    assert report.wrong is None
    assert report.redacted
    assert report.decided == len(bare_lines)
    assert report.unchecked == []


def test_unknown_rules_leave_the_play_unchecked(
    ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program without the match's rules checks the chain and says that it cannot play."""
    lines = whole(ctx)
    monkeypatch.delitem(RULES, "toy/1")

    report = verify_record(lines).report

    assert report.wrong is None
    assert report.unchecked == ["the play: this program does not know the rules toy/1"]


def test_a_seat_opens_its_own_secrets_and_no_other(ctx: Context) -> None:
    """A seat's record tells what the seat noted, and not what another did."""
    entries = seen_by_the_first_seat(ctx)

    own_command, _ = put_back(entries[1])
    others_command, _ = put_back(entries[2])

    assert own_command["why"] == "secret of 0"
    assert "why" not in others_command


def test_a_seat_has_parts_of_its_own_alone_each_with_another_salt(ctx: Context) -> None:
    """Another's digests cannot be opened with a seat's own parts."""
    entries = seen_by_the_first_seat(ctx)

    audiences: set[str] = set()
    salts: list[str] = []
    for stored in entries:
        audiences.update(stored["secrets"])
        salts += [part["salt"] for part in stored["secrets"].values()]
    assert audiences == {"seat:0"}
    assert len(set(salts)) == len(salts) > 1


def seen_by_the_first_seat(ctx: Context) -> Entries:
    """Return the commits of a match that is still on, as the first seat's holder has them."""
    match = begun(ctx)
    return entries_of(record_of(ctx, match, match.tokens["seat:0"]))


@pytest.mark.parametrize("who", [None, "seat:1", "owner"])
def test_a_redacted_record_is_checked_as_far_as_it_goes(ctx: Context, who: str | None) -> None:
    """Where hidden cards are missing the fold stops.

    The report says at which commit and why.
    """
    match = begun(ctx)
    token = None if who is None else match.tokens[who]

    report = verify_record(record_of(ctx, match, token)).report

    assert report.wrong is None
    assert report.redacted
    assert report.folded == 0
    assert "commits 1 to 4 are not folded" in report.unchecked[1]


def test_without_hidden_cards_a_redacted_record_is_folded_and_mostly_decided(
    ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If only the match's secret is missing, all is folded.

    Every command that draws nothing is decided again.
    """
    toy.install(monkeypatch, toy.OPEN_HANDED)
    match = opened(ctx, seats=3)
    move(ctx, match, 0, "keep")
    move(ctx, match, 1, "swap")
    move(ctx, match, 2, "keep")

    report = verify_record(record_of(ctx, match)).report

    assert report.wrong is None
    assert report.folded == 4
    assert report.decided == 2
    assert "2 commits draw by a secret that is not revealed yet" in report.unchecked[1]


def test_another_view_version_leaves_the_view_digests_unchecked(
    ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    """View digests count only for the version of the view that the match was opened with."""
    lines = whole(ctx)
    toy.install(monkeypatch, replace(toy.TOY, view_version=2, view=lambda *_: {"all": "new"}))

    report = verify_record(lines).report

    assert report.wrong is None
    assert report.unchecked == ["view digests: they are of view version 1, not 2"]


def test_a_journal_is_verified_with_all_its_secrets_though_unended(ctx: Context) -> None:
    """The holder of a journal checks a match that is still on to its last commit."""
    match = begun(ctx)

    report = verify_stored(ctx.journal.events.read(match.loaded.id)).report

    assert report.wrong is None
    assert report.decided == 4
    assert report.status == "running"


@pytest.mark.parametrize("commit_bytes", [b"{", b'{"a": 1}', b'{"a":1}'])
def test_a_journal_of_other_bytes_is_found(commit_bytes: bytes) -> None:
    """What is no commit in canonical form is called so."""
    wrong = verify_stored([commit_bytes]).report.wrong

    assert wrong is not None
    assert wrong.code in ("not_canonical", "bad_shape")


@pytest.mark.parametrize("error", [KeyError("x"), AttributeError("x"), RecursionError("x")])
def test_code_that_stumbles_over_a_record_finds_it_wrong(
    ctx: Context, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """One record ends no check of others, even if the verifier itself has a fault."""
    lines = whole(ctx)
    monkeypatch.setattr("service.verify.audit.check_people", raising(error))

    wrong = verify_record(lines).report.wrong

    assert wrong is not None
    assert (wrong.commit, wrong.code) == (0, "unreadable")


@pytest.mark.parametrize(
    "error", [OSError("a disk"), MemoryError(), JobTimeoutException("a job")], ids=repr
)
def test_what_comes_from_outside_is_no_fault_of_a_record(
    ctx: Context, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """A machine short of something, or a job short of time, is no verdict on a match."""
    lines = whole(ctx)
    for place in ("audit.check_people", "redecide.check_events"):
        with monkeypatch.context() as patch:
            patch.setattr(f"service.verify.{place}", raising(error))
            with pytest.raises(type(error)):
                verify_record(lines)


def raising(error: Exception) -> Callable[..., None]:
    """Return a function that fails whatever it is given."""

    def fail(*_: object) -> None:
        raise error

    return fail


def test_commits_that_only_move_the_next_draw_are_counted(ctx: Context) -> None:
    """M10: whoever holds a seat may make some that cost nothing, also in another's turn."""
    match = opened(ctx)
    match_id, token = match.loaded.id, match.tokens["seat:1"]
    version = match.loaded.version
    for _ in range(3):
        token = tokens.rotate(ctx, match_id, token, None, "").token
    assert load(ctx, match_id).version == version + 3

    match = replace(match, tokens={**match.tokens, "seat:1": token})
    play_on(ctx, match)
    [note] = verify_record(record_of(ctx, match)).report.notes

    assert note.startswith(f"3 of 11 commits of match {match_id} changed tokens, names or who sits")


def test_of_a_match_of_moves_alone_nothing_is_noted(ctx: Context) -> None:
    """Moves, scoring and the revelation are not counted."""
    assert verify_record(whole(ctx)).report.notes == []
