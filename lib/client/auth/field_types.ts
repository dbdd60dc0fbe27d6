/**
 * Types of the fields that client-go reads in a kubeconfig: a value of another type is refused by the field's name.
 *
 * A field that is passed over is worse than one that is refused: `insecure-skip-tls-verify: "true"` would check certificates all the
 * same, and a group without quotes would be no group. Source: client-go, `tools/clientcmd/api/v1/types.go`.
 */

import { isObject } from "../../model/json.ts";
import type { JsonObject } from "../../model/object.ts";
import { LoginError } from "../errors.ts";

/** The types of fields; a field with members of its own as a table. */
export type FieldTypes = Readonly<
  Record<string, "text" | "flag" | "texts" | "texts by name" | "objects" | "extension">
>;

export const CONTEXT_FIELDS: FieldTypes = { cluster: "text", user: "text", namespace: "text" };

export const CLUSTER_FIELDS: FieldTypes = {
  "server": "text",
  "tls-server-name": "text",
  "insecure-skip-tls-verify": "flag",
  "certificate-authority": "text",
  "certificate-authority-data": "text",
  "proxy-url": "text",
  "disable-compression": "flag",
};

export const USER_FIELDS: FieldTypes = {
  "client-certificate": "text",
  "client-certificate-data": "text",
  "client-key": "text",
  "client-key-data": "text",
  "token": "text",
  "tokenFile": "text",
  "as": "text",
  "as-uid": "text",
  "as-groups": "texts",
  "as-user-extra": "texts by name",
  "username": "text",
  "password": "text",
  "auth-provider": "extension",
  "exec": "extension",
};

export const EXEC_FIELDS: FieldTypes = {
  command: "text",
  args: "texts",
  env: "objects",
  apiVersion: "text",
  installHint: "text",
  provideClusterInfo: "flag",
  interactiveMode: "text",
};

export const PROVIDER_FIELDS: FieldTypes = { name: "text", config: "extension" };

const RULES: Readonly<Record<FieldTypes[string], { is: (value: unknown) => boolean; expected: string }>> = {
  "text": { is: isText, expected: "a text (in quotes, if it looks like something else)" },
  "flag": { is: (value) => typeof value === "boolean", expected: "true or false, without quotes" },
  "texts": { is: isTexts, expected: "a list of texts" },
  "texts by name": {
    is: (value) => isObject(value) && Object.values(value).every((each) => each === null || isTexts(each)),
    expected: "lists of texts by names",
  },
  "objects": { is: (value) => Array.isArray(value) && value.every(isObject), expected: "a list of objects" },
  "extension": { is: isObject, expected: "an object" },
};

/** @throws {LoginError} If a field has a value of another type; the message names both, and no value, which may be secret. */
export function checkFields(place: string, content: JsonObject, types: FieldTypes): void {
  for (const [name, type] of Object.entries(types)) {
    const value = Object.hasOwn(content, name) ? content[name] : undefined;
    if (value === undefined || value === null || RULES[type].is(value)) continue;
    throw new LoginError(
      `Cannot use ${place}: "${name}" is ${kindOf(value)}, and must be ${RULES[type].expected}`,
    );
  }
}

/** NB: numbers count as texts: readers that keep them as they are written give texts anyway. */
function isText(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "bigint";
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText);
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "string") return "a text";
  return typeof value === "boolean" ? "a boolean" : typeof value === "object" ? "an object" : "a number";
}
