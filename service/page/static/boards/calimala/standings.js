// How many cubes each seat has in what a tile or a card counts (C35, C41).

import {
  BUILDINGS,
  BUILDINGS_UNDER_CONSTRUCTION,
  CITIES,
  PORT_CITIES,
  TRADE_CITIES,
} from "./names.js";

/** @import { View } from "./types.d.ts" */

/**
 * Return the cubes of each seat in a category. Palazzo Vecchio counts the seats of the council and
 * its artworks (C41).
 * @param {View} view @param {string} category
 */
export function standing(view, category) {
  const heaps = heapsOf(view, category);
  const amounts = view.players.map(() => 0);
  for (const heap of heaps) {
    for (const [seat, amount] of heap.entries()) amounts[seat] = (amounts[seat] ?? 0) + amount;
  }
  return amounts;
}

/** @param {View} view */
export function councilSeats(view) {
  return view.players.map((_, seat) => view.council_seats.filter((held) => held === seat).length);
}

/** @param {View} view @param {string} category */
function heapsOf(view, category) {
  if (category === "port_cities") return PORT_CITIES.map((city) => cloth(view, city));
  if (category === "trade_cities") return TRADE_CITIES.map((city) => cloth(view, city));
  if (category === "artwork") return BUILDINGS.map((building) => row(view, building, "artwork"));
  if (CITIES.includes(category)) return [cloth(view, category)];

  if (category.startsWith("contributed_")) {
    const resource = category.replace("contributed_", "");
    return BUILDINGS_UNDER_CONSTRUCTION.map((building) => row(view, building, resource));
  }

  const given = Object.values(view.buildings[category] ?? {}).map((cubes) => cubes.cubes);
  return category === "palazzo_vecchio" ? [...given, councilSeats(view)] : given;
}

/** @param {View} view @param {string} city */
function cloth(view, city) {
  return view.cities[city]?.cloth ?? [];
}

/** @param {View} view @param {string} building @param {string} sort */
function row(view, building, sort) {
  return view.buildings[building]?.[sort]?.cubes ?? [];
}
