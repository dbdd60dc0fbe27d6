/** An operator that tells which of several copies of it is at work. */

import { operator, resource } from "@lotse/lotse";

interface BellSpec {
  readonly sound: string;
}

const Bell = resource<BellSpec>({ group: "example.com", version: "v1", plural: "bells", kind: "Bell" });
const op = operator({ peering: { name: "default" } });

op.daemon(Bell, async function ring({ spec, stopped, logger }) {
  while (!stopped.aborted) {
    logger.info(spec.sound);
    await stopped.wait(10);
  }
  logger.info("Silent", { reasons: [...stopped.reasons] });
});

export default op;
