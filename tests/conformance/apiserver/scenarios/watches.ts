/** Watches: from which version, with what at the beginning, and what selectors make of changes. */

import assert from "node:assert/strict";
import { type Answer, MERGE, TABLE } from "../session.ts";
import { database, databases, type Scenario } from "./scenario.ts";

function short(events: readonly Answer[]): string[] {
  return events.map(({ type, object }) => `${type} ${object.metadata?.name ?? object.code ?? ""}`.trim());
}

export const WATCHES: readonly Scenario[] = [
  {
    name: "watches from an exact version",
    async run(api) {
      await api.namespace("watching");
      const path = "/api/v1/namespaces/watching/secrets";
      const first = await api.ok("POST", path, { metadata: { name: "a" } });
      await api.ok("POST", path, { metadata: { name: "b" } });
      await api.ok("PATCH", `${path}/a`, { metadata: { labels: { x: "y" } } }, MERGE);
      const watch = await api.watch(`${path}?watch=true&resourceVersion=${first.metadata.resourceVersion}`);
      assert.deepEqual(short(await watch.take(2)), ["ADDED b", "MODIFIED a"]);
      await api.ok("DELETE", `${path}/b`);
      const [deleted] = await watch.take(1);
      assert.equal(deleted.type, "DELETED");
      const list = await api.ok("GET", path);
      assert.ok(BigInt(deleted.object.metadata.resourceVersion) <= BigInt(list.metadata.resourceVersion));
      assert.ok(BigInt(deleted.object.metadata.resourceVersion) > BigInt(first.metadata.resourceVersion));
      await watch.stop();
    },
  },
  {
    name: "begins a watch without a version, or with 0, with what there is",
    async run(api) {
      await api.namespace("watching0");
      const path = "/api/v1/namespaces/watching0/secrets";
      await api.ok("POST", path, { metadata: { name: "a" } });
      await api.ok("POST", path, { metadata: { name: "b" } });
      for (const query of ["watch=1", "watch=true&resourceVersion=0"]) {
        const watch = await api.watch(`${path}?${query}`);
        assert.deepEqual(short(await watch.take(2)).sort(), ["ADDED a", "ADDED b"]);
        await watch.stop();
      }
    },
  },
  {
    name: "streams lists and says where they end",
    async run(api) {
      await api.namespace("streaming");
      const path = "/api/v1/namespaces/streaming/secrets";
      await api.ok("POST", path, { metadata: { name: "a" } });
      await api.ok("POST", path, { metadata: { name: "b" } });
      const query =
        "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
      const watch = await api.watch(`${path}?${query}`);
      const [a, b, bookmark] = await watch.take(3);
      assert.deepEqual(short([a, b]).sort(), ["ADDED a", "ADDED b"]);
      assert.deepEqual([bookmark.type, bookmark.object.metadata.annotations], ["BOOKMARK", {
        "k8s.io/initial-events-end": "true",
      }]);
      await api.ok("POST", path, { metadata: { name: "c" } });
      assert.deepEqual(short(await watch.take(1)), ["ADDED c"]);
      await watch.stop();
      await api.refused(422, "GET", `${path}?watch=true&sendInitialEvents=true`);
      await api.refused(422, "GET", `${path}?watch=true&resourceVersionMatch=NotOlderThan`);
      await api.refused(422, "GET", `${path}?sendInitialEvents=true`);
    },
  },
  {
    name: "tells a selector's watch what comes into view and leaves it",
    async run(api) {
      await api.namespace("selecting");
      const path = "/api/v1/namespaces/selecting/secrets";
      const list = await api.ok("GET", path);
      const watch = await api.watch(
        `${path}?watch=true&labelSelector=in=yes&resourceVersion=${list.metadata.resourceVersion}`,
      );
      const label = (value: string | null) =>
        api.ok("PATCH", `${path}/a`, { metadata: { labels: { in: value } } }, MERGE);
      await api.ok("POST", path, { metadata: { name: "a" } });
      await label("yes");
      await api.ok("PATCH", `${path}/a`, { metadata: { labels: { more: "x" } } }, MERGE);
      await label("no");
      await label("yes");
      await api.ok("DELETE", `${path}/a`);
      assert.deepEqual(short(await watch.take(5)), [
        "ADDED a",
        "MODIFIED a",
        "DELETED a",
        "ADDED a",
        "DELETED a",
      ]);
      await watch.stop();
    },
  },
  {
    name: "watches one object by its name",
    async run(api) {
      await api.namespace("single");
      const path = "/api/v1/namespaces/single/secrets";
      const list = await api.ok("GET", path);
      const watch = await api.watch(
        `${path}?watch=true&fieldSelector=metadata.name=b&resourceVersion=${list.metadata.resourceVersion}`,
      );
      await api.ok("POST", path, { metadata: { name: "a" } });
      await api.ok("POST", path, { metadata: { name: "b" } });
      assert.deepEqual(short(await watch.take(1)), ["ADDED b"]);
      await watch.stop();
    },
  },
  {
    name: "watches custom kinds, also as tables",
    async run(api) {
      const group = "watches.example.com";
      await api.define(databases(group));
      const path = `/apis/${group}/v1/namespaces/default/databases`;
      const list = await api.ok("GET", path);
      const { resourceVersion } = list.metadata;
      await api.ok("POST", path, database(group, "a"));
      await api.ok("PATCH", `${path}/a/status`, { status: { state: "x" } }, MERGE);
      await api.ok("DELETE", `${path}/a`);
      const plain = await api.watch(`${path}?watch=true&resourceVersion=${resourceVersion}`);
      assert.deepEqual(short(await plain.take(3)), ["ADDED a", "MODIFIED a", "DELETED a"]);
      await plain.stop();
      const table = await api.watch(`${path}?watch=true&resourceVersion=${resourceVersion}`, TABLE);
      const [first, second] = await table.take(2);
      assert.deepEqual([first.object.kind, second.object.kind], ["Table", "Table"]);
      assert.ok(first.object.columnDefinitions.length > 0);
      await table.stop();
      await api.ok("POST", path, database(group, "b"));
      const initial =
        "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
      const streamed = await api.watch(`${path}?${initial}`, TABLE);
      const [, bookmark] = await streamed.take(2);
      // NB: a bookmark is a row as well.
      assert.deepEqual([bookmark.type, bookmark.object.kind], ["BOOKMARK", "Table"]);
      const { annotations } = bookmark.object.rows[0].object.metadata;
      assert.deepEqual(annotations, { "k8s.io/initial-events-end": "true" });
      await streamed.stop();
    },
  },
  {
    name: "refuses to watch from a version it does not know",
    async run(api) {
      await api.namespace("future");
      const path = "/api/v1/namespaces/future/secrets";
      await api.refused(500, "GET", `${path}?watch=true&resourceVersion=x`);
      if (!api.compact()) return;
      // Compaction of the real server is slow: this half is ours alone, and stays out of the transcript.
      const { code, body } = await api.peek("GET", `${path}?watch=true&resourceVersion=1&timeoutSeconds=1`);
      const expired = code === 410 ? body : body.object;
      assert.deepEqual([expired.code, expired.reason], [410, "Expired"]);
    },
  },
];
