/**
 * A server that is no more than its answers, with as many objects of one kind as are wanted: the one of `lotse size`. It lives in the
 * memory of the process that is measured, so that what the process takes is what the operator takes.
 */

import { BareServer, type MadeObject } from "../../lib/kits/testing/sizing/bare_server.ts";
import { currentHost } from "../../lib/runtime/current_host.ts";

export interface ClusterOptions {
  /** The text of an object, whose name, uid and version are to be put in. */
  readonly template: (each: MadeObject & { readonly count: number }) => string;
  /** How many objects there are. */
  readonly objects: number;
}

const KIND = {
  name: "items",
  singularName: "item",
  kind: "Item",
  namespaced: true,
  verbs: ["get", "list", "watch", "patch"],
};

const ANSWERS: Readonly<Record<string, unknown>> = {
  "/apis/bench.lotse.dev": {
    kind: "APIGroup",
    name: "bench.lotse.dev",
    versions: [{ groupVersion: "bench.lotse.dev/v1", version: "v1" }],
    preferredVersion: { groupVersion: "bench.lotse.dev/v1", version: "v1" },
  },
  "/apis/bench.lotse.dev/v1": {
    kind: "APIResourceList",
    groupVersion: "bench.lotse.dev/v1",
    resources: [KIND, { ...KIND, name: "items/status" }],
  },
};

/** Makes the server; its `host` leads an operator to it, and `touch()` has its objects change. */
export function createCluster({ template, objects }: ClusterOptions): BareServer {
  return new BareServer({
    host: currentHost(),
    kinds: [{
      path: "/apis/bench.lotse.dev/v1/items",
      apiVersion: "bench.lotse.dev/v1",
      kind: "Item",
      objects,
      make: (each, _index, { turn }) => template({ ...each, count: turn }),
    }],
    answers: Object.fromEntries(
      Object.entries(ANSWERS).map(([path, answer]) => [path, JSON.stringify(answer)]),
    ),
  });
}
