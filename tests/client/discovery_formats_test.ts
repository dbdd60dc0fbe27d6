import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  isAggregated,
  parseAggregated,
  parseGroup,
  parseGroups,
  parseResources,
} from "../../lib/client/discovery_formats.ts";

describe("parseAggregated()", () => {
  it("reads groups, versions, resources and subresources", () => {
    const deployments = {
      resource: "deployments",
      responseKind: { group: "apps", version: "v1", kind: "Deployment" },
      scope: "Namespaced",
      singularResource: "deployment",
      shortNames: ["deploy"],
      categories: ["all"],
      verbs: ["get", "list"],
      subresources: [{ subresource: "status", verbs: ["get"] }, { subresource: "scale" }],
    };
    const nodes = { resource: "nodes", responseKind: { kind: "Node" }, scope: "Cluster", verbs: [] };
    const answer = {
      kind: "APIGroupDiscoveryList",
      items: [{
        metadata: { name: "apps" },
        versions: [{ version: "v1", resources: [deployments] }, {
          version: "v1beta1",
          freshness: "Stale",
          resources: [nodes],
        }],
      }],
    };
    assert.equal(isAggregated(answer), true);
    const [group] = parseAggregated(answer);
    assert.deepEqual([group!.group, group!.stale], ["apps", ["v1beta1"]]);
    assert.deepEqual(group!.resources, [
      {
        ...{
          group: "apps",
          version: "v1",
          plural: "deployments",
          kind: "Deployment",
          singular: "deployment",
        },
        ...{
          shortcuts: ["deploy"],
          categories: ["all"],
          subresources: ["status", "scale"],
          verbs: ["get", "list"],
        },
        ...{ namespaced: true, preferred: true },
      },
      {
        ...{ group: "apps", version: "v1beta1", plural: "nodes", kind: "Node", singular: "node" },
        ...{
          shortcuts: [],
          categories: [],
          subresources: [],
          verbs: [],
          namespaced: false,
          preferred: false,
        },
      },
    ]);
  });

  it("leaves out resources that are nothing but a place for subresources", () => {
    const resources = [{ resource: "x", responseKind: null, subresources: [] }, {
      resource: "y",
      responseKind: { kind: "" },
    }];
    const [group] = parseAggregated({
      items: [{ metadata: { name: "" }, versions: [{ version: "v1", resources }] }],
    });
    assert.deepEqual(group!.resources, []);
  });
});

describe("parseResources()", () => {
  it("joins subresources with what they belong to", () => {
    const resources = [
      { name: "pods/log", kind: "Pod" },
      {
        name: "pods",
        kind: "Pod",
        namespaced: true,
        verbs: ["list"],
        shortNames: ["po"],
        singularName: "pod",
      },
      { name: "pods/ephemeral/deep", kind: "Pod" },
      { name: "nodes/proxy", kind: "NodeProxyOptions" },
    ];
    const [pods, ...others] = parseResources({ resources }, { group: "", version: "v1", preferred: true });
    assert.deepEqual(pods!.subresources, ["log", "ephemeral/deep"]);
    assert.deepEqual([pods!.singular, pods!.namespaced, pods!.shortcuts, pods!.preferred], ["pod", true, [
      "po",
    ], true]);
    assert.deepEqual(others, []);
  });
});

describe("parseGroup() and parseGroups()", () => {
  it("read versions and the preferred one", () => {
    const group = {
      name: "a",
      versions: [{ version: "v1" }, { version: "v2" }],
      preferredVersion: { version: "v2" },
    };
    assert.deepEqual(parseGroup(group, "a"), { group: "a", versions: ["v1", "v2"], preferred: "v2" });
    assert.deepEqual(parseGroup({ versions: ["v1"] }, ""), {
      group: "",
      versions: ["v1"],
      preferred: undefined,
    });
    assert.deepEqual(parseGroups({ groups: [group, {}] }).map((it) => it.group), ["a"]);
  });
});

describe("All discovery formats", () => {
  it("find nothing in nonsense, and do not throw", () => {
    const nonsense = [null, undefined, 1, "x", [], {}, { items: 1 }, {
      items: [null, 1, { versions: [null, {}] }],
    }, {
      groups: [null],
      resources: [null, 3, { name: 1 }, { name: "a" }],
      versions: [null, 1, {}],
    }];
    for (const value of nonsense) {
      assert.deepEqual(parseAggregated(value).flatMap(({ resources }) => resources), []);
      assert.deepEqual(parseGroups(value), []);
      assert.deepEqual(parseGroup(value, "a").versions, []);
      assert.deepEqual(parseResources(value, { group: "a", version: "v1", preferred: true }), []);
      assert.equal(isAggregated(value), false);
    }
  });
});
