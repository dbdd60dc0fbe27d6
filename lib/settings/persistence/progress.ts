/**
 * Storages of handlers' progress: one annotation per unfinished handler, or one member of a field of the status.
 */

import { clearEssence, MARKER } from "../../model/essence.ts";
import { type FieldPath, getField, withoutField } from "../../model/fields.ts";
import { isEmptyObject, isObject } from "../../model/json.ts";
import type { JsonObject, KubeObject } from "../../model/object.ts";
import type { Patch } from "../../model/patch.ts";
import { formatJson } from "../../runtime/json.ts";
import {
  annotationKeys,
  annotationsOf,
  dropAnnotation,
  dropStatus,
  idOfKey,
  isAnnotationName,
  type KeyForm,
  parseNote,
  writeAnnotation,
  writeMarker,
  writeStatus,
} from "./annotations.ts";
import type { FetchOptions, ProgressRecord, ProgressStorage, ProgressTarget } from "./storage.ts";
import { decodeRecord, encodeRecord, isSameRecord, type RecordForm, toPythonJson } from "./record.ts";

/** Options of {@linkcode AnnotationsProgress}. */
export interface AnnotationsProgressOptions {
  /** The annotations' prefix. */
  readonly prefix: string;
  /** How the annotations' names are made. */
  readonly keyForm: KeyForm;
  /** Whose form is written. Both are read. */
  readonly form: RecordForm;
  /** Whether null is written for what a record does not have. Default: false. */
  readonly verbose?: boolean;
  /** The id of Kopf's wake-up note. Default: "touch-dummy". */
  readonly touchKey?: string;
}

/** Keeps records in annotations, as JSON texts. */
export class AnnotationsProgress implements ProgressStorage {
  readonly #options: AnnotationsProgressOptions;
  readonly #touchKey: string;

  /** Keeps records as the options say. */
  constructor(options: AnnotationsProgressOptions) {
    this.#options = options;
    this.#touchKey = options.touchKey ?? "touch-dummy";
  }

  fetch(body: KubeObject, id: string, options: FetchOptions = {}): ProgressRecord | undefined {
    for (const key of this.#keys(id, body)) {
      const record = this.#read(body, key, options);
      if (record !== undefined) return record;
    }
    return undefined;
  }

  store(target: ProgressTarget & { readonly record: ProgressRecord }): void {
    const { body, id, record } = target;
    const text = this.#encode(record);
    let isWritten = false;
    for (const key of this.#keys(id, body)) {
      const stored = this.#read(body, key, {});
      if (stored !== undefined && isSameRecord(stored, record, this.#options.form)) {
        delete target.patch.metadata.annotations[key];
      } else {
        isWritten = writeAnnotation(target, key, text) || isWritten;
      }
    }
    if (isWritten) writeMarker(target, this.#options.prefix);
  }

  purge(target: ProgressTarget): void {
    for (const key of this.#keys(target.id, target.body)) dropAnnotation(target, key);
  }

  ids(body: KubeObject): string[] {
    const { prefix } = this.#options;
    const others = [MARKER, "last-handled-configuration", this.#touchKey];
    return Object.keys(annotationsOf(body))
      .filter((key) => key.startsWith(`${prefix}/`))
      .map((key) => idOfKey(key, { prefix, body }))
      .filter((id) => !others.includes(id));
  }

  keys(id: string): readonly string[] {
    const keys = this.#keys(id);
    const refused = keys.find((key) => !isAnnotationName(key));
    if (refused === undefined) return keys;
    throw new TypeError(
      `Cannot keep the progress of "${id}" in the way of Kopf: Kubernetes takes no annotation "${refused}" (give the ` +
        'handler an id of ASCII letters, digits, "-", "_" and ".", or keep notes in another way)',
    );
  }

  reserved(): readonly string[] {
    return [MARKER, this.#touchKey].flatMap((id) => this.#keys(id));
  }

  statusFields(): readonly FieldPath[] {
    return [];
  }

  clear(essence: JsonObject): JsonObject {
    return clearEssence(essence, { prefix: this.#options.prefix });
  }

  sweep(patch: Patch, body: KubeObject): void {
    for (const key of this.#keys(this.#touchKey, body)) dropAnnotation({ patch, body }, key);
  }

  #keys(id: string, body?: KubeObject): readonly string[] {
    const { prefix, keyForm } = this.#options;
    return annotationKeys(id, { prefix, form: keyForm, body });
  }

  #read(body: KubeObject, key: string, options: FetchOptions): ProgressRecord | undefined {
    const annotations = annotationsOf(body);
    const raw = Object.hasOwn(annotations, key) ? parseNote(annotations[key], key, options) : undefined;
    return decodeRecord(raw, { ...options, where: key });
  }

  #encode(record: ProgressRecord): string {
    const { form, verbose = false } = this.#options;
    const encoded = Object.entries(encodeRecord(record, form)).filter(([, value]) =>
      value !== null || verbose
    );
    const content = Object.fromEntries(encoded);
    return form === "kopf" ? toPythonJson(content) : formatJson(content);
  }
}

/** Options of {@linkcode StatusProgress}. */
export interface StatusProgressOptions {
  /** Where the records are, such as `["status", "kopf", "progress"]`. */
  readonly field: FieldPath;
  /** Where Kopf's wake-up note is, such as `["status", "kopf", "dummy"]`. */
  readonly touchField: FieldPath;
  /** Whose form is written. Both are read. */
  readonly form: RecordForm;
}

/** Keeps records in a field of the status, as objects under the handlers' ids. */
export class StatusProgress implements ProgressStorage {
  readonly #options: StatusProgressOptions;

  /** Keeps records as the options say. */
  constructor(options: StatusProgressOptions) {
    this.#options = options;
  }

  fetch(body: KubeObject, id: string, options: FetchOptions = {}): ProgressRecord | undefined {
    const field = this.#fieldOf(id);
    return decodeRecord(getField(body, field), { ...options, where: field.join(".") });
  }

  store(target: ProgressTarget & { readonly record: ProgressRecord }): void {
    const { body, id, record } = target;
    const stored = this.fetch(body, id);
    if (stored !== undefined && isSameRecord(stored, record, this.#options.form)) return;
    // The nulls matter: an object in a merge patch is merged with what is there.
    writeStatus(target, this.#fieldOf(id), encodeRecord(record, this.#options.form));
  }

  purge(target: ProgressTarget): void {
    dropStatus(target, this.#fieldOf(target.id));
  }

  ids(body: KubeObject): string[] {
    const records = getField(body, this.#options.field);
    return isObject(records) ? Object.keys(records).filter((id) => records[id] != null) : [];
  }

  keys(id: string): readonly string[] {
    return [this.#fieldOf(id).join(".")];
  }

  clear(essence: JsonObject): JsonObject {
    const { field, touchField } = this.#options;
    const cleared = withoutField(withoutField(essence, field), touchField);
    return isObject(cleared.status) && isEmptyObject(cleared.status)
      ? withoutField(cleared, ["status"])
      : cleared;
  }

  sweep(patch: Patch, body: KubeObject): void {
    const { touchField } = this.#options;
    if (getField(body, touchField) !== undefined) dropStatus({ patch, body }, touchField);
  }

  statusFields(): readonly FieldPath[] {
    return [this.#options.field, this.#options.touchField];
  }

  #fieldOf(id: string): FieldPath {
    return [...this.#options.field, id];
  }
}
