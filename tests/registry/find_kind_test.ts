import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Resource } from "../../lib/model/resource.ts";
import { findKind, findKindOf } from "../../lib/registry/find_kind.ts";
import { resource } from "../../lib/registry/resource.ts";

function served(kind: string, group = "apps", version = "v1"): Resource {
  const plural = `${kind.toLowerCase()}s`;
  const names = {
    singular: kind.toLowerCase(),
    shortcuts: [],
    categories: [],
    subresources: [],
    verbs: ["list"],
  };
  return { group, version, plural, kind, ...names, namespaced: true, preferred: true };
}

/** Knows of some kinds, and of more when it is asked again. */
function discoveryOf(known: readonly Resource[], later: readonly Resource[] = known) {
  let current = known;
  const asked: string[] = [];
  const group = (name: string) => Promise.resolve(current.filter((each) => each.group === name));
  const refresh = (name?: string) => {
    asked.push(name ?? "all");
    current = later;
    return name === undefined ? Promise.resolve(current) : group(name);
  };
  return { asked, group, refresh, all: () => Promise.resolve(current) };
}

const DEPLOYMENT = resource({ group: "apps", version: "v1", plural: "deployments" });

describe("findKind()", () => {
  it("returns what is served, and asks no more than once more", async () => {
    const known = discoveryOf([served("Deployment")]);
    assert.equal((await findKind(known, DEPLOYMENT)).kind, "Deployment");
    assert.deepEqual(known.asked, []);
    const late = discoveryOf([], [served("Deployment")]);
    assert.equal((await findKind(late, DEPLOYMENT)).kind, "Deployment");
    assert.deepEqual(late.asked, ["apps"]);
  });

  it("refuses what is not served, and names that are not clear", async () => {
    const discovery = discoveryOf([served("Thing", "a.test"), served("Thing", "b.test")]);
    await assert.rejects(findKind(discovery, DEPLOYMENT), {
      name: "TypeError",
      message: /serves no such kind/,
    });
    await assert.rejects(findKind(discovery, resource({ plural: "things" })), {
      name: "TypeError",
      message: /name its group and version/,
    });
  });
});

describe("findKindOf()", () => {
  it("goes by apiVersion and kind", async () => {
    const discovery = discoveryOf([
      served("Pod", ""),
      served("Deployment"),
      served("Deployment", "apps", "v2"),
    ], []);
    assert.equal((await findKindOf(discovery, { apiVersion: "v1", kind: "Pod" })).plural, "pods");
    assert.equal((await findKindOf(discovery, { apiVersion: "apps/v2", kind: "Deployment" })).version, "v2");
    await assert.rejects(findKindOf(discovery, { apiVersion: "apps/v3", kind: "Deployment" }), {
      name: "TypeError",
      message: /kind "Deployment" of "apps\/v3"/,
    });
    await assert.rejects(findKindOf(discovery, { kind: "Pod" }), /without apiVersion and kind/);
  });
});
