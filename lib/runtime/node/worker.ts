/**
 * Work for a core, in a worker thread: a module's default function is called there with one value, and returns another.
 *
 * The few lines that run in the worker are a text, so that compiled executables have them too. Workers of `node:worker_threads`
 * are the same on Deno, Bun and Node.
 */

import process from "node:process";

const CODE = `
const { parentPort, workerData } = require("node:worker_threads");
import(workerData.module)
  .then(async ({ default: work }) => {
    if (typeof work !== "function") throw new TypeError("The module has no function as its default export");
    return { value: await work(workerData.input) };
  })
  .catch((error) => ({ error: { name: error?.name, message: error?.message ?? String(error), stack: error?.stack } }))
  .then((answer) => parentPort.postMessage(answer))
  .catch((error) => parentPort.postMessage({ error: { name: error.name, message: error.message, stack: error.stack } }));
`;

interface Answer {
  readonly value?: unknown;
  readonly error?: { readonly name?: string; readonly message: string; readonly stack?: string };
}

/** Calls the default function of a module in a worker of its own. The signal ends the worker at once. */
export function runInWorker(module: string, input: unknown, signal?: AbortSignal): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  if (signal?.aborted) return Promise.reject(signal.reason);
  // NB: not imported: few operators have work for a worker, and it costs start-up time.
  const { Worker } = process.getBuiltinModule("node:worker_threads");
  const worker = new Worker(CODE, { eval: true, workerData: { module, input } });
  const onAbort = (): void => reject(signal?.reason);
  signal?.addEventListener("abort", onAbort, { once: true });
  worker.once(
    "message",
    ({ value, error }: Answer) => error === undefined ? resolve(value) : reject(rebuild(error)),
  );
  worker.once("error", reject);
  worker.once(
    "exit",
    (code) => reject(new Error(`The worker has ended with code ${code} before its work was done`)),
  );
  return promise.finally(() => {
    signal?.removeEventListener("abort", onAbort);
    // Its end is not waited for: it may take its time.
    void worker.terminate();
  });
}

function rebuild({ name = "Error", message, stack }: NonNullable<Answer["error"]>): Error {
  const error = new Error(message);
  error.name = name;
  if (stack !== undefined) error.stack = stack;
  return error;
}
