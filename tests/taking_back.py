"""Take-back by the use cases: a seat asks, agrees or refuses (M17)."""

from functools import partial

from domain.match.messages import AgreeTakeBack, AskTakeBack, RefuseTakeBack
from service.matches.command_handler import Committed, Submission
from service.matches.context import Context
from service.matches.moves import submit_of_seat


def ask(ctx: Context, submission: Submission, to: int) -> Committed:
    """Ask to go back to a version."""
    return submit_of_seat(ctx, submission, partial(AskTakeBack, to=to))


def agree(ctx: Context, submission: Submission) -> Committed:
    """Agree to another seat's request."""
    return submit_of_seat(ctx, submission, AgreeTakeBack)


def refuse(ctx: Context, submission: Submission) -> Committed:
    """Refuse a seat's request."""
    return submit_of_seat(ctx, submission, RefuseTakeBack)
