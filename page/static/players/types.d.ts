import type * as api from "../../api.d.ts";

export type Game = api.Game;
export type Rating = api.Rating;
export type LadderPlace = api.LadderPlace;
export type GameRating = api.GameRating;
export type PlayedMatch = api.PlayedMatch;
export type Player = api.Player;

/** Which part of which ladder is looked at. */
export interface Asked {
  /** the key of a game; "" until the games are known */
  game: string;
  humans: boolean;
  /** how many places stand before it */
  after: number;
}
