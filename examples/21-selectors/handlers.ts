/**
 * Selectors: all forms in which a handler may say which kinds it is for.
 *
 * Ships and Barges are in the category "vessels"; a Crane is not; all are of the group harbour.example.com.
 */
import { kinds, operator, resource } from "@lotse/lotse";

interface VesselSpec {
  length: number;
}

interface ShipSpec extends VesselSpec {
  flag: string;
}

const op = operator();

// By group, version and plural: the usual form, which types everything.
const Ship = resource<ShipSpec>({ group: "harbour.example.com", version: "v1", plural: "ships" });
op.on.create(Ship, function hoist({ spec, logger }) {
  logger.info("Hoisted a flag", { flag: spec.flag });
});

// By category: all kinds in it, also those that come later.
const Vessel = resource<VesselSpec>({ category: "vessels" });
op.on.create(Vessel, function measure({ resource, spec, logger }) {
  logger.info("Measured", { kind: resource.kind, length: spec.length });
});

// By a text: any name that kubectl would take, here a short name. Nothing is known of the spec, so all of it is unknown.
op.on.create("cr", function oil({ spec, logger }) {
  logger.info("Oiled", { tons: spec.tons });
});

// A built-in kind, with the official client's types.
op.on.create(kinds.Service, { labels: { harbour: "radio" } }, function tuneIn({ spec, logger }) {
  logger.info("Tuned in", { channel: spec.ports?.[0]?.port });
});

// By a function: of each kind that the server has, whether it is wanted.
op.on.delete(({ group }) => group === "harbour.example.com", function strikeOff({ resource, logger }) {
  logger.info("Struck off", { kind: resource.kind });
});

export default op;
