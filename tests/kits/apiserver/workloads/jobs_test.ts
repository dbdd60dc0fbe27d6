import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ranges } from "../../../../lib/kits/apiserver/workloads/jobs.ts";
import { MERGE } from "../api.ts";
import { conditions, CORE, createLivingApi, type LivingApi } from "./world.ts";

const JOBS = "/apis/batch/v1/namespaces/default/jobs";
const ONE = `${JOBS}/a`;

async function make(spec: object = {}, annotations: object = {}): Promise<LivingApi> {
  const api = createLivingApi();
  const template = {
    metadata: { annotations },
    spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] },
  };
  await api.ok("POST", JOBS, { metadata: { name: "a" }, spec: { template, ...spec } });
  return api;
}

describe("A Job", () => {
  it("completes when its Pod has ended", async () => {
    const api = await make();
    await api.pass(1);
    const running = (await api.ok("GET", ONE)).status;
    assert.deepEqual([running.active, running.ready, running.succeeded], [1, 1, undefined]);
    await api.pass(1);
    const job = await api.ok("GET", ONE);
    assert.deepEqual(conditions(job), [
      "Complete=True CompletionsReached",
      "SuccessCriteriaMet=True CompletionsReached",
    ]);
    assert.deepEqual([job.status.succeeded, job.status.active], [1, undefined]);
    assert.ok(job.status.completionTime > job.status.startTime);
    const [pod] = await api.list(`${CORE}/pods`);
    assert.equal(pod.status.phase, "Succeeded");
    assert.equal(pod.status.containerStatuses[0].state.terminated.exitCode, 0);
  });

  it("runs as many Pods at once as it may, until it has enough", async () => {
    const api = await make({ completions: 5, parallelism: 2 });
    let most = 0;
    for (let i = 0; i < 30; i++) {
      await api.pass(0.5);
      most = Math.max(most, (await api.ok("GET", ONE)).status.active ?? 0);
    }
    assert.equal(most, 2);
    assert.equal((await api.ok("GET", ONE)).status.succeeded, 5);
    assert.equal((await api.list(`${CORE}/pods`)).length, 5);
  });

  it("gives each Pod its number, where it is indexed", async () => {
    const api = await make({ completions: 3, parallelism: 3, completionMode: "Indexed" });
    await api.pass(5);
    const { status } = await api.ok("GET", ONE);
    assert.deepEqual([status.completedIndexes, status.succeeded], ["0-2", 3]);
    const names = (await api.list(`${CORE}/pods`)).map(({ spec }) => spec.hostname).sort();
    assert.deepEqual(names, ["a-0", "a-1", "a-2"]);
  });

  it("fails when its Pods have failed too often, with pauses that grow", async () => {
    const api = await make({ backoffLimit: 1 }, { "lotse.dev/exit-code": "3" });
    await api.pass(5);
    assert.equal((await api.ok("GET", ONE)).status.failed, 1);
    await api.pass(15);
    const job = await api.ok("GET", ONE);
    assert.deepEqual(conditions(job), [
      "Failed=True BackoffLimitExceeded",
      "FailureTarget=True BackoffLimitExceeded",
    ]);
    assert.equal(job.status.failed, 2);
    const [pod] = await api.list(`${CORE}/pods`);
    assert.equal(pod.status.containerStatuses[0].state.terminated.exitCode, 3);
  });

  it("ends Pods that take too long", async () => {
    const api = await make({ activeDeadlineSeconds: 10 }, { "lotse.dev/run-seconds": "100" });
    await api.pass(9);
    assert.equal((await api.ok("GET", ONE)).status.active, 1);
    await api.pass(5);
    const job = await api.ok("GET", ONE);
    assert.ok(conditions(job).includes("Failed=True DeadlineExceeded"));
    assert.equal((await api.list(`${CORE}/pods`)).length, 0);
  });

  it("waits while it is suspended, and goes when its time is over", async () => {
    const api = await make({ suspend: true, ttlSecondsAfterFinished: 30 });
    await api.pass(5);
    assert.deepEqual(conditions(await api.ok("GET", ONE)), ["Suspended=True JobSuspended"]);
    await api.ok("PATCH", ONE, { spec: { suspend: false } }, MERGE);
    await api.pass(5);
    assert.ok(conditions(await api.ok("GET", ONE)).includes("Complete=True CompletionsReached"));
    await api.pass(31);
    assert.equal((await api.call("GET", ONE)).code, 404);
    assert.equal((await api.list(`${CORE}/pods`)).length, 0);
  });
});

describe("ranges()", () => {
  it("writes numbers as Kubernetes does", () => {
    assert.equal(ranges([]), "");
    assert.equal(ranges([4, 1, 0, 2, 6, 7, 9]), "0-2,4,6,7,9");
  });
});
