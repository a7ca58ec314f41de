// Before the start: who is at the table, how others come to it, and the start itself.

import { serverNow } from "../base/api.js";
import { html, nothing, sentWith } from "../base/dom.js";
import { addressOf } from "../base/home.js";
import { remembered, tokens } from "../base/memory.js";
import { confirm, problemBox } from "../base/page.js";
import { heldSeats } from "../base/tokens.js";
import { capital, counted, timeLeft } from "../base/words.js";
import { drawResign } from "./actions.js";
import { drawLinks } from "./links.js";

/** @import { Match } from "../../api.d.ts" */
/** @import { Seat } from "../boards/types.d.ts" */
/** @import { Actions } from "./actions.js" */
/** @import { Gathering, Managing } from "./types.d.ts" */

const ADVICE = "In this match players may ask what the strong bot would do in their place.";

/** @param {Gathering} gathering */
export function drawGathering(gathering) {
  const { match, seats, reader, actions } = gathering;
  const isOwner = Boolean(tokens(match.id).owner);
  const open = seats.filter(({ kind }) => kind === "open");
  return html`<section class="table-gathering sheet" aria-labelledby="table-gathering-title">
    <h2 id="table-gathering-title">${title(open.length, isOwner)}</h2>
    ${match.advice ? html`<p>${ADVICE}</p>` : nothing}
    ${match.rematch_of ? keptSeats(match.rematch_of) : nothing}
    ${actions.problem ? problemBox(actions.problem, match.game) : nothing}
    ${open.length > 0 && mayJoin(gathering) ? joinForm(gathering, open) : nothing}
    ${isOwner ? ownerRows(gathering, open) : nothing}
    <h3>Links</h3>
    ${drawLinks(match, seats, reader, actions)}
    ${reader === null ? nothing : leaveRow(gathering, reader)}
  </section>`;
}

/** @param {number} open @param {boolean} isOwner */
function title(open, isOwner) {
  if (open > 0) return `Waiting for players: ${counted(open, "open seat")}`;
  return isOwner ? "Everybody is here" : "Everybody is here: the owner can start";
}

/** @param {Gathering} gathering */
function mayJoin({ match, reader }) {
  const known = tokens(match.id);
  const isInvited = match.visibility === "public" || known.invitation || known.owner;
  return reader === null && Boolean(isInvited) && !match.rematch_of;
}

/** @param {string} before */
function keptSeats(before) {
  return html`<p>
    The seats are kept for those who played <a href=${addressOf(before)}>the match before</a>: there
    each of them takes a seat of this one.
  </p>`;
}

/** @param {Gathering} gathering @param {Seat[]} open */
function joinForm({ actions }, open) {
  /** @param {SubmitEvent} event */
  function onSubmit(event) {
    const sent = sentWith(event);
    actions.join(Number(sent("seat")), sent("name"));
  }

  const name = remembered().find((match) => match.name)?.name ?? "";
  return html`<form class="table-join" @submit=${onSubmit}>
    <div class="field">
      <label for="table-join-name">Your name</label>
      <input
        id="table-join-name"
        name="name"
        maxlength="60"
        autocomplete="nickname"
        value=${name}
        aria-describedby="table-join-hint"
      />
      <small id="table-join-hint">Everybody at the table reads it. It may stay empty.</small>
    </div>
    <div class="field" ?hidden=${open.length === 1}>
      <label for="table-join-seat">Seat</label>
      <select id="table-join-seat" name="seat">
        ${open.map(({ seat }) => html`<option value=${seat}>Seat ${seat}</option>`)}
      </select>
    </div>
    <button class="primary" ?disabled=${actions.isBusy}>Take the seat</button>
  </form>`;
}

/** @param {Gathering} gathering @param {Seat[]} open */
function ownerRows({ match, levels, actions }, open) {
  const free = open.map(({ seat }) => {
    const put = (/** @type {string} */ level) => actions.putBot(seat, level);
    return html`<li>
      <span>Seat ${seat} is open.</span> ${botForm(seat, levels, actions, put)}
    </li>`;
  });
  const hint = "Send your friends the link below: each takes a seat and sets their name.";
  return html`
    ${free.length > 0 ? html`<ul class="table-links">${free}</ul>` : nothing}
    <p class="row">
      <button
        type="button"
        class="primary"
        ?disabled=${open.length > 0 || actions.isBusy}
        @click=${() => actions.start()}
      >
        Start the match
      </button>
      <button type="button" class="danger" @click=${() => confirmAbort(match, actions)}>
        Call it off
      </button>
      ${open.length > 0 ? html`<small>${hint}</small>` : nothing}
    </p>`;
}

/** @param {Gathering} gathering @param {number} reader */
function leaveRow({ actions }, reader) {
  return html`<p class="row">
    <button type="button" ?disabled=${actions.isBusy} @click=${() => actions.leave(reader)}>
      Leave the table
    </button>
    <small>Your seat is open again then, and your token no longer counts.</small>
  </p>`;
}

// ---- what the owner of a match can do while it is played ----------------------------------------

// How long a seat must be awaited before the owner may put a bot on it, in milliseconds.
const SILENCE = 2 * 60_000;

/** @param {Managing} managing */
export function drawManaging(managing) {
  const { match, seats, reader, actions } = managing;
  const isOwner = Boolean(tokens(match.id).owner);
  const problem = actions.isOfSeat ? null : actions.problem;
  return html`<details class="table-managing sheet" ?open=${problem !== null}>
    <summary>${managed(isOwner, reader)}</summary>
    ${problem ? problemBox(problem, match.game) : nothing}
    ${drawLinks(match, seats, reader, actions)}
    ${isOwner ? standInRows(managing) : nothing}
    ${reader !== null && match.seats[reader]?.kind === "human" ? drawResign(actions) : nothing}
  </details>`;
}

/** @param {boolean} isOwner @param {number | null} reader */
function managed(isOwner, reader) {
  if (isOwner) return "Links, stand-ins and an early end";
  return reader === null ? "Links" : "Links and resigning";
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

// Draw the way to a bot in a human's place: for one's own seat, or after long silence.
/** @param {Managing} managing @param {number} seat */
function standInRow({ match, seats, present, levels, actions }, seat) {
  const name = seats[seat]?.name ?? "";
  const isOwn = heldSeats(match.id).includes(seat);
  const silence = present?.waiting_for.seats.includes(seat)
    ? serverNow() - Date.parse(present.time)
    : null;
  const isLong = silence !== null && silence >= SILENCE;
  /** @param {string} level */
  const ask = (level) => confirmBot(name, isOwn, () => actions.putBot(seat, level));
  return html`<li>
    <span>${isOwn ? html`${name}: yours here.` : silenceOf(name, silence)}</span>
    ${isOwn || isLong ? botForm(seat, levels, actions, ask) : nothing}
  </li>`;
}

/** @param {string} name @param {number | null} silence in milliseconds; null: nobody waits for them */
function silenceOf(name, silence) {
  const after = `a bot can be put there after ${timeLeft(SILENCE)} of silence`;
  if (silence === null) return `${name} is not awaited now; ${after}.`;
  const awaited = html`${name} has been awaited for <span class="numbers">${timeLeft(silence)}</span>`;
  return silence < SILENCE ? html`${awaited}; ${after}.` : html`${awaited}.`;
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

/**
 * @param {number} seat @param {string[]} levels @param {Actions} actions
 * @param {(level: string) => void} put
 */
function botForm(seat, levels, { isBusy }, put) {
  const onSubmit = (/** @type {SubmitEvent} */ event) => put(sentWith(event)("level"));
  const options = levels.map(
    (level) =>
      html`<option value=${level} ?selected=${level === "greedy"}>${capital(level)}</option>`,
  );
  return html`<form class="row" @submit=${onSubmit}>
    <select name="level" aria-label="How the bot for seat ${seat} plays">${options}</select>
    <button ?disabled=${isBusy} aria-label="Put a bot on seat ${seat}">Put a bot</button>
  </form>`;
}

/** @param {Match} match @param {Actions} actions */
function confirmAbort(match, actions) {
  const text =
    match.status === "open"
      ? "Nobody can join it any more."
      : "Nobody wins it, and it cannot be taken up again. Its secrets are revealed.";
  confirm({
    title: "End this match without a result?",
    text,
    yes: "End the match",
    no: "Go on",
    act: () => actions.abort(),
  });
}
