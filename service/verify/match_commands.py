"""Commands of the match and the event that each of them causes first (docs/fairness.md, section 2).

The event repeats the command, so no game is needed to compare the two.
"""

from collections.abc import Mapping
from typing import NamedTuple

from domain.match import messages
from domain.seats import HOUSE_ACTOR
from domain.wire import Message
from service.ledger.commit import Json, StoredCommit, canonical
from service.verify.report import Wrong


class _First(NamedTuple):
    """The event that a command causes first.

    Its members are those of the command, but for these.
    """

    tag: str
    in_command: frozenset[str]
    in_event: frozenset[str]


def _first(
    event: type[Message], in_command: tuple[str, ...] = (), in_event: tuple[str, ...] = ()
) -> _First:
    return _First(event.tag, frozenset(("type", *in_command)), frozenset(("type", *in_event)))


_FIRST_EVENTS: Mapping[object, _First] = {
    messages.Open.tag: _first(messages.MatchOpened, in_command=("base",), in_event=("hides",)),
    messages.Join.tag: _first(messages.SeatJoined),
    messages.Leave.tag: _first(messages.SeatLeft),
    messages.Pledge.tag: _first(messages.EntropyPledged),
    messages.Disclose.tag: _first(messages.EntropyDisclosed),
    messages.Lapse.tag: _first(messages.SeatLeft, in_command=("due",), in_event=("seat",)),
    messages.Start.tag: _first(messages.MatchStarted),
    messages.Abort.tag: _first(messages.MatchAborted),
    messages.Expire.tag: _first(messages.MatchExpired),
    messages.Replace.tag: _first(messages.SeatReplaced),
    messages.Restore.tag: _first(messages.SeatRestored),
    messages.RunOut.tag: _first(messages.TimeRanOut),
    messages.Return.tag: _first(messages.SeatRestored),
    messages.Resign.tag: _first(messages.SeatResigned, in_command=("level",)),
    messages.AskTakeBack.tag: _first(messages.TakeBackAsked),
    messages.AgreeTakeBack.tag: _first(messages.TakeBackAgreed),
    messages.RefuseTakeBack.tag: _first(messages.TakeBackRefused),
    messages.Reveal.tag: _first(messages.SecretsRevealed),
    messages.ReplaceToken.tag: _first(messages.TokenReplaced),
    messages.RevokeToken.tag: _first(messages.TokenRevoked),
    messages.EraseName.tag: _first(messages.NameErased),
}


def check_first_event(stored: StoredCommit) -> None:
    """Check that a command of the match and event 0 say the same. Raises Wrong.

    They hide nothing but the match's secret, which the opening hides for the house.
    """
    content = stored["commit"]
    command, events = content["command"], content["events"]
    tag = command.get("type")
    first = _FIRST_EVENTS.get(tag) if isinstance(tag, str) else None
    if first is None:
        return

    event = events[0] if events else {}
    is_told = event.get("type") == first.tag and canonical(
        _without(command, first.in_command)
    ) == canonical(_without(event, first.in_event))
    if not is_told:
        kind = event.get("type", "none")
        detail = f"its event 0 ({kind}) is not the one that its command causes"
        raise Wrong(content["version"], "events_differ", detail)

    for audience, part in stored["secrets"].items():
        places = part.keys() & {"command", "0"}
        is_opening = tag == messages.Open.tag and audience == HOUSE_ACTOR
        if places and not (
            is_opening and all(part[place].keys() == {"secret"} for place in places)
        ):
            detail = f"its secret part for {audience} is not the one that its command causes"
            raise Wrong(content["version"], "secrets_differ", detail)


def _without(message: Json, names: frozenset[str]) -> Json:
    return {name: value for name, value in message.items() if name not in names}
