"""docs/fairness.md says enough to write an implementation from the page alone.

Such a one and the service agree on every vector.
"""

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
OTHER_ID = "z" * 26


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
    """Sections 1, 3, 4, 5, 6 and 8: bytes, hashes, digests, salts and seeds are the vectors'."""
    for vector in VECTORS["canonical"]:
        assert kit.canonical(vector["value"]).decode() == vector["text"]
        assert kit.digest(vector["value"]) == vector["sha256"]

    for vector in VECTORS["salts"]:
        key = bytes.fromhex(vector["secret"])
        assert kit.salt(key, vector["version"], vector["audience"]) == vector["salt"]

    for vector in VECTORS["seeds"]:
        key = bytes.fromhex(vector["secret"])
        assert seed(key, vector["entropy"], vector["version"]).hex() == vector["seed"]


def service_key(secret: str, match: str) -> bytes:
    return bound_key(bytes.fromhex(secret), match)


@pytest.mark.parametrize(
    ("kit", "seed", "key_of"),
    [
        pytest.param(LEDGER, draw_seed, service_key, id="service"),
        pytest.param(fairness, fairness.seed, fairness.key_of, id="page"),
    ],
)
def test_a_bound_match_has_a_key_of_its_own(kit: Any, seed: Any, key_of: Any) -> None:
    """Sections 5 and 6: secret and id make the key, which makes commitment, salts and seeds."""
    for vector in VECTORS["bound"]:
        key = key_of(vector["secret"], vector["match"])
        assert key.hex() == vector["key"]
        assert hashlib.sha256(key).hexdigest() == vector["commitment"]
        assert kit.salt(key, vector["version"], vector["audience"]) == vector["salt"]
        assert seed(key, vector["entropy"], vector["version"]).hex() == vector["seed"]


@pytest.mark.parametrize("stream", STREAMS)
def test_draws(stream: Any) -> None:
    """Section 7: numbers, also where some are passed over, things from a bag, and shuffles."""
    for vector in VECTORS["numbers"]:
        draws = stream(bytes.fromhex(vector["seed"]))
        numbers = [draws.below(int(bound)) for bound in vector["below"]]
        assert list(map(str, numbers)) == vector["results"]

    for vector in VECTORS["bags"]:
        draws = stream(bytes.fromhex(vector["seed"]))
        assert [draws.kind(counts) for counts in vector["counts"]] == vector["kinds"]

    for vector in VECTORS["shuffles"]:
        draws = stream(bytes.fromhex(vector["seed"]))
        assert draws.shuffled(vector["items"]) == vector["shuffled"]


def test_numbers_are_passed_over_in_the_vectors() -> None:
    """The vectors show rejection.

    With a bound just above half the range some numbers are not below the limit.
    """
    half = 2**255 + 1
    vector = next(vector for vector in VECTORS["numbers"] if str(half) in vector["below"])
    stream = fairness.Stream(bytes.fromhex(vector["seed"]))
    first_numbers = [next(stream.numbers) for _ in vector["below"]]
    assert any(number >= half for number in first_numbers)


def test_receipts() -> None:
    """Section 9: the signature of the vector is the service's, and good by the page."""
    vector = VECTORS["receipt"]
    private = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(vector["private"]))
    receipt = vector["receipt"]
    accepted = Accepted(**{name: receipt[name] for name in ("match", "version", "hash", "time")})
    assert sign_receipt(accepted, receipt["key"], private) == receipt

    check_receipt(receipt, [vector["key"]])
    fairness.check_signature(receipt, vector["key"]["public"])


def golden(game: Game[Any], kind: str) -> list[bytes]:
    """Return a golden record, "bound" to its match's id or "unbound"."""
    pattern = "*-bound-*" if kind == "bound" else "*-??.ndjson.gz"
    path = min((make.HOME / game.key).glob(pattern))
    return record.lines(gzip.decompress(path.read_bytes()))


# Relabellings that are found without playing the match again.
WITHOUT_PLAY = ("envelope", "field", "key")
BOTH = [
    pytest.param(game, kind, id=f"{game.rules}-{kind}")
    for game in RELEASED
    for kind in ("unbound", "bound")
]


@pytest.mark.parametrize(("game", "kind"), BOTH)
def test_a_whole_record_checks_by_the_page_alone(game: Game[Any], kind: str) -> None:
    """Sections 2 to 5: envelope, chain, parts, commitment and revelation of a golden record."""
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
    """By the page alone, too, a bound match's record is right under its own id and no other."""
    lines = golden(game, "bound")
    for how in WITHOUT_PLAY:
        with pytest.raises(AssertionError):
            fairness.check_record(relabelled(lines, OTHER_ID, how))


@pytest.mark.skipif(NODE is None, reason="node is not installed")
@pytest.mark.parametrize(("game", "kind"), BOTH)
def test_another_language_agrees(game: Game[Any], kind: str, tmp_path: Path) -> None:
    """The page's checker in JavaScript passes every vector and a golden record.

    It refuses changed ones.
    """
    lines = golden(game, kind)
    assert exit_code_of_node(tmp_path, lines) == 0

    changed_records = [lines[:5] + lines[6:]]
    if kind == "bound":
        changed_records += [relabelled(lines, OTHER_ID, how) for how in WITHOUT_PLAY]
    for changed in changed_records:
        assert exit_code_of_node(tmp_path, changed) == 1


def exit_code_of_node(directory: Path, lines: list[bytes]) -> int:
    """Return how the page's checker ends for a record: 0 right, 1 wrong."""
    path = directory / "record.ndjson"
    path.write_bytes(b"".join(lines))
    ran = run_checker([str(ROOT / "docs/fairness-vectors.json"), str(path)])
    return ran.returncode


def run_checker(arguments: list[str]) -> subprocess.CompletedProcess[str]:
    """Run the page's checker in JavaScript."""
    command = [NODE or "", str(ROOT / "docs/fairness.mjs"), *arguments]
    return subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)


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
    """Without a file, or with one that is not there, it tells what to give.

    It ends with 2, which does not mean "wrong".
    """
    ran = run_checker(arguments)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith(told)
