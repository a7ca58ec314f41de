"""What others say of a match, held against its record: receipts, and the head that its server shows."""

from collections.abc import Mapping, Sequence
from typing import Any

from service import signing
from service.audit.report import Wrong
from service.audit.verify import Audit
from service.journal.codec import Json


def check_receipts(audit: Audit, receipts: Sequence[Json], keys: Sequence[Json]) -> None:
    """Check that the record has every commit that a receipt vouches for; raises Wrong."""
    for number, receipt in enumerate(receipts, 1):
        try:
            signing.check_receipt(receipt, keys)
        except signing.BadReceipt as error:
            raise Wrong(0, "receipt_bad", f"receipt {number} proves nothing: {error}") from None
        if receipt["match"] != audit.report.match:
            raise Wrong(0, "receipt_bad", f"receipt {number} is of another match")
        _check_known(audit, receipt["version"], receipt["hash"], f"receipt {number}")


def check_head(audit: Audit, document: Mapping[str, Any]) -> None:
    """Check that the record has the commit that its server calls the last one, and the same outcome; raises Wrong."""
    _check_known(audit, document.get("version"), document.get("hash"), "the server")
    ends_here = audit.loaded is not None and document.get("version") == audit.report.commits
    if ends_here and document.get("outcome") != audit.report.outcome:
        raise Wrong(0, "outcome_differs", "the server shows another outcome than the one that was worked out")


def _check_known(audit: Audit, version: Any, number: Any, who: str) -> None:
    if type(version) is not int or version < 1:
        raise Wrong(0, "receipt_bad", f"{who} names no version")
    if version > audit.report.commits:
        detail = f"the record ends here, but {who} vouches for commit {version}"
        raise Wrong(audit.report.commits, "cut_short", detail)
    if audit.entries[version - 1]["hash"] != number:
        raise Wrong(version, "not_vouched", f"it has another hash than {who} vouches for")
