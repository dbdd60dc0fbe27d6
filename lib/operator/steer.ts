/**
 * Steers one object by its annotations: pauses it, lets it go on, has it handled anew, and has its log lines shown.
 *
 * The operator reads the annotations (`engines/pauses.ts`, `engines/wishes.ts`), so that these work with any tool that can annotate.
 */

import type { Client } from "../client/client.ts";
import { formatPause } from "../model/pause.ts";
import { groupResource } from "../model/resource.ts";
import { currentHost } from "../runtime/current_host.ts";
import {
  type ClusterOptions,
  findObject,
  inCluster,
  type ObjectAddress,
  prefixesOn,
} from "./object_access.ts";

/** Which object, and whose annotations. */
export interface SteerOptions extends ClusterOptions, ObjectAddress {
  /** The domain of the operator's annotations. Default: that of the marks on the object, else "lotse.dev". */
  readonly prefix?: string;
}

/** For how long, and why. */
export interface PauseObjectOptions extends SteerOptions {
  /** When it ends, in milliseconds since 1970. */
  readonly until: number;
  /** Shown by `why` and in events. Default: none. */
  readonly reason?: string;
  /** Whether the object's deletion waits, too. Default: false. */
  readonly deletion?: boolean;
}

/** The object and the annotation that were written. */
export interface Steered {
  /** Such as "databases.example.com default/db-1". */
  readonly object: string;
  readonly annotation: string;
}

/**
 * Pauses an object until a time.
 *
 * @throws {TypeError} If there is no such kind, or the annotations are of several operators.
 * @throws {ApiError} If the server refuses.
 */
export async function pauseObject(options: PauseObjectOptions): Promise<Steered> {
  const { until, reason = "", deletion = false } = options;
  return await annotate(options, "pause", formatPause({ until, reason, deletion }));
}

/** Ends the pause of an object. @throws As `pauseObject()`. */
export async function resumeObject(options: SteerOptions): Promise<Steered> {
  return await annotate(options, "pause", null);
}

/** Has an object handled now, once. @throws As `pauseObject()`. */
export async function retryObject(options: SteerOptions): Promise<Steered> {
  const { host = currentHost() } = options;
  return await annotate(options, "reconcile-now", new Date(host.clock.now()).toISOString());
}

async function annotate(options: SteerOptions, word: string, text: string | null): Promise<Steered> {
  return await inCluster(options, async (client: Client) => {
    const { resource, address, object } = await findObject(client, options);
    const { namespace, name } = address;
    const annotation = `${prefixOf(options, prefixesOn(object))}/${word}`;
    const metadata = { annotations: { [annotation]: text } };
    await client.patch(resource, address, { type: "merge", body: { metadata } });
    const place = namespace === undefined ? name : `${namespace}/${name}`;
    return { object: `${groupResource(resource)} ${place}`, annotation };
  });
}

function prefixOf({ prefix }: SteerOptions, found: readonly string[]): string {
  if (prefix !== undefined) return prefix;
  const [first = "lotse.dev", ...others] = found;
  if (others.length === 0) return first;
  throw new TypeError(
    `Several operators have left marks on the object: say whose by --prefix (${found.join(", ")})`,
  );
}
