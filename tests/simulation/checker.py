"""What must hold of a run, told by what came in at the store and what went out to the clients.

The checker shares no code with the use cases. It keeps a history of its own, of the bytes that came
in at the store.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from service.journal.values import Entry
from tests.simulation.facts import Fact, Intent, Json, as_seen, command_text, digest, fact_of


class Checker:
    """The history as it truly is, and what clients were told of it.

    failure: the first fact that failed, "" as long as all hold.
    patience: seconds after which a match that was left alone may be ended, 0 for never; None where
        clocks are wrong, because then nobody knows.
    acknowledged, read: how many commits and states clients were told of.
    """

    def __init__(
        self, now: Callable[[], int], on_failure: Callable[[], None], patience: int | None
    ) -> None:
        self.patience = patience
        self.failure = ""
        self.acknowledged = 0
        self.read = 0
        self.gone_back_at = -1
        self.matches: dict[str, list[Fact]] = {}
        self._by_hash: dict[str, Fact] = {}
        self._command_ids: dict[tuple[str, str], int] = {}
        self._intents: Counter[Intent] = Counter()
        self._made: Counter[Intent] = Counter()
        self._views: dict[tuple[str, int | None], str] = {}
        self._answers: dict[tuple[str, str, str], str] = {}
        self._kept_acknowledged: dict[str, tuple[str, int]] = {}
        self._now = now
        self._on_failure = on_failure

    def demand(self, holds: bool, fact: str) -> None:
        """Note the first fact that does not hold."""
        if not holds and not self.failure:
            self.failure = fact
            self._on_failure()

    # ---- what the store took ----------------------------------------------------------------

    def stored(self, entry: Entry) -> None:
        """Take in a commit, and check its form, its place and that somebody wanted it."""
        fact = fact_of(entry, self._by_hash)
        history = self.matches.setdefault(entry.match, [])
        self._check_form(fact, history)
        self._check_patience(fact, history)
        self._check_wanted(fact)

        history.append(fact)
        self._by_hash[fact.hash] = fact

    def _check_form(self, fact: Fact, history: Sequence[Fact]) -> None:
        place = f"commit {fact.version} of {fact.match}"
        content = fact.content
        version = len(history) + 1
        before = history[-1] if history else None

        self.demand(fact.version == version, f"{place} was stored as commit {version}")
        self.demand(content["match"] == fact.match, f"{place} is of another match")
        self.demand(digest(content) == fact.hash, f"{place} is not what its hash was made of")
        prev = before.hash if before else ""
        self.demand(content["prev"] == prev, f"{place} does not follow the commit before it")
        if before is not None:
            in_order = before.content["time"] <= content["time"]
            self.demand(in_order, f"{place} is older than the commit before it")
        for audience, part in fact.secrets.items():
            fits = digest(part) == content["secrets"].get(audience)
            self.demand(fits, f"a secret part of {place} does not fit its digest")

    def _check_patience(self, fact: Fact, history: Sequence[Fact]) -> None:
        """Check that the house ends no match before it was left alone for long enough."""
        if fact.content["command"]["type"] != "expire" or self.patience is None:
            return
        alone = (fact.time - history[-1].time).total_seconds()
        detail = f"{fact.match} was ended after it was left alone for {alone} seconds"
        self.demand(alone >= self.patience > 0, detail)

    def _check_wanted(self, fact: Fact) -> None:
        """Check that no request makes two commits."""
        place = f"commit {fact.version} of {fact.match}"
        if fact.command_id:
            key = (fact.match, fact.command_id)
            is_new = key not in self._command_ids
            self.demand(is_new, f"{place} was made by a command id that had made another one")
            self._command_ids[key] = fact.version

        if self._is_humans(fact):
            self._made[fact.intent] += 1
            wanted = self._made[fact.intent] <= self._intents[fact.intent]
            self.demand(wanted, f"{place} was made once more than anybody wanted it")

    def _is_humans(self, fact: Fact) -> bool:
        """Return whether a human is behind a commit: house and bots move without anybody's will."""
        actor = fact.content["actor"]
        before = self._by_hash.get(fact.content["prev"])
        bots = before.bots if before else frozenset()
        return actor != "house" and actor not in {f"seat:{seat}" for seat in bots}

    def gone_back(self, versions: Mapping[str, int]) -> None:
        """Discard what the store has lost: all after a version of each match."""
        self.gone_back_at = self._now()
        for match, history in list(self.matches.items()):
            del history[versions.get(match, 0) :]
            if not history:
                del self.matches[match]

        kept = [fact for history in self.matches.values() for fact in history]
        self._made = Counter(fact.intent for fact in kept if self._is_humans(fact))
        self._command_ids = {
            (fact.match, fact.command_id): fact.version for fact in kept if fact.command_id
        }
        kept_hashes = {fact.hash for fact in kept}
        self._kept_acknowledged = {
            commit_hash: place
            for commit_hash, place in self._kept_acknowledged.items()
            if commit_hash in kept_hashes
        }

    # ---- what clients want and are told -----------------------------------------------------

    def intends(self, match: str, actor: str, command: Mapping[str, Any]) -> None:
        """Note that somebody wants a command once."""
        self._intents[match, actor, command_text(command)] += 1

    def refused(self, match: str, actor: str, command: Mapping[str, Any]) -> None:
        """Note that a request was refused for good: it has made no commit, and makes none."""
        intent = (match, actor, command_text(command))
        self._intents[intent] -= 1
        detail = f"a request of {actor} in {match} was refused and has made a commit all the same"
        self.demand(self._made[intent] <= self._intents[intent], detail)

    def told_commit(self, match: str, version: int, commit_hash: str, began: int) -> bool:
        """Check that a client was told of a commit as it is; return whether it stands.

        began: when the client asked. What the journal has lost meanwhile may still be told.
        """
        if self._stands(match, version, commit_hash):
            return True

        known = self._by_hash.get(commit_hash)
        was_true = known is not None and (known.match, known.version) == (match, version)
        excused = was_true and began <= self.gone_back_at
        detail = f"version {version} of {match} was told as {commit_hash[:8]}, which is not there"
        self.demand(excused, detail)
        return False

    def acknowledges(self, match: str, version: int, commit_hash: str, began: int) -> None:
        """Check a commit that was acknowledged to a client."""
        self.acknowledged += 1
        if self.told_commit(match, version, commit_hash, began):
            self._kept_acknowledged[commit_hash] = (match, version)

    def answers(self, match: str, actor: str, key: str, commit_hash: str) -> None:
        """Check that a key is always answered with the same commit, as long as that stands."""
        place = (match, actor, key)
        earlier = self._answers.get(place, commit_hash)
        fact = self._by_hash.get(earlier)
        stands = fact is not None and self._stands(match, fact.version, earlier)
        self.demand(
            earlier == commit_hash or not stands,
            f"the key {key} of {actor} in {match} was answered with two commits",
        )
        self._answers[place] = commit_hash

    def told_view(self, commit_hash: str, seat: int | None, state: Json | None) -> None:
        """Check what a seat (None: the public) was shown of the state after a commit."""
        self.read += 1
        fact = self._by_hash.get(commit_hash)
        if fact is None or state is None:
            return
        place = f"the state at version {fact.version} of {fact.match}"
        shown = digest(state)
        if seat is None:
            fits = shown == fact.content["view"]
            self.demand(fits, f"{place} is not the one that its commit has the digest of")

        before = self._views.setdefault((commit_hash, seat), shown)
        self.demand(before == shown, f"{place} was told in two ways")
        if "heads" in state:
            self._check_toy(fact, seat, state, place)

    def _check_toy(self, fact: Fact, seat: int | None, state: Json, place: str) -> None:
        """Check that a seat of the toy sees its own card and no other."""
        hands = {} if seat is None else fact.hands
        expected = hands.get(seat) if seat is not None else None
        fits = state.get("card") == expected
        self.demand(fits, f"{place} shows seat {seat} a card that is not its own")

    def told_shown(self, shown: Json, seat: int | None, began: int) -> None:
        """Check a commit as it was shown to a seat: what it may know, and nothing else."""
        self.told_commit(shown["match"], shown["version"], shown["hash"], began)
        fact = self._by_hash.get(shown["hash"])
        if fact is None:
            return
        command, events = as_seen(fact, seat)
        place = f"commit {fact.version} of {fact.match}"
        fits = shown["command"] == command and shown["events"] == events
        self.demand(fits, f"{place} was shown to seat {seat} with more or less than it may know")

    def told_record_line(self, stored: Json, seat: int | None) -> None:
        """Check that a line of a record has the secret parts of its reader, or all at the end."""
        fact = self._by_hash.get(stored["hash"])
        if fact is None:
            return
        own = set() if seat is None else {f"seat:{seat}"}
        may_see = own & set(fact.secrets)
        shown = stored["secrets"]
        is_revealed = self._is_revealed(fact.match)
        fits = set(shown) == may_see or is_revealed
        place = f"commit {fact.version} of {fact.match}"
        self.demand(fits, f"{place} was exported with more or less than seat {seat} may know")

    def told_listed(self, shown: Json, began: int) -> None:
        """Check what a list says of a match: where it stood after one of its commits."""
        history = self.matches.get(shown["id"], [])
        version = shown["version"]
        if version > len(history):
            excused = began <= self.gone_back_at
            self.demand(
                excused, f"{shown['id']} was listed at version {version}, which is not there"
            )
            return
        content = history[version - 1].content
        fits = shown["updated"] == content["time"] or began <= self.gone_back_at
        self.demand(fits, f"{shown['id']} was listed at version {version} with another time")

    def goes_on(self, shown: Json, version: int, commit_hash: str) -> None:
        """Check that a commit told to a follower follows upon the last one that was told."""
        follows = shown["version"] == version + 1 and shown["prev"] == commit_hash
        place = f"version {shown['version']} of {shown['match']}"
        self.demand(follows, f"a follower was told {place} after another history")

    def _is_revealed(self, match: str) -> bool:
        last = self.matches[match][-1] if match in self.matches else None
        return last is not None and last.content["events"][-1]["type"] == "secrets_revealed"

    def check_acknowledged(self) -> None:
        """Check at the end that every acknowledged commit stands at its version."""
        for commit_hash, (match, version) in self._kept_acknowledged.items():
            stands = self._stands(match, version, commit_hash)
            self.demand(stands, f"the acknowledged commit {version} of {match} is gone")

    def _stands(self, match: str, version: int, commit_hash: str) -> bool:
        """Return whether a commit is part of the history as it is."""
        history = self.matches.get(match, [])
        return 1 <= version <= len(history) and history[version - 1].hash == commit_hash
