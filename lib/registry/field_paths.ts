/**
 * Field paths as types: which dotted paths an object has, and which types are found at them.
 *
 * A path is checked where its types are known ("spec.replicas"), and free where they are not (index signatures, `unknown`).
 * Arrays end a path, as in Kopf: their items cannot be addressed. After six steps anything goes, to keep compilers quick.
 */

import type { ObjectMeta } from "../model/object.ts";
import type { StanzasOf } from "./stanzas.ts";

/** The parts of an object that paths may lead through. */
export interface Addressable<Spec, Status> {
  /** The wanted state. */
  spec?: Spec;
  /** The observed state. */
  status?: Status;
  /** Labels and annotations. */
  metadata?: Pick<ObjectMeta, "labels" | "annotations">;
}

/** All dotted paths into `T`. */
export type PathOf<T, Depth extends readonly unknown[] = []> = Depth["length"] extends 6 ? string
  : T extends readonly unknown[] ? never
  : unknown extends T ? string
  : T extends object ? PathOfObject<T, Depth>
  : never;

/** All dotted paths into an object. */
export type PathOfObject<T, Depth extends readonly unknown[]> = string extends keyof T ? string
  : {
    [K in keyof T & string]: K | `${K}.${PathOf<Present<T[K]>, readonly [...Depth, 0]>}`;
  }[keyof T & string];

/** Without null and undefined; but `unknown` stays as it is, where `NonNullable` would make an empty object of it. */
export type Present<T> = unknown extends T ? T : NonNullable<T>;

/** The type at a dotted path, without the `undefined` of optional steps. */
export type ValueAt<T, Path extends string> = Path extends `${infer Key}.${infer Rest}`
  ? Key extends keyof T ? ValueAt<NonNullable<T[Key]>, Rest> : string extends keyof T ? unknown : unknown
  : Path extends keyof T ? NonNullable<T[Path]>
  : unknown;

/** A dotted path into an object of this type; any string where the spec's type is not known. */
export type FieldOf<Spec, Status> = string extends keyof Spec ? string
  : PathOf<Addressable<Spec, Status> & StanzasOf<Spec>>;

/** A field of this kind: a dotted path, or a list of keys. */
export type FieldPathOf<Spec, Status> = FieldOf<Spec, Status> | readonly string[];

/** The type at a dotted path of an object of this type. */
export type FieldValue<Spec, Status, Path> = Path extends string
  ? ValueAt<Addressable<Spec, Status> & StanzasOf<Spec>, Path>
  : unknown;

/** The same shape, to look at only. */
export type DeepReadonly<T> = T extends (infer Item)[] ? readonly DeepReadonly<Item>[]
  : T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
  : T;
