/**
 * Read-only views of an object, as handlers get them (scenarios A124–A138).
 *
 * Two kinds. Snapshots, for handlers that see one state: the body itself, frozen once a handler asks for it (cheaper than
 * a copy, still plain objects for `structuredClone` and the like). Live views, for daemons and timers: each read goes to
 * the newest state, also after destructuring. Missing stanzas are empty, without being created. Writing throws.
 */

import { deepFreeze, isObject } from "./json.ts";
import type { JsonObject, KubeObject, ObjectMeta } from "./object.ts";

/** The views of an object that handlers see. */
export interface Views<Spec = JsonObject, Status = JsonObject> {
  /** The whole object. */
  readonly body: Readonly<KubeObject<Spec, Status>>;
  /** The spec; empty if there is none. */
  readonly spec: Readonly<Spec>;
  /** The status; empty if there is none. */
  readonly status: Readonly<Status>;
  /** The metadata. */
  readonly meta: Readonly<ObjectMeta>;
  /** The labels; empty if there are none. */
  readonly labels: Readonly<Record<string, string>>;
  /** The annotations; empty if there are none. */
  readonly annotations: Readonly<Record<string, string>>;
}

const EMPTY: Readonly<JsonObject> = Object.freeze({});

/** Freezes a value and everything in it, and returns it: for values that handlers may read but not change. */
export function readOnly<T>(value: T): T {
  return deepFreeze(value);
}

/** Returns views of one state. The body is frozen, with everything in it, by the first read. */
export function snapshotViews<Spec, Status>(body: KubeObject<Spec, Status>): Views<Spec, Status> {
  return new Snapshot(body);
}

/** Returns views of whatever state `current` gives at the time of each read. States are frozen as they are read. */
export function liveViews<Spec, Status>(current: () => KubeObject<Spec, Status>): Views<Spec, Status> {
  const newest = () => new Snapshot(current());
  return {
    body: liveView(() => newest().body),
    spec: liveView(() => newest().spec),
    status: liveView(() => newest().status),
    meta: liveView(() => newest().meta),
    labels: liveView(() => newest().labels),
    annotations: liveView(() => newest().annotations),
  };
}

/** A member is made when it is taken. */
class Snapshot<Spec, Status> implements Views<Spec, Status> {
  readonly #body: KubeObject<Spec, Status>;

  constructor(body: KubeObject<Spec, Status>) {
    this.#body = body;
  }

  get body(): Readonly<KubeObject<Spec, Status>> {
    return readOnly(this.#body);
  }

  // In all of these: users' types are claims about their own objects, and an empty object is the absent one.
  get spec(): Readonly<Spec> {
    return stanza(this.body.spec) as Spec;
  }

  get status(): Readonly<Status> {
    return stanza(this.body.status) as Status;
  }

  get meta(): Readonly<ObjectMeta> {
    return stanza(this.body.metadata) as ObjectMeta;
  }

  get labels(): Readonly<Record<string, string>> {
    return stanza(this.meta.labels) as Record<string, string>;
  }

  get annotations(): Readonly<Record<string, string>> {
    return stanza(this.meta.annotations) as Record<string, string>;
  }
}

function stanza(value: unknown): unknown {
  return isObject(value) ? value : EMPTY;
}

function liveView<T extends object>(current: () => T): T {
  const refuse = () => {
    throw new TypeError("Cannot change the object through its view: it is read-only; use the patch");
  };
  // Consoles look at a proxy's target, past its traps; this shows them the newest state instead of an empty object.
  const target = Object.defineProperties({}, {
    [Symbol.for("nodejs.util.inspect.custom")]: { value: current, configurable: true },
  });
  // The handler returns the value of `current`, whose type is T.
  return new Proxy(target, {
    get: (_, key) => {
      const object: object = current();
      return Object.hasOwn(object, key) ? Reflect.get(object, key) : Reflect.get(Object.prototype, key);
    },
    has: (_, key) => Reflect.has(current(), key),
    ownKeys: () => Reflect.ownKeys(current()),
    getOwnPropertyDescriptor: (_, key) => {
      const descriptor = Reflect.getOwnPropertyDescriptor(current(), key);
      // The target does not own the key, so a proxy may only call it configurable.
      return descriptor && { ...descriptor, configurable: true };
    },
    set: refuse,
    defineProperty: refuse,
    deleteProperty: refuse,
    setPrototypeOf: refuse,
    preventExtensions: refuse,
  }) as T;
}
