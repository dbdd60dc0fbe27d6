/**
 * Checks that the server has kept all fields of a patch: schemas prune fields without a word.
 *
 * Pruned fields are named once per resource. Source: Kubernetes, custom resources, "Field pruning"; scenario A216.
 */

import { getKey, isEmptyObject, isObject } from "../model/json.ts";
import type { JsonObject, KubeObject } from "../model/object.ts";
import { keyOf } from "../model/resource.ts";
import type { Outgoing } from "../execution/pending_write.ts";
import type { Turn } from "../handlers/turn.ts";

/** Says which fields of a written patch are not in the server's answer, once per kind. */
export function reportPruned(
  { state, logger }: Pick<Turn, "state" | "logger">,
  { content, fns }: Outgoing,
  answer: KubeObject,
): void {
  // Patch functions run after the patch, and may have changed its fields.
  if (fns.length > 0) return;
  const fields = prunedFields(content, answer);
  if (fields.length === 0 || !state.kind.reportOnce("pruned")) return;
  const kind = keyOf(state.resource);
  logger.warn(
    "The server has not kept everything that was written: declare these fields in the kind's schema, or put " +
      '"x-kubernetes-preserve-unknown-fields: true" above them',
    { kind, fields },
  );
}

/** Schemas are not nested as deep as objects may be. */
const DEEPEST = 200;

/** Where in the object it is: the dotted path so far, which ends in a dot, and how many levels that is. */
interface Place {
  readonly path: string;
  readonly depth: number;
}

/** The topmost fields that should be there and are not. */
function prunedFields(written: JsonObject, answer: unknown, { path, depth }: Place = TOP): string[] {
  if (depth > DEEPEST) return [];
  return Object.entries(written).flatMap(([key, value]) => {
    const live = isObject(answer) ? getKey(answer, key) : undefined;
    if (isObject(value) && !isEmptyObject(value) && isObject(live)) {
      return prunedFields(value, live, { path: `${path}${key}.`, depth: depth + 1 });
    }
    return live === undefined && !isNothing(value, { path, depth }) ? [path + key] : [];
  });
}

const TOP: Place = { path: "", depth: 0 };

/**
 * Whether a value leaves no field once it is written: null, an empty object, or an empty list of the metadata (servers drop
 * them).
 */
function isNothing(value: unknown, { path, depth }: Place): boolean {
  if (Array.isArray(value)) return value.length === 0 && path === "metadata.";
  if (!isObject(value)) return value === null;
  return depth <= DEEPEST &&
    Object.values(value).every((each) => isNothing(each, { path, depth: depth + 1 }));
}
