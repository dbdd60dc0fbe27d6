/**
 * Which kinds an API server serves.
 *
 * Asked group by group, so that an operator for one group needs not know of the others, or of their faults: a group that is
 * broken (an aggregated API whose server is away) is left out with a warning, and asked again the next time. Which of several
 * groups there are is one request, for the list of their names. All groups at once come through aggregated discovery, which is
 * two requests; servers that do not know it are asked the old way.
 *
 * Source: Kubernetes API concepts, "Discovery API"; scenarios B186–B213.
 */

import { isObject } from "../model/json.ts";
import type { Resource } from "../model/resource.ts";
import type { Seconds } from "../runtime/host.ts";
import type { ApiGroup, DiscoveredGroup } from "./discovery_formats.ts";
import {
  isAggregated,
  parseAggregated,
  parseGroup,
  parseGroups,
  parseResources,
} from "./discovery_formats.ts";
import { ApiError } from "./errors.ts";
import type { Transport } from "./transport/transport.ts";

/** Older forms are named too: each server picks the newest that it knows. */
const AGGREGATED = [
  "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
  "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList",
  "application/json",
].join(",");

/** Pauses between attempts at one version of one group. Short: a broken group must not hold up the others. */
const BROKEN_BACKOFFS: readonly Seconds[] = [1, 2];

/** The members of which each description of served kinds has one. */
const MEMBERS: readonly string[] = ["kind", "versions", "groups", "resources", "items"];

/** NB: an answer that a proxy makes up must not be taken for a group without kinds, which would not be asked about again. */
function isDescription(body: unknown): boolean {
  return isObject(body) && MEMBERS.some((name) => Object.hasOwn(body, name));
}

/** The resources that an API server serves, remembered until `refresh()`. */
export class Discovery {
  readonly #transport: Transport;
  readonly #groups = new Map<string, Promise<readonly Resource[]>>();
  #all: Promise<readonly Resource[]> | undefined;
  readonly #broken = new Map<string, unknown>();

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The groups that were left out because they were broken: "group/version" (or "group") and the error. Asked again the next time. */
  get broken(): ReadonlyMap<string, unknown> {
    return this.#broken;
  }

  /** Returns the kinds of all groups, in all versions. */
  all(): Promise<readonly Resource[]> {
    this.#all ??= this.#loadAll().catch((error) => {
      this.#all = undefined;
      throw error;
    });
    return this.#all;
  }

  /** Returns the kinds of one group ("" is the core), in all its versions; none if there is no such group. */
  group(group: string): Promise<readonly Resource[]> {
    let loading = this.#groups.get(group);
    if (loading === undefined) {
      loading = this.#loadGroup(group);
      this.#remember(group, loading);
    }
    return loading;
  }

  /** Returns the kinds of several groups. One request tells which of them there are. */
  async groups(groups: Iterable<string>): Promise<readonly Resource[]> {
    const asked = [...new Set(groups)];
    const unknown = asked.filter((group) => group !== "" && !this.#groups.has(group));
    if (unknown.length > 1) this.#askTogether(unknown);
    const found = await Promise.all(asked.map((group) => this.group(group)));
    return found.flat();
  }

  /** Returns a kind by its plural; in the group's preferred version where none is named. */
  async find(group: string, version: string | undefined, plural: string): Promise<Resource | undefined> {
    const resources = await this.group(group);
    return resources.find((resource) =>
      resource.plural === plural &&
      (version === undefined ? resource.preferred : resource.version === version)
    );
  }

  /** Forgets the remembered kinds, of one group or of all, and asks again. */
  refresh(group?: string): Promise<readonly Resource[]> {
    this.#all = undefined;
    if (group === undefined) {
      this.#groups.clear();
      return this.all();
    }
    this.#groups.delete(group);
    return this.group(group);
  }

  /** Where the list of groups cannot be had, each group is asked by itself. */
  #askTogether(groups: readonly string[]): void {
    const listing = this.#get("/apis", { backoffs: BROKEN_BACKOFFS }).then(parseGroups, (error) => {
      if (error instanceof ApiError || error instanceof SyntaxError) return undefined;
      throw error;
    });
    for (const group of groups) {
      const loading = listing.then((served) => {
        if (served === undefined) return this.#loadGroup(group);
        this.#mend(group);
        const versions = served.find((each) => each.group === group);
        return versions === undefined ? [] : this.#loadVersions(versions);
      });
      this.#remember(group, loading);
    }
  }

  async #loadAll(): Promise<readonly Resource[]> {
    const [core, named] = await Promise.all([this.#loadGroup(""), this.#loadNamedGroups()]);
    this.#remember("", Promise.resolve(core));
    const resources = [...core];
    for (const [group, found] of named) {
      this.#remember(group, Promise.resolve(found));
      resources.push(...found);
    }
    if (this.#broken.size > 0) this.#all = undefined;
    return resources;
  }

  async #loadNamedGroups(): Promise<Map<string, readonly Resource[]>> {
    const answer = await this.#get("/apis", { accept: AGGREGATED });
    const found = new Map<string, readonly Resource[]>();
    if (isAggregated(answer)) {
      for (const group of parseAggregated(answer)) found.set(group.group, this.#take(group));
      return found;
    }
    const groups = parseGroups(answer);
    const lists = await Promise.all(groups.map((group) => this.#loadVersions(group)));
    groups.forEach(({ group }, index) => found.set(group, lists[index] ?? []));
    return found;
  }

  async #loadGroup(group: string): Promise<readonly Resource[]> {
    if (group === "") return await this.#loadCore();
    try {
      const answer = await this.#get(`/apis/${encodeURIComponent(group)}`, { backoffs: BROKEN_BACKOFFS });
      this.#mend(group);
      return await this.#loadVersions(parseGroup(answer, group));
    } catch (error) {
      return this.#leaveOut(group, error);
    }
  }

  async #loadCore(): Promise<readonly Resource[]> {
    const answer = await this.#get("/api", { accept: AGGREGATED });
    if (isAggregated(answer)) return parseAggregated(answer).flatMap((group) => this.#take(group));
    return await this.#loadVersions(parseGroup(answer, ""));
  }

  async #loadVersions(group: ApiGroup): Promise<readonly Resource[]> {
    const lists = await Promise.all(group.versions.map((version) => this.#loadVersion(group, version)));
    return lists.flat();
  }

  async #loadVersion({ group, preferred }: ApiGroup, version: string): Promise<readonly Resource[]> {
    const name = group === "" ? version : `${group}/${version}`;
    try {
      const answer = await this.#get(group === "" ? `/api/${name}` : `/apis/${name}`, {
        backoffs: BROKEN_BACKOFFS,
      });
      this.#mend(name);
      return parseResources(answer, { group, version, preferred: group === "" || version === preferred });
    } catch (error) {
      return this.#leaveOut(name, error);
    }
  }

  async #get(path: string, options: { accept?: string; backoffs?: readonly Seconds[] }): Promise<unknown> {
    const { body } = await this.#transport.request({
      method: "GET",
      path,
      gzip: true,
      ...options,
    });
    if (isDescription(body)) return body;
    throw new SyntaxError(`Cannot read the answer to "GET ${path}": it does not say what is served`);
  }

  /** Notes which versions of a group are stale: the aggregated API's own server did not answer. */
  #take({ group, resources, stale }: DiscoveredGroup): readonly Resource[] {
    for (const version of new Set([...stale, ...resources.map((resource) => resource.version)])) {
      const name = group === "" ? version : `${group}/${version}`;
      if (stale.includes(version)) this.#warn(name, new Error("The server that serves it does not answer"));
      else this.#mend(name);
    }
    return resources;
  }

  /** Returns undefined instead of an error that concerns one group only. @throws {Error} If it concerns all. */
  #leaveOut(name: string, error: unknown): readonly Resource[] {
    if (!(error instanceof ApiError || error instanceof SyntaxError)) throw error;
    if (error instanceof ApiError && error.status === 404) this.#mend(name); // Scenarios A50, B188: 404 is none
    else this.#warn(name, error);
    return [];
  }

  #warn(name: string, error: unknown): void {
    if (!this.#broken.has(name)) {
      this.#transport.logger.warn("API group cannot be discovered, it is left out", { group: name, error });
    }
    this.#broken.set(name, error);
  }

  #mend(name: string): void {
    if (this.#broken.delete(name)) {
      this.#transport.logger.info("API group can be discovered again", { group: name });
    }
  }

  /** Keeps the kinds of a group, unless it fails or some are left out of it. */
  #remember(group: string, loading: Promise<readonly Resource[]>): void {
    this.#groups.set(group, loading);
    const forget = (): void => {
      if (this.#groups.get(group) === loading) this.#groups.delete(group);
    };
    loading.then(() => {
      if (this.#isBroken(group)) forget();
    }, forget);
  }

  #isBroken(group: string): boolean {
    return [...this.#broken.keys()].some((name) =>
      name === group ||
      (group === "" ? !name.includes("/") && !name.includes(".") : name.startsWith(`${group}/`))
    );
  }
}
