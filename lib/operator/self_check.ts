/**
 * The self-check of an operator at its start: whether it has the rights that it needs, its handlers have fields that exist,
 * and its namespaces are there. Kits compare rights and fields (see extras.ts).
 */

import type { Client } from "../client/client.ts";
import { parsePattern } from "../model/patterns.ts";
import type { KubeObject } from "../model/object.ts";
import { pathOf, type Resource } from "../model/resource.ts";
import { declaredIn } from "../handlers/declared_handlers.ts";
import type { DeclaredHandler } from "../registry/declared.ts";
import type { RunningOptions } from "./components.ts";
import type { Extras } from "./extras.ts";
import { NAMESPACES } from "./namespaces.ts";

/** Warns once about each right, field and namespace that is missing. A question that the server does not answer is left. */
export async function selfCheck(
  options: RunningOptions,
  { client, checks }: Pick<Extras, "checks"> & { readonly client: Client },
): Promise<void> {
  const { registry, logger, signal } = options;
  const handlers = declaredIn(registry);
  try {
    const served = await servedFor(handlers, client);
    for (const check of checks) await check({ ...options, client, handlers, served });
    await warnOfNamespaces(options, client);
  } catch (error) {
    if (!signal.aborted) logger.debug("The self-check could not be finished", { error });
  }
}

/** Names each name and pattern that no namespace matches yet; they may come later. */
async function warnOfNamespaces(
  { namespaces, logger, signal }: RunningOptions,
  client: Client,
): Promise<void> {
  if (namespaces === undefined) return;
  // Without a subject, so that `recordRights` does not record this request as a right that the operator needs.
  const path = pathOf(NAMESPACES);
  const { body } = await client.transport.request<{ readonly items?: readonly KubeObject[] }>({
    method: "GET",
    path,
    signal,
    backoffs: [],
  });
  const names = body.items?.map(({ metadata }) => metadata.name ?? "") ?? [];
  for (const pattern of namespaces) {
    if (names.some(parsePattern(pattern))) continue;
    logger.warn("No namespace matches: nothing is served there until one does", {
      namespace: String(pattern),
    });
  }
}

/** All kinds of the groups that handlers name; of the whole cluster, if one names none. */
async function servedFor(handlers: readonly DeclaredHandler[], client: Client): Promise<readonly Resource[]> {
  const groups = handlers.map(({ selector }) => selector.group);
  const isOpen = groups.includes(undefined);
  return isOpen
    ? await client.discovery.all()
    : await client.discovery.groups(groups.filter((each) => each !== undefined));
}
