/**
 * Kubernetes' functions of URLs.
 *
 * Source: Kubernetes documentation, "Kubernetes URL library".
 */

import type { Environment } from "../environment.ts";
import type { LibraryValue } from "../values.ts";

/** An absolute URL, or an absolute path. */
class Location implements LibraryValue {
  static readonly TYPE = "kubernetes.URL";
  readonly typeName = Location.TYPE;
  readonly #text: string;
  readonly scheme: string;
  readonly host: string;
  readonly hostname: string;
  readonly port: string;
  readonly path: string;
  readonly query: URLSearchParams;

  constructor(text: string) {
    this.#text = text;
    const isPath = text.startsWith("/");
    if (!isPath && !/^[A-Za-z][A-Za-z0-9+.-]*:/.test(text)) {
      throw new SyntaxError(
        `URL parse error during conversion from string: parse ${
          JSON.stringify(text)
        }: invalid URI for request`,
      );
    }
    const found = new URL(text, isPath ? "none://host" : undefined);
    const [, port = ""] = /^[^:/?#]+:\/\/(?:[^/?#@]*@)?(?:\[[^\]]*\]|[^:/?#]*):(\d+)/.exec(text) ?? [];
    this.scheme = isPath ? "" : found.protocol.slice(0, -1);
    this.hostname = isPath ? "" : found.hostname.replace(/^\[(.*)\]$/, "$1");
    this.port = port;
    this.host = isPath ? "" : `${found.hostname}${port === "" ? "" : `:${port}`}`;
    this.path = isPath || /:\/\/[^/?#]*\//.test(text) ? found.pathname : "";
    this.query = found.searchParams;
  }

  equals(other: unknown): boolean {
    return other instanceof Location && other.#text === this.#text;
  }
}

/** Adds them. */
export function addUrlLibrary(environment: Environment): void {
  environment.object(Location.TYPE, new Map());
  environment.function("url(string): kubernetes.URL", (text: string) => new Location(text));
  environment.function("isURL(string): bool", (text: string) => {
    try {
      return new Location(text) !== undefined;
    } catch {
      return false;
    }
  });
  const parts = {
    getScheme: ({ scheme }: Location) => scheme,
    getHost: ({ host }: Location) => host,
    getHostname: ({ hostname }: Location) => hostname,
    getPort: ({ port }: Location) => port,
    getEscapedPath: ({ path }: Location) => path,
  };
  for (const [name, get] of Object.entries(parts)) {
    environment.member(`kubernetes.URL.${name}(): string`, get);
  }
  environment.member(
    "kubernetes.URL.getQuery(): map<string, list<string>>",
    ({ query }: Location) => new Map([...new Set(query.keys())].map((key) => [key, query.getAll(key)])),
  );
}
