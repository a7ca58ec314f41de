"""The record format and its proofs: service and checker agree with the published vectors.

The checker is docs/fairness.mjs: another implementation, written from the pages alone.
"""

import hashlib
import json
import re
import subprocess
from pathlib import Path
from typing import Any

import orjson
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from domain import wire
from domain.chance import Draws, bound_key, draw_seed, move_seed, pick, shuffled
from domain.game import Game
from domain.games import GAMES, RELEASED
from domain.match import messages
from domain.match.state import Seat
from service.record import record, signatures
from service.record.codec import salt
from service.record.commit import NotCanonical, canonical, check_values, digest
from service.record.record import check_receipt
from service.record.verify import match_commands
from service.store.keys.signer import Accepted, sign_receipt
from tests.attacks.forging import entries_of
from tests.records import make
from tests.service.record.verify import page_tables
from tests.service.record.verify.node import (
    golden,
    of_both_kinds,
    relabelled_records,
    run_node,
    with_node,
)

DOCS = Path(__file__).parents[4] / "docs"
VECTORS_FILE = DOCS / "fairness-vectors.json"
VECTORS: dict[str, Any] = json.loads(VECTORS_FILE.read_text())
CHECKER = DOCS / "fairness.mjs"

Json = dict[str, Any]

# ---- the service's own figures -------------------------------------------------------------------


def takes(text: str) -> bool:
    """Return True if the service accepts a text as canonical JSON."""
    try:
        value = orjson.loads(text)
        check_values(value)
    except (orjson.JSONDecodeError, NotCanonical):
        return False
    return canonical(value) == text.encode()


@pytest.mark.parametrize("vector", VECTORS["canonical"])
def test_canonical_json_and_digests(vector: Json) -> None:
    """Sections 1, 3 and 8: bytes and hashes equal those of the vectors."""
    assert canonical(vector["value"]).decode() == vector["text"]
    assert digest(vector["value"]) == vector["sha256"]
    assert takes(vector["text"])


@pytest.mark.parametrize("text", VECTORS["not_canonical"], ids=lambda text: text[:20])
def test_malformed_canonical_json_is_refused(text: str) -> None:
    """Section 1: no JSON, JSON in another form, and forbidden values are refused."""
    assert not takes(text)


def test_the_greatest_depth_is_taken() -> None:
    """Section 1: 64 nested lists are accepted."""
    assert takes("[" * 64 + "]" * 64)


@pytest.mark.parametrize("vector", VECTORS["salts"])
def test_salts(vector: Json) -> None:
    """Section 4: the salts equal those of the vectors."""
    key = bytes.fromhex(vector["secret"])

    assert salt(key, vector["version"], vector["audience"]) == vector["salt"]


@pytest.mark.parametrize("vector", VECTORS["seeds"])
def test_seeds(vector: Json) -> None:
    """Section 6: the seeds of draws by versions equal those of the vectors."""
    key = bytes.fromhex(vector["secret"])

    assert draw_seed(key, vector["entropy"], vector["version"]).hex() == vector["seed"]


@pytest.mark.parametrize("vector", VECTORS["move_seeds"])
def test_seeds_by_moves(vector: Json) -> None:
    """Section 6: the seeds of draws by moves equal those of the vectors."""
    key = bytes.fromhex(vector["secret"])

    assert move_seed(key, vector["entropy"], vector["moves"]).hex() == vector["seed"]


@pytest.mark.parametrize("vector", VECTORS["bound"])
def test_a_bound_match_has_a_key_of_its_own(vector: Json) -> None:
    """Sections 5 and 6: the key follows from secret and id.

    Commitment, salt and seed follow from it.
    """
    version = vector["version"]

    key = bound_key(bytes.fromhex(vector["secret"]), vector["match"])

    assert key.hex() == vector["key"]
    assert hashlib.sha256(key).hexdigest() == vector["commitment"]
    assert salt(key, version, vector["audience"]) == vector["salt"]
    assert draw_seed(key, vector["entropy"], version).hex() == vector["seed"]


@pytest.mark.parametrize("vector", VECTORS["numbers"])
def test_drawn_numbers(vector: Json) -> None:
    """Section 7: drawn numbers below a bound equal those of the vectors."""
    draws = Draws(bytes.fromhex(vector["seed"]))

    numbers = [draws.below(int(bound)) for bound in vector["below"]]

    assert [str(number) for number in numbers] == vector["results"]


def test_numbers_are_passed_over_in_the_vectors() -> None:
    """Section 7: a bound of the vectors is just above half the range, so a number is rejected."""
    half = 2**255 + 1
    vector, *_ = [vector for vector in VECTORS["numbers"] if str(half) in vector["below"]]
    seed = bytes.fromhex(vector["seed"])

    blocks = [hashlib.sha256(seed + number.to_bytes(8, "big")).digest() for number in range(9)]

    first_numbers = [int.from_bytes(block, "big") for block in blocks[: len(vector["below"])]]
    assert any(number >= half for number in first_numbers)


@pytest.mark.parametrize("vector", VECTORS["bags"])
def test_things_drawn_from_a_bag(vector: Json) -> None:
    """Section 7: drawn kinds equal those of the vectors."""
    draws = Draws(bytes.fromhex(vector["seed"]))

    assert [pick(draws, counts) for counts in vector["counts"]] == vector["kinds"]


@pytest.mark.parametrize("vector", VECTORS["shuffles"])
def test_shuffles(vector: Json) -> None:
    """Section 7: shuffled lists equal those of the vectors."""
    draws = Draws(bytes.fromhex(vector["seed"]))

    assert shuffled(draws, vector["items"]) == vector["shuffled"]


def test_the_service_signs_as_the_page_says() -> None:
    """Section 9: the service signs as in the vector, with plain Ed25519 (RFC 8032)."""
    vector = VECTORS["receipt"]
    private = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(vector["private"]))
    receipt = vector["receipt"]
    fields = {name: receipt[name] for name in Accepted.__slots__}

    assert sign_receipt(Accepted(**fields), receipt["key"], private) == receipt
    check_receipt(receipt, [vector["key"]])
    signed = {name: value for name, value in receipt.items() if name != "signature"}
    private.public_key().verify(bytes.fromhex(receipt["signature"]), canonical(signed))


@pytest.mark.parametrize("vector", VECTORS["seat_keys"], ids=lambda one: one["key"][:8])
def test_keys_that_can_be_those_of_a_seat(vector: Json) -> None:
    """Section 12: a key is a point in canonical encoding, not of small order."""
    assert signatures.is_key(vector["key"]) is vector["good"]


@pytest.mark.parametrize("vector", VECTORS["signatures"], ids=lambda one: one["text"][:24])
def test_a_seat_signs_the_text_of_the_vectors(vector: Json) -> None:
    """Section 12: signed texts and verdicts on signatures equal those of the vectors."""
    signed = vector["signed"]
    text = signatures.text_to_sign(**signed)
    is_right = signatures.is_key(signed["key"]) and signatures.fits(
        signed["key"], vector["signature"], text
    )

    assert text.decode() == vector["text"]
    assert is_right is vector["good"]


@pytest.mark.parametrize("vector", VECTORS["proofs"])
def test_a_key_signs_joins_and_openings_as_in_the_vectors(vector: Json) -> None:
    """Section 12: proofs of joins and of openings equal those of the vectors."""
    if "join" in vector:
        signed = vector["join"]
        text = signatures.join_text(**signed)
    else:
        signed = vector["opening"]
        text = signatures.opening_text(**signed)

    assert text.decode() == vector["text"]
    assert signatures.fits(signed["key"], vector["signature"], text) is vector["good"]


# ---- what the page, browsers and the service name alike ------------------------------------------

PAGES = (DOCS / "reference/record.md", DOCS / "reference/proofs.md")
SECTIONS = {
    int(number): text
    for page in PAGES
    for number, text in re.findall(
        r"^## (\d+)\.(.*?)(?=^## |\Z)", page.read_text(), re.DOTALL | re.MULTILINE
    )
}
VERIFIERS = DOCS.parent / "page" / "static" / "verify"


def test_browsers_have_the_tables_of_the_match() -> None:
    """`make openapi` writes the module again after a change to domain/match/messages.py."""
    assert page_tables.FILE.read_text(encoding="utf-8") == page_tables.module()


def rows_under(section: int, head: str) -> list[list[list[str]]]:
    """Return the words in `code` of a table on the page, by row and cell."""
    _, _, table = SECTIONS[section].partition(f"\n| {head} |\n")
    rows = table.split("\n\n")[0].splitlines()[1:]
    return [[re.findall(r"`([^`]+)`", cell) for cell in row.split("|")[1:-1]] for row in rows]


# The words of an actor on the page, if it is not the actor's own name.
WORDS_OF_ACTORS = {
    messages.ANY_SEAT: {"seat:N"},
    messages.HOLDER: {"holder", "seat:N"},
    messages.SEAT: {"seat"},
}


def test_actors_of_commands_are_listed_alike() -> None:
    """Section 2: a command that is not listed has the actor of the general rule."""
    *rows, _general = rows_under(2, "`type` of `command` | `actor`")

    assert {tag for tags, _ in rows for tag in tags} == match_commands.ACTORS.keys()
    for tags, words in rows:
        actors = {actor for tag in tags for actor in match_commands.ACTORS[tag]}
        expected = set().union(*(WORDS_OF_ACTORS.get(actor, {actor}) for actor in actors))
        # `run_out` is the house's, although it has the field `seat`.
        assert set(words) - expected == ({"seat"} if tags == ["run_out"] else set())
        assert expected <= set(words)


def test_events_that_commands_cause_first_are_listed_alike() -> None:
    """Section 2: the page lists first events, and the members of only the command or the event."""
    rows = rows_under(2, "command | event 0 | only in the command | only in event 0")
    listed = {
        command: (event, tuple(in_command), tuple(in_event))
        for commands, [event], in_command, in_event in rows
        for command in commands
    }

    assert listed == match_commands.FIRST_EVENTS


def test_commands_that_change_the_seated_are_listed_alike() -> None:
    """Section 2: the page lists the only commands whose commits may have such an event."""
    rows = rows_under(2, "event | command")

    assert {event: tuple(commands) for [event], commands in rows} == match_commands.SEATED_BY


def test_the_events_of_a_match_are_told_from_its_games_alike() -> None:
    """Section 6: draws go by moves of the game, so the page lists all events of the match (M10)."""
    [listed] = re.findall(
        r"unless its `type` is one of these: (.*?)\. Where", SECTIONS[6], re.DOTALL
    )

    assert set(re.findall(r"`(\w+)`", listed)) == messages.EVENTS.keys()


@pytest.mark.parametrize("command", sorted(messages.COMMANDS))
def test_a_seat_of_a_bot_signs_the_commands_of_its_human(command: str) -> None:
    """M18: beside a bot only the human's commands are signed, not the house's or the owner's."""
    seat = Seat("bot", "greedy", name="", entropy="", key="00" * 32)
    assert seat.signs(command) is (command in messages.OF_HUMANS)


def test_commands_signed_beside_a_bot_are_listed_alike() -> None:
    """Section 12: the page lists all commands of humans outside the game (M18)."""
    [listed] = re.findall(r"^    (leave .*?)\n\n", SECTIONS[12], re.DOTALL | re.MULTILINE)

    assert set(listed.split()) == set(messages.OF_HUMANS)


def test_released_rules_hide_alike_in_browsers() -> None:
    """Section 12: browsers and Node know the released rules, and the secrets of each."""
    [written] = re.findall(
        r"const KNOWN = new Map\((.*?)\);", (VERIFIERS / "rules.js").read_text(), re.DOTALL
    )
    listed = re.sub(r"(\w+):", r'"\1":', re.sub(r",(\s*\])", r"\1", written))

    assert json.loads(listed) == [
        [game.rules, {"hides": list(game.hides), "views": game.view_version}] for game in RELEASED
    ]


def test_no_command_of_the_match_hides_anything_from_seats() -> None:
    """M18: of the match's commands only `open` has a secret field, for the house."""
    hiding = {
        tag: audience
        for tag, command in messages.COMMANDS.items()
        for _, audience in wire.secret_fields(command)
    }

    assert hiding == {"open": "house"}


# ---- the page's checker --------------------------------------------------------------------------


def run_checker(*arguments: Path) -> subprocess.CompletedProcess[str]:
    """Run the page's checker."""
    return run_node(str(CHECKER), *map(str, arguments))


def verdicts(directory: Path, *records: list[bytes]) -> list[str]:
    """Return the verdicts of the page's checker on records: "right" or "wrong"."""
    paths = []
    for number, lines in enumerate(records):
        path = directory / f"{number}.ndjson"
        path.write_bytes(b"".join(lines))
        paths.append(path)

    output = run_checker(VECTORS_FILE, *paths).stdout.splitlines()
    assert output[0].endswith(": right"), "the vectors"
    return [line.split(": ")[1] for line in output[1:]]


@pytest.mark.whole
@with_node
@of_both_kinds
def test_the_checker_agrees_on_vectors_and_records(
    game: Game[Any], kind: str, tmp_path: Path
) -> None:
    """A golden record is right. Without one of its commits, or with a changed one, it is wrong."""
    lines = golden(game, kind)
    without_a_line = [*lines[:5], *lines[6:]]
    changed = [*lines[:3], lines[3].replace(b'"version":4', b'"version":5'), *lines[4:]]

    assert verdicts(tmp_path, lines, without_a_line, changed) == ["right", "wrong", "wrong"]


@pytest.mark.whole
@with_node
@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.key)
def test_the_checker_takes_records_by_match_rules_2(game: Game[Any], tmp_path: Path) -> None:
    """Records with joint draws, with a clock and a resignation, and with proven keys are right."""
    paths = (make.newest_path(game), make.clocked_path(game), make.proven_path(game))

    assert verdicts(tmp_path, *map(make.lines_in, paths)) == ["right"] * 3


@with_node
@pytest.mark.parametrize("game", make.ABUSED, ids=lambda game: game.key)
def test_the_checker_takes_abuses_by_match_rules_1(game: Game[Any], tmp_path: Path) -> None:
    """M17: records of a clock run down by another player and of repeated requests are right."""
    paths = (make.abused_clock_path(game), make.abused_asks_path(game))

    assert verdicts(tmp_path, *map(make.lines_in, paths)) == ["right", "right"]


@with_node
@pytest.mark.parametrize("game", RELEASED, ids=lambda game: game.rules)
def test_the_checker_refuses_a_relabelled_record(game: Game[Any], tmp_path: Path) -> None:
    """M10: a bound match is right under its own id and no other."""
    relabelled = relabelled_records(golden(game, "bound"))

    assert verdicts(tmp_path, *relabelled) == ["wrong"] * len(relabelled)


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """Files of each sort, by name."""
    lines = golden(RELEASED[0], "unbound")
    public = [record.line(record.redact(entry, [])) for entry in entries_of(lines)[:-1]]
    vectors = VECTORS_FILE.read_text()
    contents = {
        "right": b"".join(lines),
        "wrong": b"".join([*lines[:5], *lines[6:]]),
        "partly checked": b"".join(public),
        "examples": vectors.encode(),
        "other examples": vectors.replace("6789", "9876").encode(),
        "no examples": b'{"canonical":[{}],"salts":5}',
        "no record": b"# A text\n",
        "no JSON": b'{"data":',
        "nothing": b"",
    }
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    return {name: tmp_path / name for name in [*contents, "missing"]}


# The given files, the message about each in their order, and the exit code.
RUNS = [
    (["right"], ["right"], 0),
    (["wrong"], ["wrong: commit 6: commit 7 is in the place of commit 6"], 1),
    (["partly checked"], ["partly checked: not checked: "], 3),
    (["examples"], ["right"], 0),
    (["other examples"], ["wrong: example "], 1),
    (["examples", "right"], ["examples: right", "right: right"], 0),
    (["right", "examples"], ["right: right", "examples: right"], 0),
    (["right", "missing"], ["right: right"], 2),
    (["missing", "wrong", "right"], ["wrong: wrong: commit 6", "right: right"], 1),
    (["missing", "partly checked"], ["partly checked: partly checked: "], 2),
    # An unreadable file is not called wrong, since that is a verdict on a record.
    (["missing"], [], 2),
    (["no examples"], [], 2),
    (["no record"], [], 2),
    (["no JSON"], [], 2),
    (["nothing"], [], 2),
]


@pytest.mark.whole
@with_node
@pytest.mark.parametrize(
    ("names", "beginnings", "end"), RUNS, ids=[" ".join(run[0]) for run in RUNS]
)
def test_each_file_is_known_by_its_content(
    files: dict[str, Path], names: list[str], beginnings: list[str], end: int
) -> None:
    """A record needs no file of examples beside it, and the exit code is that of the worst file."""
    ran = run_checker(*(files[name] for name in names))

    lines = ran.stdout.replace(f"{files['right'].parent}/", "").splitlines()
    assert ran.returncode == end, ran.stderr
    for line, beginning in zip(lines, beginnings, strict=True):
        assert line.startswith(beginning)
    if len(beginnings) < len(names):
        [unread] = [name for name in names if not any(line.startswith(name) for line in lines)]
        assert ran.stderr.startswith(f"{files[unread]}: cannot be read: ")


@with_node
def test_without_a_file_the_checker_tells_its_usage() -> None:
    """Without a file the checker prints its usage and ends with 2."""
    ran = run_checker()

    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith("usage: node fairness.mjs FILE...")
