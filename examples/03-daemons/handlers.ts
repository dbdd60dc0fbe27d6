/**
 * A lighthouse keeper for each lighthouse: a daemon, which lives as long as its object does.
 *
 * It sees changes as they come, without being started anew; it puts out the lamp when it is told to stop; and it goes when
 * the lighthouse is not manned any more.
 */
import { operator, resource, TemporaryError } from "@lotse/lotse";

interface LighthouseSpec {
  /** Seconds from flash to flash. */
  period: number;
  /** Whether there is oil for the lamp. */
  oil?: boolean;
}

interface LighthouseStatus {
  lamp?: "on" | "off";
}

const Lighthouse = resource<LighthouseSpec, LighthouseStatus>({
  group: "example.com",
  version: "v1",
  plural: "lighthouses",
});

const op = operator();

op.daemon(Lighthouse, {
  labels: { manned: "yes" },
  // It gets 5 seconds to put out the lamp by itself; then `signal` is aborted, and 5 seconds later nobody waits for it.
  cancellationBackoff: 5,
  cancellationTimeout: 5,
}, async function keepLight({ spec, patch, stopped, logger, retry }) {
  if (spec.oil === false) throw new TemporaryError("There is no oil", { delay: 30 });
  logger.info("Lighting the lamp", { attempt: retry + 1 });
  while (!stopped.aborted) {
    logger.info("Flash", { period: spec.period });
    await stopped.wait(spec.period);
  }
  logger.info("Putting out the lamp", { because: [...stopped.reasons].join() });
  patch.status.lamp = "off";
});

export default op;
