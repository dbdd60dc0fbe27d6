/**
 * A handler that fails in all three ways: for now, for good, and by surprise.
 *
 * The bank is closed at first, so the transfer is tried again; above the limit, it never will be.
 */
import { operator, PermanentError, resource, TemporaryError } from "@lotse/lotse";

interface TransferSpec {
  amount: number;
  limit: number;
}

interface TransferStatus {
  state?: string;
}

const Transfer = resource<TransferSpec, TransferStatus>({
  group: "example.com",
  version: "v1",
  plural: "transfers",
});

const op = operator();

/** What an unsteady service would do. */
function callBank(attempt: number): void {
  if (attempt === 0) throw new TemporaryError("The bank is closed", { delay: 5 });
  if (attempt === 1) throw new Error("The line went dead");
}

// Tried anew after 5 s where the bank is closed, after 10 s (`backoff`) after any other error, and 10 times at most.
op.on.create(Transfer, { retries: 10, backoff: 10 }, function pay({ spec, retry, patch, logger }) {
  callBank(retry);
  patch.status.state = "paid";
  logger.info("Paid", { amount: spec.amount, attempts: retry + 1 });
});

op.on.update(Transfer, { field: "spec.amount" }, function checkLimit({ spec, patch }) {
  if (spec.amount <= spec.limit) return;
  // Written although the handler fails.
  patch.status.state = "refused";
  throw new PermanentError(`The amount is above the limit: ${spec.amount} > ${spec.limit}`);
});

export default op;
