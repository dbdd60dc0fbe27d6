/**
 * Kubernetes events: what an operator does to an object is told where people look for it, in `kubectl describe`.
 */
import { operator, PermanentError, resource } from "@lotse/lotse";

interface FerrySpec {
  seats: number;
  passengers: number;
}

const Ferry = resource<FerrySpec>({ group: "example.com", version: "v1", plural: "ferries" });

const op = operator();

op.on.startup(({ settings }) => {
  // Warnings of handlers' loggers become events, too; what is less than the level stays in the log.
  settings.posting.loggers = true;
  settings.posting.level = "warn";
});

op.on.create(Ferry, function board({ body, spec, logger }) {
  const free = spec.seats - spec.passengers;
  // Of any type, and posted whatever the level is.
  op.events.post(body, { type: "Normal", reason: "Boarded", message: `${spec.passengers} are on board` });
  if (free < 50) logger.warn("Nearly full", { free });
});

op.on.update(Ferry, { field: "spec.passengers" }, function count({ body, spec }) {
  if (spec.passengers <= spec.seats) return;
  const error = new PermanentError(`There are ${spec.seats} seats, not ${spec.passengers}`);
  // The reason is the error's name, unless one is given.
  op.events.error(body, error, { reason: "Overcrowded" });
  throw error;
});

export default op;
