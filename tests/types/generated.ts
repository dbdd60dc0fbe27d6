/**
 * Types that `lotse generate types` makes, and handlers that use them: strange names, templates that go to a child as they are, a spec
 * for a helper.
 */

import assert from "node:assert/strict";
import { Bakery } from "../../examples/27-schemas/handlers.ts";
import { makeCrds } from "../../lib/kits/definitions/crds.ts";
import { makeTypes as makeAll } from "../../lib/kits/generate/types.ts";
import type { JsonObject } from "../../lib/model/object.ts";

/** Returns modules by their names: each has to compile. */
export function generatedModules(): Map<string, string> {
  const text = { type: "string" };
  const quantity = { anyOf: [{ type: "integer" }, text], "x-kubernetes-int-or-string": true };
  const list = (properties: JsonObject) => ({
    type: "array",
    items: { type: "object", properties, required: ["name"] },
  });
  const env = list({ name: text, value: text });
  const resources = {
    type: "object",
    properties: { limits: { type: "object", additionalProperties: quantity } },
  };
  const ports = list({
    name: text,
    containerPort: { type: "integer" },
    protocol: { ...text, default: "TCP" },
  });
  ports.items.required = ["containerPort"];
  const containers = list({
    name: text,
    image: text,
    args: { type: "array", items: text },
    env,
    resources,
    ports,
  });
  const pod = { type: "object", properties: { containers, restartPolicy: text }, required: ["containers"] };
  const metadata = { type: "object" };
  const template = { type: "object", properties: { metadata, spec: pod } };
  const job = {
    type: "object",
    properties: { template, suspend: { type: "boolean" } },
    required: ["template"],
  };
  const jobTemplate = { type: "object", properties: { metadata, spec: job } };
  const spec = {
    type: "object",
    properties: { jobTemplate, size: { type: "integer", default: 1 } },
    required: ["jobTemplate"],
  };
  const handlers = `import { kinds, operator } from "@lotse/lotse";
import { child } from "@lotse/lotse/children";
import { Net, type NetSpec } from "./generated.ts";
const op = operator();
const images = (spec: NetSpec) => spec.jobTemplate.spec?.template.spec?.containers.map(({ image }) => image);
op.reconcile(Net, async ({ name, spec, children, logger }) => {
logger.info("Images", { images: images(spec), size: spec.size + 1 });
const { metadata, spec: job } = spec.jobTemplate;
const at = { name, namespace: "default" };
await op.api.ensure(kinds.Job, { metadata: { ...metadata, ...at }, spec: job });
await op.api.create(kinds.Job, { metadata: { ...metadata, ...at }, spec: job });
await op.api.patch(kinds.Job, at, { metadata: { labels: metadata?.labels }, spec: job });
await children({ job: child(kinds.Job, { metadata: { labels: metadata?.labels }, spec: job }) });
await op.api.create(Net, { metadata: at, spec: { jobTemplate: { spec: job } } });
// @ts-expect-error: a misspelt field of a template is no field
logger.info("Misspelt", { x: job?.template.spec?.contaners });
});
export default op;
`;
  const strange = {
    type: "object",
    properties: {
      ["__proto__"]: { type: "string" },
      'a"b': { type: "string", enum: ['"', "*/"], description: "*/ evil" },
      deep: {
        type: "array",
        items: { oneOf: [{ type: "string" }, { type: "object", properties: { a: {} } }] },
      },
      union: {
        ...{ type: "object", properties: { a: { type: "string" }, b: { type: "integer" } } },
        oneOf: [{ required: ["a"] }, { required: ["b"] }],
      },
    },
  };
  return new Map([
    ["generated", makeTypes([crd(spec)])],
    ["generated_handlers", handlers],
    ["generated_strange", makeTypes([crd(strange)])],
    ["generated_bakery", makeTypes(makeCrds([Bakery.options]))],
  ]);
}

/** The text of a module of definitions that are all whole. */
export function makeTypes(crds: readonly JsonObject[]): string {
  const { text, refusals } = makeAll(crds);
  assert.deepEqual(refusals, []);
  return text;
}

/** A definition with this schema of spec, and what else stands in its own spec. */
export function crd(spec: JsonObject | undefined, more: JsonObject = {}): JsonObject {
  const openAPIV3Schema = { type: "object", properties: { spec } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "nets.example.com" },
    spec: {
      group: "example.com",
      scope: "Cluster",
      names: { plural: "nets", kind: "Net" },
      versions: [{ name: "v1", served: true, storage: true, ...spec && { schema: { openAPIV3Schema } } }],
      ...more,
    },
  };
}
