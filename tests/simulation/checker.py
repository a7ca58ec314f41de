"""What must hold of a run, told by what came in at the store and what went out to the clients.

The checker shares no code with the use cases. It keeps a history of its own, of the bytes that came
in at the store, and compares with it whatever a client is told.
"""

from collections.abc import Callable, Mapping
from typing import Any

from tests.simulation.appends import CheckedAppends
from tests.simulation.facts import Fact, Json, as_seen, digest


class Checker(CheckedAppends):
    """The history as it truly is, and what clients were told of it.

    acknowledged, read: how many commits and states clients were told of.
    """

    def __init__(
        self, now: Callable[[], int], on_failure: Callable[[], None], patience: int | None
    ) -> None:
        super().__init__(now, on_failure, patience)
        self.acknowledged = 0
        self.read = 0
        # The digest of each state that was told, by the commit's hash and the seat.
        self._views: dict[tuple[str, int | None], str] = {}
        # The hash that was answered, by match, actor and idempotency key.
        self._answers: dict[tuple[str, str, str], str] = {}
        # Match and version of each commit that was acknowledged and not lost, by its hash.
        self._acknowledged: dict[str, tuple[str, int]] = {}

    def gone_back(self, versions: Mapping[str, int]) -> None:
        """Discard what the store has lost: nobody can find that any more."""
        super().gone_back(versions)
        self._acknowledged = {
            commit_hash: (match_id, version)
            for commit_hash, (match_id, version) in self._acknowledged.items()
            if self.has(match_id, version, commit_hash)
        }

    # ---- commits ------------------------------------------------------------------------------

    def told_commit(self, match_id: str, version: int, commit_hash: str, began_at: int) -> bool:
        """Check that a client was told of a commit as it is; return whether it stands.

        began_at: when the client asked. What the journal has lost meanwhile may still be told.
        """
        if self.has(match_id, version, commit_hash):
            return True

        fact = self.known(commit_hash)
        was_true = fact is not None and (fact.match, fact.version) == (match_id, version)
        complaint = (
            f"version {version} of {match_id} was told as {commit_hash[:8]}, which is not there"
        )
        self.demand(was_true and self.is_excused(began_at), complaint)
        return False

    def acknowledges(self, match_id: str, version: int, commit_hash: str, began_at: int) -> None:
        """Check a commit that was acknowledged to a client."""
        self.acknowledged += 1
        stands = self.told_commit(match_id, version, commit_hash, began_at)
        if stands:
            self._acknowledged[commit_hash] = (match_id, version)

    def answers(self, match_id: str, actor: str, key: str, commit_hash: str) -> None:
        """Check that a key is always answered with the same commit, as long as that stands."""
        question = (match_id, actor, key)
        earlier_hash = self._answers.get(question, commit_hash)
        earlier = self.known(earlier_hash)
        stands = earlier is not None and self.has(match_id, earlier.version, earlier_hash)

        is_same = earlier_hash == commit_hash
        complaint = f"the key {key} of {actor} in {match_id} was answered with two commits"
        self.demand(is_same or not stands, complaint)
        self._answers[question] = commit_hash

    def check_acknowledged(self) -> None:
        """Check at the end that every acknowledged commit stands at its version."""
        for commit_hash, (match_id, version) in self._acknowledged.items():
            stands = self.has(match_id, version, commit_hash)
            self.demand(stands, f"the acknowledged commit {version} of {match_id} is gone")

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
        state_digest = digest(state)
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


def _secrets_of(fact: Fact, seat: int | None) -> Json:
    """Return the secret parts of a commit that a seat may know, by audience."""
    own_audience = f"seat:{seat}"
    return {audience: part for audience, part in fact.secrets.items() if audience == own_audience}
