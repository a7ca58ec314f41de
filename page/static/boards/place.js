// Places: the parts of a board that have a name, such as "street:0-1", and can be clicked. A place
// stands in the drawing as the attribute `data-place`, on one element, which has a text for screen
// readers. One that can be picked now is a button, for the mouse and for the keyboard. Any other
// place tells the scene too when it is clicked, so that the page can say why it cannot be picked.

import { html, nothing, svg } from "../base/dom.js";

/** @import { Template } from "../base/types.d.ts" */
/** @import { Board, Held, Role, Scene } from "./types.d.ts" */

/**
 * Draw a place within an SVG. An element of its content with the class `frame` is highlighted.
 * @param {string} name @param {string} label @param {Scene} scene
 * @param {Template | Template[]} content @param {Role} [role]
 */
export function place(name, label, scene, content, role = "img") {
  const target = scene.targets.has(name);
  return svg`<g
    data-place=${name}
    class=${classesOf(name, scene)}
    role=${target ? "button" : role}
    aria-label=${label}
    aria-pressed=${pressed(name, scene)}
    tabindex=${target ? 0 : nothing}
    @click=${onClick(name, scene)}
    @keydown=${onKey(name, scene)}
  >${content}</g>`;
}

/**
 * @param {string} name @param {string} label @param {Scene} scene @param {unknown} content
 * @param {Role} [role] @param {string} [classes]
 */
export function placeBox(name, label, scene, content, role = "img", classes = "") {
  const target = scene.targets.has(name);
  return html`<div
    data-place=${name}
    class="${classesOf(name, scene)} ${classes}"
    role=${target ? "button" : role}
    aria-label=${label}
    aria-pressed=${pressed(name, scene)}
    tabindex=${target ? 0 : nothing}
    @click=${onClick(name, scene)}
    @keydown=${onKey(name, scene)}
  >${content}</div>`;
}

/** @param {string} name @param {Scene} scene */
function classesOf(name, scene) {
  const classes = ["place"];
  if (scene.targets.has(name)) classes.push("target");
  if (scene.picked.has(name)) classes.push("picked");
  if (scene.changed.has(name)) classes.push("changed");
  return classes.join(" ");
}

/** @param {string} name @param {Scene} scene */
function pressed(name, scene) {
  if (!scene.targets.has(name)) return nothing;
  return scene.picked.has(name) ? "true" : "false";
}

// Return what a click does. The innermost place alone is picked.
/** @param {string} name @param {Scene} scene */
function onClick(name, scene) {
  /** @param {Event} event */
  function clicked(event) {
    event.stopPropagation();
    scene.pick(name);
  }
  return clicked;
}

/** @param {string} name @param {Scene} scene */
function onKey(name, scene) {
  /** @param {KeyboardEvent} event */
  function pressedKey(event) {
    const picks = event.key === "Enter" || event.key === " ";
    if (!picks || !scene.targets.has(name)) return;

    event.preventDefault();
    event.stopPropagation();
    scene.pick(name);
  }
  return pressedKey;
}

// ---- places of this board in html ---------------------------------------------------------------

/**
 * @param {string} name @param {string} label @param {Scene} scene @param {unknown} content
 * @param {string} classes
 */
export function box(name, label, scene, content, classes) {
  const seen = html`<span class="firenze-seen" aria-hidden="true">${content}</span>`;
  return placeBox(name, label, scene, seen, "img", classes);
}

// ---- rules that are named on a board ------------------------------------------------------------

// Draw a name as a link to its rule, where rules have addresses.
/** @param {string} name @param {string} rule @param {Scene} scene */
export function named(name, rule, scene) {
  const address = scene.rule?.(rule) ?? null;
  if (address === null) return html`${name}`;
  return html`<a class="rule-name" href=${address} title="Rule ${rule}">${name}</a>`;
}

// Draw the number of a rule as a link, where rules have addresses.
/** @param {string} rule @param {string} of what the rule is about @param {Scene} scene */
export function ruleNumber(rule, of, scene) {
  const address = scene.rule?.(rule) ?? null;
  if (address === null) return nothing;
  return html`<a class="rule" href=${address} aria-label="${of}: rule ${rule}">${rule}</a>`;
}

// ---- the mark of each seat ----------------------------------------------------------------------

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

// ---- places that have changed -------------------------------------------------------------------

/** @param {Board} board @param {object} before @param {object} after */
export function changedPlaces(board, before, after) {
  const old = looksOf(board, before);
  const changed = new Set();
  for (const [place, look] of looksOf(board, after)) {
    if (old.get(place) !== look) changed.add(place);
  }
  return changed;
}

/**
 * @type {WeakMap<object, Map<string, string>>} by view: whoever steps on needs each view's twice
 */
const knownLooks = new WeakMap();

/** @param {Board} board @param {object} view */
function looksOf(board, view) {
  let looks = knownLooks.get(view);
  if (!looks) {
    looks = board.looks(view);
    knownLooks.set(view, looks);
  }
  return looks;
}

// ---- what the reader has, as a strip beside the choices -------------------------------------------

/**
 * Draw what the reader has to act with, and what a move that is shown ahead changes of it.
 * @param {Board} board @param {Scene} scene
 * @param {boolean} isOpen whether a narrow page shows more of it than a line
 * @param {() => void} toggle show more of it, or less
 */
export function drawHeld(board, scene, isOpen, toggle) {
  const groups = board.held?.(scene) ?? [];
  if (groups.length === 0) return nothing;

  const { before } = scene;
  const old = before ? (board.held?.({ ...scene, view: before }) ?? []) : groups;
  const drawn = groups.map((group, index) => drawGroup(group, old[index] ?? []));
  return html`
    <div class="play-held ${isOpen ? "play-held-open" : ""}">
      <div class="play-held-groups" role="group" aria-label="What you have">
        ${drawn}
      </div>
      ${foldButton("All that you have", isOpen, toggle)}
    </div>`;
}

/** @param {string} label @param {boolean} isOpen @param {() => void} toggle show more, or less */
export function foldButton(label, isOpen, toggle) {
  return html`<button
    type="button"
    class="quiet"
    aria-label=${label}
    aria-expanded=${isOpen ? "true" : "false"}
    @click=${toggle}
  >
    <svg class="play-arrow" viewBox="0 0 20 20" aria-hidden="true"><path d="M4 7l6 6 6-6"></path></svg>
  </button>`;
}

// Draw things of one sort, and those that the move that is shown ahead would take away.
/** @param {Held[]} group @param {Held[]} old what it was before the move */
function drawGroup(group, old) {
  const before = new Map(old.map((held) => [held.key, held.amount]));
  const keys = new Set(group.map(({ key }) => key));
  const gone = old.filter(({ key }) => !keys.has(key)).map((held) => ({ ...held, amount: 0 }));
  const things = [...group, ...gone].map((held) => drawThing(held, before.get(held.key) ?? 0));
  return html`<ul>${things}</ul>`;
}

/** @param {Held} held @param {number} old how much it was before the move */
function drawThing({ label, drawn, amount, text }, old) {
  const isChanged = old !== amount;
  const classes = isChanged ? "play-held-changed" : amount === 0 ? "play-held-none" : "";
  const number = isChanged ? `${old} \u2192 ${amount}` : amount;
  const was = isChanged ? `; ${old} before the move, ${amount} after it` : "";
  return html`<li class=${classes} title=${label}>
    <span class="unseen">${label}${was}</span>
    <span class="play-held-seen" aria-hidden="true">${drawn}<b>${text ?? number}</b></span>
  </li>`;
}

// ---- the label of a place, for those who see the board ------------------------------------------

const LONG_PRESS = 500; // milliseconds

// Show the label of the place that is pointed at, focused or pressed for long, as screen readers get it.
/** @param {HTMLElement} root the board @param {AbortSignal} signal */
export function showLabels(root, signal) {
  const tip = document.createElement("p");
  tip.className = "place-tip";
  tip.setAttribute("aria-hidden", "true");
  tip.hidden = true;
  document.body.append(tip);
  signal.addEventListener("abort", () => tip.remove());

  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let pressing;
  let isPressed = false;

  /** @param {Event} event */
  function show({ target }) {
    const place = target instanceof Element ? target.closest("[data-place][aria-label]") : null;
    tip.textContent = place?.getAttribute("aria-label") ?? "";
    tip.hidden = place === null;
  }

  function hide() {
    clearTimeout(pressing);
    tip.hidden = true;
  }

  /** @param {PointerEvent} event */
  function press(event) {
    isPressed = false;
    if (event.pointerType !== "touch") return;
    pressing = setTimeout(() => {
      isPressed = true;
      show(event);
    }, LONG_PRESS);
  }

  // What was pressed for long was asked about, and not picked.
  /** @param {Event} event */
  function click(event) {
    if (isPressed) event.stopPropagation();
    isPressed = false;
  }

  root.addEventListener("pointerover", (event) => event.pointerType === "mouse" && show(event));
  root.addEventListener("focusin", show);
  root.addEventListener("pointerdown", press);
  root.addEventListener("click", click, { capture: true });
  for (const end of ["pointerleave", "pointerup", "pointercancel", "focusout"]) {
    root.addEventListener(end, hide);
  }
}
