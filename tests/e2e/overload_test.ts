/**
 * An operator on a real API server that takes few writes at a time, and refuses all others with 429.
 */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { currentHost } from "../../lib/runtime/current_host.ts";
import { createLogger, type LogRecord } from "../../lib/runtime/logging.ts";
import { operator } from "../../mod.ts";
import { findControlPlane } from "../control_plane/control_plane.ts";
import { RealPlace } from "../support/real_world.ts";
import { Example, Objects } from "../support/worlds.ts";
import { until } from "./operator_process.ts";

const ACCOUNTS = { group: "", version: "v1", plural: "serviceaccounts", namespaced: true };
const BINDINGS = {
  group: "rbac.authorization.k8s.io",
  version: "v1",
  plural: "clusterrolebindings",
  namespaced: false,
};

/** So many that it shows whether requests are slowed down: some 100 are refused then, and 300 to 750 else. */
const COUNT = 200;

/** Without priority and fairness, which would let everything wait on the server's side. */
const FLAGS = ["--enable-priority-and-fairness=false", "--max-mutating-requests-inflight=4"];

/** Makes a service account that may do anything; administrators by certificate are never refused. */
async function makeAccount({ client }: RealPlace): Promise<string> {
  const metadata = { name: "robot", namespace: "default" };
  await client.create(ACCOUNTS, { apiVersion: "v1", kind: "ServiceAccount", metadata });
  await client.create(BINDINGS, {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name: "robot" },
    subjects: [{ kind: "ServiceAccount", ...metadata }],
    roleRef: { apiGroup: BINDINGS.group, kind: "ClusterRole", name: "cluster-admin" },
  });
  const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
  const made = await client.create<{ status: { token: string } }>(ACCOUNTS, request, {
    ...metadata,
    subresource: "token",
  });
  return made.status.token;
}

describe("An operator on an overloaded API server", () => {
  it(
    "[N10] handles a storm of objects with few refusals, and says once that it is slowed down",
    { skip: findControlPlane().reason ?? false, timeout: 180_000 },
    async () => {
      await using place = await RealPlace.open({ apiServerFlags: FLAGS });
      const world = await place.world();
      const objects = new Objects(world);
      for (let number = 0; number < COUNT; number++) await objects.create(`storm-${number}`);
      const op = operator();
      const made: string[] = [];
      op.on.create(Example, { id: "make" }, ({ name, patch }) => {
        made.push(name);
        patch.status.made = true;
      });
      const host = currentHost();
      const logs: LogRecord[] = [];
      const controller = new AbortController();
      const run = op.run({
        host,
        scope: [world.namespace],
        credentials: { server: place.plane.server, ca: place.plane.caPem, token: await makeAccount(place) },
        logger: createLogger({ level: "debug", write: (record) => logs.push(record) }, host.clock),
        signal: controller.signal,
      });
      const isHandled = async (name: string): Promise<boolean> =>
        (await objects.get(name)).status?.made === true;
      let left = COUNT;
      await until(
        async () => {
          while (left > 0 && await isHandled(`storm-${left - 1}`)) left--;
          return left === 0;
        },
        () => `${left} are left: ${logs.slice(-20).map(({ message }) => message).join("; ")}`,
      );
      controller.abort();
      await run;
      assert.equal(new Set(made).size, COUNT);
      assert.equal(made.length, COUNT);
      const refusals = logs.filter(({ message }) => message === "Request failed, will be sent again").length;
      assert.ok(refusals >= 1 && refusals <= COUNT, `${refusals} refusals`);
      const said = logs.filter(({ level, logger }) => level === "warn" && logger === "lotse.client");
      assert.deepEqual(said.map(({ message }) => message), [
        "The server has too many requests: they are slowed down",
      ]);
    },
  );
});
