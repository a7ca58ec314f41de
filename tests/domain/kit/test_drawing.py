"""Random choices: which one, and with how many draws."""

from domain.kit import one_of, take_from


class Scripted:
    """A source of numbers given beforehand; it remembers below what each was asked for."""

    def __init__(self, *numbers: int) -> None:
        self.numbers = list(numbers)
        self.asked: list[int] = []

    def below(self, n: int) -> int:
        """Return the next number of the script."""
        self.asked.append(n)
        return self.numbers.pop(0)


def test_one_of_some_items_takes_one_draw_among_them() -> None:
    """The draw is the place of the item."""
    chance = Scripted(2)

    assert one_of(chance, ["wood", "brick", "marble"]) == "marble"
    assert chance.asked == [3]


def test_a_thing_taken_leaves_its_pile() -> None:
    """Each thing in the pile is as likely as any other; the pile holds one less of its kind."""
    chance = Scripted(2, 3)
    pile = [2, 0, 3]

    assert take_from(chance, pile) == 2
    assert pile == [2, 0, 2]
    assert take_from(chance, pile) == 2
    assert pile == [2, 0, 1]
    assert chance.asked == [5, 4]
