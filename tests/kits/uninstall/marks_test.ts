import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { kindsOfChildren, Marks } from "../../../lib/kits/uninstall/marks.ts";
import type { KubeObject } from "../../../lib/model/object.ts";
import { tracesOf } from "../../../lib/registry/traces.ts";
import { operator, persistence } from "../../../mod.ts";

const RECORD = JSON.stringify({
  started: "2026-01-01T00:00:00Z",
  retries: 1,
  success: false,
  failure: false,
});

function objectWith(annotations: Record<string, string>, finalizers: readonly string[] = []): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "it", annotations, finalizers: [...finalizers] },
  };
}

describe("Marks", () => {
  const marksOf = (prefix?: string) =>
    new Marks(
      tracesOf({ operators: [operator({ persistence: persistence.annotations({ prefix }) })] }),
    );

  it("are known names and records under a prefix of the author's own, where people keep annotations, too", () => {
    const object = objectWith({
      "example.com/owner": "people",
      "example.com/size": "{}",
      "example.com/last-handled-configuration": "{}",
      "example.com/kopf-managed": "yes",
      "example.com/provision": RECORD,
      "example.com/pause": "until=2026-12-01T00:00:00Z",
      "lotse.dev/children.keep": "configmaps deployments.apps",
      "lotse.dev/other": "of another operator",
    }, ["other.dev/held", "example.com/finalizer"]);
    const marks = marksOf("example.com");
    assert.deepEqual(marks.annotationsOf(object), [
      "example.com/last-handled-configuration",
      "example.com/kopf-managed",
      "example.com/provision",
      "example.com/pause",
      "lotse.dev/children.keep",
    ]);
    assert.deepEqual([marks.isFinalized(object), marks.othersFinalizers(object)], [true, ["other.dev/held"]]);
    assert.deepEqual(kindsOfChildren(object), ["configmaps", "deployments.apps"]);
  });

  it("are all annotations under Lotse's own prefix", () => {
    const object = objectWith({ "lotse.dev/anything": "x", "lotse.development/mine": "x" });
    assert.deepEqual(marksOf().annotationsOf(object), ["lotse.dev/anything"]);
    assert.equal(marksOf().hasNotes(objectWith({})), false);
  });

  it("are fields of the status; an object that holds nothing else goes as a whole", () => {
    const traces = tracesOf({ operators: [operator({ persistence: persistence.status() })] });
    const marks = new Marks(traces);
    const notes = { "last-handled-configuration": "{}", progress: {} };
    const withStatus = (lotse: object) => ({ ...objectWith({}), status: { lotse, phase: "Ready" } });
    assert.deepEqual(new Set(marks.fieldsOf(withStatus(notes)).map(String)), new Set(["status,lotse"]));
    assert.deepEqual(
      marks.fieldsOf(withStatus({ ...notes, mine: 1 })).map(String).sort(),
      ["status,lotse,last-handled-configuration", "status,lotse,progress"],
    );
  });
});
