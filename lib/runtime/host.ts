/**
 * The host, as everything above it sees it: time, chance, files, network, signals, child processes.
 *
 * This is the only door through which the outside world enters. One implementation on `node:` built-ins serves Deno,
 * Bun and Node (`node.ts`); the virtual one (`virtual.ts`) has a clock that tests wind by hand, a seeded generator and
 * a network that leads into functions, so that a whole operator run is a function of its code and its seed.
 * No file outside `lib/runtime/` names Deno, Bun, process, Date.now, Math.random, setTimeout or fetch; lint enforces it.
 */

/** A duration in seconds, as in Kubernetes' own `...Seconds` fields. Fractions are allowed. */
export type Seconds = number;

/** Everything that the outside world is to Lotse. */
export interface Host {
  /** Which runtime this is; for messages and the User-Agent, never for branching outside `lib/runtime/`. */
  readonly name: "deno" | "bun" | "node" | "virtual";
  /** The runtime's version, such as "2.9.6". */
  readonly version: string;
  /** Time. */
  readonly clock: Clock;
  /** Chance. */
  readonly random: Random;
  /** The file system. */
  readonly files: Files;
  /** This process, and others that it starts. */
  readonly process: Process;
  /** Connections and servers. */
  readonly network: Network;
}

/** Time as the host sees it. */
export interface Clock {
  /** The wall clock, in milliseconds since 1970, as `Date.now()`. May jump. */
  now(): number;
  /** A clock that never goes backwards, in seconds since an arbitrary point. For durations. */
  monotonic(): Seconds;
  /**
   * Resolves after the given time, or at once when it is zero or negative (but never in the same microtask).
   *
   * Never rejects: an aborted signal ends the sleep early, with `false`; a sleep slept in full gives `true`.
   * `Infinity` sleeps until the signal. Delays beyond 2^31-1 ms are slept in pieces.
   */
  sleep(seconds: Seconds, signal?: AbortSignal): Promise<boolean>;
  /** Calls `callback` once after the given time, unless disposed first. Does not keep the process alive. */
  after(seconds: Seconds, callback: () => void): Disposable;
}

/** Chance as the host gives it. */
export interface Random {
  /** A number in [0, 1). */
  next(): number;
  /** That many random bytes; from a cryptographic source on real hosts. */
  bytes(length: number): Uint8Array;
  /** A random (version 4) UUID. */
  uuid(): string;
}

/** The file system, as far as an operator needs one. All paths are native; relative ones start at `process.cwd()`. */
export interface Files {
  /**
   * Returns a file's text, read as UTF-8.
   *
   * @throws {Error} With `code: "ENOENT"` if there is no such file.
   */
  readText(path: string): Promise<string>;
  /**
   * Returns a file's bytes.
   *
   * @throws {Error} With `code: "ENOENT"` if there is no such file.
   */
  readBytes(path: string): Promise<Uint8Array>;
  /** Creates parent folders as needed. `mode` defaults to 0o644. */
  writeText(path: string, text: string, options?: { readonly mode?: number }): Promise<void>;
  /** Adds to the end of a file, which is made if there is none, with its parent folders. */
  appendText(path: string, text: string): Promise<void>;
  /**
   * Makes a file that must not be there yet, with its parent folders: of several callers at once, one succeeds.
   *
   * @throws {Error} With `code: "EEXIST"` if the path is taken.
   */
  createText(path: string, text: string): Promise<void>;
  /**
   * Renames a file or a folder within its file system, at once. A file takes the place of another; a folder takes the place of an empty
   * one, at most.
   *
   * @throws {Error} With `code: "ENOENT"` if there is no such file.
   */
  rename(path: string, to: string): Promise<void>;
  /**
   * Copies a file's bytes; parent folders are made.
   *
   * @throws {Error} With `code: "ENOENT"` if there is no such file.
   */
  copy(path: string, to: string): Promise<void>;
  /** Whether there is a file or folder at the path. */
  exists(path: string): Promise<boolean>;
  /**
   * Returns the names (not paths) of the files and folders in a folder, sorted.
   *
   * @throws {Error} With `code: "ENOENT"` if there is no such folder, `code: "ENOTDIR"` if it is a file.
   */
  list(path: string): Promise<string[]>;
  /** When the file's content last changed, in milliseconds since 1970; undefined if there is no such file. */
  modified(path: string): Promise<number | undefined>;
  /** Removes a file, or a folder with its content, if it is there. */
  remove(path: string): Promise<void>;
  /** Makes a fresh folder under the system's temporary one, and returns its path. */
  makeTempFolder(prefix: string): Promise<string>;
  /** Joins and normalises; an absolute later part wins, as in `path.resolve`. */
  resolve(...parts: string[]): string;
  /** The folder that holds the path. */
  folderOf(path: string): string;
  /** Calls back when a file below the path changes (debouncing is the caller's); dispose to stop. */
  watch(path: string, callback: (path: string) => void): Disposable;
}

/** The process that we run in, and others that we start. */
export interface Process {
  /** The number that the system knows it by. */
  readonly pid: number;
  /** Whether there is a process of that number on this machine. */
  isRunning(pid: number): boolean;
  /** Arguments after the script's name. */
  readonly args: readonly string[];
  /** The words that start this very program: an executable, and the words before its arguments. */
  readonly self: readonly string[];
  /** An environment variable, or undefined if it is unset. Empty strings are given as they are. */
  env(name: string): string | undefined;
  /** The names of all environment variables; none where the runtime does not tell. */
  envNames(): readonly string[];
  /** The user's home folder, or undefined where there is none. */
  home(): string | undefined;
  /** The folder that relative paths start at. */
  cwd(): string;
  /** The host's name on the network. */
  hostname(): string;
  /** The name of the user that we run as, or undefined where there is none. */
  user(): string | undefined;
  /** Bytes of resident memory. */
  memory(): number;
  /**
   * Has the runtime collect all garbage, and give the memory back to the system, where it can be asked. No other code runs
   * meanwhile: some 50 to 200 ms for ten thousand objects.
   */
  releaseMemory(): void;
  /** Says that the start is over: code that runs often from now on is worth being compiled well. Default: has no effect. */
  endStart?(): void;
  /** CPU time used so far by this process, in seconds (user and system). */
  cpu(): Seconds;
  /** Calls back on each such signal, instead of the default action, until disposed. */
  onSignal(signal: "SIGINT" | "SIGTERM" | "SIGHUP" | "SIGUSR2", callback: () => void): Disposable;
  /**
   * Writes all objects in memory into a file for tools of the runtime; no other code runs meanwhile. Absent where the runtime cannot.
   *
   * @throws {Error} If the file cannot be written.
   */
  writeHeapSnapshot?(path: string): void;
  /**
   * Calls back with each uncaught error, in place of the runtime's default action, which is to end the process
   * (Bun goes on after rejections): a promise that was rejected and not awaited, or an error out of a timer
   * or listener. The context is the one in which the error came about, where the runtime keeps it: see `losesContext`.
   */
  onStray(callback: (error: unknown, kind: "rejection" | "exception") => void): Disposable;
  /** Whether `onStray` tells of rejections outside of any context, whatever has made them. */
  readonly losesContext: boolean;
  /**
   * Calls back after the event loop was blocked for more than a second (a quarter of a second more or less): some code has
   * computed, or waited for the system, and no other code could run. The whole process may have stood still as well.
   */
  onBlocked(callback: (block: Block) => void): Disposable;
  /** Ends the process. Only `lib/cli` calls it. */
  exit(code: number): never;
  /** Writes the text as it is (no newline is added). */
  write(stream: "stdout" | "stderr", text: string): void;
  /** Whether the stream is a terminal. */
  isTerminal(stream: "stdout" | "stderr"): boolean;
  /**
   * Takes the terminal of the standard output until disposed: keys come one by one, and are not shown; Ctrl-C is a key, too.
   * Undefined where the output is no terminal. Absent: there is never one.
   */
  openTerminal?(options: TerminalOptions): Terminal | undefined;
  /**
   * Runs a program to its end.
   *
   * @throws {Error} With `code: "ENOENT"` if there is no such program; with name "AbortError" if the signal aborts.
   */
  run(command: string, args: readonly string[], options?: RunOptions): Promise<RunResult>;
  /** Calls the default function of a module (a file: URL) in a worker thread, and resolves to its result. The signal ends it. */
  work(module: string, input: unknown, signal?: AbortSignal): Promise<unknown>;
  /**
   * Imports a module by its absolute path. With `fresh`, a module that was imported before is loaded anew, together
   * with the files that it imports by relative paths.
   */
  importModule(path: string, options?: { readonly fresh?: boolean }): Promise<Record<string, unknown>>;
  /**
   * Loads a part of the program that is needed only now, by calling the function. On a virtual host no time passes meanwhile,
   * however long it takes. Absent where that is no different from calling it.
   */
  load?<Part>(load: () => Promise<Part>): Promise<Part>;
}

/** The events of a terminal. */
export interface TerminalOptions {
  /** A key was pressed: its character, or the sequence that the terminal sends for it. Never called where the input is no terminal. */
  readonly onKey: (key: string) => void;
  /** The terminal has another size. */
  readonly onResize: () => void;
}

/** A terminal that was taken. */
export interface Terminal extends Disposable {
  /** How many characters fit into a line, and how many lines on the screen, now. */
  size(): { readonly columns: number; readonly rows: number };
}

/** A time in which no code could run. */
export interface Block {
  /** How long it was. */
  readonly seconds: Seconds;
  /** How much of it the process has computed: little of it says that it waited, or was stopped. */
  readonly cpu: Seconds;
}

/** How to run a program. */
export interface RunOptions {
  /** Variables set on top of the own environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Where it runs. Default: where we do. */
  readonly cwd?: string;
  /** Text for the standard input; none: an empty input. "inherit": ours. */
  readonly input?: string;
  /** Passes output through instead of collecting it. */
  readonly inherit?: boolean;
  /** Aborting ends the program. */
  readonly signal?: AbortSignal;
}

/** How a program ended. */
export interface RunResult {
  /** The exit code; 128 + n when killed by signal n. */
  readonly code: number;
  /** The text of its standard output. */
  readonly stdout: string;
  /** The text of its standard error output. */
  readonly stderr: string;
}

/** Connections to servers, and servers of our own. */
export interface Network {
  /**
   * Prepares a keep-alive pool of connections to one server. No connection is opened yet.
   *
   * @throws {Error} If the TLS material cannot be parsed; the message says which.
   */
  connect(options: ConnectOptions): Connection;
  /**
   * Starts a server, and resolves when it listens.
   *
   * @throws {Error} With `code: "EADDRINUSE"` if the port is taken.
   */
  serve(options: ServeOptions): Promise<Server>;
}

/** Which server to connect to, and how to trust it. */
export interface ConnectOptions {
  /** The base URL: scheme, host, port, optionally a path prefix; `http:` or `https:`. */
  readonly server: string;
  /** PEM texts. Without `ca`, the host's own trust store counts. `cert` and `key` go together. */
  readonly ca?: string;
  /** Our certificate, for servers that ask for one. PEM. */
  readonly cert?: string;
  /** The key of our certificate. PEM. */
  readonly key?: string;
  /** Neither the chain nor the name of the server's certificate is checked. */
  readonly insecure?: boolean;
  /** The name expected in the server's certificate, and sent as SNI, in place of the URL's host. */
  readonly serverName?: string;
  /** A proxy to reach the server through: `http://[user:password@]host:port`, or the same with `https://` or `socks5://`. */
  readonly proxy?: string;
  /** For TCP and TLS together. Default: none. */
  readonly connectTimeout?: Seconds;
}

/** A pool of connections to one server. Disposing closes them all, and ends requests in flight with an error. */
export interface Connection extends Disposable {
  /**
   * Sends one request, and resolves as soon as the response's head has come.
   *
   * @throws {Error} If no response came: connection refused or reset (Node's `code`), TLS errors, or the signal's reason.
   */
  request(request: HttpRequest): Promise<HttpResponse>;
}

/** One request. */
export interface HttpRequest {
  /** In capitals. */
  readonly method: string;
  /** Path and query, beginning with a slash; appended to the server's path prefix. */
  readonly path: string;
  /** Names in lower case; of several values each becomes a header of its own. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** A text is sent as UTF-8. */
  readonly body?: string | Uint8Array;
  /** Aborting ends the request at once, also while its body is being read. */
  readonly signal?: AbortSignal;
  /** Asked when the connection is there, right before the first byte: false has the request fail, and no byte is sent. */
  readonly mayBegin?: () => boolean;
  /** Whether the answer may be 101: the connection then speaks the protocol that the headers ask for. Default: that is an error. */
  readonly mayUpgrade?: boolean;
}

/** A response whose body may still be on its way. Either `text()` or `body` is used, once; or `cancel()`. */
export interface HttpResponse {
  /** The HTTP status code. */
  readonly status: number;
  /** Names in lower case; several values are joined with ", ". */
  readonly headers: Readonly<Record<string, string>>;
  /** The header of that name, which each response is asked for: reading it is cheap. Undefined: none. */
  readonly warning?: string;
  /** Chunks as they come, pulled: bytes that are not asked for stay in the socket. Throws where the stream breaks. */
  readonly body: AsyncIterable<Uint8Array>;
  /** The whole body as UTF-8 text; wrong bytes become U+FFFD. gzip is decoded. */
  text(): Promise<string>;
  /** Returns the connection up without reading on. */
  cancel(): void;
  /** Sends bytes on a connection that speaks another protocol now (status 101). The bytes that come are its body. */
  send?(bytes: Uint8Array): void;
}

/** The handler of requests, and the address to serve at. */
export interface ServeOptions {
  /** Default: 127.0.0.1. */
  readonly hostname?: string;
  /** 0 (default) takes any free one. */
  readonly port?: number;
  /** PEM texts; without them the server speaks plain HTTP. */
  readonly tls?: ServerTls;
  /**
   * Answers a request. A throw becomes a plain 500, but one with `code: "ECONNRESET"`, which breaks the connection. The
   * request's signal aborts when the client goes away.
   */
  readonly fetch: (request: Request, peer: Peer) => Response | Promise<Response>;
  /** Limits for clients. Default: see each. */
  readonly limits?: ServerLimits;
}

/** Limits for the clients of a server, so that none that stalls, and no number of them, takes it from the others. */
export interface ServerLimits {
  /**
   * Connections at once. For one more, the one that has been silent for longest is closed; where all are at work, the new
   * one is. Default: 1000.
   */
  readonly connections?: number;
  /** How long a new connection may take until its first request's head has come, TLS included. In seconds. Default: 15. */
  readonly head?: Seconds;
  /** How long the body of a request may take. In seconds. Default: 60. */
  readonly body?: Seconds;
  /** How long a connection may wait for its next request; longer than clients keep theirs, so that clients close first. In seconds. Default: 95. */
  readonly idle?: Seconds;
}

/** The other end of a server's connection. */
export interface Peer {
  /** The client's IP address, if it is known. */
  readonly address?: string;
  /** The client's certificate in PEM, if it sent one and it was asked for; verified against `ca`. */
  readonly certificate?: string;
}

/** The keys that a server needs for TLS. */
export interface ServerTls {
  /** The certificate, with the certificates between it and the authority. PEM. */
  readonly cert: string;
  /** Its key. PEM. */
  readonly key: string;
  /** Asks clients for certificates signed by this authority. */
  readonly ca?: string;
  /** Refuses clients without one. Default: false. */
  readonly requireCertificate?: boolean;
}

/** A listening server. */
export interface Server extends AsyncDisposable {
  /** The address that it listens on. */
  readonly hostname: string;
  /** The port that it listens on, also where any free one was asked for. */
  readonly port: number;
  /**
   * Connects to itself, and tells whether the connection was accepted within that time. Never rejects.
   *
   * A listener may be deaf although it listens: after the process had run out of descriptors, for one.
   */
  accepts(within: Seconds): Promise<boolean>;
  /** Changes the certificate for new connections, without closing old ones. */
  updateTls(tls: ServerTls): void;
  /** Stops listening, and closes connections: idle ones at once, busy ones when `grace` (default 0) is over. */
  close(grace?: Seconds): Promise<void>;
}
