// The curve of a match that is over: each seat's chance of winning, from turn to turn.

import { html, nothing, svg } from "../base/dom.js";
import { seatMark } from "../boards/place.js";

/** @import { Curve } from "../../api.d.ts" */
/** @import { Seat } from "../boards/types.d.ts" */
/** @import { CurvePlace } from "./types.d.ts" */

const WIDTH = 1000;
const HEIGHT = 100;
const EDGE = 2; // so that a line at the top or at the bottom is not cut

/** @param {Curve} curve @param {Seat[]} seats @param {CurvePlace} place */
export function drawCurve({ points, turning_points: turns }, seats, place) {
  if (points.length < 2) return nothing;
  const { version, last, open } = place;
  const here = points.findLast((point) => point.version <= version) ?? points[0];
  const across = (/** @type {number} */ at) => ((at - 1) / (last - 1)) * WIDTH;

  /** @param {number} seat */
  function line(seat) {
    const corners = points.map(({ version: at, win_chances: chances }) => {
      return `${across(at).toFixed(1)},${height(chances[seat] ?? 0).toFixed(1)}`;
    });
    return svg`<polyline class="seat-${seat}" points=${corners.join(" ")}></polyline>`;
  }

  /** @param {MouseEvent} event */
  function onClick({ currentTarget, offsetX }) {
    const share = offsetX / /** @type {Element} */ (currentTarget).clientWidth;
    open(Math.round(1 + share * (last - 1)));
  }

  return html`
    <figure class="replay-curve sheet">
      <figcaption>
        Chances of winning
        <small class="muted">as bots value the position, with all cards open</small>
      </figcaption>
      <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true" @click=${onClick}>
        <path class="replay-curve-here" d="M${across(version)} 0v${HEIGHT}"></path>
        ${seats.map((_, seat) => line(seat))}
      </svg>
      <ul class="replay-curve-seats">
        ${seats.map(({ name }, seat) => {
          return html`<li>${drawMark(seat)} ${name} ${percent(here?.win_chances[seat])}</li>`;
        })}
      </ul>
      ${turns.length > 0 ? drawTurns(turns, seats, open) : nothing}
    </figure>`;
}

/** @param {Curve["turning_points"]} turns @param {Seat[]} seats @param {CurvePlace["open"]} open */
function drawTurns(turns, seats, open) {
  return html`
    <p class="replay-curve-turns">
      <span>Turning points</span>
      ${turns.map(({ to, seat, chance_before: before, chance_after: after }) => {
        const change = `${percent(before)} to ${percent(after)}`;
        const label = `${seats[seat]?.name}: ${change}, move ${to}`;
        return html`<button
          type="button"
          class="quiet numbers"
          title=${label}
          aria-label=${label}
          @click=${() => open(to)}
        >
          ${drawMark(seat)} ${change}
        </button>`;
      })}
    </p>`;
}

/** @param {number} seat */
function drawMark(seat) {
  return html`<svg class="replay-curve-mark" viewBox="-11 -11 22 22" aria-hidden="true">
    ${svg`${seatMark(seat, 0, 0, 20)}`}
  </svg>`;
}

/** @param {number} chance */
function height(chance) {
  return EDGE + (1 - chance) * (HEIGHT - 2 * EDGE);
}

/** @param {number | undefined} chance */
function percent(chance = 0) {
  return `${Math.round(chance * 100)}\u00a0%`;
}
