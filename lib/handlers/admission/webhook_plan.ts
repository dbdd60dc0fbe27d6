/**
 * Which webhooks stand in a configuration that replicas of several releases share: a pure function of the webhooks
 * of this replica, the webhooks that stand, and the announcements of all live replicas.
 *
 * A review comes to any replica. So a webhook is added when every live replica serves it, and taken off when one that can work
 * does not: else that replica would have to refuse the reviews that come to it. A webhook whose rules differ between two releases keeps
 * the old rules until the last replica of the old release has gone. Source: docs/decisions/0037-webhooks-of-replicas.md.
 */

import { digestOf } from "../../model/encoding.ts";
import { isObject } from "../../model/json.ts";
import type { JsonObject } from "../../model/object.ts";

/** A webhook of this replica's release. */
export interface OwnWebhook {
  readonly name: string;
  /** Of all of it but the authorities. */
  readonly digest: string;
  /** As it is to be written, without authorities. */
  readonly webhook: JsonObject;
}

/** A live replica. */
export interface WebhookMember {
  /** The digest of each webhook of this cause that it serves, by its name; undefined until its server listens. */
  readonly serves: ReadonlyMap<string, string> | undefined;
  /** Whether it can work but for the configuration. */
  readonly isAble: boolean;
}

export interface PlanOptions {
  readonly own: readonly OwnWebhook[];
  /** The other live replicas. */
  readonly others: readonly WebhookMember[];
  /** The webhooks that stand in the configuration now. */
  readonly live: readonly JsonObject[];
  /** The webhooks that were written last, by name with their digests, whatever a stranger has done to the list. */
  readonly stood: ReadonlyMap<string, string>;
  /** The authorities by which the servers of all replicas are to be trusted, in base64; undefined: the API server's own. */
  readonly caBundle: string | undefined;
}

/** The webhooks to be written. */
export interface WebhookPlan {
  readonly webhooks: readonly JsonObject[];
  readonly digests: ReadonlyMap<string, string>;
  /** Names of own webhooks that are not added, or whose rules are the old ones, until other replicas serve them or have gone. */
  readonly awaited: readonly string[];
}

/** Makes a plan. Own webhooks come first, in their order. */
export function planWebhooks(options: PlanOptions): WebhookPlan {
  const { own, live, stood, caBundle } = options;
  const webhooks: JsonObject[] = [];
  const digests = new Map<string, string>();
  const awaited: string[] = [];
  const add = (name: string, { digest, webhook }: Pick<OwnWebhook, "digest" | "webhook">): void => {
    webhooks.push(trusting(webhook, caBundle));
    digests.set(name, digest);
  };
  for (const each of own) {
    const { name, digest } = each;
    const standing = stood.get(name);
    const old = live.find((webhook) => webhook.name === name);
    const verdict = judge(each, standing, options.others);
    if (verdict === "own") add(name, each);
    else if (verdict === "old" && old !== undefined) add(name, { digest: standing ?? "", webhook: old });
    // A stranger has taken the old rules away, and only the new ones are known here: a check that is asked beats none.
    else if (verdict === "old") add(name, each);
    if (digests.get(name) !== digest && verdict !== "unserved") awaited.push(name);
  }
  return { webhooks, digests, awaited };
}

/**
 * own: it stands as this replica has it. old: it stands as it stood. awaited: it is not added yet. unserved: it does not stand, as
 * another release has done away with it.
 */
type Verdict = "own" | "old" | "awaited" | "unserved";

function judge(
  { name, digest }: OwnWebhook,
  standing: string | undefined,
  others: readonly WebhookMember[],
): Verdict {
  if (standing === undefined) return others.every(({ serves }) => serves?.has(name)) ? "own" : "awaited";
  const isDropped = others.some(({ serves, isAble }) => isAble && serves !== undefined && !serves.has(name));
  if (isDropped) return "unserved";
  if (standing === digest) return "own";
  const isUnderstood = others.every(({ serves }) => serves !== undefined && serves.get(name) !== standing);
  return isUnderstood ? "own" : "old";
}

function trusting(webhook: JsonObject, caBundle: string | undefined): JsonObject {
  const { caBundle: _, ...config } = isObject(webhook.clientConfig) ? webhook.clientConfig : {};
  return { ...webhook, clientConfig: { ...config, ...caBundle !== undefined && { caBundle } } };
}

/** Returns webhooks with their digests and without authorities. */
export function ownWebhooks(webhooks: readonly JsonObject[]): OwnWebhook[] {
  return webhooks.map((each) => {
    const webhook = trusting(each, undefined);
    return { name: String(webhook.name), digest: digestOf(webhook).slice(0, 10), webhook };
  });
}
