import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as realSleep } from "node:timers/promises";
import { connectionOf } from "../../../../lib/kits/testing/connection.ts";
import { start, type TestCluster, testCluster } from "../../../../lib/kits/testing/mod.ts";
import type { ClusterCopy } from "../../../../lib/kits/testing/rehearsal/cluster_copy.ts";
import { play, type Played, type PlayOptions } from "../../../../lib/kits/testing/rehearsal/play.ts";
import { copyLiveCluster } from "../../../../lib/kits/testing/rehearsal/reading.ts";
import { compareRuns, type Rehearsal } from "../../../../lib/kits/testing/rehearsal/rehearsal.ts";
import { reportRehearsal } from "../../../../lib/kits/testing/rehearsal/rehearsal_report.ts";
import { openStage, settle } from "../../../../lib/kits/testing/rehearsal/stage.ts";
import { silentLogger } from "../../../../lib/runtime/logging.ts";
import { type ApplyOptions, kinds, operator, PermanentError, resource } from "../../../../mod.ts";

interface ToolSpec {
  readonly size: "small" | "large";
}
const Tool = resource<ToolSpec, { seen?: number }>({ group: "example.com", version: "v1", plural: "tools" });
const ACCOUNT = "system:serviceaccount:default:robot";
const SIZES = { small: "1Gi", large: "10Gi" };

type Op = ReturnType<typeof operator>;

/** An operator that keeps a ConfigMap for each tool. */
function toolOperator(sizes: typeof SIZES = SIZES, more: (op: Op) => void = () => {}): Op {
  const op = operator();
  op.on.resume(Tool, keep);
  op.on.create(Tool, keep);
  async function keep({ body, name, namespace, spec }: {
    readonly body: NonNullable<ApplyOptions["owner"]>;
    readonly name: string;
    readonly namespace: string | undefined;
    readonly spec: ToolSpec;
  }): Promise<void> {
    await op.api.apply(
      kinds.ConfigMap,
      { metadata: { name, namespace }, data: { memory: sizes[spec.size] } },
      {
        owner: body,
      },
    );
  }
  more(op);
  return op;
}

const DEFINITION = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "tools.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "tools", singular: "tool", kind: "Tool" },
    versions: [{
      name: "v1",
      served: true,
      storage: true,
      subresources: { status: {} },
      schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
    }],
  },
};

/** A live cluster on which the operator has run. */
async function liveCluster(tools = 12): Promise<TestCluster> {
  const cluster = await testCluster({ rbac: true, manifests: DEFINITION });
  for (let number = 0; number < tools; number++) {
    const size = number % 3 === 0 ? "large" : "small";
    await cluster.api.create(Tool, {
      metadata: { name: `tool-${number}`, namespace: "default" },
      spec: { size },
    });
  }
  await using run = await start(toolOperator(), { cluster, level: "error" });
  await run.advance(5);
  return cluster;
}

function copyOf(cluster: TestCluster, as?: string): Promise<ClusterCopy> {
  const { host } = cluster;
  const connection = connectionOf(cluster);
  return copyLiveCluster({ host, logger: silentLogger(), connection, ...as === undefined ? {} : { as } });
}

interface Rehearsed {
  readonly rehearsal: Rehearsal;
  readonly text: string;
}

/** As the command does it, in one process. */
async function rehearse(
  copy: ClusterCopy,
  { now, old, hours = 0.1, ...options }: { readonly now: Op; readonly old?: Op } & Partial<PlayOptions>,
): Promise<Rehearsed> {
  const run = (op: Op): Promise<Played> => play({ ...options, copy, hours, operators: [op] });
  const before = old === undefined ? undefined : await run(old);
  const rehearsal = compareRuns(copy, { hours, now: await run(now), old: before });
  const names = { now: "new.ts", ...old === undefined ? {} : { old: "old.ts" } };
  return { rehearsal, text: reportRehearsal(rehearsal, names) };
}

describe("play()", () => {
  it("[N24.9] names exactly the objects that a changed default affects, the write, and nothing where nothing changes", async () => {
    await using live = await liveCluster();
    const copy = await copyOf(live);
    const version = live.server.resourceVersion;
    const same = await rehearse(copy, { now: toolOperator(), old: toolOperator() });
    assert.equal(same.rehearsal.isDifferent, false);
    assert.match(same.text, /^NO DIFFERENCE in the end between old and new$/m);
    const { rehearsal, text } = await rehearse(copy, {
      now: toolOperator({ ...SIZES, large: "16Gi" }),
      old: toolOperator(),
    });
    assert.equal(rehearsal.isDifferent, true);
    assert.deepEqual(rehearsal.differences, [{
      kind: "ConfigMap",
      difference: "changed",
      changes: [{ path: "data.memory", before: '"10Gi"', after: '"16Gi"' }],
      objects: ["default/tool-0", "default/tool-3", "default/tool-6", "default/tool-9"],
    }]);
    const [write, ...others] = rehearsal.new.writes.filter(({ resource }) => resource === "configmaps");
    assert.deepEqual([write?.objects, write?.handlers, others], [4, ["keep"], []]);
    assert.match(
      text,
      /changed {2}4 ConfigMap: default\/tool-0, default\/tool-3, default\/tool-6 and 1 more/,
    );
    assert.equal(live.server.resourceVersion, version, "the cluster itself is as it was");
  });

  it("[N24.10] is a plan with no hours: the first pass, in which no time passes", async () => {
    await using live = await liveCluster(3);
    const now = toolOperator({ ...SIZES, large: "16Gi" }, (op) => {
      op.timer(Tool, { interval: 60, initialDelay: 60 }, ({ patch }) => void (patch.status.seen = 1));
    });
    const { rehearsal, text } = await rehearse(await copyOf(live), { now, hours: 0 });
    assert.deepEqual(
      rehearsal.differences.map(({ kind, changes, objects }) => [kind, changes[0]?.path, objects.length]),
      [
        ["Tool", "metadata.finalizers", 3],
        ["ConfigMap", "data.memory", 1],
      ],
      "the timer has added its finalizer, and has not run",
    );
    assert.match(text, /^Plan of new\.ts: the first pass$/m);
  });

  it("[N24.11] names objects that go, hot loops, and failing objects, with their handlers", async () => {
    await using live = await liveCluster(6);
    const now = toolOperator(SIZES, (op) => {
      op.on.resume(Tool, { id: "drop", when: ({ name }) => name === "tool-1" }, async ({ name }) => {
        await op.api.delete(kinds.ConfigMap, { name, namespace: "default" }, { ifExists: true });
      });
      op.on.event(Tool, { id: "spin", when: ({ name }) => name === "tool-2" }, async ({ name, status }) => {
        await op.api.patch(Tool, { name, namespace: "default", subresource: "status" }, {
          status: { seen: (status.seen ?? 0) + 1 },
        });
      });
      op.on.resume(Tool, { id: "fail", when: ({ name }) => name === "tool-3" }, ({ name }) => {
        throw new Error(`There is no licence for ${name}`);
      });
    });
    const { rehearsal, text } = await rehearse(await copyOf(live), { now, old: toolOperator(), hours: 0.2 });
    const [gone] = rehearsal.differences;
    assert.deepEqual([gone?.difference, gone?.kind, gone?.objects], ["gone", "ConfigMap", [
      "default/tool-1",
    ]]);
    const [loop, ...loops] = rehearsal.loops;
    assert.deepEqual([loop?.objects, loop?.handlers, loops], [["Tool default/tool-2"], ["spin"], []]);
    const [failure] = rehearsal.failures;
    assert.deepEqual([failure?.handler, failure?.error, failure?.objects], [
      "fail",
      "There is no licence for <name>",
      1,
    ]);
    for (
      const part of [/gone {5}1 ConfigMap: default\/tool-1/, /^HOT LOOPS$/m, /^FAILING$/m, /not at rest/]
    ) {
      assert.match(text, part);
    }
    assert.ok(text.split("\n").length < 45, "one screen");
  });

  it("[N24.12] names rights that the service account lacks", async () => {
    await using live = await liveCluster(3);
    const rule = (resources: string[], apiGroups: string[], verbs: string[]) => ({
      resources,
      apiGroups,
      verbs,
    });
    await live.apply([
      { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "robot", namespace: "default" } },
      {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRole",
        metadata: { name: "robot" },
        rules: [
          rule(["tools", "tools/status"], ["example.com"], ["get", "list", "watch", "patch"]),
          rule(["configmaps"], [""], ["get", "list", "watch"]),
          rule(["namespaces"], [""], ["list", "watch"]),
          rule(["customresourcedefinitions"], ["apiextensions.k8s.io"], ["get", "list", "watch"]),
        ],
      } as never,
      {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRoleBinding",
        metadata: { name: "robot" },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "robot" },
        subjects: [{ kind: "ServiceAccount", name: "robot", namespace: "default" }],
      } as never,
    ]);
    const { rehearsal, text } = await rehearse(await copyOf(live, ACCOUNT), {
      now: toolOperator({ ...SIZES, large: "16Gi" }),
      old: toolOperator(),
    });
    const missed = rehearsal.missed.filter(({ resource }) => resource === "configmaps");
    assert.deepEqual(missed.map(({ verb, namespaces, handlers }) => [verb, namespaces, handlers]), [
      ["patch", ["default"], ["keep"]],
    ]);
    assert.match(
      text,
      /^NEW RIGHTS NEEDED\n {2}patch configmaps in default: \d+ requests refused, by "keep"$/m,
    );
  });

  it("[N24.13] refuses calls beyond the cluster and lists them, unless stubs answer; webhooks of the cluster agree", async () => {
    await using live = await liveCluster(2);
    await live.apply({
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingWebhookConfiguration",
      metadata: { name: "guard" },
      webhooks: [{
        name: "guard.example.com",
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
        clientConfig: { service: { name: "guard", namespace: "default" } },
        rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["UPDATE"], resources: ["configmaps"] }],
      }],
    } as never);
    const now = () =>
      toolOperator({ ...SIZES, large: "16Gi" }, (op) => {
        op.on.resume(Tool, { id: "pay", retries: 1 }, async ({ patch }) => {
          const answer = await fetch("https://pay.example/price");
          patch.status.seen = (await answer.json()).price;
        });
      });
    const copy = await copyOf(live);
    const refused = await rehearse(copy, { now: now() });
    assert.deepEqual(refused.rehearsal.new.notRehearsed, [
      'https://pay.example (handler "pay"): 2 calls refused',
      "webhook guard.example.com was not asked about 1 writes, which passed",
    ]);
    assert.match(
      refused.rehearsal.failures[0]?.error ?? "",
      /nothing beyond the cluster is reached in a rehearsal/,
    );
    const stubs = { "https://pay.example": () => Response.json({ price: 7 }) };
    const answered = await rehearse(copy, { now: now(), stubs });
    assert.deepEqual(answered.rehearsal.failures, []);
    const [seen] = answered.rehearsal.differences.filter(({ kind }) => kind === "Tool");
    assert.deepEqual(seen?.objects, ["default/tool-0", "default/tool-1"]);
  });

  it("[N24.14] says how far it can be trusted: other versions of Lotse, handlers that wait for real time, errors of the operator", async () => {
    await using live = await liveCluster(1);
    const copy = await copyOf(live);
    const waiting = toolOperator(SIZES, (op) => {
      op.on.resume(
        Tool,
        { id: "wait" },
        async () => void await realSleep(3_600_000, undefined, { ref: false }),
      );
    });
    const now = await play({ copy, hours: 0.2, operators: [waiting] });
    const { remarks } = compareRuns(copy, { hours: 0.2, now, old: { ...now, lotse: "0.0.1" } });
    assert.match(
      remarks.join("\n"),
      /old code ran with Lotse 0\.0\.1, new code with .*: differences may come from there/,
    );
    assert.match(remarks.join("\n"), /handler "wait" has not ended: it waits for real time/);
    const broken = toolOperator(SIZES, (op) => {
      op.on.startup(() => {
        throw new PermanentError("No licence");
      });
    });
    const { rehearsal, text } = await rehearse(copy, { now: broken });
    assert.equal(rehearsal.isDifferent, true);
    assert.match(text, /^THE OPERATOR ENDED WITH AN ERROR\n {2}.*No licence/m);
  });

  it("[N24.23] says that an equal end proves nothing where handlers had no kind, or no object, to run for", async () => {
    await using live = await liveCluster(1);
    const copy = await copyOf(live);
    const Other = resource({ group: "example.com", version: "v1", plural: "others" });
    const forOthers = operator();
    forOthers.on.create(Other, { id: "make" }, () => {});
    const missing = await rehearse(copy, { now: forOthers });
    assert.match(missing.text, /^NO DIFFERENCE in the end, which proves nothing\n\nNO PROOF\n/m);
    assert.match(missing.text, /does not have the kind "others\.v1\.example\.com": .*--crd/);
    // One kind of two: the other one's handlers have run.
    const some = await rehearse(copy, {
      now: toolOperator(SIZES, (op) => void op.on.create(Other, { id: "make" }, () => {})),
    });
    assert.equal(some.rehearsal.unproven.length, 1);
    const objects = copy.objects.filter(({ kind }) => kind !== "Tool");
    const emptied = { ...copy, objects };
    assert.match(
      (await rehearse(emptied, { now: toolOperator() })).text,
      /no object of tools\.example\.com: its handlers/,
    );
    const unread = { ...emptied, unread: ["tools.example.com"] };
    assert.match(
      (await rehearse(unread, { now: toolOperator() })).text,
      /no right to list tools\.example\.com:/,
    );
    assert.deepEqual((await rehearse(copy, { now: toolOperator() })).rehearsal.unproven, []);
  });

  it("[N24.18] draws the same random values for old and new code, and names the handlers that draw", async () => {
    await using live = await liveCluster(2);
    const drawing = (size: string) => () =>
      toolOperator({ ...SIZES, large: size }, (op) => {
        op.on.resume(Tool, { id: "token" }, ({ patch, meta }) => {
          if (meta.labels?.token !== undefined) return;
          patch.meta.labels.token = `${Math.random()}`.slice(2) + crypto.randomUUID();
        });
      });
    const copy = await copyOf(live);
    const { rehearsal, text } = await rehearse(copy, { now: drawing("16Gi")(), old: drawing("10Gi")() });
    assert.deepEqual(rehearsal.differences.map(({ kind, objects }) => [kind, objects]), [
      ["ConfigMap", ["default/tool-0"]],
    ]);
    assert.ok(
      text.includes('handler "token" draws random values (crypto.randomUUID()): the cluster gets other ones'),
    );
    const labels = new Set(
      Object.values((await play({ copy, hours: 0, operators: [drawing("10Gi")()] })).changed)
        .flatMap(({ after }) => after?.metadata.labels?.token ?? []),
    );
    assert.equal(labels.size, 2, "each object draws its own");
  });

  it("[N24.19] ends when the real time is up, and says after how many virtual hours", async () => {
    await using live = await liveCluster(1);
    const copy = await copyOf(live);
    const now = await play({ copy, hours: 24, within: 0, operators: [toolOperator()] });
    assert.deepEqual([now.isCut, now.seconds < 300], [true, true]);
    assert.match(
      compareRuns(copy, { hours: 24, now }).remarks.join(),
      /the time was up after 0 virtual hours/,
    );
  });

  it("[N24.20] plays the workloads of a copy, settled for both codes, up to so many, and says if it does not", async () => {
    await using live = await liveCluster(1);
    const template = {
      metadata: { labels: { app: "a" } },
      spec: { containers: [{ name: "c", image: "old" }] },
    };
    const set = {
      apiVersion: "apps/v1",
      kind: "StatefulSet",
      metadata: { name: "shop", namespace: "default" },
      spec: { replicas: 2, selector: { matchLabels: { app: "a" } }, template },
    };
    await live.apply(set as never);
    const rolling = toolOperator(SIZES, (op) => {
      op.on.resume(Tool, { id: "roll" }, async () => {
        await op.api.patch(kinds.StatefulSet, { name: "shop", namespace: "default" }, {
          spec: { template: { spec: { containers: [{ name: "c", image: "new" }] } } },
        } as never);
      });
    });
    const copy = await settle(await copyOf(live));
    assert.equal(copy.objects.filter(({ kind }) => kind === "Pod").length, 2);
    const rolled = await rehearse(copy, { now: rolling });
    const pods = rolled.rehearsal.differences.filter(({ kind }) => kind === "Pod");
    assert.deepEqual(pods.map(({ difference, objects }) => [difference, objects]), [
      ["changed", ["default/shop-0", "default/shop-1"]],
    ]);
    const [pod] = copy.objects.filter(({ kind }) => kind === "Pod");
    assert.ok(pod !== undefined);
    const many = Array.from({ length: 5000 }, (_, number) => ({
      ...pod,
      metadata: { ...pod.metadata, name: `pod-${number}`, uid: `pod-${number}`, ownerReferences: [] },
    }));
    const { departures } = await openStage({ ...copy, objects: [...copy.objects, ...many] }, { hours: 1 });
    assert.match(departures().join(), /5003 workloads: more than 5000 are not played, no Pod starts or ends/);
  });

  it("[N24.21] applies manifests that come with the new code first", async () => {
    await using live = await liveCluster(1);
    const manifests = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "rules", namespace: "default" },
    };
    const { rehearsal } = await rehearse(await copyOf(live), { now: toolOperator(), manifests, hours: 0 });
    assert.deepEqual(
      rehearsal.differences.map(({ kind, difference, objects }) => [kind, difference, objects]),
      [
        ["ConfigMap", "made", ["default/rules"]],
      ],
    );
  });
});
