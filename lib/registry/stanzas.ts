/**
 * The fields of a kind beside `spec` and `status`, such as the `data` of a ConfigMap and the `rules` of a Role.
 *
 * Signatures name a kind by the types of its spec and its status. A kind with more fields adds them to the type of its spec
 * by `Stanzas`, so that whole objects are typed without a third parameter of each signature. For the compiler only.
 */

import type { JsonObject, KubeObject } from "../model/object.ts";

/** The key of the types of these fields. Never there at run time. */
export declare const STANZAS: unique symbol;

/**
 * A part of the type of a spec: the kind's objects have these fields beside `spec` and `status`.
 *
 * @example
 * ```ts
 * import { type ResourceType, resource } from "@lotse/lotse";
 * import type { Stanzas } from "@lotse/lotse/types";
 *
 * type Palette = Stanzas<{ data?: Record<string, string> }>; // it has no spec at all
 *
 * const Palette: ResourceType<Palette> = resource<Palette>({ group: "example.com", version: "v1", plural: "palettes" });
 * ```
 */
export type Stanzas<Fields> = {
  /** Never there at run time. */
  readonly [STANZAS]?: {
    // Without index signatures, and without fields that all objects have.
    [
      Key in keyof Fields as string extends Key ? never
        : number extends Key ? never
        : Exclude<Key, "apiVersion" | "kind" | "metadata" | "spec" | "status">
    ]: Fields[Key];
  };
};

/** The fields of a kind beside `spec` and `status`, by the type of its spec; unknown where it has none. */
export type StanzasOf<Spec> = unknown extends Spec ? unknown
  : [Spec] extends [never] ? unknown
  : Spec extends { readonly [STANZAS]?: infer Fields }
    ? unknown extends Fields ? unknown : NonNullable<Fields>
  : unknown;

/** An object of a kind, with all of its fields. */
export type ObjectOf<Spec = JsonObject, Status = JsonObject> = KubeObject<Spec, Status> & StanzasOf<Spec>;
