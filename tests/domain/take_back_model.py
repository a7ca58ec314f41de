"""A model of take-back (M17): it keeps every state, and works nothing out ahead."""

from typing import Any

Made = tuple[int, int]  # the human who has moved, -1 for house and bots, and the turn


class Model:
    """M17's rules for a match that has started at version 1.

    states: the game's at each version. moved: the mover of each standing commit. gone: the versions
    that were taken back. floor: nothing goes back over this version. is_new: by match rules 2.
    house: the versions at which the house acts. refused: the seats with a refused ask since the
    last move.
    """

    def __init__(self, option: str, state: Any, *, is_new: bool, is_house: bool) -> None:
        self.option = option
        self.is_new = is_new
        self.house = {1} if is_house else set[int]()
        self.refused: set[int] = set()
        self.states: dict[int, Any] = {1: state}
        self.moved: dict[int, Made | None] = {}
        self.gone: set[int] = set()
        self.floor = 1
        self.asked: tuple[int, int] | None = None
        self.agreed: set[int] = set()

    @property
    def standing(self) -> list[int]:
        """The standing versions after the start in which the game went on."""
        return [version for version, move in self.moved.items() if move]

    def ask(self, seat: int, to: int, humans: set[int]) -> str:
        """Return the result of an ask: "taken_back_now", "asked", or the code of its refusal."""
        if seat not in humans:
            return "seat_held_by_bot"
        if self.asked:
            return "take_back_asked"
        if to in self.gone:
            return "taken_back"
        if to < self.floor:
            return "too_far_back"

        later = {move for version, move in self.moved.items() if version > to and move}
        if not later:
            return "nothing_to_take_back"
        if self.is_new and to in self.house:
            return "house_awaited"
        is_own = len(later) == 1 and all(mover == seat for mover, _turn in later)
        if not is_own and self.option == "own":
            return "not_your_moves"
        if self.is_new and not is_own and seat in self.refused:
            return "take_back_refused"
        return "taken_back_now" if is_own or humans == {seat} else "asked"

    def agree(self, seat: int, humans: set[int]) -> str:
        """Return the result of agreeing: "taken_back_now", "agreed", or the refusal's code."""
        if seat not in humans:
            return "seat_held_by_bot"
        if not self.asked:
            return "nothing_asked"
        if seat == self.asked[0] or seat in self.agreed:
            return "agreed_already"
        everybody = {self.asked[0], seat, *self.agreed}
        return "taken_back_now" if humans <= everybody else "agreed"

    def refuse(self, seat: int, humans: set[int]) -> str:
        """Return the result of refusing: "refused", or the code if that is refused itself."""
        if seat not in humans:
            return "seat_held_by_bot"
        return "refused" if self.asked else "nothing_asked"

    def go_back(self, version: int, to: int) -> None:
        """Note the commit that takes back all commits after a version."""
        self.states[version] = self.states[to]
        if to in self.house:
            self.house.add(version)
        later = [one for one in self.moved if one > to]
        self.gone.update(later)
        for one in later:
            del self.moved[one]
        self.moved[version] = None
        self.asked = None

    def go_on(self, version: int, state: Any, move: Made | None, *, is_barrier: bool) -> None:
        """Note any other commit. move: its mover and turn, None for nobody."""
        self.states[version] = state
        self.moved[version] = move
        if move:
            self.asked = None
            self.refused.clear()
        if is_barrier:
            self.floor = version
