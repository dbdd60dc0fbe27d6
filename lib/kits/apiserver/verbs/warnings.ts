/**
 * The warnings that come with the answer to a write: of fields that are not known, and others.
 *
 * Source: Kubernetes documentation, "Field validation"; k8s.io/apiserver, pkg/endpoints/handlers.
 */

import type { KubeObject } from "../../../model/object.ts";
import { badRequest, Refusal } from "../refusal.ts";
import type { WriteOptions } from "../writes/create.ts";
import { finalizerWarnings } from "../writes/metadata.ts";
import type { Call } from "./call.ts";
import type { Decoded } from "../bodies/decode.ts";
import { configurationFault, strictFaults, warningsOf } from "../bodies/strict_faults.ts";

interface ReporterOptions {
  /** The headers of the response, for warnings. */
  readonly headers: Headers;
  readonly decoded: Decoded;
  /** The object before an update. */
  readonly before?: KubeObject;
  /** Makes the refusal of unknown fields. */
  readonly refuse?: (fault: string) => Error;
}

/** Whether anybody wants to know of fields that are not known. */
export function isStrict({ query }: Call): boolean {
  return query.get("fieldValidation") !== "Ignore";
}

/** Returns how unknown fields are reported: not at all, as warnings or as a refusal, as `fieldValidation` says. */
export function reporter(
  { query, kind }: Call,
  { headers, decoded, before, refuse }: ReporterOptions,
): WriteOptions["report"] {
  const mode = query.get("fieldValidation") || "Warn";
  const warn = warner(headers);
  const { source } = decoded;
  return (found) => {
    const unknown = [...decoded.unknown, ...found];
    const faults = mode === "Ignore" ? [] : strictFaults({ source, unknown, custom: kind.custom });
    if (mode === "Strict" && faults.length > 0) {
      const applied = configurationFault(faults);
      if (applied !== undefined && source?.form === "configuration") throw badRequest(applied);
      const fault = `strict decoding error: ${faults.join(", ")}`;
      const { kind: name, version } = kind;
      throw refuse?.(fault) ??
        badRequest(`${name} in version "${version}" cannot be handled as a ${name}: ${fault}`);
    }
    for (const text of faults.flatMap(warningsOf)) warn(text);
    if (kind.custom) { for (const text of finalizerWarnings(decoded.object, before)) warn(text); }
  };
}

/** Returns a function that adds warnings to a response, each once. */
export function warner(headers: Headers): (text: string) => void {
  let given: Set<string> | undefined;
  return (text) => {
    given ??= new Set();
    if (!given.has(text)) headers.append("warning", `299 - ${JSON.stringify(text)}`);
    given.add(text);
  };
}

/** A refusal tells the warnings that came before it. */
export async function warned<T>(headers: Headers, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Refusal) error.warning = headers.get("warning");
    throw error;
  }
}
