// Answers of many lines, read while they arrive.

import { networkFailure } from "./failures.js";

/**
 * Read a text line by line while it arrives. The last line may lack its end.
 * @param {Response} response
 */
export async function* textLines(response) {
  if (!response.body) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    while (true) {
      const { done, value } = await reader.read();
      if (done) break;
      const lines = (rest + value).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
  } catch (failure) {
    throw networkFailure(failure);
  } finally {
    reader.cancel().catch(() => {});
  }
  if (rest) yield rest;
}
