"""Submissions: commands from the callers of operations, with their idempotency keys."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import wraps

from flask import Response

from service.api.contract.operations import View
from service.api.contract.parameters import Expected
from service.api.http.context import token_for
from service.api.http.requests import idempotency_lock
from service.matches.command_handler import Submission


def with_submission(view: View) -> View:
    """Hand a view the submission in place of match, If-Match, key and signature.

    This decorator stands below `operation`. The idempotency key is locked until the response is
    made. Raises the errors of `held_submission`.
    """

    @wraps(view)
    def run(
        match: str,
        if_match: Expected,
        idempotency_key: str = "",
        giornale_signature: str = "",
        **others: object,
    ) -> Response:
        with held_submission(match, if_match, idempotency_key, giornale_signature) as submission:
            return view(submission, **others)

    return run


@contextmanager
def held_submission(
    match: str, expected: Expected, key: str, signature: str = ""
) -> Iterator[Submission]:
    """Yield the submission of the request's caller, with its idempotency key locked meanwhile.

    Raises Unauthorized, Forbidden, and InProgress if another request has locked the key.
    """
    submission = submission_of(match, expected, key, signature)
    with idempotency_lock(match, submission.token, key):
        yield submission


def submission_of(match: str, expected: Expected, key: str, signature: str = "") -> Submission:
    """Return the submission of the request's caller. Raises Unauthorized and Forbidden."""
    return Submission(match, token_for(match), expected.version, key, expected.hash, signature)
