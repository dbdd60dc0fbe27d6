import assert from "node:assert/strict";
import { describe, it } from "node:test";
import ferry from "../../../examples/18-admission/handlers.ts";
import bakery from "../../../examples/27-schemas/handlers.ts";
import { operatorIn } from "../../../lib/kits/uninstall/manifests.ts";
import type { KubeObject } from "../../../lib/model/object.ts";
import { TRACES_ANNOTATION, tracesOf } from "../../../lib/registry/traces.ts";
import { manifestsOf } from "../../support/manifests.ts";

function made(): KubeObject[] {
  const { crds, rbac, operator } = manifestsOf({
    ...{ operators: [bakery], name: "bakery", home: "bread", image: "bakery:1" },
  });
  return [...crds, ...rbac, ...operator];
}

/** As people write them. */
function unmarked(): KubeObject[] {
  return made().map((each) =>
    each.kind === "Deployment" ? { ...each, metadata: { ...each.metadata, annotations: {} } } : each
  );
}

describe("operatorIn()", () => {
  it("reads the traces that the Deployment carries: the same as those of the code", () => {
    const { traces, ...rest } = operatorIn(made());
    assert.deepEqual(rest, { name: "bakery", home: "bread", isGuess: false });
    const { kinds, replicas: _, ...own } = tracesOf({ operators: [bakery] });
    assert.deepEqual({ ...traces, kinds: [] }, { ...own, kinds: [], replicas: undefined });
    assert.ok(traces.kinds.length > 0 && traces.kinds.length <= kinds.length);
  });

  it("takes the kinds of definitions and roles where the Deployment does not say what it leaves", () => {
    const { traces, isGuess } = operatorIn(unmarked());
    assert.equal(isGuess, true);
    assert.deepEqual(traces.kinds.map(({ plural, group }) => `${plural}.${group}`), ["bakeries.example.com"]);
    assert.deepEqual(traces.finalizers, ["lotse.dev/finalizer"]);
    assert.deepEqual(traces.definitions, ["bakeries.example.com"]);
  });

  it("finds the webhook configurations in the manifests themselves", () => {
    const { operator } = manifestsOf({
      ...{ operators: [ferry], name: "ferry", home: "harbour", image: "ferry:1" },
    });
    const [deployment, ...others] = operator;
    const hooks = others.filter(({ kind }) => kind?.endsWith("WebhookConfiguration"));
    const traces = operatorIn([{ ...deployment!, metadata: { name: "ferry" } }, ...hooks]).traces;
    assert.deepEqual(traces.configurations, tracesOf({ operators: [ferry] }).configurations);
  });

  it("refuses manifests without a Deployment, and with several", () => {
    const other: KubeObject = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "database" } };
    assert.throws(() => operatorIn([]), /^TypeError: No Deployment is in the manifests$/);
    assert.throws(() => operatorIn(made(), "oven"), /No Deployment "oven"/);
    assert.throws(
      () => operatorIn([...unmarked(), other]),
      /"bakery", "database" \(choose one with --name\)/,
    );
    assert.equal(operatorIn([...made(), other]).name, "bakery", "the one that carries traces");
    assert.equal(operatorIn([...unmarked(), other], "bakery").name, "bakery");
    const broken = { ...other, metadata: { ...other.metadata, annotations: { [TRACES_ANNOTATION]: "{" } } };
    assert.throws(() => operatorIn([broken]), SyntaxError);
  });
});
