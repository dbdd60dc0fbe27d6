import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { connectionOf } from "../../../../lib/kits/testing/connection.ts";
import { type TestCluster, testCluster } from "../../../../lib/kits/testing/mod.ts";
import type { ClusterCopy } from "../../../../lib/kits/testing/rehearsal/cluster_copy.ts";
import { writeFork } from "../../../../lib/kits/testing/rehearsal/fork_file.ts";
import { copyLiveCluster, type CopyLiveOptions } from "../../../../lib/kits/testing/rehearsal/reading.ts";
import { currentHost } from "../../../../lib/runtime/current_host.ts";
import { silentLogger } from "../../../../lib/runtime/logging.ts";
import { kinds, resource } from "../../../../mod.ts";

const Database = resource({ group: "example.com", version: "v1", plural: "databases" });
const ACCOUNT = "system:serviceaccount:default:robot";

/** A cluster with a kind, rights of a service account, and everything that a copy has to take along. */
async function liveCluster(audit?: string): Promise<TestCluster> {
  const cluster = await testCluster({ rbac: true, ...audit === undefined ? {} : { audit } });
  await cluster.apply("./examples/02-database/crd.yaml");
  await cluster.apply(`
apiVersion: v1
kind: Namespace
metadata: { name: team-a }
---
apiVersion: v1
kind: ServiceAccount
metadata: { name: robot, namespace: default }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: robot }
rules:
- { apiGroups: [example.com], resources: [databases], verbs: [get, list, watch, patch] }
- { apiGroups: [""], resources: [pods], verbs: [list] }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: robot }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: robot }
subjects: [{ kind: ServiceAccount, name: robot, namespace: default }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: robot, namespace: team-a }
rules: [{ apiGroups: [""], resources: [secrets], verbs: [get, list] }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: robot, namespace: team-a }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: robot }
subjects: [{ kind: ServiceAccount, name: robot, namespace: default }]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: { name: short }
spec:
  matchConstraints:
    resourceRules: [{ apiGroups: [example.com], apiVersions: [v1], operations: [CREATE], resources: [databases] }]
  validations: [{ expression: "object.metadata.name.size() < 4" }]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: { name: short }
spec: { policyName: short, validationActions: [Deny] }
---
apiVersion: v1
kind: Secret
metadata: { name: mine, namespace: team-a }
stringData: { password: hunter2 }
---
apiVersion: v1
kind: Secret
metadata: { name: others, namespace: default }
stringData: { password: hunter3 }
`);
  await cluster.apply(database("one"));
  return cluster;
}

function database(name: string, owner?: { readonly uid: string }) {
  const reference = { apiVersion: "v1", kind: "ConfigMap", name: "owner", controller: true };
  const ownerReferences = owner === undefined ? [] : [{ ...reference, ...owner }];
  const spec = { engine: "mysql", version: "8", storage: "1Gi" };
  return { apiVersion: "example.com/v1", kind: "Database", metadata: { name, ownerReferences }, spec };
}

function copyOf(cluster: TestCluster, options: Partial<CopyLiveOptions> = {}): Promise<ClusterCopy> {
  const { host } = cluster;
  return copyLiveCluster({ host, logger: silentLogger(), connection: connectionOf(cluster), ...options });
}

function namesOf({ objects }: ClusterCopy, kind: string): string[] {
  return objects.filter((object) => object.kind === kind).map(({ metadata }) => metadata.name ?? "");
}

describe("copyLiveCluster()", () => {
  it("[N24.2] copies what a service account may read, and the cluster's own rules, by reads and reviews alone", async () => {
    await using live = await liveCluster("/audit.log");
    const version = live.server.resourceVersion;
    const copy = await copyOf(live, { as: ACCOUNT });
    assert.deepEqual(namesOf(copy, "Database"), ["one"]);
    assert.deepEqual(namesOf(copy, "Secret"), ["mine"], "its Role holds in one namespace");
    assert.deepEqual(namesOf(copy, "ConfigMap"), []);
    assert.ok(copy.unread.includes("configmaps") && !copy.unread.includes("secrets"));
    assert.deepEqual(namesOf(copy, "ValidatingAdmissionPolicy"), ["short"]);
    assert.ok(!JSON.stringify(copy).includes(btoa("hunter2")), "Secrets are hidden");
    assert.equal(copy.rights?.user, ACCOUNT);
    assert.equal(live.server.resourceVersion, version, "nothing was written");
    const lines = (await live.host.files.readText("/audit.log")).split("\n").filter((line) => line !== "");
    const asked = lines.map((line) => JSON.parse(line)).filter(({ userAgent }) =>
      userAgent?.startsWith("lotse/")
    );
    const changing = asked.filter(({ verb, objectRef }) =>
      !["get", "list"].includes(verb) && !/^selfsubject/.test(objectRef?.resource)
    );
    assert.ok(asked.length > 10);
    assert.deepEqual(changing, []);
  });

  it("[N24.3] keeps uids and versions, so that it can be opened by a test, with rules, rights and owners that stayed behind", async () => {
    await using live = await liveCluster();
    const owner = await live.api.create(kinds.ConfigMap, {
      metadata: { name: "owner", namespace: "default" },
    });
    await live.apply(database("two", { uid: owner.metadata.uid ?? "" }));
    const file = `${await currentHost().files.makeTempFolder("fork-")}/fork.tar`;
    await writeFork(currentHost().files, file, await copyOf(live, { as: ACCOUNT }));
    await using cluster = await testCluster({ fork: file });
    await cluster.host.clock.advance(60);
    const at = { name: "one", namespace: "default" };
    const [here, there] = await Promise.all([cluster, live].map(({ api }) => api.get(Database, at)));
    assert.deepEqual(here, there);
    await cluster.api.get(Database, { ...at, name: "two" }); // its owner may not be read, and is no garbage
    await assert.rejects(cluster.apply(database("long-name")), /short/);
    const asRobot = (path: string) =>
      cluster.fetch(new Request(`https://a.test${path}`, { headers: { "impersonate-user": ACCOUNT } }));
    const codes = await Promise.all([
      asRobot("/apis/example.com/v1/databases"),
      asRobot("/api/v1/namespaces/team-a/secrets"),
      asRobot("/api/v1/namespaces/default/secrets"),
    ]);
    assert.deepEqual(codes.map(({ status }) => status), [200, 200, 403]);
    assert.equal(cluster.host.clock.now() - 60_000, live.host.clock.now());
  });

  it("[N24.4] lists all kinds at one version, although the cluster changes meanwhile", async () => {
    await using live = await liveCluster();
    let isLate = false;
    const original = live.fetch;
    const fetch = async (request: Request): Promise<Response> => {
      const isFirst = !isLate && request.url.includes("/databases");
      if (isFirst) {
        isLate = true;
        await live.apply(database("new"));
      }
      return await original(request);
    };
    const copy = await copyOf({ ...live, fetch });
    assert.ok(isLate);
    assert.deepEqual(namesOf(copy, "Database"), ["one"]);
    assert.deepEqual(copy.remarks.filter((remark) => remark.includes("changed")), []);
  });

  it("[N24.5] says which kinds were listed later, where the server has forgotten the version", async () => {
    await using live = await liveCluster();
    const original = live.fetch;
    const fetch = (request: Request): Promise<Response> | Response => {
      if (request.url.includes("/databases?")) live.server.compact();
      return original(request);
    };
    await live.apply({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x" } });
    const { server } = live;
    const copying = copyOf({
      ...live,
      fetch: async (request) => {
        if (request.url.includes("/databases?")) {
          await live.apply({
            apiVersion: "v1",
            kind: "ConfigMap",
            metadata: { name: `m${server.resourceVersion}` },
          });
        }
        return await fetch(request);
      },
    });
    const copy = await copying;
    assert.match(
      copy.remarks.join("\n"),
      /the cluster changed while it was copied: listed later than the rest were .*databases\.example\.com/,
    );
    assert.deepEqual(namesOf(copy, "Database"), ["one"]);
  });

  it("[N24.6] takes a sample with what its objects own, and says so", async () => {
    await using live = await liveCluster();
    for (const name of ["a", "b", "c"]) {
      const set = await live.api.create(kinds.ReplicaSet, replicaSet(name));
      await live.api.create(kinds.ConfigMap, {
        metadata: {
          name,
          namespace: "team-a",
          ownerReferences: [{
            apiVersion: "apps/v1",
            kind: "ReplicaSet",
            name,
            uid: set.metadata.uid ?? "",
            controller: true,
          }],
        },
      });
    }
    const copy = await copyOf(live, { sample: 1, namespaces: ["team-a"] });
    assert.deepEqual([
      namesOf(copy, "ReplicaSet"),
      namesOf(copy, "ConfigMap").filter((name) => name !== "kube-root-ca.crt"),
    ], [["a"], ["a"]]);
    assert.match(copy.remarks.join("\n"), /a sample: \d+ of \d+ objects \(at most 1 of each kind/);
  });

  it("[N24.22] refuses more objects than memory may hold, and takes a sample of them", async () => {
    await using live = await liveCluster();
    const metadata = (number: number) => ({ name: `m-${number}`, namespace: "default", uid: `m-${number}` });
    const items = Array.from({ length: 100 }, (_, number) => ({ metadata: metadata(number) }));
    const large = JSON.stringify({
      kind: "ConfigMapList",
      apiVersion: "v1",
      metadata: { resourceVersion: "1" },
      items,
    });
    const fetch = (request: Request): Response | Promise<Response> =>
      request.url.includes("/configmaps")
        ? (new Response(large, { headers: { "content-type": "application/json" } }))
        : live.fetch(request);
    await assert.rejects(copyOf({ ...live, fetch }, { most: 90 }), {
      message:
        /^Cannot copy more than 90 objects: take a sample \(--sample 500\), some namespaces \(-n\), or/,
    });
    const copy = await copyOf({ ...live, fetch }, { sample: 5, most: 90 });
    assert.equal(namesOf(copy, "ConfigMap").length, 5);
    assert.match(copy.remarks.join("\n"), /a sample: \d+ of \d{3} objects \(at most 5 of each kind/);
  });

  it("[N24.7] works without the right to read definitions, and says what is not checked", async () => {
    await using live = await liveCluster();
    const connection = { ...connectionOf(live), impersonate: { user: ACCOUNT } };
    const copy = await copyOf(live, { connection });
    assert.deepEqual(namesOf(copy, "Database"), ["one"]);
    assert.match(copy.remarks.join("\n"), /you may not list customresourcedefinitions.*: schemas, defaults/);
    const file = `${await currentHost().files.makeTempFolder("fork-")}/fork.tar`;
    await writeFork(currentHost().files, file, copy);
    await using cluster = await testCluster({ fork: file });
    assert.equal(
      (await cluster.api.get(Database, {
        name: "one",
        namespace: "default",
      })).metadata.name,
      "one",
    );
  });

  it("[N24.8] says what is wrong: no rights at all, no cluster there, files that are no copies", async () => {
    await using live = await liveCluster();
    await assert.rejects(copyOf(live, { as: "system:serviceaccount:default:nobody" }), {
      message:
        /^Cannot rehearse: "system:serviceaccount:default:nobody" may list nothing in this cluster \(bind/,
    });
    const connection = { server: "https://nowhere.test" };
    const copying = copyOf(live, { connection });
    const refused = assert.rejects(copying, /^Error: Cannot reach the cluster at https:\/\/nowhere\.test: /);
    await live.host.clock.advance(60);
    await refused;
    const { files } = currentHost();
    const folder = await files.makeTempFolder("fork-");
    await assert.rejects(
      testCluster({ fork: `${folder}/none.tar` }),
      /Cannot open ".*none\.tar": there is no such file/,
    );
    await files.writeText(`${folder}/text.tar`, "hello");
    await assert.rejects(testCluster({ fork: `${folder}/text.tar` }), /it is no copy of a cluster/);
    const copy = await copyOf(live);
    await writeFork(files, `${folder}/new.tar`, { ...copy, format: 2 as 1, lotse: "9.0.0" });
    await assert.rejects(
      testCluster({ fork: `${folder}/new.tar` }),
      /saved by a later release, Lotse 9\.0\.0/,
    );
  });
});

function replicaSet(name: string) {
  const labels = { app: name };
  const spec = { containers: [{ name: "a", image: "a" }] };
  return {
    metadata: { name, namespace: "team-a" },
    spec: { replicas: 0, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  };
}
