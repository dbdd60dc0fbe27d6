/** Asks the handlers of the example about admission, and holds them to what its README says. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import admission from "../../examples/18-admission/handlers.ts";
import reports from "../../examples/35-cron-job/handlers.ts";
import versions from "../../examples/36-versions/handlers.ts";
import { Doorway, patchIn } from "../support/reviews.ts";
import { Stage } from "../support/stage.ts";

const README = new URL("../../examples/18-admission/README.md", import.meta.url);

function reviewOf(spec: object): object {
  return {
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: {
      uid: "1",
      operation: "CREATE",
      userInfo: {},
      resource: { group: "example.com", version: "v1", resource: "ferries" },
      object: { metadata: { name: "gull" }, spec },
    },
  };
}

describe("examples/18-admission", () => {
  it("fills seats in, refuses too many, and answers as its README says", async () => {
    const door = new Doorway();
    const { server } = admission.settings.admission;
    admission.settings.admission.server = door.serve;
    const stage = new Stage("18-admission");
    await stage.apply("crd.yaml");
    await using _runner = await stage.start(admission);
    const readme = readFileSync(README, "utf8");
    const [, request = ""] = /-d '([^']*)'/.exec(readme) ?? [];
    const response = await door.post("/setDefaults", request);
    assert.ok(readme.includes(await response.text()));
    const filled = await door.context?.review(reviewOf({ route: "a-b" }));
    assert.deepEqual(filled && patchIn(filled), [{ op: "add", path: "/spec/seats", value: 10 }]);
    const full = await door.context?.review(reviewOf({ seats: 100 }));
    assert.deepEqual(full?.response.warnings, ["There is not one seat more"]);
    const refused = await door.context?.review(reviewOf({ seats: 200 }));
    assert.equal(refused?.response.status?.code, 422);
    assert.ok(readme.includes(String(refused?.response.status?.message)));
    admission.settings.admission.server = server;
  });
});

describe("examples/35-cron-job", () => {
  it("fills in how many Jobs are kept, refuses what makes no sense, and keeps no more Jobs", async () => {
    const stage = new Stage("35-cron-job");
    await stage.apply("crd.yaml");
    await using run = await stage.start(reports);
    const report = (name: string, spec: object) => ({
      apiVersion: "example.com/v1",
      kind: "Report",
      metadata: { name, namespace: "default" },
      spec: { image: "registry.example.com/report:1.0", ...spec },
    });
    const [made] = await run.apply(report("often", { schedule: "* * * * *" }));
    assert.equal(made?.spec?.["keep"], 3);
    const refusal = await run.apply(report("never", { schedule: "every day" })).then(
      () => undefined,
      (error) => error,
    );
    assert.match(
      `${refusal} ${refusal?.cause}`,
      /spec.schedule: Cannot read the cron expression "every day"/,
    );
    const jobs = async (): Promise<string[]> => {
      const { items } = await stage.get("/apis/batch/v1/namespaces/default/jobs");
      return items.map(({ metadata }: { metadata: { name: string } }) => metadata.name).sort();
    };
    assert.deepEqual(await jobs(), []);
    await run.advance(2 * 60);
    const first = await jobs();
    assert.equal(first.length, 2);
    await run.advance(3 * 60);
    const later = await jobs();
    assert.equal(later.length, 3, "no more than it keeps");
    assert.equal(later.filter((name) => first.includes(name)).length, 0, "the newest");
    const path = "/apis/example.com/v1/namespaces/default/reports/often";
    await stage.patch(path, { spec: { suspend: true } });
    await run.advance(5 * 60);
    assert.deepEqual(await jobs(), later, "none while it is suspended");
  });
});

describe("examples/36-versions", () => {
  it("serves the old version to who asks for it, loses nothing on the way, and stores the new one alone", async () => {
    const stage = new Stage("36-versions");
    await stage.apply("crd.yaml", "database.yaml");
    await using run = await stage.start(versions);
    await run.until(() => run.handled("orders").includes("provision"));
    const path = (version: string) => `/apis/example.com/${version}/namespaces/default/databases/orders`;
    assert.equal((await stage.get(path("v1"))).spec.replicas, 3);
    assert.equal((await stage.get(path("v1beta1"))).spec.size, "large");
    await stage.patch(path("v1"), { spec: { replicas: 5 } });
    // An old client writes something else: the number, which it does not know, stays.
    await stage.patch(path("v1beta1"), { metadata: { labels: { team: "a" } } });
    assert.equal((await stage.get(path("v1"))).spec.replicas, 5);
    await run.until(() => run.handled("orders").includes("scale/spec.replicas"));
    const crd = await stage.get(
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/databases.example.com",
    );
    assert.deepEqual(crd.status.storedVersions, ["v1"]);
  });
});
