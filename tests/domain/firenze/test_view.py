"""What everybody sees (F44), and what the one who may build is told (F19)."""

from domain.firenze import GAME
from domain.firenze.components import Card
from domain.game import preview
from tests.domain.firenze.table import RED, deal, raise_tower, table


def test_everybody_sees_everything_but_future_draws() -> None:
    """F44: hands, storehouses and pouch are public; what a command would draw is left out of a preview."""
    state = table()
    deal(state, 1, Card.SCANDAL, Card.WORKSHOP)
    public = GAME.view(state, None)
    assert public == GAME.view(state, 0) == GAME.view(state, 1)
    other = public["players"][1]
    assert (other["hand"], other["buildings"], other["storehouse"]) == (["scandal"], ["workshop"], {"white": 3})
    assert sum(public["pouch"].values()) == sum(state.pouch)
    command = GAME.legal_moves(state, 0)[0]
    hidden = {type(event).tag: names for event, names in preview(GAME, state, command, _Nothing()) if names}
    assert hidden == {"row_refilled": ("card", "bricks")}


class _Nothing:
    """Chance that always draws the first."""

    def below(self, _n: int) -> int:
        return 0


def test_who_may_build_is_told_what_can_be_built() -> None:
    """F19: bricks, towers, costs and how many can be paid for, for the seat that may build and nobody else."""
    state = table(step="build")
    raise_tower(state, 0, RED, 2, idle=True)
    told = GAME.view(state, 0)["build"]
    assert (told["bricks"], told["free"], told["most"]) == ({"white": 2}, 2, 2)
    assert told["towers"] == [{"tower": 0, "colour": "red", "height": 2, "lost_unless_raised": True}]
    assert "build" not in GAME.view(state, 1)
