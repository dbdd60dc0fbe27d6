/** A planned measurement, as one process hands it to another: JSON. */

import type { MadeObject, ManyObjects } from "./bare_server.ts";

/** A kind that an operator watches. */
export interface PlannedKind {
  /** Such as "databases.example.com". */
  readonly kind: string;
  /** The path of its lists. */
  readonly path: string;
  readonly apiVersion: string;
  /** As in objects, such as "Database". */
  readonly singular: string;
  readonly objects: number;
  /** How long the text of an object is, without notes and managed fields, on average. */
  readonly bytes: number;
  /** Objects as the server sends them, with gaps: "<lotse:name>", "<lotse:uid>", "<lotse:version>". None: there are no objects. */
  readonly texts: readonly string[];
}

/** A planned measurement. */
export interface SizePlan {
  readonly kinds: readonly PlannedKind[];
  /** The answers to other requests, by path. */
  readonly answers: Readonly<Record<string, string>>;
}

/** A text in pieces, and the names of the gaps between them. */
interface Pieces {
  readonly pieces: readonly string[];
  readonly gaps: readonly (keyof MadeObject)[];
}

/** Returns a kind's objects for a server: its texts in turn, each object under a name of its own. */
export function manyObjects({ path, apiVersion, singular, objects, texts }: PlannedKind): ManyObjects {
  const whole = texts.map(cut);
  const metadata = texts.map((text) => cut(metadataOf(text)));
  return {
    path,
    apiVersion,
    kind: singular,
    objects: texts.length === 0 ? 0 : objects,
    make(each, index, { metadataOnly, turn }) {
      const pieces = (metadataOnly ? metadata : whole)[(index + turn) % texts.length];
      return pieces === undefined ? "{}" : joined(pieces, each);
    },
  };
}

function metadataOf(text: string): string {
  const { metadata } = JSON.parse(text) as { readonly metadata: object };
  return JSON.stringify({ apiVersion: "meta.k8s.io/v1", kind: "PartialObjectMetadata", metadata });
}

// NB: made of pieces, so that making an object costs as little as can be beside reading it.

function cut(text: string): Pieces {
  const gaps = [...text.matchAll(/<lotse:(name|uid|version)>/g)].map(([, gap]) => gap as keyof MadeObject);
  return { pieces: text.split(/<lotse:(?:name|uid|version)>/), gaps };
}

function joined({ pieces, gaps }: Pieces, each: MadeObject): string {
  let text = pieces[0] ?? "";
  for (let at = 0; at < gaps.length; at++) text += each[gaps[at] ?? "name"] + (pieces[at + 1] ?? "");
  return text;
}
