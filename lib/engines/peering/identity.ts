/**
 * Under which name an operator writes into peering objects.
 *
 * In a pod it is what the pod calls it; else it says who runs it, where, and since when, so that people can tell whom they
 * see. Source: Kopf, B §4.2.
 */

import type { Host } from "../../runtime/host.ts";

const SYMBOLS = "abcdefghijklmnopqrstuvwxyz0123456789";

/** Gives a name for a run: `POD_ID` where it is set, else "user@host/20261231235959/a1b". */
export function detectIdentity(host: Host): string {
  const { process, clock, random } = host;
  const pod = process.env("POD_ID");
  if (pod) return pod;
  const started = new Date(clock.now()).toISOString().replace(/\D/g, "").slice(0, 14);
  const suffix = Array.from({ length: 3 }, () => SYMBOLS[Math.floor(random.next() * SYMBOLS.length)]).join(
    "",
  );
  return `${detectUser(host)}/${started}/${suffix}`;
}

/** Gives a name for a person at a host: "user@host". It is the same each time, so that what was begun can be ended. */
export function detectUser({ process }: Host): string {
  const name = process.hostname().replace(/\.(local|localdomain)$/i, "");
  return `${process.user() ?? "unknown"}@${name}`;
}
