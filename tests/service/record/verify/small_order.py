"""Points of small order as keys and first halves of signatures, in every possible encoding.

The curve is x^2 * -1 + y^2 = 1 + D * x^2 * y^2 over the numbers below PRIME (RFC 8032, 5.1). It has
eight points of small order. Those with a y of 0, 1 or -1 can be written in more than one way. If a
verifier accepts such a key, some signatures fit any text. So verifiers are compared on all pairs of
such keys and such first halves of signatures (ZIP 215).
"""

import hashlib
from collections.abc import Iterator
from functools import cache
from itertools import product

from service.record.signatures import ORDER, PRIME

Point = tuple[int, int]

Case = tuple[str, str, str]  # a key and a signature, in hex, and a text

TEXT = "Zcash"
NOTHING: Point = (0, 1)
D = -121665 * pow(121666, -1, PRIME) % PRIME
ROOT_OF_MINUS_ONE = pow(2, (PRIME - 1) // 4, PRIME)


def added(one: Point, other: Point) -> Point:
    """Return the sum of two points."""
    (x1, y1), (x2, y2) = one, other
    product_of_all = D * x1 * x2 * y1 * y2 % PRIME
    x = (x1 * y2 + x2 * y1) * pow(1 + product_of_all, -1, PRIME)
    y = (y1 * y2 + x1 * x2) * pow(1 - product_of_all, -1, PRIME)
    return x % PRIME, y % PRIME


def times(number: int, point: Point) -> Point:
    """Return a point added to itself so many times."""
    result = NOTHING
    for bit in f"{number:b}":
        result = added(result, result)
        if bit == "1":
            result = added(result, point)
    return result


def points_at(y: int) -> Iterator[Point]:
    """Yield the points with a y, if there are any."""
    square = (y * y - 1) * pow(D * y * y + 1, -1, PRIME) % PRIME
    root = pow(square, (PRIME + 3) // 8, PRIME)
    if root * root % PRIME != square:
        root = root * ROOT_OF_MINUS_ONE % PRIME
    if root * root % PRIME == square:
        yield from {(root, y), (-root % PRIME, y)}


@cache
def points_of_small_order() -> frozenset[Point]:
    """Return the eight points that, added to themselves eight times, are the neutral element.

    Any point of the curve, added to itself ORDER times, is one of these eight.
    """
    points: set[Point] = set()
    y = 2
    while len(points) < 8:
        points |= {times(ORDER, point) for point in points_at(y)}
        y += 1
    return frozenset(points)


def encodings() -> list[bytes]:
    """Return the fourteen encodings of the points: y in 32 bytes, the sign of x in the top bit.

    A y below 19 can be written as a greater number, too, and an x of 0 with any sign.
    """
    return sorted(
        (written | sign << 255).to_bytes(32, "little")
        for x, y in points_of_small_order()
        for written in (y, y + PRIME)
        if written < 2**255
        for sign in ({0, 1} if x == 0 else {x & 1})
    )


def pairs() -> list[Case]:
    """Return all 196 pairs of a key and a signature with 0 as its second half."""
    return [
        (key.hex(), first_half.hex() + "00" * 32, TEXT)
        for key, first_half in product(encodings(), repeat=2)
    ]


# ---- keys with a part of small order -------------------------------------------------------------

PRIVATE, NONCE = 3, 5  # any numbers
BASE = next(point for point in points_at(4 * pow(5, -1, PRIME) % PRIME) if point[0] % 2 == 0)


def mixed(count: int) -> list[Case]:
    """Return signatures by a mixed key: the sum of a usual one and of a point of small order.

    Verifiers that multiply by 8 would accept all, others only the few in which that point
    vanishes.
    """
    small = next(point for point in points_of_small_order() if times(4, point) != NOTHING)
    key = written(added(times(PRIVATE, BASE), small))
    first_half = written(times(NONCE, BASE))
    cases = []
    for number in range(count):
        text = f"text {number}"
        digest = hashlib.sha512(first_half + key + text.encode()).digest()
        second_half = (NONCE + int.from_bytes(digest, "little") * PRIVATE) % ORDER
        signature = first_half + second_half.to_bytes(32, "little")
        cases.append((key.hex(), signature.hex(), text))
    return cases


def written(point: Point) -> bytes:
    """Return the canonical encoding of a point."""
    x, y = point
    return (y | (x & 1) << 255).to_bytes(32, "little")
