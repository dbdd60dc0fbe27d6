import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatRights, parseRights } from "../../../lib/kits/rights/rights.ts";
import { RightsRecorder } from "../../../lib/kits/rights/recorder.ts";

const PODS = { group: "", version: "v1", plural: "pods" };
const ATTEMPT = { number: 1, isLast: true, seconds: 0, started: 0 };

describe("formatRights()", () => {
  it("writes one line for each kind and place, sorted, which parseRights() reads", () => {
    const rights = [
      { group: "apps", resource: "deployments", verb: "patch", namespace: "b" },
      { group: "", resource: "pods/status", verb: "patch" },
      { group: "", resource: "pods", verb: "watch" },
      { group: "", resource: "pods", verb: "list" },
      { group: "", resource: "pods", verb: "list" },
    ];
    const text = formatRights(rights);
    assert.equal(
      text,
      `{
  "format": "lotse.dev/rights/v1",
  "rights": [
    {"group":"","resource":"pods","verbs":["list","watch"]},
    {"group":"","resource":"pods/status","verbs":["patch"]},
    {"group":"apps","resource":"deployments","namespace":"b","verbs":["patch"]}
  ]
}
`,
    );
    assert.equal(formatRights(parseRights(text)), text);
  });
});

describe("parseRights()", () => {
  it("refuses other files", () => {
    assert.throws(() => parseRights("a: b"), /it is no JSON/);
    assert.throws(() => parseRights("{}"), /expected "format": "lotse\.dev\/rights\/v1"/);
    const format = "lotse.dev/rights/v1";
    for (
      const entry of [null, {}, { group: "", resource: "pods", verbs: [1] }, {
        group: "",
        resource: 1,
        verbs: [],
      }]
    ) {
      assert.throws(() => parseRights(JSON.stringify({ format, rights: [entry] })), /entry 0 needs a group/);
    }
  });
});

describe("RightsRecorder", () => {
  it("keeps each right once that was granted, and tells of new ones", () => {
    let news = 0;
    const recorder = new RightsRecorder(() => news++);
    const use = (verb: string, status: number | undefined, more = {}): void =>
      recorder.requestEnds(
        { method: "GET", path: "/", subject: { verb, resource: PODS, ...more } },
        { ...ATTEMPT, status } as unknown as Parameters<RightsRecorder["requestEnds"]>[1],
      );
    use("list", 200);
    use("list", 200);
    use("get", 404, { namespace: "a", name: "x" });
    use("patch", 200, { namespace: "a", name: "x", subresource: "status" });
    for (const status of [401, 403, undefined]) use("delete", status);
    recorder.requestEnds({ method: "GET", path: "/apis" }, { ...ATTEMPT, status: 200 } as never);
    assert.deepEqual(recorder.rights, [
      { group: "", resource: "pods", verb: "list" },
      { group: "", resource: "pods", verb: "get", namespace: "a" },
      { group: "", resource: "pods/status", verb: "patch", namespace: "a" },
    ]);
    assert.equal(news, 3);
  });
});
