/**
 * All states of the planned objects, as the server told them of each: by them it is judged which state a handler has seen, and
 * which fields a write has changed.
 */

import { isObject } from "../../../model/json.ts";
import type { KubeObject } from "../../../model/object.ts";
import { pathOf, type Resource } from "../../../model/resource.ts";
import type { Seconds } from "../../../runtime/host.ts";
import { parseJson } from "../../../runtime/json.ts";
import type { ApiServer } from "../../apiserver/mod.ts";

/** One state of an object. */
export interface PastState {
  readonly object: KubeObject;
  /** The state before it; undefined: the object was created. */
  readonly before: PastState | undefined;
  /** Whether the object went with it. */
  readonly isGone: boolean;
  /** When it came, in seconds since the beginning of the run. */
  readonly at: Seconds;
}

/** Keeps the past of a run. */
export class History {
  /** All states, in order. */
  readonly states: PastState[] = [];
  readonly #newest = new Map<string, PastState>();
  readonly #byVersion = new Map<string, PastState>();
  readonly #now: () => Seconds;

  /** @param now Returns the seconds since the beginning of the run. */
  constructor(now: () => Seconds) {
    this.#now = now;
  }

  /** Notes all states of a kind's objects from now on. */
  async follow(resource: Resource, server: Pick<ApiServer, "fetch">): Promise<void> {
    await this.followAt(pathOf(resource), resource, server);
  }

  /** Notes all states of the objects at a path from now on. */
  async followAt(
    path: string,
    resource: Pick<Resource, "kind">,
    server: Pick<ApiServer, "fetch">,
  ): Promise<void> {
    const response = await server.fetch(new Request(`https://beside.test${path}?watch=1`));
    if (response.ok && response.body !== null) void this.#read(response.body, resource);
  }

  /** Returns the state of a version; undefined: it is of an object that is not followed. */
  at(version: string | undefined): PastState | undefined {
    return version === undefined ? undefined : this.#byVersion.get(version);
  }

  /** The newest state of the object with a uid. */
  newest(uid: string): PastState | undefined {
    return this.#newest.get(uid);
  }

  /** The newest state of each object that ever was. */
  present(): Iterable<PastState> {
    return this.#newest.values();
  }

  async #read(
    body: ReadableStream<Uint8Array>,
    { kind }: Pick<Resource, "kind">,
  ): Promise<void> {
    let rest = "";
    for await (
      const chunk of body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>)
    ) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) this.#note(parseJson(line), kind);
    }
  }

  #note(event: unknown, kind: string): void {
    if (!isObject(event) || !isObject(event.object) || !isObject(event.object.metadata)) return;
    if (event.type === "BOOKMARK" || event.type === "ERROR") return;
    // Told by the server itself.
    const object = { kind, ...event.object } as unknown as KubeObject;
    const { uid = "", resourceVersion = "" } = object.metadata;
    const state: PastState = {
      object,
      before: this.#newest.get(uid),
      isGone: event.type === "DELETED",
      at: this.#now(),
    };
    this.states.push(state);
    this.#newest.set(uid, state);
    this.#byVersion.set(resourceVersion, state);
  }
}
