/**
 * Children of an object: made, adopted, found again by their labels, and let go.
 *
 * `adopt()` takes the object of the running handler for the owner; nobody has to hand it on.
 */
import { kinds, operator, resource } from "@lotse/lotse";
import { adopt, label } from "@lotse/lotse/hierarchies";
import { disown } from "@lotse/lotse/hierarchies";

interface ShopSpec {
  image: string;
  greeting?: string;
}

interface ShopStatus {
  configMap?: string;
}

const Shop = resource<ShopSpec, ShopStatus>({ group: "example.com", version: "v1", plural: "shops" });
const op = operator();

op.on.create(Shop, function open({ name, spec, patch, logger, sub }) {
  const deployment = deploymentOf(spec.image);
  const settings = { data: { greeting: spec.greeting ?? "Hello" } };
  // The Deployment is called like the Shop; the ConfigMap gets a name of its own that begins so: "corner-x7k2p".
  adopt(deployment, { strict: true, nested: "spec.template" });
  adopt(settings);
  // Labels beside those of the owner, on all objects and in the template.
  label([deployment, settings], { "example.com/shop": name }, { nested: "spec.template" });
  // Two parts that are retried each on its own: neither is made twice because the other has failed.
  sub("deployment", async () => {
    await op.api.create(kinds.Deployment, deployment);
    logger.info("Made a Deployment", { name });
  });
  sub("settings", async () => {
    const { metadata } = await op.api.create(kinds.ConfigMap, settings);
    patch.status.configMap = metadata.name;
  });
});

// The Deployment goes with its owner; the settings are to survive it.
op.on.delete(Shop, async function close({ status, namespace, logger }) {
  const name = status.configMap;
  if (name === undefined) return;
  const settings = await op.api.get(kinds.ConfigMap, { name, namespace });
  disown(settings);
  await op.api.replace(kinds.ConfigMap, settings);
  logger.info("Kept the settings");
});

function deploymentOf(image: string) {
  const labels = { app: "shop" };
  return {
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "web", image }] } },
    },
  };
}

export default op;
