/**
 * Answers questions about a run on its own machine: for `lotse why`, `lotse queue` and `lotse top`, also inside of a Pod.
 *
 * The server listens on 127.0.0.1 alone, and answers only to callers who know its token. The token is in a file that only the
 * operator's own user can read, in a fresh folder for temporary files: whoever may read that file may ask. Not a socket of the
 * file system, as not all runtimes and file systems have these; see docs/decisions/0038-questions.md.
 */

import type { Host } from "../runtime/host.ts";
import type { Logger } from "../runtime/logging.ts";

/** The beginning of the folders' names, and the name of the file in each. */
export const FOLDER = "lotse-ask-";
export const FILE = "endpoint.json";

/** By this header a caller knows that an operator answers, and no other program. */
const ANSWERED = { "lotse-format": "lotse.dev/ask/v1" };

/** The content of the file. */
export interface Endpoint {
  readonly format: "lotse.dev/ask/v1";
  /** Such as "http://127.0.0.1:41234". */
  readonly server: string;
  readonly token: string;
  /** The process of the operator. */
  readonly pid: number;
}

/** The answers to questions, by path. */
export type Answers = Readonly<Record<string, (question: unknown) => unknown>>;

export interface QuestionsOptions {
  readonly host: Host;
  readonly logger: Logger;
  readonly answers: Answers;
}

/** No question is longer. In characters. */
const LONGEST_QUESTION = 10_000;

/** Begins to answer. Where that is not possible, a warning says so, and the operator goes on without. */
export async function answerQuestions(options: QuestionsOptions): Promise<AsyncDisposable | undefined> {
  const { host, logger } = options;
  const token = host.random.uuid() + host.random.uuid();
  try {
    const folder = await host.files.makeTempFolder(FOLDER);
    await sweep(host, folder);
    const server = await host.network.serve({
      hostname: "127.0.0.1",
      fetch: (request) => answer(request, { ...options, token }),
    });
    const endpoint: Endpoint = {
      format: "lotse.dev/ask/v1",
      server: `http://${server.hostname}:${server.port}`,
      token,
      pid: host.process.pid,
    };
    const path = host.files.resolve(folder, FILE);
    await host.files.writeText(path, `${JSON.stringify(endpoint)}\n`, { mode: 0o600 });
    logger.debug("Questions are answered", { file: path });
    return {
      [Symbol.asyncDispose]: async () => {
        await host.files.remove(folder);
        await server.close();
      },
    };
  } catch (error) {
    logger.warn(
      "Questions of `lotse why` cannot be answered (is there a writable folder for temporary files?)",
      {
        error,
        stack: false,
      },
    );
  }
}

/**
 * Removes the files of operators that were killed: of processes that run no more, and, as a container's first process has the same
 * number after each restart, of this one where no server answers. Several operators may run in one process.
 */
async function sweep(host: Host, own: string): Promise<void> {
  const { files, process } = host;
  const parent = files.folderOf(own);
  for (const name of await files.list(parent)) {
    const folder = files.resolve(parent, name);
    if (!name.startsWith(FOLDER) || folder === own) continue;
    try {
      const text = await files.readText(files.resolve(folder, FILE));
      const { pid, server = "" } = JSON.parse(text) as Partial<Endpoint>;
      if (typeof pid !== "number") continue;
      const isLive = pid === process.pid ? await isAnswered(server, host) : process.isRunning(pid);
      if (!isLive) await files.remove(folder);
    } catch {
      // Another user's, or about to be written.
    }
  }
}

async function isAnswered(server: string, { network }: Host): Promise<boolean> {
  try {
    using connection = network.connect({ server, connectTimeout: 1 });
    const { status } = await connection.request({ method: "POST", path: "/", headers: {} });
    return status === 401;
  } catch {
    return false;
  }
}

async function answer(
  request: Request,
  { answers, token, logger }: QuestionsOptions & { readonly token: string },
): Promise<Response> {
  if (request.headers.get("authorization") !== `Bearer ${token}`) {
    return refusal(401, "The token is missing, or is another operator's");
  }
  const { pathname } = new URL(request.url);
  const answerOf = Object.hasOwn(answers, pathname) ? answers[pathname] : undefined;
  if (answerOf === undefined) {
    return refusal(404, `This operator knows no question "${pathname}": it may be of another version`);
  }
  const text = await request.text();
  if (text.length > LONGEST_QUESTION) return refusal(413, "The question is too long");
  try {
    const answered = await answerOf(text === "" ? undefined : JSON.parse(text));
    return Response.json(answered, { headers: ANSWERED });
  } catch (error) {
    logger.debug("Cannot answer a question", { error });
    return refusal(400, error instanceof Error ? error.message : String(error));
  }
}

function refusal(status: number, message: string): Response {
  return Response.json({ message }, { status, headers: ANSWERED });
}
