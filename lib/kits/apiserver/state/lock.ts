/**
 * One process at a time uses a state folder: whoever has made its lock file.
 *
 * A lock whose process has died is taken over. NB: in containers every process has the same number, so that the time of
 * its start counts as well.
 */

import type { Host } from "../../../runtime/host.ts";
import { isObject } from "../values.ts";
import { StateError } from "./records.ts";

/** Two starts that differ by less are one. In milliseconds. */
const SAME_START = 2000;

interface Holder {
  readonly pid: number;
  readonly hostname: string;
  /** In milliseconds since 1970. */
  readonly started: number;
}

/**
 * Takes the lock of a folder; disposing gives it back.
 *
 * @throws {StateError} If another process holds it.
 */
export async function takeLock(host: Host, folder: string): Promise<AsyncDisposable> {
  const { files } = host;
  const path = files.resolve(folder, "lock");
  const own = ownHolder(host);
  // NB: a lock that was left behind is removed once; whoever makes it anew first has it.
  for (let round = 0;; round++) {
    try {
      await files.createText(path, `${JSON.stringify(own)}\n`);
      return { [Symbol.asyncDispose]: () => files.remove(path) };
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    }
    const holder = await readHolder(host, path);
    if (round > 0 || (holder !== undefined && isAlive(host, holder, own))) throw inUse(folder, path, holder);
    await files.remove(path);
  }
}

function ownHolder({ process, clock }: Host): Holder {
  const started = Math.round(clock.now() - clock.monotonic() * 1000);
  return { pid: process.pid, hostname: process.hostname(), started };
}

async function readHolder({ files }: Host, path: string): Promise<Holder | undefined> {
  try {
    const value: unknown = JSON.parse(await files.readText(path));
    if (!isObject(value)) return undefined;
    const { pid, hostname, started } = value;
    if (typeof pid !== "number" || typeof hostname !== "string" || typeof started !== "number") {
      return undefined;
    }
    return { pid, hostname, started };
  } catch {
    // Half a lock is of a process that died while making it.
    return undefined;
  }
}

function isAlive({ process }: Host, holder: Holder, own: Holder): boolean {
  // Processes of another machine cannot be looked up here.
  if (holder.hostname !== own.hostname) return true;
  if (holder.pid === own.pid) return Math.abs(holder.started - own.started) < SAME_START;
  return process.isRunning(holder.pid);
}

function inUse(folder: string, path: string, holder: Holder | undefined): StateError {
  const who = holder === undefined ? "another process" : `process ${holder.pid} on ${holder.hostname}`;
  return new StateError(
    `Cannot use the folder "${folder}": ${who} uses it (if that is not so, remove "${path}")`,
  );
}
