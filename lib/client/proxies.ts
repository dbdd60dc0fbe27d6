/**
 * HTTP proxies as the environment names them, in the way of curl and of Go's `http.ProxyFromEnvironment`.
 */

import type { Host } from "../runtime/host.ts";

/** Gives the proxy for a server: HTTPS_PROXY or HTTP_PROXY (in either case), unless NO_PROXY names the server. */
export function proxyFromEnvironment(host: Host, server: string): string | undefined {
  const url = new URL(server);
  const proxy = variable(host, url.protocol === "https:" ? "https_proxy" : "http_proxy");
  if (proxy === undefined || isExempt(url, variable(host, "no_proxy") ?? "")) return undefined;
  return proxy.includes("://") ? proxy : `http://${proxy}`;
}

/** An entry is a host's name, a domain (with or without a leading dot), either with a port, or "*". */
function isExempt(url: URL, exemptions: string): boolean {
  return exemptions.split(",").map((entry) => entry.trim().toLowerCase()).some((entry) => {
    if (entry === "" || entry === "*") return entry === "*";
    const name = entry.includes(":") ? url.host : url.hostname;
    const domain = entry.replace(/^\*?\./, "");
    return name === domain || name.endsWith(`.${domain}`);
  });
}

function variable(host: Host, name: string): string | undefined {
  return host.process.env(name.toUpperCase()) || host.process.env(name) || undefined;
}
