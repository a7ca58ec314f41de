"""The checker of a run: what came in at the store, and what went out to the clients.

It shares no code with the use cases. It keeps the bytes that came in at the store, and compares
with them all that a client is answered.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from service.store.journal.values import Entry, Head
from tests.promises.checker import Stored, check_clients, check_commit, command_id, hash_of
from tests.promises.history import UNKNOWN, History, Try
from tests.simulation.banks import (
    Banks,
    Gap,
    Made,
    banks_after,
    banks_without,
    counted,
    gaps_of,
    milliseconds,
    mover_of,
)
from tests.simulation.debts import Debts

Json = dict[str, Any]

START_MS = 1_700_000_000_000  # when a run begins, in milliseconds since the epoch
# By how much a clock may be ahead that says that time has run out: by what is no gap when the
# journal's clock is asked, after an answer that was slow, and once more until it counts.
MOST_AHEAD = 15_000


@dataclass(frozen=True, slots=True, eq=False)
class Fact:
    """A commit as the store took it.

    hands: the toy's card of each seat after it.
    banks: how much time the seats have after it; None without a clock.
    debts: what is owed before the start; None where nobody draws together.
    wrong: what it says of time and should not, "" for nothing.
    """

    match: str
    version: int
    hash: str
    stored: Json
    command_id: str
    hands: Mapping[int, int]
    banks: Banks | None
    debts: Debts | None
    wrong: str
    head: Head

    @property
    def due(self) -> int | None:
        """When time runs out next, for what is owed (M19) or for a bank (M15); None: never."""
        owed = self.debts.due if self.debts is not None else None
        bank = self.banks.due if self.banks is not None else None
        return bank if owed is None else owed

    @property
    def rest_ends(self) -> int:
        """When the bots go on that wait for a human (M15), 0 if none do."""
        return (self.banks.rest_ends or 0) if self.banks is not None else 0

    @property
    def made(self) -> Made:
        """What the banks follow from."""
        return self.content, self.head

    @property
    def content(self) -> Json:
        """What the hash is made of."""
        content: Json = self.stored["commit"]
        return content

    @property
    def secrets(self) -> Json:
        """The secret parts, by audience."""
        secrets: Json = self.stored["secrets"]
        return secrets

    @property
    def name(self) -> str:
        """What a complaint calls it."""
        return f"commit {self.version} of {self.match}"

    @property
    def time(self) -> datetime:
        """When the commit was made, as it tells itself."""
        return datetime.fromisoformat(self.content["time"])


def fact_of(entry: Entry, known: Mapping[str, Fact]) -> Fact:
    """Return an entry as a fact; known: the facts before, by their hashes."""
    stored = json.loads(entry.commit_bytes)
    content = stored["commit"]
    parts = stored["secrets"]
    before = known.get(content["prev"])

    def at(version: int) -> Fact | None:
        """Return the commit of an earlier version in the history of this one."""
        fact = before
        while fact is not None and fact.version > version:
            fact = known.get(fact.content["prev"])
        return fact

    def banks_at(version: int) -> Banks | None:
        fact = at(version)
        return fact.banks if fact is not None else None

    banks, wrong = banks_after((content, entry.head), banks_at)
    at_ms = milliseconds(content["time"])
    debts = before.debts if before else Debts.opened(content["events"][0], at_ms)
    if debts is not None:
        wrong = wrong or debts.why_wrong(content["command"], content["events"], at_ms)
        debts = debts.after(content["events"], at_ms)
    last_event = content["events"][-1]
    if last_event["type"] == "taken_back":
        then = at(last_event["to"])
        hands = then.hands if then is not None else {}
    else:
        hands = _hands_after(before.hands if before else {}, content["events"], parts)
    return Fact(
        match=entry.match,
        version=content["version"],
        hash=stored["hash"],
        stored=stored,
        command_id=entry.command_id,
        hands=hands,
        banks=banks,
        debts=debts,
        wrong=wrong,
        head=entry.head,
    )


def _hands_after(hands: Mapping[int, int], events: list[Json], parts: Json) -> Mapping[int, int]:
    """Return the toy's card of each seat after some events."""
    hands_after = dict(hands)
    for number, event in enumerate(events):
        kind = event["type"]
        if kind == "card_dealt":
            seat = event["seat"]
            secret_fields = parts[f"seat:{seat}"][str(number)]
            hands_after[seat] = secret_fields["card"]
        elif kind == "round_paid":
            hands_after = {}
    return hands_after


def as_seen(fact: Fact, seat: int | None) -> tuple[Json, list[Json]]:
    """Return the command and the events of a commit as a seat may see them."""
    part = {} if seat is None else fact.secrets.get(f"seat:{seat}", {})
    command = {**fact.content["command"], **part.get("command", {})}
    events = [
        {**event, **part.get(str(number), {})}
        for number, event in enumerate(fact.content["events"])
    ]
    return command, events


class Checker:
    """The history as it truly is, and what clients were told of it.

    failure: the first thing that was wrong, "" while nothing is.
    matches: the commits of each match that stand, in their order.
    gone_back_at: when the store lost commits for the last time, -1 for never.
    revealed_before: matches whose secrets were public when the store lost commits.
    patience: seconds after which a match that was left alone may be ended, 0 for never; None where
        clocks are wrong, because then nobody knows.
    history: what clients wanted to have done, and what they were answered.
    acknowledged, read: how many commits and states clients were told of.
    times_run_out: how often the house has said that time has run out.
    late: how often of these it was later, because nobody had seen to clocks for a while.
    lapses: how often it has opened seats again that owed something.
    taken_back: how often moves were taken back.
    roused: how often bots went on after a rest, because no human had come back.
    """

    def __init__(
        self,
        now: Callable[[], int],
        on_failure: Callable[[], None],
        patience: int | None,
        beats: Callable[[], Sequence[int]],
    ) -> None:
        self.failure = ""
        self.history = History(clock=now)
        self.matches: dict[str, list[Fact]] = {}
        self.gone_back_at = -1
        self.revealed_before: set[str] = set()
        self.patience = patience
        self.acknowledged = 0
        self.times_run_out = 0
        self.lapses = 0
        self.late = 0
        self.taken_back = 0
        self.roused = 0
        self.read = 0

        self._now = now
        self._on_failure = on_failure
        self._beats = beats
        # Also commits that the store has lost: a client may have been told of them before.
        self._by_hash: dict[str, Fact] = {}
        # When the store took each commit for the last time, by its hash.
        self.appended: dict[str, int] = {}
        # The digest of each state that was told, by the commit's hash and the seat.
        self._views: dict[tuple[str, int | None], str] = {}

    def demand(self, holds: bool, complaint: str) -> None:
        """Note the first thing that does not hold."""
        if not holds and not self.failure:
            self.failure = complaint
            self._on_failure()

    def has(self, match_id: str, version: int, commit_hash: str) -> bool:
        """Return whether a commit is part of the history as it is."""
        commits = self.matches.get(match_id, [])
        is_version_there = 1 <= version <= len(commits)
        return is_version_there and commits[version - 1].hash == commit_hash

    def known(self, commit_hash: str) -> Fact | None:
        """Return a commit that the store took, also one that it has lost; None if it never did."""
        return self._by_hash.get(commit_hash)

    def is_excused(self, began_at: int) -> bool:
        """Return whether a request may still tell what the store has lost after it began."""
        return began_at <= self.gone_back_at

    def may_be_revealed(self, match_id: str, began_at: int) -> bool:
        """Return whether all secrets of a match may be told in an answer to a question of a time.

        They are public at the end. The store may have lost that end after the question.
        """
        was_revealed = match_id in self.revealed_before and self.is_excused(began_at)
        return was_revealed or self._is_revealed(match_id)

    def _is_revealed(self, match_id: str) -> bool:
        commits = self.matches.get(match_id)
        if not commits:
            return False
        last_event: dict[str, Any] = commits[-1].content["events"][-1]
        return bool(last_event["type"] == "secrets_revealed")

    # ---- what the store took ------------------------------------------------------------------

    def stored(self, entry: Entry) -> None:
        """Take in a commit, and check its form and its place."""
        fact = fact_of(entry, self._by_hash)
        earlier = self.matches.setdefault(entry.match, [])

        before = earlier[-1].stored if earlier else None
        for finding in check_commit(entry.match, len(earlier) + 1, fact.stored, before):
            self.demand(False, f"{finding.rule}: {fact.name}: {finding.text}")
        self._check_patience(fact, earlier)
        if earlier:
            self._check_rest(fact, earlier[-1])
        self.demand(not fact.wrong, f"M15, M19: {fact.name}: {fact.wrong}")
        due = fact.due or fact.rest_ends
        is_due = (entry.deadline or 0) == (due or 0)
        self.demand(is_due, f"M15: {fact.name}: time runs out at {due}, not at {entry.deadline}")
        for event in fact.content["events"]:
            if event["type"] == "time_ran_out":
                self._check_run_out(fact, event, earlier)
        self._check_lapse(fact, earlier)
        self.taken_back += _has(fact, "taken_back")

        earlier.append(fact)
        self._by_hash[fact.hash] = fact
        self.appended[fact.hash] = self._now()

    def _check_patience(self, fact: Fact, earlier: Sequence[Fact]) -> None:
        """Check that the house ends no match before it was left alone for long enough."""
        is_expiry = fact.content["command"]["type"] == "expire"
        if not is_expiry or self.patience is None:
            return

        alone_seconds = (fact.time - earlier[-1].time).total_seconds()
        complaint = f"{fact.match} was ended after it was left alone for {alone_seconds} seconds"
        self.demand(alone_seconds >= self.patience > 0, complaint)

    def _check_rest(self, fact: Fact, before: Fact) -> None:
        """Check that bots that wait for a human move when their rest is over, and not before.

        `final.Watch` checks that they do move then.
        """
        is_move = before.head.awaiting == "exhibition" and mover_of(fact.content) >= 0
        if not before.rest_ends or not is_move:
            return
        self.roused += 1
        if self.patience is not None:
            early_ms = before.rest_ends - milliseconds(fact.content["time"])
            complaint = f"M15: {fact.name}: bots move {early_ms} ms before their rest is over"
            self.demand(early_ms <= 0, complaint)

    @property
    def gaps(self) -> list[Gap]:
        """The times in which nobody saw to clocks, as the store knows of them."""
        return gaps_of(self._beats())

    def _check_run_out(self, fact: Fact, event: Json, earlier: Sequence[Fact]) -> None:
        """Check that time has run out by a clock that was right, and without what gaps took."""
        self.times_run_out += 1
        at = milliseconds(fact.content["time"])
        ahead = at - self._now() // 1000 - START_MS
        most = MOST_AHEAD if self.patience is None else 0
        self.demand(ahead <= most, f"{fact.name} is of a clock that is ahead by {ahead} ms")

        gaps = [gap for gap in self.gaps if gap[1] <= at - most]
        banks = banks_without([one.made for one in earlier], gaps)
        late = counted(at, gaps) - banks.since - banks.left[event["seat"]]
        self.demand(late >= 0, f"M15: {fact.name}: {-late} ms were left, but for gaps")
        self.late += at - event["due"] > late

    def _check_lapse(self, fact: Fact, earlier: Sequence[Fact]) -> None:
        """Check that seats lapse no sooner than they must, what gaps took not counted (M19)."""
        if fact.content["command"]["type"] != "lapse":
            return
        self.lapses += 1
        debts = earlier[-1].debts
        assert debts is not None, "the store takes no other lapse"
        at = milliseconds(fact.content["time"])
        most = MOST_AHEAD if self.patience is None else 0
        gaps = [gap for gap in self.gaps if gap[1] <= at - most]
        late = counted(at, gaps) - counted(debts.since, gaps) - debts.patience
        self.demand(late >= 0, f"M19: {fact.name}: {-late} ms were left, but for gaps")

    def gone_back(self, versions: Mapping[str, int]) -> None:
        """Check all promises so far, then discard what the store has lost.

        versions: up to which each match is kept.
        """
        self.check_promises()
        self.gone_back_at = self._now()
        self.revealed_before |= set(filter(self._is_revealed, self.matches))

        for match_id, commits in list(self.matches.items()):
            kept_version = versions.get(match_id, 0)
            del commits[kept_version:]
            if not commits:
                del self.matches[match_id]

    def check_promises(self) -> None:
        """Check what clients were answered so far against the commits that stand."""
        tries = [self._as_it_counts(one) for one in self.history.kept()]
        matches = {match_id: _stored(commits) for match_id, commits in self.matches.items()}
        for finding in check_clients(tries, matches):
            self.demand(False, f"{finding.rule}: {finding.match}: {finding.text}")

    def _as_it_counts(self, one: Try) -> Try:
        """Return a try; one as unknown that was sent before the store went back.

        What was refused in the history that is lost may land in this one. What was acknowledged
        still counts if it stands.
        """
        if not self.is_excused(int(one.sent)) or self._stands(one):
            return one
        return replace(one, outcome=UNKNOWN, status=0, version=0, told=())

    def _stands(self, one: Try) -> bool:
        """Return whether what a try was told stands, made by its own request.

        After the store went back another request may make the same commit, to the byte.
        """
        return bool(one.told) and all(
            self.has(one.match, version, commit_hash)
            and self.matches[one.match][version - 1].command_id == command_id(one)
            for version, commit_hash in one.told
        )

    # ---- commits ------------------------------------------------------------------------------

    def told_commit(self, match_id: str, version: int, commit_hash: str, began_at: int) -> None:
        """Check that a client was told of a commit as it is.

        began_at: when the client asked. What the journal has lost meanwhile may still be told.
        """
        if self.has(match_id, version, commit_hash):
            return

        fact = self.known(commit_hash)
        was_true = fact is not None and (fact.match, fact.version) == (match_id, version)
        complaint = (
            f"version {version} of {match_id} was told as {commit_hash[:8]}, which is not there"
        )
        self.demand(was_true and self.is_excused(began_at), complaint)

    def acknowledges(self, match_id: str, version: int, commit_hash: str, began_at: int) -> None:
        """Check a commit that was acknowledged to a client."""
        self.acknowledged += 1
        self.told_commit(match_id, version, commit_hash, began_at)

    def told_call(self, match_id: str, version: int, longest: int) -> None:
        """Check that a webhook is called about the version that is, or was when the call began.

        longest: what one call may take in all.
        """
        earliest = self._now() - longest
        commits = self.matches.get(match_id, [])
        is_there = version <= len(commits)
        is_present = version == len(commits) or (
            is_there and self.appended[commits[version].hash] >= earliest
        )
        complaint = f"a call was about version {version} of {match_id}, which had passed"
        self.demand(is_present or self.is_excused(earliest), complaint)

    # ---- states -------------------------------------------------------------------------------

    def told_view(
        self, commit_hash: str, seat: int | None, state: Mapping[str, Any] | None
    ) -> None:
        """Check what a seat (None: the public) was shown of the state after a commit."""
        self.read += 1
        fact = self.known(commit_hash)
        if fact is None or state is None:
            return

        place = f"the state at version {fact.version} of {fact.match}"
        state_digest = hash_of(dict(state))
        if seat is None:
            is_right = state_digest == fact.content["view"]
            self.demand(is_right, f"{place} is not the one that its commit has the digest of")

        earlier_digest = self._views.setdefault((commit_hash, seat), state_digest)
        self.demand(earlier_digest == state_digest, f"{place} was told in two ways")

        is_toy = "heads" in state
        if is_toy:
            own_card = None if seat is None else fact.hands.get(seat)
            is_own = state.get("card") == own_card
            self.demand(is_own, f"{place} shows seat {seat} a card that is not its own")

    # ---- commits as a reader sees them --------------------------------------------------------

    def told_shown(self, shown: Mapping[str, Any], seat: int | None, began_at: int) -> None:
        """Check a commit as it was shown to a seat: what it may know, and nothing else."""
        self.told_commit(shown["match"], shown["version"], shown["hash"], began_at)
        fact = self.known(shown["hash"])
        if fact is None:
            return

        command, events = as_seen(fact, seat)
        is_right = shown["command"] == command and shown["events"] == events
        complaint = f"{fact.name} was shown to seat {seat} with more or less than it may know"
        self.demand(is_right, complaint)

    def goes_on(self, shown: Json, version: int, commit_hash: str) -> None:
        """Check that a commit told to a follower follows upon the last one that was told."""
        follows = shown["version"] == version + 1 and shown["prev"] == commit_hash
        place = f"version {shown['version']} of {shown['match']}"
        self.demand(follows, f"a follower was told {place} after another history")

    def told_record_line(self, line: Json, seat: int | None, began_at: int) -> None:
        """Check a line of a record: the commit, with its reader's secrets or all at the end."""
        fact = self.known(line["hash"])
        if fact is None:
            return

        is_unchanged = line["commit"] == fact.content
        self.demand(is_unchanged, f"{fact.name} was exported with another content")

        told = line["secrets"]
        is_all_told = told == fact.secrets and self.may_be_revealed(fact.match, began_at)
        is_right = is_all_told or told == _secrets_of(fact, seat)
        complaint = f"{fact.name} was exported with more or less than seat {seat} may know"
        self.demand(is_right, complaint)

    # ---- lists --------------------------------------------------------------------------------

    def told_listed(self, shown: Mapping[str, Any], began_at: int) -> None:
        """Check what a list says of a match: where it stood after one of its commits."""
        version = shown["version"]
        place = f"{shown['id']} was listed at version {version}"
        is_excused = self.is_excused(began_at)

        commits = self.matches.get(shown["id"], [])
        if version > len(commits):
            self.demand(is_excused, f"{place}, which is not there")
            return

        is_time_right = shown["updated"] == commits[version - 1].content["time"]
        self.demand(is_time_right or is_excused, f"{place} with another time")


def _has(fact: Fact, kind: str) -> bool:
    """Return whether a commit has an event of a type."""
    return any(event["type"] == kind for event in fact.content["events"])


def _secrets_of(fact: Fact, seat: int | None) -> Json:
    """Return the secret parts of a commit that a seat may know, by audience."""
    own_audience = f"seat:{seat}"
    return {audience: part for audience, part in fact.secrets.items() if audience == own_audience}


def _stored(commits: Sequence[Fact]) -> Stored:
    """Return a match as the checker of promises asks it."""
    made = {fact.command_id: fact.version for fact in commits if fact.command_id}
    return Stored.of([fact.stored for fact in commits], made)
