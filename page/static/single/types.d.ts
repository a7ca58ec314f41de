import type { Curve, Match } from "../../api.d.ts";
import type { Frame, Line } from "../replay/types.d.ts";

/** The data of the file beside the record (service/capabilities/single_file/page.py). */
export interface SingleMatch {
  match: string;
  game: string;
  title: string;
  seats: Match["seats"];
  /** the public view at each version that can be shown */
  frames: Frame[];
  lines: Line[];
  view_version: number;
  /** each seat's view at each version; [] if nobody sees more than the public */
  seat_states: (object | null)[][];
  /** chances of winning; null while secrets are sealed */
  curve: Curve | null;
  /** number of commits, and of those that were decided again */
  commits: number;
  decided: number;
}
