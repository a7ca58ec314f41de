"""The checker that runs in browsers finds what the service finds, at the same commit."""

import gzip
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from domain.games import RELEASED
from service.ledger import record
from service.ledger.commit import Json, StoredCommit
from tests.attacks.forging import SALTS, Entries, entries_of, mended
from tests.records import make, views
from tests.service.toy_matches import fault, forged
from tests.service.verify.golden import golden, of_both_kinds, relabelled_records
from tests.service.verify.node import Case, fault_of, reports, with_node

pytestmark = with_node

CHANGED_BYTES = 200
LINE_FEED = 10

SHORT = {
    "calimala": make.HOME / "calimala" / "1-3-09.ndjson.gz",
    "firenze": make.HOME / "firenze" / "1-3-09.ndjson.gz",
}

of_short_records = pytest.mark.parametrize("game", SHORT)


def content_of(path: Path) -> bytes:
    """Return the bytes of a packed record."""
    return gzip.decompress(path.read_bytes())


def lines_of(game: str) -> list[bytes]:
    """Return a short golden record."""
    return record.lines(content_of(SHORT[game]))


def written(directory: Path, lines: list[bytes], name: str = "record") -> Path:
    """Write a record and return where it is."""
    path = directory / f"{name}.ndjson"
    path.write_bytes(b"".join(lines))
    return path


def report_of(directory: Path, lines: list[bytes], beside: Json | None = None) -> Json:
    """Return what the page's checker reports of a record."""
    return reports(directory, [Case(written(directory, lines), beside=beside)])[0]


@of_both_kinds
def test_a_golden_record_is_right(game: Any, kind: str, tmp_path: Path) -> None:
    """All of a golden record is checked, and the counts are those of the record."""
    lines = golden(game, kind)

    report = report_of(tmp_path, lines)

    entries = entries_of(lines)
    parts = sum(len(entry["secrets"]) for entry in entries)
    assert report["verdict"] == "right"
    assert report["hash"] == entries[-1]["hash"]
    assert report["bound"] == (kind == "bound")
    assert report["counts"]["commits"] == len(lines) == len(report["seeds"])
    assert report["counts"]["opened"] == report["counts"]["salts"] == parts


@of_short_records
def test_every_changed_byte_is_found_at_its_commit(game: str, tmp_path: Path) -> None:
    """Bytes changed at random are found at the commit of their line, as the service finds them."""
    content = content_of(SHORT[game])
    path = written(tmp_path, [content])
    chosen = random.Random(game)
    offsets = chosen.sample(range(len(content)), CHANGED_BYTES)
    cases = [Case(path, (offset, other_byte(chosen, content[offset]))) for offset in offsets]

    found = [fault_of(report) for report in reports(tmp_path, cases)]

    assert found == [fault(record.lines(changed(content, case))) for case in cases]
    assert [at for at, _ in filter(None, found)] == [
        content[:offset].count(LINE_FEED) + 1 for offset in offsets
    ]


def other_byte(chosen: random.Random, byte: int) -> int:
    """Return a byte that is not this one."""
    return (byte + chosen.randrange(1, 256)) % 256


def changed(content: bytes, case: Case) -> bytes:
    """Return a record with the change of a case."""
    assert case.change is not None
    offset, byte = case.change
    return content[:offset] + bytes([byte]) + content[offset + 1 :]


Forgery = Callable[[list[bytes]], list[bytes]]


def without_line(lines: list[bytes]) -> list[bytes]:
    return [*lines[:20], *lines[21:]]


def swapped(lines: list[bytes]) -> list[bytes]:
    return [*lines[:20], lines[21], lines[20], *lines[22:]]


def cut_short(lines: list[bytes]) -> list[bytes]:
    return lines[:-1]


def nothing(_lines: list[bytes]) -> list[bytes]:
    return []


def last_line_unended(lines: list[bytes]) -> list[bytes]:
    return [*lines[:-1], lines[-1].rstrip(b"\n")]


def doubled(lines: list[bytes]) -> list[bytes]:
    return [*lines[:20], lines[19], *lines[20:]]


def envelope_changed(lines: list[bytes]) -> list[bytes]:
    return [*lines[:4], lines[4].replace(b'"1.0"', b'"1.1"'), *lines[5:]]


def changed_commit(number: int, change: Callable[[StoredCommit], None]) -> Forgery:
    """Return a forgery that changes one commit and mends what follows from it."""
    return lambda lines: forged(lines, number, change)


def time_back(entry: StoredCommit) -> None:
    entry["commit"]["time"] = "2025-01-01T00:00:00.000Z"


def no_such_day(entry: StoredCommit) -> None:
    entry["commit"]["time"] = "2026-02-30T00:00:00.000Z"


def other_match(entry: StoredCommit) -> None:
    entry["commit"]["match"] = "z" * 26


def other_number(entry: StoredCommit) -> None:
    entry["commit"]["version"] = 99


def more_fields(entry: StoredCommit) -> None:
    entry["commit"]["more"] = 1  # type: ignore[typeddict-unknown-key]


def no_event_object(entry: StoredCommit) -> None:
    entry["commit"]["events"] = ["x"]  # type: ignore[list-item]


def other_rules(entry: StoredCommit) -> None:
    entry["commit"]["command"]["rules"] = "calimala/9"


def no_commitment(entry: StoredCommit) -> None:
    for message in (entry["commit"]["command"], entry["commit"]["events"][0]):
        message["commitment"] = ""


def other_commitment(entry: StoredCommit) -> None:
    for message in (entry["commit"]["command"], entry["commit"]["events"][0]):
        message["commitment"] = "0" * 64


def bound_elsewhere(entry: StoredCommit) -> None:
    for message in (entry["commit"]["command"], entry["commit"]["events"][0]):
        message["match"] = "z" * 26


def named_seat(entry: StoredCommit) -> None:
    for message in (entry["commit"]["command"], entry["commit"]["events"][0]):
        message["seats"][0]["name"] = "Ada"


def other_actor(entry: StoredCommit) -> None:
    entry["commit"]["actor"] = "invitation"


def part_of_nobody(entry: StoredCommit) -> None:
    entry["secrets"]["seat:9"] = {"salt": "00"}


def other_secret(entries: Entries) -> None:
    entries[-1]["commit"]["events"][-1]["secret"] = "0" * 64


def no_parts(entries: Entries) -> None:
    entries[-1]["commit"]["events"][-1]["parts"] = []


def one_part_less(entries: Entries) -> None:
    entries[-1]["commit"]["events"][-1]["parts"].pop("1")


def other_part(entries: Entries) -> None:
    entries[-1]["commit"]["events"][-1]["parts"]["1"]["house"]["salt"] = "00"


def changed_entries(change: Callable[[Entries], None]) -> Forgery:
    """Return a forgery that changes the revelation and mends the chain."""

    def forge(lines: list[bytes]) -> list[bytes]:
        return forged(lines, len(lines), lambda entry: change([entry]))

    return forge


def salted_otherwise(lines: list[bytes]) -> list[bytes]:
    """Give a part another salt, and mend digests, revelation and chain."""
    entries = entries_of(lines)
    for entry in entries[1:]:
        for part in entry["secrets"].values():
            part["salt"] = "00" * 32
    return mended(entries, leave=[SALTS])


FORGERIES: dict[str, Forgery] = {
    "a line less": without_line,
    "two lines swapped": swapped,
    "the revelation cut off": cut_short,
    "nothing at all": nothing,
    "no line feed at the end": last_line_unended,
    "a line twice": doubled,
    "another envelope": envelope_changed,
    "a time that runs back": changed_commit(30, time_back),
    "a day that there is not": changed_commit(30, no_such_day),
    "another match": changed_commit(30, other_match),
    "another number": changed_commit(30, other_number),
    "a field too many": changed_commit(30, more_fields),
    "an event that is a text": changed_commit(30, no_event_object),
    "rules that the command does not name": changed_commit(1, other_rules),
    "no commitment": changed_commit(1, no_commitment),
    "another commitment": changed_commit(1, other_commitment),
    "a secret bound to another match": changed_commit(1, bound_elsewhere),
    "a name in clear": changed_commit(1, named_seat),
    "an actor who could not act": changed_commit(30, other_actor),
    "another secret": changed_entries(other_secret),
    "no parts": changed_entries(no_parts),
    "a part less": changed_entries(one_part_less),
    "another part": changed_entries(other_part),
    "other salts": salted_otherwise,
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forgery_is_found_as_the_service_finds_it(name: str, tmp_path: Path) -> None:
    """The first bad commit and the code are those of the service's own audit."""
    lines = FORGERIES[name](lines_of("calimala"))

    found = fault_of(report_of(tmp_path, lines))

    assert found is not None
    assert found == fault(lines)


@pytest.mark.parametrize("game", RELEASED, ids=lambda game: game.rules)
def test_a_relabelled_record_is_found(game: Any, tmp_path: Path) -> None:
    """A bound match under another id is found where the service finds it."""
    for lines in relabelled_records(golden(game, "bound")):
        assert fault_of(report_of(tmp_path, lines)) == fault(lines)


def public_lines(lines: list[bytes]) -> list[bytes]:
    """Return what the public has of a match of which the revelation is still to come."""
    return [record.line(record.redact(entry, [])) for entry in entries_of(lines)[:-1]]


@of_short_records
def test_a_redacted_record_says_what_it_keeps(game: str, tmp_path: Path) -> None:
    """Of a match that is still on the chain is checked, and what is sealed is said."""
    lines = public_lines(lines_of(game))

    report = report_of(tmp_path, lines)

    assert report["verdict"] == "partly_checked"
    assert report["redacted"]
    assert report["counts"]["commits"] == len(lines)
    assert report["counts"]["opened"] == report["counts"]["salts"] == 0
    assert [what.split(":")[0] for what in report["unchecked"]] == [
        f"{report['counts']['sealed']} of {report['counts']['sealed']} secret parts",
        "the salts of secret parts and the seeds of the draws",
        "the end",
    ]


def test_the_server_vouches_for_the_end(tmp_path: Path) -> None:
    """With the head that its server shows, the end of a match that is still on is known."""
    lines = public_lines(lines_of("calimala"))
    last = entries_of(lines)[-1]
    head = {"version": len(lines), "hash": last["hash"]}

    known = report_of(tmp_path, lines, {"head": head})
    missing = report_of(tmp_path, lines[:-3], {"head": head})
    other = report_of(tmp_path, lines, {"head": {**head, "hash": "0" * 64}})

    assert not any(what.startswith("the end") for what in known["unchecked"])
    assert fault_of(missing) == (len(lines) - 3, "cut_short")
    assert fault_of(other) == (len(lines), "not_vouched")


@of_short_records
def test_what_was_shown_is_bound_to_the_chain(game: str, tmp_path: Path) -> None:
    """The public view of every version has the digest in its commit; another view has not."""
    lines = lines_of(game)
    shown = []
    for version, match in enumerate(views.matches(SHORT[game]), 1):
        state = None if match.state is None else match.game.view(match.state, None)
        shown.append({"version": version, "state": state})
    spoilt = [*shown[:40], {"version": 41, "state": shown[10]["state"]}, *shown[41:]]
    repeated = [*shown[:40], shown[39], *shown[41:]]

    right = report_of(tmp_path, lines, {"shown": shown})
    wrong = report_of(tmp_path, lines, {"shown": spoilt})
    without_one = report_of(tmp_path, lines, {"shown": repeated})

    assert right["verdict"] == "right"
    assert right["counts"]["views"] == len(lines)
    assert fault_of(wrong) == (41, "view_differs")
    assert fault_of(without_one) == (41, "view_differs")


@of_short_records
def test_what_was_not_shown_is_told(game: str, tmp_path: Path) -> None:
    """A server that shows the public nothing is not found right in that."""
    report = report_of(tmp_path, lines_of(game), {"unshown": "the service does not list it"})

    assert report["verdict"] == "partly_checked"
    assert report["unchecked"] == ["what the public is shown: the service does not list it"]


NASTY = (
    b"1.5",
    b"1e2",
    b"-0",
    b"9007199254740993",
    b'"\\ud800"',
    b'{"a":1,"a":1}',
    b"[" * 9999,
)


def test_what_is_not_canonical_is_refused(tmp_path: Path) -> None:
    """A fraction, a number too long, half a character and the like are no canonical JSON."""
    lines = lines_of("calimala")
    cases = []
    for index, value in enumerate(NASTY):
        spoilt = lines[1].replace(b'"seat":1', b'"seat":' + value, 1)
        path = written(tmp_path, [lines[0], spoilt, *lines[2:]], f"nasty-{index}")
        cases.append(Case(path))

    found = [fault_of(report) for report in reports(tmp_path, cases)]

    assert found == [(2, "not_canonical")] * len(NASTY)
