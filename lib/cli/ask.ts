/** Finds the operators that answer questions on this machine, and asks them. */

import type { Host } from "../runtime/host.ts";
import { CommandError } from "./errors.ts";

/** An operator's endpoint: see `docs/ledger.md`, "Questions". */
interface Endpoint {
  readonly server: string;
  readonly token: string;
  readonly pid: number;
}

/** A question. */
export interface Asking {
  readonly path: "/why" | "/queue" | "/metrics" | "/log-level" | "/heap-snapshot";
  readonly question?: unknown;
  /** The process of the operator that is asked. Default: all that answer. */
  readonly pid?: number;
}

/** The beginning of the folders in which operators leave their endpoints, and the name of the file there. */
const FOLDER = "lotse-ask-";
const FILE = "endpoint.json";
const FORMAT = "lotse.dev/ask/v1";

/** How long an answer may take. In seconds. */
const PATIENCE = 10;

/**
 * Asks all operators on this machine, and returns their answers.
 *
 * @throws {CommandError} If no operator answers.
 */
export async function askOperators(host: Host, { path, question, pid }: Asking): Promise<readonly unknown[]> {
  const { endpoints, unreadable, others } = await findEndpoints(host);
  const wanted = endpoints.filter((each) => pid === undefined || each.pid === pid);
  if (wanted.length === 0) {
    const hint = unreadable > 0
      ? `${unreadable} belong to other users: ask as the operator's user`
      : others > 0
      ? `${others} are of another version of Lotse: ask with the same version`
      : "one in a cluster is named by --operator NAMESPACE/NAME; `why … --offline` says what the notes on an object tell";
    throw new CommandError(
      pid === undefined
        ? `No operator on this machine answers questions (${hint})`
        : `The process ${pid} answers no questions (${hint})`,
    );
  }
  const answers: unknown[] = [];
  const failures: string[] = [];
  for (const endpoint of wanted) {
    try {
      answers.push(await ask(host, endpoint, { path, question }));
    } catch (error) {
      failures.push(error instanceof Error ? error.message : String(error));
    }
  }
  if (answers.length === 0) throw new CommandError(failures[0] ?? "No operator answers");
  return answers;
}

async function ask(
  host: Host,
  { server, token, pid }: Endpoint,
  { path, question }: Pick<Asking, "path" | "question">,
): Promise<unknown> {
  using connection = host.network.connect({ server, connectTimeout: PATIENCE });
  const stop = new AbortController();
  using _timer = host.clock.after(
    PATIENCE,
    () =>
      stop.abort(
        new CommandError(
          `The operator (process ${pid}) does not answer within ${PATIENCE} s: it is busy, or hangs`,
        ),
      ),
  );
  const response = await connection.request({
    method: "POST",
    path,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: question === undefined ? "" : JSON.stringify(question),
    signal: stop.signal,
  });
  const text = await response.text();
  if (response.headers["lotse-format"] !== FORMAT) {
    throw new CommandError(
      `Another program answers in the operator's place, or an operator of another version (process ${pid}, ${server})`,
    );
  }
  const answer: unknown = JSON.parse(text);
  if (response.status === 200) return answer;
  const { message } = answer as { readonly message?: unknown };
  throw new CommandError(`The operator (process ${pid}) cannot answer: ${String(message ?? text)}`);
}

/** Whether any operator on this machine answers questions, also of other users or versions. */
export async function hasOperators(host: Host): Promise<boolean> {
  const { endpoints, unreadable, others } = await findEndpoints(host);
  return endpoints.length + unreadable + others > 0;
}

interface Found {
  readonly endpoints: readonly Endpoint[];
  /** Files of other users. */
  readonly unreadable: number;
  /** Files in another form. */
  readonly others: number;
}

async function findEndpoints(
  host: Host,
): Promise<Found> {
  const { files, process } = host;
  const probe = await files.makeTempFolder("lotse-look-");
  await files.remove(probe);
  const folder = files.folderOf(probe);
  const endpoints: Endpoint[] = [];
  let unreadable = 0;
  let others = 0;
  for (const name of await files.list(folder)) {
    if (!name.startsWith(FOLDER)) continue;
    try {
      const endpoint: unknown = JSON.parse(await files.readText(files.resolve(folder, name, FILE)));
      // An operator that was killed leaves its file behind.
      if (!isEndpoint(endpoint)) others++;
      else if (process.isRunning(endpoint.pid)) endpoints.push(endpoint);
    } catch (error) {
      if ((error as { readonly code?: unknown }).code !== "ENOENT") unreadable++;
    }
  }
  return { endpoints, unreadable, others };
}

function isEndpoint(value: unknown): value is Endpoint {
  if (typeof value !== "object" || value === null) return false;
  const { format, server, token, pid } = value as Partial<Record<string, unknown>>;
  return format === FORMAT && typeof server === "string" && typeof token === "string" &&
    typeof pid === "number";
}
