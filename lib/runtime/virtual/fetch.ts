/** `fetch()` over a virtual network: routed origins answer, and no others are reached. */

import type { HttpRequest, HttpResponse, Network } from "../host.ts";

/** Makes a `fetch()` that knows no other network than this one. */
export function virtualFetch(
  network: Network,
): (input: RequestInfo | URL, init?: RequestInit) => Promise<Response> {
  return async (input, init) => {
    const request = new Request(input, init);
    const { origin } = new URL(request.url);
    const connection = network.connect({ server: origin });
    try {
      const response = await connection.request(await toHttpRequest(request));
      return toResponse(response, connection);
    } catch (cause) {
      connection[Symbol.dispose]();
      if (request.signal.aborted) throw request.signal.reason;
      // As on the runtimes themselves: a TypeError, whose cause says why.
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new TypeError(`Cannot fetch ${request.url}: ${reason}`, { cause });
    }
  };
}

async function toHttpRequest(request: Request): Promise<HttpRequest> {
  const { pathname, search } = new URL(request.url);
  const { method, signal } = request;
  const headers = Object.fromEntries(request.headers);
  if (request.body === null) return { method, path: pathname + search, headers, signal };
  const body = new Uint8Array(await request.arrayBuffer());
  return { method, path: pathname + search, headers, signal, body };
}

/** Statuses whose responses must not have a body. ("null body status" of the fetch standard) */
const WITHOUT_BODY = [101, 103, 204, 205, 304];

/** The connection lasts as long as the body is read. */
function toResponse(response: HttpResponse, connection: Disposable): Response {
  const { status, headers } = response;
  const kept = new Headers(headers);
  kept.delete("content-encoding");
  kept.delete("content-length");
  if (WITHOUT_BODY.includes(status)) {
    connection[Symbol.dispose]();
    return new Response(null, { status, headers: kept });
  }
  const chunks = response.body[Symbol.asyncIterator]();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (!done) return controller.enqueue(value);
      connection[Symbol.dispose]();
      controller.close();
    },
    cancel: () => connection[Symbol.dispose](),
  });
  return new Response(body as BodyInit, { status, headers: kept });
}
