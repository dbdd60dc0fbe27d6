/**
 * PATCH with a configuration that is applied: the object is changed, or made if there is none.
 *
 * Source: Kubernetes documentation, "Server-Side Apply"; k8s.io/apiserver, pkg/endpoints/handlers/patch.go, applyPatcher.
 */

import { parseLenientYaml } from "../../../runtime/yaml.ts";
import type { JsonObject, KubeObject } from "../../../model/object.ts";
import { applyConfiguration } from "../apply/applying.ts";
import type { Views } from "../apply/views.ts";
import type { Cluster } from "../cluster.ts";
import { isTrue } from "../paths.ts";
import { badRequest, Refusal } from "../refusal.ts";
import { isObject } from "../values.ts";
import { checkEndless, readText } from "../bodies/body.ts";
import type { Call } from "./call.ts";
import type { Source } from "../bodies/strict_faults.ts";
import { writerOf } from "../options/writer.ts";

/** Applies a configuration to an object; without one, it makes a new object. */
export type Applier = (live: KubeObject | undefined, views?: Views) => KubeObject;

/** A configuration, and the text that it came from. */
export interface Configuration {
  readonly applyTo: Applier;
  readonly source: Source;
}

/**
 * Reads a configuration from a request.
 *
 * @throws {Refusal} 400 if it cannot be parsed, or is no object.
 */
export async function readConfiguration(
  cluster: Cluster,
  { request, kind, path, query }: Call,
): Promise<Configuration> {
  const text = await readText(request);
  const config = parseConfiguration(text);
  const writer = writerOf(request, query, path.subresource);
  const force = isTrue(query.get("force"));
  const applyTo: Applier = (live, views) =>
    applyConfiguration(cluster.ownership, { kind, writer, live, config, force, views });
  return { applyTo, source: { text, form: "configuration" } };
}

/** @throws {Refusal} 400 if it is no object in YAML or JSON. */
export function parseConfiguration(text: string): JsonObject {
  let value: unknown;
  try {
    value = parseLenientYaml(text).documents[0] ?? {};
    checkEndless(text, { value, prefix: "error decoding YAML: " });
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
