import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { z } from "zod";
import type { Operator } from "../../../lib/operator/operator.ts";
import { makeRbac, type PolicyRule, toRules } from "../../../lib/kits/rights/rbac.ts";
import {
  EVERYTHING,
  kinds,
  operator,
  ownerReference,
  persistence,
  resource,
  webhookServer,
} from "../../../mod.ts";

const Cat = resource({ group: "example.com", version: "v1", plural: "cats" });
const Zone = resource({ group: "example.com", version: "v1", plural: "zones", namespaced: false });
const WHERE = { name: "zoo", home: "zoo" };

/** Rules as "group resources verbs", by the role's kind and namespace. */
function rules(options: Parameters<typeof makeRbac>[0]): Record<string, string[]> {
  const roles = makeRbac(options).manifests.filter(({ kind }) => kind?.endsWith("Role"));
  return Object.fromEntries(roles.map(({ kind, metadata, rules }) => [
    [kind, metadata.namespace].filter(Boolean).join(" "),
    (rules as PolicyRule[]).map((rule) => [rule.apiGroups, rule.resources, rule.verbs].map(String).join(" ")),
  ]));
}

/** The rules of the Role in the operator's own namespace. */
function roleRules(options: Parameters<typeof makeRbac>[0]): PolicyRule[] {
  const roles = makeRbac(options).manifests.filter(({ kind }) => kind === "Role");
  return roles.flatMap(({ rules }) => rules as PolicyRule[]);
}

/** Without what the framework asks for in any case. */
const QUIET = { posting: { enabled: false }, scanning: { disabled: true } };

describe("makeRbac()", () => {
  it("grants what handlers need by their causes, and what the framework needs", () => {
    const op = operator();
    op.on.create(Cat, { id: "a" }, () => {});
    op.on.event(kinds.Pod, { id: "b" }, ({ logger }) => logger.info("seen"));
    op.index("nodes.v1", { id: "c" }, () => ({}));
    assert.deepEqual(rules({ ...WHERE, operators: [op] }), {
      ClusterRole: [
        " nodes,pods list,watch",
        "apiextensions.k8s.io customresourcedefinitions get,list,watch",
        "events.k8s.io events create,patch",
        "example.com cats get,list,watch,patch",
        "example.com cats/status patch",
      ],
    });
  });

  it("[N59.4] lets operators ask about callers who read metrics, where they do", () => {
    const op = operator({ ...QUIET, probing: { metricsReview: true } });
    op.on.event(Cat, { id: "a" }, () => {});
    assert.deepEqual(rules({ ...WHERE, operators: [op] }).ClusterRole, [
      "authentication.k8s.io tokenreviews create",
      "authorization.k8s.io subjectaccessreviews create",
      "example.com cats list,watch",
    ]);
  });

  it("lets event handlers patch only where they name the patch", () => {
    const op = operator(QUIET);
    op.on.event(Cat, { id: "a" }, ({ patch }) => {
      patch.metadata.labels = {};
    });
    assert.deepEqual(rules({ ...WHERE, operators: [op] }).ClusterRole, [
      "example.com cats get,list,watch,patch",
      "example.com cats/status patch",
    ]);
  });

  it("lets operators that convert objects say so in the definitions, where webhooks are managed", () => {
    const versions = { v0: { convert: { toHub: () => ({}), fromHub: () => ({}) } } };
    const Converted = resource({ group: "example.com", version: "v1", plural: "cats", versions });
    const rulesWith = (managed: string | null) => {
      const op = operator({ ...QUIET, admission: { managed } });
      op.on.event(Converted, { id: "a" }, () => {});
      return rules({ ...WHERE, operators: [op] }).ClusterRole;
    };
    assert.deepEqual(rulesWith(null), ["example.com cats list,watch"]);
    assert.deepEqual(rulesWith("hooks.example.com"), [
      "apiextensions.k8s.io customresourcedefinitions get,patch",
      "example.com cats list,watch",
    ]);
  });

  it("lets makers of children hold their owners back, which some clusters check", () => {
    const op = operator(QUIET);
    op.owns(Zone, Cat);
    op.on.event(kinds.Pod, { id: "a" }, async ({ body }) => {
      await op.api.apply(kinds.Service, { metadata: { name: "x" } }, { owner: body });
    });
    op.on.event(kinds.Secret, { id: "b" }, ({ body }) => void ownerReference(body));
    op.on.event(kinds.Node, { id: "c" }, ({ name }) => void name);
    const granted = rules({ ...WHERE, operators: [op] }).ClusterRole ?? [];
    assert.deepEqual(granted.filter((rule) => rule.includes("finalizers")), [
      " pods/finalizers,secrets/finalizers update",
      "example.com zones/finalizers update",
    ]);
  });

  it("follows the settings: events, peering, managed webhooks", () => {
    const admission = { server: webhookServer(), managed: "zoo.example.com" };
    const op = operator({ ...QUIET, posting: { api: "v1" }, admission });
    op.on.validate(Cat, { id: "a" }, () => {});
    assert.deepEqual(rules({ ...WHERE, operators: [op], peering: "default" }).ClusterRole, [
      " events create,patch",
      "admissionregistration.k8s.io validatingwebhookconfigurations get,list,watch,create,patch",
      "kopf.dev clusterkopfpeerings get,list,watch,patch",
    ]);
  });

  it("[N27.15] grants replicas their Secret by its name, and a process with an address of its own its Lease", () => {
    const replicas = { name: "zoo" };
    const service = { name: "zoo-webhook" };
    const shared = operator({
      ...QUIET,
      replicas,
      admission: { server: webhookServer({ service }), managed: "zoo.example.com" },
    });
    shared.on.validate(Cat, { id: "a" }, () => {});
    const granted = roleRules({ ...WHERE, operators: [shared] }).filter(({ resources }) =>
      resources.includes("secrets")
    );
    assert.deepEqual(granted, [
      { apiGroups: [""], resources: ["secrets"], verbs: ["create"] },
      {
        apiGroups: [""],
        resources: ["secrets"],
        resourceNames: ["zoo-webhook"],
        verbs: ["get", "list", "watch", "update"],
      },
    ]);
    const alone = operator({ ...QUIET, admission: { server: webhookServer(), managed: "zoo.example.com" } });
    alone.on.validate(Cat, { id: "a" }, () => {});
    assert.deepEqual(
      roleRules({ ...WHERE, operators: [alone] }).map(({ resources, resourceNames, verbs }) => [
        ...resources,
        resourceNames?.join(),
        verbs.join(),
      ]),
      [["leases", undefined, "create"], ["leases", "zoo.example.com", "get,update,delete"]],
    );
    const behind = operator({
      ...QUIET,
      admission: { server: webhookServer({ service }), managed: "zoo.example.com" },
    });
    behind.on.validate(Cat, { id: "a" }, () => {});
    assert.deepEqual(roleRules({ ...WHERE, operators: [behind] }), []);
  });

  it("lets an operator that applies its own definitions do so", () => {
    const op = operator({ ...QUIET, crds: "apply" });
    op.on.event(Cat, { id: "a" }, () => {});
    assert.deepEqual(rules({ ...WHERE, operators: [op] }).ClusterRole, [
      "apiextensions.k8s.io customresourcedefinitions get,create,patch",
      "apiextensions.k8s.io customresourcedefinitions/status patch",
      "example.com cats list,watch",
    ]);
  });

  it("lets it look for objects that a definition would lose, in all namespaces, and move them", () => {
    const op = operator({ ...QUIET, crds: "apply" });
    const names = { group: "example.com", version: "v1", plural: "dogs", kind: "Dog" };
    op.on.event(resource({ ...names, spec: z.object({}) }), { id: "a" }, () => {});
    const granted = rules({ ...WHERE, operators: [op], namespaces: ["team-a"] });
    assert.deepEqual([granted["ClusterRole"]?.at(-1), granted["Role team-a"]], [
      "example.com dogs list,patch",
      ["example.com dogs list,watch"],
    ]);
  });

  it("lets an operator read definitions where notes may go to the status, and no other one", () => {
    const read = "apiextensions.k8s.io customresourcedefinitions get";
    const granted = (declare: (op: Operator) => void, options: object = {}): boolean => {
      const op = operator({ ...QUIET, ...options });
      declare(op);
      return rules({ ...WHERE, operators: [op] }).ClusterRole?.includes(read) === true;
    };
    const handle = (op: Operator): void => void op.on.update(Cat, { id: "a" }, () => {});
    assert.equal(granted(handle), true);
    assert.equal(granted(handle, { persistence: persistence.auto() }), true);
    assert.equal(granted(handle, { persistence: persistence.annotations() }), false);
    assert.equal(granted(handle, { persistence: { restored: "resume" } }), false);
    assert.equal(granted((op) => void op.on.event(Cat, { id: "a" }, () => {})), false);
    assert.equal(granted((op) => void op.on.create(kinds.Pod, { id: "a" }, () => {})), false);
    assert.equal(granted((op) => void op.on.create(kinds.Ingress, { id: "a" }, () => {})), false);
  });

  it("adds what was recorded", () => {
    const op = operator(QUIET);
    op.on.event(Cat, { id: "a" }, () => {});
    const recorded = [
      { group: "apps", resource: "deployments", verb: "create", namespace: "default" },
      { group: "apps", resource: "deployments", verb: "create", namespace: "other" },
      { group: "example.com", resource: "cats", verb: "list" },
      { group: "example.com", resource: "dogs", verb: "watch" },
      { group: "example.com", resource: "mice", verb: "watch" },
      { group: "example.com", resource: "mice", verb: "patch", namespace: "default" },
    ];
    assert.deepEqual(rules({ ...WHERE, operators: [op], recorded }).ClusterRole, [
      "apps deployments create",
      "example.com cats,dogs list,watch",
      "example.com mice get,list,watch,patch",
    ]);
  });

  it("makes roles in the namespaces that are served, and a ClusterRole for what has none", () => {
    const op = operator(QUIET);
    op.on.event(Cat, { id: "a" }, () => {});
    op.on.event(Zone, { id: "b" }, () => {});
    const recorded = [
      { group: "", resource: "secrets", verb: "get", namespace: "vault" },
      { group: "", resource: "configmaps", verb: "create", namespace: "a" },
    ];
    assert.deepEqual(rules({ ...WHERE, operators: [op], recorded, namespaces: ["a", "b"] }), {
      ClusterRole: ["example.com zones list,watch"],
      "Role a": [" configmaps create", "example.com cats list,watch"],
      "Role b": [" configmaps create", "example.com cats list,watch"],
      "Role vault": [" secrets get"],
    });
    const wide = operator({ ...QUIET, scanning: { disabled: false } });
    wide.on.event(Cat, { id: "a" }, () => {});
    assert.deepEqual(rules({ ...WHERE, operators: [wide], namespaces: ["team-*"] }), {
      ClusterRole: [
        " namespaces list,watch",
        "apiextensions.k8s.io customresourcedefinitions list,watch",
        "example.com cats list,watch",
      ],
    });
  });

  it("binds roles to the operator's account", () => {
    const op = operator(QUIET);
    op.on.event(Cat, { id: "a" }, () => {});
    const { manifests } = makeRbac({ name: "zoo", home: "operators", operators: [op], namespaces: ["a"] });
    const [account, role, binding] = manifests;
    assert.deepEqual([account?.kind, account?.metadata.namespace], ["ServiceAccount", "operators"]);
    assert.deepEqual([role?.kind, role?.metadata.namespace], ["Role", "a"]);
    assert.deepEqual([binding?.kind, binding?.roleRef, binding?.subjects], [
      "RoleBinding",
      { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "zoo" },
      [{ kind: "ServiceAccount", name: "zoo", namespace: "operators" }],
    ]);
  });

  it("[N28.9] grants Leases and Events in the operator's own namespace, where there are replicas", () => {
    const op = operator({ replicas: { name: "zoo" } });
    op.on.event(Cat, { id: "a" }, () => {});
    for (const namespaces of [undefined, ["a"], ["operators"]]) {
      const { manifests } = makeRbac({ name: "zoo", home: "operators", operators: [op], namespaces });
      const role = manifests.find(({ kind, metadata }) =>
        kind === "Role" && metadata.namespace === "operators"
      );
      const rules = (role?.rules ?? []) as { resources: string[]; verbs: string[] }[];
      const leases = rules.find(({ resources }) => resources.includes("leases"));
      assert.deepEqual(leases?.verbs, ["get", "list", "watch", "create", "update", "delete"]);
      assert.ok(rules.some(({ resources }) => resources.includes("events")));
    }
  });

  it("knows kinds by any name, if they are built in or declared, and says whose it does not know", () => {
    const op = operator(QUIET);
    const Dog = resource({
      group: "example.com",
      version: "v1",
      plural: "dogs",
      kind: "Dog",
      shortNames: ["dg"],
    });
    op.on.event(Dog, { id: "a" }, () => {});
    for (const name of ["dg", "Dog", "deploy", "birds.example.com", "Bird.example.com", "mice"]) {
      op.on.event(name, { id: name }, () => {});
    }
    op.on.event(() => true, { id: "any" }, () => {});
    const options = { ...WHERE, operators: [op] };
    assert.deepEqual(rules(options).ClusterRole, [
      "apps deployments list,watch",
      "example.com birds,dogs list,watch",
    ]);
    assert.deepEqual(makeRbac(options).unknown, [
      'handler "Bird.example.com": which kind is "Bird.example.com"?',
      'handler "mice": which kind is "mice"?',
      'handler "any": which kind is "(predicate)"?',
    ]);
    const all = operator(QUIET);
    all.on.event(EVERYTHING, { id: "a" }, () => {});
    assert.deepEqual(rules({ ...WHERE, operators: [all] }).ClusterRole, ["* * list,watch"]);
  });
});

describe("makeRbac(), of what handlers do by themselves", () => {
  const unseenOf = (op: ReturnType<typeof operator>): readonly string[] =>
    makeRbac({ ...WHERE, operators: [op] }).unseen;

  it("[N25.1] grants what children of owned kinds need, and names handlers whose children have no kind", () => {
    const op = operator(QUIET);
    op.owns("cats.example.com", kinds.Service);
    op.reconcile(Cat, { id: "a" }, async ({ children }) => void await children({}));
    assert.deepEqual(rules({ ...WHERE, operators: [op] }).ClusterRole, [
      " services get,list,watch,create,patch,delete",
      "example.com cats get,list,watch,patch",
      "example.com cats/finalizers update",
      "example.com cats/status patch",
    ]);
    assert.deepEqual(unseenOf(op), []);
    op.on.create(Zone, { id: "b" }, async ({ children }) => void await children({}));
    assert.deepEqual(unseenOf(op), ['handler "b": of which kinds are its children? (op.owns says it, too)']);
  });

  it("[N25.2] grants what calls of op.api with built-in kinds need, and names the others", () => {
    const op = operator(QUIET);
    op.reconcile(Cat, { id: "a" }, async ({ name, namespace, body }) => {
      const address = { name, namespace: namespace ?? "" };
      await op.api.apply(kinds.ConfigMap, { metadata: address }, { owner: body });
      await op.api.scale(kinds.Deployment, address, 1);
      await op.api.evict(address);
      await op.api.delete(kinds.Secret, address);
      await op.api.waitFor(
        kinds.Job,
        address,
        "Complete",
      );
    });
    assert.deepEqual(rules({ ...WHERE, operators: [op] }).ClusterRole, [
      " configmaps get,create,patch",
      " pods/eviction create",
      " secrets delete",
      "apps deployments/scale patch",
      "batch jobs list,watch",
      "example.com cats list,watch",
      "example.com cats/finalizers update",
    ]);
    assert.deepEqual(unseenOf(op), []);
    op.on.create(Zone, { id: "b" }, async ({ name }) => void await op.api.get(Cat, { name, namespace: "a" }));
    const question = 'handler "b": of which kinds are the objects that it reaches by op.api?';
    assert.deepEqual(unseenOf(op), [question]);
    const recorded = [{ group: "example.com", resource: "cats", verb: "get" }];
    assert.deepEqual(makeRbac({ ...WHERE, operators: [op], recorded }).unseen, []);
  });

  it("[N25.3] grants what owns, watches and caches need: to see the kind, and to hold owners back", () => {
    const op = operator(QUIET);
    op.owns(Cat, kinds.Pod);
    // It names objects, and brings none about.
    op.watches(kinds.Secret, function children() {
      return [];
    });
    op.cache(kinds.Node);
    assert.deepEqual(unseenOf(op), []);
    assert.deepEqual(rules({ ...WHERE, operators: [op] }).ClusterRole, [
      " nodes,pods,secrets list,watch",
      "example.com cats/finalizers update",
    ]);
  });
});

describe("toRules()", () => {
  it("puts resources with the same verbs together", () => {
    const right = (resource: string, verb: string) => ({ group: "", resource, verb });
    assert.deepEqual(
      toRules([
        right("pods", "watch"),
        right("pods", "get"),
        right("nodes", "get"),
        right("nodes", "watch"),
        right("pods", "get"),
      ]),
      [{ apiGroups: [""], resources: ["nodes", "pods"], verbs: ["get", "watch"] }],
    );
  });
});
