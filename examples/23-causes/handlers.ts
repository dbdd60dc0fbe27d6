/**
 * All causes: what an object is like decides which handlers are called, not which event has come.
 *
 * ships.yaml has three ships. One is new; one was handled by an operator that has ended since; and one has been changed
 * while nobody was looking.
 */
import { operator, resource } from "@lotse/lotse";

interface ShipSpec {
  berth: number;
  cargo?: string;
}

const Ship = resource<ShipSpec>({ group: "example.com", version: "v1", plural: "ships" });
const op = operator();

op.on.create(Ship, function moor({ spec, logger }) {
  logger.info("Moored", { berth: spec.berth });
});

// Once per process for each ship that was handled before; what changed meanwhile is an update, and resumed all the same.
op.on.resume(Ship, function greet({ reason, logger }) {
  logger.info("Still there", { reason });
});

op.on.update(Ship, function note({ diff, logger }) {
  for (const { operation, path, old, new: now } of diff) {
    logger.info("Changed", { operation, field: path.join("."), old, new: now });
  }
});

// Whenever the field is there for the first time, changes, or goes, and with the object.
op.on.field(Ship, "spec.cargo", function load({ reason, old, new: now, logger }) {
  logger.info("Cranes at work", { reason, unload: old, load: now });
});

op.on.delete(Ship, function castOff({ spec, logger }) {
  logger.info("Cast off", { berth: spec.berth });
});

export default op;
