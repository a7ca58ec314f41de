import type { Curve, Match } from "../../api.d.ts";
import type { Frame, Line } from "../replay/types.d.ts";

/** What the file holds beside the record (service/capabilities/single_file/page.py). */
export interface SingleMatch {
  match: string;
  game: string;
  title: string;
  seats: Match["seats"];
  /** what the public sees at each version */
  frames: Frame[];
  lines: Line[];
  view_version: number;
  /** what each seat has seen at each version; [] where nobody sees more than the public */
  seat_states: (object | null)[][];
  /** who was likely to win; null where secrets are still sealed */
  curve: Curve | null;
  /** how many commits there are, and how many of them were decided again */
  commits: number;
  decided: number;
}
