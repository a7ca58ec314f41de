// Before the start: the players at the table, the ways to it, and the start itself.

import { html, nothing, sentWith } from "../base/dom.js";
import { addressOf, rulesAddress } from "../base/home.js";
import { remembered, tokens } from "../base/memory.js";
import { confirm, problemBox } from "../base/page.js";
import { capital, colourOf, counted, listed, moment, seatInWords } from "../base/words.js";
import { chosenKey, drawSigning } from "../keys/choice.js";
import { drawLinks } from "./links.js";

/** @import { Match } from "../../api.d.ts" */
/** @import { Seat } from "../boards/types.d.ts" */
/** @import { Actions } from "./actions.js" */
/** @import { Gathering } from "./types.d.ts" */

const ADVICE = "In this match players may ask the strong bot for advice.";

const LEAVE_OPEN =
  "Your browser does your part by itself: leave this page open until the match begins.";
const PLEDGED_ELSEWHERE =
  "If you took the seat in another browser, open the match there: it alone has your part.";

/** @param {Gathering} gathering */
export function drawGathering(gathering) {
  const { match, seats, reader, actions } = gathering;
  const isOwner = Boolean(tokens(match.match).owner);
  const open = seats.filter(({ kind }) => kind === "open");
  return html`<section class="table-gathering sheet" aria-labelledby="table-gathering-title">
    <h2 id="table-gathering-title">${title(open.length, isOwner, match)}</h2>
    ${match.advice ? html`<p>${ADVICE}</p>` : nothing}
    ${match.joint_entropy ? drawTogether(gathering) : nothing}
    ${match.rematch_of ? keptSeats(match.rematch_of) : nothing}
    ${actions.problem ? problemBox(actions.problem, match.game) : nothing}
    ${open.length > 0 && mayJoin(gathering) ? joinForm(gathering, open) : nothing}
    ${isOwner ? ownerRows(gathering, open) : nothing}
    <h3>Links</h3>
    ${drawLinks(match, seats, reader, actions)}
    ${reader === null ? nothing : leaveRow(gathering, reader)}
  </section>`;
}

/** @param {number} open @param {boolean} isOwner @param {Match} match */
function title(open, isOwner, match) {
  if (open > 0) return `Waiting for players: ${counted(open, "open seat")}`;
  if (startsByItself(match)) return "Everybody is here, and gives their part of the draws";
  return isOwner ? "Everybody is here" : "Everybody is here: the owner can start";
}

/** @param {Gathering} gathering */
function mayJoin({ match, reader }) {
  const known = tokens(match.match);
  const isInvited = match.visibility === "public" || known.invitation || known.owner;
  return reader === null && Boolean(isInvited) && !match.rematch_of;
}

// True if the match starts by itself, with the last disclosure of a human (M19).
/** @param {Match} match */
function startsByItself({ joint_entropy: isJoint, seats }) {
  return Boolean(isJoint) && seats.some(({ kind }) => kind === "human");
}

// Name the seats that still owe a part of the draws, and their deadline (M19).
/** @param {Gathering} gathering */
function drawTogether({ match, seats, reader }) {
  const owing = match.seats.filter(({ owes }) => owes !== undefined);
  const names = owing.map(({ seat }) => (seat === reader ? "you" : (seats[seat]?.name ?? "")));
  const until = match.deadline
    ? html`, until <time datetime=${match.deadline}>${moment(match.deadline)}</time>`
    : nothing;
  return html`
    <p>
      All players of this match draw together, so nobody can choose a draw, not even the server.
      ${reader === null ? nothing : LEAVE_OPEN}
      <a href=${rulesAddress("match", "M19")}>M19</a>
    </p>
    ${
      owing.length === 0
        ? nothing
        : html`<p role="status" class="table-owed">
            Waiting for ${listed(names)}${until}. A player with a missing part loses the seat.
            ${owing.some(({ seat }) => seat === reader) ? PLEDGED_ELSEWHERE : nothing}
          </p>`
    }`;
}

/** @param {string} before */
function keptSeats(before) {
  return html`<p>
    The seats are reserved for the players of <a href=${addressOf(before)}>the match before</a>.
    Each of them takes a seat of this one from there.
  </p>`;
}

/** @param {Gathering} gathering @param {Seat[]} open */
function joinForm({ actions }, open) {
  /** @param {SubmitEvent} event */
  function onSubmit(event) {
    const sent = sentWith(event);
    actions.join(Number(sent("seat")), sent("name"), chosenKey);
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
        ${open.map(({ seat }) => html`<option value=${seat}>${colourOf(seat)}</option>`)}
      </select>
    </div>
    ${drawSigning("table-join-signs", actions.page.changed)}
    <button class="primary" ?disabled=${actions.isBusy}>Take the seat</button>
  </form>`;
}

/** @param {Gathering} gathering @param {Seat[]} open */
function ownerRows({ match, levels, actions }, open) {
  const free = open.map(({ seat }) => {
    const put = (/** @type {string} */ level) => actions.putBot(seat, level);
    return html`<li>
      <span>The ${seatInWords(seat)} is open.</span> ${botForm(seat, levels, actions, put)}
    </li>`;
  });
  const hint = "Send your friends the link below: each takes a seat and sets their name.";
  return html`
    ${free.length > 0 ? html`<ul class="table-links">${free}</ul>` : nothing}
    <p class="row">
      ${startsByItself(match) ? nothing : startButton(open, actions)}
      <button type="button" class="danger" @click=${() => confirmAbort(match, actions)}>
        Call it off
      </button>
      ${open.length > 0 ? html`<small>${hint}</small>` : nothing}
    </p>`;
}

/** @param {Seat[]} open @param {Actions} actions */
function startButton(open, actions) {
  return html`<button
    type="button"
    class="primary"
    ?disabled=${open.length > 0 || actions.isBusy}
    @click=${() => actions.start()}
  >
    Start the match
  </button>`;
}

/** @param {Gathering} gathering @param {number} reader */
function leaveRow({ actions }, reader) {
  return html`<p class="row">
    <button type="button" ?disabled=${actions.isBusy} @click=${() => actions.leave(reader)}>
      Leave the table
    </button>
    <small>Your seat is open again then, and your link no longer works.</small>
  </p>`;
}

// ---- the owner's ways, before the start and later --------------------------------------------------

/**
 * @param {number} seat @param {string[]} levels @param {Actions} actions
 * @param {(level: string) => void} put
 */
export function botForm(seat, levels, { isBusy }, put) {
  const onSubmit = (/** @type {SubmitEvent} */ event) => put(sentWith(event)("level"));
  const options = levels.map(
    (level) =>
      html`<option value=${level} ?selected=${level === "greedy"}>${capital(level)}</option>`,
  );
  return html`<form class="row" @submit=${onSubmit}>
    <select name="level" aria-label="How the bot for the ${seatInWords(seat)} plays">${options}</select>
    <button ?disabled=${isBusy} aria-label="Put a bot on the ${seatInWords(seat)}">Put a bot</button>
  </form>`;
}

/** @param {Match} match @param {Actions} actions */
export function confirmAbort(match, actions) {
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
