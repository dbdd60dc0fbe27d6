import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type AppliedObject, isApplied } from "../../lib/client/apply.ts";
import type { KubeObject } from "../../lib/model/object.ts";

const fieldManager = "lotse";

const WANTED: AppliedObject = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "a", namespace: "b", labels: { x: "y" } },
  spec: {
    replicas: 2,
    selector: { matchLabels: { x: "y" } },
    ports: [{ containerPort: 80, name: "web" }],
    set: ["p", "q"],
    whole: [{ a: 1 }],
  },
};

const FIELDS = {
  "f:metadata": { "f:labels": { "f:x": {} } },
  "f:spec": {
    "f:replicas": {},
    "f:selector": {},
    "f:ports": {
      'k:{"containerPort":80,"protocol":"TCP"}': { ".": {}, "f:containerPort": {}, "f:name": {} },
    },
    "f:set": { 'v:"p"': {}, 'v:"q"': {} },
    "f:whole": {},
  },
};

function live(
  changes: { readonly spec?: object; readonly owners?: object; readonly fields?: object } = {},
): KubeObject {
  const entry = {
    manager: fieldManager,
    operation: "Apply",
    apiVersion: "apps/v1",
    fieldsV1: FIELDS,
    ...changes.owners,
  };
  return {
    metadata: { name: "a", namespace: "b", uid: "u", labels: { x: "y", other: "z" }, managedFields: [entry] },
    spec: {
      replicas: 2,
      paused: false,
      selector: { matchLabels: { x: "y" } },
      ports: [{ containerPort: 80, name: "web", protocol: "TCP" }, { containerPort: 81, protocol: "TCP" }],
      set: ["q", "r", "p"],
      whole: [{ a: 1, added: true }],
      ...changes.spec,
    },
  };
}

const is = (object: KubeObject, wanted: AppliedObject = WANTED): boolean =>
  isApplied(object, { object: wanted, fieldManager });

describe("isApplied()", () => {
  it("tells that an object and its owners say already what is wanted, whatever others have added", () => {
    assert.ok(is(live()));
  });

  it("tells what is there in another value", () => {
    for (
      const spec of [
        { replicas: 3 },
        { selector: { matchLabels: { x: "z" } } },
        { ports: [{ containerPort: 80, name: "http", protocol: "TCP" }] },
        { ports: [] },
        { set: ["p"] },
        { whole: [{ a: 1 }, { a: 2 }] },
        { whole: undefined },
      ]
    ) assert.equal(is(live({ spec })), false, JSON.stringify(spec));
  });

  it("tells what is wanted more, or not any more", () => {
    const { spec } = WANTED as { spec?: object };
    for (
      const changed of [
        { ...spec, paused: false },
        { ...spec, replicas: undefined },
        { ...spec, set: ["p"] },
        { ...spec, set: ["p", "r"] },
        { ...spec, ports: [] },
        { ...spec, ports: [{ containerPort: 80, name: "web" }, { containerPort: 81 }] },
        { ...spec, replicas: null },
      ]
    ) assert.equal(is(live(), { ...WANTED, spec: changed }), false, JSON.stringify(changed));
    assert.equal(is(live(), { ...WANTED, data: {} }), false);
  });

  it("looks at what the manager itself has applied, in this version", () => {
    for (
      const owners of [{ manager: "other" }, { operation: "Update" }, { subresource: "status" }, {
        apiVersion: "apps/v2",
      }]
    ) {
      assert.equal(is(live({ owners })), false, JSON.stringify(owners));
    }
    // Strangers' objects.
    for (const managedFields of [undefined, null, [null], [{ manager: fieldManager, operation: "Apply" }]]) {
      assert.equal(is({ metadata: { managedFields: managedFields as [] } }), false);
    }
    assert.equal(is(live({ owners: { fieldsV1: { "k:{": {}, "f:__proto__": {} } } })), false);
  });
});
