/** what is wrong, by JSON pointer */
export type Errors = ReadonlyMap<string, string>;

/** What is known of a remembered match. */
export interface Known {
  summary: Summary | null;
  etag: string | null;
  /** why it cannot be read; "" if it can */
  trouble: string;
}

/** An option of a game, as GET /v1/games tells it. */
export interface Option {
  kind: "choice" | "flag" | "number" | "data";
  name: string;
  /** what it decides */
  text: string;
  default: any;
  choices?: string[];
  least?: number;
  most?: number;
}

export interface Game {
  key: string;
  title: string;
  /** the numbers of seats that it can be played with */
  seats: number[];
  /** of bots */
  levels: string[];
  /** how each level plays, in a sentence */
  bots: { level: string; about: string }[];
  options: Option[];
}

/** How a seat begins. A level belongs to bots. */
export type SeatDraft = { kind: "human" | "bot" | "open"; level: string; name: string };

/** A field that is drawn. */
export interface Field {
  option: Option;
  id: string;
  /** undefined: the default */
  value: any;
  title: string;
  invalid: "true" | "false";
  /** the ids of what explains it */
  described: string;
  set: (value: any) => void;
}

/** What a list says of a match. */
export interface Summary {
  id: string;
  game: string;
  status: "open" | "running" | "finished" | "aborted";
  /** RFC 3339 */
  updated: string;
  created: string;
  version: number;
  visibility: string;
  seats: any[];
  waiting_for: { seats: number[]; bots: number[]; house: boolean };
}

export interface Page {
  matches: Summary[];
  /** the cursor of the page after this one */
  next: string | null;
  etag: string | null;
}
