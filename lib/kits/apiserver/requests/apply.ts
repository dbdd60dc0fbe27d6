/**
 * PATCH with a configuration that is applied: the object is changed, or made if there is none.
 *
 * Source: Kubernetes documentation, "Server-Side Apply"; k8s.io/apiserver, pkg/endpoints/handlers/patch.go, applyPatcher.
 */

import { parseYaml } from "../../../runtime/yaml.ts";
import type { JsonObject, KubeObject } from "../../../model/object.ts";
import { applyConfiguration } from "../apply/applying.ts";
import type { Cluster } from "../cluster.ts";
import { badRequest, Refusal } from "../refusal.ts";
import { isObject } from "../values.ts";
import { checkEndless, readText } from "./body.ts";
import type { Call } from "./call.ts";
import { isTrue } from "./shape.ts";
import { writerOf } from "./writer.ts";

/** Applies a configuration to an object; without one, to nothing. */
export type Applier = (live: KubeObject | undefined) => KubeObject;

/**
 * Reads a configuration from a request.
 *
 * @throws {Refusal} 400 for what cannot be parsed, or is no object.
 */
export async function readConfiguration(
  cluster: Cluster,
  { request, kind, path, query }: Call,
): Promise<Applier> {
  const config = parseConfiguration(await readText(request), query.get("fieldValidation") === "Strict");
  const writer = writerOf(request, query, path.subresource);
  const force = isTrue(query.get("force"));
  return (live) => applyConfiguration(cluster.ownership, { kind, writer, live, config, force });
}

/** @throws {Refusal} 400 for what is no object in YAML or JSON. */
export function parseConfiguration(text: string, strict = false): JsonObject {
  let value: unknown;
  try {
    value = parseYaml(text, { repeatedKeys: true })[0] ?? {};
    checkEndless(text, { value, prefix: "error decoding YAML: " });
    if (strict) checkKeys(text);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw badRequest(`error decoding YAML: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (isObject(value)) return value;
  const word = Array.isArray(value) ? "array" : typeof value;
  throw badRequest(
    `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${word} into Go value of type map[string]interface {}`,
  );
}

/** @throws {Refusal} 400 if a key stands twice. */
function checkKeys(text: string): void {
  try {
    parseYaml(text);
  } catch (error) {
    const place = /duplicated mapping key \((\d+):(\d+)\)/.exec(error instanceof Error ? error.message : "");
    if (place === null) throw error;
    const line = text.split("\n")[Number(place[1]) - 1] ?? "";
    const [key = ""] = /[^\s:"']+/.exec(line.slice(line.search(/[^\s-]/))) ?? [];
    throw badRequest(
      `error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  line ${
        place[1]
      }: key ${JSON.stringify(key)} already set in map`,
    );
  }
}
