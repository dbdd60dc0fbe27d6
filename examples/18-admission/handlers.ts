/**
 * Ferries that are checked before they are written: defaults are filled in, what is too large is refused.
 *
 * Kubernetes calls the operator for that, so it must reach it: here on this machine, by HTTPS with a certificate that the
 * operator makes for itself, and by webhook configurations that it keeps up to date.
 */
import { AdmissionError, operator, resource, webhookServer } from "@lotse/lotse";

interface FerrySpec {
  route: string;
  seats?: number;
}

const Ferry = resource<FerrySpec>({ group: "example.com", version: "v1", plural: "ferries" });

const op = operator({
  admission: { server: webhookServer({ addr: "127.0.0.1", port: 9443 }), managed: "lotse.example.com" },
});

op.on.mutate(Ferry, { operations: ["CREATE"] }, function setDefaults({ spec, patch, logger }) {
  if (spec.seats !== undefined) return;
  patch.spec.seats = 10;
  logger.info("Seats are filled in", { seats: 10 });
});

op.on.validate(Ferry, { operations: ["CREATE", "UPDATE"] }, function checkSeats({ spec, warnings }) {
  const { seats = 0 } = spec;
  if (seats > 100) throw new AdmissionError(`A ferry has 100 seats at most, not ${seats}`, { code: 422 });
  if (seats === 100) warnings.push("There is not one seat more");
});

op.on.create(Ferry, function launch({ spec, logger }) {
  logger.info("In service", { route: spec.route });
});

export default op;
