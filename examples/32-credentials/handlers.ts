/** Connects Accounts to a service, each with the password in a Secret of its own. */
import { kinds, operator, resource, TemporaryError } from "@lotse/lotse";

interface AccountSpec {
  secret: string;
}

const Account = resource<AccountSpec>({ group: "example.com", version: "v1", plural: "accounts" });

const op = operator();
const accounts = op.cache(Account, {
  indexes: { secret: ({ spec, metadata }) => `${metadata.namespace}/${spec?.secret}` },
});
// Secrets are watched anyway: to read one costs no request.
const secrets = op.cache(kinds.Secret);

// A Secret that comes or changes wakes the Accounts that name it: they do not wait for the next try.
op.watches(kinds.Secret, ({ metadata }) => accounts.by("secret", `${metadata.namespace}/${metadata.name}`));

op.reconcile(Account, function connect({ namespace = "default", spec, conditions, logger }) {
  const secret = secrets.get({ namespace, name: spec.secret });
  const password = secret?.data?.["password"];
  const fault = password === undefined
    ? { reason: "NoPassword", message: `Secret "${spec.secret}" has no password yet` }
    : isRight(atob(password))
    ? undefined
    : { reason: "Refused", message: `The service refuses the password of Secret "${spec.secret}"` };
  if (fault !== undefined) {
    conditions.set("Connected", false, fault);
    throw new TemporaryError(fault.message, { delay: 60 });
  }
  conditions.set("Connected", true, { reason: "Accepted" });
  logger.info("Connected");
});

/** Stands for a call of the service. */
function isRight(password: string): boolean {
  return password === "right";
}

export default op;
