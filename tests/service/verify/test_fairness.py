"""docs/fairness.md says enough to write an implementation from the page alone.

Such a one and the service agree on every vector.
"""

import hashlib
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import orjson
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from domain.chance import Draws, bound_key, draw_seed, pick, shuffled
from domain.game import Game
from domain.games import RELEASED
from service.ledger.codec import salt
from service.ledger.commit import NotCanonical, canonical, check_values, digest
from service.ledger.record import Accepted, check_receipt, sign_receipt
from tests.service.verify import fairness
from tests.service.verify.golden import golden, of_both_kinds, relabelled_records

ROOT = Path(__file__).parents[3]
VECTORS: dict[str, Any] = json.loads((ROOT / "docs" / "fairness-vectors.json").read_text())

Json = dict[str, Any]


class Service(Draws):
    """The service's draws under the names of the page."""

    def kind(self, counts: list[int]) -> int:
        return pick(self, counts)

    def shuffled(self, items: list[Any]) -> list[Any]:
        return shuffled(self, items)


def service_key(secret: str, match: str) -> bytes:
    """Return the key of a bound match; secret: in hex."""
    return bound_key(bytes.fromhex(secret), match)


def service_takes(text: str) -> bool:
    """Return whether the service takes a text as canonical JSON."""
    try:
        value = orjson.loads(text)
        check_values(value)
    except (orjson.JSONDecodeError, NotCanonical):
        return False
    return canonical(value) == text.encode()


# What the service reckons with, under the names of the page.
LEDGER = SimpleNamespace(
    canonical=canonical,
    is_canonical=service_takes,
    digest=digest,
    salt=salt,
    seed=draw_seed,
    key_of=service_key,
)

WITH_KIT = pytest.mark.parametrize(
    "kit",
    [
        pytest.param(LEDGER, id="service"),
        pytest.param(fairness, id="page"),
    ],
)


@WITH_KIT
@pytest.mark.parametrize("vector", VECTORS["canonical"])
def test_canonical_json_and_digests(kit: Any, vector: Json) -> None:
    """Sections 1, 3 and 8: bytes and their hashes are the vectors'."""
    assert kit.canonical(vector["value"]).decode() == vector["text"]
    assert kit.digest(vector["value"]) == vector["sha256"]


@WITH_KIT
@pytest.mark.parametrize("text", VECTORS["not_canonical"], ids=lambda text: text[:20])
def test_what_is_not_canonical_json(kit: Any, text: str) -> None:
    """Section 1: what is no JSON, is written otherwise, or holds what no record may hold."""
    assert not kit.is_canonical(text)


@WITH_KIT
def test_every_canonical_text_is_taken(kit: Any) -> None:
    """The refusal above is no refusal of everything, and the greatest depth is still taken."""
    for vector in VECTORS["canonical"]:
        assert kit.is_canonical(vector["text"])
    assert kit.is_canonical("[" * 64 + "]" * 64)


@WITH_KIT
@pytest.mark.parametrize("vector", VECTORS["salts"])
def test_salts(kit: Any, vector: Json) -> None:
    """Section 4: the salts are the vectors'."""
    key = bytes.fromhex(vector["secret"])

    assert kit.salt(key, vector["version"], vector["audience"]) == vector["salt"]


@WITH_KIT
@pytest.mark.parametrize("vector", VECTORS["seeds"])
def test_seeds(kit: Any, vector: Json) -> None:
    """Section 6: the seeds of draws are the vectors'."""
    key = bytes.fromhex(vector["secret"])

    assert kit.seed(key, vector["entropy"], vector["version"]).hex() == vector["seed"]


@WITH_KIT
@pytest.mark.parametrize("vector", VECTORS["bound"])
def test_a_bound_match_has_a_key_of_its_own(kit: Any, vector: Json) -> None:
    """Sections 5 and 6: secret and id make the key, which makes commitment, salts and seeds."""
    version = vector["version"]

    key = kit.key_of(vector["secret"], vector["match"])
    commitment = hashlib.sha256(key).hexdigest()
    salt_of_part = kit.salt(key, version, vector["audience"])
    seed_of_draws = kit.seed(key, vector["entropy"], version)

    assert key.hex() == vector["key"]
    assert commitment == vector["commitment"]
    assert salt_of_part == vector["salt"]
    assert seed_of_draws.hex() == vector["seed"]


WITH_STREAM = pytest.mark.parametrize(
    "stream",
    [
        pytest.param(Service, id="service"),
        pytest.param(fairness.Stream, id="page"),
    ],
)


@WITH_STREAM
@pytest.mark.parametrize("vector", VECTORS["numbers"])
def test_drawn_numbers(stream: Any, vector: Json) -> None:
    """Section 7: numbers below a bound, also where some are passed over."""
    draws = stream(bytes.fromhex(vector["seed"]))

    numbers = [draws.below(int(bound)) for bound in vector["below"]]

    assert [str(number) for number in numbers] == vector["results"]


@WITH_STREAM
@pytest.mark.parametrize("vector", VECTORS["bags"])
def test_things_drawn_from_a_bag(stream: Any, vector: Json) -> None:
    """Section 7: a thing of some kind, each as likely as it is frequent."""
    draws = stream(bytes.fromhex(vector["seed"]))

    assert [draws.kind(counts) for counts in vector["counts"]] == vector["kinds"]


@WITH_STREAM
@pytest.mark.parametrize("vector", VECTORS["shuffles"])
def test_shuffles(stream: Any, vector: Json) -> None:
    """Section 7: things in a drawn order."""
    draws = stream(bytes.fromhex(vector["seed"]))

    assert draws.shuffled(vector["items"]) == vector["shuffled"]


def test_numbers_are_passed_over_in_the_vectors() -> None:
    """The vectors show rejection.

    With a bound just above half the range some numbers are not below the limit.
    """
    half = 2**255 + 1
    vector, *_ = [vector for vector in VECTORS["numbers"] if str(half) in vector["below"]]
    stream = fairness.Stream(bytes.fromhex(vector["seed"]))

    first_numbers = [next(stream.numbers) for _ in vector["below"]]

    assert any(number >= half for number in first_numbers)


RECEIPT = VECTORS["receipt"]


def test_the_service_signs_as_the_page_says() -> None:
    """Section 9: the signature of the vector is the service's."""
    private = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(RECEIPT["private"]))
    receipt = RECEIPT["receipt"]
    accepted = Accepted(
        match=receipt["match"],
        version=receipt["version"],
        hash=receipt["hash"],
        time=receipt["time"],
    )

    assert sign_receipt(accepted, receipt["key"], private) == receipt


def test_a_receipt_is_good_by_service_and_page() -> None:
    """Section 9: both take the signature of the vector."""
    receipt = RECEIPT["receipt"]
    key = RECEIPT["key"]

    check_receipt(receipt, [key])
    fairness.check_signature(receipt, key["public"])


@of_both_kinds
def test_a_whole_record_checks_by_the_page_alone(game: Game[Any], kind: str) -> None:
    """Sections 2 to 5: envelope, chain, parts, commitment and revelation of a golden record."""
    fairness.check_record(golden(game, kind))


@of_both_kinds
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

    for forged_lines in relabelled_records(lines):
        with pytest.raises(AssertionError):
            fairness.check_record(forged_lines)
