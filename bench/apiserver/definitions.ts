/**
 * Definitions of custom kinds for measurements: as large as those of public projects, and of our own making.
 */

/** A field of an operator's kind, of some 2.6 KB as JSON: what generators write for a container and the like. */
const PART = {
  type: "object",
  description: "Settings of one part of the machine, which is started when all parts before it are ready."
    .repeat(3),
  required: ["name"],
  properties: {
    name: { type: "string", maxLength: 63, pattern: "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$" },
    mode: { type: "string", enum: ["Always", "IfNeeded", "Never"], default: "IfNeeded" },
    count: { type: "integer", format: "int32", minimum: 0, default: 1 },
    port: { "anyOf": [{ type: "integer" }, { type: "string" }], "x-kubernetes-int-or-string": true },
    labels: { type: "object", additionalProperties: { type: "string" } },
    since: { type: "string", format: "date-time" },
    conditions: {
      "type": "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["type"],
      "items": {
        type: "object",
        description: "One aspect of the state, with the time of its last change and the reason for it.",
        required: ["type", "status"],
        properties: Object.fromEntries(
          ["type", "status", "reason", "message", "lastTransitionTime", "observedBy", "severity"].map((
            key,
          ) => [
            key,
            { type: "string", description: `The ${key} of the condition, as the controller has seen it.` },
          ]),
        ),
      },
    },
    resources: {
      type: "object",
      properties: Object.fromEntries(
        ["limits", "requests"].map((key) => [key, {
          type: "object",
          description: "Amounts by resource, as of a container: see the page about managing resources.",
          additionalProperties: {
            "anyOf": [{ type: "integer" }, { type: "string" }],
            "pattern": "^[+-]?[0-9.]+([KMGTPE]i|[numkMGTPE])?$",
            "x-kubernetes-int-or-string": true,
          },
        }]),
      ),
    },
    rest: { "type": "object", "x-kubernetes-preserve-unknown-fields": true },
  },
};

const PART_SIZE = JSON.stringify(PART).length;

/** Returns a definition of about so many bytes as JSON. */
export function largeDefinition(number: number, bytes: number): unknown {
  const parts = Array.from({ length: Math.ceil(bytes / PART_SIZE) }, (_, index) => [`part${index}`, PART]);
  const plural = `machines${number}`;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.bench.example.com` },
    spec: {
      group: "bench.example.com",
      scope: "Namespaced",
      names: { plural, kind: `Machine${number}` },
      versions: [{
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: { spec: { type: "object", properties: Object.fromEntries(parts) } },
          },
        },
      }],
    },
  };
}
