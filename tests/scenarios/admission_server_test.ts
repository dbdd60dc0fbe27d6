import assert from "node:assert/strict";
import { AdmissionError, operator, webhookServer } from "../../mod.ts";
import { LEASES, VALIDATING_WEBHOOK_CONFIGURATIONS } from "../../lib/model/kinds.ts";
import { createAuthority } from "../../lib/runtime/certificates.ts";
import { MUTATING_WEBHOOK_CONFIGURATIONS } from "../../lib/model/kinds.ts";
import { Doorway, objectOf, reviewOf } from "../support/reviews.ts";
import { suite } from "../support/scenario.ts";
import type { TimedWorld } from "../support/virtual_world.ts";
import { definitionOf, Example, type Loose, Objects, Plain, PLAINS } from "../support/worlds.ts";

const NAME = "hooks.example.com";

/** Requests about webhook configurations, in short. */
function written({ requests }: TimedWorld): [method: string, kind: string, webhooks: unknown][] {
  return requests.filter(({ path, method }) => path.includes("webhookconfigurations") && method !== "GET")
    .map((
      { method, path, body },
    ) => {
      const kind = path.includes("mutating") ? "mutating" : "validating";
      const content = JSON.parse(body) as { webhooks?: readonly Loose[]; metadata?: Loose };
      return [method, kind, content.webhooks?.map(({ name }) => name) ?? content.metadata?.name];
    });
}

async function webhooksIn(
  { client }: Pick<TimedWorld, "client">,
  kind = VALIDATING_WEBHOOK_CONFIGURATIONS,
): Promise<Loose[]> {
  const found = await client.get<{ metadata: object; webhooks?: Loose[] }>(kind, { name: NAME });
  return found.webhooks ?? [];
}

/** Sends a request over the virtual network. */
async function ask(
  { host }: TimedWorld,
  server: string,
  { path = "/", method = "POST", body = JSON.stringify(reviewOf()) } = {},
): Promise<[status: number, text: string]> {
  using connection = host.network.connect({ server });
  const response = await connection.request({
    method,
    path,
    headers: { "content-type": "application/json" },
    ...method === "POST" && { body },
  });
  return [response.status, await response.text()];
}

suite("admission servers", (scenario) => {
  scenario.timed("[B156] a server is disposed of when the operator stops", async (world) => {
    const told: string[] = [];
    const door = new Doorway();
    const server = {
      serve: door.serve,
      [Symbol.asyncDispose]: () => Promise.resolve(void told.push(`disposed after ${door.closed}`)),
    };
    const op = operator({ admission: { server } });
    op.on.validate(Example, function check() {});
    const running = await world.start(op);
    assert.deepEqual([door.opened, door.closed, told], [1, 0, []]);
    await running.stop();
    assert.deepEqual([door.opened, door.closed, told], [1, 1, ["disposed after 1"]]);
  });

  scenario.timed(
    "[B156] the sockets of the built-in server are closed with the operator",
    async (world) => {
      const op = operator({
        admission: { server: webhookServer({ addr: "127.0.0.1", port: 9443, insecure: true }) },
      });
      op.on.validate(Example, function check() {});
      const running = await world.start(op);
      const [status, text] = await ask(world, "http://127.0.0.1:9443");
      assert.deepEqual([status, JSON.parse(text).response], [200, { uid: "review-1", allowed: true }]);
      await running.stop();
      await assert.rejects(ask(world, "http://127.0.0.1:9443"), { code: "ECONNREFUSED" });
    },
  );

  scenario.virtual(
    "[N13] the operator is not ready while the server's certificate has expired, until there is another",
    async (world) => {
      const { files, clock } = world.host;
      const authority = await createAuthority({ name: "a", now: () => clock.now() });
      const renew = async (days: number): Promise<void> => {
        const issued = await authority.issue({
          commonName: "localhost",
          dnsNames: ["localhost"],
          server: true,
          days,
        });
        await files.writeText("/tls.key", issued.key);
        await files.writeText("/tls.crt", issued.certificate);
      };
      await renew(1);
      const server = webhookServer({ addr: "127.0.0.1", certfile: "/tls.crt", pkeyfile: "/tls.key" });
      const op = operator({ admission: { server } });
      op.on.validate(Example, function check() {});
      const running = await world.start(op, { liveness: "http://localhost:8080/healthz" });
      const ready = () => ask(world, "http://localhost:8080", { path: "/readyz?verbose", method: "GET" });
      const [good, note] = await ready();
      assert.equal(good, 200);
      assert.match(note, /^\[\+\]admission ok: its certificate is valid until 20/m);
      await running.advance(86_400 - 100);
      assert.equal((await ready())[0], 200);
      await running.advance(200);
      const [bad, reason] = await ready();
      assert.equal(bad, 503);
      assert.match(reason, /^\[-\]admission failed: its certificate has expired at 20/m);
      await renew(2);
      await running.advance(61);
      assert.equal((await ready())[0], 200);
      await running.stop();
    },
    // Whether a certificate is valid is a matter of the wall clock.
    { wallClock: "steady" },
  );

  scenario.timed(
    "[N13] servers of one's own say until when their certificates are valid, and from when on",
    async (world) => {
      const door = new Doorway();
      const op = operator({ admission: { server: door.serve } });
      op.on.validate(Example, function check() {});
      const running = await world.start(op, { liveness: "http://localhost:8080/healthz" });
      const ready = () => ask(world, "http://localhost:8080", { path: "/readyz?verbose", method: "GET" });
      assert.equal((await ready())[0], 200, "nothing is known of it");
      const now = world.host.clock.now();
      const at = (seconds: number) => new Date(now + seconds * 1000).toISOString();
      door.context?.presents({ notBefore: at(60), notAfter: at(120) });
      const [early, reason] = await ready();
      assert.equal(early, 503);
      assert.match(reason, /its certificate is not valid before 20/);
      await running.advance(61);
      assert.equal((await ready())[0], 200);
      await running.advance(60);
      assert.equal((await ready())[0], 503);
      await running.stop();
    },
  );

  scenario.timed("[B157] when the server ends, the operator stops, with a warning", async (world) => {
    const door = new Doorway();
    const op = operator({ admission: { server: door.serve } });
    let cleanups = 0;
    op.on.cleanup(() => void cleanups++);
    op.on.validate(Example, function check() {});
    const running = await world.start(op);
    door.end();
    await running.settle();
    assert.equal(running.isRunning, false);
    assert.equal(cleanups, 1);
    assert.ok(running.messages("warn").includes("The admission server has ended: the operator stops"));
    await running.stop();
  });

  scenario.timed("a server that fails ends the operator with its error", async (world) => {
    const door = new Doorway();
    const op = operator({ admission: { server: door.serve } });
    op.on.validate(Example, function check() {});
    const running = await world.start(op);
    door.end({ error: new Error("the tunnel collapsed") });
    await assert.rejects(running.settle(), /the tunnel collapsed/);
    assert.equal(running.isRunning, false);
  });

  scenario.timed("a server that does not listen to its signal is left behind", async (world) => {
    const op = operator({
      admission: {
        server: async function* () {
          yield { url: "https://hooks.test" };
          await new Promise(() => {});
        },
      },
    });
    op.on.validate(Example, function check() {});
    const running = await world.start(op);
    await running.stop();
    assert.ok(running.messages("warn").includes("The admission server does not stop: it is left behind"));
  });

  scenario.timed("a server is not called without admission handlers", async (world) => {
    const door = new Doorway();
    const op = operator({ admission: { server: door.serve } });
    op.on.event(Example, function watch() {});
    const running = await world.start(op);
    await running.stop();
    assert.equal(door.opened, 0);
  });

  scenario.timed("readiness waits for the server", async (world) => {
    const op = operator({
      admission: {
        server: async function* ({ host, signal }) {
          await host.clock.sleep(10, signal);
          yield { url: "https://hooks.test" };
          await host.clock.sleep(Infinity, signal);
        },
      },
    });
    op.on.validate(Example, function check() {});
    const running = await world.start(op, { liveness: "http://localhost:8080/healthz" });
    const probe = { path: "/readyz?verbose", method: "GET" };
    const [status, text] = await ask(world, "http://localhost:8080", probe);
    assert.equal(status, 503);
    assert.match(text, /\[-\]admission failed: the server does not listen yet/);
    await running.advance(11);
    assert.equal((await ask(world, "http://localhost:8080", probe))[0], 200);
    await running.stop();
  });

  scenario.timed("reviews wait for the indexes, but not for ever", async (world) => {
    const door = new Doorway();
    const op = operator({ admission: { server: door.serve } });
    op.index(Example, { id: "names" }, ({ name }) => name);
    const seen: unknown[] = [];
    op.on.validate(Example, function check({ indices }) {
      seen.push(indices.names?.size);
    });
    await new Objects(world).create("one");
    let isHeld = true;
    world.intercept = (request) =>
      isHeld && new URL(request.url).pathname.endsWith("/examples")
        ? world.host.clock.sleep(3600).then(() => new Response("", { status: 500 }))
        : undefined;
    const running = await world.start(op);
    const answered: unknown[] = [];
    const first = door.review().then(() => answered.push("answered"), (error) => answered.push(error.status));
    await running.advance(9);
    assert.deepEqual(answered, []);
    await running.advance(2);
    await first;
    assert.deepEqual([answered, seen], [[503], []]);
    isHeld = false;
    world.host.network.breakAll();
    const second = door.review();
    await running.advance(9);
    assert.equal((await second).response.allowed, true);
    assert.deepEqual(seen, [1]);
    await running.stop();
  });

  scenario.timed("[B128] without a name for them, no configurations are looked at", async (world) => {
    const op = operator({ admission: { server: new Doorway().serve } });
    op.on.validate(Example, function check() {});
    const running = await world.start(op);
    await running.stop();
    assert.deepEqual(world.requests.filter(({ path }) => path.includes("webhook")), []);
  });

  scenario.timed(
    "[B129] both configurations are made, empty; one that is there is taken",
    async (world) => {
      const door = new Doorway();
      const op = operator({ admission: { server: door.serve, managed: NAME } });
      const run = async (): Promise<unknown[]> => {
        const running = await world.start(op);
        await running.stop();
        return written(world).filter(([method]) => method === "POST");
      };
      assert.deepEqual(await run(), [["POST", "validating", NAME], ["POST", "mutating", NAME]]);
      assert.deepEqual(await webhooksIn(world), []);
      assert.deepEqual(await webhooksIn(world, MUTATING_WEBHOOK_CONFIGURATIONS), []);
      world.requests.length = 0;
      assert.equal((await run()).length, 2);
    },
  );

  scenario.timed(
    "[B130] who may not make configurations cannot manage them: the operator ends",
    async (world) => {
      const op = operator({ admission: { server: new Doorway().serve, managed: NAME } });
      op.on.validate(Example, function check() {});
      world.intercept = (request) =>
        request.method === "POST" && request.url.includes("webhookconfigurations")
          ? Promise.resolve(
            Response.json({ kind: "Status", code: 403, message: "no right" }, { status: 403 }),
          )
          : undefined;
      await assert.rejects(async () => {
        const running = await world.start(op);
        await running.advance(100);
      }, /no right/);
    },
  );

  scenario.timed(
    "[B130] a configuration that has no handlers need not be allowed: the other one is managed",
    async (world) => {
      const op = operator({ admission: { server: new Doorway().serve, managed: NAME } });
      op.on.validate(Example, function check() {});
      const asked: string[] = [];
      world.intercept = ({ method, url }) => {
        if (!url.includes("/mutatingwebhookconfigurations")) return undefined;
        asked.push(method);
        return Response.json({ kind: "Status", code: 403, message: "no right" }, { status: 403 });
      };
      const running = await world.start(op);
      await running.advance(100);
      assert.deepEqual((await webhooksIn(world)).map(({ name }) => name), [`check.${NAME}`]);
      assert.deepEqual(asked, ["POST"]);
      assert.deepEqual(running.logs.filter(({ level }) => level === "warn" || level === "error"), []);
      await running.stop();
    },
  );

  scenario.timed(
    "[B131] [B132] [B133] [A266] webhooks follow the server and the kinds, and go with the operator unless persistent",
    async (world) => {
      const door = new Doorway({ url: "https://a.test:1/base/", caBundle: "QQ==" });
      const op = operator({ admission: { server: door.serve, managed: NAME } });
      op.on.validate(Example, function checkExample() {});
      op.on.validate("others.lotse.test", { persistent: true }, function keep() {});
      op.on.mutate(Example, { persistent: true, id: "stays" }, function stays() {});
      const running = await world.start(op);
      // NB: both are written at the same time, and each may be the first.
      const ofOurs = (): unknown[] => written(world).filter(([method]) => method === "PATCH").sort();
      const names = [`check-example.${NAME}`, `keep.${NAME}`];
      assert.deepEqual(ofOurs(), [["PATCH", "mutating", [`stays.${NAME}`]], ["PATCH", "validating", names]]);
      const [check, keep] = await webhooksIn(world);
      assert.deepEqual(check?.clientConfig, { url: "https://a.test:1/base/check-example", caBundle: "QQ==" });
      assert.deepEqual(keep?.rules ?? [], []);
      world.requests.length = 0;
      door.move({ url: "https://b.test" });
      await running.settle();
      assert.deepEqual(ofOurs().length, 2);
      assert.deepEqual((await webhooksIn(world))[0]?.clientConfig, { url: "https://b.test/check-example" });
      world.requests.length = 0;
      await world.client.create(
        {
          group: "apiextensions.k8s.io",
          version: "v1",
          plural: "customresourcedefinitions",
          namespaced: false,
        },
        definitionOf({ ...PLAINS, plural: "others", kind: "Other" } as never),
      );
      await running.advance(5);
      assert.deepEqual(ofOurs(), [["PATCH", "validating", names]], "the other one is as it was");
      const rules = (await webhooksIn(world))[1]?.rules as Loose[];
      assert.deepEqual(
        rules.map(({ apiGroups, apiVersions, resources }) => [apiGroups, apiVersions, resources]),
        [
          [["lotse.test"], ["v1"], ["others"]],
        ],
      );
      assert.equal(
        (await door.review({
          resource: { group: "lotse.test", version: "v1", resource: "others" },
          object: objectOf("one", { kind: "Other" }),
        })).response.allowed,
        true,
      );
      world.requests.length = 0;
      await running.stop();
      assert.deepEqual(ofOurs(), [["PATCH", "validating", [`keep.${NAME}`]]]);
      assert.deepEqual((await webhooksIn(world)).map(({ name }) => name), [`keep.${NAME}`]);
    },
  );

  scenario.timed(
    "a configuration that somebody deletes follows the server as before",
    async (world) => {
      const door = new Doorway();
      const op = operator({ admission: { server: door.serve, managed: NAME } });
      op.on.validate(Example, function check() {});
      op.on.mutate(Plain, function change() {});
      const running = await world.start(op);
      await world.client.delete(VALIDATING_WEBHOOK_CONFIGURATIONS, { name: NAME });
      door.move({ url: "https://c.test" });
      await running.settle();
      assert.deepEqual((await webhooksIn(world))[0]?.clientConfig, { url: "https://c.test/check" });
      await running.stop();
      assert.deepEqual(await webhooksIn(world), []);
    },
  );

  scenario(
    "[P10] an edit or a deletion of a configuration is put right",
    async (world) => {
      const door = new Doorway({ url: "https://a.test:1/base/" });
      const op = operator({ admission: { server: door.serve, managed: NAME }, posting: { enabled: true } });
      // NB: on a real server nobody answers there, so nobody may be kept from anything.
      op.on.validate(Example, { ignoreFailures: true }, function check() {});
      const running = await world.start(op);
      const names = async (): Promise<unknown[]> => (await webhooksIn(world)).map(({ name }) => name);
      await world.until(async () => (await names()).length === 1);
      await world.client.patch(VALIDATING_WEBHOOK_CONFIGURATIONS, { name: NAME }, {
        type: "merge",
        body: { webhooks: [] },
      });
      await world.until(async () => (await names()).length === 1);
      await world.client.delete(VALIDATING_WEBHOOK_CONFIGURATIONS, { name: NAME });
      await world.until(async () =>
        (await webhooksIn(world).catch(() => [])).map(({ name }) => name).join() === `check.${NAME}`
      );
      const said = running.logs.filter(({ message }) => message.startsWith("Somebody has changed"));
      assert.deepEqual(said.map(({ fields }) => fields.what), ["edited", "deleted"]);
      await running.stop();
      assert.deepEqual(await names(), []);
    },
  );

  scenario.virtual(
    "[P10] the operator is not ready while a configuration is not what it wrote, and an event tells of the edit",
    async (world) => {
      const door = new Doorway({ url: "https://a.test:1/base/" });
      const op = operator({ admission: { server: door.serve, managed: NAME }, posting: { enabled: true } });
      op.on.validate(Example, function check() {});
      const running = await world.start(op, { liveness: "http://localhost:8080/healthz" });
      const probe = { path: "/readyz?verbose", method: "GET" } as const;
      const ready = () => ask(world, "http://localhost:8080", probe);
      assert.equal((await ready())[0], 200);
      world.intercept = ({ method, url }) =>
        method === "PATCH" && url.includes("webhookconfigurations")
          ? new Response("{}", { status: 500 })
          : undefined;
      await world.client.patch(VALIDATING_WEBHOOK_CONFIGURATIONS, { name: NAME }, {
        type: "merge",
        body: { webhooks: [] },
      });
      await running.advance(5);
      const [status, text] = await ready();
      assert.equal(status, 503);
      assert.match(text, new RegExp(`failed: somebody has edited ValidatingWebhookConfiguration "${NAME}"`));
      const events = world.requests.filter(({ method, path }) =>
        method === "POST" && path.includes("/events")
      );
      assert.equal(events.length, 1);
      assert.match(events[0]!.body, /"kind":"ValidatingWebhookConfiguration"/);
      world.intercept = undefined;
      await running.advance(600);
      assert.equal((await ready())[0], 200);
      assert.deepEqual((await webhooksIn(world)).map(({ name }) => name), [`check.${NAME}`]);
      await running.stop();
    },
  );

  scenario.timed(
    "[P10] of two processes behind one Service the one that started last has the say, and the first one yields for good",
    async (world) => {
      const replica = async (path: string): Promise<[Doorway, Awaited<ReturnType<typeof world.start>>]> => {
        const door = new Doorway({ service: { name: "hooks", namespace: "default", path, port: 443 } });
        const op = operator({ admission: { server: door.serve, managed: NAME } });
        // NB: on a real server nobody answers there, so nobody may be kept from anything.
        op.on.validate(Example, { ignoreFailures: true }, function check() {});
        return [door, await world.start(op)];
      };
      const paths = async (): Promise<unknown[]> =>
        (await webhooksIn(world)).map(({ clientConfig }) => ((clientConfig as Loose).service as Loose).path);
      const [door, first] = await replica("/a");
      assert.deepEqual(await paths(), ["/a/check"]);
      const [, second] = await replica("/b");
      await second.advance(10);
      assert.deepEqual(await paths(), ["/b/check"], "and they do not undo each other's writes");
      const before = world.writes().length;
      door.move({ service: { name: "hooks", namespace: "default", path: "/a/elsewhere", port: 443 } });
      await first.advance(10);
      const writes = world.writes().slice(before).filter(({ path }) =>
        path.includes("webhookconfigurations")
      );
      assert.deepEqual(writes, [], "nor when the first is reached in another way");
      assert.ok(
        first.messages("warn").some((message) => message.startsWith("Another process that started later")),
      );
      await first.stop();
      assert.deepEqual(await paths(), ["/b/check"]);
      await second.stop();
    },
  );

  scenario.timed(
    "[P10] a process that writes late does not overwrite what a later one has written just then",
    async (world) => {
      const service = { name: "hooks", namespace: "default", path: "/a", port: 443 };
      const door = new Doorway({ service });
      const op = operator({ admission: { server: door.serve, managed: NAME } });
      op.on.validate(Example, { ignoreFailures: true }, function check() {});
      const first = await world.start(op);
      const newest = [{
        name: `check.${NAME}`,
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
        failurePolicy: "Ignore",
        clientConfig: { service: { ...service, path: "/b/check" } },
      }];
      let isRaced = false;
      world.intercept = async ({ method, url }, { body }) => {
        if (isRaced || method !== "PATCH" || !url.includes("/validatingwebhookconfigurations/")) {
          return undefined;
        }
        isRaced = true;
        assert.match(body, /"resourceVersion":"\d+"/);
        // A later one has come between the look and the write.
        const annotations = { "lotse.dev/webhooks-of": "pod-2_abcdefgh" };
        await world.client.patch(VALIDATING_WEBHOOK_CONFIGURATIONS, { name: NAME }, {
          type: "merge",
          body: { metadata: { annotations }, webhooks: newest },
        });
        return undefined;
      };
      door.move({ service: { ...service, path: "/a/moved" } });
      await world.until(() => isRaced);
      await first.advance(10);
      const [webhook] = await webhooksIn(world);
      assert.deepEqual(webhook?.clientConfig, { service: { ...service, path: "/b/check" } });
      await first.stop();
    },
  );

  scenario.timed(
    "[N27.1] of two processes with addresses of their own under one name the second is refused, and the first is asked on",
    async (world) => {
      const process = (url: string): ReturnType<typeof world.start> => {
        const op = operator({ admission: { server: new Doorway({ url }).serve, managed: NAME } });
        op.on.validate(Example, { ignoreFailures: true }, function check() {});
        return world.start(op);
      };
      const urls = async (): Promise<unknown[]> =>
        (await webhooksIn(world)).map(({ clientConfig }) => (clientConfig as Loose).url);
      const first = await process("https://a.test");
      await world.until(async () => (await urls()).length === 1);
      const lease = { namespace: "default", name: NAME };
      const { spec } = await world.client.get<{ spec: { holderIdentity: string } }>(LEASES, lease);
      const second = await process("https://b.test");
      const refused = new RegExp(
        `the process "${spec.holderIdentity}" does, as Lease "default/${NAME}" says`,
      );
      await assert.rejects(async () => {
        await second.advance(10);
        await second.stop();
      }, refused);
      assert.deepEqual(await urls(), ["https://a.test/check"], "the one that leaves empties nothing");
      await first.stop();
      assert.deepEqual(await urls(), []);
      await assert.rejects(world.client.get(LEASES, lease), { status: 404 });
    },
  );

  scenario.timed("[N27.1] the name of a process that has died is taken over", async (world) => {
    const dead = {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name: NAME, namespace: "default" },
      spec: {
        holderIdentity: "gone_12345678",
        leaseDurationSeconds: 15,
        renewTime: "2026-01-01T00:00:00.000000Z",
      },
    };
    await world.client.create(LEASES, dead);
    const op = operator({ admission: { server: new Doorway().serve, managed: NAME } });
    op.on.validate(Example, { ignoreFailures: true }, function check() {});
    const running = await world.start(op);
    await running.advance(13);
    assert.deepEqual(await webhooksIn(world).catch(() => []), [], "it may live yet");
    await world.until(async () => (await webhooksIn(world).catch(() => [])).length === 1);
    await running.stop();
  });

  scenario.timed(
    "[N27.1] a process whose name another one has taken, as it was stopped for too long, ends and takes nothing away",
    async (world) => {
      const op = operator({
        admission: { server: new Doorway({ url: "https://a.test" }).serve, managed: NAME },
      });
      op.on.validate(Example, { ignoreFailures: true }, function check() {});
      const running = await world.start(op);
      await world.until(async () => (await webhooksIn(world).catch(() => [])).length === 1);
      const lease = { namespace: "default", name: NAME };
      await world.client.patch(LEASES, lease, {
        type: "merge",
        body: { spec: { holderIdentity: "other_12345678", renewTime: "2026-01-01T00:00:00.000000Z" } },
      });
      await assert.rejects(async () => {
        await running.advance(20);
        await running.stop();
      }, /the process "other_12345678" does/);
      assert.equal((await webhooksIn(world)).length, 1);
    },
  );

  scenario.timed("kinds that only admission handlers name are neither listed nor watched", async (world) => {
    const door = new Doorway();
    const op = operator({ admission: { server: door.serve, managed: NAME } });
    op.on.validate(Plain, { ignoreFailures: true }, function check() {});
    op.on.create(Example, function make() {});
    const running = await world.start(op);
    await running.advance(60);
    assert.equal((await webhooksIn(world)).length, 1);
    const asked = world.requests.map(({ path }) => path);
    assert.deepEqual(asked.filter((path) => /\/plains(\?|$|\/)/.test(path)), []);
    assert.ok(asked.some((path) => /\/examples\?/.test(path)));
    await running.stop();
  });

  scenario.timed(
    "[P10] what leads to a Service stays, unless it is asked for that it goes",
    async (world) => {
      for (const release of ["own", "all", "nothing"] as const) {
        const service = { name: "hooks", namespace: "default", path: "/base", port: 443 };
        const op = operator({
          admission: { server: new Doorway({ service }).serve, managed: NAME, release },
        });
        op.on.validate(Example, function check() {});
        const running = await world.start(op);
        assert.equal((await webhooksIn(world)).length, 1);
        await running.stop();
        assert.equal((await webhooksIn(world)).length, release === "all" ? 0 : 1, release);
      }
      const op = operator({ admission: { server: new Doorway().serve, managed: NAME, release: "nothing" } });
      op.on.validate(Example, function check() {});
      await (await world.start(op)).stop();
      assert.equal((await webhooksIn(world)).length, 1, "nor does what leads to one process then");
    },
  );

  scenario.timed(
    "[P10] what leads to a Service goes with the last replica, where it is to go",
    async (world) => {
      const replica = async (): ReturnType<typeof world.start> => {
        const service = { name: "hooks", namespace: "default", path: "/base", port: 443 };
        const server = new Doorway({ service }).serve;
        const op = operator({ admission: { server, managed: NAME, release: "all" } });
        op.on.validate(Example, function check() {});
        return await world.start(op);
      };
      const [first, second] = [await replica(), await replica()];
      const before = world.writes().length;
      await first.stop();
      // NB: what the first took away the second would put back.
      const writes = world.writes().slice(before).filter(({ path }) =>
        path.includes("webhookconfigurations")
      );
      assert.deepEqual(writes, [], "a rolling update never switches admission off");
      assert.equal((await webhooksIn(world)).length, 1);
      await second.stop();
      assert.equal((await webhooksIn(world)).length, 0);
    },
  );

  scenario.timed(
    "[P13] a handler may be called anything behind a Service, and is asked by both spellings of its path",
    async (world) => {
      const service = { name: "hooks", namespace: "default", path: "/base", port: 443 };
      const door = new Doorway({ service });
      const op = operator({ admission: { server: door.serve, managed: NAME, release: "all" } });
      const ids = ["checkSeats", "check_colours", "size/spec.maxSize", "größe!", "_x_"];
      const asked: string[] = [];
      // NB: on a real server nobody answers there, so nobody may be kept from anything.
      for (const id of ids) {
        op.on.validate(Example, { id, ignoreFailures: true }, () => void asked.push(id));
      }
      const running = await world.start(op);
      await world.until(async () => (await webhooksIn(world)).length === ids.length);
      const paths = (await webhooksIn(world)).map(({ clientConfig }) =>
        ((clientConfig as Loose).service as { path: string }).path.slice("/base/".length)
      );
      assert.deepEqual(paths, ["check-seats", "check-colours", "size/spec.max-size", "grc3b6c39fe21", "x"]);
      for (const webhook of [...paths, ...ids]) await door.review({ object: objectOf("one") }, { webhook });
      assert.deepEqual(asked, [...ids, ...ids]);
      await assert.rejects(
        door.review({ object: objectOf("one") }, { webhook: "check" }),
        /there is no handler "check"/,
      );
      await running.stop();
    },
  );

  scenario.timed("[P13] two handlers with one path are refused at the start", async (world) => {
    const op = operator({ admission: { server: new Doorway().serve, managed: NAME } });
    op.on.validate(Example, function checkSeats() {});
    op.on.mutate(Plain, { id: "check_seats" }, () => {});
    await assert.rejects(async () => {
      const running = await world.start(op);
      await running.settle();
    }, /"checkSeats" and "check_seats": both are reached at the path "\/check-seats"/);
    assert.deepEqual(written(world), []);
  });

  scenario.timed(
    "[P13] a configuration that the server refuses is told with what to rename, and tried again",
    async (world) => {
      const service = { name: "hooks", namespace: "default", port: 443 };
      const door = new Doorway({ service: { ...service, path: "/Base" } });
      const op = operator({ admission: { server: door.serve, managed: NAME, release: "all" } });
      op.on.validate(Example, { ignoreFailures: true }, function checkSeats() {});
      const made: string[] = [];
      op.on.create(Example, ({ name }) => void made.push(name));
      const running = await world.start(op, { liveness: "http://localhost:8080/healthz" });
      const told = () => running.logs.filter(({ message }) => message.startsWith("The API server refuses"));
      await running.advance(70);
      assert.ok(told().length >= 2, "it is tried again");
      assert.equal(told()[0]!.level, "error");
      const { handler, rename, error } = told()[0]!.fields;
      assert.deepEqual([handler, rename], [
        "checkSeats",
        'the handler, by its option "id", or the path of admission.server',
      ]);
      assert.match(String((error as Error).message), /422.*clientConfig\.service\.path/);
      await new Objects(world).create("one");
      await world.until(() => made.length === 1);
      if ("host" in world) {
        const probe = { path: "/readyz?verbose", method: "GET" } as const;
        const [status, text] = await ask(world, "http://localhost:8080", probe);
        assert.equal(status, 503);
        assert.match(text, /admission-validate-configuration.*is not written yet/);
      }
      door.move({ service: { ...service, path: "/base" } });
      await running.advance(40);
      assert.deepEqual((await webhooksIn(world)).map(({ clientConfig }) => clientConfig), [{
        service: { ...service, path: "/base/check-seats" },
      }]);
      await running.stop();
    },
  );

  scenario.timed("a configuration that cannot be written for now is written later", async (world) => {
    const door = new Doorway();
    const op = operator({
      admission: { server: door.serve, managed: NAME },
      networking: { errorBackoffs: [] },
    });
    op.on.validate(Example, function check() {});
    let isBroken = true;
    world.intercept = (request) =>
      isBroken && request.method === "PATCH" && request.url.includes("webhookconfigurations")
        ? Promise.resolve(new Response("", { status: 500 }))
        : undefined;
    const running = await world.start(op);
    await world.until(() => written(world).some(([method]) => method === "PATCH"));
    assert.deepEqual(await webhooksIn(world), []);
    isBroken = false;
    await running.advance(31);
    assert.equal((await webhooksIn(world)).length, 1);
    await running.stop();
  });

  scenario.timed(
    "[P9] a tunnel is a function of one's own: what it yields is where reviews are sent to",
    async (world) => {
      const own = new Doorway({ url: "http://127.0.0.1:1234" });
      const reached: unknown[] = [];
      const op = operator({
        admission: {
          managed: NAME,
          async *server(context) {
            for await (const { url } of own.serve(context)) {
              reached.push(url);
              yield { url: "https://tunnel.test/mine" };
            }
          },
        },
      });
      op.on.validate(Example, { id: "no" }, () => {
        throw new AdmissionError("Not today");
      });
      const running = await world.start(op);
      const [webhook] = await webhooksIn(world);
      assert.deepEqual(webhook?.clientConfig, { url: "https://tunnel.test/mine/no" });
      assert.deepEqual(reached, ["http://127.0.0.1:1234"]);
      const { response } = await own.review({ object: objectOf("one") });
      assert.deepEqual([response.allowed, response.status?.message], [false, "Not today"]);
      await running.stop();
    },
  );

  scenario.timed("[B142] servers without a port take free ones", async (world) => {
    const ports = new Set<string>();
    const runners = [];
    for (const number of [1, 2]) {
      const op = operator({
        admission: { server: webhookServer(), managed: `n${number}.test` },
      });
      op.on.validate(Example, function check() {});
      runners.push(await world.start(op));
      await world.until(async () => {
        const { webhooks = [] } = await world.client.get<{ metadata: object; webhooks?: Loose[] }>(
          VALIDATING_WEBHOOK_CONFIGURATIONS,
          { name: `n${number}.test` },
        );
        const { url } = webhooks[0]?.clientConfig as Loose ?? {};
        if (typeof url === "string") ports.add(new URL(url).port);
        return ports.size === number;
      });
    }
    assert.equal(ports.size, 2);
    for (const running of runners) await running.stop();
  });
});
