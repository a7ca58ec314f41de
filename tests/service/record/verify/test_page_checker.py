"""The checker for browsers agrees with the service, at the same commit.

Its findings in forged records are in test_forgery.py.
"""

import gzip
import random
from pathlib import Path
from typing import Any

import pytest

from domain.game import Game
from domain.games import GAMES, RELEASED
from service.record import record
from service.record.commit import Json
from service.record.verify.audit import verify_record
from tests.attacks.forging import entries_of
from tests.records import make, views
from tests.service.record.verify.forged_table import (
    BEA_AGAIN,
    CAME_BACK,
    HIDDEN,
    OF_A_STAND_IN,
    PUBLIC,
)
from tests.service.record.verify.node import (
    TOY_IS_UNKNOWN,
    Case,
    fault_of,
    golden,
    of_both_kinds,
    relabelled_records,
    reports,
    reports_of,
    with_node,
)
from tests.service.toy_matches import fault, new_context, signed
from tests.signing import ADA, BEA

pytestmark = with_node

CHANGED_BYTES = 200
LINE_FEED = 10

SHORT = {game: make.HOME / game / "1-3-09.ndjson.gz" for game in ("calimala", "firenze")}

of_short_records = pytest.mark.parametrize("game", SHORT)


def content_of(game: str) -> bytes:
    """Return a short golden record."""
    return gzip.decompress(SHORT[game].read_bytes())


def public_lines(game: str) -> list[bytes]:
    """Return the public part of a match before its revelation."""
    entries = entries_of(record.lines(content_of(game)))[:-1]
    return [record.line(record.redact(entry, [])) for entry in entries]


def reports_beside(directory: Path, lines: list[bytes], *besides: Json) -> list[Json]:
    """Return the reports of the page's checker on a record, with each set of facts beside it."""
    path = directory / "record.ndjson"
    path.write_bytes(b"".join(lines))
    return reports(directory, [Case(path, beside=beside) for beside in besides])


@of_both_kinds
def test_a_golden_record_is_right(game: Game[Any], kind: str, tmp_path: Path) -> None:
    """All of a golden record is checked, and the counts are right."""
    lines = golden(game, kind)

    [report] = reports_of(tmp_path, [b"".join(lines)])

    entries = entries_of(lines)
    parts = sum(len(entry["secrets"]) for entry in entries)
    assert report["verdict"] == "right"
    assert report["hash"] == entries[-1]["hash"]
    assert report["bound"] == (kind == "bound")
    assert report["counts"]["commits"] == len(lines) == len(report["seeds"])
    assert report["counts"]["opened"] == report["counts"]["salts"] == parts


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.key)
def test_a_match_that_was_drawn_together_is_right(game: Game[Any], tmp_path: Path) -> None:
    """M19: both humans have disclosed their pledges, at the second attempt."""
    lines = gzip.decompress(make.together_path(game).read_bytes())

    [report] = reports_of(tmp_path, [lines])

    assert (report["verdict"], report["counts"]["disclosed"]) == ("right", 2)
    assert report["notes"] == verify_record(record.lines(lines)).report.notes != []


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.key)
def test_matches_by_match_rules_2_are_right(game: Game[Any], tmp_path: Path) -> None:
    """M15, M16, M18: one was drawn together, one has a clock, and one has proven keys."""
    paths = (make.newest_path(game), make.clocked_path(game), make.proven_path(game))
    answers = reports_of(tmp_path, [gzip.decompress(path.read_bytes()) for path in paths])

    assert [report["verdict"] for report in answers] == ["right"] * 3


@pytest.mark.parametrize("game", make.ABUSED, ids=lambda game: game.key)
def test_abuses_by_match_rules_1_are_right(game: Game[Any], tmp_path: Path) -> None:
    """M17: records of a clock run down by another player and of repeated requests are right."""
    paths = (make.abused_clock_path(game), make.abused_asks_path(game))
    answers = reports_of(tmp_path, [gzip.decompress(path.read_bytes()) for path in paths])

    assert [report["verdict"] for report in answers] == ["right", "right"]


@pytest.mark.parametrize("game", RELEASED, ids=lambda game: game.rules)
def test_a_relabelled_record_is_found(game: Game[Any], tmp_path: Path) -> None:
    """M10: page and service find a bound match under another id at the same commit."""
    forged = relabelled_records(golden(game, "bound"))

    answers = reports_of(tmp_path, [b"".join(lines) for lines in forged])

    assert [fault_of(report) for report in answers] == list(map(fault, forged))


@pytest.mark.whole
@of_short_records
def test_every_changed_byte_is_found_at_its_commit(game: str, tmp_path: Path) -> None:
    """Bytes changed at random are found at the commit of their line, as the service finds them."""
    content = content_of(game)
    path = tmp_path / "record.ndjson"
    path.write_bytes(content)
    chosen = random.Random(game)
    offsets = chosen.sample(range(len(content)), CHANGED_BYTES)
    others = [(content[offset] + chosen.randrange(1, 256)) % 256 for offset in offsets]
    changes = list(zip(offsets, others, strict=True))

    faults = [fault_of(one) for one in reports(tmp_path, [Case(path, one) for one in changes])]

    assert faults == [fault(record.lines(changed(content, *change))) for change in changes]
    assert [at for at, _ in filter(None, faults)] == [
        content[:offset].count(LINE_FEED) + 1 for offset in offsets
    ]


def changed(content: bytes, offset: int, byte: int) -> bytes:
    """Return a record with another byte at an offset."""
    return content[:offset] + bytes([byte]) + content[offset + 1 :]


@of_short_records
def test_a_redacted_record_names_its_sealed_parts(game: str, tmp_path: Path) -> None:
    """The chain of a running match is checked, and its sealed parts are named."""
    lines = public_lines(game)

    [report] = reports_beside(tmp_path, lines, {})

    counts = report["counts"]
    assert report["verdict"] == "partly_checked"
    assert report["redacted"]
    assert counts["commits"] == len(lines)
    assert counts["opened"] == counts["salts"] == 0
    assert [what.split(":")[0] for what in report["unchecked"]] == [
        f"{counts['sealed']} of {counts['sealed']} secret parts",
        "the salts of secret parts and the seeds of the draws",
        "the end",
    ]


def test_signed_commands_of_each_seat_are_told(tmp_path: Path) -> None:
    """M18: the report lists signed commands of each seat with a key, and those of its stand-ins."""
    lines = signed(new_context())
    public = [record.line(record.redact(entry, [])) for entry in entries_of(lines)[:-1]]

    whole, redacted = reports_of(tmp_path, [b"".join(lines), b"".join(public)])

    bea = {"seat": 1, "key": BEA.key, "signed": [PUBLIC, BEA_AGAIN], "unchecked": [], "bots": []}
    both = [HIDDEN, CAME_BACK]
    ada = {"seat": 0, "key": ADA.key, "signed": both, "unchecked": [], "bots": [OF_A_STAND_IN]}
    assert (whole["wrong"], whole["unchecked"]) == (None, [TOY_IS_UNKNOWN])
    assert whole["signers"] == [ada, bea]
    assert redacted["verdict"] == "partly_checked"
    assert redacted["signers"] == [{**ada, "signed": [CAME_BACK], "unchecked": [HIDDEN]}, bea]
    assert any(what.startswith("1 signatures: ") for what in redacted["unchecked"])


def test_the_server_vouches_for_the_end(tmp_path: Path) -> None:
    """With the head of its server, the end of a running match is checked."""
    lines = public_lines("calimala")
    head = {"version": len(lines), "hash": entries_of(lines)[-1]["hash"]}
    other_head = {**head, "hash": "0" * 64}

    report, other = reports_beside(tmp_path, lines, {"head": head}, {"head": other_head})
    [missing] = reports_beside(tmp_path, lines[:-3], {"head": head})

    assert not any(what.startswith("the end") for what in report["unchecked"])
    assert fault_of(missing) == (len(lines) - 3, "cut_short")
    assert fault_of(other) == (len(lines), "not_vouched")


@of_short_records
def test_public_views_are_bound_to_the_chain(game: str, tmp_path: Path) -> None:
    """Public views must fit the digests in their commits.

    If a server shows no public views, the record is only partly checked.
    """
    lines = record.lines(content_of(game))
    public_views = []
    for version, match in enumerate(views.matches(SHORT[game]), 1):
        state = None if match.state is None else match.game.view(match.state, None)
        public_views.append({"version": version, "state": state})
    spoilt = [
        *public_views[:40],
        {"version": 41, "state": public_views[10]["state"]},
        *public_views[41:],
    ]
    repeated = [*public_views[:40], public_views[39], *public_views[41:]]

    right, wrong, without_one, unshown = reports_beside(
        tmp_path,
        lines,
        {"shown": public_views},
        {"shown": spoilt},
        {"shown": repeated},
        {"unshown": "the service does not list it"},
    )

    assert right["verdict"] == "right"
    assert right["counts"]["views"] == len(lines)
    assert fault_of(wrong) == fault_of(without_one) == (41, "view_differs")
    assert unshown["verdict"] == "partly_checked"
    assert unshown["unchecked"] == ["what the public is shown: the service does not list it"]
