import type * as api from "../../api.d.ts";

export type Game = api.Game;
export type Rating = api.Rating;
export type LadderPlace = api.LadderPlace;
export type GameRating = api.GameRating;
export type PlayedMatch = api.PlayedMatch;
export type Player = api.Player;

/** The shown part of a ladder. */
export interface Asked {
  /** the key of a game; "" until the games are loaded */
  game: string;
  humans: boolean;
  /** number of places before it */
  after: number;
}
