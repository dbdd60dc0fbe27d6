/**
 * Runs a command in a container, by the kubelet's streams over a WebSocket.
 *
 * Each message begins with the number of its channel. Version 5 of the protocol can close the standard input, which version 4, of
 * servers before Kubernetes 1.30, cannot. Source: Kubernetes, KEP-4006, "Transition from SPDY to WebSockets".
 */

import type { StatusBody } from "../model/object.ts";
import { pathOf } from "../model/resource.ts";
import { type OpenWebSocket, openWebSocket } from "./transport/web_socket.ts";
import type { Transport } from "./transport/transport.ts";

const PROTOCOLS = ["v5.channel.k8s.io", "v4.channel.k8s.io"] as const;
const PODS = { group: "", version: "v1", plural: "pods", namespaced: true } as const;

const CHANNELS = { stdin: 0, stdout: 1, stderr: 2, error: 3, close: 255 } as const;

/** So much of the input goes into one message. In bytes. */
const PIECE = 32 * 1024;

/** How much output is collected. In bytes. */
const MOST_OUTPUT = 16 * 1024 * 1024;

/** How a command is run in a container. */
export interface ExecOptions {
  /** The container. Default: the only one, or the one that the Pod's annotation `kubectl.kubernetes.io/default-container` names. */
  readonly container?: string;
  /** The standard input, as a whole. Default: none. Needs Kubernetes 1.30 or later, as older servers cannot end it. */
  readonly stdin?: string | Uint8Array;
  /** Called with each piece of output, which is not collected then. */
  readonly onOutput?: (bytes: Uint8Array, stream: "stdout" | "stderr") => void;
  /** Aborting ends the connection. NB: the command goes on, as kubelets do not kill it. */
  readonly signal?: AbortSignal;
}

/** How a command has ended. */
export interface ExecResult {
  /** The exit code. */
  readonly code: number;
  /** The text of its standard output; "" with `onOutput`. */
  readonly stdout: string;
  /** The text of its standard error output; "" with `onOutput`. */
  readonly stderr: string;
}

/**
 * Runs a command in a Pod, and resolves when it has ended, however it has.
 *
 * @throws {ApiError} If the server refuses: 403 without the rights `get` and `create` on `pods/exec`, 404 if there is no such Pod.
 * @throws {Error} If the command cannot be started, the connection breaks, or the output is longer than 16 MiB.
 */
export async function exec(
  transport: Transport,
  { namespace, name }: { readonly namespace?: string; readonly name: string },
  command: readonly string[],
  { container, stdin, onOutput, signal }: ExecOptions = {},
): Promise<ExecResult> {
  if (command.length === 0) throw new TypeError("Cannot run a command: it has no words");
  const query = new URLSearchParams(command.map((word) => ["command", word]));
  if (container !== undefined) query.set("container", container);
  if (stdin !== undefined) query.set("stdin", "true");
  query.set("stdout", "true");
  query.set("stderr", "true");
  const path = pathOf(PODS, { namespace, name, subresource: "exec" });
  const subject = { verb: "get", resource: PODS, namespace, name, subresource: "exec" };
  using socket = await openWebSocket(transport, {
    path: `${path}?${query}`,
    protocols: PROTOCOLS,
    subject,
    signal,
  });
  if (stdin !== undefined) sendInput(socket, stdin);
  const output = new Output(onOutput);
  for await (const message of socket.messages()) {
    const [channel] = message;
    const rest = message.subarray(1);
    if (channel === CHANNELS.stdout) output.add(rest, "stdout");
    else if (channel === CHANNELS.stderr) output.add(rest, "stderr");
    else if (channel === CHANNELS.error) return { code: codeOf(rest, name), ...output.texts };
  }
  throw new Error(`Cannot say how the command ended in "${name}": the connection was closed before`);
}

/** @throws {Error} If the server cannot end the input: the command would wait for ever. */
function sendInput(socket: OpenWebSocket, input: string | Uint8Array): void {
  if (socket.protocol !== PROTOCOLS[0]) {
    throw new Error(
      "Cannot send input to a command: the server is older than Kubernetes 1.30, and cannot end it",
    );
  }
  const bytes = typeof input === "string" ? new TextEncoder().encode(input) : input;
  for (let at = 0; at < bytes.length; at += PIECE) {
    const piece = bytes.subarray(at, at + PIECE);
    const message = new Uint8Array(1 + piece.length);
    message[0] = CHANNELS.stdin;
    message.set(piece, 1);
    socket.send(message);
  }
  socket.send(new Uint8Array([CHANNELS.close, CHANNELS.stdin]));
}

/** The output so far. */
class Output {
  readonly #onOutput: ExecOptions["onOutput"];
  readonly #decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  readonly #texts = { stdout: "", stderr: "" };
  #length = 0;

  constructor(onOutput: ExecOptions["onOutput"]) {
    this.#onOutput = onOutput;
  }

  get texts(): { readonly stdout: string; readonly stderr: string } {
    const { stdout, stderr } = this.#decoders;
    return { stdout: this.#texts.stdout + stdout.decode(), stderr: this.#texts.stderr + stderr.decode() };
  }

  add(bytes: Uint8Array, stream: "stdout" | "stderr"): void {
    if (bytes.length === 0) return;
    if (this.#onOutput !== undefined) return this.#onOutput(bytes, stream);
    this.#length += bytes.length;
    if (this.#length > MOST_OUTPUT) {
      throw new Error("Cannot keep the output of a command: it is longer than 16 MiB (take `onOutput`)");
    }
    this.#texts[stream] += this.#decoders[stream].decode(bytes, { stream: true });
  }
}

/** Reads the end of a command. Source: Kubernetes, `remotecommand`, version 4 of the protocol. */
function codeOf(bytes: Uint8Array, pod: string): number {
  const text = new TextDecoder().decode(bytes);
  let status: StatusBody;
  try {
    status = JSON.parse(text) as StatusBody; // whatever it is: its fields are looked at
  } catch {
    throw new Error(`Cannot run the command in "${pod}": ${text}`);
  }
  if (status.status === "Success") return 0;
  const code = Number(status.details?.causes?.find(({ reason }) => reason === "ExitCode")?.message);
  if (status.reason === "NonZeroExitCode" && Number.isInteger(code)) return code;
  throw new Error(`Cannot run the command in "${pod}": ${status.message ?? text}`);
}
