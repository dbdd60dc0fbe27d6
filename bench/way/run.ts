/**
 * The way of one create event through Lotse: how many functions it passes before the handler and afterwards, in how many
 * files, and how deep the stack is when the handler is called.
 *
 *   deno run -A --no-check bench/way/run.ts [--all]
 *
 * An operator with one creation handler runs on the API server in the process. After one object to warm up, another is
 * created, and V8 counts which functions are called (precise coverage, by the inspector). Counted are the layers on the way:
 * client, execution, registry, engines, handlers, controller, operator. What only computes (model, settings), what everything rests on
 * (runtime, async), and the API server are left out; so are getters, functions without a name, and what sets the fields of
 * a class (its constructor is counted). `--all` counts everything of `lib` but the API server and the virtual host: a processor
 * whose caches other programs have filled pays for each function that it meets.
 */

import { Session } from "node:inspector";
import { fixedCredentials } from "../../lib/client/auth/connection_info.ts";
import { apiServer } from "../../lib/kits/apiserver/mod.ts";
import { createLogger } from "../../lib/runtime/logging.ts";
import { virtualHost } from "../../lib/runtime/virtual/host.ts";
import { kinds, operator } from "../../mod.ts";
import { readOptions } from "../../tools/options.ts";

const { values: { all: isAll = false } } = readOptions(import.meta.url, {
  options: { all: { type: "boolean" } },
});

const LAYERS = isAll
  ? /\/lib\/((?!kits\/|runtime\/virtual\/)[^?]*)$/
  : /\/lib\/((client|execution|registry|engines|handlers|controller|operator)\/[^?]*)$/;

/** Functions that were called, by file: "name" → how often. */
type Called = Map<string, Map<string, number>>;

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly functionName: string;
      readonly ranges: readonly { readonly count: number }[];
    }[];
  }[];
}

const session = new Session();
session.connect();

function ask(method: string, params: object = {}): Promise<unknown> {
  return new Promise((resolve, reject) =>
    session.post(
      method,
      params,
      (error: Error | null, result?: unknown) => error ? reject(error) : resolve(result),
    )
  );
}

/** Returns what was called since it was asked last. */
async function called(): Promise<Called> {
  // The protocol says so: Chrome DevTools Protocol, "Profiler.takePreciseCoverage".
  const { result } = await ask("Profiler.takePreciseCoverage") as Coverage;
  const all: Called = new Map();
  for (const { url, functions } of result) {
    const [, file] = LAYERS.exec(url) ?? [];
    if (file === undefined) continue;
    const counts = new Map<string, number>();
    for (const { functionName, ranges: [range] } of functions) {
      if (range === undefined || !isFollowed(functionName)) continue;
      if (range.count > 0) counts.set(functionName, (counts.get(functionName) ?? 0) + range.count);
    }
    if (counts.size > 0) all.set(file, counts);
  }
  return all;
}

/** Whether a reader follows it: a class's fields are set by its constructor, which is counted. */
function isFollowed(name: string): boolean {
  return isAll || name !== "" && !name.startsWith("get ") && name !== "<instance_members_initializer>";
}

function print(title: string, all: Called): void {
  const functions = [...all.values()].reduce((sum, { size }) => sum + size, 0);
  const calls = [...all.values()].flatMap((counts) => [...counts.values()]).reduce(
    (sum, each) => sum + each,
    0,
  );
  console.log(`\n${title}: ${functions} functions in ${all.size} files, ${calls} calls`);
  for (const [file, counts] of [...all].sort()) {
    const list = [...counts].map(([name, count]) => count === 1 ? name : `${name} ×${count}`);
    console.log(`  ${file}: ${list.join(", ")}`);
  }
}

/** The frames between the task and the handler, the innermost first. */
function framesAbove(): string[] {
  Error.stackTraceLimit = 200;
  const lines = new Error().stack?.split("\n").slice(3) ?? [];
  return lines.flatMap((line) => /\/lib\/([^:?)]*)/.exec(line)?.[1] ?? []);
}

const host = virtualHost();
const cluster = apiServer({ host });
host.network.route("http://cluster", (request) => cluster.fetch(request));
const op = operator();
let before: Called = new Map();
let frames: string[] = [];
let handled = 0;

op.on.create(kinds.ConfigMap, async function create({ name, patch }) {
  frames = framesAbove();
  // NB: at once, so that nothing is counted that comes after the handler was called.
  if (name === "one") before = await called();
  patch.metadata.annotations.handled = "yes";
  // The cluster makes ConfigMaps of its own in each namespace.
  if (name === "one" || name === "warm") handled++;
});

const stopping = new AbortController();
const running = op.run({
  host,
  scope: "cluster",
  credentials: fixedCredentials({ server: "http://cluster" }),
  logger: createLogger({ level: "error", write: () => {} }, host.clock),
  signal: stopping.signal,
});
await host.clock.settle();

/** Creates an object without our own client, whose calls would be counted. */
async function create(name: string): Promise<void> {
  const body = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
  const headers = { "content-type": "application/json" };
  const url = "http://cluster/api/v1/namespaces/default/configmaps";
  const response = await cluster.fetch(new Request(url, { method: "POST", body, headers }));
  if (!response.ok) throw new Error(`Cannot create "${name}": ${await response.text()}`);
}

await create("warm");
await host.clock.settle();
await ask("Profiler.enable");
await ask("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
await called();
await create("one");
await host.clock.settle();
const after = await called();
if (handled !== 2) throw new Error(`The handler was called ${handled} times, not twice`);
print("Before the handler", before);
print("Afterwards", after);
console.log(`\nAbove the handler: ${frames.length} frames\n  ${frames.join("\n  ")}`);
stopping.abort();
await running;
