/** Warns of rights that an operator lacks: its own question to the cluster at its start. */

import { podNamespace } from "../../client/auth/service_account.ts";
import { isExactName } from "../../model/patterns.ts";
import { groupResource, type Resource } from "../../model/resource.ts";
import { select } from "../../model/selector.ts";
import type { CheckOptions } from "../../operator/extras.ts";
import { findMissingRights } from "./missing.ts";
import { findNeeds, type RightsKind } from "./needs.ts";

/** Warns once about each right that handlers need and the operator does not have. */
export async function checkRights(
  { host, handlers, client, served, settings, namespaces, crds, logger, signal }: CheckOptions,
): Promise<void> {
  const { needs } = findNeeds({
    handlers,
    settings,
    namespaces,
    crds,
    home: await podNamespace(host),
    resolve: (selector) => select(selector, served).map(toRightsKind),
  });
  // The namespaces of patterns are not known yet: the named ones are asked about.
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
