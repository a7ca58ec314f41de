"""The checker: clients' answers, compared with the journal as it is in the end.

It shares no code with the service. It reads the history and JSON by itself, and computes hashes as
`docs/reference/record.md` defines them, with the standard library alone.
"""

import hashlib
import json
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from tests.promises.history import ANSWERED, CALL, NEWS, REMATCH, Try
from tests.promises.stored import (
    ENDED,
    Head,
    StoredJournal,
    StoredMatch,
    feed_versions,
    read_head,
)

OPENING_ID = "open"
REVEALED = "secrets_revealed"

# Commands around the game. Only their kind and seat are compared.
AROUND = ("open", "join", "leave", "start", "abort", "replace", "restore")

# Reads of the present version of a match.
READS_OF_THE_PRESENT = ("match", "moves", NEWS)
# Answers that a fault explains: the journal is away, there are too many requests, or a body is too
# slow.
PASSING_STATUSES = (408, 429, 503)
PASSING_PROBLEMS = ("busy", "request-in-progress")
# Expected refusals: others moved first, or it is not the seat's turn any more.
EXPECTED_PROBLEMS = ("illegal-move", "stale-version")

Content = dict[str, Any]

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
UNREPORTED = "unreported"
CALLED_AGAIN = "called again"
PASSED_TURN = "passed turn"
REMATCHED = "rematched"

# Each rule with the sentence that explains a finding of it.
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
    UNREPORTED: "a turn or an end lasted, and a stream or a webhook did not report it",
    CALLED_AGAIN: "a webhook was called again after a 2xx that no fault kept from being noted",
    PASSED_TURN: "a webhook was called for a turn that had passed when the call began",
    REMATCHED: "a match has two rematches, or it and its rematch do not name each other",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One broken promise: its rule, the match, and the fault.

    version: of the commit that is lost or changed, 0 for another fault.
    """

    rule: str
    match: str
    text: str
    version: int = 0


def counted(findings: Iterable[Finding]) -> dict[str, int]:
    """Return the number of findings of each rule, zeros included."""
    counts = Counter(finding.rule for finding in findings)
    return {rule: counts[rule] for rule in RULES}


# The actor of a commit, and its command.
Intent = tuple[str, str]


@dataclass(slots=True)
class Stored:
    """The checker's frequent facts of one match.

    hashes: of the commits, by version. versions: of each hash, usually one. by_clients: the
    intent of each commit made by neither the house nor a bot, by version. made: the version made
    under each command id. seats: their number. follows: the match of which it is the rematch, ""
    for none.
    """

    hashes: dict[int, str] = field(default_factory=dict)
    versions: defaultdict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    by_clients: dict[int, Intent] = field(default_factory=dict)
    made: Mapping[str, int] = field(default_factory=dict)
    seats: int = 0
    follows: str = ""

    @classmethod
    def of(cls, commits: Iterable[Content], made: Mapping[str, int], follows: str = "") -> Self:
        """Return a match of these commits."""
        stored = cls(made=made, follows=follows)
        bots: frozenset[int] = frozenset()
        for version, commit in enumerate(commits, start=1):
            content = commit["commit"]
            actor = content["actor"]
            stored.hashes[version] = commit["hash"]
            stored.versions[commit["hash"]].append(version)

            if actor != "house" and actor not in {f"seat:{seat}" for seat in bots}:
                own_part = commit["secrets"].get(actor, {})
                command = {**content["command"], **own_part.get("command", {})}
                stored.by_clients[version] = (actor, command_text(command))
            bots = _bots_after(bots, content["events"])
            if version == 1:
                stored.seats = len(content["events"][0].get("seats", ()))
        return stored


def command_text(command: Mapping[str, Any]) -> str:
    """Return a command as a text for counting.

    Of commands around the game only the kind and the seat count: they hold digests that no client
    knows beforehand.
    """
    kind = command["type"]
    if kind in AROUND:
        return f"{kind} {command.get('seat', '')}"
    return canonical({name: value for name, value in command.items() if value is not None}).decode()


def _bots_after(bots: frozenset[int], events: list[Content]) -> frozenset[int]:
    """Return the seats of bots after some events."""
    for event in events:
        kind = event["type"]
        if kind == "match_opened":
            seats = enumerate(event["seats"])
            bots = frozenset(seat for seat, plan in seats if plan["kind"] == "bot")
        elif kind == "seat_replaced":
            bots |= {event["seat"]}
        elif kind in ("seat_restored", "seat_joined"):
            bots -= {event["seat"]}
    return bots


def check(tries: list[Try], journal: StoredJournal, *, ended: bool = True) -> list[Finding]:
    """Return all broken promises.

    ended: every match was played to its end, so none may wait.
    """
    matches = {match: _stored(stored) for match, stored in journal.matches.items()}
    findings = [
        *check_journal(journal),
        *check_clients(tries, matches),
        *check_recency(tries),
        *check_answers(tries),
    ]
    if ended:
        findings += check_ended(journal)
    return findings


def _stored(stored: StoredMatch) -> Stored:
    """Return a match in the checker's form."""
    commits = [json.loads(commit_bytes) for _entry, commit_bytes in stored.commits]
    versions = {name: int(packed.partition(":")[0]) for name, packed in stored.ids.items()}
    return Stored.of(commits, versions, stored.rematch_of)


def check_clients(tries: list[Try], matches: Mapping[str, Stored]) -> Iterator[Finding]:
    """Check clients' answers against the commits of all matches."""
    by_request: defaultdict[int, list[Try]] = defaultdict(list)
    for one in tries:
        if one.writes:
            by_request[one.request].append(one)

    yield from check_told(tries, matches)
    yield from check_requests(by_request.values(), matches)
    yield from check_made(by_request.values(), matches)


def check_told(tries: Iterable[Try], matches: Mapping[str, Stored]) -> Iterator[Finding]:
    """Check that each pair of version and hash told to anybody is in the journal."""
    nothing = Stored()
    for one in tries:
        stored = matches.get(one.match, nothing)
        for version, digest in one.told:
            if stored.hashes.get(version) != digest:
                yield _not_there(one, stored, version, digest)


def _not_there(one: Try, stored: Stored, version: int, digest: str) -> Finding:
    """Return the finding for a pair that was told and is not in the journal."""
    text = f"{one.what} was told version {version} with hash {digest}"
    if not one.acknowledged:
        return Finding(VANISHED, one.match, text)

    is_elsewhere = digest in stored.versions or version in stored.hashes
    rule = CHANGED if is_elsewhere else LOST
    return Finding(rule, one.match, text, version)


def check_requests(
    requests: Iterable[list[Try]], matches: Mapping[str, Stored]
) -> Iterator[Finding]:
    """Check each request with all its tries: one commit if acknowledged, none if refused."""
    for attempts in requests:
        known_matches = [one.match for one in attempts if one.match]
        match = known_matches[0] if known_matches else ""
        stored = matches.get(match, Stored())
        yield from _check_request(attempts, match, stored)


def _check_request(attempts: list[Try], match: str, stored: Stored) -> Iterator[Finding]:
    """Check one request."""
    first = attempts[0]
    name = first.key or first.command
    acknowledged = {one.version for one in attempts if one.acknowledged}

    if len(acknowledged) > 1:
        text = f"{name} was told as versions {sorted(acknowledged)}"
        yield Finding(DOUBLED, match, text)

    if first.expected and acknowledged - {first.expected + 1}:
        text = f"{name} expected version {first.expected} and made {sorted(acknowledged)}"
        yield Finding(CHANGED, match, text)

    if first.key:
        yield from _check_key(attempts, match, stored, acknowledged)


def _check_key(
    attempts: list[Try], match: str, stored: Stored, acknowledged: set[int]
) -> Iterator[Finding]:
    """Check the journal's memory of the key of a request."""
    first = attempts[0]
    made_version = stored.made.get(command_id(first))
    for version in sorted(acknowledged - {made_version}):
        text = f"{first.key} was told version {version}; the journal says {made_version}"
        rule = LOST if made_version is None else CHANGED
        yield Finding(rule, match, text, version)

    if made_version is not None and all(one.refused for one in attempts):
        text = f"{first.key} was refused and made version {made_version}"
        yield Finding(REFUSED_BUT_MADE, match, text)

    if _was_forgotten(attempts):
        text = f"{first.key} was refused after it had been acknowledged"
        yield Finding(FORGOTTEN, match, text)


def _was_forgotten(attempts: list[Try]) -> bool:
    """Return True if a try was refused that was sent after another one had been acknowledged."""
    acknowledged = [one.ended for one in attempts if one.acknowledged]
    if not acknowledged:
        return False
    return any(one.refused and one.sent > min(acknowledged) for one in attempts)


def command_id(one: Try) -> str:
    """Return the journal's id of a request's commit, "" for none."""
    if not one.key:
        return ""
    return OPENING_ID if one.what == "open" else f"{one.actor}:{one.key}"


def check_made(requests: Iterable[list[Try]], matches: Mapping[str, Stored]) -> Iterator[Finding]:
    """Check that clients' commits are those of their requests, one for each."""
    ids: defaultdict[str, set[str]] = defaultdict(set)
    without_key: defaultdict[str, Counter[Intent]] = defaultdict(Counter)
    again: defaultdict[str, set[str]] = defaultdict(set)
    for attempts in requests:
        first, last = attempts[0], attempts[-1]
        if first.what == REMATCH:
            if not all(one.refused for one in attempts):
                again[first.match].add(first.actor)
        elif first.key:
            ids[first.match].add(command_id(first))
        elif not all(one.refused for one in attempts):
            without_key[last.match][first.actor, first.command] += 1

    for match, stored in matches.items():
        # Of an opening that was never answered nobody knows the match.
        unnamed = without_key[match] + without_key[""] + of_rematch(again[stored.follows], stored)
        yield from _check_ids(match, stored, unnamed)

        unasked = stored.made.keys() - ids[match] - {OPENING_ID}
        for one_id in sorted(unasked):
            yield Finding(INVENTED, match, f"nobody has sent {one_id}")


def of_rematch(askers: Iterable[str], stored: Stored) -> Counter[Intent]:
    """Return the commits of clients in a rematch: each asker takes a seat, and one start.

    askers: holders of tokens in the match before. Each player sits one seat lower here (M20).
    """
    counts: Counter[Intent] = Counter()
    for asker in askers:
        counts["owner", "start "] = 1
        holder, _, seat = asker.partition(":")
        if holder == "seat":
            counts["invitation", f"join {(int(seat) - 1) % stored.seats}"] = 1
    return counts


def _check_ids(match: str, stored: Stored, without_key: Counter[Intent]) -> Iterator[Finding]:
    """Check that each client's commit has one command id, or a request without a key.

    without_key: the number of requests without a key, by command.
    """
    by_version: defaultdict[int, list[str]] = defaultdict(list)
    for one_id, version in stored.made.items():
        by_version[version].append(one_id)

    for version in stored.hashes:
        command_ids = by_version.pop(version, [])
        intent = stored.by_clients.get(version)
        if intent and not command_ids:
            without_key[intent] -= 1
            if without_key[intent] < 0:
                text = f"version {version} is {intent[0]}'s, unasked, and has no command id"
                yield Finding(DOUBLED, match, text)

        if len(command_ids) > 1:
            text = f"{sorted(command_ids)} have all made version {version}"
            yield Finding(LOST, match, text)

    for version, command_ids in by_version.items():
        text = f"{sorted(command_ids)} have made version {version}, which is not there"
        yield Finding(LOST, match, text)


# ---- the journal by itself ----------------------------------------------------------------


def canonical(value: Any) -> bytes:
    """Return canonical JSON (docs/reference/record.md, section 1)."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.encode()


def hash_of(content: Content) -> str:
    """Return the hash of a commit's content (docs/reference/record.md, section 3)."""
    return hashlib.sha256(canonical(content)).hexdigest()


def check_journal(journal: StoredJournal) -> Iterator[Finding]:
    """Yield the faults of a journal, regardless of clients' answers."""
    for match, stored in sorted(journal.matches.items()):
        yield from _check_chain(match, stored)
        yield from _check_head(match, stored)
        yield from _check_pending(match, stored, journal)

    yield from _check_feeds(journal)
    yield from _check_listing(journal)


def check_ended(journal: StoredJournal) -> Iterator[Finding]:
    """Yield the matches not over yet, or waiting for the service."""
    for match, stored in sorted(journal.matches.items()):
        # `check_journal` finds matches without head or commits.
        if not stored.head or not stored.commits:
            continue

        head = read_head(stored.head)
        is_over = head.status in ENDED and not head.awaiting
        if is_over and _is_revealed(stored):
            continue

        awaited = head.awaiting or "nobody of the service"
        text = f"{head.status} at version {head.version}, waits for {awaited}"
        yield Finding(STUCK, match, text)


def _is_revealed(stored: StoredMatch) -> bool:
    """Return True if the last commit reveals the secrets."""
    _, last_bytes = stored.commits[-1]
    last = json.loads(last_bytes)["commit"]
    types = [event["type"] for event in last["events"]]
    return types == [REVEALED]


def _check_chain(match: str, stored: StoredMatch) -> Iterator[Finding]:
    """Check every commit of a match against the one before."""
    before = None
    for version, (entry, commit_bytes) in enumerate(stored.commits, start=1):
        commit = json.loads(commit_bytes)
        if entry != f"{version}-0":
            yield Finding(GAP, match, f"entry {entry} stands as number {version}")
        yield from check_commit(match, version, commit, before)
        before = commit


def check_commit(
    match: str, version: int, commit: Content, before: Content | None
) -> Iterator[Finding]:
    """Check the commit of a version of a match: its place, its time and its hashes.

    before: the commit before it, None for the first.
    """
    content = commit["commit"]
    hash_before = before["hash"] if before else ""
    if (content["match"], content["version"]) != (match, version):
        text = f"version {content['version']} of {content['match']} stands as {version}"
        yield Finding(GAP, match, text)
    if before and content["time"] < before["commit"]["time"]:
        yield Finding(CHAIN, match, f"version {version} is earlier than the one before")
    if commit["hash"] != hash_of(content):
        yield Finding(CHAIN, match, f"the hash of version {version} is not that of its content")
    if content["prev"] != hash_before:
        yield Finding(CHAIN, match, f"version {version} does not name the hash before it")

    digests = {name: hash_of(part) for name, part in commit["secrets"].items()}
    if digests != content["secrets"]:
        yield Finding(CHAIN, match, f"a secret part of version {version} is not as its digest")


def _check_head(match: str, stored: StoredMatch) -> Iterator[Finding]:
    """Check that the head tells the last commit."""
    if not stored.head or not stored.commits:
        yield Finding(HEAD, match, "it has no head or no commits")
        return

    number = len(stored.commits)
    _, last_bytes = stored.commits[-1]
    last_hash = json.loads(last_bytes)["hash"]

    head = read_head(stored.head)
    is_right = head.version == number and head.hash == last_hash
    if not is_right:
        text = f"the head tells version {head.version} of {number}"
        yield Finding(HEAD, match, text)


def _check_pending(match: str, stored: StoredMatch, journal: StoredJournal) -> Iterator[Finding]:
    """Check that a match is pending if and only if it waits for the service."""
    waits = bool(stored.head) and bool(read_head(stored.head).awaiting)
    is_pending = match in journal.pending.get(stored.partition, set())
    if waits != is_pending:
        yield Finding(INDEX, match, "it waits and is not pending, or the other way round")


def _check_feeds(journal: StoredJournal) -> Iterator[Finding]:
    """Check that the feeds name each commit once, in the order of its match.

    The first commits of a match may have left the feed: as many in all as the journal says.
    """
    feeds = feed_versions(journal)
    gone: dict[str, Counter[str]] = defaultdict(Counter)  # by partition and match
    are_in_order = True
    for match in sorted(feeds.keys() | journal.matches.keys()):
        stored = journal.matches.get(match)
        number = len(stored.commits) if stored else 0
        versions = feeds.get(match, [])
        first = versions[0] if versions else number + 1
        if versions != list(range(first, number + 1)):
            are_in_order = False
            yield Finding(INDEX, match, f"the feed does not name its {number} commits in order")
        elif stored is not None and first > 1:
            gone[stored.partition][match] = first - 1

    for partition in sorted(gone) if are_in_order else []:
        if gone[partition].total() != journal.trimmed.get(partition, 0):
            match = min(gone[partition])
            yield Finding(INDEX, match, "lines have left the feed that nobody has counted")


def check_log(entries: Sequence[Mapping[str, Any]], journal: StoredJournal) -> Iterator[Finding]:
    """Check that the feed of all commits has each commit of the journal once, with no gap.

    entries: the answers of `/v1/commits`. Private ones have a hash alone.
    """
    positions = [entry["position"] for entry in entries]
    if positions != list(range(len(positions))):
        yield Finding(INDEX, "", "the positions of the log have a gap")

    times = Counter(entry["hash"] for entry in entries)
    for match, stored in sorted(journal.matches.items()):
        hashes = [json.loads(content)["hash"] for _, content in stored.commits]
        wrong = [number for number, one in enumerate(hashes, 1) if times[one] != 1]
        if wrong:
            yield Finding(INDEX, match, f"versions {wrong[:5]} are not in the log once")


def _check_listing(journal: StoredJournal) -> Iterator[Finding]:
    """Check that the listings hold each public match under its status and its game."""
    expected: dict[str, set[str]] = {}
    for match, stored in journal.matches.items():
        members = expected.setdefault(stored.partition, set())
        if stored.head:
            members |= _listed(match, read_head(stored.head))

    partitions = expected.keys() | journal.listing.keys()
    for partition in sorted(partitions):
        listed = journal.listing.get(partition, set())
        wrong = expected.get(partition, set()) ^ listed
        for member in sorted(wrong):
            _, _, match = member.rpartition(":")
            yield Finding(INDEX, match, f"the listing is wrong about {member}")


def _listed(match: str, head: Head) -> set[str]:
    """Return the members of the listing for a match."""
    if head.visibility != "public":
        return set()

    end = f":{head.created:014d}:{match}"
    of_game = f"@{head.game}:"
    return {end, head.status + end, of_game + end, of_game + head.status + end}


# ---- the answers by themselves ------------------------------------------------------------


def check_recency(tries: Iterable[Try]) -> Iterator[Finding]:
    """Check that no answer is older than one received before its request was sent."""
    by_match: defaultdict[str, list[Try]] = defaultdict(list)
    for one in tries:
        if one.match and one.outcome == ANSWERED and one.version and _tells_the_present(one):
            by_match[one.match].append(one)

    for match, answers in by_match.items():
        yield from _check_order(match, answers)


def _tells_the_present(one: Try) -> bool:
    """Return True if an answer tells the present version of the match."""
    if one.acknowledged:
        return not one.repeated
    return one.what in READS_OF_THE_PRESENT


def _check_order(match: str, answers: list[Try]) -> Iterator[Finding]:
    """Go through the answers of a match by the time of their requests."""
    by_end = deque(sorted(answers, key=lambda one: one.ended))
    by_beginning = sorted(answers, key=lambda one: one.sent)
    newest = 0

    for one in by_beginning:
        while by_end and by_end[0].ended < one.sent:
            earlier = by_end.popleft()
            newest = max(newest, earlier.version)

        if one.version < newest:
            text = f"{one.what} by {one.client} told {one.version} after {newest} was told"
            yield Finding(STALE_READ, match, text)


def check_answers(tries: Iterable[Try]) -> Iterator[Finding]:
    """Check that each answer is one that faults and races explain."""
    for one in tries:
        if one.outcome == ANSWERED and not _is_explained(one):
            text = f"{one.what} by {one.client}: {one.status} {one.problem or one.event}"
            yield Finding(WRONG_ANSWER, one.match, text)


def _is_explained(one: Try) -> bool:
    if one.event in ("gone", "rewritten"):
        return False
    if one.what == CALL or one.status < 300 or one.status in PASSING_STATUSES:
        return True
    return one.problem in PASSING_PROBLEMS or one.problem in EXPECTED_PROBLEMS
