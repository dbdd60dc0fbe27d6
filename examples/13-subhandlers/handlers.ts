/**
 * A handler whose parts succeed, fail and are retried each on its own: one per ship.
 */
import { operator, resource, TemporaryError } from "@lotse/lotse";

interface FleetSpec {
  ships: string[];
}

const Fleet = resource<FleetSpec, Record<string, unknown>>({
  group: "example.com",
  version: "v1",
  plural: "fleets",
});

const op = operator();

op.on.create(Fleet, async function launch({ spec, sub, logger }) {
  for (const ship of spec.ships) {
    sub(ship, ({ retry }) => {
      if (ship === "berta" && retry === 0) throw new TemporaryError("Berta has a leak", { delay: 5 });
      logger.info("Launched", { ship });
      return { afloat: true };
    });
  }
  // Ends this attempt until all ships are afloat; ships that are, are not launched again.
  await sub.run();
  logger.info("All afloat", { ships: spec.ships.length });
});

export default op;
