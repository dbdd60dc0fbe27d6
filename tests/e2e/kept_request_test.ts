/**
 * A network that keeps a request for longer than a lease, between a replica as a process and a real kube-apiserver: the request arrives
 * after the next holder's writes, and the server refuses it by its version.
 *
 * NB: time is real: the request is kept for as long as Leases last, and at night for 40 s.
 */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { KubeObject } from "../../lib/model/object.ts";
import { findControlPlane } from "../control_plane/control_plane.ts";
import { AuditedPlace, millisecondsOf, ReplicaProcess } from "../support/replica_processes.ts";
import { sized } from "../support/size.ts";
import { EXAMPLES, LAST_HANDLED, type Loose, notesOf } from "../support/worlds.ts";

const OPERATOR = fileURLToPath(new URL("../../bench/replicas/operator.ts", import.meta.url));
const NAMESPACES = { group: "", version: "v1", plural: "namespaces", namespaced: false };
const namespace = "kept";
const skip = findControlPlane().reason ?? false;
/** For how long requests are kept, in milliseconds. */
const KEPT = sized({ short: 9_000, full: 40_000 });

describe("A network that keeps requests, between replicas and a real API server", () => {
  it("[N28.22] has a note arrive after the next holder's, and the server refuses it", { skip }, async () => {
    await using audited = await AuditedPlace.open();
    const { place: { plane, client }, folder } = audited;
    await client.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
    const replicas = { name: "kept", namespace, leaseDuration: 5, renewDeadline: 4, retryPeriod: 0.5 };
    const env = { SETTINGS: JSON.stringify({ replicas, namespace, wait: 1 }) };
    const all: ReplicaProcess[] = [];
    try {
      const add = async (username: string): Promise<ReplicaProcess> => {
        const replica = await ReplicaProcess.start({ plane, folder, username, program: OPERATOR, env });
        all.push(replica);
        return replica;
      };
      const one = await add("kept-0");
      await one.program.wrote(/^taken/m);
      const two = await add("kept-1");
      await sleep(4000);
      const create = (name: string) =>
        client.create(EXAMPLES, {
          apiVersion: `${EXAMPLES.group}/${EXAMPLES.version}`,
          kind: EXAMPLES.kind,
          metadata: { namespace, name },
          spec: { v: "1" },
        });
      const isNoted = (object: KubeObject): boolean =>
        LAST_HANDLED in notesOf(object as KubeObject<Loose, Loose>);
      const noted = async (name: string): Promise<KubeObject> => {
        let found = await client.get(EXAMPLES, { namespace, name });
        for (; !isNoted(found); await sleep(100)) found = await client.get(EXAMPLES, { namespace, name });
        return found;
      };
      // The holder has a connection open for its next write.
      await create("first");
      await noted("first");
      await create("m");
      await one.program.wrote(/^called m/m);
      // Its note is kept, and so are its renewals.
      one.tunnel.keep();
      const kept = Date.now();
      await two.program.wrote(/^handled m/m);
      const before = await noted("m");
      await sleep(Math.max(0, kept + KEPT - Date.now()));
      one.tunnel.deliver();
      await one.program.wrote(/Another replica has ended the session/);
      await sleep(3000);
      const writes = audited.audited("kept-").filter(({ verb, objectRef }) =>
        verb === "patch" && objectRef?.resource === EXAMPLES.plural && objectRef.name === "m"
      );
      const told = writes.map(({ user, responseStatus }) => [user.username, responseStatus?.code]);
      assert.deepEqual(told, [["kept-1", 200], ["kept-0", 409]], "the next holder's write comes first");
      const [, late] = writes.map(({ requestReceivedTimestamp: time }) => millisecondsOf(time));
      assert.ok((late ?? 0) >= kept + KEPT - 100, "it has arrived that late");
      const after = await client.get(EXAMPLES, { namespace, name: "m" });
      assert.equal(after.metadata.resourceVersion, before.metadata.resourceVersion);
      for (const { program } of all) assert.equal(program.stdout.split("called m ").length - 1, 1);
    } finally {
      await Promise.all(all.map((replica) => replica.end()));
    }
  });
});
