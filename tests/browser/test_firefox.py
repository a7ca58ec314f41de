"""The pages in Firefox: the most common actions, by tests that Chromium runs as well."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Playwright

from tests.browser import (
    test_in_sight,
    test_keys,
    test_learning,
    test_play,
    test_proof,
    test_seats,
    test_streams,
)
from tests.browser.browsers import firefox_of
from tests.browser.table import MOUSE, Way

pytestmark = pytest.mark.whole


@pytest.fixture(scope="module")
def browser(playwright: Playwright) -> Iterator[Browser]:
    """A running Firefox. Each of these tests drives it instead of Chromium."""
    with firefox_of(playwright) as browser:
        yield browser


@pytest.fixture
def way() -> Way:
    """Whole matches are played by mouse alone: the other ways are Chromium's."""
    return MOUSE


match = test_proof.match
record = test_proof.record
file = test_proof.file

test_match = test_play.test_a_person_plays_a_whole_match_against_bots
test_tabs = test_streams.test_nine_tabs_show_the_events_of_their_matches
test_next_tab = test_streams.test_another_tab_goes_on_with_the_stream
test_audit = test_proof.test_the_audit_page_proves_a_match_or_breaks_the_seal
test_file = test_proof.test_the_file_opens_without_network_and_proves_itself
running_match = test_in_sight.running_match
test_rules = test_learning.test_a_rule_is_read_over_a_move_that_is_put_together
test_hints = test_learning.test_a_first_match_has_hints
test_changes = test_in_sight.test_supply_that_a_move_would_change_is_marked
test_signed = test_keys.test_all_that_a_seat_does_is_signed
test_judged = test_proof.test_a_browser_judges_signatures_as_the_program_does
test_lobby = test_seats.test_a_friend_takes_the_seat_and_sets_the_name
