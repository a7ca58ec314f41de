import type * as api from "../../../api.d.ts";
import type { Flat, Wide } from "../../base/types.d.ts";
import type { Scene } from "../types.d.ts";

export type AgendaItem = Wide<api.CalimalaAgendaItemView>;
export type City = api.CalimalaCityView;
export type Cubes = api.CalimalaCubesView;
/** What a click seems to want. */
export type { Move as Attempt } from "../types.d.ts";

export type Move = Flat<api.CalimalaMove>;
export type Own = Wide<api.CalimalaOwnView>;
export type Player = Wide<api.CalimalaPlayerView>;

/** What a reader sees of a match. */
export type View = Omit<Wide<api.CalimalaView>, "buildings" | "streets"> & {
  streets: Record<string, (number | "white")[]>;
  buildings: Record<string, Record<string, Cubes>>;
};

export type Table = Scene<View>;

export type Area = { x: number; y: number; width: number; height: number };

export type Facts = [string, unknown][];
