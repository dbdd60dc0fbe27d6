/** The types of reconciles: nothing here runs, the compiler is the test. */

import { describe, it } from "node:test";
import { kinds, operator, resource } from "../../mod.ts";

const Site = resource<{ text: string }, { url?: string }>({
  group: "example.com",
  version: "v1",
  plural: "sites",
});
const op = operator();

export function declare(): void {
  op.reconcile(Site, ({ spec, patch }) => {
    patch.status.url = spec.text;
    // @ts-expect-error: a misspelt field
    patch.status.ulr = spec.text;
    // @ts-expect-error: no such field
    spec.test;
    return { requeueAfter: 5 };
  });
  // @ts-expect-error: only { requeueAfter } is understood
  op.reconcile(Site, () => ({ after: 5 }));
  // @ts-expect-error: an unknown option
  op.reconcile(Site, { paralel: 3 }, () => {});
  // @ts-expect-error: the child's status has no such field
  op.owns(Site, kinds.Deployment, { predicate: ({ object }) => object.status?.reddy === 1 });
  // @ts-expect-error: an object needs a name
  op.watches(kinds.Secret, () => [{ namespace: "default" }]);
  const pods = op.cache(kinds.Pod, { indexes: { node: ({ spec }) => spec?.nodeName } });
  pods.by("node", "n1")[0]?.spec?.containers;
  // @ts-expect-error: no such index
  pods.by("nodes", "n1");
}

describe("The types of reconciles", () => {
  it("are what the compiler says", () => {});
});
