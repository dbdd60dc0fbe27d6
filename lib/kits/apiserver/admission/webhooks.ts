/**
 * The webhooks that are configured, and one call of one of them.
 *
 * Source: k8s.io/apiserver, pkg/admission/plugin/webhook/{mutating,validating}/dispatcher.go and errors/statuserror.go.
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import type { Cluster } from "../cluster.ts";
import { keptFrom, shownIn } from "../definitions/conversion.ts";
import type { Admission, Mutator } from "../parts.ts";
import { applyJsonPatch } from "../patches/json_patch.ts";
import { badRequest, forbidden, internal, Refusal, timedOut } from "../refusal.ts";
import { clone, equal, isObject, objectAt, objectsIn } from "../values.ts";
import { type Attributes, authorizerFor, isExemptOfWebhooks, shownName } from "./attributes.ts";
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

type HookType = "mutating" | "validating";

/** One webhook of one configuration. */
interface Hook {
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

/** Returns the part that asks webhooks: mutating ones one by one, and validating ones all at once. */
export function webhooks(cluster: Cluster): Admission {
  return {
    concerns: () => hasHooks(cluster, "mutating") || hasHooks(cluster, "validating"),
    mutators: ({ kind }) =>
      isExemptOfWebhooks(kind)
        ? []
        : hooksOf(cluster, "mutating").map((hook, index) => new MutatingHook(cluster, hook, index)),
    validate: (attributes) =>
      isExemptOfWebhooks(attributes.kind) ? undefined : askValidating(cluster, attributes),
  };
}

function hasHooks({ store }: Cluster, type: HookType): boolean {
  return store.collection(COLLECTIONS[type]).size > 0;
}

/** A webhook that may change objects. */
class MutatingHook implements Mutator {
  readonly id: string;
  readonly isRepeatable: boolean;
  readonly #cluster: Cluster;
  readonly #hook: Hook;
  readonly #index: number;

  constructor(cluster: Cluster, hook: Hook, index: number) {
    this.id = hook.id;
    this.isRepeatable = hook.spec.reinvocationPolicy === "IfNeeded";
    this.#cluster = cluster;
    this.#hook = hook;
    this.#index = index;
  }

  async change(attributes: Attributes, round: number): Promise<KubeObject | undefined> {
    const shown = await shownTo(this.#cluster, this.#hook, attributes);
    if (shown === undefined) return undefined;
    const place = `round_${round}_index_${this.#index}`;
    let found = attributes.object;
    try {
      const question = { type: "mutating", attributes, shown, place } as const;
      const { patch = [] } = await askHook(this.#cluster, this.#hook, question) ?? {};
      if (patch.length > 0) {
        found = await this.#patched(attributes, shown, patch);
        this.#tell(attributes, { what: "patch", place, patch: patch.map(sorted), patchType: "JSONPatch" });
      }
    } finally {
      this.#tell(attributes, { what: "mutation", place, mutated: found !== attributes.object });
    }
    return found;
  }

  #tell(
    { annotate }: Attributes,
    { what, place, ...more }: { readonly what: "patch" | "mutation"; readonly place: string } & JsonObject,
  ): void {
    const value = JSON.stringify({
      configuration: this.#hook.configuration,
      webhook: this.#hook.name,
      ...more,
    });
    annotate(`${what}.webhook.admission.k8s.io/${place}`, value, what === "patch" ? "Request" : "Metadata");
  }

  async #patched(
    { object: before, subject }: Attributes,
    { kind, object }: Shown,
    patch: readonly unknown[],
  ): Promise<KubeObject | undefined> {
    if (object === undefined) {
      const name = JSON.stringify(this.#hook.name);
      throw internal(
        `admission webhook ${name} attempted to modify the object, which is not supported for this operation`,
      );
    }
    const patched = patchedObject(object, patch);
    if (subject === undefined) kind.rules.normalize(patched);
    if (equal(patched, object)) return before;
    return subject === undefined ? await keptFrom(patched, kind, before?.apiVersion) : patched;
  }
}

/** An operation with its keys in Go's order. */
function sorted(operation: unknown): unknown {
  return isObject(operation)
    ? Object.fromEntries(Object.entries(operation).sort(([a], [b]) => a < b ? -1 : 1))
    : operation;
}

/** @throws {Refusal} 500 if the patch does not fit, or leaves no object. */
function patchedObject(object: Shown["object"] & object, patch: readonly unknown[]): KubeObject {
  let patched: unknown;
  try {
    patched = applyJsonPatch(clone(object), patch);
  } catch (error) {
    throw internal(error instanceof Error ? error.message : String(error));
  }
  if (!isObject(patched) || !isObject(patched.metadata)) {
    throw internal("the patch of an admission webhook leaves no object");
  }
  // It has metadata, as the line above says.
  return patched as KubeObject;
}

/** @throws {Refusal} If one refuses the object, or cannot be asked. */
async function askValidating(cluster: Cluster, attributes: Attributes): Promise<void> {
  const questions: { readonly hook: Hook; readonly shown: Shown }[] = [];
  for (const hook of hooksOf(cluster, "validating")) {
    const shown = await shownTo(cluster, hook, attributes);
    if (shown !== undefined) questions.push({ hook, shown });
  }
  const asked = questions.map(({ hook, shown }, index) =>
    askHook(cluster, hook, { type: "validating", attributes, shown, place: `round_0_index_${index}` })
  );
  for (const result of await Promise.allSettled(asked)) {
    if (result.status === "rejected") throw result.reason;
  }
}

/** Returns the webhooks in the order in which they are called: by the names of their configurations. */
function hooksOf({ store }: Cluster, type: HookType): Hook[] {
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
async function shownTo(
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

interface HookQuestion {
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
 * @throws {Refusal} The refusal of the webhook, or 500 if it could not be asked.
 */
async function askHook(
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
