"""Forged receipts. Every verifier must give the same verdicts on them."""

import hashlib
from collections.abc import Callable
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from service.record.commit import Json
from service.record.record import BadReceipt, check_receipt
from service.record.signatures import ORDER
from service.store.keys.signer import Accepted
from tests.attacks.forging import entries_of
from tests.service.ops.cli.site import KEY, receipt_for

Change = Callable[[Json, Json], None]


def changed(where: str, **fields: Any) -> Change:
    """Return the change of a receipt or of its key, as `where` says."""

    def change(receipt: Json, key: Json) -> None:
        (receipt if where == "receipt" else key).update(fields)

    return change


def respelled(where: str, name: str, spelling: Callable[[str], str]) -> Change:
    """Return a change: a member in hex has another spelling."""

    def change(receipt: Json, key: Json) -> None:
        changed_object = receipt if where == "receipt" else key
        changed_object[name] = spelling(changed_object[name])

    return change


def with_blanks(text: str) -> str:
    """Return a text in hex with blanks between its bytes."""
    return bytes.fromhex(text).hex(" ")


def without(where: str, name: str) -> Change:
    """Return a change: a member is left out."""

    def change(receipt: Json, key: Json) -> None:
        del (receipt if where == "receipt" else key)[name]

    return change


def with_whole_fraction(receipt: Json, _key: Json) -> None:
    """Write the version as a fraction, such as 6.0, which is a whole number in JSON."""
    receipt["version"] = float(receipt["version"])


def with_greater_number(receipt: Json, _key: Json) -> None:
    """Write the second half of a signature as another number that is the same in the group."""
    signature = bytes.fromhex(receipt["signature"])
    number = int.from_bytes(signature[32:], "little") + ORDER
    receipt["signature"] = (signature[:32] + number.to_bytes(32, "little")).hex()


def signed_by(public: str) -> Change:
    """Return a change: the server's key is a key of small order, with a fitting signature.

    With a key that is the neutral element of the group, the second half of a signature gives its
    first half, for any text.
    """

    def change(receipt: Json, key: Json) -> None:
        digest = bytearray(hashlib.sha512(bytes(32)).digest()[:32])
        digest[0] &= 248
        digest[31] = digest[31] & 127 | 64
        number = int.from_bytes(digest, "little") % ORDER

        first_half = Ed25519PrivateKey.from_private_bytes(bytes(32)).public_key()
        receipt["signature"] = (
            first_half.public_bytes_raw().hex() + number.to_bytes(32, "little").hex()
        )
        key["public"] = public

    return change


NOTHING = f"01{'00' * 31}"  # the encoding of the group's neutral element
# Points that, added to themselves eight times, are the neutral element (RFC 8032, 5.1).
EIGHTH = "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"
OTHER_EIGHTH = "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"
FITS_MORE = "fits signatures that its holder never made"
NOT_HEX = "is not 32 bytes in lower-case hex"
OTHER_FIELDS = "has the fields"
NOT_SIGNED = "its signature is wrong"
NO_TIME = "its time is not in UTC"
NO_END = "must state its end of validity"
NO_VERSION = "its version must be a whole number from 1"

# The change of a right receipt, and the message. "": it is still right.
RECEIPTS: dict[str, tuple[Change, str]] = {
    "unchanged": (changed("receipt"), ""),
    "version-6.0": (with_whole_fraction, ""),
    "version-fraction": (changed("receipt", version=2.5), NO_VERSION),
    "version-flag": (changed("receipt", version=True), NO_VERSION),
    "version-text": (changed("receipt", version="2"), NO_VERSION),
    "version-0": (changed("receipt", version=0), NO_VERSION),
    "version-too-large": (changed("receipt", version=2**53), NO_VERSION),
    "version-other": (changed("receipt", version=3), NOT_SIGNED),
    "fields-more": (changed("receipt", more=1), OTHER_FIELDS),
    "fields-less": (without("receipt", "time"), OTHER_FIELDS),
    "match-other": (changed("receipt", match="z" * 26), NOT_SIGNED),
    "hash-other": (changed("receipt", hash="0" * 64), NOT_SIGNED),
    "time-other": (changed("receipt", time="2026-01-01T00:00:00.000Z"), NOT_SIGNED),
    "signature-no-hex": (changed("receipt", signature="xyz"), NOT_SIGNED),
    "match-number": (changed("receipt", match=1), NO_VERSION),
    "key-number": (changed("receipt", key=1), NO_VERSION),
    "time-number": (changed("receipt", time=1), NO_VERSION),
    "time-null": (changed("receipt", time=None), NO_VERSION),
    "time-word": (changed("receipt", time="now"), NO_TIME),
    "time-never": (changed("receipt", time="2026-02-30T00:00:00.000Z"), NO_TIME),
    "signature-blanks": (respelled("receipt", "signature", with_blanks), NOT_SIGNED),
    "signature-capitals": (respelled("receipt", "signature", str.upper), NOT_SIGNED),
    "signature-short": (changed("receipt", signature="00"), NOT_SIGNED),
    "signature-null": (changed("receipt", signature=None), NOT_SIGNED),
    "signature-greater": (with_greater_number, NOT_SIGNED),
    "signature-small-order": (changed("receipt", signature=NOTHING + "00" * 32), NOT_SIGNED),
    "public-blanks": (respelled("key", "public", with_blanks), NOT_HEX),
    "public-capitals": (respelled("key", "public", str.upper), NOT_HEX),
    "public-null": (changed("key", public=None), NOT_HEX),
    "public-nothing": (signed_by(NOTHING), FITS_MORE),
    "public-nothing-signed": (signed_by(f"01{'00' * 30}80"), FITS_MORE),
    "public-nothing-otherwise": (signed_by(f"ee{'ff' * 30}7f"), FITS_MORE),
    "public-second": (changed("key", public=f"ec{'ff' * 30}7f"), FITS_MORE),
    "public-eighth": (changed("key", public=EIGHTH), FITS_MORE),
    "public-other-eighth": (changed("key", public=OTHER_EIGHTH), FITS_MORE),
    "public-zero": (changed("key", public="00" * 32), FITS_MORE),
    "public-prime": (changed("key", public=f"ed{'ff' * 30}7f"), FITS_MORE),
    "until-later": (changed("key", until="2040-01-01T00:00:00.000Z"), ""),
    "until-earlier": (
        changed("key", until="2020-01-01T00:00:00.000Z"),
        "its key was valid only until",
    ),
    "until-number": (changed("key", until=1), NO_END),
    "until-word": (changed("key", until="later"), NO_END),
    "until-empty": (changed("key", until=""), NO_END),
    "until-missing": (without("key", "until"), NO_END),
    "key-unlisted": (changed("key", id="other"), "is not listed"),
    "key-id-number": (changed("key", id=1), "is not listed"),
}


def given(lines: list[bytes]) -> list[Json]:
    """Return the data beside a record: for each case a receipt, and the keys of its server."""
    return [changed_receipt(lines, change) for change, _said in RECEIPTS.values()]


def changed_receipt(lines: list[bytes], change: Change) -> Json:
    """Return a receipt for the second commit, and a list with its key, changed."""
    receipt = receipt_for(Accepted.of(entries_of(lines)[1]))
    key: Json = dict(KEY)
    change(receipt, key)
    return {"receipts": [receipt], "keys": [None, key]}


def said_by_page(report: Json) -> str:
    """Return the page's complaint about a receipt, "" if it has none."""
    wrong = report["wrong"]
    return "" if wrong is None else wrong["detail"].removeprefix("receipt 1 proves nothing: ")


def said_by_program(beside: Json) -> str:
    """Return this program's complaint about a receipt, "" if it has none."""
    try:
        check_receipt(beside["receipts"][0], beside["keys"])
    except BadReceipt as error:
        return str(error)
    return ""
