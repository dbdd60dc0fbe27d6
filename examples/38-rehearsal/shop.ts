/** The operator of both releases: a Deployment for each Shop. They differ in the label by which a Deployment knows its Pods. */
import { kinds, operator, resource } from "@lotse/lotse";
import type { Operator } from "@lotse/lotse";

interface ShopSpec {
  image: string;
}

const Shop = resource<ShopSpec, { url?: string }>({
  group: "example.com",
  version: "v1",
  plural: "shops",
  kind: "Shop",
});

/** Makes the operator of a release. */
export function shopOperator({ label, memory }: { label: string; memory: string }): Operator {
  const op = operator();
  op.reconcile(Shop, { backoff: 60 }, async function open({ name, namespace, spec, body, patch }) {
    const labels = { [label]: name };
    const containers = [{ name: "shop", image: spec.image, resources: { limits: { memory } } }];
    await op.api.apply(
      kinds.Deployment,
      {
        metadata: { name, namespace, labels },
        spec: {
          replicas: 1,
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers } },
        },
      },
      { owner: body },
    );
    patch.status.url = `https://${name}.example.com`;
  });
  return op;
}
