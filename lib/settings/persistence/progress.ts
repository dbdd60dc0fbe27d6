/**
 * The progress of handlers as notes: a record for each unfinished handler, in either place and in either form.
 */

import { clearEssence, type EssenceOptions } from "../../model/essence.ts";
import type { FieldPath } from "../../model/fields.ts";
import type { JsonObject, KubeObject } from "../../model/object.ts";
import type { Patch } from "../../model/patch.ts";
import { formatJson } from "../../runtime/json.ts";
import { parseNote, toPythonJson } from "./note_texts.ts";
import type { Place } from "./place.ts";
import { decodeRecord, encodeRecord, isSameRecord, type RecordForm } from "./record.ts";
import type { FetchOptions, ProgressRecord, ProgressStorage, ProgressTarget } from "./storage.ts";

/** Options of {@linkcode ProgressNotes}. */
export interface ProgressNotesOptions {
  readonly place: Place;
  /** Whose form is written. Both are read. */
  readonly form: RecordForm;
  /** Whether null is written into texts for members that a record does not have. Default: false. */
  readonly verbose?: boolean;
  /** Kopf's wake-up note: it is never written, and removed where it is found. */
  readonly touch: { readonly place: Place; readonly id: string };
  /** The ids of other notes in the place of the records. Default: none. */
  readonly others?: readonly string[];
}

/** Keeps the records of handlers. */
export class ProgressNotes implements ProgressStorage {
  readonly #options: ProgressNotesOptions;
  readonly #own: EssenceOptions;

  /** Keeps records as the options say. */
  constructor(options: ProgressNotesOptions) {
    this.#options = options;
    const { place, touch } = options;
    const [records, wakeUp] = [place.own(), touch.place.own(touch.id)];
    const ignoredFields = [...records.ignoredFields ?? [], ...wakeUp.ignoredFields ?? []];
    this.#own = { prefix: records.prefix, ignoredFields };
  }

  fetch(body: KubeObject, id: string, options: FetchOptions = {}): ProgressRecord | undefined {
    return this.#options.place.find(body, id, (value, where) => this.#decode(value, { ...options, where }));
  }

  store({ record, ...target }: ProgressTarget & { readonly record: ProgressRecord }): void {
    const { place, form } = this.#options;
    const isSame = (value: unknown): boolean => {
      const stored = this.#decode(value, { where: "" });
      return stored !== undefined && isSameRecord(stored, record, form);
    };
    place.write({ ...target, value: this.#encode(record), isSame });
  }

  purge(target: ProgressTarget): void {
    this.#options.place.drop(target, target.id);
  }

  ids(body: KubeObject): string[] {
    const { place, others = [] } = this.#options;
    return place.ids(body).filter((id) => !others.includes(id));
  }

  keys(id: string): readonly string[] {
    return this.#options.place.names(id);
  }

  reserved(): readonly string[] {
    const { place, others = [] } = this.#options;
    return others.flatMap((id) => place.names(id));
  }

  statusFields(): readonly FieldPath[] {
    return this.#own.ignoredFields ?? [];
  }

  clear(essence: JsonObject): JsonObject {
    return clearEssence(essence, this.#own);
  }

  sweep(patch: Patch, body: KubeObject): void {
    const { touch } = this.#options;
    touch.place.drop({ patch, body }, touch.id);
  }

  #decode(value: unknown, options: FetchOptions & { readonly where: string }): ProgressRecord | undefined {
    const isText = this.#options.place.holds === "texts";
    return decodeRecord(isText ? parseNote(value, options.where, options) : value, options);
  }

  #encode(record: ProgressRecord): unknown {
    const { place, form, verbose = false } = this.#options;
    const encoded = encodeRecord(record, form);
    // The nulls matter in an object: a merge patch merges it with the one that is there.
    if (place.holds === "values") return encoded;
    const said = verbose
      ? encoded
      : Object.fromEntries(Object.entries(encoded).filter(([, value]) => value !== null));
    return form === "kopf" ? toPythonJson(said) : formatJson(said);
  }
}
