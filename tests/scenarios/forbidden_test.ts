import assert from "node:assert/strict";
import { kinds, operator } from "../../mod.ts";
import { suite } from "../support/scenario.ts";
import { Example, EXAMPLES, Objects, Plain } from "../support/worlds.ts";

const NAMESPACES = { group: "", version: "v1", plural: "namespaces", namespaced: false } as const;

suite("what is forbidden", (scenario) => {
  scenario.virtual("[P12] comes back at once, and names the right that is missing", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    const seen: unknown[] = [];
    op.on.create(Example, { id: "look", retries: 1 }, async () => {
      const begun = world.host.clock.monotonic();
      await op.api.get(kinds.Secret, { name: "password", namespace: world.namespace }).catch((error) => {
        seen.push(error.status, error.message);
      });
      seen.push(world.host.clock.monotonic() - begun);
    });
    world.intercept = ({ url }) => url.includes("/secrets") ? new Response("no", { status: 403 }) : undefined;
    const running = await world.start(op);
    await objects.create("one");
    await running.advance(60);
    const [status, message, seconds] = seen;
    assert.ok(status === 403 && Number(seconds) < 1, `${status} after ${seconds} s`);
    assert.match(String(message), /a role must allow "get" on "secrets"/);
    assert.equal(world.requests.filter(({ path }) => path.includes("/secrets")).length, 1);
    await running.stop();
  });

  scenario.virtual(
    "[P12] is asked for once at a time: lists, writes and events wait for their own next turn, not in a request",
    async (world) => {
      const objects = new Objects(world);
      const op = operator({ posting: { level: "info" } });
      const calls: string[] = [];
      op.on.create(Example, { id: "make" }, ({ patch, name }) => {
        calls.push(name);
        patch.status.made = true;
      });
      let forbidden = /examples\?/;
      const refused: string[] = [];
      world.intercept = ({ url, method }) => {
        if (!forbidden.test(url)) return undefined;
        refused.push(method);
        return new Response("no", { status: 403 });
      };
      const running = await world.start(op);
      await objects.create("one");
      await running.advance(60);
      assert.ok(refused.length > 1 && refused.length < 12, `lists: ${refused.length}`);
      assert.deepEqual(calls, []);
      forbidden = /examples\/one|events/;
      refused.length = 0;
      await world.until(() => calls.length > 0);
      await running.advance(60);
      assert.ok(refused.length > 2 && refused.length < 20, `writes: ${refused}`);
      assert.deepEqual(
        running.logs.filter(({ fields }) => "attempt" in fields && "request" in fields),
        [],
        "no request was repeated",
      );
      forbidden = /nothing/;
      await world.until(async () => (await objects.get("one")).status?.made === true);
      assert.deepEqual(calls, ["one"], "what was made is written when it may be");
      await running.stop();
    },
  );

  scenario.timed(
    "[N13.4] a namespace that may not be listed holds nobody up who has indexes elsewhere, and who reads one is named once",
    async (world) => {
      const [a, b] = [world.namespace, `${world.namespace}-forbidden`];
      await world.client.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name: b } });
      const objects = new Objects(world);
      await objects.create("one");
      await world.client.create(EXAMPLES, {
        apiVersion: "lotse.test/v1",
        kind: "Example",
        metadata: { name: "far", namespace: b },
      });
      let isForbidden = true;
      const asked: number[] = [];
      world.intercept = ({ url, method }) => {
        if (method !== "GET" || !new RegExp(`/namespaces/${b}/examples\\?`).test(url)) return undefined;
        asked.push(world.host.clock.monotonic());
        return isForbidden ? refusal() : undefined;
      };
      const op = operator();
      const names = op.index(Example, function names({ name, namespace }) {
        return { [name]: namespace };
      });
      const seen: unknown[] = [];
      op.on.create(Example, function look({ name }) {
        seen.push([name, names.has("one"), names.has("far")]);
      });
      op.on.create(Example, function blind() {});
      const running = await world.start(op, { scope: [a, b] });
      await world.until(() => seen.length === 1, 10);
      await objects.create("two");
      await world.until(() => seen.length === 2, 10);
      assert.deepEqual(seen, [["one", true, false], ["two", true, false]]);
      const told = running.logs.filter(({ level, fields }) => level === "warn" && "index" in fields);
      assert.deepEqual(told.map(({ fields }) => fields), [
        { handler: "look", index: "names", lacks: [`examples.v1.lotse.test in ${b}`] },
      ]);
      const incomplete = running.logs.filter(({ message }) => message.startsWith("Indexes are incomplete"));
      assert.deepEqual(incomplete.map(({ fields }) => [fields.indexes, fields.namespace]), [[["names"], b]]);
      await running.advance(3600);
      const pauses = asked.slice(1).map((at, number) => at - asked[number]!);
      assert.ok(asked.length < 30 && Math.max(...pauses) > 120, `asked after ${pauses}`);
      isForbidden = false;
      await running.advance(500);
      await world.until(() => seen.length === 3, 10);
      assert.deepEqual(seen[2], ["far", true, true]);
      await running.stop();
    },
  );

  scenario.timed(
    "[N13.4] a kind that may not be listed holds nobody up: the probes and the log say what its index lacks",
    async (world) => {
      const objects = new Objects(world);
      let isForbidden = true;
      world.intercept = ({ url }) => isForbidden && /\/plains\?/.test(url) ? refusal() : undefined;
      const op = operator();
      const plains = op.index(Plain, function plains({ name }) {
        return { [name]: 1 };
      });
      const seen: unknown[] = [];
      op.on.create(Example, function look({ name }) {
        seen.push([name, plains.size]);
      });
      const running = await world.start(op, { liveness: "http://localhost:8080/healthz" });
      await objects.create("one");
      await world.until(() => seen.length === 1, 10);
      const ready = async (): Promise<string> => {
        using connection = world.host.network.connect({ server: "http://localhost:8080" });
        const request = { method: "GET", path: "/readyz?verbose", headers: {} };
        return await (await connection.request(request)).text();
      };
      assert.match(await ready(), /^\[-\]indexes failed: "plains" lacks plains\.v1\.lotse\.test/m);
      isForbidden = false;
      await running.advance(500);
      assert.match(await ready(), /^\[\+\]indexes ok/m);
      await running.stop();
    },
  );

  scenario.timed(
    "handlers that wait for indexes for long are told of, with what they wait for",
    async (world) => {
      const op = operator();
      op.index(Example, function all({ name }) {
        return { [name]: 1 };
      });
      world.intercept = ({ url }) => /\/examples\?/.test(url) ? new Response("", { status: 500 }) : undefined;
      const running = await world.start(op);
      await running.advance(60);
      const told = running.logs.filter(({ level, message }) =>
        level === "warn" && message === "Handlers wait for the indexes"
      );
      assert.deepEqual(told.map(({ fields }) => fields.problem), [
        `they are not complete yet: handlers wait for examples.v1.lotse.test|`,
      ]);
      await running.stop();
    },
  );
});

function refusal(): Response {
  return Response.json({ kind: "Status", code: 403, reason: "Forbidden", message: "no" }, { status: 403 });
}
