// Announcements for screen readers. Copying a text makes one, too.

/** @type {HTMLElement | null} */
let region = null;

/** @type {string[]} */
let waiting = [];

const TOGETHER = 250; // milliseconds: news within this time are announced together
const MOST = 6; // a longer list would take too long to listen to

/** @param {string} text */
export function announce(text) {
  if (!text) return;
  if (waiting.length === 0) setTimeout(tell, TOGETHER);
  waiting.push(text);
}

function tell() {
  const live = liveRegion();
  const line = document.createElement("p");
  line.textContent = waiting.slice(-MOST).join(" ");
  live.replaceChildren(line);
  waiting = [];
}

function liveRegion() {
  if (region?.isConnected) return region;
  region = document.createElement("div");
  region.className = "unseen";
  region.setAttribute("role", "log");
  region.setAttribute("aria-live", "polite");
  region.setAttribute("aria-label", "News");
  document.body.append(region);
  return region;
}

// ---- copying a text, also on pages without TLS: browsers offer them no clipboard ----------------

/** @param {string} text @param {HTMLElement} button */
export async function copy(text, button) {
  const isCopied = await write(text);
  announce(isCopied ? "Copied." : "The browser does not allow to copy.");
  button.dataset.copied = isCopied ? "yes" : "no";
  setTimeout(() => delete button.dataset.copied, 2000);
}

/** @param {string} text */
async function write(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return writeBySelection(text);
  }
}

/** @param {string} text */
function writeBySelection(text) {
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "unseen";
  document.body.append(field);
  const focused = document.activeElement;
  field.select();
  const isCopied = document.execCommand("copy");
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isCopied;
}
