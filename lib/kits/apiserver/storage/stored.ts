/**
 * One version of one object, as it is kept.
 *
 * The object is never changed once it is stored: a write makes a new one. It is turned into JSON at most once; responses,
 * lists and watches copy the same bytes. `apiVersion` and `kind` are left out of them, because the same object is
 * served under several versions, and because lists of built-in kinds omit them.
 */

import type { KubeObject } from "../../../model/object.ts";
import { formatJson } from "../../../runtime/json.ts";

const ENCODER = new TextEncoder();

export class Stored {
  readonly object: KubeObject;
  /** The resourceVersion as a number. */
  readonly version: number;
  #bytes: Uint8Array | undefined;

  constructor(object: KubeObject, version: number) {
    this.object = object;
    this.version = version;
  }

  /** The object's JSON without the opening brace, `apiVersion` and `kind`: `"metadata":{…},"spec":{…}}`. */
  get bytes(): Uint8Array {
    this.#bytes ??= encodeBody(this.object);
    return this.#bytes;
  }

  /** The same object with a later version: what watchers get when it is gone. */
  at(version: number): Stored {
    const metadata = { ...this.object.metadata, resourceVersion: String(version) };
    return new Stored({ ...this.object, metadata }, version);
  }
}

/** Returns an object's JSON without the opening brace, `apiVersion` and `kind`. */
export function encodeBody(object: KubeObject): Uint8Array {
  // NB: undefined keys are not written.
  return ENCODER.encode(formatJson({ ...object, apiVersion: undefined, kind: undefined }).slice(1));
}
