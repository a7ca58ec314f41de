"""Everything that is planted in a sound case, and what the checker must find of it."""

from collections.abc import Callable

from tests.campaign import broken_journals, broken_promises, findings
from tests.campaign.sound_case import Case

# Each corruption with the rule that it breaks, and what the finding must say of it.
PLANTED: list[tuple[Callable[[Case], None], str, str]] = [
    (broken_promises.lose_the_end, findings.LOST, "the journal says None"),
    (broken_promises.lose_the_match, findings.LOST, "was told version 1 with hash"),
    (broken_promises.double_a_move, findings.DOUBLED, "has no command id"),
    (broken_promises.tell_two_versions, findings.DOUBLED, "was told as versions [2, 3]"),
    (broken_promises.rewrite_a_commit, findings.CHANGED, "was told version 4 with hash"),
    (broken_promises.change_one_byte, findings.CHAIN, "is not that of its content"),
    (broken_promises.swap_two, findings.GAP, "entry 2-0 holds version 3"),
    (broken_promises.leave_a_gap, findings.GAP, "entry 4-0 holds version 4"),
    (broken_promises.lie_to_a_reader, findings.VANISHED, "was told version 2 with hash"),
    (broken_promises.read_the_past, findings.STALE_READ, "after 4 was told"),
    (broken_promises.refuse_and_make, findings.REFUSED_BUT_MADE, "k4 was refused"),
    (broken_promises.forget_a_key, findings.FORGOTTEN, "k4 was refused after"),
    (broken_promises.make_unasked, findings.INVENTED, "nobody has sent seat:0:other"),
    (broken_promises.expect_another, findings.CHANGED, "expected version 2"),
    (broken_journals.forget_in_feed, findings.INDEX, "the feed does not name"),
    (broken_journals.double_in_feed, findings.INDEX, "the feed does not name"),
    (broken_journals.pend_for_nothing, findings.INDEX, "is not pending"),
    (broken_journals.list_wrongly, findings.INDEX, "the listing is wrong about running"),
    (broken_journals.set_head_back, findings.HEAD, "the head tells version 5 of 6"),
    (broken_journals.lose_the_head, findings.HEAD, "it has no head"),
    (broken_journals.turn_back_the_time, findings.CHAIN, "is earlier than the one before"),
    (broken_journals.cut_the_chain, findings.CHAIN, "does not name the hash before it"),
    (broken_journals.change_a_secret, findings.CHAIN, "a secret part of version 3"),
    (broken_journals.join_two_ids, findings.LOST, "have all made version 4"),
    (broken_journals.remember_too_much, findings.LOST, "version 9, which is not there"),
    (broken_journals.get_stuck, findings.STUCK, "waits for house"),
    (broken_journals.leave_it_unrevealed, findings.STUCK, "waits for nobody of the service"),
    (broken_promises.fail_inside, findings.WRONG_ANSWER, "500 internal"),
]
