"""The checker of a run: compares answers to clients with the bytes that the store took.

It shares no code with the use cases.
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
# Milliseconds that a wrong clock may be ahead when it declares a run-out. Three pauses too short
# for a gap may add up: before the journal's clock is asked, a slow answer, and until that counts.
MOST_AHEAD = 15_000


@dataclass(frozen=True, slots=True, eq=False)
class Fact:
    """A commit as the store took it.

    hands: the toy's card of each seat after the commit.
    banks: remaining time of the seats after the commit. None without a clock.
    debts: the debts before the start. None without joint draws.
    wrong: the commit's fault about time, "" for none.
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
        """The next deadline, of a debt (M19) or of a bank (M15). None: never."""
        owed = self.debts.due if self.debts is not None else None
        bank = self.banks.due if self.banks is not None else None
        return bank if owed is None else owed

    @property
    def rest_ends(self) -> int:
        """The time at which bots stop waiting for a human (M15). 0 if none wait."""
        return (self.banks.rest_ends or 0) if self.banks is not None else 0

    @property
    def made(self) -> Made:
        """The input of the banks."""
        return self.content, self.head

    @property
    def content(self) -> Json:
        """The hashed content."""
        content: Json = self.stored["commit"]
        return content

    @property
    def secrets(self) -> Json:
        """The secret parts, by audience."""
        secrets: Json = self.stored["secrets"]
        return secrets

    @property
    def name(self) -> str:
        """Its name in a complaint."""
        return f"commit {self.version} of {self.match}"

    @property
    def time(self) -> datetime:
        """The time of the commit, by its own content."""
        return datetime.fromisoformat(self.content["time"])


def fact_of(entry: Entry, facts: Mapping[str, Fact]) -> Fact:
    """Return an entry as a fact. facts: the earlier facts, by hash."""
    stored = json.loads(entry.commit_bytes)
    content = stored["commit"]
    parts = stored["secrets"]
    before = facts.get(content["prev"])

    def at(version: int) -> Fact | None:
        """Return the commit of an earlier version in the history of this one."""
        fact = before
        while fact is not None and fact.version > version:
            fact = facts.get(fact.content["prev"])
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
    """The true history, and the answers to clients about it.

    failure: the first fault, "" for none.
    matches: the present commits of each match, in their order.
    gone_back_at: time of the store's last loss of commits, -1 for never.
    revealed_before: matches with public secrets at a loss of commits.
    patience: seconds without a commit after which a match may be ended. 0: never. None: unknown,
        because clocks are wrong.
    history: the requests of clients, and the answers.
    acknowledged, read: numbers of commits acknowledged and states shown to clients.
    times_run_out: number of run-outs.
    late: number of these run-outs that gaps delayed.
    lapses: number of commits that opened seats with a debt again.
    taken_back: number of take-backs.
    roused: number of bots' moves after a rest, because no human had come back.
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
        # Lost commits, too: an earlier answer may have told them to a client.
        self._by_hash: dict[str, Fact] = {}
        # The last time at which the store took a commit, by its hash.
        self.appended: dict[str, int] = {}
        # The digest of each shown state, by the commit's hash and the seat.
        self._views: dict[tuple[str, int | None], str] = {}

    def demand(self, holds: bool, complaint: str) -> None:
        """Note a complaint if it is the first."""
        if not holds and not self.failure:
            self.failure = complaint
            self._on_failure()

    def has(self, match_id: str, version: int, commit_hash: str) -> bool:
        """Return True if a commit is part of the present history."""
        commits = self.matches.get(match_id, [])
        is_version_there = 1 <= version <= len(commits)
        return is_version_there and commits[version - 1].hash == commit_hash

    def known(self, commit_hash: str) -> Fact | None:
        """Return a commit taken by the store, even if lost since. None if it never did."""
        return self._by_hash.get(commit_hash)

    def is_excused(self, began_at: int) -> bool:
        """Return True if the store lost commits after a request began: its answer may tell them."""
        return began_at <= self.gone_back_at

    def may_be_revealed(self, match_id: str, began_at: int) -> bool:
        """Return True if the answer to a request may tell all secrets of a match.

        began_at: time of the request. Secrets are public after the end. The store may have lost the
        end after the request.
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
        """Add a commit, and check its form and its place."""
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
        """Check that the house ends a match only after enough time without a commit."""
        is_expiry = fact.content["command"]["type"] == "expire"
        if not is_expiry or self.patience is None:
            return

        alone_seconds = (fact.time - earlier[-1].time).total_seconds()
        complaint = f"{fact.match} was ended after it was left alone for {alone_seconds} seconds"
        self.demand(alone_seconds >= self.patience > 0, complaint)

    def _check_rest(self, fact: Fact, before: Fact) -> None:
        """Check that resting bots do not move before their rest is over.

        `final.Watch` checks that they move afterwards.
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
        """The gaps without a look at clocks, from the beats at the store."""
        return gaps_of(self._beats())

    def _check_run_out(self, fact: Fact, event: Json, earlier: Sequence[Fact]) -> None:
        """Check a run-out: its clock was right, and the bank was empty without the time of gaps."""
        self.times_run_out += 1
        at = milliseconds(fact.content["time"])
        ahead = at - self._now() // 1000 - START_MS
        most = MOST_AHEAD if self.patience is None else 0
        self.demand(ahead <= most, f"{fact.name} is of a clock that is ahead by {ahead} ms")

        gaps = [gap for gap in self.gaps if gap[1] <= at - most]
        banks = banks_without([one.made for one in earlier], gaps)
        late = counted(at, gaps) - banks.since - banks.left[event["seat"]]
        self.demand(late >= 0, f"M15: {fact.name}: {-late} ms were left without the time of gaps")
        self.late += at - event["due"] > late

    def _check_lapse(self, fact: Fact, earlier: Sequence[Fact]) -> None:
        """Check that seats lapse only after their patience, without the time of gaps (M19)."""
        if fact.content["command"]["type"] != "lapse":
            return
        self.lapses += 1
        debts = earlier[-1].debts
        assert debts is not None, "the store takes no other lapse"
        at = milliseconds(fact.content["time"])
        most = MOST_AHEAD if self.patience is None else 0
        gaps = [gap for gap in self.gaps if gap[1] <= at - most]
        late = counted(at, gaps) - counted(debts.since, gaps) - debts.patience
        self.demand(late >= 0, f"M19: {fact.name}: {-late} ms were left without the time of gaps")

    def gone_back(self, versions: Mapping[str, int]) -> None:
        """Check all promises so far, then discard the commits lost by the store.

        versions: the last kept version of each match.
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
        """Check the answers to clients so far against the present commits."""
        tries = [self._as_it_counts(one) for one in self.history.kept()]
        matches = {match_id: _stored(commits) for match_id, commits in self.matches.items()}
        for finding in check_clients(tries, matches):
            self.demand(False, f"{finding.rule}: {finding.match}: {finding.text}")

    def _as_it_counts(self, one: Try) -> Try:
        """Return a try. Its outcome is unknown if the store has lost commits since it was sent.

        A commit refused in the lost history may land in this one. An acknowledged commit still
        counts if it was not lost.
        """
        if not self.is_excused(int(one.sent)) or self._stands(one):
            return one
        return replace(one, outcome=UNKNOWN, status=0, version=0, told=())

    def _stands(self, one: Try) -> bool:
        """Return True if all commits told to a try are present and were made by its own request.

        After a loss another request may make the same commit, to the byte.
        """
        return bool(one.told) and all(
            self.has(one.match, version, commit_hash)
            and self.matches[one.match][version - 1].command_id == command_id(one)
            for version, commit_hash in one.told
        )

    # ---- commits ------------------------------------------------------------------------------

    def told_commit(self, match_id: str, version: int, commit_hash: str, began_at: int) -> None:
        """Check that the answer about a commit is true.

        began_at: the time of the client's request. The answer may tell commits lost since then.
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
        """Check that a webhook call is about the newest version, or was when the call began.

        longest: the longest duration of one call.
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
        """Check the state after a commit, as shown to a seat (None: to the public)."""
        self.read += 1
        fact = self.known(commit_hash)
        if fact is None or state is None:
            return

        place = f"the state at version {fact.version} of {fact.match}"
        state_digest = hash_of(dict(state))
        if seat is None:
            is_right = state_digest == fact.content["view"]
            self.demand(is_right, f"{place} does not have the digest in its commit")

        earlier_digest = self._views.setdefault((commit_hash, seat), state_digest)
        self.demand(earlier_digest == state_digest, f"{place} was told in two ways")

        is_toy = "heads" in state
        if is_toy:
            own_card = None if seat is None else fact.hands.get(seat)
            is_own = state.get("card") == own_card
            self.demand(is_own, f"{place} shows seat {seat} a card that is not its own")

    # ---- commits as a reader sees them --------------------------------------------------------

    def told_shown(self, document: Mapping[str, Any], seat: int | None, began_at: int) -> None:
        """Check a commit as shown to a seat: all that the seat may know, and nothing else."""
        self.told_commit(document["match"], document["version"], document["hash"], began_at)
        fact = self.known(document["hash"])
        if fact is None:
            return

        command, events = as_seen(fact, seat)
        is_right = document["command"] == command and document["events"] == events
        complaint = f"{fact.name} was shown to seat {seat} with more or less than it may know"
        self.demand(is_right, complaint)

    def goes_on(self, document: Json, version: int, commit_hash: str) -> None:
        """Check that a follower's next commit follows the last one.

        version, commit_hash: of the last one.
        """
        follows = document["version"] == version + 1 and document["prev"] == commit_hash
        place = f"version {document['version']} of {document['match']}"
        self.demand(follows, f"a follower was told {place} after another history")

    def told_record_line(self, line: Json, seat: int | None, began_at: int) -> None:
        """Check a line of a record: the commit, and its reader's secrets or, at the end, all."""
        fact = self.known(line["hash"])
        if fact is None:
            return

        is_unchanged = line["commit"] == fact.content
        self.demand(is_unchanged, f"{fact.name} was exported with another content")

        secrets = line["secrets"]
        is_all_told = secrets == fact.secrets and self.may_be_revealed(fact.match, began_at)
        is_right = is_all_told or secrets == _secrets_of(fact, seat)
        complaint = f"{fact.name} was exported with more or less than seat {seat} may know"
        self.demand(is_right, complaint)

    # ---- lists --------------------------------------------------------------------------------

    def told_listed(self, document: Mapping[str, Any], began_at: int) -> None:
        """Check a list's entry of a match: its state after one of its commits."""
        version = document["version"]
        place = f"{document['match']} was listed at version {version}"
        is_excused = self.is_excused(began_at)

        commits = self.matches.get(document["match"], [])
        if version > len(commits):
            self.demand(is_excused, f"{place}, which is not there")
            return

        is_time_right = document["updated"] == commits[version - 1].content["time"]
        self.demand(is_time_right or is_excused, f"{place} with another time")


def _has(fact: Fact, kind: str) -> bool:
    """Return True if a commit has an event of a type."""
    return any(event["type"] == kind for event in fact.content["events"])


def _secrets_of(fact: Fact, seat: int | None) -> Json:
    """Return a commit's secret parts for a seat, by audience."""
    own_audience = f"seat:{seat}"
    return {audience: part for audience, part in fact.secrets.items() if audience == own_audience}


def _stored(commits: Sequence[Fact]) -> Stored:
    """Return a match in the form for the checker of promises."""
    versions = {fact.command_id: fact.version for fact in commits if fact.command_id}
    return Stored.of([fact.stored for fact in commits], versions)
