/** What definitions are refused for: schemas that are not structural, lists and maps, conversions, selectable fields, defaults. */

import type { Answer, Session } from "../session.ts";
import { databases, type Scenario } from "./scenario.ts";

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const GROUP = "refused.example.com";

const TEXT = { type: "string" };
const EMBEDDED = { "x-kubernetes-embedded-resource": true };
const PRESERVE = { "x-kubernetes-preserve-unknown-fields": true };
const INT_OR_STRING = { "x-kubernetes-int-or-string": true };

/** Schemas of the root, without the status as a subresource. */
const NOT_STRUCTURAL: readonly Answer[] = [
  { ...PRESERVE, ...INT_OR_STRING },
  { type: "object", ...EMBEDDED, ...INT_OR_STRING },
  { type: "object", ...EMBEDDED },
  { type: "array", ...EMBEDDED, ...PRESERVE },
  { type: "", ...EMBEDDED, ...PRESERVE },
  {
    type: "object",
    properties: { a: { ...EMBEDDED, ...PRESERVE, type: "object", additionalProperties: TEXT } },
  },
  ...["not", "allOf", "anyOf", "oneOf"].map((junctor) => {
    const branch = {
      properties: { a: INT_OR_STRING, b: { ...EMBEDDED, ...PRESERVE }, missing: {}, metadata: {} },
      type: "object",
      description: "x",
      title: "x",
      default: {},
      nullable: true,
      "x-kubernetes-validations": [{ rule: "true" }],
      "x-kubernetes-map-type": "atomic",
      items: { "x-kubernetes-list-type": "set", "x-kubernetes-list-map-keys": ["a"] },
    };
    return {
      type: "object",
      properties: { a: INT_OR_STRING, b: { type: "object", ...EMBEDDED, ...PRESERVE } },
      [junctor]: junctor === "not" ? branch : [branch],
    };
  }),
  {
    properties: { a: { items: { additionalProperties: { properties: { b: {} }, items: {} } } }, c: PRESERVE },
  },
  {
    type: "object",
    properties: {
      a: { ...INT_OR_STRING, anyOf: [{ type: "integer" }, { type: "string" }], allOf: [{ pattern: "a" }] },
      b: {
        ...INT_OR_STRING,
        allOf: [{ anyOf: [{ type: "integer" }, { type: "string" }] }, { pattern: "a" }],
      },
      c: { ...INT_OR_STRING, anyOf: [{ type: "integer" }, { type: "string", pattern: "a" }] },
      d: { ...INT_OR_STRING, allOf: [{ anyOf: [{ type: "integer" }, { type: "string", pattern: "a" }] }] },
      e: { ...INT_OR_STRING, anyOf: [{ type: "integer" }, { type: "string" }, { pattern: "a" }] },
      f: { ...INT_OR_STRING, anyOf: [{ type: "string" }, { type: "integer" }] },
      g: { ...INT_OR_STRING, oneOf: [{ type: "integer" }, { type: "string" }] },
      h: { ...INT_OR_STRING, allOf: [{}, { anyOf: [{ type: "integer" }, { type: "string" }] }] },
      i: { ...INT_OR_STRING, allOf: [{ allOf: [{ anyOf: [{ type: "integer" }, { type: "string" }] }] }] },
      j: { type: "string", anyOf: [{ type: "integer" }, { type: "string" }] },
    },
  },
  { type: "object", properties: { a: { type: "array", items: [TEXT, TEXT] } } },
  { type: "object", properties: { a: { type: "array", items: [] } } },
  { type: "object", properties: { a: { type: "array", items: TEXT, not: { items: [TEXT] } }, b: {} } },
  { type: "object", properties: { a: { type: "null" } } },
  {
    type: "object",
    properties: { a: TEXT, b: { not: { items: {}, properties: { c: {} } } } },
    not: { items: {} },
  },
  {
    type: "object",
    properties: { a: { type: "array", items: TEXT } },
    anyOf: [{ properties: { a: { items: { properties: { b: {} } } } } }],
  },
  { type: "object", additionalProperties: TEXT },
  { type: "object", properties: { metadata: { type: "string" }, kind: { type: "integer" } } },
  { type: "object", properties: { a: TEXT }, patternProperties: { b: TEXT } },
  { type: "object", properties: { a: { $ref: "b" }, b: {} }, definitions: { b: TEXT } },
  { type: "object", properties: { a: { id: "b", dependencies: { a: ["b"] }, additionalItems: true } } },
  { type: "object", properties: { a: { type: "object", "x-kubernetes-preserve-unknown-fields": false } } },
  { type: "object", nullable: true },
];

/** Properties with lists and maps. */
const LISTS: readonly Answer[] = [
  { ...TEXT, "x-kubernetes-list-type": "set" },
  { "x-kubernetes-list-type": "set", ...PRESERVE },
  { type: "array", items: TEXT, "x-kubernetes-list-type": "bag" },
  { type: "array", items: TEXT, "x-kubernetes-list-map-keys": ["a"] },
  { type: "array", items: TEXT, "x-kubernetes-list-type": "set", "x-kubernetes-list-map-keys": ["a"] },
  { type: "array", items: { ...TEXT, nullable: true }, "x-kubernetes-list-type": "set" },
  { type: "array", items: { type: "object" }, "x-kubernetes-list-type": "set" },
  {
    type: "array",
    items: { type: "object", "x-kubernetes-map-type": "atomic" },
    "x-kubernetes-list-type": "set",
  },
  {
    type: "array",
    items: { type: "array", items: TEXT, "x-kubernetes-list-type": "set" },
    "x-kubernetes-list-type": "set",
  },
  { type: "array", items: TEXT, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a"] },
  { type: "array", items: { type: "object" }, "x-kubernetes-list-type": "map" },
  ...[["a"], ["b"], ["c", "c"], ["d"], ["e"], ["missing"]].map((keys) => ({
    type: "array",
    items: {
      type: "object",
      required: ["c", "d", "e"],
      properties: {
        a: TEXT,
        b: { ...TEXT, default: "" },
        c: TEXT,
        d: { type: "object" },
        e: { ...TEXT, nullable: true },
      },
    },
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": keys,
  })),
  { ...TEXT, "x-kubernetes-map-type": "atomic" },
  { ...PRESERVE, "x-kubernetes-map-type": "atomic" },
  { type: "object", "x-kubernetes-map-type": "whole" },
];

/** Conversions. */
const CONVERSIONS: readonly Answer[] = [
  { strategy: "" },
  { strategy: "Other" },
  { strategy: "None", webhook: { conversionReviewVersions: ["v1"] } },
  { strategy: "None", webhook: { clientConfig: { url: "https://a.b" }, conversionReviewVersions: ["v1"] } },
  { strategy: "Webhook" },
  { strategy: "Webhook", webhook: { conversionReviewVersions: [] } },
  { strategy: "Webhook", webhook: { clientConfig: {}, conversionReviewVersions: ["v1", "v1"] } },
  {
    strategy: "Webhook",
    webhook: { clientConfig: { url: "http://a.b/c?d=e#f" }, conversionReviewVersions: ["V 1"] },
  },
  {
    strategy: "Webhook",
    webhook: {
      clientConfig: { service: { name: "", namespace: "" } },
      conversionReviewVersions: ["v1beta2"],
    },
  },
  {
    strategy: "Webhook",
    webhook: {
      clientConfig: { service: { name: "a", namespace: "b", port: 0, path: "//" } },
      conversionReviewVersions: ["v1"],
    },
  },
];

/** Lists of selectable fields. */
const SELECTABLE: readonly (readonly string[])[] = [
  [""],
  ["spec"],
  [".spec"],
  [".spec.missing"],
  [".spec.list"],
  [".spec.list[0]"],
  [".spec.text", ".spec.text"],
  [".metadata.name"],
  [".spec.text."],
  [".spec.numbers.a"],
  [".spec['text']"],
  Array.from({ length: 9 }, (_, index) => `.spec.t${index}`),
];

/** Tells what becomes of a definition; of one that is accepted, only that it is. */
async function judge(api: Session, definition: Answer): Promise<void> {
  const { code, body } = await api.peek("POST", `${DEFINITIONS}?dryRun=All`, definition);
  api.note("definition", { code, body: code < 300 ? {} : body });
}

function dry(version: Answer, spec: Answer = {}): Answer {
  return databases(GROUP, { version: { subresources: undefined, ...version }, spec });
}

export const DEFINING: readonly Scenario[] = [
  {
    name: "refuses schemas that are not structural",
    async run(api) {
      for (const openAPIV3Schema of NOT_STRUCTURAL) {
        api.note("schema", openAPIV3Schema);
        await judge(api, dry({ schema: { openAPIV3Schema } }));
      }
    },
  },
  {
    name: "refuses types of lists and maps that make no sense",
    async run(api) {
      for (const property of LISTS) {
        api.note("property", property);
        const openAPIV3Schema = { type: "object", properties: { a: property } };
        await judge(api, dry({ schema: { openAPIV3Schema } }));
      }
    },
  },
  {
    name: "refuses at the root of a schema what would be lost for the status",
    async run(api) {
      const properties = { a: TEXT };
      const status = { subresources: { status: {} } };
      for (
        const more of [
          { maxProperties: 3 },
          { anyOf: [{ required: ["a"] }] },
          { allOf: [{ properties: { a: { maxLength: 3 } } }], minProperties: 1 },
          { required: ["a"], "x-kubernetes-validations": [{ rule: "self.a != ''" }] },
          { type: "array" },
          { "x-kubernetes-map-type": "atomic" },
          { enum: [{}] },
        ]
      ) {
        const openAPIV3Schema = { type: "object", properties, ...more };
        api.note("more", more);
        await judge(api, dry({ schema: { openAPIV3Schema }, ...status }));
      }
    },
  },
  {
    name: "refuses conversions and selectable fields that make no sense",
    async run(api) {
      for (const conversion of CONVERSIONS) {
        api.note("conversion", conversion);
        await judge(api, dry({}, { conversion }));
      }
      const texts = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`t${index}`, TEXT]));
      const list = { type: "array", items: TEXT };
      const numbers = { type: "object", additionalProperties: { type: "number" } };
      const spec = { type: "object", properties: { text: TEXT, list, numbers, ...texts } };
      const openAPIV3Schema = { type: "object", properties: { spec } };
      for (const paths of SELECTABLE) {
        api.note("selectable", paths);
        const selectableFields = paths.map((jsonPath) => ({ jsonPath }));
        const version = { schema: { openAPIV3Schema }, selectableFields };
        await judge(api, dry(version));
      }
    },
  },
  {
    name: "refuses defaults that break rules, and defaults of metadata",
    async run(api) {
      const rule = (text: string, more: Answer = {}) => ({
        "x-kubernetes-validations": [{ rule: text, ...more }],
      });
      for (
        const property of [
          { ...TEXT, default: "a", ...rule("self == 'b'") },
          { ...TEXT, default: "a", ...rule("self == oldSelf") },
          { ...TEXT, default: "a", ...rule("oldSelf.hasValue()", { optionalOldSelf: true }) },
          {
            type: "object",
            default: { b: "x" },
            properties: { b: { ...TEXT, ...rule("self != 'x'", { message: "no x" }) } },
          },
          { type: "object", properties: { b: { ...TEXT, default: "x", ...rule("self != 'x'") } } },
          { type: "array", items: { ...TEXT, default: "x", ...rule("self != 'x'") } },
          { type: "object", additionalProperties: { ...TEXT, default: "x", maxLength: 0 } },
        ]
      ) {
        api.note("property", property);
        const openAPIV3Schema = { type: "object", properties: { a: property } };
        await judge(api, dry({ schema: { openAPIV3Schema } }));
      }
      for (
        const metadata of [
          { type: "object", default: {} },
          { type: "object", properties: { name: { ...TEXT, default: "x" } } },
          { type: "object", properties: { name: { type: "object", ...EMBEDDED, ...PRESERVE } } },
        ]
      ) {
        api.note("metadata", metadata);
        const openAPIV3Schema = { type: "object", properties: { metadata } };
        await judge(api, dry({ schema: { openAPIV3Schema } }));
      }
    },
  },
];
