/**
 * Whether the server in the process completes objects as a real one does: the same probes to both, and what each makes of them.
 */

import { definitionName, fieldsOf } from "../../lib/kits/apiserver/types/mod.ts";
import { equal } from "../../lib/kits/apiserver/values.ts";
import type { JsonObject } from "../../lib/model/object.ts";
import type { Probe } from "./probe.ts";
import { around, emptyOf, isIdentity, pathOf, type Place, placesOf, valuesFor } from "./record.ts";

/** What became of all probes. */
export interface Comparison {
  readonly equal: number;
  readonly different: readonly Difference[];
}

/** A probe that the servers complete differently. */
export interface Difference {
  /** The reason, if it is known. */
  readonly reason: string | undefined;
  /** Such as `Job.spec.parallelism = 0`. */
  readonly probe: string;
  readonly ours: JsonObject | undefined;
  readonly real: JsonObject | undefined;
}

/** Differences with reasons. */
const KNOWN: readonly { readonly probe: RegExp; readonly why: string }[] = [
  {
    probe: /^HorizontalPodAutoscaler\.status\.currentCPUUtilizationPercentage = /,
    why: "metrics that version 1 of autoscaling keeps in annotations are cut (docs/apiserver.md)",
  },
];

/** How many objects are posted at once. */
const AT_ONCE = 8;

/** Posts to both: empty structs, and each field with its values, its zero value and null. */
export async function compareDefaults(ours: Probe, real: Probe): Promise<Comparison> {
  const schemas = await real.schemas();
  const places = [...placesOf(await real.kinds())].flatMap(([type, all]) =>
    all.map((place) => ({ type, place }))
  );
  const different: Difference[] = [];
  let same = 0;
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    for (let entry = places.shift(); entry !== undefined; entry = places.shift()) {
      const { type, place } = entry;
      for (const [shown, value] of probesOf(type, place, schemas.get(definitionName(type)))) {
        const object = around(place.steps, value);
        const [mine, theirs] = await Promise.all([
          ours.ask(place.kind, object),
          real.ask(place.kind, object),
        ]);
        // Where the real server does not come so far, there is nothing to compare.
        if (theirs === undefined) continue;
        if (mine !== undefined && equal(bare(mine), bare(theirs))) same++;
        else {
          const probe = `${pathOf(place)}${shown}`;
          const reason = KNOWN.find((known) => known.probe.test(probe))?.why;
          different.push({ probe, reason, ours: mine && bare(mine), real: bare(theirs) });
        }
      }
    }
  }));
  return { equal: same, different };
}

function* probesOf(
  type: string,
  place: Place,
  schema: JsonObject | undefined,
): Generator<readonly [shown: string, value: JsonObject]> {
  yield ["", {}];
  for (const field of fieldsOf(type) ?? []) {
    if (isIdentity(field.name, place.steps)) continue;
    for (const value of [...valuesFor(field, schema), emptyOf(field.shape), null]) {
      if (value === undefined) continue;
      yield [`.${field.name} = ${JSON.stringify(value)}`, { [field.name]: value }];
    }
  }
}

/** Without the names of the probe, which are counted for each server, of volumes, which are random, and the time. */
function bare(object: JsonObject): JsonObject {
  const { metadata, ...rest } = object;
  const { name: _name, managedFields: _managers, uid: _uid, creationTimestamp: _created, ...more } =
    metadata as JsonObject;
  const text = JSON.stringify({ ...rest, metadata: more });
  return JSON.parse(
    text.replaceAll(/kube-api-access-\w{5}/g, "kube-api-access").replaceAll(
      /"timeAdded":"[^"]+"/g,
      '"timeAdded":"now"',
    ),
  );
}
