// What an audit found, in words for people who are no cryptographers.

import { counted } from "../base/words.js";

/** @import { Finding, Standing } from "./types.d.ts" */
/** @import { Report } from "../verify/types.d.ts" */

/** @param {Report} report @returns {Standing} */
export function standingOf(report) {
  if (report.verdict === "wrong") return "broken";
  return report.verdict === "right" ? "proven" : "so_far";
}

/** @param {Report} report */
export function verdictOf(report) {
  const { wrong, counts } = report;
  if (wrong !== null) return { title: brokenTitle(wrong.commit), text: sentence(wrong.detail) };
  if (report.verdict === "right") {
    return {
      title: "Proven",
      text: `This is the match as it was written down, ${counted(counts.commits, "commit")} long. Nothing in it was changed afterwards.`,
    };
  }
  if (!report.ended) {
    return {
      title: "Right so far",
      text: "Nothing is wrong. The match is not over, so some of it is still sealed and cannot be checked by anybody yet.",
    };
  }
  return {
    title: "Right as far as checked",
    text: "Nothing is wrong, but not all could be checked.",
  };
}

/** @param {Report} report @returns {Finding[]} */
export function findingsOf(report) {
  const found = [chainFinding(report), commitmentFinding(report), ...partFindings(report)];
  const { receipts, vouched, views, commits } = report.counts;
  if (views > 0) {
    found.push(
      right(
        "The table shows what happened",
        `The table that is shown at ${views === commits ? "each" : views} of ${counted(commits, "moment")} is the one that its commit was sealed with.`,
      ),
    );
  }
  if (receipts > 0) {
    found.push(
      right(
        "The server has signed for it",
        `${counted(receipts, "receipt")} with a right signature, up to commit ${vouched}: the server cannot deny that history any more.`,
      ),
    );
  }
  return found;
}

/** @param {Report} report */
export function unknownsOf(report) {
  return report.unchecked.map(sentence);
}

/** @param {Report} report */
export function notesOf(report) {
  return report.notes.map(sentence);
}

/** @param {Report} report @returns {Finding} */
function chainFinding({ counts }) {
  return right(
    "Nothing was changed, left out, added or moved",
    `Each of ${counted(counts.commits, "commit")} fits its own fingerprint and names the fingerprint of the one before it, back to the opening. Times never run back.`,
  );
}

/** @param {Report} report @returns {Finding} */
function commitmentFinding({ ended, bound }) {
  const binding = bound ? " It is bound to this match alone." : "";
  if (!ended) {
    return right(
      "The server has tied its hands",
      `It published a fingerprint of its secret in the first commit, so it can choose no other secret later.${binding}`,
    );
  }
  return right(
    "The server's secret stood from the first commit on",
    `The secret behind all draws is the one whose fingerprint was published before anybody moved, so it was not chosen to suit the play.${binding}`,
  );
}

/**
 * Return what is to be said of hands and the like: of what was sealed beside the match's own
 * secret.
 * @param {Report} report @returns {Finding[]}
 */
function partFindings({ counts, ended }) {
  const hidden = counts.sealed - 1;
  const opened = ended ? hidden : counts.opened;
  if (opened === 0) return [];

  const which = opened === hidden ? "Each" : `${opened}`;
  const salts = ended ? " What makes the seals hard to guess follows from the match's secret." : "";
  return [
    right(
      "What was hidden was not exchanged",
      `${which} of ${counted(hidden, "sealed secret")}, such as hands, is the very one that was sealed when it came into play.${salts}`,
    ),
  ];
}

/** @param {number} commit */
function brokenTitle(commit) {
  return commit > 0 ? `Broken at commit ${commit}` : "Broken";
}

/** @param {string} title @param {string} text @returns {Finding} */
function right(title, text) {
  return { kind: "right", title, text };
}

/** @param {string} text */
function sentence(text) {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
