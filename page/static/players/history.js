// The history of a rating as a picture: the mean, with one standard deviation around it.

import { html, nothing, svg } from "../base/dom.js";
import { addressOf } from "../base/home.js";
import { counted, moment } from "../base/words.js";
import { ratingInWords } from "./ladder.js";

/** @import { GameRating } from "./types.d.ts" */

const WIDTH = 600;
const HEIGHT = 140;
const EDGE = 6; // so that a dot at the border is not cut

/** @param {GameRating["history"]} history oldest first */
export function drawHistory(history) {
  const [first, last] = [history[0], history.at(-1)];
  if (!first || !last) return nothing;

  const lowest = Math.min(...history.map(({ rating }) => rating.mean - rating.uncertainty));
  const highest = Math.max(...history.map(({ rating }) => rating.mean + rating.uncertainty));
  const across = (/** @type {number} */ number) =>
    history.length === 1 ? WIDTH / 2 : EDGE + (number * (WIDTH - 2 * EDGE)) / (history.length - 1);
  const down = (/** @type {number} */ value) =>
    EDGE + ((highest - value) * (HEIGHT - 2 * EDGE)) / (highest - lowest);

  const corner = (/** @type {number} */ number, /** @type {number} */ times) => {
    const { mean, uncertainty } = history[number]?.rating ?? first.rating;
    return `${across(number).toFixed(1)},${down(mean + times * uncertainty).toFixed(1)}`;
  };
  const numbers = history.map((_, number) => number);
  const line = numbers.map((number) => corner(number, 0)).join(" ");
  const above = numbers.map((number) => corner(number, 1));
  const below = numbers.map((number) => corner(number, -1)).reverse();
  const [x, y] = corner(history.length - 1, 0).split(",");

  return html`
    <figure class="players-history">
      <div class="players-scale numbers" aria-hidden="true">
        <span>${highest.toFixed(0)}</span><span>${lowest.toFixed(0)}</span>
      </div>
      <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label=${inWords(history)}>
        ${svg`<polygon points=${[...above, ...below].join(" ")}></polygon>
          <path class="players-band" d=${`M${above.join("L")}M${below.join("L")}`}></path>
          <polyline points=${line}></polyline>
          <circle cx=${x ?? ""} cy=${y ?? ""} r="5"></circle>`}
      </svg>
      <figcaption><small>${moment(first.ended)}</small><small>${moment(last.ended)}</small></figcaption>
    </figure>
    <details>
      <summary>The history as a table</summary>
      ${drawTable(history)}
    </details>
  `;
}

/** @param {GameRating["history"]} history */
function inWords(history) {
  const [first, last] = [history[0], history.at(-1)];
  if (!first || !last) return "";
  const best = history.reduce((one, other) => (other.rating.mean > one.rating.mean ? other : one));
  const told = (/** @type {typeof first} */ { rating, ended }) =>
    `${ratingInWords(rating)} on ${moment(ended)}`;
  return (
    `The rating after ${counted(history.length, "match", "matches")}: from ${told(first)} ` +
    `to ${told(last)}, at best ${told(best)}`
  );
}

/** @param {GameRating["history"]} history */
function drawTable(history) {
  return html`
    <table>
      <thead>
        <tr><th scope="col">Match ended</th><th scope="col">Rating after it</th></tr>
      </thead>
      <tbody>
        ${history.toReversed().map(
          ({ match, ended, rating }) => html`<tr>
            <td><a href=${addressOf(match)}>${moment(ended)}</a></td>
            <td class="numbers">${ratingInWords(rating)}</td>
          </tr>`,
        )}
      </tbody>
    </table>
  `;
}
