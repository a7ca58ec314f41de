"""What can be wrong about an arena; each message is a sentence for whoever asked for it."""


class ArenaError(Exception):
    """The arena cannot do what it was asked for; the message says why, and what it can."""


class BadWish(ArenaError):
    """There is no such level, pair or number of seats."""


class OtherArena(ArenaError):
    """The directory holds something else, or another arena is at work in it."""


class BadResults(ArenaError):
    """The results in a directory cannot be read."""


class MatchFailed(ArenaError):
    """A match could not be played to its end; the message holds the traceback."""
