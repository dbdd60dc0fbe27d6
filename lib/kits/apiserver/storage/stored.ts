/**
 * One version of one object, as it is kept.
 *
 * The object is never changed once it is stored: a write makes a new one. While it is fresh, it is there as an object, and is
 * turned into JSON at most once, for the response and all watches. Then it is settled: only its JSON stays, which takes half as
 * much, but for the parts that many objects have in common (labels, the owners of fields); a reader of the object gets a new one.
 * `apiVersion` and `kind` are left out of the JSON, because the same object is served under several versions, and because lists
 * of built-in kinds omit them.
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import { formatJson, parseJson } from "../../../runtime/json.ts";

const ENCODER = new TextEncoder();
const DECODER = new TextDecoder();
const NOTHING = new Uint8Array();

type Metadata = KubeObject["metadata"];

/** The parts that settled objects share with others of their kind. */
export interface SharedParts {
  readonly apiVersion: string | undefined;
  readonly kind: string | undefined;
  readonly labels: Metadata["labels"];
}

/** The object while it is fresh. */
interface Fresh {
  readonly object: KubeObject;
  text: string | undefined;
  line: { readonly opening: string; readonly bytes: Uint8Array } | undefined;
}

export class Stored {
  /** The resourceVersion as a number. */
  readonly version: number;
  #fresh: Fresh | undefined;
  // Of a settled object:
  /**
   * The JSON of the metadata without the owners of fields, and the JSON of all fields but the metadata, `apiVersion` and `kind`.
   * NB: as bytes, which are no part of the engine's heap: that heap may grow to twice its live objects.
   */
  #bytes = NOTHING;
  /** Of how many characters the first is. */
  #length = 0;
  #owners: Metadata["managedFields"];
  #shared: SharedParts | undefined;

  constructor(object: KubeObject, version: number) {
    this.#fresh = { object, text: undefined, line: undefined };
    this.version = version;
  }

  /** The object, which must not be changed. NB: of a settled object, each time another one. */
  get object(): KubeObject {
    if (this.#fresh !== undefined) return this.#fresh.object;
    const { apiVersion, kind } = this.#shared ?? {};
    // The kept text is the JSON of an object.
    const rest = parseJson(this.#parts().rest, 64) as JsonObject;
    return {
      ...(apiVersion === undefined ? {} : { apiVersion }),
      ...(kind === undefined ? {} : { kind }),
      metadata: this.metadata,
      ...rest,
    };
  }

  /** The object's metadata, which must not be changed; cheaper than the object. */
  get metadata(): Metadata {
    if (this.#fresh !== undefined) return this.#fresh.object.metadata;
    // The kept text is the JSON of an object's metadata.
    const metadata = parseJson(this.#parts().metadata, 64) as Metadata;
    if (this.#owners !== undefined) metadata.managedFields = this.#owners;
    return metadata;
  }

  /** The object's labels, which must not be changed; cheaper than the metadata. */
  get labels(): Metadata["labels"] {
    return this.#fresh === undefined ? this.#shared?.labels : this.#fresh.object.metadata.labels;
  }

  /** The object's JSON without the opening brace, `apiVersion` and `kind`: `"metadata":{…},"spec":{…}}`. */
  get text(): string {
    const fresh = this.#fresh;
    if (fresh !== undefined) return fresh.text ??= bodyText(fresh.object);
    const owners = this.#owners === undefined ? "" : `,"managedFields":${formatJson(this.#owners)}`;
    const { metadata, rest } = this.#parts();
    return `"metadata":${metadata.slice(0, -1)}${owners}}${rest === "{}" ? "}" : `,${rest.slice(1)}`}`;
  }

  #parts(): { readonly metadata: string; readonly rest: string } {
    const text = DECODER.decode(this.#bytes);
    return { metadata: text.slice(0, this.#length), rest: text.slice(this.#length) };
  }

  /** Returns the text between an opening and a closing, encoded: watches of one kind share it. Must not be changed. */
  line(opening: string, closing: string): Uint8Array {
    const fresh = this.#fresh;
    if (fresh?.line?.opening === opening) return fresh.line.bytes;
    const bytes = ENCODER.encode(opening + this.text + closing);
    if (fresh !== undefined) fresh.line = { opening, bytes };
    return bytes;
  }

  /** Lets go of the object: from now on it is made anew for each reader. */
  settle(share: (parts: SharedParts) => SharedParts): void {
    const fresh = this.#fresh;
    if (fresh === undefined) return;
    const { apiVersion, kind, metadata: { managedFields, ...metadata }, ...rest } = fresh.object;
    const text = formatJson(metadata);
    this.#bytes = ENCODER.encode(text + formatJson(rest));
    this.#length = text.length;
    this.#owners = managedFields;
    this.#shared = share({ apiVersion, kind, labels: metadata.labels });
    this.#fresh = undefined;
  }

  /** The same object with a later version: watchers get it when the object is gone. */
  at(version: number): Stored {
    const { object } = this;
    const metadata = { ...object.metadata, resourceVersion: String(version) };
    return new Stored({ ...object, metadata }, version);
  }
}

/** Returns an object's JSON without the opening brace, `apiVersion` and `kind`. */
export function bodyText(object: KubeObject): string {
  // NB: undefined keys are not written.
  return formatJson({ ...object, apiVersion: undefined, kind: undefined }).slice(1);
}
