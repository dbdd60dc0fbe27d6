/**
 * The faults of strict field validation, in Kubernetes' words: unknown keys, and keys that stand twice.
 *
 * Sources: k8s.io/apimachinery, pkg/runtime/serializer/json; k8s.io/apiserver, pkg/endpoints/handlers/patch.go;
 * k8s.io/apiextensions-apiserver, pkg/apiserver/customresource_handler.go.
 */

import { parseJson } from "../../../runtime/json.ts";
import { parseLenientYaml, type RepeatedKey } from "../../../runtime/yaml.ts";
import { isObject } from "../values.ts";
import { duplicateKeys, keyFaults } from "./duplicates.ts";

/** A body as it came: an object, a patch, or a configuration that is applied. */
export interface Source {
  readonly text: string;
  readonly form: "json" | "yaml" | "merge patch" | "strategic patch" | "json patch" | "configuration";
}

/** The object that was made of a body. */
export interface Read {
  /** Undefined for protocol buffers, which have no text. */
  readonly source?: Source;
  /** The paths of its unknown fields. */
  readonly unknown: readonly string[];
  readonly custom: boolean;
}

/** Returns the faults, each with a text; the one about YAML has a line for each key. */
export function strictFaults({ source, unknown, custom }: Read): string[] {
  const { text = "", form } = source ?? {};
  const unknownFaults = (paths: readonly string[]) => paths.map((path) => `unknown field "${path}"`);
  const duplicates = () => duplicateKeys(text).map((path) => `duplicate field "${path}"`);
  // The keys of a built-in kind are told in the order of the alphabet, the keys of a custom kind in their own.
  const sorted = () => unknownFaults(custom ? unknown : [...unknown].sort());
  switch (form) {
    case "json":
      if (custom) return [...duplicates(), ...sorted()];
      return keyFaults(text, unknown).map(({ path, is }) => `${is} field "${path}"`);
    case "yaml":
      return [...yamlFaults(parseLenientYaml(text).repeated), ...sorted()];
    case "merge patch":
    case "strategic patch":
      return [...duplicates(), ...sorted()];
    case "json patch":
      return [...operationFaults(text), ...sorted()];
    case "configuration":
      return [...yamlFaults(parseLenientYaml(text).repeated), ...unknownFaults(unknown)];
    case undefined:
      return unknownFaults(unknown);
  }
}

const REPEATED = "yaml: unmarshal errors:\n";

function yamlFaults(repeated: readonly RepeatedKey[]): string[] {
  if (repeated.length === 0) return [];
  const lines = repeated.map(({ key, line }) =>
    `  line ${line}: key ${JSON.stringify(key)} already set in map`
  );
  return [REPEATED + lines.join("\n")];
}

/** Returns the refusal's words for a configuration whose YAML has a key twice; undefined if none has. */
export function configurationFault(faults: readonly string[]): string | undefined {
  const found = faults.find((fault) => fault.startsWith(REPEATED));
  return found === undefined
    ? undefined
    : `error strict decoding YAML: error converting YAML to JSON: ${found}`;
}

/** Returns a fault as warnings: one for each line about YAML. */
export function warningsOf(fault: string): string[] {
  if (!fault.startsWith(REPEATED)) return [fault];
  return fault.slice(REPEATED.length).split("\n").map((line) => line.trim());
}

const OPERATION = ["op", "path", "from", "value"];

/** NB: a JSON patch itself is strict, the values that it adds are not. */
function operationFaults(text: string): string[] {
  const operations = parseJson(text, 64);
  if (!Array.isArray(operations)) return [];
  const unknown = operations.flatMap((operation: unknown, index) =>
    Object.keys(isObject(operation) ? operation : {})
      .filter((key) => !OPERATION.includes(key))
      .map((key) => `[${index}].${key}`)
  );
  return keyFaults(text, unknown).map(({ path, is }) => `json patch ${is} field "${path}"`);
}
