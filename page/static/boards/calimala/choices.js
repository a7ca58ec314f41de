// The choices that make up a listed move, and the places at which they can be made.

import { listed } from "../../base/words.js";
import { nameOf, PORT_CITIES, streetName } from "./names.js";

/** @import { Attempt, Move, Table } from "./types.d.ts" */
/** @import { Choice } from "../types.d.ts" */

// What all placements have in common.
const PLACING = { key: "place", text: "Place a disc" };

/** @param {Move} move @param {Table} scene @returns {Choice[]} */
export function choices(move, scene) {
  switch (move.type) {
    case "keep_scoring_card":
      return [choice(`Keep ${nameOf(move.card)}`, `scoring:${move.card}`)];
    case "take_action_card":
      return [choice(`Take ${nameOf(move.card)}`, `open:${move.card}`)];
    case "place_disc":
      return [
        PLACING,
        onStreet(move, scene),
        choice(`${nameOf(move.disc)} disc`, `disc:${move.disc}`),
      ];
    case "perform":
      return [choice(nameOf(move.action), `action:${move.action}`), ...how(move, scene)];
    case "play_card":
      return [
        choice(`Play a ${nameOf(move.action)} card`, `card:${move.action}`),
        ...how(move, scene),
      ];
    case "compensate":
      return [insteadOf(move)];
    case "skip":
      return [givingUp(move)];
    case "end_activation":
      return [{ key: "end", text: doneWith(scene), givesUp: "rest" }];
    case "give_up_disc":
      return fromStack(move, scene);
    default:
      return [{ key: JSON.stringify(move), text: nameOf(move.type) }];
  }
}

// Return what tells a whole move: its choices, but where cloth goes is said once.
/** @param {Move} move @param {Table} scene */
export function words(move, scene) {
  const texts = choices(move, scene).map(({ text }) => text);
  const stops = new Set(move.cities ?? []).size;
  return stops > 1 ? texts.slice(0, -stops) : texts;
}

/** @param {string} text @param {string} place @returns {Choice} */
function choice(text, place) {
  return { key: place, text, place };
}

/** @param {Move} move @param {Table} scene */
function onStreet(move, { view }) {
  return choice(`On ${streetName(view, move.street)}`, `street:${move.street}`);
}

/** @param {Table} scene */
function doneWith({ view }) {
  const street = view.agenda[0]?.street;
  return street ? `Be done with ${streetName(view, street)}` : "Be done";
}

/** @param {Move} move @returns {Choice} */
function givingUp({ action }) {
  return {
    key: `skip:${action}`,
    text: `Give up ${nameOf(action)}, for nothing`,
    givesUp: "value",
  };
}

/** @param {Move} move @returns {Choice} */
function insteadOf(move) {
  return {
    key: `compensate:${move.action}`,
    text: `Draw a card instead of ${nameOf(move.action)}`,
    place: `action:${move.action}`,
  };
}

// Return the choices of a disc to give up. It is clicked itself, and not its street.
/** @param {Move} move @param {Table} scene @returns {Choice[]} */
function fromStack({ street, position }, { view }) {
  const from = { key: street, text: `Give up a disc on ${streetName(view, street)}` };
  const ordinals = ["bottom disc", "second disc from the bottom", "third disc from the bottom"];
  const disc = choice(`The ${ordinals[position]}`, `street:${street}:${position}`);
  return [from, disc];
}

// ---- how an action is carried out ----------------------------------------------------------------

/** @param {Move} move @param {Table} scene @returns {Choice[]} */
function how(move, scene) {
  switch (move.action) {
    case "build":
      return [project(move, scene)];
    case "artwork":
      return [choice(`To ${nameOf(move.building)}`, `building:${move.building}:artwork`)];
    case "contribute": {
      const text = `${nameOf(move.resource)} to ${nameOf(move.building)}`;
      return [choice(text, `building:${move.building}:${move.resource}`)];
    }
    case "ship":
    case "transport":
      return delivery(move.cities);
    default:
      return [];
  }
}

/** @param {Move} move @param {Table} scene @returns {Choice} */
function project(move, { view, reader }) {
  if (move.build === "trade_house") {
    return choice(`Trade house in ${nameOf(move.city)}`, `city:${move.city}`);
  }
  if (move.build === "ship") return choice("Ship", `mat:${reader}:ships`);
  const next = view.players[reader ?? 0]?.workshops.length ?? 0;
  return choice("Workshop", `mat:${reader}:workshop:${next}`);
}

// Return the choices of a delivery: first how many cloth, then where they all go. So it does not
// matter in which order somebody thinks of the cities. Where they go to several, the cities follow,
// each with its place: a click on each of them says the same.
/** @param {string[]} cities @returns {Choice[]} */
function delivery(cities) {
  const amount = { key: `cloth:${cities.length}`, text: `${cities.length} cloth` };
  const different = [...new Set(cities)];
  const stops = different.map((city) => choice(`To ${nameOf(city)}`, `city:${city}`));
  if (stops.length === 1) return [amount, ...stops];

  const parts = different.map((city) => {
    const count = cities.filter((other) => other === city).length;
    return `${count} to ${nameOf(city)}`;
  });
  return [amount, { key: cities.join("+"), text: listed(parts) }, ...stops];
}

// ---- what a click on a place that is no target seems to want, so that its refusal can be shown --

/** @param {string} place @param {Table} scene @returns {Attempt | null} null where no move is meant */
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
