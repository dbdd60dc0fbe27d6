import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { settingsFromDocuments, settingsFromVariables, variableOf } from "../../lib/settings/sources.ts";

function from(variables: Readonly<Record<string, string>>) {
  return settingsFromVariables(Object.keys(variables), (name) => variables[name]);
}

describe("settingsFromVariables()", () => {
  it("takes values as the settings want them", () => {
    const settings = from({
      LOTSE_EXECUTION_DEFAULT_BACKOFF: "10",
      LOTSE_POSTING_ENABLED: "false",
      LOTSE_POSTING_LEVEL: "warn",
      LOTSE_PEERING_NAME: "123",
      LOTSE_QUEUEING_WORKER_LIMIT: "null",
      LOTSE_QUEUEING_ERROR_DELAYS: "[1, 2]",
      HOME: "/root",
    });
    assert.deepEqual(settings, {
      execution: { defaultBackoff: 10 },
      posting: { enabled: false, level: "warn" },
      peering: { name: "123" },
      queueing: { workerLimit: null, errorDelays: [1, 2] },
    });
  });

  it("leaves the options of commands alone, and refuses everything else that begins so", () => {
    assert.deepEqual(from({ LOTSE_RUN_NAMESPACE: "default", LOTSE_SETTINGS: "x.yaml" }), {});
    assert.throws(() => from({ LOTSE_EXECUTION_MAX_WORKER: "1" }), {
      name: "TypeError",
      message: /"LOTSE_EXECUTION_MAX_WORKER" .*did you mean "LOTSE_EXECUTION_MAX_WORKERS"/,
    });
    assert.throws(() => from({ LOTSE_NONSENSE: "1" }), /no such setting/);
    assert.throws(() => from({ LOTSE_ADMISSION_SERVER: "x" }), /"admission\.server" is made of code/);
  });
});

describe("variableOf()", () => {
  it("is the setting's name in capitals", () => {
    assert.equal(variableOf("execution.maxWorkers"), "LOTSE_EXECUTION_MAX_WORKERS");
  });
});

describe("settingsFromDocuments()", () => {
  it("takes one object of sections, and nothing that is made of code", () => {
    assert.deepEqual(settingsFromDocuments([{ posting: { level: "warn" } }], "x"), {
      posting: { level: "warn" },
    });
    assert.deepEqual(settingsFromDocuments([], "x"), {});
    assert.throws(() => settingsFromDocuments([{}, {}], "x.yaml"), /"x\.yaml": it must hold one object/);
    assert.throws(() => settingsFromDocuments([["a"]], "x.yaml"), TypeError);
    assert.throws(
      () => settingsFromDocuments([{ admission: { server: {} } }], "x"),
      /"admission\.server" from "x"/,
    );
  });
});
