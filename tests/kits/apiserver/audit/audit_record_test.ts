import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { encodeProtobuf, PROTOBUF } from "../../../../lib/kits/apiserver/protobuf/encode.ts";
import { type Answer, createApi } from "../api.ts";

const MAPS = "/api/v1/namespaces/default/configmaps";

function policy(more: object): Record<string, unknown> {
  return { apiVersion: "audit.k8s.io/v1", kind: "Policy", rules: [{ ...more, resources: [{ group: "" }] }] };
}

async function eventsOf(api: ReturnType<typeof createApi>): Promise<Answer[]> {
  const text = await api.host.files.readText("/audit.log");
  return text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
}

describe("An audit event", () => {
  it("shows bodies of each form, as far as the policy wants them, and the request is served all the same", async () => {
    const auditPolicy = policy({ level: "RequestResponse", omitManagedFields: true });
    const api = createApi({ audit: "/audit.log", auditPolicy });
    const named = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
    await api.ok("POST", MAPS, named("a"));
    const bytes = encodeProtobuf(named("b")) ?? assert.fail("no message is known");
    const headers = { "content-type": PROTOBUF };
    const body = new Uint8Array(bytes);
    const sent = await api.server.fetch(
      new Request(`https://api.test${MAPS}`, { method: "POST", headers, body }),
    );
    assert.equal(sent.status, 201);
    const yaml = { "content-type": "application/apply-patch+yaml" };
    await api.ok("PATCH", `${MAPS}/c?fieldManager=me`, "apiVersion: v1\nkind: ConfigMap\n", yaml)
      .catch(() => {});
    await api.call("POST", MAPS, "{");
    await api.ok("GET", MAPS);
    const events = await eventsOf(api);
    assert.deepEqual(
      events.map(({ requestObject, responseObject, responseStatus }) => [
        requestObject?.metadata?.name ?? requestObject?.kind,
        responseObject.kind,
        responseStatus.code,
      ]),
      [
        ["a", "ConfigMap", 201],
        ["b", "ConfigMap", 201],
        ["ConfigMap", "Status", 400],
        [undefined, "Status", 400],
        [undefined, "ConfigMapList", 200],
      ],
    );
    assert.ok(!JSON.stringify(events).includes("managedFields"));
    assert.match(events[0].stageTimestamp, /\.\d{6}Z$/, "the form that Go reads");
  });

  it("is left out with its stage; of a body that is too large, only the refusal is told", async () => {
    const omitStages = ["ResponseComplete"];
    const silent = createApi({ audit: "/audit.log", auditPolicy: policy({ level: "Request", omitStages }) });
    await silent.ok("POST", MAPS, { metadata: { name: "a" } });
    assert.deepEqual(await eventsOf(silent), []);
    const api = createApi({ audit: "/audit.log", auditPolicy: policy({ level: "Request" }) });
    const { code } = await api.call("POST", MAPS, "x".repeat(4 * 1024 * 1024));
    const [event] = await eventsOf(api);
    assert.deepEqual([code, event.responseStatus.code, event.requestObject], [413, 413, undefined]);
  });

  it("needs a log for its policy, and a policy that is one", () => {
    assert.throws(() => createApi({ auditPolicy: policy({ level: "None" }) }), /there is no log/);
    assert.throws(() => createApi({ audit: "/a", auditPolicy: {} }), /Cannot use the audit policy/);
  });
});
