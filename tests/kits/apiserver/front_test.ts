import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Answer, createApi } from "./api.ts";

const MAPS = "/api/v1/namespaces/default/configmaps";

describe("/metrics", () => {
  it("counts requests by what they were about and how they were answered, objects and watches", async () => {
    const api = createApi();
    await api.ok("POST", MAPS, { metadata: { name: "a" } });
    for (let i = 0; i < 3; i++) await api.call("GET", `${MAPS}/b`);
    const watch = await api.watch(`${MAPS}?watch=1`);
    const { body, headers } = await api.call("GET", "/metrics");
    assert.match(headers.get("content-type") ?? "", /^text\/plain; version=0\.0\.4/);
    const value = (start: string) =>
      body.split("\n").find((line: string) => line.startsWith(start))?.split(" ").at(-1);
    const missing = 'group="",resource="configmaps",scope="resource",subresource="",verb="GET"';
    assert.equal(value(`apiserver_request_total{${missing},code="404"}`), "3");
    assert.equal(value(`apiserver_request_duration_seconds_count{${missing}}`), "3");
    assert.equal(value(`apiserver_request_duration_seconds_bucket{${missing},le="+Inf"}`), "3");
    // Each of the four namespaces that are there from the start has the authorities' ConfigMap.
    assert.equal(value('apiserver_storage_objects{resource="configmaps"}'), "5");
    assert.equal(value('apiserver_longrunning_requests{resource="configmaps",verb="WATCH"}'), "1");
    assert.equal(value("apiserver_current_inflight_requests"), "1");
    await watch.stop();
  });

  it("escapes what strangers put into paths", async () => {
    const api = createApi();
    await api.call("GET", "/x%22%0Ay\\z");
    const { body } = await api.call("GET", "/metrics");
    for (const line of body.trim().split("\n")) assert.match(line, /^(#|[a-z_]+(\{.*\})? [\d.e+-]+$)/);
  });
});

describe("The audit log", () => {
  it("has a line for each request: who, what, and how it was answered", async () => {
    const api = createApi({ audit: "/audit.log", tokens: { secret: { username: "alice", groups: ["g"] } } });
    const alice = { authorization: "Bearer secret", "user-agent": "kubectl/1" };
    await api.call("POST", MAPS, { metadata: { name: "a" } }, alice);
    await api.call("GET", `${MAPS}/b?x=1`, undefined, alice);
    await api.call("GET", "/version", undefined, { authorization: "Bearer wrong" });
    await api.host.clock.settle();
    const text = await api.host.files.readText("/audit.log");
    const events: Answer[] = text.trim().split("\n").map((line) => JSON.parse(line));
    assert.deepEqual(events.map(({ verb, responseStatus }) => [verb, responseStatus.code]), [
      ["create", 201],
      ["get", 404],
      ["get", 401],
    ]);
    const [, second, third] = events;
    assert.deepEqual([second.requestURI, second.userAgent], [`${MAPS}/b?x=1`, "kubectl/1"]);
    assert.deepEqual(second.user, { username: "alice", groups: ["g"] });
    assert.deepEqual(second.objectRef, {
      resource: "configmaps",
      namespace: "default",
      name: "b",
      apiVersion: "v1",
    });
    assert.deepEqual([third.user, third.objectRef], [{}, undefined]);
    assert.ok(!text.includes("secret"));
  });

  it("lets requests through when it cannot be written, and says so once", async () => {
    const api = createApi({ audit: "/audit.log" });
    Object.assign(api.host.files, { appendText: () => Promise.reject(new Error("ENOSPC")) });
    for (let i = 0; i < 3; i++) {
      await api.ok("GET", MAPS);
      await api.host.clock.settle();
    }
    assert.equal(api.host.process.stderr, 'Cannot write the audit log "/audit.log": ENOSPC\n');
  });
});
