// The mark of each seat: a shape beside the colour, so that seats are told apart without colours.
// The colours are the custom properties --seat-0 to --seat-4 of style/colours.css.

import { svg } from "./dom.js";

// The corners of each seat's shape in a square from -10 to 10; the circle, the first, has none.
const CORNERS = [
  "",
  "-8.5,-8.5 8.5,-8.5 8.5,8.5 -8.5,8.5",
  "0,-10.5 10.5,8.5 -10.5,8.5",
  "0,-11 11,0 0,11 -11,0",
  "-4,-10 4,-10 4,-4 10,-4 10,4 4,4 4,10 -4,10 -4,4 -10,4 -10,-4 -4,-4",
];

/** @param {number} seat @param {number} x @param {number} y @param {number} size */
export function seatMark(seat, x, y, size) {
  const scale = size / 20;
  const shape =
    seat === 0
      ? svg`<circle r="9.5"></circle>`
      : svg`<polygon points=${CORNERS[seat] ?? ""}></polygon>`;
  return svg`<g class="seat-mark seat-${seat}" transform="translate(${x} ${y}) scale(${scale})">${shape}</g>`;
}
