/** Upgrades Databases step by step: a step that fails stops the rest, and a restart of the operator repeats no step that is done. */
import { operator, PermanentError, resource } from "@lotse/lotse";
import { backUp, migrate, restart } from "./engine.ts";

interface DatabaseSpec {
  version: number;
}
interface DatabaseStatus {
  version?: number;
}

const Database = resource<DatabaseSpec, DatabaseStatus>({
  group: "example.com",
  version: "v1",
  plural: "databases",
});

const op = operator();

op.on.create(Database, function install({ spec, patch }) {
  patch.status.version = spec.version;
});

op.on.update(
  Database,
  { field: "spec.version" },
  async function upgrade({ name, new: version = 0, sub, patch, conditions, logger }) {
    sub("backup", { retries: 3 }, () => backUp(name));
    sub("migrate", () => migrate(name, version));
    sub("restart", () => restart(name));
    const outcomes = await sub.run({ onFailure: "stop" });
    const failed = outcomes.find(({ kind }) => kind === "failure");
    if (failed !== undefined) {
      // What is there goes on to run: nothing was restarted.
      conditions.set("Upgraded", false, { reason: "StepFailed", message: `${failed.id} has failed` });
      throw new PermanentError(`Cannot upgrade to ${version}: ${failed.id} has failed`);
    }
    patch.status.version = version;
    conditions.set("Upgraded", true, { reason: "Done" });
    logger.info("Upgraded", { version });
  },
);

export default op;
