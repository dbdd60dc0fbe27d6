/** Which kinds have room for notes in their status: settled by the operator, asked by the storages. */

import type { FieldPath } from "../../model/fields.ts";
import type { KubeObject } from "../../model/object.ts";

/** The kinds whose status has room for notes. Filled by the operator when it meets them. */
export class NotesRoom {
  /** The field of the status that holds the notes, such as `["status", "lotse"]`. */
  readonly field: FieldPath;
  readonly #kinds = new Map<string, Set<string>>();

  /** Knows no kind yet: all notes go into annotations. */
  constructor(field: FieldPath) {
    this.field = field;
  }

  /** Notes down whether objects of a kind keep the field when it is written. */
  decide({ apiVersion = "", kind = "" }: Pick<KubeObject, "apiVersion" | "kind">, hasRoom: boolean): void {
    const kinds = this.#kinds.get(apiVersion) ?? new Set();
    if (hasRoom) this.#kinds.set(apiVersion, kinds.add(kind));
    else kinds.delete(kind);
  }

  /** Whether notes on this object belong into its status. */
  isFor({ apiVersion = "", kind = "" }: Pick<KubeObject, "apiVersion" | "kind">): boolean {
    return this.#kinds.get(apiVersion)?.has(kind) ?? false;
  }
}
