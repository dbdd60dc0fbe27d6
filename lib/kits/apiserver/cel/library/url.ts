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
  /** With the port. */
  readonly host: string;
  readonly hostname: string;
  readonly port: string;
  readonly path: string;
  readonly query: URLSearchParams;

  constructor(text: string) {
    const wrong = faultOf(text);
    if (wrong !== undefined) {
      throw new SyntaxError(
        `URL parse error during conversion from string: parse ${JSON.stringify(text)}: ${wrong}`,
      );
    }
    const { scheme, authority, path, query } = partsOf(text);
    this.#text = text;
    this.scheme = scheme;
    this.host = hostOf(authority);
    this.port = PORT.exec(this.host)?.[1] ?? "";
    this.hostname = this.host.replace(/:\d*$/, "").replace(/^\[(.*)\]$/, "$1");
    this.path = /^[\w.~!$&'()*+,;=:@[\]%/-]*$/.test(path) ? path : encodeURI(decodeURIComponent(path));
    this.query = new URLSearchParams(query);
  }

  equals(other: unknown): boolean {
    return other instanceof Location && other.#text === this.#text;
  }
}

const PORT = /^(?:\[.*\]|[^:]*):(\d*)$/;

interface UrlParts {
  /** In small letters; "" for a path. */
  readonly scheme: string;
  readonly authority: string;
  readonly path: string;
  readonly query: string;
}

/** NB: a fragment is part of the path or the query, and a text after a scheme without a slash belongs to neither. */
function partsOf(text: string): UrlParts {
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text)?.[1] ?? "";
  const rest = scheme === "" ? text : text.slice(scheme.length + 1);
  const mark = rest.indexOf("?");
  const [before, query] = mark < 0 ? [rest, ""] : [rest.slice(0, mark), rest.slice(mark + 1)];
  if (!before.startsWith("/")) return { scheme: scheme.toLowerCase(), authority: "", path: "", query };
  if (scheme === "" || !before.startsWith("//")) {
    return { scheme: scheme.toLowerCase(), authority: "", path: before, query };
  }
  const slash = before.indexOf("/", 2);
  const [authority, path] = slash < 0 ? [before.slice(2), ""] : [before.slice(2, slash), before.slice(slash)];
  return { scheme: scheme.toLowerCase(), authority, path, query };
}

function hostOf(authority: string): string {
  return authority.slice(authority.lastIndexOf("@") + 1);
}

/** Says why Go reads a text as no URL; undefined if it does. Source: Go's net/url, ParseRequestURI. */
function faultOf(text: string): string | undefined {
  // deno-lint-ignore no-control-regex
  if (/[\x00-\x1f\x7f]/.test(text)) return "net/url: invalid control character in URL";
  if (text === "") return "empty url";
  if (text.startsWith(":")) return "missing protocol scheme";
  const { scheme, authority, path } = partsOf(text);
  if (scheme === "" && !text.startsWith("/")) return "invalid URI for request";
  const host = hostOf(authority);
  const user = authority.slice(0, Math.max(0, authority.length - host.length - 1));
  if (!/^[\w.:~!$&'()*+,;=%@-]*$/.test(user)) return "net/url: invalid userinfo";
  if (host.startsWith("[") && !host.includes("]")) return "missing ']' in host";
  const portAt = host.startsWith("[") ? host.indexOf("]") + 1 : host.lastIndexOf(":");
  const port = portAt < 0 ? "" : host.slice(portAt);
  if (port !== "" && !/^:\d*$/.test(port)) return `invalid port ${JSON.stringify(port)} after host`;
  const letter = /[\s`^{|}\\#/?@]/.exec(host)?.[0];
  if (letter !== undefined) return `invalid character ${JSON.stringify(letter)} in host name`;
  const escape = /%(?![0-9A-Fa-f]{2}).{0,2}/.exec(`${host}${path}`)?.[0];
  return escape === undefined ? undefined : `invalid URL escape ${JSON.stringify(escape)}`;
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
