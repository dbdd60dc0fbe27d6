/**
 * The changes that daemons and timers write to their object beside its reconciles. Like the writes of change handlers, these
 * changes do not call finished change handlers again. Source: docs/decisions/0012-own-patches.md.
 *
 * Progress records are signed with a digest of the object as its handlers saw it. For the comparison with that digest alone, the
 * later changes of daemons and timers are taken back from the object; changes by other writers stay, and count. The changes are
 * kept in memory, and are lost when the process ends.
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

/** The changes that daemons and timers have written to one object. */
export class BackgroundChanges {
  /** Changes of writes that have not ended: the watch may show them before the server's answer comes. */
  readonly #underWay = new Set<Changes>();
  /** Changes of writes that have ended since the latest reconcile began. */
  #recent: Changes = new Map();
  /** Changes of writes that had ended before the latest reconcile began, and that no progress record is signed with yet. */
  #earlier: Changes = new Map();
  #isSigned = false;

  /** Whether no change is under way, and none is kept. */
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

  /** A reconcile begins with the newest state, which has the changes of all writes that have ended by now. */
  seen(): void {
    this.#earlier = this.#isSigned ? this.#recent : joined(this.#earlier, this.#recent);
    this.#recent = new Map();
    this.#isSigned = false;
  }

  /** The records of finished handlers are signed with `body`, the state with which the reconcile began; or there are none. */
  signed(body: KubeObject): void {
    this.#isSigned = true;
    for (const changes of this.#underWay) {
      for (const [key, change] of changes) if (isOn(body, change)) changes.delete(key);
    }
  }

  /** Returns `body` without these changes; `body` itself if it has none of them as they were written. */
  takenBackFrom(body: KubeObject): KubeObject {
    let result = body;
    for (const changes of [...[...this.#underWay].reverse(), this.#recent, this.#earlier]) {
      for (const change of [...changes.values()].reverse()) result = withoutChange(result, change);
    }
    return result;
  }
}

/** Joins two sets of changes: each field has its first state before, and its last state after. */
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

/** Takes one change back. A field that another writer has changed since is left as it is. */
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
