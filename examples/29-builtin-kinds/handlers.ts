/**
 * Built-in kinds need no definition: `kinds` has them all, with their types.
 *
 * Pods with a lifetime are deleted when it is over. Pods without the label are none of this operator's business, so nothing
 * is written on them.
 */
import { kinds, operator, PermanentError, PRESENT } from "@lotse/lotse";

const LIFETIME = "example.com/lifetime";
const MORTAL = { labels: { [LIFETIME]: PRESENT } } as const;

const op = operator();

op.on.field(kinds.Pod, "status.phase", MORTAL, function follow({ old, new: phase, logger }) {
  logger.info("The phase has changed", { from: old ?? "none", to: phase });
});

// A daemon waits beside its Pod, and is told to stop when the Pod goes earlier.
op.daemon(kinds.Pod, MORTAL, async function expire({ name, namespace, labels, stopped, logger }) {
  const seconds = Number(labels[LIFETIME]);
  if (!(seconds > 0)) throw new PermanentError(`"${labels[LIFETIME]}" is no number of seconds`);
  logger.info("Its time has begun", { seconds });
  if (await stopped.wait(seconds)) return;
  logger.info("Its time is over");
  await op.api.delete(kinds.Pod, { name, namespace }, { ifExists: true });
});

export default op;
