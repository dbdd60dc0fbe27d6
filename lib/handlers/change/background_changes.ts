/**
 * The changes that daemons and timers make to their object beside its reconciles: what they write calls handlers that have
 * finished as little as what handlers write. Source: docs/decisions/0012-own-patches.md.
 *
 * Records are signed with the object as handlers saw it. So what daemons have made of it since is taken back, for the
 * comparison alone; what others have changed stays, and counts. Nothing of this outlives the process.
 */

import type { Outgoing } from "../../execution/pending_write.ts";
import { calculateDiff } from "../../model/diff.ts";
import { type FieldPath, getField, withField } from "../../model/fields.ts";
import { isEqualJson, isObject } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import { foresee } from "../../model/patch.ts";

/** A field before and after; undefined where it is absent. */
interface Change {
  readonly path: FieldPath;
  readonly old: unknown;
  readonly new: unknown;
}

/** By path, in the order of their first changes. */
type Changes = Map<string, Change>;

/** The changes of one object. */
export class BackgroundChanges {
  /** Of writes that have not ended: the watch may show them before the server's answer comes. */
  readonly #underWay = new Set<Changes>();
  /** Of writes that have ended since the reconcile began. */
  #recent: Changes = new Map();
  /** Of those before, which no record is signed with yet. */
  #earlier: Changes = new Map();
  #isSigned = false;

  /** Whether there are none, and none on their way. */
  get isEmpty(): boolean {
    return this.#underWay.size + this.#recent.size + this.#earlier.size === 0;
  }

  /** A daemon or timer begins to write onto this state; disposing says that the write has ended, well or not. */
  begin(before: KubeObject, { content, fns }: Outgoing): Disposable {
    const changes: Changes = new Map();
    for (const { path, old, new: now } of calculateDiff(before, foresee(before, content, fns))) {
      changes.set(JSON.stringify(path), { path, old, new: now });
    }
    this.#underWay.add(changes);
    return {
      [Symbol.dispose]: () => {
        this.#underWay.delete(changes);
        this.#recent = joined(this.#recent, changes);
      },
    };
  }

  /** A reconcile begins with the newest state: what has ended by now is in it. */
  seen(): void {
    this.#earlier = this.#isSigned ? this.#recent : joined(this.#earlier, this.#recent);
    this.#recent = new Map();
    this.#isSigned = false;
  }

  /** The records of finished handlers are signed with this state, with which the reconcile began; or there are none. */
  signed(body: KubeObject): void {
    this.#isSigned = true;
    for (const changes of this.#underWay) {
      for (const [key, change] of changes) if (isOn(body, change)) changes.delete(key);
    }
  }

  /** Returns the object as it would be without these changes; itself, if none is on it as it was written. */
  takenBackFrom(body: KubeObject): KubeObject {
    let result = body;
    for (const changes of [...[...this.#underWay].reverse(), this.#recent, this.#earlier]) {
      for (const change of [...changes.values()].reverse()) result = withoutChange(result, change);
    }
    return result;
  }
}

/** The same changes in one: of each field its first state and its last one. */
function joined(first: Changes, second: Changes): Changes {
  const all = new Map(first);
  for (const [key, change] of second) {
    all.set(key, { ...change, old: (first.get(key) ?? change).old });
  }
  return all;
}

function isOn(body: KubeObject, { path, new: now }: Change): boolean {
  return isEqualJson(getField(body, path), now);
}

/** NB: what somebody else has put there since is left as it is. */
function withoutChange(body: KubeObject, change: Change): KubeObject {
  const { path, old } = change;
  if (!isOn(body, change)) return body;
  if (old !== undefined) return withField(body, path, old) as KubeObject; // as it was before
  const parent = path.slice(0, -1);
  const level = getField(body, parent);
  if (!isObject(level)) return body;
  const { [path.at(-1) ?? ""]: _, ...rest } = level;
  return (parent.length === 0 ? rest : withField(body, parent, rest)) as KubeObject; // as above
}
