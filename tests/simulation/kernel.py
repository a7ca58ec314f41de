"""Virtual time, and strands of work. A seeded scheduler lets one of them go on at a time.

A strand runs until it pauses or parks. The next strand follows from the appointed times, and from
the seed if these are equal. Times are whole microseconds.
"""

from collections.abc import Callable
from heapq import heappop, heappush
from random import Random

from greenlet import GreenletExit, getcurrent, greenlet

SECOND = 1_000_000
MILLISECOND = 1_000
NEVER = -1

Action = Callable[[], None]


class Died(BaseException):
    """The process of a strand at work has crashed.

    It is no Exception: no code of a process survives the process.
    """


class Strand:
    """A line of work that can be interrupted at its calls of a port.

    turn: the number of times it was let go on. An appointment made for an earlier turn is void.
    """

    def __init__(self, name: str, work: Action, hub: greenlet) -> None:
        self.name = name
        self.turn = 0
        self.greenlet = greenlet(work, hub)


# Time, then a lot and a number that order appointments of one time. Then the strand and the turn of
# the appointment, or else the action.
Appointment = tuple[int, float, int, Strand | None, int, Action | None]


class Kernel:
    """The scheduler.

    now: the virtual time.   current: the strand at work.
    stopped: nothing goes on any more.
    """

    def __init__(self, random: Random) -> None:
        self.now = 0
        self.stopped = False
        self.current: Strand | None = None

        self._random = random.random
        self._hub = getcurrent()
        self._strands: list[Strand] = []
        self._until = 0

        # The appointments, the next one first, and how many there were in all.
        self._due: list[Appointment] = []
        self._appointments = 0

    def spawn(self, name: str, work: Action, after: int = 0) -> Strand:
        """Begin a strand after some time."""
        strand = Strand(name, work, self._hub)
        self._strands.append(strand)
        self.unpark(strand, after)
        return strand

    def at(self, time: int, action: Action) -> None:
        """Do something at a time, outside of any strand. It must call no port."""
        self._appointments += 1
        heappush(self._due, (time, self._random(), self._appointments, None, 0, action))

    def pause(self, microseconds: int) -> None:
        """Let others go on for some time. Raises Died if the process crashes meanwhile."""
        strand = self.current
        assert strand is not None
        time = self.now + microseconds
        if self._is_first(time):
            self.now = time  # nobody else is due before: there is no need to switch
            return

        self.unpark(strand, microseconds)
        self._hub.switch()

    def _is_first(self, time: int) -> bool:
        """Return True if nothing is appointed before a time or at it."""
        due = self._due
        return time <= self._until and not self.stopped and (not due or time < due[0][0])

    def park(self) -> None:
        """Let others go on until somebody calls `unpark` for the current strand."""
        self._hub.switch()

    def unpark(self, strand: Strand, after: int = 0) -> None:
        """Let a strand go on after some time, unless it goes on before for another reason."""
        self._appointments += 1
        time = self.now + after
        heappush(self._due, (time, self._random(), self._appointments, strand, strand.turn, None))

    def kill(self, strand: Strand) -> None:
        """Let Died be raised in a strand. Must be called outside of any strand."""
        strand.turn += 1
        if strand.greenlet:
            until = self._until
            self._until = NEVER  # the strand must come back here at its next pause
            self.current = strand
            strand.greenlet.throw(Died)
            self._until = until

    def run(self, until: int) -> None:
        """Let all strands go on until a time, or until somebody stops the kernel."""
        due = self._due
        self._until = until
        while due and not self.stopped and due[0][0] <= until:
            self.now, _, _, strand, turn, action = heappop(due)

            if action is not None:
                action()
            elif strand is not None and strand.turn == turn:
                strand.turn += 1
                self.current = strand
                strand.greenlet.switch()

        if not self.stopped:
            self.now = until

    def close(self) -> None:
        """End every strand at its present place."""
        for strand in self._strands:
            if strand.greenlet:
                strand.greenlet.throw(GreenletExit)
