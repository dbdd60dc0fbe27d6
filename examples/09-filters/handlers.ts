/**
 * Filters: which of all objects, and which of all changes, a handler is called for.
 *
 * What nobody could want is left alone altogether: "letter" gets no note, no finalizer and no line in the log.
 */
import { ABSENT, type ChangeFilterArguments, operator, PRESENT, resource } from "@lotse/lotse";
import { all, any, not } from "@lotse/lotse/filters";

interface ParcelSpec {
  state: "packed" | "sent" | "lost";
  weight?: number;
  insurance?: { sum: number };
}

const Parcel = resource<ParcelSpec>({ group: "example.com", version: "v1", plural: "parcels" });
const op = operator();

/** A filter with a name, to be combined with others. */
function isHeavy({ spec }: ChangeFilterArguments<ParcelSpec>): boolean {
  return (spec.weight ?? 0) > 30;
}

function isInsured({ spec }: ChangeFilterArguments<ParcelSpec>): boolean {
  return spec.insurance !== undefined;
}

/** Letters have no carrier. */
const labels = { carrier: PRESENT } as const;

op.on.create(Parcel, { labels: { carrier: "bike" }, when: not(isHeavy) }, function load({ logger }) {
  logger.info("Loaded onto the bike");
});

op.on.create(Parcel, { labels, when: all([isHeavy, isInsured]) }, function callCrane({ logger }) {
  logger.info("Called a crane");
});

// On one side of the change and on the other: from "packed" to "sent", and nothing else.
op.on.update(
  Parcel,
  { labels, field: "spec.state", old: "packed", new: "sent" },
  function announce({ logger }) {
    logger.info("Announced");
  },
);

// A predicate gets the value, or undefined where there is none.
op.on.update(
  Parcel,
  { labels, field: "spec.weight", new: (weight) => (weight ?? 0) > 1000, when: any([isInsured, isHeavy]) },
  function weighAgain({ old, new: weight, logger }) {
    logger.warn("Is that so?", { old, weight });
  },
);

op.on.field(
  Parcel,
  "spec.insurance",
  { labels, old: PRESENT, new: ABSENT },
  function warn({ old, logger }) {
    logger.warn("No longer insured", { sum: old?.sum });
  },
);

export default op;
