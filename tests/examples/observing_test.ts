/** Runs the examples about what can be seen of an operator, and holds them to what their READMEs say. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, describe, it } from "node:test";
import { context, trace } from "@opentelemetry/api";
import events from "../../examples/15-events/handlers.ts";
import tracing from "../../examples/16-tracing/handlers.ts";
import ledger from "../../examples/17-ledger/handlers.ts";
import why from "../../examples/37-why/handlers.ts";
import { Stage } from "../support/stage.ts";

const BASE = "/apis/example.com/v1/namespaces/default";

// The example about tracing has registered itself, for the whole process.
after(() => {
  trace.disable();
  context.disable();
});

describe("examples/15-events", () => {
  it("posts an event of its own, warnings of its log, and an exception", async () => {
    const stage = new Stage("15-events");
    await stage.apply("crd.yaml", "ferry.yaml");
    await using runner = await stage.start(events);
    await stage.patch(`${BASE}/ferries/elbe-3`, { spec: { passengers: 210 } });
    await runner.advance(1);
    const { items } = await stage.get("/apis/events.k8s.io/v1/namespaces/default/events");
    const posted = items.map(({ type, reason, note }: Record<string, unknown>) => ({ type, reason, note }));
    const told = new Map(posted.map(({ note, ...rest }: Record<string, unknown>) => [note, rest]));
    assert.deepEqual(told.get("180 are on board"), { type: "Normal", reason: "Boarded" });
    assert.deepEqual(told.get("Nearly full free=20"), { type: "Warning", reason: "Logging" });
    assert.deepEqual(told.get("There are 200 seats, not 210"), { type: "Warning", reason: "Overcrowded" });
    assert.equal(posted.length, 4, "the log's line about the failure is one more");
  });
});

describe("examples/16-tracing", () => {
  it("prints its spans, nested in each other", async () => {
    const stage = new Stage("16-tracing");
    await stage.apply("crd.yaml", "parcel.yaml");
    await using runner = await stage.start(tracing);
    assert.equal((await stage.get(`${BASE}/parcels/books`)).status.state, "sent");
    assert.ok(await stage.get("/api/v1/namespaces/default/configmaps/books-label"));
    stage.compareWithReadme(runner);
  });
});

describe("examples/17-ledger", () => {
  it("says why a handler was not called", async () => {
    const stage = new Stage("17-ledger");
    await stage.apply("crd.yaml", "kiln.yaml");
    await using runner = await stage.start(ledger);
    await stage.patch(`${BASE}/kilns/north`, { spec: { temperature: 1050 } });
    await runner.advance(61);
    await stage.patch(`${BASE}/kilns/north`, { metadata: { labels: { state: "open" } } });
    await runner.settle();
    stage.compareWithReadme(runner);
  });
});

describe("examples/37-why", () => {
  it("is answered as its README says", async () => {
    const stage = new Stage("37-why");
    await stage.apply("crd.yaml", "ovens.yaml");
    await using runner = await stage.start(why);
    await runner.advance(120);
    const readme = readFileSync(new URL("../../examples/37-why/README.md", import.meta.url), "utf8");
    const told = [...readme.matchAll(/```text why\n([^`]*(?:`[^`]+`[^`]*)*)\n```/g)].map(([, text = ""]) =>
      text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    );
    const answers = ["dirty", "cold", "dark"].map((name) => {
      const { object, answer, handlers } = why.why({ kind: "ovens", namespace: "default", name });
      const lines = handlers.map(({ id, state }) => `  ${id}: ${state}`);
      return [object, `  ${answer.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")}`, "", "Handlers", ...lines]
        .join("\n");
    });
    assert.deepEqual(told, answers);
    const failed = runner.logs.find(({ message }) => message === "Handler failed temporarily");
    assert.deepEqual([failed?.reference?.name, failed?.fields.retryIn], ["cold", 300]);
  });
});
