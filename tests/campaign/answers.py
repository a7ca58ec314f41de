"""Checks of the answers by themselves: none is older than one before, none is without a reason."""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator

from tests.campaign import findings
from tests.campaign.findings import Finding
from tests.campaign.history import ANSWERED, Try

# Reads that tell the present version of a match.
READS_OF_THE_PRESENT = ("match", "moves")
# Answers that a fault explains: the journal is away, too much at once, too slow a body.
PASSING_STATUSES = (408, 429, 503)
PASSING_PROBLEMS = ("busy", "request-in-progress")
# Refusals that a client must expect: others moved first, or it is not the seat's turn any more.
EXPECTED_PROBLEMS = ("illegal-move", "stale-version")


def check_recency(tries: Iterable[Try]) -> Iterator[Finding]:
    """Check that no answer is older than one that had come before its request was sent."""
    by_match: defaultdict[str, list[Try]] = defaultdict(list)
    for one in tries:
        if one.match and one.outcome == ANSWERED and one.version and _tells_the_present(one):
            by_match[one.match].append(one)

    for match, answers in by_match.items():
        yield from _check_order(match, answers)


def _tells_the_present(one: Try) -> bool:
    """Return whether an answer tells the version at which the match is."""
    if one.acknowledged:
        return not one.repeated
    return one.what in READS_OF_THE_PRESENT


def _check_order(match: str, answers: list[Try]) -> Iterator[Finding]:
    """Go through the answers of a match by the time at which they were asked for."""
    by_end = deque(sorted(answers, key=lambda one: one.ended))
    by_beginning = sorted(answers, key=lambda one: one.sent)
    newest = 0

    for one in by_beginning:
        while by_end and by_end[0].ended < one.sent:
            earlier = by_end.popleft()
            newest = max(newest, earlier.version)

        if one.version < newest:
            text = f"{one.what} by {one.client} told {one.version} after {newest} was told"
            yield Finding(findings.STALE_READ, match, text)


def check_answers(tries: Iterable[Try]) -> Iterator[Finding]:
    """Check that each answer is one that faults and races explain."""
    for one in tries:
        if one.outcome == ANSWERED and not _is_explained(one):
            text = f"{one.what} by {one.client}: {one.status} {one.problem}"
            yield Finding(findings.WRONG_ANSWER, one.match, text)


def _is_explained(one: Try) -> bool:
    if one.status < 300 or one.status in PASSING_STATUSES:
        return True
    return one.problem in PASSING_PROBLEMS or one.problem in EXPECTED_PROBLEMS
