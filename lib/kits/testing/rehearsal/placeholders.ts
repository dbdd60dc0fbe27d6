/**
 * Placeholders for the values of Secrets: of the same length and shape, so that code which reads them goes the same way.
 *
 * Letters become other letters, digits other digits, and all else stays, so that base64, dates, URLs and names stay such. PEM keeps
 * its lines, JSON its keys. Equal values of one copy get equal placeholders; the key that they depend on is drawn for each copy
 * and kept nowhere, so that no value can be guessed from them.
 */

import { byteLengthOf, digestOf, fromBase64, toBase64 } from "../../../model/encoding.ts";
import { isObject, setKey } from "../../../model/json.ts";
import type { JsonObject, KubeObject } from "../../../model/object.ts";

const LOWER = "abcdefghijklmnopqrstuvwxyz";
const UPPER = LOWER.toUpperCase();
const DIGITS = "0123456789";

/** Placeholders of characters outside of ASCII, by their length in UTF-8. */
const FOREIGN: Readonly<Record<number, string>> = { 2: "\u00fc", 3: "\u3042", 4: "\u{1f600}" };

/** Deeper values are hidden as one text: they can be nested deeper than calls can. */
const DEEPEST = 100;

/** Members of a Secret that hold its values. In `data` they are base64. */
const VALUES = ["data", "stringData"] as const;

/** Makes placeholders, for one copy. */
export class Placeholders {
  readonly #salt: string;

  /** @param salt Random, and not to be kept. */
  constructor(salt: string) {
    this.#salt = salt;
  }

  /** Returns a Secret with placeholders in place of its values, in its annotations as well, where tools keep copies of them. */
  hideSecret(secret: KubeObject): KubeObject {
    const { annotations } = secret.metadata;
    const hidden: KubeObject = { ...secret, ...this.#hideValues(secret) };
    if (annotations === undefined) return hidden;
    const kept: Record<string, string> = {};
    for (const [name, text] of Object.entries(annotations)) setKey(kept, name, this.#hideNote(text));
    return { ...hidden, metadata: { ...secret.metadata, annotations: kept } };
  }

  /** Returns a text of the same shape. */
  text(value: string): string {
    if (value.includes("-----BEGIN ")) return this.#pem(value);
    const parsed = /^\s*[{[]/.test(value) ? parse(value) : undefined;
    if (parsed !== undefined) return JSON.stringify(this.#json(parsed, 0));
    return this.#scramble(value);
  }

  /** Returns base64 of a placeholder. */
  base64(data: string): string {
    const text = fromBase64(data);
    // Bytes that are no text keep their number, and the alphabet of base64.
    const isText = text !== undefined && !text.includes("\ufffd");
    return isText ? toBase64(this.text(text)) : this.#scramble(data);
  }

  #hideValues(holder: JsonObject): JsonObject {
    const hidden: JsonObject = {};
    for (const member of VALUES) {
      const values = holder[member];
      if (!isObject(values)) continue;
      const copy: JsonObject = {};
      for (const [key, value] of Object.entries(values)) {
        const text = typeof value === "string" ? value : JSON.stringify(value);
        setKey(copy, key, member === "data" ? this.base64(text) : this.text(text));
      }
      hidden[member] = copy;
    }
    return hidden;
  }

  /** NB: kubectl keeps the applied manifest in an annotation, and operators keep states. */
  #hideNote(text: string): string {
    const parsed = parse(text);
    if (isObject(parsed)) {
      const isHolder = VALUES.some((member) => isObject(parsed[member]));
      return isHolder ? JSON.stringify({ ...parsed, ...this.#hideValues(parsed) }) : text;
    }
    // Compressed notes are one long word.
    return /^\S{64,}$/.test(text) ? this.#scramble(text) : text;
  }

  #json(value: unknown, depth: number): unknown {
    if (typeof value === "string") return depth < DEEPEST ? this.text(value) : this.#scramble(value);
    if (typeof value === "number") return Number.isInteger(value) ? Number(this.#digits(value)) : 0.5;
    if (depth >= DEEPEST) return this.#scramble(JSON.stringify(value));
    if (Array.isArray(value)) return value.map((each) => this.#json(each, depth + 1));
    if (!isObject(value)) return value;
    const copy: JsonObject = {};
    for (const [key, each] of Object.entries(value)) setKey(copy, key, this.#json(each, depth + 1));
    return copy;
  }

  #digits(value: number): string {
    return this.#scramble(String(value)).replace(/^(-?)0(?=\d)/, "$11");
  }

  #pem(text: string): string {
    return text.split("\n").map((line) => line.startsWith("-----") ? line : this.#scramble(line)).join("\n");
  }

  #scramble(text: string): string {
    let state = Number.parseInt(digestOf(`${this.#salt} ${text}`).slice(0, 8), 16) || 1;
    const pick = (alphabet: string): string => {
      // NB: xorshift is no cipher. Its seed is 32 bits of a digest with a salt that is not kept.
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      return alphabet.charAt((state >>> 0) % alphabet.length);
    };
    return text.replace(/[a-z]|[A-Z]|[0-9]|[\u{80}-\u{10ffff}]/gu, (sign) => {
      if (sign >= "0" && sign <= "9") return pick(DIGITS);
      if (sign >= "A" && sign <= "Z") return pick(UPPER);
      return sign <= "z" ? pick(LOWER) : FOREIGN[byteLengthOf(sign)] ?? "?";
    });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
