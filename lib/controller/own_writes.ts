/**
 * Writes of children by their owners' handlers that are under way.
 *
 * The watch may show such a write before the server's answer comes, or after it; owners are to notice no difference. So a
 * child's changes wait while its owner writes it. The answer then shows whether a change was that write, which is no news for
 * the owner; the other changes are told when the write has ended, in the order in which they came.
 */

import type { Answer, Write } from "../client/cache/caches.ts";
import type { ChildEvent } from "../handlers/child/child_events.ts";
import type { KubeObject } from "../model/object.ts";
import { keyOf, type Resource } from "../model/resource.ts";
import { differsFromSent } from "./sent.ts";

/** A change of a child that is to be told to an owner. */
export interface Telling {
  readonly resource: Resource;
  /** The owner's uid. */
  readonly owner: string;
  readonly event: ChildEvent;
  readonly tell: () => void;
}

/** How many changes of one child wait at most; then the first is told. */
const MOST_WAITING = 100;

interface UnderWay extends Write {
  readonly kind: string;
  readonly waiting: Telling[];
}

/** The writes of one run. */
export class OwnWrites {
  /** By the uid of the object whose handler writes. */
  readonly #writes = new Map<string, UnderWay[]>();

  /** A handler begins to write; disposing says that the write has ended, well or not. */
  begin(resource: Resource, write: Write): Disposable {
    const { author } = write;
    const begun: UnderWay = { ...write, kind: keyOf(resource), waiting: [] };
    const others = this.#writes.get(author);
    if (others === undefined) this.#writes.set(author, [begun]);
    else others.push(begun);
    return { [Symbol.dispose]: () => this.#end(begun) };
  }

  /** Lets a change wait if the owner writes that child. Returns whether it does: it will be told, unless it is the write itself. */
  hold(telling: Telling): boolean {
    if (this.#writes.size === 0) return false;
    const { resource, owner, event: { object } } = telling;
    const writes = this.#writes.get(owner);
    const found = writes?.find((write) => write.kind === keyOf(resource) && isAbout(write, object));
    if (found === undefined) return false;
    found.waiting.push(telling);
    if (found.waiting.length > MOST_WAITING) found.waiting.shift()?.tell();
    return true;
  }

  /**
   * Takes the answer to a write: a change that led to the answered state is no news, unless the server or another client had a
   * part in it.
   */
  answered(answer: KubeObject, { sent, author = "" }: Answer): void {
    for (const { waiting } of this.#writes.get(author) ?? []) {
      for (const telling of [...waiting]) {
        const { event: { object, old: before } } = telling;
        if (!isSameState(object, answer) || differsFromSent({ before, sent, answer })) continue;
        waiting.splice(waiting.indexOf(telling), 1);
      }
    }
  }

  #end(ended: UnderWay): void {
    const left = this.#writes.get(ended.author)?.filter((each) => each !== ended) ?? [];
    if (left.length === 0) this.#writes.delete(ended.author);
    else this.#writes.set(ended.author, left);
    // It may be another write of that child, which is still under way.
    for (const telling of ended.waiting) if (!this.hold(telling)) telling.tell();
  }
}

/** An object that is created with a prefix has no name until the answer comes; and the namespace may be the client's own. */
function isAbout({ target }: Write, { metadata }: KubeObject): boolean {
  if (target.namespace !== undefined && metadata.namespace !== target.namespace) return false;
  return target.name === undefined
    ? target.generateName !== undefined && metadata.generateName === target.generateName
    : metadata.name === target.name;
}

function isSameState({ metadata: a }: KubeObject, { metadata: b }: KubeObject): boolean {
  return a.uid === b.uid && a.resourceVersion === b.resourceVersion;
}
