/**
 * Raw events: each single thing that the API server tells about an object, in order, and nothing but that.
 *
 * Nothing is remembered on the object, nothing is tried again, and no finalizer holds it. The kind's status counts, too.
 */
import { operator, resource } from "@lotse/lotse";

interface BeaconSpec {
  colour: string;
}

interface BeaconStatus {
  lit?: boolean;
}

const Beacon = resource<BeaconSpec, BeaconStatus>({ group: "example.com", version: "v1", plural: "beacons" });

const op = operator();

// The type is null for what was there when the stream began.
op.on.event(Beacon, function note({ type, spec, status, logger }) {
  logger.info("Told", { type: type ?? "there before", colour: spec.colour, lit: status.lit ?? false });
});

// Filters look at the object as it is in the event.
op.on.event(Beacon, { field: "status.lit", value: true }, function cheer({ memo, logger }) {
  memo.seen = Number(memo.seen ?? 0) + 1; // in memory, for this object
  logger.info("It is lit", { seen: memo.seen });
});

export default op;
