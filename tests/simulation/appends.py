"""What must hold of every commit that the store takes: its form, its place and that it was wanted.

Whoever wants something says so before the request is sent. Commits are counted against that.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from service.journal.values import Entry
from tests.simulation.facts import Fact, Intent, command_text, digest, fact_of
from tests.simulation.history import History


class CheckedAppends(History):
    """The history, each commit of which is checked when it comes in.

    patience: seconds after which a match that was left alone may be ended, 0 for never; None where
        clocks are wrong, because then nobody knows.
    """

    def __init__(
        self, now: Callable[[], int], on_failure: Callable[[], None], patience: int | None
    ) -> None:
        super().__init__(now, on_failure)
        self.patience = patience
        self._versions_by_command: dict[tuple[str, str], int] = {}
        self._wanted: Counter[Intent] = Counter()
        self._refused: Counter[Intent] = Counter()
        self._made: Counter[Intent] = Counter()

    # ---- what clients want --------------------------------------------------------------------

    def intends(self, match_id: str, actor: str, command: Mapping[str, Any]) -> None:
        """Note that somebody wants a command once."""
        intent = (match_id, actor, command_text(command))
        self._wanted[intent] += 1

    def refused(self, match_id: str, actor: str, command: Mapping[str, Any]) -> None:
        """Note that a request was refused for good: it has made no commit, and makes none."""
        intent = (match_id, actor, command_text(command))
        self._refused[intent] += 1

        complaint = (
            f"a request of {actor} in {match_id} was refused and has made a commit all the same"
        )
        self.demand(self._is_wanted(intent), complaint)

    # ---- what the store took ------------------------------------------------------------------

    def stored(self, entry: Entry) -> None:
        """Take in a commit, and check its form, its place and that somebody wanted it."""
        fact = fact_of(entry, self._by_hash)
        earlier = self.matches.setdefault(entry.match, [])

        self._check_place(fact, earlier)
        self._check_digests(fact)
        self._check_patience(fact, earlier)
        self._check_command_id(fact)
        self._check_wanted(fact)

        earlier.append(fact)
        self._by_hash[fact.hash] = fact

    def _check_place(self, fact: Fact, earlier: Sequence[Fact]) -> None:
        """Check that a commit is the next one of its match."""
        content = fact.content
        next_version = len(earlier) + 1
        last_hash = earlier[-1].hash if earlier else ""
        last_time = earlier[-1].content["time"] if earlier else ""

        is_next = fact.version == next_version
        self.demand(is_next, f"{fact.name} was stored as commit {next_version}")
        is_of_match = content["match"] == fact.match
        self.demand(is_of_match, f"{fact.name} is of another match")
        follows = content["prev"] == last_hash
        self.demand(follows, f"{fact.name} does not follow the commit before it")
        is_in_order = last_time <= content["time"]
        self.demand(is_in_order, f"{fact.name} is older than the commit before it")

    def _check_digests(self, fact: Fact) -> None:
        """Check the hash of a commit, and the digests of its secret parts."""
        is_hash_right = digest(fact.content) == fact.hash
        self.demand(is_hash_right, f"{fact.name} is not what its hash was made of")

        digests = {audience: digest(part) for audience, part in fact.secrets.items()}
        are_digests_right = digests == fact.content["secrets"]
        self.demand(are_digests_right, f"a secret part of {fact.name} does not fit its digest")

    def _check_patience(self, fact: Fact, earlier: Sequence[Fact]) -> None:
        """Check that the house ends no match before it was left alone for long enough."""
        is_expiry = fact.content["command"]["type"] == "expire"
        if not is_expiry or self.patience is None:
            return

        alone_seconds = (fact.time - earlier[-1].time).total_seconds()
        complaint = f"{fact.match} was ended after it was left alone for {alone_seconds} seconds"
        self.demand(alone_seconds >= self.patience > 0, complaint)

    def _check_command_id(self, fact: Fact) -> None:
        """Check that no command id makes two commits."""
        if not fact.command_id:
            return

        command = (fact.match, fact.command_id)
        is_new = command not in self._versions_by_command
        self.demand(is_new, f"{fact.name} was made by a command id that had made another one")
        self._versions_by_command[command] = fact.version

    def _check_wanted(self, fact: Fact) -> None:
        """Check that no request makes two commits."""
        if not self._is_humans(fact):
            return

        self._made[fact.intent] += 1
        is_wanted = self._is_wanted(fact.intent)
        self.demand(is_wanted, f"{fact.name} was made once more than anybody wanted it")

    def _is_wanted(self, intent: Intent) -> bool:
        """Return whether a command was made at most as often as it was wanted and not refused."""
        return self._made[intent] <= self._wanted[intent] - self._refused[intent]

    def _is_humans(self, fact: Fact) -> bool:
        """Return whether a human is behind a commit: house and bots move by themselves."""
        actor = fact.content["actor"]
        before = self._by_hash.get(fact.content["prev"])
        bots = before.bots if before else frozenset()
        bot_actors = {f"seat:{seat}" for seat in bots}
        return actor != "house" and actor not in bot_actors

    def gone_back(self, versions: Mapping[str, int]) -> None:
        """Discard what the store has lost: all after a version of each match."""
        self.gone_back_at = self._now()
        self.revealed_before |= set(filter(self._is_revealed, self.matches))

        for match_id, commits in list(self.matches.items()):
            kept_version = versions.get(match_id, 0)
            del commits[kept_version:]
            if not commits:
                del self.matches[match_id]

        # A refusal was of the history that is lost: what is still under way may land in this one.
        self._refused.clear()
        self._made.clear()
        self._versions_by_command.clear()
        for commits in self.matches.values():
            for fact in commits:
                self._count_again(fact)

    def _count_again(self, fact: Fact) -> None:
        """Count a commit that the store has kept."""
        if self._is_humans(fact):
            self._made[fact.intent] += 1
        if fact.command_id:
            command = (fact.match, fact.command_id)
            self._versions_by_command[command] = fact.version
