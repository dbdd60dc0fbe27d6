/**
 * Two states of an object: the part of the old one that corresponds to a part of the new one, and whether it changed.
 *
 * Fields correspond by their names, where the schema knows them; items only in lists of type map, by their keys. Fields
 * unknown to the schema have no counterpart, so that an object with such fields never counts as unchanged.
 * Source: k8s.io/apiserver, pkg/cel/common/equality.go and maplist.go.
 */

import { formatJson } from "../formats/go_format.ts";
import { equal, isObject } from "../values.ts";
import { mapKeys } from "./list_types.ts";
import { own, type Schema, schemaOfKey, subSchema } from "./structural.ts";

/** A part of an object, and its counterpart before. */
export class Correlation {
  readonly value: unknown;
  readonly old: unknown;
  readonly #schema: Schema;
  readonly #children = new Map<string | number, Correlation | undefined>();
  #items: KeyedItems | undefined;
  #isUnchanged: boolean | undefined;

  /** @param old Undefined or null: there was none. */
  constructor(value: unknown, old: unknown, schema: Schema) {
    this.value = value;
    this.old = old;
    this.#schema = schema;
  }

  /** Tells whether it is as it was; a list of type map may have another order. */
  get isUnchanged(): boolean {
    this.#isUnchanged ??= this.#compare();
    return this.#isUnchanged;
  }

  /** Returns a field that was there before, and that the schema knows. */
  key(name: string): Correlation | undefined {
    if (!this.#children.has(name)) this.#children.set(name, this.#field(name));
    return this.#children.get(name);
  }

  /** Returns an item of a list of type map that was there before. */
  index(index: number): Correlation | undefined {
    if (!this.#children.has(index)) this.#children.set(index, this.#item(index));
    return this.#children.get(index);
  }

  #field(name: string): Correlation | undefined {
    const [value, old] = [own(this.value, name), own(this.old, name)];
    const schema = schemaOfKey(this.#schema, name);
    if (value === undefined || old === undefined || schema === undefined) return undefined;
    return new Correlation(value, old, schema);
  }

  #item(index: number): Correlation | undefined {
    const items = subSchema(this.#schema, "items");
    if (!Array.isArray(this.value) || items === undefined) return undefined;
    this.#items ??= new KeyedItems(this.old, this.#schema);
    const old = this.#items.get(this.value[index]);
    return old === undefined ? undefined : new Correlation(this.value[index], old, items);
  }

  #compare(): boolean {
    const { value, old } = this;
    if (Array.isArray(value) && Array.isArray(old) && mapKeys(this.#schema) !== undefined) {
      return value.length === old.length &&
        value.every((_, index) => this.index(index)?.isUnchanged ?? false);
    }
    if (!isObject(value) || !isObject(old)) return equal(value, old);
    const names = namesOf(value);
    return names.length === namesOf(old).length &&
      names.every((name) => this.key(name)?.isUnchanged ?? false);
  }
}

function namesOf(object: Schema): string[] {
  return Object.keys(object).filter((name) => object[name] !== undefined);
}

/** The items of a list, by the keys that its schema names; of two with the same keys, the first. */
export class KeyedItems {
  readonly #keys: readonly string[];
  readonly #items = new Map<string, unknown>();

  /** Has no items if the list is none, or not of type map. */
  constructor(list: unknown, schema: Schema) {
    this.#keys = mapKeys(schema) ?? [];
    if (!Array.isArray(list)) return;
    for (const item of list) {
      const key = this.#keyOf(item);
      if (key !== undefined && !this.#items.has(key)) this.#items.set(key, item);
    }
  }

  /** Returns the item with the keys of another one. */
  get(item: unknown): unknown {
    const key = this.#keyOf(item);
    return key === undefined ? undefined : this.#items.get(key);
  }

  /** NB: an item without one of the keys, or with a map or list in its place, has no counterpart. */
  #keyOf(item: unknown): string | undefined {
    const values = this.#keys.map((name) => own(item, name));
    const isKey = (value: unknown) => value !== undefined && value !== null && typeof value !== "object";
    return values.length > 0 && values.every(isKey) ? formatJson(values) : undefined;
  }
}
