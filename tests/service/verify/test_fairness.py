"""docs/fairness.md says enough: the service and an implementation written from the page alone agree on every vector."""

import gzip
import hashlib
import json
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from domain.chance import Draws, bound_key, draw_seed, pick, shuffled
from domain.game import Game
from domain.games import RELEASED
from service.ledger import record
from service.ledger.canonical import canonical, digest
from service.ledger.receipts import Accepted, check_receipt, sign_receipt
from service.ledger.secrets import salt
from tests.attacks.forging import relabelled
from tests.records import make
from tests.service.verify import fairness

ROOT = Path(__file__).parents[3]
VECTORS: dict[str, Any] = json.loads((ROOT / "docs" / "fairness-vectors.json").read_text())
NODE = shutil.which("node")


class Service(Draws):
    """The service's draws under the names of the page."""

    def kind(self, counts: list[int]) -> int:
        return pick(self, counts)

    def shuffled(self, items: list[Any]) -> list[Any]:
        return shuffled(self, items)


LEDGER = SimpleNamespace(canonical=canonical, digest=digest, salt=salt)
STREAMS = [pytest.param(Service, id="service"), pytest.param(fairness.Stream, id="page")]
KITS = [
    pytest.param(LEDGER, draw_seed, id="service"),
    pytest.param(fairness, fairness.seed, id="page"),
]


@pytest.mark.parametrize(("kit", "seed"), KITS)
def test_canonical_json_digests_salts_and_seeds(kit: Any, seed: Any) -> None:
    """Sections 1, 3, 4, 5, 6 and 8: bytes, hashes, digests, salts and seeds are those of the vectors."""
    for one in VECTORS["canonical"]:
        assert kit.canonical(one["value"]).decode() == one["text"]
        assert kit.digest(one["value"]) == one["sha256"]
    for one in VECTORS["salts"]:
        assert (
            kit.salt(bytes.fromhex(one["secret"]), one["version"], one["audience"]) == one["salt"]
        )
    for one in VECTORS["seeds"]:
        assert (
            seed(bytes.fromhex(one["secret"]), one["entropy"], one["version"]).hex() == one["seed"]
        )


def _service_key(secret: str, match: str) -> bytes:
    return bound_key(bytes.fromhex(secret), match)


@pytest.mark.parametrize(
    ("kit", "seed", "key_of"),
    [
        pytest.param(LEDGER, draw_seed, _service_key, id="service"),
        pytest.param(fairness, fairness.seed, fairness.key_of, id="page"),
    ],
)
def test_a_bound_match_has_a_key_of_its_own(kit: Any, seed: Any, key_of: Any) -> None:
    """Sections 5 and 6: secret and id make the key, and that the commitment, the salts and the seeds."""
    for one in VECTORS["bound"]:
        key = key_of(one["secret"], one["match"])
        assert key.hex() == one["key"]
        assert hashlib.sha256(key).hexdigest() == one["commitment"]
        assert kit.salt(key, one["version"], one["audience"]) == one["salt"]
        assert seed(key, one["entropy"], one["version"]).hex() == one["seed"]


@pytest.mark.parametrize("stream", STREAMS)
def test_draws(stream: Any) -> None:
    """Section 7: numbers, also where some are passed over, things from a bag, and shuffles."""
    for one in VECTORS["numbers"]:
        draws = stream(bytes.fromhex(one["seed"]))
        assert [str(draws.below(int(n))) for n in one["below"]] == one["results"]
    for one in VECTORS["bags"]:
        draws = stream(bytes.fromhex(one["seed"]))
        assert [draws.kind(counts) for counts in one["counts"]] == one["kinds"]
    for one in VECTORS["shuffles"]:
        assert stream(bytes.fromhex(one["seed"])).shuffled(one["items"]) == one["shuffled"]


def test_numbers_are_passed_over_in_the_vectors() -> None:
    """The vectors show rejection: with a bound just above half the range some numbers are not below the limit."""
    half = 2**255 + 1
    one = next(one for one in VECTORS["numbers"] if str(half) in one["below"])
    stream = fairness.Stream(bytes.fromhex(one["seed"]))
    first = [next(stream.numbers) for _ in one["below"]]
    assert any(number >= half for number in first)


def test_receipts() -> None:
    """Section 9: the signature of the vector is the service's, and good by the page."""
    one = VECTORS["receipt"]
    private = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(one["private"]))
    receipt = one["receipt"]
    accepted = Accepted(**{name: receipt[name] for name in ("match", "version", "hash", "time")})
    assert sign_receipt(accepted, receipt["key"], private) == receipt
    check_receipt(receipt, [one["key"]])
    fairness.check_signature(receipt, one["key"]["public"])


def golden(game: Game[Any], kind: str) -> list[bytes]:
    """Return a golden record, "bound" to its match's id or "unbound"."""
    path = min((make.HOME / game.key).glob("*-bound-*" if kind == "bound" else "*-??.ndjson.gz"))
    return record.lines(gzip.decompress(path.read_bytes()))


WITHOUT_PLAY = (
    "envelope",
    "field",
    "key",
)  # relabellings that are found without playing the match again
BOTH = [
    pytest.param(game, kind, id=f"{game.rules}-{kind}")
    for game in RELEASED
    for kind in ("unbound", "bound")
]


@pytest.mark.parametrize(("game", "kind"), BOTH)
def test_a_whole_record_checks_by_the_page_alone(game: Game[Any], kind: str) -> None:
    """Sections 2 to 5: envelope, chain, secret parts, commitment and revelation of a golden record."""
    fairness.check_record(golden(game, kind))


@pytest.mark.parametrize(("game", "kind"), BOTH)
def test_the_page_finds_a_changed_record(game: Game[Any], kind: str) -> None:
    """The second implementation is no yes-man: it refuses a record with one digit changed."""
    lines = golden(game, kind)
    lines[3] = lines[3].replace(b'"version":4', b'"version":5')
    with pytest.raises(AssertionError):
        fairness.check_record(lines)


@pytest.mark.parametrize("game", RELEASED, ids=lambda game: game.rules)
def test_the_page_finds_a_relabelled_record(game: Game[Any]) -> None:
    """By the page alone, too, the record of a bound match is right under its own id and under no other."""
    lines = golden(game, "bound")
    for how in WITHOUT_PLAY:
        with pytest.raises(AssertionError):
            fairness.check_record(relabelled(lines, "z" * 26, how))


@pytest.mark.skipif(NODE is None, reason="node is not installed")
@pytest.mark.parametrize(("game", "kind"), BOTH)
def test_another_language_agrees(game: Game[Any], kind: str, tmp_path: Path) -> None:
    """The page's checker in JavaScript passes every vector and a golden record, and refuses changed ones."""
    lines = golden(game, kind)
    spoilt = [lines[:5] + lines[6:]]
    if kind == "bound":
        spoilt += [relabelled(lines, "z" * 26, how) for how in WITHOUT_PLAY]
    assert [_node(tmp_path, one) for one in (lines, *spoilt)] == [0] + [1] * len(spoilt)


def _node(directory: Path, lines: list[bytes]) -> int:
    path = directory / "record.ndjson"
    path.write_bytes(b"".join(lines))
    command = [
        NODE or "",
        str(ROOT / "docs/fairness.mjs"),
        str(ROOT / "docs/fairness-vectors.json"),
        str(path),
    ]
    return subprocess.run(command, check=False, capture_output=True, timeout=60).returncode


@pytest.mark.skipif(NODE is None, reason="node is not installed")
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "usage: node fairness.mjs VECTORS [RECORD]"),
        (["a", "b", "c"], "usage: node fairness.mjs VECTORS [RECORD]"),
        (["no-such-file.json"], "cannot read no-such-file.json"),
    ],
    ids=["nothing", "too much", "no file"],
)
def test_the_checker_in_javascript_says_what_it_needs(arguments: list[str], told: str) -> None:
    """Without a file, or with one that is not there, it tells what to give and ends with 2, not with "wrong"."""
    command = [NODE or "", str(ROOT / "docs/fairness.mjs"), *arguments]
    ran = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith(told)
