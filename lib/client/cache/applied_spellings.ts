/**
 * Remembers the results of manifests that the server writes in another way than their author: "1024Mi" becomes "1Gi",
 * an empty list goes, `stringData` becomes `data`.
 *
 * The stored object does not show that such a manifest was applied already. So it would be sent each time; and some kinds
 * are then written each time, although no field has changed (a NetworkPolicy with `ingress: []`, seen on 1.36: its generation
 * rises). The manifest of each object, and the result, are remembered here: while both are the same, no request is sent.
 * After a start no result is remembered, and each such manifest is sent once.
 */

import { digestOf } from "../../model/encoding.ts";
import { getKey, isObject } from "../../model/json.ts";
import type { JsonObject, KubeObject } from "../../model/object.ts";

/** A manifest that a manager has applied. */
export interface AppliedManifest {
  readonly object: object;
  readonly fieldManager: string;
}

/** Digests of a manifest that was sent, and of the result. */
interface Spelling {
  readonly wanted: string;
  readonly content: string;
}

/** Of so many objects it is remembered. */
const MOST = 10_000;

/** The spellings of one run. */
export class AppliedSpellings {
  /** By uid and manager, the latest last. */
  readonly #spellings = new Map<string, Spelling>();

  /** Whether the object is as the server has made it of this manifest before. */
  has(live: KubeObject, { object, fieldManager }: AppliedManifest): boolean {
    const known = this.#spellings.get(keyOf(live, fieldManager));
    return known !== undefined && known.wanted === digestOf(object) &&
      known.content === digestOf(contentOf(live, object));
  }

  /** Notes the result of a manifest. */
  note(after: KubeObject, { object, fieldManager }: AppliedManifest): void {
    const key = keyOf(after, fieldManager);
    this.#spellings.delete(key);
    this.#spellings.set(key, { wanted: digestOf(object), content: digestOf(contentOf(after, object)) });
    const [oldest] = this.#spellings.keys();
    if (this.#spellings.size > MOST && oldest !== undefined) this.#spellings.delete(oldest);
  }
}

function keyOf({ metadata: { uid = "" } }: KubeObject, fieldManager: string): string {
  return `${uid} ${fieldManager}`;
}

/**
 * Returns the parts of an object that an apply of this manifest may change: of its metadata the fields that the manifest names, as controllers note
 * things there; and everything else but a status that is not applied, as the manifest may name it in another way.
 */
export function contentOf(object: KubeObject, manifest: object): object {
  const { metadata, status: _status, ...stanzas } = object;
  const named = (manifest as { readonly metadata?: unknown }).metadata;
  const others = Object.hasOwn(manifest, "status") ? { ...stanzas, status: object.status } : stanzas;
  return { ...others, metadata: isObject(named) ? namedIn(named, metadata as JsonObject) : undefined };
}

/** Of labels, annotations and the like the members count, each for itself. */
function namedIn(named: JsonObject, metadata: JsonObject): JsonObject {
  const found: JsonObject = Object.create(null);
  for (const [key, value] of Object.entries(named)) {
    const live = getKey(metadata, key);
    if (!isObject(value) || !isObject(live)) found[key] = live;
    else found[key] = Object.entries(value).map(([name]) => [name, getKey(live, name)]);
  }
  return found;
}
