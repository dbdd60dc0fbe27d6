/**
 * What a scenario is, and the kinds that scenarios use.
 */

import type { Answer, Session } from "../session.ts";

/** A story that every API server must tell alike. */
export interface Scenario {
  /** A sentence about the API server; it begins with a verb. */
  readonly name: string;
  run(api: Session): Promise<void>;
  /** Differences that are known and accepted, as patterns of difference lines, with the reason. */
  readonly accepted?: readonly { readonly line: RegExp; readonly because: string }[];
}

/** Returns the schema of the kind that most scenarios use. */
export function databaseSchema(): Answer {
  return {
    type: "object",
    required: ["spec"],
    properties: {
      spec: {
        type: "object",
        required: ["engine"],
        properties: {
          engine: { type: "string", enum: ["postgresql", "mysql"] },
          version: { type: "string", minLength: 2, pattern: "^[0-9.]+$" },
          replicas: { type: "integer", format: "int32", minimum: 1, maximum: 5, default: 1 },
          backupEnabled: { type: "boolean", default: true },
          port: { "x-kubernetes-int-or-string": true },
          until: { type: "string", format: "date-time" },
          note: { type: "string", nullable: true, maxLength: 10 },
          labels: { type: "object", additionalProperties: { type: "string" } },
          limits: {
            type: "object",
            minProperties: 1,
            properties: { cpu: { type: "number" }, memory: { type: "integer" } },
          },
          tags: { type: "array", maxItems: 3, items: { type: "string" }, "x-kubernetes-list-type": "set" },
          users: {
            type: "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name"],
            items: {
              type: "object",
              required: ["name"],
              properties: { name: { type: "string" }, role: { type: "string", default: "reader" } },
            },
          },
          free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
          choice: {
            type: "object",
            properties: { a: { type: "string" }, b: { type: "string" } },
            oneOf: [{ required: ["a"] }, { required: ["b"] }],
          },
        },
      },
      status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    },
  };
}

/** Returns a definition of databases in a group of the scenario's own. */
export function databases(group: string, changes: { spec?: Answer; version?: Answer } = {}): Answer {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `databases.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural: "databases", kind: "Database", shortNames: ["db"] },
      versions: [{
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: databaseSchema() },
        ...changes.version,
      }],
      ...changes.spec,
    },
  };
}

/** Returns a database for POST. */
export function database(group: string, name: string, spec: Answer = { engine: "mysql" }): Answer {
  return { apiVersion: `${group}/v1`, kind: "Database", metadata: { name }, spec };
}

/** Returns a ConfigMap for POST. */
export function configMap(name: string, data: Answer = { a: "1" }): Answer {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data };
}
