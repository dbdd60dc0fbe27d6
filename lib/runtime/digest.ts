/** Digests of texts, at once: the web's are promised only. */

import { createHash } from "node:crypto";

/** Returns the SHA-256 digest of a text's UTF-8. */
export function sha256(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}

/** Returns the SHA-1 digest of a text's UTF-8 in base64: for protocols that ask for it, as WebSocket does. */
export function sha1Base64(text: string): string {
  return createHash("sha1").update(text).digest("base64");
}
