/**
 * Base64 of texts, as UTF-8: Kubernetes' form of whatever is bytes in JSON.
 */

/** How many bytes are turned into characters at once: a call takes only so many arguments. */
const CHUNK = 8192;

/** Gives a text's UTF-8 bytes in base64. */
export function toBase64(text: string): string {
  const bytes = new TextEncoder().encode(text);
  let binary = "";
  for (let start = 0; start < bytes.length; start += CHUNK) {
    binary += String.fromCharCode(...bytes.subarray(start, start + CHUNK));
  }
  return btoa(binary);
}

/** Gives the text whose UTF-8 bytes these are; wrong bytes become U+FFFD. @throws {Error} If it is not base64. */
export function fromBase64(base64: string): string {
  return new TextDecoder().decode(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)));
}
