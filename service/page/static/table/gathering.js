// Before the start: who is at the table, how others come to it, and the start itself.

import { copy } from "../base/announce.js";
import { html, nothing, sentWith } from "../base/dom.js";
import { addressOf, linkWithToken } from "../base/home.js";
import { remembered, tokens } from "../base/memory.js";
import { problemBox } from "../base/page.js";
import { capital, counted } from "../base/words.js";
import { confirm, drawResign } from "./actions.js";
import { holderName } from "./head.js";

/** @import { Match } from "../../api.d.ts" */
/** @import { Seat } from "../boards/types.d.ts" */
/** @import { Actions } from "./actions.js" */
/** @import { Gathering, Gathering as Managing } from "./types.d.ts" */

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
  const free = open.map(
    ({ seat }) =>
      html`<li><span>Seat ${seat} is open.</span> ${botForm(seat, levels, actions)}</li>`,
  );
  const hint = "The match starts once no seat is open.";
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

/** @param {Managing} managing */
export function drawManaging({ match, seats, reader, levels, actions }) {
  const isOwner = Boolean(tokens(match.id).owner);
  const problem = actions.isOfSeat ? null : actions.problem;
  return html`<details class="table-managing sheet" ?open=${problem !== null}>
    <summary>${managed(isOwner, reader)}</summary>
    ${problem ? problemBox(problem, match.game) : nothing}
    ${drawLinks(match, seats, reader, actions)}
    ${isOwner ? standInRows({ match, seats, reader, levels, actions }) : nothing}
    ${reader !== null && match.seats[reader]?.kind === "human" ? drawResign(actions) : nothing}
  </details>`;
}

/** @param {boolean} isOwner @param {number | null} reader */
function managed(isOwner, reader) {
  if (isOwner) return "Links, stand-ins and an early end";
  return reader === null ? "Links" : "Links and resigning";
}

/** @param {Managing} managing */
function standInRows({ match, seats, levels, actions }) {
  const rows = match.seats.map(({ seat, kind, absent }) => {
    const name = seats[seat]?.name;
    if (absent)
      return html`<li><span>A bot stands in for ${name}.</span> ${backButton(seat, actions)}</li>`;
    if (kind !== "human") return nothing;
    return html`<li><span>${name} is away?</span> ${botForm(seat, levels, actions)}</li>`;
  });
  return html`
    <ul class="table-links">${rows}</ul>
    <p>
      <button type="button" class="danger" @click=${() => confirmAbort(match, actions)}>
        End the match without a result
      </button>
    </p>`;
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

/** @param {number} seat @param {string[]} levels @param {Actions} actions */
function botForm(seat, levels, actions) {
  const onSubmit = (/** @type {SubmitEvent} */ event) =>
    actions.putBot(seat, sentWith(event)("level"));
  const options = levels.map(
    (level) =>
      html`<option value=${level} ?selected=${level === "greedy"}>${capital(level)}</option>`,
  );
  return html`<form class="row" @submit=${onSubmit}>
    <select name="level" aria-label="How the bot for seat ${seat} plays">${options}</select>
    <button ?disabled=${actions.isBusy} aria-label="Put a bot on seat ${seat}">Put a bot</button>
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

// ---- links that hand a match on -----------------------------------------------------------------

// What is said of a link to a seat, whose token the browser that opens it replaces.
const SEAT_HINT =
  "It counts once: the seat is then played where it was opened, and no longer here.";

/**
 * @param {Match} match @param {Seat[]} seats @param {number | null} reader @param {Actions} actions
 */
function drawLinks(match, seats, reader, actions) {
  const rows = [];
  const known = tokens(match.id);
  const isPrivate = match.visibility === "private";
  const isOpen = match.status === "open";

  if (!isPrivate) {
    const address = window.location.origin + addressOf(match.id);
    rows.push(
      linkRow(isOpen ? "For anybody who joins or watches" : "For anybody who watches", address),
    );
  }
  if (isPrivate && isOpen)
    rows.push(guestRow("For whoever is to join", "invitation", match.id, actions));
  if (isPrivate) rows.push(guestRow("For whoever is to watch", "spectator", match.id, actions));
  for (const [holder, token] of Object.entries(known)) {
    if (!holder.startsWith("seat:")) continue;
    const name = holderName(holder, seats);
    const isOwn = holder === `seat:${reader}`;
    const label = isOwn ? `To play ${name} (you) on another device` : `To play ${name}`;
    rows.push(linkRow(label, linkWithToken(match.id, token), SEAT_HINT));
  }
  return html`<ul class="table-links">${rows}</ul>`;
}

/**
 * Draw a link for guests. Whoever has no token to give away may be able to make one.
 * @param {string} label @param {"invitation" | "spectator"} holder @param {string} match
 * @param {Actions} actions
 */
function guestRow(label, holder, match, actions) {
  const known = tokens(match);
  const token = known[holder];
  if (token) return linkRow(label, linkWithToken(match, token));
  if (!known.owner) return nothing;
  return html`<li>
    <span>${label}</span>
    <button
      type="button"
      aria-label="Make a new link: ${label}"
      title="The link that was given away before no longer counts then."
      ?disabled=${actions.isBusy}
      @click=${() => actions.renewToken(holder)}
    >
      Make a new link
    </button>
  </li>`;
}

/** @param {string} label @param {string} address @param {string} [hint] */
function linkRow(label, address, hint = "") {
  /** @param {Event} event */
  const onCopy = (event) => copy(address, /** @type {HTMLElement} */ (event.currentTarget));
  return html`<li>
    <span>${label}${hint ? html` <small>${hint}</small>` : nothing}</span>
    <button type="button" aria-label="Copy link: ${label}" @click=${onCopy}>Copy link</button>
  </li>`;
}
