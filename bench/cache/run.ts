/**
 * Looks objects of a cache up, and weighs its indexes: by owner, and one of the author's. README.md says what is measured.
 *
 *   deno run -A --no-check --v8-flags=--expose-gc bench/cache/run.ts    bun bench/cache/run.ts
 */

import { ObjectStore } from "../../lib/client/cache/object_store.ts";
import { BY_OWNER, type IndexBy } from "../../lib/client/cache/store_index.ts";
import type { KubeObject } from "../../lib/model/object.ts";
import { readOptions } from "../../tools/options.ts";
import { usedHeap } from "../heap.ts";

readOptions(import.meta.url, {});

const LOOKUPS = 200_000;
const BY_TEAM: IndexBy = { keysOf: ({ spec }) => [String(spec?.team)] };

/** As it comes from the server: about 1 KB, ten to an owner and to a team. */
function objectAt(index: number): KubeObject {
  const group = Math.floor(index / 10);
  const text = JSON.stringify({
    apiVersion: "example.com/v1",
    kind: "Item",
    metadata: {
      name: `item-${index}`,
      namespace: "default",
      uid: `uid-${index}`,
      resourceVersion: String(1000 + index),
      creationTimestamp: "2026-01-01T00:00:00Z",
      labels: { app: "bench", number: String(index) },
      ownerReferences: [{
        apiVersion: "example.com/v1",
        kind: "Set",
        name: `set-${group}`,
        uid: `owner-${group}`,
      }],
    },
    spec: {
      team: `team-${group}`,
      parts: Array.from({ length: 20 }, (_, part) => `part ${part} of ${index} ......`),
    },
  });
  return JSON.parse(text) as KubeObject;
}

function perLookup(store: ObjectStore, by: IndexBy, key: (group: number) => string, count: number): string {
  let found = 0;
  const started = performance.now();
  for (let number = 0; number < LOOKUPS; number++) {
    for (const _ of store.by(by, key(number % (count / 10)))) found += 1;
  }
  if (found !== LOOKUPS * 10) throw new Error(`${found} were found`);
  return `${((performance.now() - started) * 1000 / LOOKUPS).toFixed(2)} µs`;
}

for (const count of [2_000, 20_000]) {
  const before = usedHeap();
  const store = new ObjectStore();
  for (let index = 0; index < count; index++) store.put(objectAt(index));
  const plain = usedHeap() - before;
  const indexed = (): number => usedHeap() - before - plain;
  const owner = perLookup(store, BY_OWNER, (group) => `owner-${group}`, count);
  const ownerBytes = indexed();
  const team = perLookup(store, BY_TEAM, (group) => `team-${group}`, count);
  const share = (bytes: number): string => `${(100 * bytes / plain).toFixed(1)} %`;
  console.log(
    `${count} objects: ${(plain / count).toFixed(0)} bytes each; by owner ${owner} (10 objects), memory +${
      share(ownerBytes)
    }; by a key ${team}, both +${share(indexed())}`,
  );
  if (store.size !== count) throw new Error("They are kept until here");
}
