/**
 * Answers why an object is, or is not, handled: in words for a person on call who did not write the operator.
 *
 * The obstacles are asked in the order in which an event meets them on its way: the kind, the namespace, the watch, gates, other
 * replicas, the queue, handlers under way, failures, the deletion, waits, filters. The first one is the answer, and the others are facts beside
 * it. An object that the ledger has forgotten is judged anew, by its declarations, its state and its notes. Texts of errors pass
 * `persistence.confidential`. Source: scenario N22.1.
 */

import type { Caches } from "../client/cache/caches.ts";
import type { Controller } from "../controller/controller.ts";
import type { WorkQueue } from "../controller/work_queue.ts";
import type { Failure, Failures } from "../engines/failures.ts";
import type { Pauses } from "../engines/pauses.ts";
import { shardOf } from "../engines/replicas/shard_fence.ts";
import type { Ledger, LedgerCall, LedgerEntry } from "../engines/ledger.ts";
import type { ObjectState } from "../execution/object_state.ts";
import { BACKGROUND } from "../handlers/background/background_handler.ts";
import { ChangeArgs } from "../handlers/change/change_args.ts";
import { type ChangeCause, detectReason } from "../handlers/change/change_cause.ts";
import { CHANGE, type ChangeHandler } from "../handlers/change/change_handler.ts";
import { EVENT } from "../handlers/event/event_handler.ts";
import type { Candidate } from "../handlers/filters.ts";
import { mismatchWords } from "../handlers/mismatch_words.ts";
import type { ObjectHandler } from "../handlers/handlers.ts";
import { ObjectArgs } from "../handlers/object_args.ts";
import { RECONCILE } from "../handlers/reconcile/reconcile_handler.ts";
import type { Registry } from "../handlers/registry.ts";
import { hideValues } from "../model/confidential.ts";
import { calculateDiff } from "../model/diff.ts";
import { isObject } from "../model/json.ts";
import { isDeleting } from "../model/finalizers.ts";
import type { KubeObject } from "../model/object.ts";
import { Patch } from "../model/patch.ts";
import { groupResource, type Resource } from "../model/resource.ts";
import { matches, parseSelector } from "../model/selector.ts";
import type { Clock, Seconds } from "../runtime/host.ts";
import { silentLogger } from "../runtime/logging.ts";
import { currentEssence, handledEssence } from "../settings/persistence/storage.ts";
import { confidentialFieldsOf } from "../settings/server_selectors.ts";
import type { Settings } from "../settings/settings.ts";

/** The object that is asked about. */
export interface Question {
  /** Plural, singular or kind, with its group where that is not clear: "databases.example.com". */
  readonly kind: string;
  /** Its namespace; absent for cluster-scoped kinds. */
  readonly namespace?: string;
  /** Its name. */
  readonly name: string;
}

/** Reads a question that came from outside. @throws {TypeError} If it is none. */
export function questionFrom(value: unknown): Question {
  const { kind, namespace, name } = isObject(value) ? value : {};
  if (typeof kind !== "string" || kind === "" || typeof name !== "string" || name === "") {
    throw new TypeError("The question names no object: kind and name are needed");
  }
  return { kind, name, ...typeof namespace === "string" && { namespace } };
}

/** An answer. Programs may rely on its form. */
export interface Explanation {
  /** The form of the answer, with its version. */
  readonly format: "lotse.dev/why/v1";
  /** Such as "databases.example.com default/db-1". */
  readonly object: string;
  /** The cause in one sentence. */
  readonly answer: string;
  /** Further sentences, the most important first. */
  readonly facts: readonly string[];
  /** The handlers of the kind, and why each is or is not called now. */
  readonly handlers: readonly { readonly id: string; readonly state: string }[];
  /** The latest looks at the object, the newest first. */
  readonly looks: readonly Look[];
}

/** One look of the operator at the object. */
export interface Look {
  /** RFC 3339. */
  readonly time: string;
  /** One sentence: what woke it, what was called, what was written. */
  readonly words: string;
}

/** The parts of a run that know something about objects. */
export interface WhySources {
  readonly clock: Clock;
  readonly settings: Settings;
  readonly registry: Registry;
  readonly caches: Caches;
  readonly controller: Controller;
  readonly queue: WorkQueue;
  readonly ledger: Ledger;
  readonly failures: Failures;
  readonly pauses: Pauses;
  /** Whether a namespace is served. */
  readonly serves: (namespace: string) => boolean;
  /** The fault of the watch of a kind, in a namespace; undefined: there is none. */
  readonly watchProblem: (resource: Resource, namespace: string | undefined) => string | undefined;
  /** The reason why the whole operator holds its work; undefined: it does not. */
  readonly hold: () => string | undefined;
  /** The holders of all shards; none where there are no replicas. */
  readonly holders: () => readonly (string | undefined)[];
  /** Whether an object is handled by another replica, or by none. */
  readonly isElsewhere: (object: KubeObject) => boolean;
}

/** How many looks are told. */
const MOST_LOOKS = 10;

/** Answers a question. */
export function explain(sources: WhySources, question: Question): Explanation {
  return new Answer(sources, question).compose();
}

class Answer {
  readonly #sources: WhySources;
  readonly #question: Question;
  readonly #sentences: string[] = [];

  constructor(sources: WhySources, question: Question) {
    this.#sources = sources;
    this.#question = question;
  }

  compose(): Explanation {
    const { kind, namespace, name } = this.#question;
    const place = namespace === undefined ? name : `${namespace}/${name}`;
    const resource = this.#resource();
    if (resource === undefined) return this.#end(`${kind} ${place}`);
    const title = `${groupResource(resource)} ${place}`;
    const { caches, controller } = this.#sources;
    const cached = caches.find(resource, { namespace, name });
    const body = cached?.object;
    this.#tellWay(resource, body);
    if (cached === undefined || body === undefined) return this.#end(title);
    const state = controller.stateOf(cached);
    const record = this.#sources.ledger.of(body);
    if (state !== undefined) this.#tellPause(state);
    if (state !== undefined) this.#tellQueue(state);
    const calls = record?.calls ?? [];
    this.#tellCalls(calls);
    const failures = state === undefined ? [] : this.#sources.failures.of(state);
    const last = record?.entries.at(-1);
    this.#tellFailures(failures, last, body, resource);
    if (failures.length === 0) this.#tellThrottle(state);
    this.#tellDeletion(body);
    this.#tellWaits(last);
    const handlers = this.#judge(resource, body, state, { last, calls, failures });
    this.#tellHandlers(handlers, last);
    const looks = [...record?.entries ?? []].reverse().slice(0, MOST_LOOKS);
    return this.#end(title, {
      handlers,
      looks: looks.map((entry) => this.#look(entry, body, resource)),
    });
  }

  #end(object: string, rest: Partial<Pick<Explanation, "handlers" | "looks">> = {}): Explanation {
    const [answer = "Nothing stands in its way: it waits for its next change.", ...facts] = this.#sentences;
    return { format: "lotse.dev/why/v1", object, answer, facts, handlers: [], looks: [], ...rest };
  }

  #say(sentence: string | undefined): void {
    if (sentence !== undefined) this.#sentences.push(sentence);
  }

  /** Finds the kind among those that are watched. */
  #resource(): Resource | undefined {
    const { caches } = this.#sources;
    const { kind } = this.#question;
    const all = caches.resources;
    const selector = parseSelector([kind]);
    const found = all.find((each) => matches(selector, each)) ??
      all.find((each) =>
        [each.kind, each.plural, each.singular].some((name) => name.toLowerCase() === kind.toLowerCase())
      );
    if (found !== undefined) return found;
    const known = all.map(groupResource).join(", ");
    const hold = this.#sources.hold();
    this.#say(
      known === ""
        ? `The operator watches no kinds${hold === undefined ? "" : ` (${hold})`}.`
        : `No handler of this operator is for "${kind}": it watches ${known}.`,
    );
  }

  /** The obstacles between the object and its queue. */
  #tellWay(resource: Resource, body: KubeObject | undefined): void {
    const { serves, watchProblem, hold, holders, isElsewhere } = this.#sources;
    const { namespace } = this.#question;
    if (resource.namespaced && namespace !== undefined && !serves(namespace)) {
      this.#say(`The operator does not serve the namespace "${namespace}" (see -n and -A).`);
    }
    const problem = watchProblem(resource, namespace);
    if (problem !== undefined) {
      this.#say(`The operator does not see the newest state of ${groupResource(resource)}: ${problem}.`);
    }
    const held = hold();
    if (held !== undefined) this.#say(`The whole operator waits: ${held}.`);
    if (body === undefined) {
      this.#say(
        resource.namespaced && namespace === undefined
          ? `No namespace is named: ${groupResource(resource)} are in namespaces (give NAMESPACE/NAME).`
          : "The operator knows no such object: it does not exist, or a selector of `watching` leaves it out.",
      );
    } else if (isElsewhere(body)) {
      const all = holders();
      const shard = shardOf(body.metadata.uid ?? "", all.length);
      const holder = all[shard];
      this.#say(
        holder === undefined
          ? `No replica holds shard ${shard} now, to which the object belongs: one takes it when the Lease has expired.`
          : `Another replica is responsible: shard ${shard} is held by ${holder}. Ask that one.`,
      );
    }
  }

  #tellPause(state: ObjectState): void {
    const pause = this.#sources.pauses.of(state);
    if (pause === undefined) return;
    const reason = pause.reason === "" ? "" : ` (${pause.reason})`;
    this.#say(
      `It is paused by its annotation until ${
        new Date(pause.until).toISOString()
      }${reason}: no handler is called before.`,
    );
  }

  #tellQueue(state: ObjectState): void {
    const { queue } = this.#sources;
    const item = queue.stateOf(state);
    if (item === undefined) return;
    const { isRunning, waited, isFull } = item;
    if (!isRunning && waited !== undefined && isFull) {
      this.#say(
        `It waits for a free worker since ${seconds(waited)}: all are busy with ${
          listOf(queue.busy)
        } (see queueing.workerLimit).`,
      );
    }
  }

  #tellCalls(calls: readonly LedgerCall[]): void {
    const { settings: { execution: { warnAfter } } } = this.#sources;
    for (const { id, noun, seconds: age, retry } of calls) {
      if (noun === "Daemon") continue;
      const isStuck = warnAfter !== null && age >= warnAfter;
      const attempt = retry === 0 ? "" : `, attempt ${retry + 1}`;
      this.#say(
        isStuck
          ? `${noun} "${id}" runs for ${
            seconds(age)
          } and does not end${attempt}: the object waits until it does (is something never settled in it?).`
          : `${noun} "${id}" runs for ${seconds(age)}${attempt}.`,
      );
    }
  }

  #tellFailures(
    failures: readonly Failure[],
    last: LedgerEntry | undefined,
    body: KubeObject,
    resource: Resource,
  ): void {
    const { clock } = this.#sources;
    const next = last?.waits === undefined ? undefined : last.waits.due - clock.monotonic();
    for (const { handler, reason, message, attempts, isFinal } of failures) {
      const refused = last?.handlers.find(({ id, outcome }) => id === handler && outcome === "refused");
      const times = attempts === 1 ? "once" : `${attempts} times in a row`;
      const when = next === undefined || next <= 0 ? "" : `; the next attempt comes in ${seconds(next)}`;
      if (handler === "") {
        this.#say(`The operator cannot finish with the object: ${reason}: ${message}${when}.`);
      } else if (isFinal) {
        this.#say(
          `Handler "${handler}" has given up: ${reason}: ${message}. It is called again when the object changes.`,
        );
      } else if (refused !== undefined) {
        const words = this.#hidden(refused.error ?? message, body, resource);
        this.#say(`The API server refuses what handler "${handler}" writes: ${words}${when}.`);
      } else {
        this.#say(`Handler "${handler}" has failed ${times}: ${reason}: ${message}${when}.`);
      }
    }
  }

  #tellThrottle(state: ObjectState | undefined): void {
    const item = state && this.#sources.queue.stateOf(state);
    if (item?.plan !== "throttled" || item.isRunning) return;
    this.#say(
      "It is slowed down, since it wakes itself by its own writes (a hot loop): no event is handled before the pause is over.",
    );
  }

  #tellDeletion(body: KubeObject): void {
    if (!isDeleting(body)) return;
    const { settings: { persistence: { finalizer } } } = this.#sources;
    const { finalizers = [], deletionTimestamp = "" } = body.metadata;
    const others = finalizers.filter((each) => each !== finalizer);
    const since = ` since ${deletionTimestamp}`;
    if (others.length === finalizers.length) {
      this.#say(
        `It is being deleted${since}, and our part is done: it waits for ${
          listOf(others)
        }, which other programs must take off.`,
      );
    } else {
      this.#say(
        `It is being deleted${since}: our finalizer is on it until the deletion handlers have ended` +
          (others.length === 0 ? "." : `; ${listOf(others)} are those of other programs.`),
      );
    }
  }

  #tellWaits(last: LedgerEntry | undefined): void {
    if (last?.waits === undefined) return;
    const rest = last.waits.due - this.#sources.clock.monotonic();
    const children = last.handlers.filter(({ outcome }) => outcome === "children").map(({ id }) => id);
    if (children.length > 0 && rest > 0) {
      this.#say(
        `Handler ${
          listOf(children.map(quoted))
        } waits for its children or sub-handlers to be ready; it is called again in ${
          seconds(rest)
        } at the latest.`,
      );
    }
  }

  /** Says of each handler of the kind whether it is called for the object as it is now. */
  #judge(
    resource: Resource,
    body: KubeObject,
    state: ObjectState | undefined,
    { last, calls, failures }: {
      readonly last: LedgerEntry | undefined;
      readonly calls: readonly LedgerCall[];
      readonly failures: readonly Failure[];
    },
  ): Explanation["handlers"] {
    const { registry, settings } = this.#sources;
    const ofKind = registry.of(resource);
    const cause = this.#cause(resource, body, state);
    const confidential = confidentialFieldsOf(settings.persistence, resource);
    const plain: Candidate = { body, args: () => new ObjectArgs(cause) };
    const changed: Candidate = { body, change: cause, args: () => new ChangeArgs(cause) };
    const judged: { id: string; state: string }[] = [];
    const judge = (id: string, words: string | undefined, fine: string): void => {
      const isRunning = calls.some((call) => call.id === id);
      const failure = failures.find(({ handler }) => handler === id);
      const outcome = last?.handlers.find((each) => each.id === id)?.outcome;
      const present = isRunning
        ? "runs now"
        : failure !== undefined
        ? failure.isFinal ? "has given up" : "is tried again"
        : words !== undefined
        ? `skipped: ${words}`
        : outcome === "success"
        ? "was called, and has succeeded"
        : fine;
      judged.push({ id, state: present });
    };
    for (const handler of ofKind.of(CHANGE)) {
      const byFilter = mismatchWords({ filters: handler, candidate: changed, confidential });
      const isSame = cause.diff.length === 0 && byFilter?.endsWith("has not changed") === true;
      judge(
        handler.id,
        isSame ? reasonWords(handler, cause) ?? byFilter : byFilter ?? reasonWords(handler, cause),
        "is to be called",
      );
    }
    const others: readonly (readonly [readonly ObjectHandler[], string])[] = [
      [ofKind.of(EVENT), "is called for each event"],
      [ofKind.of(BACKGROUND), "is there for the object"],
      [ofKind.of(RECONCILE), "is called at each change"],
    ];
    for (const [list, words] of others) {
      for (const handler of list) {
        judge(handler.id, mismatchWords({ filters: handler, candidate: plain, confidential }), words);
      }
    }
    return judged;
  }

  #tellHandlers(handlers: Explanation["handlers"], last: LedgerEntry | undefined): void {
    if (handlers.length === 0) {
      this.#say(
        "No handler is for objects of this kind themselves: they are watched for the sake of others.",
      );
      return;
    }
    const skipped = handlers.filter(({ state }) => state.startsWith("skipped: "));
    if (skipped.length === handlers.length) {
      const words = skipped.map(({ id, state }) => `${id}: ${state.replace("skipped: ", "")}`);
      this.#say(`No handler is called for it now. ${words.join("; ")}.`);
    }
    if (last?.isPassed === true) {
      this.#say(`Its latest change was of ${listOf(last.changed)}, at which no handler looks.`);
    }
  }

  #cause(resource: Resource, body: KubeObject, state: ObjectState | undefined): ChangeCause {
    const { settings: { persistence }, registry } = this.#sources;
    const { fields: extraFields } = registry.of(resource);
    const confidential = confidentialFieldsOf(persistence, resource);
    const old = handledEssence(persistence, body, { extraFields, confidential });
    const current = currentEssence(persistence, body, { extraFields });
    const diff = calculateDiff(old, current);
    const { reason, initial } = detectReason({
      body,
      finalizer: persistence.finalizer,
      hasOld: old !== undefined,
      hasDiff: diff.length > 0,
      initial: false,
    });
    return {
      reason,
      initial,
      resource,
      body,
      memo: state?.memo ?? {},
      old,
      new: current,
      diff,
      patch: new Patch(),
      logger: silentLogger(),
      indices: {},
    };
  }

  #look(entry: LedgerEntry, body: KubeObject, resource: Resource): Look {
    const { wake, changed, handlers, written, error, seconds: took, isPassed, waits, time } = entry;
    const parts: string[] = [];
    if (isPassed) parts.push(`${listOf(changed)} changed, which no handler looks at`);
    else parts.push(WAKES[wake] ?? wake);
    if (!isPassed && changed.length > 0) parts.push(`${listOf(changed)} changed`);
    for (const { id, outcome, mismatch, error: message } of handlers) {
      const words = message === undefined ? "" : `: ${this.#hidden(message, body, resource)}`;
      if (outcome !== undefined) parts.push(`${id} ${OUTCOMES[outcome]}${words}`);
      else if (mismatch !== undefined) parts.push(`skipped ${id} (${MISMATCHES[mismatch] ?? mismatch})`);
    }
    if (written.length > 0) parts.push(`wrote ${listOf(written)}`);
    if (error !== undefined) parts.push(`failed: ${this.#hidden(error, body, resource)}`);
    if (waits !== undefined) parts.push(`next turn at ${new Date(waits.until).toISOString()}`);
    if (took >= 1) parts.push(`took ${seconds(took)}`);
    return { time: new Date(time).toISOString(), words: parts.join("; ") };
  }

  #hidden(text: string, body: KubeObject, resource: Resource): string {
    return hideValues(text, confidentialFieldsOf(this.#sources.settings.persistence, resource), body);
  }
}

const WAKES: Readonly<Record<string, string>> = {
  event: "an event came",
  retry: "a planned turn",
  write: "our own write came back",
  error: "the turn before had failed",
  dependency: "another object changed",
  daemon: "a daemon wrote",
  timer: "a timer wrote",
};

const OUTCOMES: Readonly<Record<string, string>> = {
  success: "succeeded",
  failure: "gave up",
  retry: "failed",
  children: "waits for children",
  refused: "was refused by the server",
};

const MISMATCHES: Readonly<Record<string, string>> = {
  reason: "it is for another cause",
  labels: "its labels do not match",
  annotations: "its annotations do not match",
  field: "its field does not match",
  change: "its field has not changed as wanted",
  when: "its condition does not hold",
  error: "its filter failed",
  id: "another handler of that id was called",
};

/** Returns why a handler of changes is not called for this cause; undefined: it is. */
function reasonWords({ reason, initial }: ChangeHandler, cause: ChangeCause): string | undefined {
  if (initial) return "it is called when the operator starts";
  if (reason === cause.reason) return undefined;
  if (reason === undefined && cause.reason !== "noop" && cause.reason !== "free") return undefined;
  if (cause.reason === "noop") {
    return reason === "create"
      ? "it is for creations, and the object was handled before"
      : reason === "delete"
      ? "it is for deletions, and the object is not being deleted"
      : "the object has not changed since it was handled";
  }
  return `it is for ${reason ?? "changes"}s, and this is a ${
    cause.reason === "free" ? "deletion that is over" : cause.reason
  }`;
}

function listOf(words: readonly string[]): string {
  return words.slice(0, 8).join(", ") + (words.length > 8 ? `, and ${words.length - 8} more` : "");
}

function quoted(word: string): string {
  return `"${word}"`;
}

function seconds(value: Seconds): string {
  return value < 120 ? `${Math.round(value)} s` : `${Math.round(value / 60)} min`;
}
