"""Foreign rules: matches opened by another release, or of a game no longer installed.

Such matches cannot be folded here, so they do not move on. Their commits and records can be read.
"""

from collections import Counter
from time import monotonic

from domain.errors import RulesUnknown
from domain.games import RULES
from domain.match.match_rules import read_match_rules
from service.matches.context import Context, MatchCache
from service.record.commit import StoredCommit, parse_commit, rules_of as rules_named_by
from service.store.journal.errors import ArchiveDamaged
from service.store.journal.ports import Journal

MOST_GOING_ON = 1_000  # matches that the scheduler will look at again, the next due first
MOST_PUBLIC = 200  # newest public matches, including ended matches
LOOK_AGAIN_SECONDS = 60.0
_EVER = 2**53 - 1


def in_journal(journal: Journal, cache: MatchCache) -> str:
    """Return a sentence with the names of unknown rules in a journal, "" for none.

    Only some matches are looked at, and no archived matches. Raises JournalUnavailable.
    """
    public = [match for _, match in journal.index.listing("", None, MOST_PUBLIC)]
    counts: Counter[str] = Counter()
    for match in {*journal.index.idle(_EVER, MOST_GOING_ON), *public}:
        unknown = _unknown(journal, cache, match)
        if unknown:
            counts[unknown] += 1

    if not counts:
        return ""
    names = ", ".join(f"{name} (matches: {number})" for name, number in sorted(counts.items()))
    return f"rules unknown to this release: {names}. Run a release that knows them"


def _unknown(journal: Journal, cache: MatchCache, match: str) -> str:
    """Return the name of a match's unknown rules.

    Return "" if all rules are known, and for a match that is archived, gone or damaged.
    """
    unknown = cache.unknown_rules.get(match)
    if unknown is not None:
        return unknown
    try:
        if journal.lifecycle.archived(match) is not None:
            return ""
        commits = journal.events.read(match, 0, 1)
    except ArchiveDamaged:
        return ""
    if not commits:
        return ""
    try:
        unknown = _unknown_in(parse_commit(commits[0]))
    except (ValueError, LookupError, TypeError):  # audits find damaged commits
        return ""
    cache.unknown_rules.put(match, unknown)
    return unknown


def _unknown_in(first: StoredCommit) -> str:
    """Return the name of the unknown rules in a first commit, "" if all rules are known.

    Raises LookupError or TypeError for a damaged commit.
    """
    rules = rules_named_by(first)
    if rules not in RULES:
        return rules
    try:
        read_match_rules(first["commit"]["events"][0].get("match_rules"))
    except RulesUnknown as error:
        return error.name
    return ""


def recent(ctx: Context) -> str:
    """Return the result of `in_journal`, at most a minute old. Raises JournalUnavailable."""
    cache = ctx.cache
    if monotonic() >= cache.foreign_until:
        cache.foreign = in_journal(ctx.journal, cache)
        cache.foreign_until = monotonic() + LOOK_AGAIN_SECONDS
    return cache.foreign
