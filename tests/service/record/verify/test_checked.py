"""Checks of records: their form, old events, and parts that cannot be checked yet."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from rq.timeouts import JobTimeoutException

from service.base.errors import BadRecord
from service.matches import tokens
from service.matches.command_handler import Submission
from service.matches.context import Context
from service.matches.opening import NewMatch
from service.matches.records import export, import_record
from service.matches.repository import load
from service.record import record
from service.record.codec import UPCASTERS, Upcaster
from service.record.commit import StoredCommit
from service.record.verify.audit import verify_record, verify_stored
from service.record.verify.redecide import redecide
from service.record.verify.report import AuditReport, Wrong, quiet
from tests import toy
from tests.attacks.forging import DIGESTS, Entries, chained, entries_of
from tests.records import make
from tests.service.record.verify import forged_table
from tests.service.toy_matches import (
    Change,
    draws_by_versions,
    fault,
    forged,
    new_context,
    opened,
    play_on,
    record_of,
    whole,
)

Lines = list[bytes]


@pytest.fixture(scope="module")
def records() -> dict[str, Lines]:
    """A whole record and an unended one as the public has it, both short and right."""
    with pytest.MonkeyPatch.context() as patch:
        toy.install(patch)
        ctx = new_context()
        match = opened(ctx, 1)
        play_on(ctx, match, until=3)

        return {"whole": whole(new_context(), 1), "public": record_of(ctx, match)}


def every_bit(_place: int) -> Sequence[int]:
    return range(8)


def two_bits(place: int) -> Sequence[int]:
    """Return two bits to flip: the bit of capital letters, and another one."""
    return (5, place % 8)


@pytest.mark.whole
@pytest.mark.parametrize(
    ("kind", "bits_at"), [("public", every_bit), ("whole", two_bits)], ids=["public", "whole"]
)
def test_every_flipped_bit_is_found(
    records: dict[str, Lines], kind: str, bits_at: Callable[[int], Sequence[int]]
) -> None:
    """The finding names the right commit, also for bits of the envelope and of line feeds.

    Of the whole record two bits of each byte are flipped.
    """
    lines = records[kind]
    assert fault(lines) is None

    content = b"".join(lines)
    commit_of_each_byte = [number for number, line in enumerate(lines, 1) for _byte in line]
    missed = []
    for place, number in enumerate(commit_of_each_byte):
        for bit in bits_at(place):
            finding = fault(record.lines(flipped(content, place, bit)))
            if finding is None or finding[0] != number:
                missed.append((place, bit, finding))

    assert missed == []


def flipped(content: bytes, place: int, bit: int) -> bytes:
    """Return bytes with one flipped bit."""
    changed = bytearray(content)
    changed[place] ^= 1 << bit
    return bytes(changed)


def test_a_whole_record_cut_short_is_found(ctx: Context) -> None:
    """M9: a record with the house's secrets ends with the revelation, or was cut off."""
    lines = whole(ctx)

    assert fault([]) == (0, "empty")
    for length in range(1, len(lines)):
        assert fault(lines[:length]) == (length, "not_ended")


SETTLED = 4

# `coin_fallen` has the side as a number, `coin_thrown` by name, `coin_tossed` as a flag.
CHAIN: dict[str, Upcaster] = {
    "coin_thrown": Upcaster("coin_tossed", lambda event: {"heads": event["side"] == "heads"}),
    "coin_fallen": Upcaster("coin_thrown", lambda event: {"side": ["tails", "heads"][event["up"]]}),
}


def thrown(stored: StoredCommit) -> None:
    """Write the toss of a commit as it was written one change ago."""
    events = stored["commit"]["events"]
    side = "heads" if events[0]["heads"] else "tails"
    events[0] = {"type": "coin_thrown", "side": side}


def fallen(stored: StoredCommit) -> None:
    """Write the toss of a commit as it was written two changes ago."""
    events = stored["commit"]["events"]
    events[0] = {"type": "coin_fallen", "up": int(events[0]["heads"])}


@pytest.mark.parametrize("age", [thrown, fallen], ids=["one-step", "two-steps"])
def test_an_old_record_folds_and_verifies_to_the_same_end(
    ctx: Context, monkeypatch: pytest.MonkeyPatch, age: Change
) -> None:
    """A record of old events folds to the state of its newer twin, and keeps its old bytes."""
    new_lines = whole(ctx, 1)
    old_lines = forged(new_lines, SETTLED, age)
    for tag, step in CHAIN.items():
        monkeypatch.setitem(UPCASTERS, tag, step)

    other = new_context()
    audit, _ = import_record(other, old_lines)

    report = audit.report
    assert report.wrong is None
    assert report.decided == len(old_lines)
    assert load(other, report.match).match == load(ctx, report.match).match
    assert list(export(other, report.match, None)) == old_lines != new_lines


WRONG_UPCASTERS: dict[str, tuple[Upcaster | None, str]] = {
    "none": (None, "unreadable"),
    "lie": (
        Upcaster("coin_tossed", lambda event: {"heads": event["side"] != "heads"}),
        "events_differ",
    ),
    "no-such-field": (Upcaster("coin_tossed", lambda event: {"heads": event["up"]}), "unreadable"),
    "no-such-event": (Upcaster("coin_lost", lambda _event: {}), "unreadable"),
}


@pytest.mark.parametrize(("upcaster", "code"), WRONG_UPCASTERS.values(), ids=WRONG_UPCASTERS)
def test_a_missing_or_lossy_upcaster_is_found(
    ctx: Context, monkeypatch: pytest.MonkeyPatch, upcaster: Upcaster | None, code: str
) -> None:
    """An upcaster that loses facts is found when the command is decided again."""
    lines = forged(whole(ctx, 1), SETTLED, thrown)
    if upcaster is not None:
        monkeypatch.setitem(UPCASTERS, "coin_thrown", upcaster)

    assert fault(lines) == (SETTLED, code)


def begun(ctx: Context) -> NewMatch:
    """Open a match and play its first four commits."""
    match = opened(ctx)
    play_on(ctx, match, until=4)
    return match


def without_secret(lines: Sequence[bytes]) -> Entries:
    """Return a whole record as it was before its end: only the house's part is missing."""
    entries = entries_of(lines)[:-1]
    del entries[0]["secrets"]["house"]
    return entries


def rechained(entries: Entries) -> list[bytes]:
    """Return the lines of stored commits with a mended chain. Digests stay as they are."""
    return chained(entries, [DIGESTS])


# ---- whole records -------------------------------------------------------------------------------


def test_a_whole_record_is_decided_again_to_the_last_commit(ctx: Context) -> None:
    """Nothing is left unchecked in a whole record, and its outcome is computed."""
    report = verify_record(whole(ctx)).report

    assert report.wrong is None
    assert report.unchecked == report.notes == []
    assert not report.redacted
    assert report.ended
    assert report.folded == report.decided == report.commits == 8
    assert report.status == "ended"
    assert report.outcome is not None


def test_a_revelation_makes_a_redacted_record_whole(ctx: Context) -> None:
    """M9: a record without its secret parts is checked by those in its last commit."""
    *entries, revelation = entries_of(whole(ctx))
    bare = [record.redact(stored, []) for stored in entries]

    report = verify_record(list(map(record.line, (*bare, revelation)))).report

    assert report.wrong is None
    assert report.redacted
    assert report.decided == report.commits
    assert report.unchecked == []


@pytest.mark.parametrize("missing", ["the secret", "all parts of a commit"])
def test_of_an_ended_record_every_commit_must_be_decided(missing: str, ctx: Context) -> None:
    """M9: in an ended record a commit that cannot be decided again is a fault."""
    entries = without_secret(whole(ctx, 1))
    if missing != "the secret":
        entries[1]["secrets"] = {}
        del entries[0]["secrets"]["seat:0"]

    with pytest.raises(Wrong) as error:
        redecide(entries, AuditReport(rules="toy/1", ended=True), quiet)
    assert (error.value.commit, error.value.code) == (1, "not_decided")


def test_another_view_version_leaves_the_view_digests_unchecked(
    ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    """View digests are checked only with the match's own version of the view."""
    lines = whole(ctx)
    toy.install(monkeypatch, replace(toy.TOY, view_version=2, view=lambda *_: {"all": "new"}))

    report = verify_record(lines).report

    assert report.wrong is None
    assert report.unchecked == ["view digests: they are of view version 1, not 2"]


def test_bots_of_an_unknown_level_verify_and_are_not_taken_in() -> None:
    """A record with a bot level of a newer server is right, but cannot be imported."""
    forge = forged_table.message(forged_table.REPLACED, level="oracle")
    lines = forge(forged_table.TRUE_RECORDS["gathered"]())

    assert fault(lines) is None
    with pytest.raises(BadRecord, match="level"):
        import_record(new_context(), lines)


def test_commits_that_only_move_the_next_draw_are_counted(ctx: Context) -> None:
    """M10: the holder of a seat could make such commits at no cost, also in another's turn.

    With draws by moves they change no draw, so there is nothing to count.
    """
    with draws_by_versions():
        older = opened(ctx)
    later = new_context()

    [note] = verify_record(with_changed_tokens(ctx, older)).report.notes
    assert note.startswith(f"3 of 11 commits of match {older.loaded.id} changed tokens, names or")
    assert verify_record(with_changed_tokens(later, opened(later))).report.notes == []


def with_changed_tokens(ctx: Context, match: NewMatch) -> Lines:
    """Return the record of a match with three changes of a seat's token."""
    token = match.tokens["seat:1"]
    for _ in range(3):
        token = tokens.rotate(ctx, Submission(match.loaded.id, token), None).token

    play_on(ctx, replace(match, tokens={**match.tokens, "seat:1": token}))
    return record_of(ctx, match)


# ---- running matches -----------------------------------------------------------------------------


@pytest.mark.parametrize("who", [None, "seat:1", "owner"])
def test_a_redacted_record_is_checked_as_far_as_it_goes(ctx: Context, who: str | None) -> None:
    """If hidden cards are missing the fold stops. The report names the commit and the reason."""
    match = begun(ctx)
    token = None if who is None else match.tokens[who]

    report = verify_record(record_of(ctx, match, token)).report

    assert report.wrong is None
    assert report.redacted
    assert report.folded == 0
    assert "only a receipt or the server can show" in report.unchecked[0]
    assert "commits 1 to 4 are not folded" in report.unchecked[1]


def test_a_running_match_of_open_hands_is_right_so_far() -> None:
    """All commits are folded.

    Commits with draws are compared except their draws, and the report says so.
    """
    report = verify_record(forged_table.running()).report

    assert report.wrong is None
    assert (report.folded, report.decided) == (4, 1)
    assert report.verdict == "partly_checked"
    assert "3 commits draw by a secret that is not revealed yet" in report.unchecked[1]


def test_another_draw_is_not_called_wrong_before_the_revelation() -> None:
    """Before the revelation a forged card is found only if the pay of the round contradicts it."""
    lines = forged_table.running()
    dealt = forged_table.event(forged_table.SETTLED_OPENLY, 2, card=5)(lines)
    swapped = forged_table.event(forged_table.SWAPPED_OPENLY, 0, card=5)(lines)

    assert lines[-1] != dealt[-1]
    assert fault(dealt) is None
    assert fault(swapped[: forged_table.SWAPPED_OPENLY]) is None
    assert fault(swapped) == (forged_table.SETTLED_OPENLY, "events_differ")


@pytest.mark.parametrize("name", ["1-3-00", "1-3-bound-09"])
@pytest.mark.parametrize("game", ["calimala", "firenze"])
def test_no_honest_record_without_its_secret_is_called_wrong(game: str, name: str) -> None:
    """Records without the match's secret, as before their end, are folded to the last commit."""
    path = make.HOME / game / f"{name}.ndjson.gz"
    entries = without_secret(make.lines_in(path))

    report = verify_record(rechained(entries)).report

    assert report.wrong is None
    assert report.folded == len(entries)
    assert 0 < report.decided < report.folded


def test_hidden_cards_without_their_secret_are_not_wrong(ctx: Context) -> None:
    """Without the match's secret, secret fields are compared, but drawn ones are accepted."""
    entries = without_secret(whole(ctx, 3))

    report = verify_record(rechained(entries)).report

    assert report.wrong is None
    assert report.folded == len(entries)


def test_an_unended_match_is_verified_with_all_its_secrets(ctx: Context) -> None:
    """The journal of a running match is checked to its last commit."""
    match = begun(ctx)

    report = verify_stored(ctx.journal.events.read(match.loaded.id)).report

    assert report.wrong is None
    assert report.decided == 4
    assert report.status == "running"


# ---- what is no record, and what is no fault of one ----------------------------------------------


@pytest.mark.parametrize("commit_bytes", [b"{", b'{"a": 1}', b'{"a":1}'])
def test_a_journal_of_other_bytes_is_found(commit_bytes: bytes) -> None:
    """Bytes in a journal that are no canonical commit are found."""
    wrong = verify_stored([commit_bytes]).report.wrong

    assert wrong is not None
    assert wrong.code in ("not_canonical", "bad_shape")


@pytest.mark.parametrize("error", [KeyError("x"), AttributeError("x"), RecursionError("x")])
def test_code_that_stumbles_over_a_record_finds_it_wrong(
    ctx: Context, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """If the verifier fails on a record, the record counts as unreadable."""
    lines = whole(ctx)
    monkeypatch.setattr("service.record.verify.audit.People.check", raising(error))

    assert fault(lines) == (0, "unreadable")


@pytest.mark.parametrize(
    "error", [OSError("a disk"), MemoryError(), JobTimeoutException("a job")], ids=repr
)
def test_outside_failures_are_no_fault_of_a_record(
    ctx: Context, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """A failure of the machine, or a timeout, is raised and is no verdict on a record."""
    lines = whole(ctx)
    for place in ("audit.People.check", "redecide.check_events"):
        with monkeypatch.context() as patch:
            patch.setattr(f"service.record.verify.{place}", raising(error))
            with pytest.raises(type(error)):
                verify_record(lines)


def raising(error: Exception) -> Callable[..., None]:
    """Return a function that raises an error."""

    def fail(*_: object) -> None:
        raise error

    return fail
