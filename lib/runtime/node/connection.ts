/**
 * Requests to one server over a pool of HTTP/1.1 connections that are kept open.
 *
 * The hot path of an operator, so a request is one write to a socket, and a response is read where its bytes arrive
 * (`response_reader.ts`): `node:https` would cost two to three times as much of the processor, and fetch does not behave the
 * same on Deno, Bun and Node (private authorities, client certificates, server names, resets, hundreds of watches).
 * docs/decisions/0020-own-http-client.md.
 */

import { Buffer } from "node:buffer";
import { clearTimeout, setTimeout } from "node:timers";
import { createSecureContext } from "node:tls";
import type { Connection, ConnectOptions, HttpRequest, HttpResponse } from "../host.ts";
import { checkProxy, checkTls, type DialTarget, open, type TlsOptions } from "./dial.ts";
import { type Line, RoundTrip } from "./round_trip.ts";
import { ResponseReader } from "./response_reader.ts";
import { type Brake, SocketWire, type Tap, type Wire, type WireEvents } from "./wire.ts";

/** Idle TCP connections are probed after this long, in milliseconds, so that routers on the way do not forget them. */
const PROBE_DELAY = 15_000;

/** So many connections are kept while they are not needed. */
const MOST_IDLE = 256;

// deno-lint-ignore no-control-regex -- control characters are looked for.
const CONTROLS = /[\0-\x08\x0a-\x1f\x7f]/;
const SPACES = /[\0-\x20\x7f]/;

/** The weaknesses of a runtime. */
export interface Care {
  /** Stops a socket that is not read. Default: it is paused. */
  readonly brake?: Brake;
  /** Whether TLS begins only when there is a connection. Default: the runtime does both at once. */
  readonly dialsInSteps?: boolean;
  /** Takes the bytes of a socket past the runtime's streams. Default: they go through them. */
  readonly tap?: Tap;
}

/** Prepares a pool of connections to one server. */
export function connectNode(options: ConnectOptions, care: Care = {}): Connection {
  checkTls(options);
  if (options.proxy !== undefined) checkProxy(options.proxy);
  return new Pool(options, care);
}

class Pool implements Connection {
  readonly #options: ConnectOptions;
  readonly #target: DialTarget;
  readonly #tls: TlsOptions;
  readonly #care: Care;
  readonly #prefix: string;
  /** The header that names the server. */
  readonly #host: string;
  readonly #idle: Lane[] = [];
  readonly #fields = new WeakMap<HttpRequest["headers"], string>();
  readonly #roundTrips = new Set<RoundTrip>();
  #isDisposed = false;

  constructor(options: ConnectOptions, care: Care) {
    const url = new URL(options.server);
    if (url.protocol !== "http:" && url.protocol !== "https:") {
      throw new TypeError(`Cannot connect to "${options.server}": only http: and https: are known`);
    }
    const isSecure = url.protocol === "https:";
    // IPv6 addresses stand in brackets in URLs, but not in socket options.
    const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
    this.#options = options;
    this.#target = { host, port: Number(url.port || (isSecure ? 443 : 80)), isSecure };
    this.#tls = isSecure || options.proxy?.startsWith("https:") ? tlsOptions(options) : {};
    this.#care = care;
    this.#prefix = url.pathname.replace(/(?<!\/)\/+$/, "");
    this.#host = url.host;
  }

  request(request: HttpRequest): Promise<HttpResponse> {
    const { signal } = request;
    if (this.#isDisposed) {
      return Promise.reject(new Error("Cannot send a request: the connection was closed"));
    }
    if (signal?.aborted) return Promise.reject(signal.reason);
    let head: string;
    try {
      head = this.#headOf(request);
    } catch (error) {
      return Promise.reject(error);
    }
    const roundTrip = new RoundTrip({ signal, open: this.#roundTrips });
    const lane = this.#idle.pop();
    if (lane === undefined) this.#dial(roundTrip, { head, request });
    else lane.send(roundTrip, { head, request });
    return roundTrip.whenHead;
  }

  [Symbol.dispose](): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    for (const roundTrip of [...this.#roundTrips]) roundTrip.fail(new Error("The connection was closed"));
    this.#clear();
  }

  /** Opens a connection for a request. A caller that gives up waiting takes the connection with it. */
  #dial(roundTrip: RoundTrip, sending: Sending): void {
    const { proxy, connectTimeout } = this.#options;
    const timer = connectTimeout === undefined ? undefined : setTimeout(() => {
      const error = new Error(`Cannot connect to the server: no connection after ${connectTimeout} s`);
      roundTrip.fail(Object.assign(error, { code: "ETIMEDOUT" }));
    }, connectTimeout * 1000);
    const dialing = open({
      target: this.#target,
      tls: this.#tls,
      proxy,
      inSteps: this.#care.dialsInSteps,
      probeDelay: PROBE_DELAY,
    }, (error, socket) => {
      clearTimeout(timer);
      if (socket === undefined) return roundTrip.fail(error);
      if (roundTrip.isOver) return void socket.destroy();
      const { brake, tap } = this.#care;
      const lane = new Lane({
        wire: (told) => tap?.(socket, told) ?? new SocketWire(socket, told, brake),
        free: (freed) => this.#free(freed),
        drop: (dropped) => this.#drop(dropped),
        clear: () => this.#clear(),
      });
      lane.send(roundTrip, sending);
    });
    roundTrip.begin({
      write: () => {},
      hold: () => {},
      release: () => {},
      distrust: () => {},
      destroy: () => dialing.destroy(),
    });
  }

  #free(lane: Lane): void {
    if (this.#isDisposed || this.#idle.length >= MOST_IDLE) lane.destroy();
    else this.#idle.push(lane);
  }

  #clear(): void {
    for (const lane of this.#idle.splice(0)) lane.destroy();
  }

  #drop(lane: Lane): void {
    const index = this.#idle.indexOf(lane);
    if (index >= 0) this.#idle.splice(index, 1);
  }

  /** @throws {TypeError} If the path or a header would be read in another way: both come from settings and from strangers. */
  #headOf({ method, path, headers, body }: HttpRequest): string {
    if (SPACES.test(path)) {
      throw new TypeError(`Cannot send a request: its path is not encoded: ${JSON.stringify(path)}`);
    }
    let head = `${method} ${this.#prefix}${path} HTTP/1.1\r\nhost: ${this.#host}\r\n`;
    head += this.#fieldsOf(headers);
    // NB: without it, a body would be another request.
    if (body !== undefined) head += `content-length: ${Buffer.byteLength(body)}\r\n`;
    else if (method !== "GET" && method !== "HEAD" && method !== "DELETE") head += "content-length: 0\r\n";
    return `${head}\r\n`;
  }

  /** Returns the lines of headers. Of headers that cannot change they are made once: nearly all requests have the same ones. */
  #fieldsOf(headers: HttpRequest["headers"]): string {
    const known = this.#fields.get(headers);
    if (known !== undefined) return known;
    let fields = "";
    let isConstant = Object.isFrozen(headers);
    for (const name of Object.keys(headers)) {
      const values = headers[name] ?? [];
      // A list in a frozen object is not frozen by that.
      if (typeof values !== "string") isConstant = false;
      for (const value of typeof values === "string" ? [values] : values) {
        if (CONTROLS.test(name) || CONTROLS.test(value)) {
          throw new TypeError(
            `Cannot send a request: the header ${JSON.stringify(name)} holds a control character`,
          );
        }
        fields += `${name}: ${value}\r\n`;
      }
    }
    if (isConstant) this.#fields.set(headers, fields);
    return fields;
  }
}

/** A request that is ready to go out. */
interface Sending {
  readonly head: string;
  readonly request: HttpRequest;
}

/** The connection of a lane, and the listener to its life. */
interface LaneOptions {
  /** Returns its bytes, of which the lane is told. */
  readonly wire: (told: WireEvents) => Wire;
  /** It can take another request. */
  readonly free: (lane: Lane) => void;
  /** It is there no more. */
  readonly drop: (lane: Lane) => void;
  /** Closes all that wait for a request. */
  readonly clear: () => void;
}

/** One connection, and the round trip on it. */
class Lane implements Line, WireEvents {
  readonly #options: LaneOptions;
  readonly #reader = new ResponseReader();
  readonly #wire: Wire;
  #roundTrip: RoundTrip | undefined;
  #isHeld = false;

  constructor(options: LaneOptions) {
    this.#options = options;
    this.#wire = options.wire(this);
  }

  send(roundTrip: RoundTrip, { head, request: { method, body, mayBegin, mayUpgrade } }: Sending): void {
    const wire = this.#wire;
    if (mayBegin?.() === false) {
      roundTrip.fail(new Error("The request was not sent: it may not begin any more"));
      wire.keep(false);
      return this.#options.free(this);
    }
    this.#roundTrip = roundTrip;
    roundTrip.begin(this);
    this.#reader.expect(method, roundTrip, mayUpgrade);
    wire.keep(true);
    if (typeof body !== "object") return wire.send(head + (body ?? ""));
    wire.send(head);
    wire.send(body);
  }

  write(bytes: Uint8Array): void {
    this.#wire.send(bytes);
  }

  hold(isHeld: boolean): void {
    if (isHeld === this.#isHeld) return;
    this.#isHeld = isHeld;
    this.#wire.hold(isHeld);
  }

  release(isReusable: boolean): void {
    this.#roundTrip = undefined;
    // NB: a server may answer before it has read the request: the unread part would go before the next one.
    if (!isReusable || this.#wire.isBusy) return this.destroy();
    this.hold(false);
    // A connection without a request keeps no process alive.
    this.#wire.keep(false);
    this.#options.free(this);
  }

  distrust(): void {
    this.#options.clear();
  }

  destroy(): void {
    this.#roundTrip = undefined;
    this.#options.drop(this);
    this.#wire.destroy();
  }

  data(bytes: Buffer): void {
    try {
      this.#reader.push(bytes);
    } catch (error) {
      this.broken(error);
    }
  }

  broken(error: unknown): void {
    this.#roundTrip?.fail(error);
    this.destroy();
  }

  /** The server has closed it. */
  closed(): void {
    if (!this.#reader.close()) this.#roundTrip?.lose();
    this.destroy();
  }
}

function tlsOptions(options: ConnectOptions): TlsOptions {
  const { ca, cert, key, serverName, insecure } = options;
  return {
    ...ca !== undefined && { ca },
    // Once for all connections: it takes half of the price of a connection on Deno.
    secureContext: createSecureContext({ ca, cert, key }),
    ...serverName !== undefined && { servername: serverName },
    ALPNProtocols: ["http/1.1"],
    // NB: set in any case, or an environment variable of Node (NODE_TLS_REJECT_UNAUTHORIZED) would decide.
    rejectUnauthorized: insecure !== true,
  };
}
