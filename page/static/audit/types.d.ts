import type * as api from "../../api.d.ts";
import type { Template } from "../base/types.d.ts";
import type { Beside } from "../verify/types.d.ts";

/** The data of an audit. */
export interface Fetched {
  /** the match as the service shows it */
  match: api.Match;
  record: ArrayBuffer;
  beside: Beside;
}

/** The service's own audit of the match, which plays the match again. */
export interface AuditAnswer {
  /** number of checked commits */
  done: number;
  /** the commit up to which it checks */
  version: number;
  /** null until it is done */
  report: api.Report | null;
}

/** A check with its result. */
export interface Finding {
  kind: "right" | "unknown" | "wrong";
  title: string;
  text: string;
  /** shown below, on demand */
  more?: Template;
}

/** The result for a receipt, in words. */
export interface ReceiptVerdict {
  kind: "" | "good" | "bad";
  text: string;
}

/** The results for the receipts of this browser, and for other receipts of the reader. */
export interface ReceiptWords {
  kept: ReceiptVerdict;
  given: ReceiptVerdict;
}

/** State of an audit: "proven", "so_far" (nothing is wrong, but not all is known yet), "broken",
 * "working", or "unable" (this browser cannot check). */
export type Standing = "proven" | "so_far" | "broken" | "working" | "unable";
