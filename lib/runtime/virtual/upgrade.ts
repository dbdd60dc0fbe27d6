/**
 * The change of protocol in a virtual network: a server's answer that goes on as a stream of bytes in both directions.
 *
 * A `Response` of the web cannot have the status 101, so that this is one of its own class.
 */

/** The bytes of a connection that speaks another protocol, on the server's side. */
export interface VirtualLine {
  /** Ends when the client has gone. */
  readonly received: AsyncIterable<Uint8Array>;
  send(bytes: Uint8Array): void;
  /** The server sends no more. */
  close(): void;
}

/** An answer with the status 101. Its function speaks with the client. */
export class UpgradeResponse extends Response {
  readonly speak: (line: VirtualLine) => void;

  constructor(headers: Readonly<Record<string, string>>, speak: (line: VirtualLine) => void) {
    super(null, { headers });
    this.speak = speak;
  }

  override get status(): number {
    return 101;
  }

  /** Begins to speak. Returns the client's side. */
  open(): ClientLine {
    const [toClient, toServer] = [new Channel(), new Channel()];
    this.speak({
      received: toServer.stream,
      send: (bytes) => toClient.send(bytes),
      close: () => toClient.close(),
    });
    return {
      received: toClient.stream,
      send: (bytes) => toServer.send(bytes),
      close: () => toServer.close(),
    };
  }
}

/** The client's side of a line. */
export interface ClientLine {
  readonly received: ReadableStream<Uint8Array>;
  send(bytes: Uint8Array): void;
  close(): void;
}

/** Bytes in one direction. */
class Channel {
  readonly stream: ReadableStream<Uint8Array>;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;

  constructor() {
    this.stream = new ReadableStream({
      start: (controller) => void (this.#controller = controller),
      cancel: () => void (this.#controller = undefined),
    });
  }

  send(bytes: Uint8Array): void {
    this.#controller?.enqueue(bytes);
  }

  close(): void {
    this.#controller?.close();
    this.#controller = undefined;
  }
}
