/**
 * One version of one object, as it is kept.
 *
 * The object is never changed once it is stored: a write makes a new one. While it is fresh, it is turned into JSON at most
 * once, for the response and all watches; then the text is let go of, because keeping it for all objects would double what
 * they take. `apiVersion` and `kind` are left out of it, because the same object is served under several versions, and
 * because lists of built-in kinds omit them.
 */

import type { KubeObject } from "../../../model/object.ts";
import { formatJson } from "../../../runtime/json.ts";

const ENCODER = new TextEncoder();

export class Stored {
  readonly object: KubeObject;
  /** The resourceVersion as a number. */
  readonly version: number;
  #text: string | undefined;
  #isFresh = true;
  #line: { readonly opening: string; readonly bytes: Uint8Array } | undefined;

  constructor(object: KubeObject, version: number) {
    this.object = object;
    this.version = version;
  }

  /** The object's JSON without the opening brace, `apiVersion` and `kind`: `"metadata":{…},"spec":{…}}`. */
  get text(): string {
    const text = this.#text ?? bodyText(this.object);
    if (this.#isFresh) this.#text = text;
    return text;
  }

  /** Returns the text between an opening and a closing, encoded: watches of one kind share it. Must not be changed. */
  line(opening: string, closing: string): Uint8Array {
    if (this.#line?.opening === opening) return this.#line.bytes;
    const bytes = ENCODER.encode(opening + this.text + closing);
    if (this.#isFresh) this.#line = { opening, bytes };
    return bytes;
  }

  /** Lets go of the texts: from now on they are made anew whenever somebody asks. */
  settle(): void {
    this.#isFresh = false;
    this.#text = undefined;
    this.#line = undefined;
  }

  /** The same object with a later version: what watchers get when it is gone. */
  at(version: number): Stored {
    const metadata = { ...this.object.metadata, resourceVersion: String(version) };
    return new Stored({ ...this.object, metadata }, version);
  }
}

/** Returns an object's JSON without the opening brace, `apiVersion` and `kind`. */
export function bodyText(object: KubeObject): string {
  // NB: undefined keys are not written.
  return formatJson({ ...object, apiVersion: undefined, kind: undefined }).slice(1);
}
