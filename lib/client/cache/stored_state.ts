/**
 * One state of an object, as a store keeps it: parsed, or packed into bytes, which take a quarter of the memory or less.
 *
 * Nobody keeps the object in other places than here: whoever remembers which state it has seen keeps the `StoredState`, and compares
 * by identity. A packed state is parsed again when somebody reads it; which states stay parsed is up to their store's window.
 */

import type { KubeObject } from "../../model/object.ts";
import type { TextPacker } from "../../runtime/compression.ts";
import { formatJson, parseJson } from "../../runtime/json.ts";

/** The holder of a state. */
export interface StateHolder {
  /** A packed state was parsed, as somebody has read it. */
  parsed(state: StoredState): void;
}

/**
 * Returns how long the JSON text of a value is, but for escapes; or a number that is not less than `most`, as soon as it is known to be that
 * long. To write the text of each short object would cost a fifth of a start over many. NB: a level of nesting takes two characters at
 * least, so that the value is not followed deeper than `most` allows.
 */
function lengthOf(value: unknown, most: number): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return String(value).length;
  let length = 2;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && length < most; index++) {
      length += lengthOf(value[index], most - length) + 1;
    }
    return length;
  }
  for (const key in value) {
    if (length >= most) break;
    // Any object may be asked for its own keys: it is JSON.
    length += key.length + 4 + lengthOf((value as Record<string, unknown>)[key], most - length);
  }
  return length;
}

/** A state. It never changes. */
export class StoredState {
  /** The resourceVersion. */
  readonly version: string | undefined;
  readonly #holder: StateHolder | undefined;
  #object: KubeObject | undefined;
  #bytes: Uint8Array | undefined;
  /** The one that has made the bytes: the object may have moved to another store since. */
  #packer: TextPacker | undefined;

  constructor(object: KubeObject, holder?: StateHolder) {
    this.version = object.metadata?.resourceVersion;
    this.#object = object;
    this.#holder = holder;
  }

  get isPacked(): boolean {
    return this.#object === undefined;
  }

  /** How many bytes it takes while it is packed; 0: it never was. */
  get size(): number {
    return this.#bytes?.length ?? 0;
  }

  /** The object. A packed one is parsed, and stays so until it is packed again. */
  get object(): KubeObject {
    if (this.#object !== undefined) return this.#object;
    const object = parseJson(this.#packer!.unpack(this.#bytes!)) as KubeObject;
    this.#object = object;
    this.#holder?.parsed(this);
    return object;
  }

  /** Keeps the object as bytes alone, unless its text is shorter than that. `packer`: the one of its store. */
  pack(shortest: number, packer: TextPacker): void {
    if (this.#object === undefined) return;
    if (this.#bytes === undefined) {
      if (lengthOf(this.#object, shortest) < shortest) return;
      this.#bytes = packer.pack(formatJson(this.#object));
      this.#packer = packer;
    }
    this.#object = undefined;
  }
}
