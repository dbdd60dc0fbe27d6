/**
 * The ledger: what woke an object, what had changed, and why handlers were called or not.
 */
import { operator, resource } from "@lotse/lotse";

interface KilnSpec {
  temperature: number;
}

const Kiln = resource<KilnSpec>({ group: "example.com", version: "v1", plural: "kilns" });

const op = operator();

op.on.create(Kiln, function light({ logger }) {
  logger.info("Lit");
});

op.on.update(Kiln, { labels: { state: "open" } }, function close({ logger }) {
  logger.info("Closed");
});

op.timer(Kiln, { interval: 60, initialDelay: 60 }, function explain({ body, logger }) {
  const looks = op.ledger.of(body)?.entries ?? [];
  for (const { wake, changed, handlers } of looks.filter((look) => look.reason === "update")) {
    const unmet = handlers.filter(({ mismatch }) => mismatch !== undefined);
    logger.info("Updated", {
      wake,
      changed: changed.join(" "),
      unmet: unmet.map(({ id, mismatch }) => `${id}:${mismatch}`).join(" "),
    });
  }
});

export default op;
