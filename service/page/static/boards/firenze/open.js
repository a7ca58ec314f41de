// Which commissions are open (F21, F22).

import { balconyAt, LOWEST } from "./looks.js";

/** @param {any} view @param {string} colour @param {number} height */
export function isOpen(view, colour, height) {
  const { seals } = view.commissions[colour];
  if (seals[height - LOWEST] !== null) return false;
  return balconyAt(view, colour, height)?.open ?? true;
}
