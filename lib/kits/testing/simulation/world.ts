/**
 * The world of one simulated run: an API server, the processes of an operator, and the clients and programs beside it.
 */

import type { KubeObject } from "../../../model/object.ts";
import { isObject } from "../../../model/json.ts";
import { apiVersionOf, groupResource, pathOf, type Resource } from "../../../model/resource.ts";
import { parseJson } from "../../../runtime/json.ts";
import type { TestCluster } from "../cluster.ts";
import { History } from "./history.ts";
import { Journal, type SeenRequest } from "./journal.ts";
import { Life, type Simulated } from "./life.ts";
import { describeStep, type FailStep, type PlannedObject, type Step } from "./plan.ts";
import { DrawnTraffic, type Traffic } from "./traffic.ts";
import { isAuthorsWrite } from "./wire.ts";

/** The parts of a world. */
export interface WorldOptions {
  readonly cluster: TestCluster;
  /** Makes an operator for each process. */
  readonly make: () => Simulated;
  readonly seed: number;
  /** Default: each message takes its time by the seed. */
  readonly traffic?: Traffic;
  /** Undefined: one process without Leases. */
  readonly replicas: number | undefined;
  /** The kinds of planned objects, by plural and group. */
  readonly kinds: ReadonlyMap<string, Resource>;
}

const LEASE: Resource = {
  group: "coordination.k8s.io",
  version: "v1",
  plural: "leases",
  kind: "Lease",
  singular: "lease",
  shortcuts: [],
  categories: [],
  subresources: [],
  verbs: [],
  namespaced: true,
  preferred: true,
};

/** The finalizer and the prefix of other programs' marks. */
export const FOREIGN = "simulation.lotse.dev";
export const FOREIGN_FINALIZER = `${FOREIGN}/held`;

/** A fault that waits for its requests. */
interface ArmedFault {
  readonly step: FailStep;
  after: number;
  times: number;
}

/** A simulated world. */
export class World {
  readonly cluster: TestCluster;
  readonly journal: Journal;
  readonly lives: Life[] = [];
  #isOver = false;
  /** The states of planned objects, and of the replicas' Leases. */
  readonly history = new History(() => this.now);
  readonly leases = new History(() => this.now);
  /** Since when the Leases say nothing, as a person has deleted them. */
  leasesLost = Infinity;
  readonly kinds: ReadonlyMap<string, Resource>;
  /** Objects that clients wanted to create, and that the server refused: its words. */
  readonly refusals: string[] = [];
  /** How many objects were created. */
  created = 0;
  readonly #options: WorldOptions;
  readonly #began: number;
  readonly #traffic: Traffic;
  /** Objects that a person has paused, and until when. */
  readonly #paused = new Map<PlannedObject, number>();
  #faults: ArmedFault[] = [];
  /** Children that other programs have deleted: their paths, their owners' uids, and when. */
  readonly harmed: { readonly path: string; readonly owner: string; readonly at: number }[] = [];
  /** Until when nothing can be listed or watched, by the clock of the cluster. */
  #gapUntil = 0;
  /** How long a process is not replaced, by its place. */
  readonly #downtimes = new Map<number, number>();

  constructor(options: WorldOptions) {
    const { cluster, kinds } = options;
    this.#options = options;
    this.cluster = cluster;
    this.kinds = kinds;
    const { clock } = cluster.host;
    this.#began = clock.monotonic();
    this.#traffic = options.traffic ?? new DrawnTraffic(options.seed, clock);
    this.journal = new Journal(() => clock.monotonic() - this.#began);
  }

  /** Seconds since the beginning. */
  get now(): number {
    return this.cluster.host.clock.monotonic() - this.#began;
  }

  /** Whether processes are replicas, with Leases. */
  get sharesObjects(): boolean {
    return this.#options.replicas !== undefined;
  }

  /** Starts all processes. */
  async start(): Promise<void> {
    for (const resource of this.kinds.values()) await this.history.follow(resource, this.cluster.server);
    if (this.sharesObjects) await this.leases.follow(LEASE, this.cluster.server);
    for (let replica = 0; replica < (this.#options.replicas ?? 1); replica++) this.#begin(replica);
    await this.advance(0);
  }

  /** Lets time pass. */
  async advance(seconds: number): Promise<void> {
    await this.cluster.host.clock.advance(seconds);
  }

  /** The processes that have neither ended nor were killed. */
  get alive(): Life[] {
    return this.lives.filter(({ isAlive }) => isAlive);
  }

  /** Kills all processes for good: no other one takes their places. */
  end(): void {
    this.#isOver = true;
    for (const life of this.alive) life.kill();
  }

  /** Takes a step, and lets its time pass. @param place Its place in the plan. */
  async take(step: Step, place = -1): Promise<void> {
    this.journal.steps.push(this.now);
    this.journal.say("step", `${describeStep(step)} ${step.wait ?? 0}`, describeStep(step));
    if (await this.#act(step) === false) this.journal.refused.add(place);
    await this.advance(step.wait ?? 0);
  }

  /** Ends all faults and pauses; processes that were killed are replaced when their time has come. */
  async calm(): Promise<void> {
    this.#faults = [];
    for (const { wire } of this.alive) wire.calm();
    await this.#endPauses();
  }

  /** Pauses end by themselves, but for pauses that a clock that was set would make long. */
  async #endPauses(): Promise<void> {
    const isSet = this.lives.some(({ clockError }) => Math.abs(clockError) > 1);
    for (const [object, until] of this.#paused) {
      if (isSet) await this.#annotate(object, "pause", null);
      else await this.advance(Math.max(0, until - this.now));
    }
    this.#paused.clear();
  }

  /** Stops all processes in order, and waits for their end. Returns the processes that have not ended. */
  async stop(): Promise<Life[]> {
    const alive = this.alive;
    for (const life of alive) life.stop();
    for (let round = 0; round < 40 && this.alive.length > 0; round++) await this.advance(5);
    return this.alive;
  }

  /** Returns all objects of a kind. */
  async list(kind: string): Promise<KubeObject[]> {
    const resource = this.kinds.get(kind);
    if (resource === undefined) return [];
    return await this.listAt(pathOf(resource));
  }

  /** Returns all objects at a path. */
  async listAt(path: string): Promise<KubeObject[]> {
    const list = await this.#ask("GET", path);
    if (!isObject(list) || !Array.isArray(list.items)) return [];
    const type = { apiVersion: String(list.apiVersion), kind: String(list.kind).replace(/List$/, "") };
    // The items of a list are the server's own objects.
    return list.items.map((item) => ({ ...type, ...item as KubeObject }));
  }

  /** Whether there is an object at a path. */
  async has(path: string): Promise<boolean> {
    return isStored(await this.#ask("GET", path));
  }

  /** Returns a planned object as it is; undefined if it is not there. */
  async find(object: PlannedObject): Promise<KubeObject | undefined> {
    const found = await this.#ask("GET", this.#path(object));
    return isStored(found) ? found : undefined;
  }

  /** Returns false if the server has refused. */
  async #act(step: Step): Promise<boolean | void> {
    const { server } = this.cluster;
    switch (step.do) {
      case "create":
        return await this.#create(step);
      case "edit":
        return await this.#edit(step);
      case "delete":
        return isDone(await this.#ask("DELETE", this.#path(step)));
      case "write":
        return isDone(await this.#patch(step, step.patch, step.subresource));
      case "hold":
      case "release":
        return await this.#hold(step, step.do === "hold");
      case "fail":
        return void this.#faults.push({ step, after: step.after, times: step.times });
      case "break":
      case "silence":
      case "expire":
      case "compact": {
        if (step.do === "compact") server.compact();
        const how = step.do === "compact" ? "break" : step.do;
        return this.alive.forEach(({ wire }) => wire.strikeWatches(how));
      }
      case "lag":
        return this.#traffic.lag?.(step.seconds);
      case "gap": {
        const { clock } = this.cluster.host;
        this.#gapUntil = clock.monotonic() + step.seconds;
        if (step.forgets) clock.after(step.seconds, () => server.compact());
        return this.alive.forEach(({ wire }) => wire.strikeWatches("break"));
      }
      case "harm":
        return await this.#harm(step.number);
      case "pause": {
        this.#paused.set(step, this.now + step.seconds);
        const until = new Date(this.cluster.host.clock.now() + step.seconds * 1000);
        return await this.#annotate(step, "pause", `until=${until.toISOString()}`);
      }
      case "kill": {
        const life = this.#of(step.replica);
        this.#downtimes.set(step.replica, step.down);
        if (step.at === "now") life?.kill();
        else life?.wire.armKill(step.at, step.after);
        return;
      }
      case "restart": {
        const life = this.#of(step.replica);
        if (life === undefined) return;
        life.stop();
        for (let round = 0; round < 40 && life.isAlive; round++) await this.advance(5);
        if (!life.isKilled) this.#begin(step.replica);
        return;
      }
      case "suspend":
      case "suspend-machine":
        return this.#of(step.replica)?.suspend(step.seconds, { isMachine: step.do === "suspend-machine" });
      case "isolate":
        return this.#of(step.replica)?.isolate(step.seconds);
      case "set-clock":
        return this.#of(step.replica)?.clock.step(step.seconds);
      case "delete-leases":
        this.leasesLost = Math.min(this.leasesLost, this.now);
        return void await this.#ask("DELETE", "/apis/coordination.k8s.io/v1/namespaces/default/leases");
    }
  }

  /** Returns the process at a place. */
  #of(replica: number): Life | undefined {
    return this.alive.findLast((life) => life.replica === replica);
  }

  #begin(replica: number): void {
    const { make, seed, replicas, cluster: { host, server } } = this.#options;
    const number = this.lives.length;
    this.journal.say("process", `${number} starts`, number === 0 ? undefined : "A new process starts");
    const life = new Life({
      number,
      replica,
      seed,
      traffic: this.#traffic,
      simulated: make(),
      base: host,
      journal: this.journal,
      sharesObjects: replicas !== undefined,
      serve: (request) => server.fetch(request),
      faultOf: (request) => this.#faultOf(request),
      gapUntil: () => this.#gapUntil,
      onKilled: () => {
        const down = Math.max(this.#downtimes.get(replica) ?? 0, 0.001);
        // NB: time goes on after the end, until the code of killed processes has run out.
        if (!this.#isOver) host.clock.after(down, () => this.#isOver || this.#begin(replica));
      },
    });
    this.lives.push(life);
  }

  #faultOf(request: SeenRequest): FailStep["fault"] | undefined {
    for (const fault of this.#faults) {
      if (!isMeant(fault.step, request)) continue;
      if (fault.after > 0) {
        fault.after -= 1;
        continue;
      }
      fault.times -= 1;
      if (fault.times <= 0) this.#faults = this.#faults.filter((each) => each !== fault);
      return fault.step.fault;
    }
  }

  async #create(step: Step & { readonly do: "create" }): Promise<boolean> {
    const resource = this.#resource(step);
    const { metadata = {}, ...rest } = step.body as { metadata?: object };
    const object = {
      apiVersion: apiVersionOf(resource),
      kind: resource.kind,
      metadata: { ...metadata, name: step.name },
      ...rest,
    };
    const answer = await this.#ask("POST", pathOf(resource, placeOf(resource)), object);
    if (isStored(answer)) {
      this.created += 1;
    } else if (isObject(answer) && answer.code !== 409) this.refusals.push(String(answer.message));
    return isStored(answer);
  }

  async #edit(step: Step & { readonly do: "edit" }): Promise<boolean> {
    const answer = await this.#patch(step, step.patch);
    if (isObject(answer) && !isStored(answer) && answer.code !== 404) {
      this.refusals.push(String(answer.message));
    }
    return isStored(answer);
  }

  async #hold(object: PlannedObject, holds: boolean): Promise<boolean> {
    const found = await this.find(object);
    if (found === undefined || (holds && found.metadata.deletionTimestamp !== undefined)) return false;
    const others = (found.metadata.finalizers ?? []).filter((each) => each !== FOREIGN_FINALIZER);
    const finalizers = holds ? [...others, FOREIGN_FINALIZER] : others;
    return isDone(await this.#patch(object, { metadata: { finalizers } }));
  }

  /** Steers an object as a person would. Returns false if it is not there. */
  async #annotate(object: PlannedObject, what: string, value: string | null): Promise<boolean> {
    const { finalizer = "" } = this.lives[0]?.op.settings.persistence ?? {};
    const [prefix = ""] = finalizer.split("/");
    return isDone(await this.#patch(object, { metadata: { annotations: { [`${prefix}/${what}`]: value } } }));
  }

  /** Deletes a child of an owner that is reconciled. Returns false if there is none. */
  async #harm(number: number): Promise<boolean> {
    const declared = this.lives[0]?.op.declared ?? [];
    const kinds = declared.flatMap(({ cause, resource, owner }) =>
      cause === "owns" && owner !== undefined && resource !== undefined
        ? [groupResource({ plural: resource.plural ?? "", group: resource.group ?? "" })]
        : []
    );
    const collections = new Set(
      this.journal.requests.filter((request) => isAuthorsWrite(request) && kinds.includes(request.kind))
        .map(({ collection }) => collection),
    );
    for (const collection of [...collections].sort()) {
      const children = (await this.listAt(collection)).flatMap(({ metadata }) => {
        const owner = metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid;
        return owner === undefined || metadata.deletionTimestamp !== undefined ? [] : [{ metadata, owner }];
      });
      const child = children[number % children.length];
      if (child === undefined) continue;
      const { metadata: { namespace, name = "" }, owner } = child;
      const place = namespace === undefined ? "" : `/namespaces/${namespace}`;
      const path = `${collection.replace(/(?=\/[^/]+$)/, place)}/${name}`;
      this.harmed.push({ path, owner, at: this.now });
      return isDone(await this.#ask("DELETE", path));
    }
    return false;
  }

  async #patch(object: PlannedObject, patch: object, subresource?: string): Promise<unknown> {
    const path = this.#path(object) + (subresource === undefined ? "" : `/${subresource}`);
    return await this.#ask("PATCH", path, patch);
  }

  #resource({ kind }: PlannedObject): Resource {
    const resource = this.kinds.get(kind);
    if (resource === undefined) {
      throw new TypeError(`Cannot run the plan: the cluster knows no kind "${kind}"`);
    }
    return resource;
  }

  #path(object: PlannedObject): string {
    const resource = this.#resource(object);
    return pathOf(resource, { ...placeOf(resource), name: object.name });
  }

  /** Asks the server directly: clients and programs beside the operator meet no faults. */
  async #ask(method: string, path: string, body?: object): Promise<unknown> {
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const response = await this.cluster.server.fetch(
      new Request(`https://beside.test${path}`, {
        method,
        headers: { "user-agent": "client", "content-type": type },
        body: body === undefined ? undefined : JSON.stringify(body),
      }),
    );
    const text = await response.text();
    return text === "" ? undefined : parseJson(text);
  }
}

function placeOf({ namespaced }: Resource): { readonly namespace?: string } {
  return namespaced ? { namespace: "default" } : {};
}

/** Whether an answer is no refusal. */
function isDone(value: unknown): boolean {
  return !isObject(value) || value.status !== "Failure";
}

function isStored(value: unknown): value is KubeObject {
  return isObject(value) && isObject(value.metadata) && value.kind !== "Status";
}

function isMeant({ requests }: FailStep, request: SeenRequest): boolean {
  switch (requests) {
    case "writes":
      return isAuthorsWrite(request);
    case "lists":
    case "watches":
      return `${request.verb}${request.verb === "list" ? "s" : "es"}` === requests;
    case "reads":
      return request.verb === "get" && !request.kind.startsWith("/");
  }
}
