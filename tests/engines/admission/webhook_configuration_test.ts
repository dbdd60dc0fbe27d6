import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  clientConfigFor,
  webhookName,
  webhooksFor,
} from "../../../lib/engines/admission/webhook_configuration.ts";
import type { Resource } from "../../../lib/model/resource.ts";
import { ABSENT, PRESENT } from "../../../lib/registry/filters.ts";
import { declareInto, type On } from "../../../lib/registry/on.ts";
import { Registry } from "../../../lib/registry/registry.ts";

const XS: Resource = {
  ...{
    group: "lotse.test",
    version: "v1",
    plural: "xs",
    kind: "X",
    singular: "x",
    shortcuts: [],
    categories: [],
  },
  ...{ subresources: [], namespaced: true, preferred: true, verbs: [] },
};

/** The webhooks of what is declared, all of it for one kind. */
function webhooks(
  declare: (on: On) => void,
  options: Partial<Parameters<typeof webhooksFor>[0]> = {},
): Record<string, unknown>[] {
  const registry = new Registry();
  declare(declareInto(registry).on);
  const handlers = new Map(registry.admissionHandlers.map((handler) => [handler, [XS]]));
  return webhooksFor({ handlers, suffix: "sfx", client: { url: "https://a.test" }, ...options });
}

describe("webhookName()", () => {
  it("[A265] [B134] [B135] replaces what Kubernetes does not take", () => {
    const cases: [string, string][] = [
      ["id!", "id21.sfx"],
      ["id%", "id25.sfx"],
      ["a_b/c", "a-b.c.sfx"],
      ["id/sub", "id.sub.sfx"],
      ["ü", "c3bc.sfx"],
      ["checkReplicas/spec.a", "check-replicas.spec.a.sfx"],
      ["HTTPCheck", "httpcheck.sfx"],
      ["_private_", "private.sfx"],
      ["_", "x.sfx"],
    ];
    for (const [id, name] of cases) assert.equal(webhookName(id, "sfx"), name);
  });
});

describe("clientConfigFor()", () => {
  it("[A265] [B134] [B135] [B136] appends the id to the path", () => {
    const cases: [string, string][] = [["id!", "id%21"], ["a_b/c", "a_b/c"], ["a%b", "a%25b"], [
      "é (x)",
      "%C3%A9%20%28x%29",
    ]];
    for (const [id, path] of cases) {
      assert.deepEqual(clientConfigFor(id, { url: "https://a.test/p/", caBundle: "QQ==" }), {
        url: `https://a.test/p/${path}`,
        caBundle: "QQ==",
      });
      assert.equal(decodeURIComponent(path), id);
    }
    const service = { namespace: "n", name: "s", port: 1 };
    assert.deepEqual(clientConfigFor("x", { service: { ...service, path: "/p" } }), {
      service: { ...service, path: "/p/x" },
    });
    assert.deepEqual(clientConfigFor("x", { service }), { service: { ...service, path: "/x" } });
  });
});

describe("webhooksFor()", () => {
  it("has Kopf's defaults", () => {
    assert.deepEqual(webhooks((on) => on.validate("xs", function check() {})), [{
      name: "check.sfx",
      sideEffects: "None",
      failurePolicy: "Fail",
      matchPolicy: "Equivalent",
      rules: [{
        apiGroups: ["lotse.test"],
        apiVersions: ["v1"],
        resources: ["xs"],
        operations: ["*"],
        scope: "*",
      }],
      objectSelector: null,
      clientConfig: { url: "https://a.test/check" },
      timeoutSeconds: 30,
      admissionReviewVersions: ["v1", "v1beta1"],
    }]);
  });

  it("[B137] tells about side effects and failures", () => {
    const [found] = webhooks((on) => on.mutate("xs", { sideEffects: true, ignoreFailures: true }, () => {}));
    assert.deepEqual([found?.sideEffects, found?.failurePolicy], ["NoneOnDryRun", "Ignore"]);
  });

  it("[B138] [B139] has a rule for the operations and the subresource", () => {
    const rulesOf = (options: object): unknown => {
      const [found] = webhooks((on) => on.validate("xs", options, () => {}));
      const [rule] = found?.rules as { operations: unknown; resources: unknown }[];
      return [rule?.operations, rule?.resources];
    };
    assert.deepEqual(rulesOf({}), [["*"], ["xs"]]);
    assert.deepEqual(rulesOf({ operations: ["CREATE", "UPDATE"], subresource: "*" }), [["CREATE", "UPDATE"], [
      "xs/*",
    ]]);
    assert.deepEqual(rulesOf({ operation: "DELETE", subresource: "status" }), [["DELETE"], ["xs/status"]]);
  });

  it("[B140] lets the server select by labels, as far as it can", () => {
    const labels = { a: PRESENT, b: ABSENT, c: "v", d: () => true } as const;
    const [some, none] = webhooks((on) => {
      on.validate("xs", { id: "some", labels }, () => {});
      on.validate("xs", { id: "none", labels: { d: () => true } }, () => {});
    });
    assert.deepEqual(some?.objectSelector, {
      matchExpressions: [
        { key: "a", operator: "Exists" },
        { key: "b", operator: "DoesNotExist" },
        { key: "c", operator: "In", values: ["v"] },
      ],
    });
    assert.equal(none?.objectSelector, null);
  });

  it("[B141] has no rules for kinds that are not there", () => {
    const registry = new Registry();
    declareInto(registry).on.validate("ys", () => {});
    const handlers = new Map(registry.admissionHandlers.map((handler) => [handler, []]));
    assert.deepEqual(webhooksFor({ handlers, suffix: "s", client: {} })[0]?.rules, []);
  });

  it("gives no name twice, and the same one whoever stays", () => {
    const declare = (on: On): void => {
      on.validate("xs", { id: "a_b" }, () => {});
      on.validate("xs", { id: "aB", persistent: true }, () => {});
    };
    assert.deepEqual(webhooks(declare).map(({ name }) => name), ["a-b.sfx", "a-b-2.sfx"]);
    assert.deepEqual(webhooks(declare, { persistentOnly: true }).map(({ name }) => name), ["a-b-2.sfx"]);
  });
});
