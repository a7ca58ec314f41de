// News for those who listen to the page rather than look at it.

/** @type {HTMLElement | null} */
let region = null;

/** @type {string[]} */
let waiting = [];

const TOGETHER = 250; // milliseconds within which news are told as one
const MOST = 6; // more than so many at once would take too long to listen to

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
