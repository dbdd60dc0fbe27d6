/**
 * Texts as bytes: digests (short names for long texts), lengths, base64. The only file that imports the hashing package.
 *
 * Pure functions, the same on each runtime and in each release: their results are kept on objects.
 */

import { blake2b, blake2s } from "@noble/hashes/blake2.js";
import { canonicalJson } from "./json.ts";

/**
 * Returns a digest of a JSON value: 16 hexadecimal digits (BLAKE2s, 8 bytes, of the canonical JSON).
 *
 * Values that mean the same (other order of keys, null for absent) have the same digest; so have undefined and null.
 */
export function digestOf(value: unknown): string {
  const bytes = blake2s(encode(canonicalJson(value)), { dkLen: 8 });
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Returns the suffix that stands for a text which is too long for a key: "-" and at most 6 characters.
 *
 * Source: Kopf, `conventions.py`: base64 of a 4-byte BLAKE2b, "-" and "." for "+" and "/", ends trimmed.
 */
export function suffixOf(text: string): string {
  const bytes = blake2b(encode(text), { dkLen: 4 });
  const base64 = btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", ".");
  return `-${base64.replace(/(?<![=.-])[=.-]+$/, "")}`;
}

/** Returns the length of a text in UTF-8 bytes. */
export function byteLengthOf(text: string): number {
  return encode(text).length;
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** How many bytes are turned into characters at once: a call takes only so many arguments. */
const CHUNK = 8192;

/** Returns a text's UTF-8 bytes in base64: Kubernetes' form of whatever is bytes in JSON. */
export function toBase64(text: string): string {
  const bytes = encode(text);
  let binary = "";
  for (let start = 0; start < bytes.length; start += CHUNK) {
    binary += String.fromCharCode(...bytes.subarray(start, start + CHUNK));
  }
  return btoa(binary);
}

/** Returns the text whose UTF-8 bytes these are in base64; undefined if they are not. Blanks and line breaks are passed over. */
export function fromBase64(data: string): string | undefined {
  try {
    const binary = atob(data.replaceAll(/\s/g, ""));
    return new TextDecoder().decode(Uint8Array.from(binary, (character) => character.charCodeAt(0)));
  } catch {
    return undefined;
  }
}
