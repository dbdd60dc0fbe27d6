/**
 * Changing the object itself: by a patch that is merged, and by functions that are applied to its newest state.
 */
import { operator, resource } from "@lotse/lotse";

interface GuestlistSpec {
  guests: string[];
  size?: number;
}

const Guestlist = resource<GuestlistSpec, { welcomed?: string[] }>({
  group: "example.com",
  version: "v1",
  plural: "guestlists",
});

const op = operator();

op.on.create(Guestlist, function prepare({ spec, patch, logger }) {
  // Merged: what is not named stays as it is; null or `delete` removes.
  patch.spec.size = spec.guests.length;
  patch.metadata.labels.prepared = "yes";
  patch.metadata.annotations["example.com/draft"] = null;
  // Lists are replaced as a whole, so that others' guests could be lost: a function gets the list as it is then.
  patch.fns.push((list) => {
    const guests = list.spec?.guests;
    if (Array.isArray(guests) && !guests.includes("host")) guests.push("host");
  });
  logger.info("Prepared", { guests: spec.guests.length });
});

op.on.update(Guestlist, { field: "spec.guests" }, function welcome({ spec, patch, logger }) {
  patch.status.welcomed = [...spec.guests];
  logger.info("Welcomed", { guests: spec.guests.join(" ") });
});

export default op;
