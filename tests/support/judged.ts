/** Requests that a test has let in by itself, and that a server in the process shall take for its administrator's. */

/** Returns the request without its credentials. */
export function withoutToken(request: Request): Request {
  const headers = new Headers(request.headers);
  headers.delete("authorization");
  return new Request(request, { headers });
}
