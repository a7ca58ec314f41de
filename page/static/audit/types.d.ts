import type * as api from "../../api.d.ts";
import type { Template } from "../base/types.d.ts";
import type { Beside } from "../verify/types.d.ts";

/** What was fetched. */
export interface Fetched {
  /** the match as the service shows it */
  match: api.Match;
  record: ArrayBuffer;
  beside: Beside;
}

/** What the service says of the match: its own audit, which decides every move again. */
export interface AuditAnswer {
  /** how many commits it has checked */
  done: number;
  /** up to which commit */
  version: number;
  /** null until it is done */
  report: api.Report | null;
}

/** One thing that was checked, or could not be. */
export interface Finding {
  kind: "right" | "unknown" | "wrong";
  title: string;
  text: string;
  /** what stands below, on demand */
  more?: Template;
}

/** What is said of a receipt. */
export interface ReceiptVerdict {
  kind: "" | "good" | "bad";
  text: string;
}

/** What is said of the receipts that the browser keeps, and of those that were given. */
export interface ReceiptWords {
  kept: ReceiptVerdict;
  given: ReceiptVerdict;
}

/** How an audit stands: "proven", "so_far" (nothing is wrong, but not all is known yet), "broken",
 * "working", or "unable" (this browser cannot check). */
export type Standing = "proven" | "so_far" | "broken" | "working" | "unable";
