/**
 * The author of a write, as the request says it. Source: k8s.io/apiserver, pkg/endpoints/handlers/create.go, managerOrUserAgent().
 */

import type { Writer } from "../apply/ownership.ts";

/** How long the name of a field manager may be. In bytes. */
export const LONGEST_MANAGER = 128;

/** Returns the writer: the field manager, or else the first part of the user agent. */
export function writerOf(request: Request, query: URLSearchParams, subresource: string | undefined): Writer {
  const manager = query.get("fieldManager") || agentOf(request.headers.get("user-agent") ?? "");
  return { manager, ...(subresource === undefined ? {} : { subresource }) };
}

/** The name of a program, without its version, and without characters that cannot be printed. */
function agentOf(userAgent: string): string {
  const name = userAgent.split("/")[0] ?? "";
  return name.replaceAll(/[^\P{C}]/gu, "").slice(0, LONGEST_MANAGER);
}
