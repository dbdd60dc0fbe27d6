/**
 * What is kept of objects: their metadata alone, or what a function leaves of them.
 */

import assert from "node:assert/strict";
import type { Operator } from "../../lib/operator/operator.ts";
import { operator, persistence, PRESENT } from "../../mod.ts";
import { suite } from "../support/scenario.ts";
import { Example, notesOf, Objects } from "../support/worlds.ts";

suite("Kinds of which only the metadata is watched", (scenario) => {
  scenario("are handled without spec and status, whichever way they come", async (world) => {
    for (const initialStreaming of ["auto", false] as const) {
      const objects = new Objects(world);
      const name = `meta-${initialStreaming}`;
      await objects.create(`${name}-before`, { spec: { size: 1 } });
      const op = operator({ watching: { metadataOnly: ["examples.lotse.test"], initialStreaming } });
      const seen = new Map<string, string[]>();
      op.on.event(Example, { id: "see" }, ({ body, name }) => {
        seen.set(name, Object.keys(body).sort());
        assert.equal(body.kind, "Example");
        assert.equal(body.apiVersion, "lotse.test/v1");
      });
      const changes: string[] = [];
      op.on.update(Example, { id: "change" }, ({ name, diff }) => {
        changes.push(`${name}: ${diff.map(([, path]) => path.join(".")).join()}`);
      });
      const running = await world.start(op);
      await objects.create(`${name}-after`, { spec: { size: 1 } });
      await world.until(() => [`${name}-before`, `${name}-after`].every((each) => seen.has(each)), 5);
      for (const keys of seen.values()) assert.deepEqual(keys, ["apiVersion", "kind", "metadata"]);
      await objects.patch(`${name}-after`, { spec: { size: 2 } });
      await objects.patch(`${name}-after`, { metadata: { labels: { a: "b" } } });
      await world.until(() => changes.length > 0, 5);
      await world.settle();
      assert.deepEqual(changes, [`${name}-after: metadata`]);
      await running.stop();
      await objects.delete(`${name}-before`);
      await objects.delete(`${name}-after`);
    }
  });

  scenario(
    "refuse handlers of fields that are not there, and notes in the status, and say what to do",
    async (world) => {
      const objects = new Objects(world);
      await objects.create("refused");
      const watching = { metadataOnly: ["examples"] };
      const make = (options: Parameters<typeof operator>[0] = {}): Operator =>
        operator({ watching, ...options });
      const trials: readonly [Operator, RegExp | undefined][] = [];
      const on = (op: Operator, declare: (op: Operator) => void, complaint?: RegExp): void => {
        declare(op);
        (trials as [Operator, RegExp | undefined][]).push([op, complaint]);
      };
      const create = (op: Operator): void => op.on.create(Example, function made() {});
      on(
        make({ persistence: persistence.status() }),
        create,
        /^Cannot serve handler "made" for "examples\.v1\.lotse\.test": notes are kept in the status.*use persistence: annotations\(\), or take/,
      );
      on(
        make({
          persistence: persistence.migrate({ to: persistence.status(), from: [persistence.annotations()] }),
        }),
        create,
        /notes are kept in the status/,
      );
      on(
        make({ persistence: persistence.status() }),
        (op) => op.daemon(Example, async ({ stopped }) => await stopped.wait(1e6)),
        /notes are kept in the status/,
      );
      on(
        make(),
        (op) => op.on.field(Example, "spec.size", function scaled() {}),
        /^Cannot serve handler "scaled\/spec\.size" .*it looks at "spec\.size", of which .*take the kind out/,
      );
      on(
        make(),
        (op) => op.on.event(Example, { field: "status.phase", value: PRESENT }, function see() {}),
        /it looks at "status\.phase"/,
      );
      on(make({ persistence: persistence.status() }), (op) => op.on.event(Example, function see() {}));
      on(
        make({
          persistence: persistence.migrate({
            to: persistence.status(),
            from: [persistence.annotations()],
            both: true,
          }),
        }),
        create,
      );
      on(make(), (op) => op.on.field(Example, "metadata.labels", function labelled() {}));
      on(operator({ watching: { metadataOnly: ["plains"] }, persistence: persistence.status() }), create);
      for (const [op, complaint] of trials) {
        if (complaint !== undefined) {
          const error: unknown = await world.start(op).then(() => undefined, (error: unknown) => error);
          assert.ok(error instanceof TypeError, String(error));
          assert.match(error.message, complaint);
        } else await (await world.start(op)).stop();
      }
    },
  );

  scenario("can be written to: what is there and unseen is neither lost nor written again", async (world) => {
    const objects = new Objects(world);
    await objects.create("written", { spec: { size: 1, keep: "yes" } });
    await objects.patch("written", { status: { old: "kept", gone: "soon" } }, "status");
    const op = operator({ watching: { metadataOnly: ["examples"] } });
    let calls = 0;
    op.on.create(Example, { id: "write" }, ({ patch, body, retry }) => {
      calls++;
      assert.deepEqual(Object.keys(body).sort(), ["apiVersion", "kind", "metadata"]);
      patch.status = { done: retry };
      patch.status["gone"] = null;
      patch.fns.push((whole) => void ((whole.spec as Record<string, unknown>)["size"] = 2));
    });
    const running = await world.start(op);
    await world.until(async () => (await objects.get("written")).spec?.["size"] === 2, 5);
    await world.settle();
    const object = await objects.get("written");
    assert.deepEqual(object.spec, { size: 2, keep: "yes" });
    assert.deepEqual(object.status, { old: "kept", done: 0 });
    assert.equal(calls, 1);
    assert.ok("lotse.dev/last-handled-configuration" in notesOf(object));
    await running.stop();
    const again = operator({ watching: { metadataOnly: ["examples"] } });
    again.on.create(Example, { id: "write" }, () => void calls++);
    again.on.update(Example, { id: "update" }, () => void calls++);
    const second = await world.start(again);
    await world.settle();
    assert.equal(calls, 1, "the notes say that it was handled");
    await second.stop();
  });

  scenario.virtual("are asked for as such, and cut down if the server gives all of them", async (world) => {
    const objects = new Objects(world);
    await objects.create("a", { spec: { size: 1 } });
    for (const initialStreaming of [true, false]) {
      const accepted: string[] = [];
      world.intercept = (request) => {
        if (!/examples\?/.test(request.url)) return undefined;
        accepted.push(String(request.headers.get("accept")));
        const headers = new Headers(request.headers);
        headers.set("accept", "application/json");
        return world.server.fetch(new Request(request.url, { headers, signal: request.signal }));
      };
      const op = operator({ watching: { metadataOnly: ["examples"], initialStreaming } });
      const seen: unknown[] = [];
      op.on.event(Example, { id: "see" }, ({ body }) => void seen.push(body.spec));
      const running = await world.start(op);
      await running.stop();
      assert.deepEqual(seen, [undefined]);
      assert.ok(accepted.length >= 1 && accepted.every((each) => each.includes("as=PartialObjectMetadata")));
    }
  });
});

suite("Kinds with a transform", (scenario) => {
  scenario("are remembered as it leaves them, also after our own writes", async (world) => {
    const objects = new Objects(world);
    await objects.create("big", { spec: { size: 1, blob: "x".repeat(1000) } });
    const op = operator({
      watching: {
        transform: {
          examples: (object) => {
            const { blob: _dropped, ...spec } = object.spec as Record<string, unknown>;
            return { ...object, spec, metadata: { annotations: object.metadata.annotations } };
          },
        },
      },
    });
    const seen: unknown[] = [];
    op.on.create(Example, { id: "make" }, ({ spec, patch }) => {
      seen.push(spec);
      patch.status["made"] = true;
    });
    op.on.update(Example, { id: "change" }, ({ spec, diff }) => {
      seen.push([spec, diff.map(([, path]) => path.join("."))]);
    });
    const running = await world.start(op);
    await world.until(async () => (await objects.get("big")).status?.["made"] === true, 5);
    await objects.patch("big", { spec: { blob: "y" } });
    await objects.patch("big", { spec: { size: 2 } });
    await world.until(() => seen.length === 2, 5);
    await world.settle();
    assert.deepEqual(seen, [{ size: 1 }, [{ size: 2 }, ["spec.size"]]]);
    assert.equal((await objects.get("big")).spec?.["blob"], "y");
    await running.stop();
  });

  scenario.virtual("that fails are handled as they are, and it is said", async (world) => {
    const objects = new Objects(world);
    await objects.create("a", { spec: { size: 1 } });
    const op = operator({
      watching: {
        transform: {
          examples: () => {
            throw new Error("no");
          },
        },
      },
    });
    const seen: unknown[] = [];
    op.on.create(Example, { id: "make" }, ({ spec }) => void seen.push(spec));
    const running = await world.start(op);
    assert.deepEqual(seen, [{ size: 1 }]);
    assert.ok(
      running.messages("error").some((text) => text.startsWith("The transform of a kind has failed")),
    );
    await running.stop();
  });
});
