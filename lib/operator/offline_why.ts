/**
 * Says what the notes on an object tell without its operator: when nobody runs, or nobody can be reached.
 *
 * Filters and causes are not known here, as these are in the operator's code. The records of unfinished handlers, the state that was
 * handled last, finalizers and a pause are on the object.
 */

import { calculateDiff } from "../model/diff.ts";
import { formatField } from "../model/fields.ts";
import { isDeleting } from "../model/finalizers.ts";
import type { KubeObject } from "../model/object.ts";
import { readPause } from "../model/pause.ts";
import { groupResource } from "../model/resource.ts";
import { currentHost } from "../runtime/current_host.ts";
import { annotations, kopf, status } from "../settings/persistence/presets.ts";
import {
  currentEssence,
  handledEssence,
  type Persistence,
  type ProgressRecord,
} from "../settings/persistence/storage.ts";
import {
  type ClusterOptions,
  findObject,
  inCluster,
  type ObjectAddress,
  prefixesOn,
} from "./object_access.ts";
import type { Explanation } from "./why.ts";
import { listOf } from "./why_words.ts";

/**
 * Reads an object, and says what its notes tell.
 *
 * @throws {LoginError} If there is no way into a cluster.
 * @throws {TypeError} If the server serves no such kind, or several.
 * @throws {ApiError} If the server refuses: 404 if there is no such object.
 */
export async function explainOffline(options: ClusterOptions & ObjectAddress): Promise<Explanation> {
  const { host = currentHost() } = options;
  return await inCluster(options, async (client) => {
    const { resource, address: { namespace, name }, object } = await findObject(client, options);
    const title = `${groupResource(resource)} ${namespace === undefined ? name : `${namespace}/${name}`}`;
    return fromNotes(object, { title, now: host.clock.now() });
  });
}

interface NotesOptions {
  /** The object, for people. */
  readonly title: string;
  /** In milliseconds since 1970. */
  readonly now: number;
}

/** Says what the notes on an object tell. */
export function fromNotes(body: KubeObject, { title, now }: NotesOptions): Explanation {
  const sentences: string[] = [];
  const handlers: { id: string; state: string }[] = [];
  const kept = persistencesOn(body);
  for (const persistence of kept) {
    const prefix = persistence.finalizer.split("/")[0] ?? "";
    sentences.push(...pauseOn(body, prefix, now));
    for (const id of persistence.progress.ids(body)) {
      const record = persistence.progress.fetch(body, id);
      if (record !== undefined) handlers.push({ id, state: stateOf(record, now) });
    }
  }
  sentences.push(...handlers.map(({ id, state }) => `Handler "${id}" ${state}.`));
  if (isDeleting(body)) sentences.push(deletionOf(body, kept));
  sentences.push(...kept.map((persistence) => changesOf(body, persistence)));
  if (kept.length === 0) {
    sentences.push(
      "No operator has left notes or a finalizer on it: none has handled it, or its notes are kept elsewhere.",
    );
  }
  const [answer = "", ...facts] = sentences;
  return {
    format: "lotse.dev/why/v1",
    object: title,
    answer,
    facts: [...facts, "Told by the notes on the object alone: no operator was asked."],
    handlers,
    looks: [],
  };
}

/** The forms in which notes are on an object. */
function persistencesOn(body: KubeObject): readonly Persistence[] {
  const found: Persistence[] = prefixesOn(body).map((prefix) =>
    prefix === "kopf.zalando.org" ? kopf() : annotations({ prefix })
  );
  const inStatus = status();
  const isKept = inStatus.progress.ids(body).length > 0 || inStatus.diffBase.fetch(body) !== undefined;
  if (!isKept) return found;
  // Its finalizer is the same as that of notes in annotations, of which there may be none.
  const others = found.filter((each) =>
    each.progress.ids(body).length > 0 || handledEssence(each, body) !== undefined
  );
  return [...others, inStatus];
}

function pauseOn({ metadata }: KubeObject, prefix: string, now: number): readonly string[] {
  const name = `${prefix}/pause`;
  const text = metadata.annotations?.[name];
  if (text === undefined) return [];
  const reading = readPause(text);
  if (reading.is === "nonsense") return [`Its annotation \`${name}\` does not pause it: ${reading.fault}.`];
  const { until, reason } = reading.pause;
  if (until <= now) return [`The pause of its annotation \`${name}\` is over.`];
  return [
    `It is paused by its annotation \`${name}\` until ${new Date(until).toISOString()}${
      reason === "" ? "" : ` (${reason})`
    }: no handler is called before. Remove the annotation to end the pause.`,
  ];
}

function stateOf(
  { success, failure, retries, delayed, message, started }: ProgressRecord,
  now: number,
): string {
  const since = started === undefined ? "" : ` since ${started}`;
  const words = message === undefined || message === "" ? "" : `: ${message}`;
  if (success) return "has succeeded, and waits for the others of the same change";
  if (failure) return `has given up after ${countOf(retries)}${words}`;
  if (retries === 0) return `was not called yet${since}`;
  const due = delayed === undefined ? NaN : Date.parse(delayed);
  const when = Number.isNaN(due)
    ? ""
    : due <= now
    ? `; the next attempt was due at ${delayed}, so that no operator seems to run`
    : `; the next attempt is due at ${delayed}`;
  return `is not done${since}, after ${countOf(retries)}${words}${when}`;
}

function countOf(attempts: number): string {
  return attempts === 1 ? "one attempt" : `${attempts} attempts`;
}

function deletionOf({ metadata }: KubeObject, kept: readonly Persistence[]): string {
  const { finalizers = [], deletionTimestamp = "" } = metadata;
  const own = finalizers.filter((each) => kept.some(({ finalizer }) => finalizer === each));
  const others = finalizers.filter((each) => !own.includes(each));
  const since = `It is being deleted since ${deletionTimestamp}`;
  const rest = others.length === 0 ? "" : `; ${listOf(others)} must be taken off by other programs`;
  return own.length === 0
    ? `${since}: its operator's part is done${rest}.`
    : `${since}: ${listOf(own)} stays until the operator's deletion handlers have ended${rest}. ` +
      "Without an operator, `lotse uninstall` takes it off.";
}

function changesOf(body: KubeObject, persistence: Persistence): string {
  const old = handledEssence(persistence, body);
  if (old === undefined) return "It was not handled yet: no state that was handled is noted.";
  const paths = calculateDiff(old, currentEssence(persistence, body)).map(({ path }) => formatField(path));
  return paths.length === 0
    ? "It has not changed since it was handled."
    : `It has changed since it was handled: ${listOf(paths)}.`;
}
