// A record handed to the reader as a file.

const MEDIA_TYPE = "application/x-ndjson";

/** @param {string} match @param {ArrayBuffer} record */
export function handOut(match, record) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([record], { type: MEDIA_TYPE }));
  link.download = `${match}.ndjson`;
  link.click();
  URL.revokeObjectURL(link.href);
}
