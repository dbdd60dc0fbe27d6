import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseResourcePath, type ResourcePath } from "../../../lib/kits/apiserver/paths.ts";

describe("parseResourcePath()", () => {
  const cases: readonly [string, ResourcePath | undefined][] = [
    ["/api/v1/pods", { apiVersion: "v1", plural: "pods" }],
    ["/api/v1/pods/", { apiVersion: "v1", plural: "pods" }],
    ["/api/v1/nodes/a/status", { apiVersion: "v1", plural: "nodes", name: "a", subresource: "status" }],
    ["/api/v1/namespaces", { apiVersion: "v1", plural: "namespaces" }],
    ["/api/v1/namespaces/n", { apiVersion: "v1", plural: "namespaces", name: "n" }],
    ["/api/v1/namespaces/n/finalize", {
      apiVersion: "v1",
      plural: "namespaces",
      name: "n",
      subresource: "finalize",
    }],
    ["/api/v1/namespaces/n/pods", { apiVersion: "v1", plural: "pods", namespace: "n" }],
    ["/apis/example.com/v1/namespaces/n/databases/a%2Fstatus", {
      apiVersion: "example.com/v1",
      plural: "databases",
      namespace: "n",
      name: "a",
      subresource: "status",
    }],
    ["/apis/example.com/v1/namespaces/n/databases/a%20b", {
      apiVersion: "example.com/v1",
      plural: "databases",
      namespace: "n",
      name: "a b",
    }],
    ["/apis/example.com/v1/namespaces/n/databases/a%2Fb/status", undefined],
    ["/apis/example.com/v1", undefined],
    ["/api/v1/pods/a/b/c", undefined],
    ["/api/v1//pods", undefined],
    ["/api/v1/pods/%ff", undefined],
  ];
  for (const [path, wanted] of cases) {
    it(`reads ${path}`, () => assert.deepEqual(parseResourcePath(path), wanted));
  }
});
