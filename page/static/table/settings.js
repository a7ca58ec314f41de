// The reader's settings of the table, stored in this browser.

import { chooseCall, waysToCall, whyNoNote } from "../base/call.js";
import { fieldOf, html, nothing } from "../base/dom.js";
import { isPaced, setPaced } from "./since.js";

/** @import { CallWay } from "../base/types.d.ts" */
/** @import { Choice } from "./types.d.ts" */

/** @param {boolean} isPlayer @param {() => void} changed called after a choice */
export function drawSettings(isPlayer, changed) {
  const paced = drawChoice({
    name: "paced",
    text: "Play others' moves step by step",
    isOn: isPaced(),
    choose: setPaced,
    changed,
  });
  return html`<div class="table-settings-body">
    <ul class="table-choices">
    ${paced}
    ${isPlayer ? drawCall("sound", "Call me by a sound when it is my turn", changed) : nothing}
    ${isPlayer ? drawCall("note", "Call me by a notification", changed) : nothing}
  </ul>
    ${isPlayer ? html`<p class="table-hint">${HINT}</p>` : nothing}
  </div>`;
}

const HINT =
  "You are called while this tab is open and out of sight, for all your matches, within about a minute. The other players of a match see whether you are here.";

/** @param {CallWay} way @param {string} text @param {() => void} changed */
function drawCall(way, text, changed) {
  return drawChoice({
    name: way,
    text,
    isOn: waysToCall().has(way),
    choose: (isOn) => chooseCall(way, isOn),
    why: way === "note" ? whyNoNote() : "",
    changed,
  });
}

/** @param {Choice} choice */
function drawChoice({ name, text, isOn, choose, why = "", changed }) {
  const onChange = async (/** @type {Event} */ event) => {
    const field = fieldOf(event);
    const isDone = await choose(field.checked);
    if (isDone === false) field.checked = isOn;
    changed();
  };
  return html`<li>
    <input
      id="table-${name}"
      type="checkbox"
      .checked=${isOn}
      ?disabled=${why !== ""}
      @change=${onChange}
    />
    <label for="table-${name}">${text}${why ? html` <small>${why}</small>` : nothing}</label>
  </li>`;
}
