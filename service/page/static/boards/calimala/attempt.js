// What a click on a place that is no target seems to want, so that its refusal can be shown.

import { PORT_CITIES } from "./names.js";

/** @import { Table } from "./types.d.ts" */

/** @param {string} place @param {Table} scene @returns {any} null where no move is meant */
export function attempt(place, scene) {
  const [sort, name, part] = place.split(":");
  switch (sort) {
    case "street":
      return { type: "place_disc", street: name, disc: discLeft(scene) };
    case "open":
      return { type: "take_action_card", card: name };
    case "scoring":
      return { type: "keep_scoring_card", card: name };
    case "action":
      return withParameters("perform", name ?? "");
    case "card":
      return withParameters("play_card", name ?? "");
    case "city":
      return toCity(name ?? "");
    case "building":
      return toBuilding(name ?? "", part ?? "");
    default:
      return null;
  }
}

/** @param {Table} scene */
function discLeft({ view, reader }) {
  return view.players[reader ?? 0]?.coloured_discs ? "coloured" : "white";
}

/** @param {string} type @param {string} action */
function withParameters(type, action) {
  /** @type {Record<string, object>} */
  const parameters = {
    build: { build: "ship" },
    artwork: { building: "palazzo_vecchio" },
    ship: { cities: ["lisbon"] },
    transport: { cities: ["troyes"] },
    contribute: { resource: "wood", building: "san_miniato" },
  };
  return { type, action, ...parameters[action] };
}

/** @param {string} city */
function toCity(city) {
  const isPort = PORT_CITIES.includes(city);
  return { type: "perform", action: isPort ? "ship" : "transport", cities: [city] };
}

/** @param {string} building @param {string} sort */
function toBuilding(building, sort) {
  if (sort === "artwork") return { type: "perform", action: "artwork", building };
  return { type: "perform", action: "contribute", resource: sort, building };
}
