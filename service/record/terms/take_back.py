"""Take-back in the service (M17).

The metadata field `take_back` holds the version of an open ask, and the seats that have yet to
agree. Without an ask there is no such field.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import orjson

from domain.match.messages import AskTakeBack
from domain.match.state import Match
from domain.match.terms import ask_of
from domain.match.terms.take_back import OPTIONS, OWN, Ask, TakeBack, asked_to_agree
from service.base import answers
from service.base.errors import Invalid, Mistake
from service.base.metadata_fields import ASK
from service.record.commit import Json
from service.record.terms.side import Plans, Side

OFF = "off"  # value of a request without take-back


class TakeBackSide(Side[TakeBack, str]):
    """The side of take-back. "own" or "consent" requests it."""

    kind = TakeBack
    name = TakeBack.name
    is_rated = False
    news_fields = (ASK,)
    limited_deeds = {AskTakeBack: "moves are taken back"}

    def changed_fields(self, before: Match | None, after: Match) -> dict[str, str | None]:
        """Return the field of the ask, {} if the ask has not changed."""
        ask = ask_of(after)
        if ask == (ask_of(before) if before else None):
            return {}
        if ask is None:
            return {ASK: None}
        return {ASK: orjson.dumps({"to": ask.to, "seats": asked_to_agree(after)}).decode()}

    def document(self, _match: Match, term: TakeBack, answer: answers.Match) -> None:
        """Add option, reach, refusals, ask, and versions taken back."""
        option: Literal["own", "consent"] = "own" if term.option == OWN else "consent"
        answer["take_back"] = {
            "option": option,
            "earliest": term.earliest,
            "house_at": term.house_versions,
            "refused": list(term.barred_seats),
            "ask": _shown(term.ask) if term.ask is not None else None,
            "taken_back": list(term.gone),
        }

    def state(self, term: TakeBack, answer: answers.State) -> None:
        """Add the ask, if there is one."""
        if term.ask is not None:
            answer["take_back_ask"] = _shown(term.ask)

    def news(
        self, metadata: Mapping[str, str], seat: int | None, standing: answers.MatchNews
    ) -> Iterable[answers.MatchNews]:
        """Return `take_back` if the seat is asked to agree."""
        to = ask_version(metadata.get(ASK, ""), seat)
        return () if to is None else ({**standing, "event": "take_back", "to": to},)

    def is_request(self, value: object) -> bool:
        """Return True unless a request has no value, or OFF."""
        return value not in (None, OFF)

    def request_for(self, term: TakeBack) -> str:
        """Return the option."""
        return term.option

    def fingerprint(self, value: str) -> object:
        """Return the requested option under its name."""
        return {"take_back": value}

    def open_members(self, value: str, _plans: Plans, _levels: Sequence[str]) -> Json:
        """Return the option. Raises Invalid."""
        if value not in OPTIONS:
            choices = (OFF, *OPTIONS)
            raise Invalid(Mistake("/take_back", f"must be one of {', '.join(choices)}"))
        return {"take_back": value}


def ask_version(field: str, seat: int | None) -> int | None:
    """Return the version of an ask to a seat, None if the seat is not asked.

    field: the metadata field ASK, "" for none.
    """
    if not field or seat is None:
        return None
    ask: Json = orjson.loads(field)
    to: int = ask["to"]
    return to if seat in ask["seats"] else None


def _shown(ask: Ask) -> answers.TakeBackAsk:
    """Return an ask for an answer."""
    return {"seat": ask.seat, "to": ask.to, "agreed": list(ask.agreed)}
