import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ADMISSION } from "../../../lib/handlers/admission/admission_handler.ts";
import {
  checkWebhookNames,
  clientConfigFor,
  vitalKinds,
  webhookName,
  webhookPath,
  webhooksFor,
} from "../../../lib/handlers/admission/webhook_configuration.ts";
import type { Resource } from "../../../lib/model/resource.ts";
import { ABSENT, PRESENT } from "../../../lib/handlers/filters.ts";
import { declareInto, type On } from "../../../lib/handlers/on.ts";
import { Registry } from "../../../lib/handlers/registry.ts";

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
  const handlers = new Map(registry.all(ADMISSION).map((handler) => [handler, [XS]]));
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

describe("webhookPath()", () => {
  it("[P13] has in each part what Kubernetes takes in paths of Services", () => {
    const cases: [id: string, path: string][] = [
      ["checkSeats", "check-seats"],
      ["checkReplicas/spec.maxUnavailable", "check-replicas/spec.max-unavailable"],
      ["a_b/c", "a-b/c"],
      ["id!", "id21"],
      ["é (x)", "c3a92028x29"],
      ["_private_/.x./", "private/x"],
      ["-", "x"],
      ["HTTPCheck", "httpcheck"],
    ];
    for (const [id, path] of cases) {
      assert.equal(webhookPath(id), path);
      assert.equal(webhookPath(path), path, "what is spelt so already stays as it is");
      for (const part of path.split("/")) {
        assert.match(part, /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/);
      }
    }
  });
});

describe("checkWebhookNames()", () => {
  const handlers = (...ids: string[]) => {
    const registry = new Registry();
    for (const [number, id] of ids.entries()) {
      declareInto(registry).on.validate(number === 0 ? "xs" : "ys", { id }, () => {});
    }
    return registry.all(ADMISSION);
  };

  it("refuses two handlers with one path, whatever their kinds are", () => {
    assert.throws(
      () => checkWebhookNames(handlers("checkSeats", "check_seats"), null),
      {
        name: "TypeError",
        message:
          'Cannot serve the admission handlers "checkSeats" and "check_seats": both are reached at the path "/check-seats" (give one of them another id)',
      },
    );
    checkWebhookNames(handlers("a/b", "a.b"), "sfx");
  });

  it("takes one id for several kinds", () => checkWebhookNames(handlers("check", "check"), "sfx"));

  it("refuses a name that Kubernetes would refuse for its length", () => {
    checkWebhookNames(handlers("a".repeat(249)), "sfx");
    checkWebhookNames(handlers("a".repeat(250)), null);
    assert.throws(() => checkWebhookNames(handlers("a".repeat(250)), "sfx"), /has 254 characters/);
  });
});

describe("clientConfigFor()", () => {
  it("[B134] [B135] [B136] appends the path", () => {
    assert.deepEqual(clientConfigFor("a-b/c", { url: "https://a.test/p/", caBundle: "QQ==" }), {
      url: "https://a.test/p/a-b/c",
      caBundle: "QQ==",
    });
    const service = { namespace: "n", name: "s", port: 1 };
    assert.deepEqual(clientConfigFor("x", { service: { ...service, path: "/p" } }), {
      service: { ...service, path: "/p/x" },
    });
    assert.deepEqual(clientConfigFor("x", { service }), { service: { ...service, path: "/x" } });
  });
});

describe("webhooksFor()", () => {
  it("[P13] leads to the path of the handler", () => {
    const [found] = webhooks((on) => on.validate("xs", function checkSeats() {}));
    assert.deepEqual(found?.clientConfig, { url: "https://a.test/check-seats" });
  });

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
    const handlers = new Map(registry.all(ADMISSION).map((handler) => [handler, []]));
    assert.deepEqual(webhooksFor({ handlers, suffix: "s", client: {} })[0]?.rules, []);
  });

  it("gives no name twice, and the same one whoever stays", () => {
    const declare = (on: On): void => {
      on.validate("xs", { id: "a/b" }, () => {});
      on.validate("xs", { id: "a.b", persistent: true }, () => {});
    };
    assert.deepEqual(webhooks(declare).map(({ name }) => name), ["a.b.sfx", "a.b-2.sfx"]);
    assert.deepEqual(webhooks(declare, { persistentOnly: true }).map(({ name }) => name), ["a.b-2.sfx"]);
  });
});

describe("webhooksFor() with own objects", () => {
  const own = { namespace: "home", name: "zoo", hasReplicas: true };
  const kinds = (plural: string, group = ""): Resource[] => [{ ...XS, plural, group }];
  const conditionsOf = (plural: string, group = ""): unknown => {
    const registry = new Registry();
    declareInto(registry).on.validate("any.kind", { id: "a" }, () => {});
    const handlers = new Map(registry.all(ADMISSION).map((handler) => [handler, kinds(plural, group)]));
    return webhooksFor({ handlers, suffix: "sfx", client: {}, own })[0]?.matchConditions;
  };

  it("[N27.18] takes the operator's Leases, its Secret, and Events of its namespace out", () => {
    assert.equal(conditionsOf("ferries"), undefined);
    const [condition] = conditionsOf("leases", "coordination.k8s.io") as { expression: string }[];
    assert.match(
      condition?.expression ?? "",
      /^!\(has\(request\.namespace\) && request\.namespace == "home" && /,
    );
    assert.match(condition?.expression ?? "", /request\.name\.matches\("\^zoo\(-member-/);
    assert.match(condition?.expression ?? "", /request\.name == "zoo-webhook"/);
    assert.deepEqual(conditionsOf("secrets"), [condition]);
    assert.deepEqual(conditionsOf("*"), [condition]);
  });

  it("[N27.18] names the kinds that a cluster needs to start the operator", () => {
    const found = (options: Parameters<On["validate"]>[1], plural: string, group = ""): string[] => {
      const registry = new Registry();
      declareInto(registry).on.validate("any.kind", { id: "a", ...options as object }, () => {});
      const [handler] = registry.all(ADMISSION);
      return handler === undefined ? [] : vitalKinds(handler, kinds(plural, group));
    };
    assert.deepEqual(found({}, "pods"), ["pods"]);
    assert.deepEqual(found({}, "leases", "coordination.k8s.io"), ["leases"]);
    assert.deepEqual(found({}, "pods", "metrics.k8s.io"), []);
    assert.deepEqual(found({ ignoreFailures: true }, "pods"), []);
    assert.deepEqual(found({ labels: { app: "ferry" } }, "pods"), []);
  });
});
