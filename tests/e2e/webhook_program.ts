/** A replica of the operator in `webhook_handlers.ts`, in a process of its own, from the sources. */

import process from "node:process";
import { createLogger } from "../../lib/runtime/logging.ts";
import op from "./webhook_handlers.ts";

const { probes } = JSON.parse(process.env["REPLICA"] ?? "{}");
const stop = new AbortController();
process.on("SIGTERM", () => stop.abort());
const write = ({ level, message, fields }: { level: string; message: string; fields: object }): void => {
  if (!message.startsWith("Handler failed")) console.log(level, message, JSON.stringify(fields, told));
};
function told(_key: string, value: unknown): unknown {
  return value instanceof Error ? value.message : value;
}
await op.run({
  scope: ["default"],
  kubeconfig: process.env["KUBECONFIG"],
  liveness: `http://127.0.0.1:${probes}/healthz`,
  logger: createLogger({ level: "info", write }, { now: () => Date.now() }),
  signal: stop.signal,
});
process.exit(0);
