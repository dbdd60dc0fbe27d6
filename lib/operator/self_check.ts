/**
 * The checks of an operator at its start: the definitions of its own kinds; and whether it has the rights that it needs,
 * and its handlers have fields that exist.
 */

import type { Client } from "../client/client.ts";
import { makeCrds } from "../engines/definitions/crds.ts";
import { findUnknownFields } from "../engines/definitions/field_check.ts";
import { applyCrds } from "../engines/definitions/lifecycle.ts";
import { findMissingRights } from "../engines/rights/missing.ts";
import { findNeeds, type RightsKind } from "../engines/rights/needs.ts";
import { formatField } from "../model/fields.ts";
import { isExactName, parsePattern } from "../model/patterns.ts";
import type { KubeObject } from "../model/object.ts";
import { groupResource, keyOf, pathOf, type Resource } from "../model/resource.ts";
import { select, type Selector } from "../model/selector.ts";
import { type DeclaredHandler, declaredIn } from "../registry/declared.ts";
import type { RunningOptions } from "./components.ts";
import { serveConversions } from "./conversions.ts";
import { NAMESPACES } from "./namespaces.ts";

/**
 * Applies the definitions of all kinds with schemas.
 *
 * @throws {TypeError} If a definition cannot be made, or would lose data.
 * @throws {ApiError} If the server refuses.
 */
export async function applyOwnCrds(options: RunningOptions, client: Client): Promise<void> {
  const { registry, logger, host: { clock }, signal } = options;
  const kinds = [...new Set(declaredIn(registry).flatMap(({ resource }) => resource ?? []))];
  // Who moves objects to another version needs them converted.
  await using converter = await serveConversions(options);
  await applyCrds(makeCrds(kinds, converter?.way), { client, clock, logger, signal });
}

/** Warns once about each right and each field that is missing. What cannot be found out is left. */
export async function selfCheck(options: RunningOptions, client: Client): Promise<void> {
  const { registry, logger, signal } = options;
  const handlers = declaredIn(registry);
  try {
    const served = await servedFor(handlers, client);
    await warnOfRights(handlers, { ...options, client, served });
    await warnOfFields(handlers, { ...options, client, served });
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
  // NB: a request without a subject is no right that the operator is recorded to need.
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

interface CheckOptions extends RunningOptions {
  readonly client: Client;
  readonly served: readonly Resource[];
}

async function warnOfRights(
  handlers: readonly DeclaredHandler[],
  { client, served, settings, namespaces, crds, logger, signal }: CheckOptions,
): Promise<void> {
  const { needs } = findNeeds({
    handlers,
    settings,
    namespaces,
    crds,
    resolve: (selector) => select(selector, served).map(toRightsKind),
  });
  // Of patterns nobody knows yet which namespaces they mean: the named ones are asked about.
  const places = namespaces?.filter(isExactName);
  const missed = needs.filter(({ isRare }) => isRare !== true);
  for (
    const { by, ...right } of await findMissingRights({ client, needs: missed, namespaces: places, signal })
  ) {
    const { group, resource, verb, namespace } = right;
    const title = groupResource({ group, plural: resource });
    logger.warn(`A right is missing: ${by.join(", ")} cannot ${verb} ${title}`, {
      verb,
      resource,
      group,
      ...namespace !== undefined && { namespace },
      hint: "lotse generate rbac prints what is needed",
    });
  }
}

function toRightsKind({ group, plural, namespaced, subresources }: Resource): RightsKind {
  return { group, plural, namespaced, hasStatus: subresources.includes("status") };
}

async function warnOfFields(
  handlers: readonly DeclaredHandler[],
  { client, served, logger, signal }: CheckOptions,
): Promise<void> {
  const resourcesOf = (selector: Selector): Resource[] => select(selector, served);
  const fields = handlers.flatMap(({ id, field, selector }) =>
    field === undefined ? [] : resourcesOf(selector).map((resource) => ({ handler: id, field, resource }))
  );
  for (const { handler, field, resource, nearest } of await findUnknownFields(fields, { client, signal })) {
    logger.warn(
      "A handler is about a field that the definition of its kind does not have: it is never called",
      {
        handler,
        field: formatField(field),
        kind: keyOf(resource),
        ...nearest !== undefined && { hint: `did you mean ${nearest}?` },
      },
    );
  }
}
