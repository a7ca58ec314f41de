// What lies packed in the file: gzip in base64, in elements that no browser runs.

/** @param {string} id @returns {Promise<ArrayBuffer>} */
export async function unpacked(id) {
  const text = document.getElementById(id)?.textContent ?? "";
  const packed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

/** @param {string} id @returns {Promise<any>} */
export async function unpackedJson(id) {
  return JSON.parse(new TextDecoder().decode(await unpacked(id)));
}
