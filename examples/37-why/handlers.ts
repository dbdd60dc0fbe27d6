/**
 * Asking an operator why: one oven is skipped by a filter, one waits for its next attempt, and one waits for an answer that never comes.
 */
import { operator, resource, TemporaryError } from "@lotse/lotse";

interface OvenSpec {
  fuel: "gas" | "wood" | "electricity";
}

const Oven = resource<OvenSpec>({ group: "example.com", version: "v1", plural: "ovens" });

const op = operator();

op.on.create(Oven, { labels: { cleaned: "yes" } }, async function heat({ spec, logger, signal }) {
  if (spec.fuel === "wood") throw new TemporaryError("There is no wood", { delay: 300 });
  if (spec.fuel === "electricity") await powerPlant(signal);
  logger.info("Hot", { fuel: spec.fuel });
});

/** A power plant that does not answer, until nobody asks any more: a call without a timeout. */
function powerPlant(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
}

export default op;
