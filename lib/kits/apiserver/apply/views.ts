/**
 * The objects of one write in the versions of the owners of their fields, where a webhook converts.
 *
 * Owners are compared without waiting, and a webhook makes its callers wait. So the comparison says which object is missing in
 * which version, the object is converted, and the comparison begins anew: it is a pure function of its arguments.
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import { formatJson } from "../../../runtime/json.ts";
import type { Kind } from "../kinds.ts";
import { Refusal } from "../refusal.ts";

/** An owner's version of a custom kind does not know fields of an object, or is gone, or cannot be converted to. */
export class UnfitVersionError extends SyntaxError {
  override name = "UnfitVersionError";
}

class MissingView extends Error {
  readonly object: JsonObject;
  readonly apiVersion: string;

  constructor(object: JsonObject, apiVersion: string) {
    super(`not converted to ${apiVersion} yet`);
    this.object = object;
    this.apiVersion = apiVersion;
  }
}

/** The views of one write. */
export class Views {
  readonly #kind: Kind;
  readonly #known = new Map<string, JsonObject | UnfitVersionError>();

  constructor(kind: Kind) {
    this.#kind = kind;
  }

  /**
   * Returns an object in another version.
   *
   * @throws {UnfitVersionError} If it cannot be converted. Other errors must be let through: `compare()` catches them.
   */
  of(object: JsonObject, apiVersion: string): JsonObject {
    const view = this.#known.get(keyOf(object, apiVersion));
    if (view === undefined) throw new MissingView(object, apiVersion);
    if (view instanceof UnfitVersionError) throw view;
    return view;
  }

  /** Runs a function until it has all the views that it needs. */
  async compare<T>(run: () => T): Promise<T> {
    for (;;) {
      try {
        return run();
      } catch (error) {
        if (!(error instanceof MissingView)) throw error;
        await this.#convert(error);
      }
    }
  }

  async #convert({ object, apiVersion }: MissingView): Promise<void> {
    const { kind, converter } = this.#kind;
    // An object that is compared has metadata.
    const { metadata } = object as KubeObject;
    const { managedFields: _owners, ...plain } = metadata;
    const key = keyOf(object, apiVersion);
    try {
      const [view] = await converter?.convert([{ ...object, kind, metadata: plain }], apiVersion) ?? [];
      this.#known.set(key, view ?? object);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#known.set(key, new UnfitVersionError(error.message));
    }
  }
}

function keyOf(object: JsonObject, apiVersion: string): string {
  return `${apiVersion} ${formatJson(object)}`;
}
