import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject, KubeObject } from "../../../../lib/model/object.ts";
import { type Api, createApi, MERGE } from "../api.ts";

const GROUP = "/apis/flowcontrol.apiserver.k8s.io/v1";
const [SCHEMAS, LEVELS] = [`${GROUP}/flowschemas`, `${GROUP}/prioritylevelconfigurations`];

/** What is asked for, and as whom. */
interface Asked {
  readonly path: string;
  readonly user?: string;
  readonly groups?: readonly string[];
  readonly method?: string;
}

/** Returns the names of the schema and the level that a request was classified by. */
async function classOf(
  api: Api,
  { path, user = "alice", groups = ["system:authenticated"], method = "GET" }: Asked,
): Promise<string> {
  const { headers } = await api.call(method, path, undefined, {
    "impersonate-user": user,
    "impersonate-group": groups.join(", "),
  });
  const named = async (header: string, list: string) => {
    const uid = headers.get(header);
    const { items } = await api.ok("GET", list);
    return items.find(({ metadata }: KubeObject) => metadata.uid === uid)?.metadata.name;
  };
  const schema = await named("x-kubernetes-pf-flowschema-uid", SCHEMAS);
  return `${schema} ${await named("x-kubernetes-pf-prioritylevel-uid", LEVELS)}`;
}

function schemaFor(name: string, { level = "workload-high", matchingPrecedence = 1000, rule }: {
  readonly level?: string;
  readonly matchingPrecedence?: number;
  readonly rule: JsonObject;
}): JsonObject {
  const spec = { priorityLevelConfiguration: { name: level }, matchingPrecedence, rules: [rule] };
  return { metadata: { name }, spec };
}

async function started(): Promise<Api> {
  const api = createApi();
  await api.ok("GET", SCHEMAS);
  return api;
}

describe("FlowControl", () => {
  it("makes the default levels and schemas once somebody asks for any, and makes them anew", async () => {
    const api = createApi();
    const before = api.server.resourceVersion;
    const { headers } = await api.call("GET", "/version");
    assert.equal(headers.get("x-kubernetes-pf-flowschema-uid"), null);
    assert.equal(api.server.resourceVersion, before);
    const { metadata: { uid } } = await api.ok("GET", `${LEVELS}/catch-all`);
    await api.ok("DELETE", `${LEVELS}/catch-all`);
    await api.host.clock.advance(1);
    assert.notEqual((await api.ok("GET", `${LEVELS}/catch-all`)).metadata.uid, uid);
    const { spec, status: { conditions: [condition] } } = await api.ok("GET", `${SCHEMAS}/probes`);
    assert.equal(spec.matchingPrecedence, 2);
    assert.deepEqual([condition.type, condition.status, condition.reason], ["Dangling", "False", "Found"]);
  });

  it("classifies requests by users, groups, service accounts, resources and paths", async () => {
    const api = await started();
    const pods = "/api/v1/namespaces/default/pods";
    const kubeSystem = "system:serviceaccount:kube-system:deployer";
    const classes: [Asked, string][] = [
      [{ path: "/version" }, "global-default global-default"],
      [{ path: "/healthz/ping" }, "probes exempt"],
      [{ path: "/healthzz" }, "global-default global-default"],
      [{ path: pods, groups: ["system:masters"] }, "exempt exempt"],
      [{ path: pods, user: "n", groups: ["system:nodes"] }, "system-nodes system"],
      [{ path: "/api/v1/nodes/n/status", user: "n", groups: ["system:nodes"] }, "system-node-high node-high"],
      [{ path: "/api/v1/namespaces/n", user: "n", groups: ["system:nodes"] }, "system-nodes system"],
      [
        { path: "/apis/coordination.k8s.io/v1/namespaces/a/leases/x", user: kubeSystem },
        "system-leader-election leader-election",
      ],
      [
        {
          path: "/apis/coordination.k8s.io/v1/namespaces/a/leases/x",
          user: kubeSystem,
          method: "DELETE",
        },
        "kube-system-service-accounts workload-high",
      ],
      [
        {
          path: pods,
          user: "system:serviceaccount:kube-systematic:a",
          groups: ["system:serviceaccounts"],
        },
        "service-accounts workload-low",
      ],
      [{ path: pods, user: "system:kube-scheduler" }, "kube-scheduler workload-high"],
    ];
    for (const [asked, wanted] of classes) {
      assert.equal(await classOf(api, asked), wanted, JSON.stringify(asked));
    }
  });

  it("tries schemas by precedence, then by name, and leaves out those whose level is not there", async () => {
    const api = await started();
    const subjects = [{ kind: "User", user: { name: "alice" } }];
    const everywhere = { verbs: ["*"], apiGroups: ["*"], resources: ["*"] };
    const rule = { subjects, resourceRules: [{ ...everywhere, namespaces: ["default"] }] };
    await api.ok("POST", SCHEMAS, schemaFor("b", { rule }));
    await api.ok("POST", SCHEMAS, schemaFor("a", { rule, level: "system" }));
    const first = { rule, level: "mine", matchingPrecedence: 10 };
    await api.ok("POST", SCHEMAS, schemaFor("z", first));
    const pods = "/api/v1/namespaces/default/pods";
    assert.equal(await classOf(api, { path: pods }), "a system");
    assert.equal(await classOf(api, { path: "/api/v1/pods" }), "global-default global-default");
    assert.equal(await classOf(api, { path: pods, user: "bob" }), "global-default global-default");

    const reason = async () => {
      await api.host.clock.advance(1);
      const { status } = await api.ok("GET", `${SCHEMAS}/z`);
      return status.conditions.map(({ reason: told }: { reason: string }) => told);
    };
    assert.deepEqual(await reason(), ["NotFound"]);
    const limited = { limitResponse: { type: "Reject" } };
    await api.ok("POST", LEVELS, { metadata: { name: "mine" }, spec: { type: "Limited", limited } });
    assert.deepEqual(await reason(), ["Found"]);
    assert.equal(await classOf(api, { path: pods }), "z mine");
    await api.ok("PATCH", `${SCHEMAS}/z`, { spec: { matchingPrecedence: 1001 } }, MERGE);
    assert.equal(await classOf(api, { path: pods }), "a system");
  });

  it("tells in /metrics what each level would get", async () => {
    const api = await started();
    const text: string = await api.ok("GET", "/metrics");
    const seats = [
      ...text.matchAll(/^apiserver_flowcontrol_nominal_limit_seats\{priority_level="(.+)"\} (\d+)$/gm),
    ];
    // Of 600, by shares of 245.
    assert.deepEqual(Object.fromEntries(seats.map(([, level, count]) => [level, Number(count)])), {
      "catch-all": 13,
      "exempt": 0,
      "global-default": 49,
      "leader-election": 25,
      "node-high": 98,
      "system": 74,
      "workload-high": 98,
      "workload-low": 245,
    });
  });
});
