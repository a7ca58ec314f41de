// While the match is played: its links, and the actions of owner and players beside moves.

import { serverNow } from "../base/api.js";
import { html, nothing } from "../base/dom.js";
import { tokens } from "../base/memory.js";
import { confirm } from "../base/page.js";
import { heldSeats } from "../base/tokens.js";
import { capital, timeLeft } from "../base/words.js";
import { button } from "./actions.js";
import { botForm, confirmAbort } from "./gathering.js";
import { drawLinks } from "./links.js";

/** @import { Actions } from "./actions.js" */
/** @import { Managing } from "./types.d.ts" */

// Least milliseconds of silence before the owner may put a bot on another player's seat. The match
// may ask for more.
const SILENCE = 2 * 60_000;

/** @param {Managing} managing */
export function drawManaging(managing) {
  const { match, seats, reader, actions } = managing;
  const isOwner = Boolean(tokens(match.match).owner);
  return html`
    ${drawLinks(match, seats, reader, actions)}
    ${isOwner ? standInRows(managing) : nothing}
    ${reader !== null && match.seats[reader]?.kind === "human" ? drawResign(actions) : nothing}`;
}

/** @param {Managing} managing */
function standInRows(managing) {
  const { match, seats, actions } = managing;
  const rows = match.seats.map(({ seat, kind, absent }) => {
    const name = seats[seat]?.name;
    if (absent)
      return html`<li><span>A bot stands in for ${name}.</span> ${backButton(seat, actions)}</li>`;
    return kind === "human" ? standInRow(managing, seat) : nothing;
  });
  return html`
    <ul class="table-links">${rows}</ul>
    <p>
      <button type="button" class="danger" @click=${() => confirmAbort(match, actions)}>
        End the match without a result
      </button>
    </p>`;
}

// Draw the way to a bot in a human's place: for one's own seat, or after a long silence.
/** @param {Managing} managing @param {number} seat */
function standInRow({ match, seats, present, levels, actions }, seat) {
  const name = seats[seat]?.name ?? "";
  const { replaceable_from: from, updated } = match;
  if (!from) return html`<li><span>A bot plays for ${name} once their time runs out.</span></li>`;

  const isOwn = heldSeats(match.match).includes(seat);
  const least = Math.max(Date.parse(from) - Date.parse(updated), isOwn ? 0 : SILENCE);
  const silence = present?.waiting_for.seats.includes(seat)
    ? serverNow() - Date.parse(present.time)
    : null;
  const isLong = (isOwn && least === 0) || (silence !== null && silence >= least);
  /** @param {string} level */
  const ask = (level) => confirmBot(name, isOwn, () => actions.putBot(seat, level));
  return html`<li>
    <span>${isOwn ? html`${name}: yours here.` : silenceOf(name, silence, least)}</span>
    ${isLong ? botForm(seat, levels, actions, ask) : nothing}
  </li>`;
}

/**
 * @param {string} name @param {number | null} silence in milliseconds; null: nobody waits for them
 * @param {number} least the silence that is required
 */
function silenceOf(name, silence, least) {
  const after = `a bot can be put there after ${timeLeft(least)} of silence`;
  if (silence === null) return `${name} is not awaited now. ${capital(after)}.`;
  const awaited = html`${name} has been awaited for <span class="numbers">${timeLeft(silence)}</span>`;
  return silence < least ? html`${awaited}. ${capital(after)}.` : html`${awaited}.`;
}

/** @param {string} name @param {boolean} isOwn @param {() => void} act */
function confirmBot(name, isOwn, act) {
  confirm({
    title: `Let a bot play for ${name}?`,
    text: isOwn
      ? "It plays on at once, until you return."
      : `It plays on at once. ${name} sees that you did it, and comes back with one click.`,
    yes: "Put the bot there",
    no: "Wait on",
    act,
  });
}

/** @param {number} seat @param {Actions} actions */
function backButton(seat, actions) {
  return html`<button
    type="button"
    ?disabled=${actions.isBusy}
    @click=${() => actions.dismissBot(seat)}
  >
    Give the seat back
  </button>`;
}

/** @param {Actions} actions */
function drawResign(actions) {
  const ask = () =>
    confirm({
      title: "Resign?",
      text: "A bot plays your seat to the end. Nobody can give it back to you.",
      yes: "Resign",
      no: "Play on",
      act: () => actions.resign(),
    });
  return html`<p>${button("Resign \u2026", actions, ask, "danger")}</p>`;
}
