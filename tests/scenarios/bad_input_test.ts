/**
 * Input that nobody wants: each ends in a clear message, and the other objects are handled all the same.
 */

import assert from "node:assert/strict";
import { loadKubeconfig } from "../../lib/client/auth/kubeconfig.ts";
import { operator } from "../../mod.ts";
import type { LogRecord } from "../../lib/runtime/logging.ts";
import { textSink } from "../../lib/runtime/log_format.ts";
import { virtualHost } from "../../lib/runtime/virtual/host.ts";
import { cutInLine, RESUMES, stream } from "../support/faulty_proxy.ts";
import { suite } from "../support/scenario.ts";
import {
  Example,
  LAST_HANDLED,
  type Loose,
  notesOf,
  Objects,
  Plain,
  PLAINS,
  type World,
} from "../support/worlds.ts";

/** JSON as a stranger writes it: `__proto__` is a key of its own there. */
const STRANGE = JSON.parse(
  '{"__proto__":{"polluted":"yes"},"constructor":{"prototype":{"polluted":"yes"}},"hasOwnProperty":"x","ok":1,"toString":"y"}',
) as Loose;

/** Handles an ordinary object, to show that others are served. */
async function servesOthers(world: World, objects: Objects, handled: readonly string[]): Promise<void> {
  await objects.create("other", { spec: { ok: true } });
  await world.until(() => handled.includes("other"), 60);
}

suite("Bad input", (scenario) => {
  scenario("a watch that breaks in the middle of a line loses nothing", async (world) => {
    await using place = await world.proxy();
    const objects = new Objects(world);
    const op = operator();
    const handled: string[] = [];
    op.on.create(Example, { id: "make" }, ({ name }) => void handled.push(name));
    const running = await world.start(op);
    place.proxy.inject(RESUMES, cutInLine("reset"));
    place.breakAll();
    await objects.create("one", { spec: { text: "漢字" } });
    await world.until(() => handled.includes("one"), 5);
    assert.equal(place.proxy.struck, 1);
    assert.ok(running.logs.some(({ message }) => message === "Watching failed, will be tried again"));
    await servesOthers(world, objects, handled);
    assert.deepEqual(handled, ["one", "other"]);
    await running.stop();
  });

  for (const [title, kind] of [["status of its own", Example], ["status inside", Plain]] as const) {
    scenario(
      `keys such as __proto__ and constructor are data, everywhere, with a ${title}`,
      async (world) => {
        const objects = kind === Plain ? new Objects(world, PLAINS) : new Objects(world);
        const op = operator();
        const index = op.index(
          kind,
          { id: "strange" },
          ({ name, spec }) => new Map([[String(spec["key"] ?? name), name]]),
        );
        const handled: string[] = [];
        const diffs: unknown[] = [];
        op.on.create(kind, { id: "make" }, ({ name, spec, patch }) => {
          handled.push(name);
          if (spec["strange"] !== undefined) patch.status["copy"] = spec["strange"];
          return { made: spec["strange"] ?? null };
        });
        op.on.update(kind, { id: "change" }, ({ name, diff }) => {
          handled.push(`changed ${name}`);
          diffs.push(...diff.map(([op, path]) => [op, path.join("/")]));
        });
        const running = await world.start(op);
        await objects.create("one", { spec: { strange: STRANGE, key: "__proto__" } });
        await world.until(() => handled.includes("one"), 5);
        await world.settle();
        const made = await objects.get("one");
        assert.equal(JSON.stringify(made.status?.["copy"]), JSON.stringify(STRANGE));
        assert.match(JSON.stringify(made.status), /"make":\{"made":\{"__proto__":\{"polluted":"yes"\}/);
        assert.deepEqual([...index.get("__proto__") ?? []], ["one"]);
        const changed = JSON.parse('{"__proto__":{"polluted":"very"},"constructor":null}');
        await objects.patch("one", { spec: { strange: changed } });
        await world.until(() => handled.includes("changed one"), 5);
        assert.deepEqual(diffs.sort(), [
          ["change", "spec/strange/__proto__/polluted"],
          ["remove", "spec/strange/constructor"],
        ]);
        assert.equal(({} as Loose)["polluted"], undefined);
        await servesOthers(world, objects, handled);
        await running.stop();
      },
    );
  }

  scenario.virtual("an object of 3 MB is handled, and reported when its notes do not fit", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    const handled: string[] = [];
    op.on.create(Example, { id: "make" }, ({ name, spec }) => {
      handled.push(name);
      return { length: String(spec["big"] ?? "").length };
    });
    const running = await world.start(op);
    const { metadata } = await objects.create("seed", { spec: {} });
    await world.until(() => handled.includes("seed"), 5);
    // No server takes it, but aggregated ones may serve it: a stream brings it.
    await using place = await world.proxy();
    const big = {
      apiVersion: "lotse.test/v1",
      kind: "Example",
      metadata: { ...metadata, name: "big", uid: "uid-big", resourceVersion: "999000", annotations: {} },
      spec: { big: "x".repeat(3_000_000) },
    };
    place.proxy.inject(
      RESUMES,
      stream(async function* (chunks) {
        yield new TextEncoder().encode(`${JSON.stringify({ type: "ADDED", object: big })}\n`);
        yield* chunks;
      }),
    );
    place.breakAll();
    await world.until(() => handled.includes("big"), 5);
    await servesOthers(world, objects, handled);
    await running.stop();
  });

  scenario.virtual("bytes that are not UTF-8 are read as U+FFFD", async (world) => {
    await using place = await world.proxy();
    const objects = new Objects(world);
    const op = operator();
    const seen: unknown[] = [];
    const handled: string[] = [];
    op.on.event(Example, { id: "see" }, ({ name, spec }) => {
      handled.push(name);
      if (name === "one") seen.push(spec["text"]);
    });
    const running = await world.start(op);
    place.proxy.inject(
      RESUMES,
      stream(async function* (chunks) {
        for await (const chunk of chunks) yield chunk.map((byte) => byte === 0x7e ? 0xff : byte);
      }),
    );
    place.breakAll();
    await objects.create("one", { spec: { text: "a~b" } });
    await world.until(() => seen.length > 0, 5);
    assert.deepEqual(seen, ["a�b"]);
    await servesOthers(world, objects, handled);
    await running.stop();
  });

  scenario("annotations of ours that hold garbage are said to be broken, and made anew", async (world) => {
    const objects = new Objects(world);
    const garbage = ["not JSON {", "[1,2]", '"text"', "null", "", '{"__proto__":1}'];
    for (const [index, text] of garbage.entries()) {
      await objects.create(`garbage-${index}`, {
        metadata: { annotations: { [LAST_HANDLED]: text, "lotse.dev/make": text, "lotse.dev/change": text } },
        spec: { n: index },
      });
    }
    const op = operator();
    const handled = new Set<string>();
    const note = ({ name }: { readonly name: string }): void => void handled.add(name);
    op.on.create(Example, { id: "make" }, note);
    op.on.update(Example, { id: "change" }, note);
    op.on.resume(Example, { id: "go-on" }, note);
    const running = await world.start(op);
    await world.until(() => handled.size === garbage.length, 60);
    await objects.create("other");
    await world.until(() => handled.has("other"), 60);
    await world.settle();
    for (const index of garbage.keys()) {
      const notes = notesOf(await objects.get(`garbage-${index}`));
      assert.doesNotThrow(() => JSON.parse(notes[LAST_HANDLED] ?? "nothing"), `garbage-${index}`);
    }
    assert.ok(running.logs.every(({ message }) => message !== "Reconcile failed"), "no cycle fails");
    await running.stop();
  });

  scenario("handlers that throw anything at all fail by themselves, and in words", async (world) => {
    const objects = new Objects(world);
    const thrown: Record<string, () => unknown> = {
      text: () => "only a text",
      nothing: () => undefined,
      nil: () => null,
      number: () => 42,
      frozen: () => Object.freeze(Object.assign(new Error("frozen"), { code: 1 })),
      hostile: () => hostile(),
      circular: () => {
        const circle: Loose = {};
        return circle["self"] = circle;
      },
      proxy: () =>
        new Proxy({}, {
          get() {
            throw new Error("do not touch");
          },
        }),
      symbol: () => Symbol("s"),
    };
    const op = operator({ execution: { defaultBackoff: 0.2 } });
    const handled: string[] = [];
    const failing = new Map<string, number>();
    op.on.create(Example, { id: "make", retries: 2 }, ({ name }) => {
      const make = thrown[name];
      if (make === undefined) return void handled.push(name);
      failing.set(name, (failing.get(name) ?? 0) + 1);
      throw make();
    });
    const running = await world.start(op);
    for (const name of Object.keys(thrown)) await objects.create(name);
    await world.until(() => Object.keys(thrown).every((name) => failing.get(name) === 2), 60);
    await servesOthers(world, objects, handled);
    await world.settle();
    assert.deepEqual([...failing.values()], Object.keys(thrown).map(() => 2), "each is tried twice");
    const lines = print(running.logs);
    for (const words of ["only a text", "undefined was thrown", "null was thrown", "42", "frozen"]) {
      assert.ok(lines.some((line) => line.includes(words)), `a line says "${words}"`);
    }
    assert.ok(running.logs.every(({ message }) => message !== "Reconcile failed"), "no cycle fails");
    await running.stop();
  });

  scenario(
    "a handler that never returns holds up its own object only, and is left behind at the end",
    async (world) => {
      const objects = new Objects(world);
      const op = operator({ queueing: { exitTimeout: 0.5 } });
      const handled: string[] = [];
      op.on.create(Example, { id: "make" }, async ({ name }) => {
        if (name === "endless") await new Promise(() => {});
        handled.push(name);
      });
      op.on.create(Example, {
        id: "limited",
        timeout: 0.5,
        when: ({ name }) => name === "late",
      }, async () => {
        await new Promise(() => {});
      });
      const running = await world.start(op);
      await objects.create("endless");
      await objects.create("late");
      await servesOthers(world, objects, handled);
      await world.until(() => print(running.logs).some((line) => line.includes("has timed out")), 60);
      await running.stop();
      assert.ok(
        running.logs.some(({ level, message }) => level === "warn" && /left behind/.test(message)),
        "it is said that something was left behind",
      );
    },
  );

  scenario.virtual(
    "a kubeconfig whose certificate file is missing names the file, and what it is for",
    async () => {
      const config = {
        "current-context": "x",
        contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
        clusters: [{ name: "c", cluster: { server: "https://api.test", "certificate-authority": "ca.crt" } }],
        users: [{ name: "u", user: { "client-certificate": "/tls/me.crt", "client-key": "/tls/me.key" } }],
      };
      const host = virtualHost({ files: { "/home/config": JSON.stringify(config) } });
      await assert.rejects(loadKubeconfig({ host, paths: ["/home/config"] }), (error: Error) => {
        assert.equal(error.name, "LoginError");
        assert.match(error.message, /\/home\/ca\.crt|\/tls\/me\.(crt|key)/);
        return true;
      });
      await assert.rejects(operator().run({ host, kubeconfig: "/home/config" }), { name: "LoginError" });
    },
  );
});

/** An Error whose fields throw when they are read. */
function hostile(): Error {
  const error = new Error("hostile");
  for (const field of ["message", "name", "stack", "cause"]) {
    Object.defineProperty(error, field, {
      get() {
        throw new Error(`cannot read ${field}`);
      },
    });
  }
  return error;
}

/** The lines as they would be printed. */
function print(logs: readonly LogRecord[]): string[] {
  const lines: string[] = [];
  for (const format of ["plain", "json"] as const) {
    const sink = textSink({ format, level: "debug", write: (line) => lines.push(line) });
    for (const record of logs) sink.write(record);
  }
  return lines;
}
