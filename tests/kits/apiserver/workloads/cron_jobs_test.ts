import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { MERGE } from "../api.ts";
import { createLivingApi, type LivingApi } from "./world.ts";

const BATCH = "/apis/batch/v1/namespaces/default";
const ONE = `${BATCH}/cronjobs/a`;

/** A CronJob whose Jobs take that long. */
async function make(spec: object = {}, seconds = 1): Promise<LivingApi> {
  const api = createLivingApi();
  const template = {
    metadata: { annotations: { "lotse.dev/run-seconds": String(seconds) } },
    spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] },
  };
  const jobTemplate = { metadata: { labels: { app: "a" } }, spec: { template } };
  await api.ok("POST", `${BATCH}/cronjobs`, {
    metadata: { name: "a" },
    spec: { schedule: "* * * * *", jobTemplate, ...spec },
  });
  return api;
}

async function jobsOf(api: LivingApi): Promise<string[]> {
  return (await api.list(`${BATCH}/jobs`)).map(({ metadata }) => metadata.name);
}

describe("A CronJob", () => {
  it("makes a Job each time, names it in the status, and keeps three that have ended", async () => {
    const api = await make({}, 5);
    await api.pass(61);
    const [job] = await api.list(`${BATCH}/jobs`);
    const due = Date.parse(job.metadata.annotations["batch.kubernetes.io/cronjob-scheduled-timestamp"]);
    assert.equal(job.metadata.name, `a-${due / 60_000}`);
    assert.equal(due % 60_000, 0);
    assert.equal(job.metadata.labels.app, "a");
    const cronJob = await api.ok("GET", ONE);
    assert.deepEqual(job.metadata.ownerReferences, [{
      apiVersion: "batch/v1",
      kind: "CronJob",
      name: "a",
      uid: cronJob.metadata.uid,
      controller: true,
      blockOwnerDeletion: true,
    }]);
    await api.pass(600);
    const { status } = await api.ok("GET", ONE);
    assert.equal(Date.parse(status.lastScheduleTime), due + 600_000);
    assert.ok(status.lastSuccessfulTime !== undefined);
    const names = await jobsOf(api);
    assert.ok(names.length === 3 || names.length === 4, names.join());
    assert.ok(names.includes(`a-${due / 60_000 + 10}`));
  });

  it("starts one after the other, replaces what runs, or runs all at once, as it says", async () => {
    for (const [concurrencyPolicy, expected] of [["Forbid", 1], ["Replace", 1], ["Allow", 3]] as const) {
      const api = await make({ concurrencyPolicy }, 1000);
      await api.pass(1);
      await api.pass(180);
      const { status } = await api.ok("GET", ONE);
      assert.equal(status.active.length, expected, concurrencyPolicy);
      const [first] = await jobsOf(api);
      assert.deepEqual(status.active[0].name === first, true, concurrencyPolicy);
    }
  });

  it("makes nothing while it is suspended", async () => {
    const api = await make({ suspend: true });
    await api.pass(300);
    assert.deepEqual(await jobsOf(api), []);
    await api.ok("PATCH", ONE, { spec: { suspend: false, startingDeadlineSeconds: 10 } }, MERGE);
    await api.pass(70);
    assert.ok((await jobsOf(api)).length > 0);
  });

  it("is refused with a schedule or a zone that is none, as is an autoscaler without room", async () => {
    const api = await make();
    const patch = async (spec: object) => (await api.call("PATCH", ONE, { spec }, MERGE)).body.message;
    assert.equal(
      await patch({ schedule: "* * *" }),
      'CronJob.batch "a" is invalid: spec.schedule: Invalid value: "* * *": expected exactly 5 fields, found 3: [* * *]',
    );
    assert.match(
      await patch({ timeZone: "Mars/Olympus" }),
      /spec.timeZone: .*unknown time zone Mars\/Olympus$/,
    );
    assert.match(await patch({ schedule: "TZ=UTC * * * * *" }), /use timeZone field instead$/);
    const scaler = {
      metadata: { name: "a" },
      spec: {
        minReplicas: 3,
        maxReplicas: 2,
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "a" },
      },
    };
    const path = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers";
    assert.match(
      (await api.call("POST", path, scaler)).body.message,
      /spec.maxReplicas: Invalid value: 2: must be greater than or equal to `minReplicas`$/,
    );
  });
});
