/**
 * The progress of handlers as notes: a record for each unfinished handler, in either place and in either form.
 */

import { clearEssence, type EssenceOptions } from "../../model/essence.ts";
import type { FieldPath } from "../../model/fields.ts";
import { isObject } from "../../model/json.ts";
import type { JsonObject, KubeObject } from "../../model/object.ts";
import type { Patch } from "../../model/patch.ts";
import { formatJson } from "../../runtime/json.ts";
import { identityOf, isOwnNote } from "./identity.ts";
import { parseNote, toPythonJson } from "./note_texts.ts";
import type { Place } from "./place.ts";
import { decodeRecord, encodeRecord, isSameRecord, type RecordForm } from "./record.ts";
import type {
  FetchOptions,
  ForeignNote,
  ProgressRecord,
  ProgressStorage,
  ProgressTarget,
} from "./storage.ts";

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
    return this.#options.place.find(body, id, (value, where) => {
      const raw = this.#parse(value, where, options);
      if (isObject(raw) && !isOwnNote(raw.of, body, options)) return undefined;
      return decodeRecord(raw, { ...options, where });
    });
  }

  store({ record, ...target }: ProgressTarget & { readonly record: ProgressRecord }): void {
    const { place, form } = this.#options;
    const isSame = (value: unknown): boolean => {
      const raw = this.#parse(value, "");
      const stored = decodeRecord(raw, { where: "" });
      if (stored === undefined || (isObject(raw) && !isOwnNote(raw.of, target.body))) return false;
      return isSameRecord(stored, record, form);
    };
    place.write({ ...target, value: this.#encode(record, target.body), isSame });
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

  sweep(patch: Patch, body: KubeObject, { restored }: FetchOptions = {}): void {
    const { place, touch } = this.#options;
    touch.place.drop({ patch, body }, touch.id);
    for (const id of this.ids(body)) {
      let isForeign = false;
      const onForeign = ({ counts }: ForeignNote): void => void (isForeign ||= !counts);
      this.fetch(body, id, { restored, onForeign });
      if (isForeign) place.drop({ patch, body }, id);
    }
  }

  /** Returns the content of a note, which may be anything. */
  #parse(value: unknown, where: string, options?: FetchOptions): unknown {
    return this.#options.place.holds === "texts" ? parseNote(value, where, options) : value;
  }

  #encode(record: ProgressRecord, body: KubeObject): unknown {
    const { place, form, verbose = false } = this.#options;
    const encoded = encodeRecord(record, form);
    const of = form === "lotse" ? identityOf(body) : undefined;
    if (of !== undefined) encoded.of = of;
    // The nulls matter in an object: a merge patch merges it with the one that is there.
    if (place.holds === "values") return encoded;
    const said = verbose
      ? encoded
      : Object.fromEntries(Object.entries(encoded).filter(([, value]) => value !== null));
    return form === "kopf" ? toPythonJson(said) : formatJson(said);
  }
}
