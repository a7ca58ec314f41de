"""What the checker can find, and how its findings are counted."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

LOST = "lost"
DOUBLED = "doubled"
CHANGED = "changed"
VANISHED = "vanished"
INVENTED = "invented"
REFUSED_BUT_MADE = "refused but made"
FORGOTTEN = "forgotten"
STALE_READ = "stale read"
WRONG_ANSWER = "wrong answer"
GAP = "gap"
CHAIN = "chain"
HEAD = "head"
INDEX = "index"
STUCK = "stuck"
UNVERIFIED = "not verified"

# Each rule with the sentence that says what a finding of it means.
RULES = {
    LOST: "a commit was acknowledged and is not in the journal",
    DOUBLED: "one request made more than one commit",
    CHANGED: "a commit has another hash or version than its maker was told",
    VANISHED: "a reader was told a version and hash that the journal does not hold",
    INVENTED: "a commit in a client's name that no client asked for",
    REFUSED_BUT_MADE: "a request was only ever refused, and made a commit",
    FORGOTTEN: "a request was acknowledged, sent once more, and refused",
    STALE_READ: "an answer told an older version than an earlier answer had told",
    WRONG_ANSWER: "an answer that no fault explains",
    GAP: "versions of a match have a gap or a wrong order",
    CHAIN: "a commit's hash, or the hash before it, is wrong",
    HEAD: "a match's head does not tell its last commit",
    INDEX: "feed, pending index or listing differ from the commits",
    STUCK: "a match waits for the service and does not move on",
    UNVERIFIED: "`giornale verify` does not accept a match",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One broken promise: its rule, the match, and what exactly is wrong."""

    rule: str
    match: str
    text: str


def counted(findings: Iterable[Finding]) -> dict[str, int]:
    """Return how often each rule is broken, zeros included."""
    counts = Counter(finding.rule for finding in findings)
    return {rule: counts[rule] for rule in RULES}
