"""Answers about play: states, commits, legal moves, previews and differences."""

from domain.story import Part
from service.api.contract.schemas import shape
from service.api.contract.schemas.shape import Answer
from service.api.contract.schemas.shown_matches import ReceiptSchema, WaitingForSchema
from service.matches import levels


class StateSchema(Answer):
    """The match at a version, as the caller may see it."""

    match = shape.match_id()
    game = shape.text("The game's key.")
    version = shape.count("The version that is shown.", 1)
    time = shape.time("When that version was made.")
    hash = shape.digest("The hash of the commit that made it.")
    status = shape.match_status()
    waiting_for = shape.nested(WaitingForSchema, "Whom the match waits for.")
    seat = shape.number("Whose view it is; null: anybody's.", allow_none=True)
    state = shape.an_object(
        "The game as the caller may see it; null before the start.", allow_none=True
    )
    known = shape.an_object(
        "What everybody knows who has followed the match, and no state shows; null before the "
        "start. No commit holds a digest of it.",
        allow_none=True,
    )


class StateListSchema(Answer):
    """A page of the states of a match, oldest first; the header Link leads on."""

    match = shape.match_id()
    states = shape.components("State", "The states, one for each version.")


class HeadingSchema(Answer):
    """What a sentence begins."""

    part = shape.one_word("Which part of the match.", tuple(part.value for part in Part))
    title = shape.text("The heading.")


class SentenceSchema(Answer):
    """An event in English."""

    text = shape.text("A sentence, or several where one would be too long.")
    rules = shape.texts("The rules that decided what happened.")
    heading = shape.nested(HeadingSchema, "Only where something begins.", required=False)


class StoryLineSchema(Answer):
    """A commit, told."""

    version = shape.count("The version that it made.", 1)
    time = shape.time("When it was made.")
    actor = shape.text("Who made it.")
    sentences = shape.many(SentenceSchema, "One for each event.")


class StorySchema(Answer):
    """A page of the story, oldest first."""

    match = shape.match_id()
    lines = shape.many(StoryLineSchema, "One for each commit.")


class CommitSchema(Answer):
    """One accepted command with the events that it caused, as the caller may see them."""

    match = shape.match_id()
    version = shape.count("The version that it made.", 1)
    time = shape.time("When it was made.")
    actor = shape.text("Who made it: seat:N, house, owner, or public for whoever joined.")
    command = shape.component("Command", "What was asked.")
    events = shape.components("Event", "What happened, in this order.")
    hash = shape.digest("Its own hash.")
    prev = shape.digest("The hash of the commit before it.")
    receipt = shape.nested(
        ReceiptSchema,
        "In the answer to whoever made it, and where one commit is asked for.",
        required=False,
    )


class CommitListSchema(Answer):
    """A page of the history, oldest first; the header Link leads on and back."""

    commits = shape.many(CommitSchema, "The commits.")


class LegalMovesSchema(Answer):
    """What the caller's seat may do now, each move as it may be posted."""

    game = shape.text("The game's key.")
    version = shape.count("The version that they belong to.", 1)
    waiting_for = shape.nested(WaitingForSchema, "Whom the match waits for.")
    moves = shape.components("Move", "The moves; [] if it may not act.")
    beyond = shape.an_object(
        "By command: what is legal beyond the listed moves, in the game's own terms."
    )
    seat = shape.number(
        "Whose moves they are; null: no seat's token was sent, so there are none.",
        allow_none=True,
    )


class PreviewSchema(Answer):
    """What a move would cause."""

    version = shape.count("The version that it was tried at.", 1)
    events = shape.components(
        "PreviewedEvent",
        "The events, each with what it would change as far as that is known.",
    )
    dry_run = shape.flag("True: nothing was committed.")


class ChangeSchema(Answer):
    """One operation of a JSON Patch (RFC 6902); `was` is what is replaced or removed."""

    op = shape.one_word("What to do.", ("add", "remove", "replace"))
    path = shape.text("A JSON pointer into the state.")
    value = shape.anything("What stands there afterwards, any JSON value; left out by `remove`.")
    was = shape.anything("What stood there before, any JSON value; left out by `add`.")


class ForetoldSchema(Answer):
    """What a preview says of an event beside the event itself."""

    sentence = shape.nested(SentenceSchema, "The event, told without what chance would decide.")

    drawn = shape.texts(
        "The fields that chance would decide, which are left out; only where there are any.",
        required=False,
    )
    changes = shape.many(
        ChangeSchema,
        "What the event changes in the state as the caller sees it: a JSON Patch (RFC 6902), to be "
        "applied to the state after the event before. Left out from the first event on that chance "
        "would decide: what would change from there on is not known.",
        required=False,
    )


class CandidateSchema(Answer):
    """A move that was weighed."""

    move = shape.component("Move", "The move, as it may be posted.")
    win_chance = shape.chance(
        "How likely its seat wins after it, as the bot estimates, 0 to 1; null: it is not weighed.",
        allow_none=True,
    )


class ThoughtSchema(Answer):
    """What a bot has thought before a move."""

    version = shape.count("The version that the move made.", 1)
    seat = shape.count("Whose move it was.")
    level = shape.one_word("The level of the bot.", levels.NAMES)
    iterations = shape.count("How often the bot has played on in its head.")
    best = shape.many(CandidateSchema, "The best moves that it weighed, the one it made first.")


class ThoughtListSchema(Answer):
    """A page of thoughts, oldest first; the header Link leads on."""

    thoughts = shape.many(ThoughtSchema, "The thoughts.")


class AdviceSchema(Answer):
    """What a strong bot would do on the caller's seat; it thinks until `status` is ready."""

    match = shape.match_id()
    version = shape.count("The version that it is for.", 1)
    seat = shape.count("Whose advice it is.")
    level = shape.one_word("The level of the bot.", levels.NAMES)
    status = shape.one_word("How far it is.", ("thinking", "ready"))
    iterations = shape.count("How often the bot has played on in its head.")
    best = shape.many(CandidateSchema, "The best moves, the one to make first; [] until ready.")


class DiffSchema(Answer):
    """What changed between two versions: what happened, and how the state that the caller sees
    changed.
    """

    match = shape.match_id()
    from_ = shape.count("The version that `changes` lead from.", 1, data_key="from")
    to = shape.count("The version that `changes` lead to; it may be the earlier one.", 1)
    commits = shape.many(CommitSchema, "The commits in between, the first of very many.")
    story = shape.many(StoryLineSchema, "The same commits, told.")
    changes = shape.many(
        ChangeSchema, "A JSON Patch that makes the state at `to` of that at `from`."
    )


class JoinedSchema(Answer):
    """A seat taken, and its token, which is told this once."""

    seat = shape.count("The number of the seat.")
    token = shape.text("The bearer token of the seat.")
    commit = shape.nested(CommitSchema, "The commit in which the seat was taken.")
