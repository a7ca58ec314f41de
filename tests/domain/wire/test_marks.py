"""Marks on fields say who sees them and what chance decides."""

import pytest

from domain import wire
from tests.domain.wire.stones import LAID, Gone, Laid, Stone


@pytest.mark.parametrize(
    ("viewer", "hidden"),
    [(1, Stone.ROUGH), (0, None), (None, None)],
    ids=["own", "other", "public"],
)
def test_redaction_keeps_secrets_from_all_but_their_audience(
    viewer: int | None, hidden: Stone | None
) -> None:
    """A seat sees its own secret, nobody sees the house's, all else stays."""
    seen = wire.redact(LAID, viewer)
    assert seen.hidden == hidden
    assert seen.boxed is None
    assert seen.drawn == Stone.CUT
    assert seen.words == LAID.words


def test_a_message_without_secrets_is_shown_as_it_is() -> None:
    """There is nothing to copy."""
    message = Gone()
    assert wire.redact(message, None) is message


def test_secret_fields_name_their_audiences() -> None:
    """The seat that the message names, or the house."""
    assert wire.secret_fields(Laid) == (("hidden", "seat"), ("boxed", "house"))
    assert wire.secret_fields(Gone) == ()


def test_drawn_fields_are_known() -> None:
    """A preview leaves out what chance decides, be it secret or public."""
    assert wire.drawn_fields(Laid) == ("hidden", "drawn")
    assert wire.drawn_fields(Gone) == ()
