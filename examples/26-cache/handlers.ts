/**
 * Teams and their Secrets: each Team's status counts what is labelled for it, and is right again whenever that changes.
 *
 * Both kinds are in the operator's caches: looking them up costs no request.
 */
import { kinds, operator, resource } from "@lotse/lotse";

interface TeamSpec {
  label: string;
}

const Team = resource<TeamSpec, { secrets?: number }>({
  group: "example.com",
  version: "v1",
  plural: "teams",
});
const op = operator();

const teams = op.cache(Team, { indexes: { label: ({ spec }) => spec?.label } });
const secrets = op.cache(kinds.Secret, { indexes: { team: ({ metadata }) => metadata.labels?.team } });

// A Secret that comes, goes or gets another label concerns the teams of both labels.
op.watches(kinds.Secret, ({ metadata }) => teams.by("label", metadata.labels?.team ?? ""));

op.reconcile(Team, function count({ spec, patch, logger }) {
  const own = secrets.by("team", spec.label);
  patch.status.secrets = own.length;
  logger.info("Counted", { secrets: own.length });
});

export default op;
