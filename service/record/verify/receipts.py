"""Comparison of a record with receipts, and with the head that its server shows."""

from collections.abc import Sequence

from service.record import record as ledger_receipts
from service.record.commit import Json, whole_number
from service.record.verify.audit import RecordAudit
from service.record.verify.report import Wrong

SERVER = "the server"
ON_THEIR_WORD = (
    "times, options that never mattered and joins rest on the word of the record's source"
)


def check_receipts(audit: RecordAudit, receipts: Sequence[Json], keys: Sequence[object]) -> None:
    """Check that the record has every commit that a receipt vouches for. Raises Wrong."""
    vouched_versions = [
        _check_receipt(audit, receipt, keys, f"receipt {number}")
        for number, receipt in enumerate(receipts, 1)
    ]
    _note_receipts(audit, max(vouched_versions, default=0))


def check_document(audit: RecordAudit, document: Json, keys: Sequence[object]) -> None:
    """Check that the record has the server's last commit, and the same outcome if it ends there.

    If the document has a receipt, this is checked, too. Raises Wrong.
    """
    report = audit.report
    version = document.get("version")
    _check_known(audit, version, document.get("hash"), SERVER)

    ends_here = audit.loaded is not None and whole_number(version) == report.commits
    if ends_here and document.get("outcome") != report.outcome:
        detail = "the server shows another outcome than the computed one"
        raise Wrong(0, "outcome_differs", detail)

    receipt = document.get("receipt")
    if receipt is not None:
        _check_receipt(audit, receipt, keys, "the server's receipt")
    report.end_is_known()


def _check_receipt(audit: RecordAudit, receipt: Json, keys: Sequence[object], who: str) -> int:
    """Check one receipt and return its version. Raises Wrong.

    The receipt vouches for the record up to that version.
    """
    try:
        receipt = ledger_receipts.check_receipt(receipt, keys)
    except ledger_receipts.BadReceipt as error:
        raise Wrong(0, "receipt_bad", f"{who} proves nothing: {error}") from None
    if receipt["match"] != audit.report.match:
        raise Wrong(0, "receipt_bad", f"{who} is of another match")

    version: int = receipt["version"]
    _check_known(audit, version, receipt["hash"], who)
    vouched = audit.commit(version)
    if vouched["commit"]["time"] != receipt["time"]:
        raise Wrong(version, "not_vouched", f"its time differs from the one in {who}")

    if version == audit.report.commits:
        audit.report.end_is_known()
    return version


def _note_receipts(audit: RecordAudit, vouched_version: int) -> None:
    """Note the commits that no receipt vouches for.

    Some facts in these commits rest on the word of the record's source. No check of the record
    alone can prove these facts.
    """
    if vouched_version == 0:
        audit.report.notes.append(f"no receipt from earlier was given: {ON_THEIR_WORD}")
    elif vouched_version < audit.report.commits:
        audit.report.notes.append(
            f"no receipt vouches for the commits after {vouched_version}: in them {ON_THEIR_WORD}"
        )


def _check_known(audit: RecordAudit, version: object, commit_hash: object, who: str) -> None:
    """Check that the record has a commit with a version and hash that somebody vouches for.

    Raises Wrong.
    """
    version = whole_number(version)
    if version is None or version < 1:
        raise Wrong(0, "receipt_bad", f"{who} names no version")
    if version > audit.report.commits:
        detail = f"the record ends here, but {who} vouches for commit {version}"
        raise Wrong(audit.report.commits, "cut_short", detail)
    if audit.commit(version)["hash"] != commit_hash:
        raise Wrong(version, "not_vouched", f"its hash differs from the one in {who}")
