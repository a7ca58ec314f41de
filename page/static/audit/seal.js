// The seal of an audit: its state as a picture.

import { svg } from "../base/dom.js";

/** @import { Standing } from "./types.d.ts" */

/** @type {Record<Standing, string>} */
const NAMES = {
  proven: "Proven",
  so_far: "Right so far",
  broken: "Broken",
  working: "Checking",
  unable: "Not checked",
};

const LOBES = 22;
const OUTER = 96;
const INNER = 89;

const LETTERS = 42;

// The edge of the wax: a circle with lobes.
const EDGE = edge();

/** The marks in the middle, in a square from -30 to 30. @type {Record<Standing, string>} */
const MARKS = {
  proven: "M-24,2 L-8,19 L25,-20",
  so_far: "M-17,-24 H17 M-17,24 H17 M-13,-24 C-13,-6 13,6 13,24 M13,-24 C13,-6 -13,6 -13,24",
  broken: "M-19,-19 L19,19 M19,-19 L-19,19",
  working: "M0,-20 V2 L14,12",
  unable: "M-11,-12 C-11,-26 13,-26 12,-10 C11,0 0,0 0,10 M0,21 V22",
};

/**
 * @param {Standing} standing @param {number} [share] of the work that is done, 0 to 1
 */
export function seal(standing, share = 0) {
  const name = NAMES[standing];
  const legend = `${name} · Giornale · `;
  const ring = legend.repeat(Math.max(1, Math.floor(LETTERS / legend.length)));
  return svg`<svg
    class="audit-seal audit-${standing}"
    viewBox="-100 -100 200 200"
    role="img"
    aria-label=${`Seal: ${name}`}
  >
    ${standing === "working" ? svg`<circle class="audit-wax" r="92"></circle>` : wax(standing)}
    <circle class="audit-ring" r="76"></circle>
    <circle class="audit-ring" r="50"></circle>
    <path id="audit-around" class="audit-path" d="M-58,0 A58,58 0 1 1 58,0 A58,58 0 1 1 -58,0"></path>
    <text class="audit-words">
      <textPath href="#audit-around" textLength="360">${ring}</textPath>
    </text>
    <path class="audit-mark" d=${MARKS[standing]}></path>
    ${standing === "working" ? done(share) : ""}
  </svg>`;
}

/** @param {Standing} standing */
function wax(standing) {
  const crack = svg`<path class="audit-crack" d="M-6,-96 L5,-86 L-4,-75 M-22,-46 L-12,-38 L-20,-30 M10,96 L0,86 L8,75 M24,45 L15,37 L22,29"></path>`;
  return svg`<path class="audit-wax" d=${EDGE}></path>${standing === "broken" ? crack : ""}`;
}

/** @param {number} share */
function done(share) {
  return svg`<circle
    class="audit-done"
    r="92"
    pathLength="100"
    stroke-dasharray=${`${Math.round(share * 100)} 100`}
    transform="rotate(-90)"
  ></circle>`;
}

function edge() {
  const points = Array.from({ length: LOBES }, (_, lobe) => {
    const angle = (2 * Math.PI * lobe) / LOBES;
    const radius = lobe % 2 === 0 ? INNER : INNER + 1.5;
    return `${(radius * Math.cos(angle)).toFixed(1)},${(radius * Math.sin(angle)).toFixed(1)}`;
  });
  const bulge = OUTER - INNER + 8;
  const arcs = [...points.slice(1), points[0]].map((point) => `A${bulge},${bulge} 0 0 1 ${point}`);
  return `M${points[0]} ${arcs.join(" ")} Z`;
}
