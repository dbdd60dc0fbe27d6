/**
 * The webhooks that are configured, and one call of one of them.
 *
 * Source: k8s.io/apiserver, pkg/admission/plugin/webhook/{mutating,validating}/dispatcher.go and errors/statuserror.go.
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import type { Cluster } from "../cluster.ts";
import { shownIn } from "../definitions/conversion.ts";
import { badRequest, forbidden, internal, Refusal, timedOut } from "../refusal.ts";
import { objectAt, objectsIn } from "../values.ts";
import { type Attributes, authorizerFor, shownName } from "./attributes.ts";
import { CallError, callWebhook } from "../hooks/client.ts";
import { Conditions } from "./conditions.ts";
import { matchedKind } from "./matching.ts";
import {
  admissionRequest,
  admissionReview,
  readVerdict,
  reviewVersion,
  type Shown,
  type Verdict,
} from "./review.ts";

export type HookType = "mutating" | "validating";

/** One webhook of one configuration. */
export interface Hook {
  /** Of the configuration and the webhook; several webhooks may have the same name. */
  readonly id: string;
  readonly name: string;
  /** The name of the configuration. */
  readonly configuration: string;
  readonly spec: JsonObject;
}

const COLLECTIONS: Readonly<Record<HookType, string>> = {
  mutating: "mutatingwebhookconfigurations.admissionregistration.k8s.io",
  validating: "validatingwebhookconfigurations.admissionregistration.k8s.io",
};

/** Whether any such webhook is configured. */
export function hasHooks({ store }: Cluster, type: HookType): boolean {
  return store.collection(COLLECTIONS[type]).size > 0;
}

/** Returns the webhooks in the order in which they are called: by the names of their configurations. */
export function hooksOf({ store }: Cluster, type: HookType): Hook[] {
  return [...store.collection(COLLECTIONS[type]).values()].flatMap(({ object }) =>
    objectsIn(object.webhooks).map((spec, index) => ({
      id: `${object.metadata.name}/${spec.name}/${index}`,
      name: String(spec.name),
      configuration: object.metadata.name ?? "",
      spec,
    }))
  );
}

/**
 * Returns the object as the webhook wants to see it; undefined if the request is not meant.
 *
 * @throws {Refusal}
 */
export async function shownTo(
  cluster: Cluster,
  { spec }: Hook,
  attributes: Attributes,
): Promise<Shown | undefined> {
  const kind = matchedKind(cluster, spec, attributes);
  if (kind === undefined) return undefined;
  const show = (object: KubeObject | undefined) =>
    object === undefined || attributes.subject !== undefined ? object : shownIn(object, kind);
  const shown = { kind, object: await show(attributes.object), oldObject: await show(attributes.oldObject) };
  return isMeant(cluster, spec, { attributes, shown }) ? shown : undefined;
}

/** Whether the match conditions hold. */
function isMeant(
  cluster: Cluster,
  spec: JsonObject,
  { attributes, shown }: { readonly attributes: Attributes; readonly shown: Shown },
): boolean {
  const conditions = objectsIn(spec.matchConditions);
  if (conditions.length === 0) return true;
  try {
    const request = admissionRequest(attributes, shown.kind);
    const authorizer = authorizerFor(cluster, attributes);
    return new Conditions(cluster.cel.engine, conditions).hold({ ...shown, request, authorizer });
  } catch (error) {
    if (spec.failurePolicy === "Ignore") return false;
    const why = error instanceof Error ? error.message : String(error);
    throw forbidden(attributes.kind, shownName(attributes), why);
  }
}

export interface HookQuestion {
  readonly type: HookType;
  readonly attributes: Attributes;
  readonly shown: Shown;
}

const PREFIXES: Readonly<Record<HookType, string>> = {
  mutating: "mutation.webhook.admission.k8s.io",
  validating: "validating.webhook.admission.k8s.io",
};

/**
 * Asks one webhook; the place is its own in the audit log, such as "round_0_index_0". Returns undefined if it could not be asked, and that is to be ignored.
 *
 * @throws {Refusal} What the webhook says, or 500 if it could not be asked.
 */
export async function askHook(
  cluster: Cluster,
  hook: Hook,
  { place, ...question }: HookQuestion & { readonly place: string },
): Promise<Verdict | undefined> {
  const { type, attributes } = question;
  const { name, spec } = hook;
  if (attributes.dryRun && spec.sideEffects !== "None" && spec.sideEffects !== "NoneOnDryRun") {
    throw badRequest(`admission webhook ${JSON.stringify(name)} does not support dry run`);
  }
  checkDeadline(cluster, attributes);
  let verdict: Verdict;
  try {
    verdict = await call(cluster, spec, question);
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    checkDeadline(cluster, attributes);
    if (spec.failurePolicy === "Ignore") {
      attributes.annotate(`failed-open.${PREFIXES[type]}/${place}`, name);
      return undefined;
    }
    throw internal(`failed calling webhook ${JSON.stringify(name)}: ${error.message}`);
  }
  for (const [key, value] of Object.entries(verdict.annotations)) {
    attributes.annotate(`${name}/${key}`, value);
  }
  for (const warning of verdict.warnings) attributes.warn(warning);
  if (!verdict.allowed) throw denial(name, verdict.result ?? {});
  return verdict;
}

/** @throws {Refusal} 504 if the client waits no longer, whatever the failure policy is. */
function checkDeadline({ host }: Cluster, { deadline }: Attributes): void {
  if (host.clock.now() >= deadline) throw timedOut();
}

async function call(
  { host }: Cluster,
  spec: JsonObject,
  { type, attributes, shown }: HookQuestion,
): Promise<Verdict> {
  const version = reviewVersion(spec.admissionReviewVersions);
  if (version === undefined) {
    throw new CallError(
      "could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)",
    );
  }
  const uid = host.random.uuid();
  const allowed = typeof spec.timeoutSeconds === "number" ? spec.timeoutSeconds : 10;
  const timeout = Math.min(allowed, (attributes.deadline - host.clock.now()) / 1000);
  const review = admissionReview(attributes, { shown, uid, version });
  let answer: JsonObject;
  try {
    answer = await callWebhook(host, { client: objectAt(spec, "clientConfig") ?? {}, timeout, review });
  } catch (error) {
    if (error instanceof CallError) {
      throw new CallError(`failed to call webhook: ${error.message}`, { cause: error });
    }
    throw error;
  }
  return readVerdict(answer, { uid, version, mutating: type === "mutating" });
}

function denial(name: string, { metadata: _metadata, ...result }: JsonObject): Refusal {
  const denied = `admission webhook ${JSON.stringify(name)} denied the request`;
  const { message, reason, code, details } = result;
  const text = typeof message === "string" && message !== ""
    ? `${denied}: ${message}`
    : typeof reason === "string" && reason !== ""
    ? `${denied}: ${reason}`
    : `${denied} without explanation`;
  return new Refusal({
    kind: "Status",
    apiVersion: "v1",
    status: "Failure",
    message: text,
    ...(typeof reason === "string" && reason !== "" ? { reason } : {}),
    ...(details === undefined ? {} : { details: objectAt(result, "details") ?? {} }),
    code: typeof code === "number" && code >= 400 ? code : 400,
  });
}
