/**
 * An operator that keeps a ConfigMap in line with each Site, and whose simulation finds nothing.
 *
 * The operator is made by a function: each simulated process has its own, as real processes have.
 */
import { kinds, operator, resource } from "@lotse/lotse";
import type { Operator } from "@lotse/lotse";

interface SiteSpec {
  title: string;
  pages?: number;
}

interface SiteStatus {
  page?: string;
}

const Site = resource<SiteSpec, SiteStatus>({
  group: "example.com",
  version: "v1",
  plural: "sites",
  kind: "Site",
});

/** Makes the operator. */
export function makeOperator(): Operator {
  const op = operator();
  op.reconcile(Site, async function publish({ name, namespace, spec, body, patch }) {
    const data = { title: spec.title, pages: String(spec.pages ?? 1) };
    // Applied under a name that follows from the Site: a second call makes nothing twice.
    await op.api.apply(kinds.ConfigMap, { metadata: { name: `${name}-page`, namespace }, data }, {
      owner: body,
    });
    patch.status.page = `${name}-page`;
  });
  return op;
}

export default makeOperator();
