// Templates: what all pages draw with. The library behind them is named here alone.

export { html, nothing, render, svg } from "../vendor/lit-html.js";
