/**
 * A garden with two timers: one that comes every minute, and one that comes when the garden has been left in peace.
 */
import { operator, resource } from "@lotse/lotse";

interface GardenSpec {
  beds: number;
}

interface GardenStatus {
  /** How often it was watered. */
  watered?: number;
  /** How many beds there were when it was tidied up. */
  tidy?: number;
}

const Garden = resource<GardenSpec, GardenStatus>({
  group: "example.com",
  version: "v1",
  plural: "gardens",
});

const op = operator();

// Sharp: from beginning to beginning, however long it takes.
op.timer(Garden, { interval: 60, sharp: true }, function water({ spec, status, patch, logger }) {
  patch.status.watered = (status.watered ?? 0) + 1;
  logger.info("Watered", { beds: spec.beds, times: patch.status.watered });
});

// Half a minute after the last change; changes of the status do not count.
op.timer(Garden, { idle: 30 }, function tidy({ spec, patch, logger }) {
  patch.status.tidy = spec.beds;
  logger.info("Tidied up", { beds: spec.beds });
});

export default op;
