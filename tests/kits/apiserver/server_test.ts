import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { servedKinds } from "../../../lib/kits/apiserver/types/served.ts";
import { SAMPLES } from "../../../tools/defaults/samples.ts";
import { type Answer, createApi, database, DATABASES, defineDatabases, MERGE } from "./api.ts";

describe("apiServer()", () => {
  it("answers probes, its version, and 404 as the real one does", async () => {
    const api = createApi();
    assert.equal(await api.ok("GET", "/readyz"), "ok");
    assert.match((await api.ok("GET", "/version")).gitVersion, /^v1\./);
    assert.equal((await api.call("GET", "/nowhere")).body, "404 page not found\n");
    assert.equal((await api.call("GET", "/api/v1/nothings")).body.reason, "NotFound");
  });

  it("gives the same answers for the same seed, uids and times included", async () => {
    const run = async () => {
      const api = createApi();
      await defineDatabases(api);
      await api.host.clock.advance(5);
      await api.ok("POST", DATABASES, { ...database(""), metadata: { generateName: "db-" } });
      return JSON.stringify(await api.ok("GET", DATABASES));
    };
    assert.equal(await run(), await run());
  });

  it("compact() makes older versions answer 410, and not the present one", async () => {
    const api = createApi();
    await defineDatabases(api);
    const old = api.server.resourceVersion;
    await api.ok("POST", DATABASES, database("a"));
    const { continue: token } = (await api.ok("POST", DATABASES, database("b")) &&
      await api.ok("GET", `${DATABASES}?limit=1`)).metadata;
    await api.ok("PATCH", `${DATABASES}/a`, { spec: { replicas: 2 } }, MERGE);
    api.server.compact();

    const page = await api.call("GET", `${DATABASES}?limit=1&continue=${token}`);
    assert.deepEqual([page.code, page.body.reason], [410, "Expired"]);
    const rest = await api.ok("GET", `${DATABASES}?limit=1&continue=${page.body.metadata.continue}`);
    assert.deepEqual(rest.items.map((item: { metadata: { name: string } }) => item.metadata.name), ["b"]);
    assert.equal(
      (await api.call("GET", `${DATABASES}?resourceVersion=${old}&resourceVersionMatch=Exact`)).code,
      410,
    );

    const late = await api.watch(`${DATABASES}?watch=true&resourceVersion=${old}`);
    assert.deepEqual(await late.take(), ["ERROR 410"]);
    assert.equal(late.ended, true);
    const good = await api.watch(`${DATABASES}?watch=true&resourceVersion=${api.server.resourceVersion}`);
    await api.ok("POST", DATABASES, database("c"));
    assert.deepEqual(await good.take(), ["ADDED c"]);
    await good.stop();
  });

  it("closeWatches() ends the streams and keeps what was written", async () => {
    const api = createApi();
    const watch = await api.watch("/api/v1/namespaces?watch=true&resourceVersion=0");
    assert.equal((await watch.take()).length, 4);
    assert.equal(watch.ended, false);
    api.server.closeWatches();
    await watch.take();
    assert.equal(watch.ended, true);
    assert.equal((await api.ok("GET", "/api/v1/namespaces")).items.length, 4);
  });

  it("keeps keys such as __proto__ and constructor as data", async () => {
    const api = createApi();
    const path = "/api/v1/namespaces/default/configmaps";
    await api.ok("POST", path, '{"metadata":{"name":"a"},"data":{"__proto__":"x","constructor":"y"}}');
    await api.ok("PATCH", `${path}/a`, '{"data":{"__proto__":"z","toString":"t"}}', MERGE);
    const text = JSON.stringify((await api.ok("GET", `${path}/a`)).data);
    assert.equal(text, '{"__proto__":"z","constructor":"y","toString":"t"}');
    assert.equal(({} as Record<string, unknown>).z, undefined);
  });

  it("refuses bodies of more than 3 MiB, announced or not", async () => {
    const api = createApi();
    const path = "/api/v1/namespaces/default/configmaps";
    const big = "x".repeat(3 * 1024 * 1024 + 1);
    const announced = await api.call("POST", path, big, { "content-length": String(big.length) });
    const streamed = await api.call("POST", path, big);
    for (const { code, body } of [announced, streamed]) {
      assert.deepEqual([code, body.reason], [413, "RequestEntityTooLarge"]);
    }
  });

  it("refuses what stands in a wrong place of any built-in kind in words of Kubernetes", async () => {
    const api = createApi();
    for (const { apiVersion, kind, served } of servedKinds()) {
      const sample: Answer = SAMPLES[kind];
      if (sample === undefined) continue;
      const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
      const path = `${root}${
        served.cluster === true ? "" : "/namespaces/default"
      }/${served.plural}?dryRun=All`;
      const whole = { apiVersion, kind, ...sample, metadata: { name: "a", ...sample.metadata } };
      for (const steps of placesIn(whole)) {
        const object = structuredClone(whole);
        const last = steps.pop() ?? "";
        steps.reduce((at, step) => at[step], object)[last] = { a: 1 };
        const { code, body } = await api.call("POST", path, object);
        assert.ok(code < 500, JSON.stringify(body));
        assert.doesNotMatch(body.message ?? "", /\[object |NaN/, `${kind}.${[...steps, last].join(".")}`);
      }
    }
  });
});

/** Returns the way to each value in an object, but for the names of its kind. */
function placesIn(value: Answer, at: readonly string[] = []): string[][] {
  if (typeof value !== "object" || value === null) return [];
  return Object.keys(value).filter((key) => at.length > 0 || key !== "apiVersion" && key !== "kind")
    .flatMap((key) => [[...at, key], ...placesIn(value[key], [...at, key])]);
}
