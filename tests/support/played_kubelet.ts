/** A played kubelet: runs commands that a test makes up, and speaks with clients by WebSockets as the API server does. */

import { sha1Base64 } from "../../lib/runtime/digest.ts";
import { UpgradeResponse, type VirtualLine } from "../../lib/runtime/virtual/upgrade.ts";

/** A command in a container. */
export interface PlayedCommand {
  readonly words: readonly string[];
  readonly container: string | null;
  /** The standard input, when it has ended; undefined: none was asked for. */
  readonly stdin: string | undefined;
}

/** How it ends. */
export interface PlayedEnd {
  readonly stdout?: readonly string[];
  readonly stderr?: readonly string[];
  readonly code?: number;
  /** The message of a failure to start. */
  readonly failure?: string;
  /** The connection breaks off instead. */
  readonly breaks?: boolean;
}

/** Answers a request for a command. `protocol`: the one that this server speaks. */
export function playKubelet(
  request: Request,
  run: (command: PlayedCommand) => PlayedEnd | Promise<PlayedEnd>,
  protocol = "v5.channel.k8s.io",
): Response {
  const { searchParams: query } = new URL(request.url);
  const key = request.headers.get("sec-websocket-key") ?? "";
  const headers = {
    "upgrade": "websocket",
    "connection": "Upgrade",
    "sec-websocket-accept": sha1Base64(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`),
    "sec-websocket-protocol": protocol,
  };
  return new UpgradeResponse(headers, (line) => void serve(line, query, run));
}

async function serve(
  line: VirtualLine,
  query: URLSearchParams,
  run: (command: PlayedCommand) => PlayedEnd | Promise<PlayedEnd>,
): Promise<void> {
  const stdin = query.has("stdin") ? await readInput(line) : undefined;
  const end = await run({ words: query.getAll("command"), container: query.get("container"), stdin });
  const { stdout = [], stderr = [], code = 0, failure, breaks } = end;
  for (const text of stdout) line.send(serverFrame(1, text));
  for (const text of stderr) line.send(serverFrame(2, text));
  if (breaks !== true) line.send(serverFrame(3, JSON.stringify(statusOf(code, failure))));
  line.close();
}

function statusOf(code: number, failure: string | undefined): object {
  const head = { kind: "Status", apiVersion: "v1", metadata: {} };
  if (failure !== undefined) {
    return { ...head, status: "Failure", reason: "InternalError", message: failure, code: 500 };
  }
  if (code === 0) return { ...head, status: "Success" };
  return {
    ...head,
    status: "Failure",
    reason: "NonZeroExitCode",
    message: `command terminated with non-zero exit code ${code}`,
    details: { causes: [{ reason: "ExitCode", message: String(code) }] },
  };
}

/** Returns a frame as a server sends it: not masked. */
export function serverFrame(channel: number, text: string): Uint8Array {
  const bytes = new TextEncoder().encode(text);
  const length = bytes.length + 1;
  const head = length < 126 ? [0x82, length] : [0x82, 126, length >> 8, length & 0xff];
  return new Uint8Array([...head, channel, ...bytes]);
}

/** Reads masked frames until the input is closed. */
async function readInput({ received }: VirtualLine): Promise<string | undefined> {
  let rest: number[] = [];
  const input: number[] = [];
  for await (const chunk of received) {
    rest.push(...chunk);
    for (;;) {
      const short = (rest[1] ?? 0) & 0x7f;
      const head = short === 126 ? 4 : 2;
      const length = short === 126 ? (rest[2] ?? 0) * 256 + (rest[3] ?? 0) : short;
      if (rest.length < head + 4 + length || rest.length < 2) break;
      const mask = rest.slice(head, head + 4);
      const payload = rest.slice(head + 4, head + 4 + length).map((byte, at) => byte ^ mask[at & 3]!);
      rest = rest.slice(head + 4 + length);
      if (payload[0] === 255) return new TextDecoder().decode(new Uint8Array(input));
      if (payload[0] === 0) input.push(...payload.slice(1));
    }
  }
  // The client has gone before it has ended its input.
  return undefined;
}
