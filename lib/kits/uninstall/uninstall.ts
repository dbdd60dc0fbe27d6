/**
 * Takes an operator out of a cluster: its objects' cleanups run or are waived, and then its marks go.
 *
 * The order matters. Deletions first, while the operator still runs its cleanups; then it is stopped, or it would put back
 * whatever is taken away; then webhooks and conversions, since without the operator they refuse writes and lists of its objects; then
 * finalizers and notes; Leases and Secrets last. Each step can be repeated: whoever starts again finds what is left.
 */

import type { Client } from "../../client/client.ts";
import { ApiError, messageOf } from "../../client/errors.ts";
import { withField } from "../../model/fields.ts";
import { CUSTOM_RESOURCE_DEFINITIONS as CRDS, PODS } from "../../model/kinds.ts";
import type { JsonObject, KubeObject } from "../../model/object.ts";
import { groupResource } from "../../model/resource.ts";
import type { Clock, Seconds } from "../../runtime/host.ts";
import {
  type Belonging,
  CONVERTER,
  type Footprint,
  type Marked,
  Surveyor,
  type Uninstalled,
} from "./footprint.ts";
import { recordsOf } from "./peering_records.ts";
import { unmarkedChild } from "./marks.ts";
import { missingRights, type NeededRight } from "./rights.ts";

/** How an operator is to go. */
export interface UninstallOptions extends Uninstalled {
  readonly client: Client;
  readonly clock: Clock;
  /** Objects with finalizers stay, and are let go without their cleanups. */
  readonly waive: boolean;
  /** Objects with finalizers are deleted while the operator runs, so that it cleans them up. */
  readonly deletes: boolean;
  /** The definitions of its own kinds go, and all their objects with them. */
  readonly crds: boolean;
  /** How long the operator may take to clean up, and then to stop. */
  readonly timeout: Seconds;
  /** Told of each step. */
  readonly say: (line: string) => void;
}

/** The outcome. */
export interface UninstallReport {
  /** The cleanups that were waived: objects, each as "kind namespace/name". */
  readonly waived: readonly string[];
  /** How many objects were let go. */
  readonly released: number;
  /** The objects that were deleted, or changed as a whole: Leases, Secrets, configurations, definitions. */
  readonly removed: readonly string[];
  /** Sentences about whatever is left, and why. Empty: nothing is. */
  readonly left: readonly string[];
}

/** How many objects are written to at once. */
const AT_ONCE = 16;

/** How often a write is tried that others were faster than. */
const ATTEMPTS = 5;

/** The pauses between two looks at work that others do. */
const LOOK_INTERVAL: Seconds = 1;
const LONGEST_INTERVAL: Seconds = 10;

const RETURN_WITHIN: Seconds = 2;

/** How many objects are named in a sentence. */
const MOST_NAMED = 10;

/** Takes an operator out of a cluster. */
export class Uninstall {
  readonly #options: UninstallOptions;
  readonly #surveyor: Surveyor;
  readonly #waived: string[] = [];
  readonly #removed: string[] = [];
  readonly #failures: string[] = [];
  #released = 0;

  constructor(options: UninstallOptions) {
    this.#options = options;
    this.#surveyor = new Surveyor(options.client, options);
  }

  /** Returns the present marks of the operator, and changes none. */
  survey(): Promise<Footprint> {
    return this.#surveyor.survey();
  }

  /** Returns sentences about rights that are missing for the work. */
  async missing({ marked, belongings, definitions }: Footprint): Promise<readonly string[]> {
    const { client, crds, deletes, home } = this.#options;
    const needed: NeededRight[] = [...belongings, ...crds ? definitions : []].map(
      ({ resource, namespace, action }) => ({
        resource,
        namespace,
        verb: action === "delete" ? "delete" : "patch",
        subresource: action === "remove its record" ? statusOf(resource) : undefined,
      }),
    );
    if (belongings.some(({ action }) => action === "scale to 0")) {
      needed.push({ resource: PODS, namespace: home, verb: "list" });
    }
    const { fields } = this.#surveyor.marks;
    for (const { resource, namespace, isFinalized, isChild } of marked) {
      needed.push({ resource, namespace, verb: "patch" });
      if (fields.length > 0 && !isChild && resource.subresources.includes("status")) {
        needed.push({ resource, namespace, verb: "patch", subresource: "status" });
      }
      if (deletes && isFinalized) needed.push({ resource, namespace, verb: "delete" });
    }
    return await missingRights(client, needed);
  }

  /** Takes everything away that it can. Never throws for one object. */
  async run(): Promise<UninstallReport> {
    const { deletes, timeout, crds } = this.#options;
    const before = await this.survey();
    if (deletes) await this.#clean(before.marked.filter(({ isFinalized }) => isFinalized), timeout);
    // An operator that runs puts everything back.
    if (await this.#stop(before.belongings)) {
      await this.#remove(before.belongings.filter(isInTheWay));
      const { marked, belongings, definitions } = await this.survey();
      await this.#releaseAll(marked);
      await this.#remove(belongings.filter((each) => each.action === "delete"));
      for (const each of belongings) {
        if (each.action === "remove its record") await this.#removeRecords(each);
      }
      if (crds) await this.#removeDefinitions(definitions);
    }
    return await this.#report();
  }

  /** Deletes objects, and waits for the operator to clean them up. */
  async #clean(marked: readonly Marked[], timeout: Seconds): Promise<void> {
    const { client, say } = this.#options;
    if (marked.length === 0) return;
    say(`Deleting ${marked.length} objects: the operator cleans them up, for at most ${timeout} s`);
    await this.#each(marked, async ({ resource, namespace, name, isDeleting }) => {
      if (!isDeleting) await client.delete(resource, { namespace, name });
    });
    let known = marked.length;
    const isClean = await this.#wait(timeout, async () => {
      const { marked: all } = await this.survey();
      const rest = all.filter(({ isDeleting, isFinalized }) => isDeleting && isFinalized).length;
      if (rest > 0 && rest !== known) say(`${rest} objects are not cleaned up yet`);
      known = rest;
      return rest === 0;
    });
    if (!isClean) say(`The time is over: ${known} objects are not cleaned up`);
  }

  /** Looks again and again, in growing intervals, until the condition holds; false: it did not in that time. */
  async #wait(timeout: Seconds, condition: () => Promise<boolean>): Promise<boolean> {
    const { clock } = this.#options;
    const end = clock.monotonic() + timeout;
    for (let pause = LOOK_INTERVAL; !await condition(); pause = Math.min(pause * 1.5, LONGEST_INTERVAL)) {
      const left = end - clock.monotonic();
      if (left <= 0) return false;
      await clock.sleep(Math.min(pause, left));
    }
    return true;
  }

  async #stop(belongings: readonly Belonging[]): Promise<boolean> {
    const { client, say, timeout } = this.#options;
    for (const { resource, namespace, name } of belongings.filter(({ action }) => action === "scale to 0")) {
      say(`Stopping the operator: deployment ${namespace}/${name}`);
      try {
        await client.patch(resource, { namespace, name }, { type: "merge", body: { spec: { replicas: 0 } } });
        if (!await this.#wait(timeout, async () => !await this.#surveyor.isRunning())) {
          this.#failures.push(
            `The operator still runs after ${timeout} s (deployment ${namespace}/${name}): nothing else was taken away`,
          );
          return false;
        }
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) continue;
        this.#failures.push(
          `Cannot stop the operator (deployment ${namespace}/${name}): ${
            messageOf(error)
          }; nothing else was taken away`,
        );
        return false;
      }
      this.#removed.push(`deployment ${namespace}/${name} scaled to 0`);
    }
    return true;
  }

  async #remove(belongings: readonly Belonging[]): Promise<void> {
    const { client } = this.#options;
    for (const { resource, namespace, name, action } of belongings) {
      const title = titleOf({ resource, namespace, name });
      try {
        if (action === "delete") {
          await client.delete(resource, { namespace, name });
          this.#removed.push(title);
        } else if (action === "end its conversion") {
          // NB: a merge patch, so that versions and schemas stay as they are.
          const body = {
            metadata: { annotations: { [CONVERTER]: null } },
            spec: { conversion: { strategy: "None", webhook: null } },
          };
          await client.patch(resource, { name }, { type: "merge", body });
          this.#removed.push(`conversion of ${title}`);
        }
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) continue;
        this.#failures.push(`Cannot take away ${title}: ${messageOf(error)}`);
      }
    }
  }

  /** A record that counts as alive is waited for: another operator of that name may renew it. */
  async #removeRecords({ resource, namespace, name, records = [] }: Belonging): Promise<void> {
    const { client, clock, timeout, say } = this.#options;
    const title = titleOf({ resource, namespace, name });
    const rest = Math.max(0, ...records.map((each) => each.rest).filter((each) => each <= timeout));
    const names = records.map(({ identity }) => `"${identity}"`).join(", ");
    try {
      if (rest > 0) {
        say(`Waiting ${Math.ceil(rest)} s for the end of ${names} in ${title}`);
        await clock.sleep(rest + 1);
      }
      const object = await client.get<KubeObject>(resource, { namespace, name });
      const living = recordsOf(object, this.#options.name, clock).filter((each) => each.rest > 0);
      if (living.length > 0) {
        this.#failures.push(
          `${title} has a record that is still valid (${
            living.map(({ identity }) => identity).join(", ")
          }): if an operator of that name runs elsewhere, it is that one's; else repeat later`,
        );
      }
      const over = records.filter(({ identity }) => !living.some((each) => each.identity === identity));
      const body = { status: Object.fromEntries(over.map(({ identity }) => [identity, null])) };
      const { resourceVersion } = object.metadata;
      const subresource = statusOf(resource);
      await client.patch(resource, { namespace, name, subresource }, {
        type: "merge",
        body: { ...body, metadata: { resourceVersion } },
      });
      this.#removed.push(...over.map(({ identity }) => `record ${identity} in ${title}`));
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return;
      this.#failures.push(`Cannot remove ${names} from ${title}: ${messageOf(error)}`);
    }
  }

  async #releaseAll(marked: readonly Marked[]): Promise<void> {
    const { say, waive } = this.#options;
    const kept = waive ? [] : marked.filter(({ isFinalized }) => isFinalized);
    if (kept.length > 0) {
      this.#failures.push(
        `${kept.length} objects wait for cleanups that no operator will run (${
          namesOf(kept)
        }): --waive lets them go without`,
      );
    }
    const held = new Set(kept);
    const released = marked.filter((each) => !held.has(each));
    if (released.length > 0) say(`Letting ${released.length} objects go`);
    await this.#each(released, (each) => this.#release(each));
  }

  /** Takes finalizer and notes off an object; others' finalizers and annotations stay. */
  async #release(marked: Marked): Promise<void> {
    const { client } = this.#options;
    const { resource, namespace, name, isChild } = marked;
    const { marks } = this.#surveyor;
    if (isChild) {
      const body = { metadata: unmarkedChild() };
      await client.patch(resource, { namespace, name }, { type: "merge", body });
      this.#released++;
      return;
    }
    for (let attempt = 1;; attempt++) {
      try {
        const object = await client.get<KubeObject>(resource, { namespace, name });
        await this.#clearStatus(marked, object);
        const annotations = Object.fromEntries(marks.annotationsOf(object).map((key) => [key, null]));
        const metadata: JsonObject = { annotations };
        const isFinalized = marks.isFinalized(object);
        if (isFinalized) {
          const { resourceVersion } = object.metadata;
          // NB: a list is replaced as a whole: only of this version of the object is it known.
          Object.assign(metadata, { finalizers: marks.othersFinalizers(object), resourceVersion });
        }
        await client.patch(resource, { namespace, name }, { type: "merge", body: { metadata } });
        this.#released++;
        if (isFinalized) this.#waived.push(titleOf(marked));
        return;
      } catch (error) {
        const isConflict = error instanceof ApiError && error.status === 409;
        if (!isConflict || attempt === ATTEMPTS) throw error;
      }
    }
  }

  async #clearStatus({ resource, namespace, name }: Marked, object: KubeObject): Promise<void> {
    const fields = this.#surveyor.marks.fieldsOf(object);
    if (fields.length === 0) return;
    const body = fields.reduce<JsonObject>((all, path) => withField(all, path, null), {});
    const subresource = statusOf(resource);
    const { metadata: { resourceVersion } } = await this.#options.client.patch<KubeObject>(
      resource,
      { namespace, name, subresource },
      { type: "merge", body },
    );
    object.metadata.resourceVersion = resourceVersion;
  }

  /** The definitions go with all their objects: not before everything else has succeeded. */
  async #removeDefinitions(definitions: readonly Belonging[]): Promise<void> {
    if (definitions.length === 0) return;
    if (this.#failures.length > 0) {
      this.#failures.push(
        `The definitions stay until the rest is done: ${definitions.map(({ name }) => name).join(", ")}`,
      );
      return;
    }
    const { client, say, timeout } = this.#options;
    say(`Removing ${definitions.length} definitions, with their objects`);
    await this.#remove(definitions);
    for (const { name } of definitions) {
      const isGone = () =>
        client.get(CRDS, { name }).then(() => false, (error) => {
          if (error instanceof ApiError && error.status === 404) return true;
          throw error;
        });
      if (await this.#wait(timeout, isGone)) continue;
      this.#failures.push(
        `The definition ${name} has not gone after ${timeout} s: objects of it wait for finalizers of others`,
      );
    }
  }

  /** Looks once more: whatever is there now is left, or was put back. */
  async #report(): Promise<UninstallReport> {
    // An operator that runs elsewhere sees the change, and puts its marks back.
    if (this.#released > 0) await this.#options.clock.sleep(RETURN_WITHIN);
    const { marked, belongings, problems, doubts } = await this.survey();
    const left = [...this.#failures, ...problems, ...doubts];
    if (marked.length > 0 && this.#failures.length === 0) {
      left.push(
        `${marked.length} objects have marks of the operator again (${
          namesOf(marked)
        }): does it run elsewhere? Stop it, and repeat`,
      );
    }
    for (const each of belongings) {
      const title = titleOf(each);
      if (!left.some((sentence) => sentence.includes(title))) left.push(`${title} is still there`);
    }
    return { waived: this.#waived, released: this.#released, removed: this.#removed, left };
  }

  /** Does the same with many objects, several at once; each failure is noted. */
  async #each(marked: readonly Marked[], work: (each: Marked) => Promise<void>): Promise<void> {
    const failed: { readonly marked: Marked; readonly message: string }[] = [];
    const queue = [...marked];
    const worker = async (): Promise<void> => {
      for (let each = queue.shift(); each !== undefined; each = queue.shift()) {
        try {
          await work(each);
        } catch (error) {
          if (error instanceof ApiError && error.status === 404) continue;
          failed.push({ marked: each, message: messageOf(error) });
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    const [first] = failed;
    if (first === undefined) return;
    const names = namesOf(failed.map((each) => each.marked));
    this.#failures.push(`${failed.length} objects could not be changed (${names}): ${first.message}`);
  }
}

/** Returns the name of an object, such as "databases.example.com default/db-1". */
export function titleOf(
  { resource, namespace, name }: Pick<Marked, "resource" | "namespace" | "name">,
): string {
  return `${groupResource(resource)} ${namespace === undefined ? name : `${namespace}/${name}`}`;
}

function statusOf({ subresources }: Marked["resource"]): "status" | undefined {
  return subresources.includes("status") ? "status" : undefined;
}

/** Without the operator, webhooks and conversions refuse requests. */
function isInTheWay({ resource, action }: Belonging): boolean {
  return action === "end its conversion" || resource.plural.endsWith("webhookconfigurations");
}

function namesOf(marked: readonly Marked[]): string {
  const names = marked.slice(0, MOST_NAMED).map(titleOf).join(", ");
  return marked.length > MOST_NAMED ? `${names}, and ${marked.length - MOST_NAMED} more` : names;
}
