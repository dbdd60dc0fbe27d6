/** Runs the examples about what handlers leave behind, and holds them to what their READMEs say. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import errors from "../../examples/10-errors/handlers.ts";
import results from "../../examples/11-results/handlers.ts";
import patches from "../../examples/12-patches/handlers.ts";
import subHandlers from "../../examples/13-subhandlers/handlers.ts";
import persistence from "../../examples/14-persistence/handlers.ts";
import { Stage } from "../support/stage.ts";

const BASE = "/apis/example.com/v1/namespaces/default";

describe("examples/10-errors", () => {
  it("pays at the third attempt, 15 s later, and refuses what is above the limit", async () => {
    const stage = new Stage("10-errors");
    await stage.apply("crd.yaml", "transfer.yaml");
    await using runner = await stage.start(errors);
    await runner.advance(14);
    assert.equal((await stage.get(`${BASE}/transfers/rent`)).status?.state, undefined);
    await runner.advance(2);
    assert.equal((await stage.get(`${BASE}/transfers/rent`)).status.state, "paid");
    await stage.patch(`${BASE}/transfers/rent`, { spec: { amount: 60 } });
    await runner.advance(60);
    assert.equal((await stage.get(`${BASE}/transfers/rent`)).status.state, "refused");
    stage.compareWithReadme(runner);
  });
});

describe("examples/11-results", () => {
  it("keeps results under the handlers' ids, and follows a field of the status", async () => {
    const stage = new Stage("11-results");
    await stage.apply("crd.yaml", "survey.yaml");
    await using runner = await stage.start(results);
    const survey = `${BASE}/surveys/feedback`;
    const { status } = await stage.get(survey);
    assert.deepEqual([status.phase, status.count, status.publish.url], [
      "Open",
      2,
      "https://surveys.example.com/feedback",
    ]);
    await stage.patch(`${survey}/status`, { status: { phase: "Closed" } });
    await runner.settle();
    stage.compareWithReadme(runner);
  });
});

describe("examples/12-patches", () => {
  it("changes the object, and is called for what it has changed", async () => {
    const stage = new Stage("12-patches");
    await stage.apply("crd.yaml", "guestlist.yaml");
    await using runner = await stage.start(patches);
    const { metadata, spec, status: { lotse: _, ...status } } = await stage.get(`${BASE}/guestlists/party`);
    assert.deepEqual(spec, { guests: ["ann", "host"], size: 1 });
    assert.equal(metadata.labels.prepared, "yes");
    assert.deepEqual(status, { welcomed: ["ann", "host"] });
    stage.compareWithReadme(runner);
  });
});

describe("examples/13-subhandlers", () => {
  it("launches each ship once, and tries again where one has a leak", async () => {
    const stage = new Stage("13-subhandlers");
    await stage.apply("crd.yaml", "fleet.yaml");
    await using runner = await stage.start(subHandlers);
    await runner.advance(10);
    const { status: { lotse: _, ...status } } = await stage.get(`${BASE}/fleets/harbour`);
    assert.deepEqual(status, { "launch/anna": { afloat: true }, "launch/berta": { afloat: true } });
    stage.compareWithReadme(runner);
  });
});

describe("examples/14-persistence", () => {
  it("goes on where Kopf has stopped, and leaves notes that Kopf would write", async () => {
    const stage = new Stage("14-persistence");
    await stage.apply("crd.yaml", "recipe.yaml");
    await using runner = await stage.start(persistence);
    await stage.patch(`${BASE}/recipes/soup`, { spec: { text: "boil milk" } });
    await runner.settle();
    const { metadata, status } = await stage.get(`${BASE}/recipes/soup`);
    assert.deepEqual(metadata.annotations, {
      "kopf.zalando.org/last-handled-configuration": '{"spec":{"text":"boil milk"}}\n',
    });
    assert.equal(status.cooked, "boil milk");
    stage.compareWithReadme(runner);
  });
});
