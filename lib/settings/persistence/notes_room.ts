/** Which kinds have room for notes in their status: settled by the operator, asked by the storages. */

import type { FieldPath } from "../../model/fields.ts";
import type { KubeObject } from "../../model/object.ts";

/** Whether the status of a kind keeps notes. */
type Decision = "yes" | "no" | "unknown" | "closed";

/** The kinds whose status has room for notes. Filled by the operator when it meets them. */
export class NotesRoom {
  /** The field of the status that holds the notes, such as `["status", "lotse"]`. */
  readonly field: FieldPath;
  /** By API version and kind. */
  readonly #kinds = new Map<string, Map<string, Decision>>();

  /** Knows no kind yet: all notes go into annotations. */
  constructor(field: FieldPath) {
    this.field = field;
  }

  /**
   * Notes down whether objects of a kind keep the field when it is written; "unknown": its definition cannot be read. A kind that
   * was closed stays so.
   */
  decide(names: Pick<KubeObject, "apiVersion" | "kind">, room: "yes" | "no" | "unknown"): void {
    if (this.#of(names) !== "closed") this.#set(names, room);
  }

  /** The field of a kind is given up for as long as the process lasts: another writer empties it, or the operator may not write it. */
  close(names: Pick<KubeObject, "apiVersion" | "kind">): void {
    this.#set(names, "closed");
  }

  /** Whether the kind was met. */
  isDecided(names: Pick<KubeObject, "apiVersion" | "kind">): boolean {
    return this.#of(names) !== undefined;
  }

  /** Whether notes on this object belong into its status. */
  isFor(names: Pick<KubeObject, "apiVersion" | "kind">): boolean {
    return this.#of(names) === "yes";
  }

  /** Whether notes that stand in the status of this object may get lost there. */
  isUnsafe(names: Pick<KubeObject, "apiVersion" | "kind">): boolean {
    const room = this.#of(names);
    return room === "no" || room === "closed";
  }

  #of({ apiVersion = "", kind = "" }: Pick<KubeObject, "apiVersion" | "kind">): Decision | undefined {
    return this.#kinds.get(apiVersion)?.get(kind);
  }

  #set({ apiVersion = "", kind = "" }: Pick<KubeObject, "apiVersion" | "kind">, room: Decision): void {
    const kinds = this.#kinds.get(apiVersion) ?? new Map<string, Decision>();
    this.#kinds.set(apiVersion, kinds.set(kind, room));
  }
}
