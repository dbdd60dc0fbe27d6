import assert from "node:assert/strict";
import { ABSENT, operator, persistence, PRESENT } from "../../mod.ts";
import { suite } from "../support/scenario.ts";
import { sized } from "../support/size.ts";
import { Example, LAST_HANDLED, type Loose, notesOf, Objects } from "../support/worlds.ts";

/** Specs that nobody would write, and anybody could. */
function strangeSpecs(): Record<string, Loose> {
  const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`key-${index}`, index]));
  let deep: unknown = "bottom";
  for (let depth = 0; depth < 500; depth++) deep = { a: deep };
  return {
    // NB: JSON.parse makes an own key of "__proto__", as it comes from a server; a literal would not.
    keys: JSON.parse(
      '{"a.b":1,"a/b":2,"":3," ":4,"__proto__":{"x":1},"constructor":{"y":2},"toString":5,"~1":6,"$lotse":7}',
    ) as Loose,
    many,
    deep: { deep },
    empty: { object: {}, list: [], text: "", zero: 0, no: false },
  };
}

/** A text that hardly compresses. */
function noise(length: number): string {
  let seed = 1;
  const letters = Array.from({ length }, () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return String.fromCharCode(48 + seed % 75);
  });
  return letters.join("");
}

/** API servers take 10,000 levels, and need minutes for so many, as each is a managed field; ours in the process takes fewer. */
const DEPTHS: Readonly<Record<string, number>> = {
  "in the process": 600,
  "on a real control plane": sized({ short: 1000, full: 2500 }),
};

suite("objects of strangers", (scenario) => {
  scenario(
    "[N41] objects of thousands of levels are handled once, also by the next process, and their changes are seen",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const calls: string[] = [];
      op.on.event(Example, ({ body }) => void structuredClone(body.metadata));
      op.on.create(Example, ({ spec, patch }) => {
        calls.push("create");
        patch.status.copy = spec.deep;
      });
      op.on.update(
        Example,
        ({ diff }) => void calls.push(`update ${diff.map(([op, path]) => `${op} ${path.length}`)}`),
      );
      const nested = (bottom: unknown): Loose => {
        let deep = bottom;
        for (let level = 0; level < DEPTHS[world.place]!; level++) deep = { a: deep };
        return { deep };
      };
      const first = await world.start(op);
      await objects.create("one", { spec: nested(1) });
      await world.until(() => calls.length === 1);
      await world.settle();
      await objects.patch("one", { spec: nested(2) });
      await world.until(() => calls.length === 2);
      await world.settle();
      await first.stop();
      const second = await world.start(op);
      await world.settle();
      assert.deepEqual(calls, ["create", `update change ${DEPTHS[world.place]! + 2}`]);
      assert.deepEqual([...first.logs, ...second.logs].filter(({ level }) => level === "error"), []);
      await second.stop();
    },
  );

  scenario(
    "odd keys, 10,000 keys and 500 levels are handled once, and a change of them is seen",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const calls: string[] = [];
      op.on.create(Example, ({ name }) => void calls.push(`create ${name}`));
      op.on.update(Example, ({ name, diff }) => {
        calls.push(`update ${name} ${diff.map(([op, path]) => `${op} ${path.join("|")}`)}`);
      });
      const running = await world.start(op);
      const specs = strangeSpecs();
      for (const [name, spec] of Object.entries(specs)) await objects.create(name, { spec });
      await world.until(() => calls.length === Object.keys(specs).length);
      const isNoted = async (name: string): Promise<boolean> =>
        LAST_HANDLED in notesOf(await objects.get(name));
      // Writing the large ones takes a while.
      for (const name of Object.keys(specs)) await world.until(() => isNoted(name));
      await world.settle();
      for (const name of Object.keys(specs)) {
        assert.deepEqual(Object.keys(notesOf(await objects.get(name))), [LAST_HANDLED], name);
        await objects.patch(name, { spec: JSON.parse('{"__proto__":{"changed":true}}') as Loose });
      }
      await world.until(() => calls.length === 2 * Object.keys(specs).length);
      await world.settle();
      assert.deepEqual(calls.slice(4).sort(), [
        "update deep add spec|__proto__",
        "update empty add spec|__proto__",
        "update keys add spec|__proto__|changed",
        "update many add spec|__proto__",
      ]);
      assert.equal(({} as { changed?: boolean }).changed, undefined, "nothing has leaked into all objects");
      await running.stop();
    },
  );

  scenario(
    "an object whose annotations are nearly full, and one with a large spec, are handled once, and changes are seen",
    async (world) => {
      const objects = new Objects(world);
      const op = operator({ persistence: persistence.annotations() });
      const calls: string[] = [];
      op.on.create(Example, ({ name }) => void calls.push(`create ${name}`));
      op.on.update(Example, ({ name, old, new: now }) => {
        calls.push(`update ${name} ${old?.spec?.value} ${now?.spec?.value}`);
      });
      const running = await world.start(op);
      const full = { metadata: { annotations: { "example.com/full": "x".repeat(256 * 1024 - 300) } } };
      await objects.create("full", { ...full, spec: { value: 1 } });
      await objects.create("large", { spec: { value: 1, text: "some text ".repeat(50_000) } });
      await world.until(async () =>
        LAST_HANDLED in notesOf(await objects.get("full")) &&
        LAST_HANDLED in notesOf(await objects.get("large"))
      );
      for (const name of ["full", "large"]) await objects.patch(name, { spec: { value: 2 } });
      await world.until(() => calls.length === 4);
      await world.settle();
      assert.deepEqual(calls.sort(), [
        "create full",
        "create large",
        // Where nothing but a digest has room, what was before is not known.
        "update full undefined 2",
        "update large 1 2",
      ]);
      await running.stop();
    },
  );

  scenario(
    "an object whose annotations are full to the last byte is handled once per change, and said to be so",
    async (world) => {
      const objects = new Objects(world);
      const op = operator({ persistence: persistence.annotations() });
      const calls: string[] = [];
      op.on.create(Example, ({ patch }) => {
        calls.push("create");
        patch.status.state = "made";
      });
      op.on.update(Example, ({ old, new: now }) => {
        calls.push(`update ${old?.spec?.value} ${now?.spec?.value}`);
      });
      const running = await world.start(op);
      const key = "example.com/full";
      const annotations = { [key]: "x".repeat(256 * 1024 - key.length) };
      await objects.create("one", { metadata: { annotations }, spec: { value: 1 } });
      await world.until(async () => (await objects.get("one")).status?.state === "made");
      await world.settle();
      await objects.patch("one", { spec: { value: 2 } });
      await world.until(() => calls.length > 1);
      await world.settle();
      assert.deepEqual(calls, ["create", "update 1 2"]);
      const said = running.logs.filter(({ level }) => level === "warn" || level === "error");
      const mine = said.map(({ message }) => message).filter((message) =>
        !message.startsWith("Watching failed")
      );
      assert.equal(mine.length, 1, mine.join("\n"));
      assert.match(mine[0] ?? "", /^There is no room for notes in the object's annotations/);
      assert.deepEqual(Object.keys((await objects.get("one")).metadata.annotations ?? {}), [key]);
      await running.stop();
    },
  );

  for (
    const [place, notes] of [["annotations", persistence.annotations()], [
      "the status",
      persistence.status(),
    ]] as const
  ) {
    scenario(
      `1 MiB that does not compress: with notes in ${place}, handlers of what has changed are called, and no others`,
      async (world) => {
        const objects = new Objects(world);
        const op = operator({ persistence: notes });
        const calls: string[] = [];
        op.on.create(Example, () => void calls.push("create"));
        op.on.field(Example, "spec.size", { old: PRESENT }, ({ old, new: now }) => {
          calls.push(`size ${old} ${now}`);
        });
        op.on.field(Example, "spec.blob", { old: PRESENT }, ({ old, new: now }) => {
          calls.push(`blob ${old} ${String(now).slice(0, 3)}`);
        });
        op.on.field(Example, "spec.gone", { old: PRESENT, new: ABSENT }, () => void calls.push("gone"));
        op.on.update(Example, ({ diff }) => {
          calls.push(`update ${diff.map(([operation, path]) => `${operation} ${path.join(".")}`)}`);
        });
        const running = await world.start(op);
        await objects.create("one", { spec: { size: 1, blob: noise(1024 * 1024), gone: noise(9000) } });
        await world.until(() => calls.length === 1);
        for (
          const [key, value] of Object.entries({ size: 2, blob: `new${noise(1024 * 1024)}`, gone: null })
        ) {
          await world.settle();
          await objects.patch("one", { spec: { [key]: value } });
          await world.until(() => calls.at(-1)?.endsWith(`spec.${key}`) === true);
        }
        await world.settle();
        assert.deepEqual(calls, [
          "create",
          "size 1 2",
          "update change spec.size",
          "blob (too large to be noted) new",
          "update change spec.blob",
          "gone",
          "update remove spec.gone",
        ]);
        const said = running.logs.filter(({ message }) => message.startsWith("The object is too large"));
        assert.deepEqual(said.map(({ level }) => level), ["warn"]);
        await running.stop();
      },
    );
  }

  scenario(
    "a state that is too large for Kopf's notes is kept in memory, and said to be so",
    async (world) => {
      const objects = new Objects(world);
      const op = operator({ persistence: persistence.kopf() });
      const calls: string[] = [];
      op.on.create(Example, { id: "make" }, () => void calls.push("create"));
      op.on.field(Example, "spec.size", { old: PRESENT }, ({ old, new: now }) => {
        calls.push(`size ${old} ${now}`);
      });
      const running = await world.start(op);
      await objects.create("one", { spec: { size: 1, text: "some text ".repeat(50_000) } });
      await world.until(() => calls.length > 0);
      for (const [key, value] of Object.entries({ size: 2, text: "short", last: true })) {
        await world.settle();
        await objects.patch("one", { spec: { [key]: value } });
      }
      await world.until(async () =>
        (await objects.get("one")).metadata.annotations?.["kopf.zalando.org/last-handled-configuration"]
          ?.includes(
            "last",
          ) === true
      );
      assert.deepEqual(calls, ["create", "size 1 2"]);
      const said = running.logs.filter(({ message }) => message.startsWith("There is no room for notes"));
      assert.deepEqual(said.map(({ level }) => level), ["warn"]);
      await running.stop();
    },
  );

  scenario.virtual(
    "records without zones, from other versions, from the future and half-written do no harm",
    async (world) => {
      const objects = new Objects(world);
      const now = world.host.clock.now();
      const naive = new Date(now + 100_000).toISOString().slice(0, -1);
      const base = { started: "2026-01-01T00:00:00", purpose: "create", success: false, failure: false };
      const notes: Record<string, string> = {
        naive: JSON.stringify({ ...base, delayed: naive, retries: 1 }),
        other: JSON.stringify({ ...base, retries: 2, format: 99, unheardOf: { of: ["us"] } }),
        purpose: JSON.stringify({ ...base, retries: 3, purpose: "destroy" }),
        future: JSON.stringify({ ...base, started: "2999-01-01T00:00:00Z", retries: 4 }),
        half: JSON.stringify({ ...base, retries: 5 }).slice(0, 40),
        types: JSON.stringify({ started: 5, retries: "6", success: "yes", delayed: [], subrefs: "x" }),
      };
      for (const [name, text] of Object.entries(notes)) {
        await objects.create(name, { metadata: { annotations: { "lotse.dev/make": text } } });
      }
      const op = operator();
      const calls: string[] = [];
      op.on.create(Example, { id: "make", timeout: 1e9 }, ({ name, retry, runtime }) => {
        assert.ok(runtime >= 0);
        calls.push(`${name} ${retry}`);
      });
      const running = await world.start(op);
      await running.advance(98);
      assert.deepEqual(calls.sort(), ["future 4", "half 0", "other 2", "purpose 0", "types 0"]);
      await running.advance(3);
      assert.ok(calls.includes("naive 1"));
      for (const name of Object.keys(notes)) {
        assert.deepEqual(Object.keys(notesOf(await objects.get(name))), [LAST_HANDLED], name);
      }
      await running.stop();
    },
  );
});
