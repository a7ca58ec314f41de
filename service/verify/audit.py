"""Audits: of a record, and of a match as a journal holds it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from domain.games import RULES
from domain.match.messages import SecretsRevealed
from domain.match.state import status
from service.ledger.canonical import Json
from service.ledger.commit import StoredCommit
from service.ledger.replay import Loaded, outcome
from service.verify import chain
from service.verify.opening import check_commitment, check_sealed, check_sealing, opening_of
from service.verify.redecide import Progress, refold
from service.verify.report import END, Report, Wrong


@dataclass(slots=True)
class Audit:
    """A report with what it is about: the entries whose form is right, the match they make if it could be played."""

    report: Report = field(default_factory=Report)
    entries: list[StoredCommit] = field(default_factory=list)
    loaded: Loaded | None = None


def quiet(_done: int, _of: int) -> None:
    """Show no progress."""


def verify_record(lines: Iterable[bytes], progress: Progress = quiet) -> Audit:
    """Check a record line by line.

    A record that holds the house's secrets must end with their revelation: nobody is handed them before.
    """
    return _verify(chain.read_record(lines), progress, stored=False)


def verify_stored(entries: Iterable[bytes], progress: Progress = quiet) -> Audit:
    """Check a match as a journal holds it: with all its secrets, ended or not."""
    return _verify(chain.read_stored(entries), progress, stored=True)


def _verify(entries: Iterable[chain.Read], progress: Progress, *, stored: bool) -> Audit:
    audit = Audit()
    try:
        audit.entries = chain.check(entries)
        _introduce(audit)
        _check_end(audit, stored)
        unsealed = _unsealed(audit)
        if "house" in unsealed[0]["secrets"]:
            check_sealed(unsealed[0]["commit"], unsealed[0]["secrets"]["house"])
        _play(audit, unsealed, progress)
    except Wrong as wrong:
        audit.report.wrong = wrong
    return audit


def _introduce(audit: Audit) -> None:
    report, first, last = audit.report, audit.entries[0]["commit"], audit.entries[-1]
    opening = opening_of(first)
    report.match, report.commits, report.hash = first["match"], len(audit.entries), last["hash"]
    report.game, report.rules = str(opening.get("game", "")), opening.get("rules", "")
    if not isinstance(report.rules, str) or report.rules != first["command"].get("rules"):
        raise Wrong(
            1,
            "not_opened",
            "the first commit must open a match by the rules that its command names",
        )
    check_sealing(first)
    report.redacted = any(
        entry["secrets"].keys() != entry["commit"]["secrets"].keys() for entry in audit.entries
    )
    report.ended = any(
        event.get("type") == SecretsRevealed.tag for event in last["commit"]["events"][-1:]
    )


def _check_end(audit: Audit, stored: bool) -> None:
    """The end is the revelation, or not known: then only a receipt or the server can tell that none was cut off."""
    report = audit.report
    if report.ended:
        return
    if not stored and "house" in audit.entries[0]["secrets"]:
        raise Wrong(
            report.commits,
            "not_ended",
            "the record holds the house's secrets but not their revelation (M9)",
        )
    report.unchecked.append(END)


def _play(audit: Audit, unsealed: Sequence[StoredCommit], progress: Progress) -> None:
    report = audit.report
    if report.rules not in RULES:
        report.unchecked.append(f"the play: this program does not know the rules {report.rules}")
        return
    match = refold(unsealed, report, progress)
    if match is None or report.folded < report.commits:
        return
    first, last = audit.entries[0]["commit"], audit.entries[-1]["commit"]
    loaded = Loaded(report.match, report.commits, first["time"], last["time"], report.hash, match)
    audit.loaded, report.status, report.outcome = loaded, status(match), outcome(loaded)


def _unsealed(audit: Audit) -> Sequence[StoredCommit]:
    """Return the entries with every secret part that the revelation at the end lays open put in its place (M9)."""
    if not audit.report.ended:
        return audit.entries
    revelation = audit.entries[-1]["commit"]["events"][-1]
    check_commitment(
        audit.report.commits, revelation.get("secret"), opening_of(audit.entries[0]["commit"])
    )
    revealed = revelation.get("parts")
    if not isinstance(revealed, dict) or not all(
        isinstance(parts, dict) for parts in revealed.values()
    ):
        raise Wrong(audit.report.commits, "unreadable", "its revelation has no parts")
    sealed = {
        str(entry["commit"]["version"]): entry["commit"]["secrets"] for entry in audit.entries
    }
    expected = {version: digests.keys() for version, digests in sealed.items() if digests}
    if {version: parts.keys() for version, parts in revealed.items()} != expected:
        raise Wrong(
            audit.report.commits,
            "revelation_differs",
            "it must reveal all secret parts and no others (M9)",
        )
    for version, parts in revealed.items():
        _check_revealed(audit.report.commits, version, sealed[version], parts)
    return [
        {**entry, "secrets": revealed.get(str(entry["commit"]["version"]), {})}
        for entry in audit.entries
    ]


def _check_revealed(number: int, version: str, digests: dict[str, str], parts: Json) -> None:
    try:
        chain.check_parts(number, digests, parts)
    except Wrong:
        detail = f"a part that it reveals of commit {version} does not fit its digest (M9)"
        raise Wrong(number, "revelation_differs", detail) from None
