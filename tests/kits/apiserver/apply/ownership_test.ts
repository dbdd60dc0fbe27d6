import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Ownership } from "../../../../lib/kits/apiserver/apply/ownership.ts";
import { builtinKinds } from "../../../../lib/kits/apiserver/builtin_kinds.ts";
import { CelLoader } from "../../../../lib/kits/apiserver/cel/loader.ts";
import { Kinds } from "../../../../lib/kits/apiserver/kinds.ts";
import { Late } from "../../../../lib/kits/apiserver/late.ts";
import { Store } from "../../../../lib/kits/apiserver/store.ts";
import type { KubeObject } from "../../../../lib/model/object.ts";
import { virtualHost } from "../../../../lib/runtime/virtual/host.ts";

describe("Ownership", () => {
  it("lets new objects that are owned alike share the list of their owners, and others not", () => {
    const { clock } = virtualHost();
    const kinds = new Kinds();
    const definitions = new Late(() =>
      import("../../../../lib/kits/apiserver/lifecycle/definition_parts.ts")
    );
    const store = new Store(clock);
    for (const kind of builtinKinds({ store, clock, cel: new CelLoader(), definitions })) {
      kinds.add(kind);
    }
    const ownership = new Ownership(kinds, clock);
    const kind = kinds.at("v1", "configmaps") ?? assert.fail("ConfigMaps are served");
    const ownersOf = (data: Record<string, string>) => {
      const after: KubeObject = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data };
      ownership.track({ kind, writer: { manager: "me" }, before: undefined, after });
      return after.metadata.managedFields;
    };
    const first = ownersOf({ a: "1" });
    assert.equal(first?.length, 1);
    assert.equal(ownersOf({ a: "2" }), first);
    assert.notEqual(ownersOf({ b: "2" }), first);
  });
});
