/**
 * Everything at once: each kind of handler there is (but admission), about one kind of object.
 *
 * Real operators need a few of these. Here you can see which is called when, and in which order.
 */
import { operator, PermanentError, resource, TemporaryError } from "@lotse/lotse";

interface VoyageSpec {
  from: string;
  to: string;
  passengers: string[];
}

interface VoyageStatus {
  state?: "planned" | "under way" | "arrived";
  miles?: number;
}

const Voyage = resource<VoyageSpec, VoyageStatus>({ group: "example.com", version: "v1", plural: "voyages" });

const op = operator({ execution: { defaultBackoff: 5 } });

/** Which voyages begin in which harbour. */
const departures = op.index(Voyage, function departures({ name, spec }) {
  return { [spec.from]: name };
});

op.on.startup(function open({ logger }) {
  logger.info("The harbour opens");
});

op.on.cleanup(function close({ logger }) {
  logger.info("The harbour closes");
});

op.on.probe(function harbours() {
  return departures.size;
});

op.on.event(Voyage, function listen({ type, logger }) {
  logger.debug("An event", { type });
});

op.on.create(
  Voyage,
  { retries: 5 },
  async function prepare({ spec, retry, patch, conditions, sub, body, logger }) {
    if (spec.from === spec.to) throw new PermanentError("A voyage has to lead somewhere");
    if (retry === 0) throw new TemporaryError("The tide is out", { delay: 3 });
    for (const passenger of spec.passengers) {
      sub(passenger, ({ logger }) => logger.info("Aboard", { passenger }));
    }
    await sub.run();
    patch.status.state = "planned";
    conditions.set("Ready", true, { reason: "AllAboard" });
    op.events.normal(body, { reason: "Prepared", message: `From ${spec.from} to ${spec.to}` });
    logger.info("Ready to sail", { departures: departures.get(spec.from)?.length });
    return { passengers: spec.passengers.length }; // kept as status.prepare
  },
);

op.on.resume(Voyage, function recall({ status, logger }) {
  logger.info("It goes on", { state: status.state });
});

op.on.update(Voyage, { field: "spec.to" }, function divert({ old, new: to, logger }) {
  logger.info("Another destination", { from: old, to });
});

op.on.field(Voyage, "status.state", function announce({ new: state, logger }) {
  logger.info("The state has changed", { state });
});

op.on.delete(Voyage, function cancel({ spec, logger }) {
  logger.info("Everybody ashore", { passengers: spec.passengers.length });
});

op.daemon(
  Voyage,
  { field: "status.state", value: "under way" },
  async function sail({ stopped, patch, logger }) {
    logger.info("Under sail");
    await stopped.wait(20);
    if (stopped.aborted) return;
    patch.status.state = "arrived";
  },
);

op.timer(
  Voyage,
  { interval: 10, field: "status.state", value: "under way" },
  function log({ status, patch }) {
    patch.status.miles = (status.miles ?? 0) + 2;
  },
);

export default op;
