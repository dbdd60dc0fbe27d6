import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { z } from "zod";
import type { Client } from "../../../lib/client/client.ts";
import { ApiError } from "../../../lib/client/errors.ts";
import { makeCrds } from "../../../lib/kits/definitions/crds.ts";
import { applyCrds } from "../../../lib/kits/definitions/lifecycle.ts";
import { CRDS } from "../../../lib/engines/definitions/served_schema.ts";
import type { KubeObject } from "../../../lib/model/object.ts";
import type { ResourceOptions } from "../../../lib/registry/resource.ts";
import { currentHost } from "../../../lib/runtime/current_host.ts";
import type { Clock } from "../../../lib/runtime/host.ts";
import { createLogger, type LogRecord } from "../../../lib/runtime/logging.ts";
import { findControlPlane } from "../../control_plane/control_plane.ts";
import { RealPlace } from "../../support/real_world.ts";
import { virtualWorld } from "../../support/virtual_world.ts";

const BOATS = { group: "harbour.example.com", plural: "boats", namespaced: true } as const;
const NAMES = { ...BOATS, kind: "Boat" } as const;
/**
 * How long definitions are waited for. A server that cannot confirm that no object is left looks again for a minute, and
 * tries anew after that. In seconds.
 */
const PATIENCE = 90;
const first = z.object({ mast: z.string().optional(), crew: z.int().optional() });

/** A place in which definitions are applied, and what the log says. */
interface Place {
  readonly client: Client;
  readonly clock: Clock;
}

class Yard {
  readonly logs: LogRecord[] = [];
  readonly #place: Place;

  constructor(place: Place) {
    this.#place = place;
  }

  async apply(options: Partial<ResourceOptions>): Promise<void> {
    const { client, clock } = this.#place;
    const logger = createLogger(
      { level: "info", write: (record) => this.logs.push(record) },
      currentHost().clock,
    );
    const crds = makeCrds([{ version: "v1", spec: first, ...NAMES, ...options }]);
    await applyCrds(crds, { client, clock, logger, signal: new AbortController().signal });
  }

  async create(spec: object, version = "v1"): Promise<void> {
    const apiVersion = `${NAMES.group}/${version}`;
    const metadata = { name: "gull", namespace: "default" };
    await this.#place.client.create({ ...BOATS, version }, { apiVersion, kind: "Boat", metadata, spec });
  }

  async spec(version = "v1"): Promise<unknown> {
    return (await this.#place.client.get({ ...BOATS, version }, { name: "gull", namespace: "default" })).spec;
  }

  async crd(): Promise<KubeObject> {
    return await this.#place.client.get(CRDS, { name: "boats.harbour.example.com" });
  }

  async storedVersions(): Promise<unknown> {
    return (await this.crd()).status?.storedVersions;
  }

  /** As somebody else would. */
  async put(crd: KubeObject | undefined): Promise<void> {
    await this.#place.client.patch(CRDS, { name: "boats.harbour.example.com" }, {
      type: "merge",
      body: { spec: crd?.spec },
    });
    await this.#until("it is stored in both versions", (crd) => {
      return JSON.stringify(crd?.status?.storedVersions) === '["v1","v2"]';
    });
  }

  async clear(): Promise<void> {
    await this.#place.client.delete(CRDS, { name: "boats.harbour.example.com" });
    await this.#until("it has gone", (crd) => crd === undefined);
  }

  /** Looks at the definition again and again. @throws {Error} If it does not come; it says how the definition is instead. */
  async #until(what: string, isReached: (crd: KubeObject | undefined) => boolean): Promise<void> {
    const { clock } = this.#place;
    const end = clock.monotonic() + PATIENCE;
    let seen: KubeObject | undefined;
    do {
      seen = await this.crd().catch((error) => {
        if (error instanceof ApiError && error.status === 404) return undefined;
        throw error;
      });
      if (isReached(seen)) return;
      await clock.sleep(0.2);
    } while (clock.monotonic() < end);
    const { metadata: { managedFields: _, ...metadata } = {}, status } = seen ?? {};
    throw new Error(`Not within ${PATIENCE} s: ${what}. Instead: ${JSON.stringify({ metadata, status })}`);
  }

  messages(): string[] {
    return this.logs.map(({ message }) => message);
  }
}

/** The same stories in both worlds. */
function stories(
  skip: string | false,
  withYard: (story: (yard: Yard) => Promise<void>) => Promise<void>,
): void {
  const options = { skip, timeout: 120_000 };

  it(
    "makes what is missing, changes what has changed, and leaves alone what has not",
    options,
    () =>
      withYard(async (yard) => {
        await yard.apply({});
        await yard.create({ mast: "oak" });
        const { resourceVersion } = (await yard.crd()).metadata;
        await yard.apply({});
        assert.equal((await yard.crd()).metadata.resourceVersion, resourceVersion);
        await yard.apply({ spec: first.extend({ sail: z.string().optional() }), shortNames: ["bt"] });
        assert.notEqual((await yard.crd()).metadata.resourceVersion, resourceVersion);
        assert.deepEqual(yard.logs.map(({ message, fields }) => [message, fields.result]), [
          ["Applied a definition", "created"],
          ["Applied a definition", "changed"],
        ]);
      }),
  );

  it("refuses what would lose stored data, and changes nothing", options, () =>
    withYard(async (yard) => {
      await yard.apply({});
      // Nothing is there yet, so nothing is lost.
      await yard.apply({ spec: z.object({ mast: z.string().optional() }) });
      await yard.apply({});
      await yard.create({ mast: "oak", crew: 3 });
      await assert.rejects(yard.apply({ spec: z.object({ mast: z.int().optional() }) }), (error: Error) => {
        const [head, ...losses] = error.message.split("\n  ").slice(0, 3);
        // A real server sorts fields by their names.
        assert.deepEqual([head, ...losses.sort()], [
          'Cannot apply the definition "boats.harbour.example.com": there are objects, and the change would lose what they hold',
          "v1: spec.crew: the field has gone",
          "v1: spec.mast: string becomes integer",
        ]);
        return true;
      });
      await assert.rejects(yard.apply({ version: "v2" }), /version v1 has gone, in which objects are stored/);
      await assert.rejects(
        yard.apply({ namespaced: false }),
        /its scope cannot change from Namespaced to Cluster/,
      );
      assert.deepEqual(await yard.spec(), { mast: "oak", crew: 3 });
    }));

  it("warns where a definition becomes stricter", options, () =>
    withYard(async (yard) => {
      await yard.apply({});
      await yard.create({ mast: "oak" });
      await yard.apply({ spec: z.object({ mast: z.string().optional(), crew: z.int().max(5) }) });
      const [warning] = yard.logs.filter(({ level }) => level === "warn");
      assert.deepEqual(warning?.fields.changes, [
        "v1: spec: it is required now",
        "v1: spec.crew: it is required now",
        "v1: spec.crew: maximum is 5 now",
      ]);
    }));

  it(
    "moves objects into another version step by step, until the first one can go",
    options,
    () =>
      withYard(async (yard) => {
        await yard.apply({});
        await yard.create({ mast: "oak" });
        await yard.apply({ version: "v2", versions: { v1: { spec: first } } });
        assert.deepEqual(await yard.storedVersions(), ["v2"]);
        await yard.apply({ version: "v2" });
        assert.deepEqual(await yard.spec("v2"), { mast: "oak" });
        const { versions } = (await yard.crd()).spec as { versions: { name: string }[] };
        assert.deepEqual(versions.map(({ name }) => name), ["v2"]);
        assert.ok(yard.messages().includes("Objects are stored in one version again"));
      }),
  );

  it(
    "moves objects before a version goes in which some are stored still",
    options,
    () =>
      withYard(async (yard) => {
        await yard.apply({});
        await yard.create({ mast: "oak" });
        // Somebody else has switched the version, and migrated nothing.
        const both = makeCrds([{ ...NAMES, version: "v2", spec: first, versions: { v1: { spec: first } } }]);
        await yard.put(both[0]);
        assert.deepEqual(await yard.storedVersions(), ["v1", "v2"]);
        await yard.apply({ version: "v2" });
        assert.deepEqual(await yard.storedVersions(), ["v2"]);
        assert.deepEqual(await yard.spec("v2"), { mast: "oak" });
      }),
  );

  it(
    "[N7.8] is done by several replicas that start at the same time, and none of them fails",
    options,
    () =>
      withYard(async (yard) => {
        await yard.apply({});
        await yard.create({ mast: "oak" });
        const next = { version: "v2", versions: { v1: { spec: first } } };
        await Promise.all([yard.apply(next), yard.apply(next), yard.apply(next)]);
        assert.deepEqual(await yard.storedVersions(), ["v2"]);
        assert.deepEqual(await yard.spec("v2"), { mast: "oak" });
      }),
  );

  it("replaces the version of a kind without objects", options, () =>
    withYard(async (yard) => {
      await yard.apply({});
      await yard.apply({ version: "v2" });
      assert.deepEqual(await yard.storedVersions(), ["v2"]);
    }));
}

describe("applyCrds(), in the process", () => {
  stories(false, async (story) => {
    const { host, client } = await virtualWorld({ kinds: false });
    const done = story(new Yard({ client, clock: host.clock }));
    let isOver = false;
    const over = (): void => void (isOver = true);
    done.then(over, over);
    while (!isOver) await host.clock.advance(0.1);
    await done;
  });

  it("says which right is missing, and what to do", async () => {
    const { host, client } = await virtualWorld({ kinds: false });
    const real = new Yard({ client, clock: host.clock });
    const served = real.apply({});
    await host.clock.advance(1);
    await served;
    await real.create({ mast: "oak" });
    const error = new ApiError({ request: "/apis", status: 403 });
    const lesser = z.object({ crew: z.int().optional() });
    const refuse = (what: keyof Client): Client => {
      const get: Client["get"] = (...args) => client.get(...args);
      const list: Client["list"] = (...args) => client.list(...args);
      const patch = () => Promise.reject(error);
      // Nothing else is asked.
      return { get, list, patch, [what]: patch } as unknown as Client;
    };
    for (
      const [what, options, right] of [
        ["get", {}, "get definitions"],
        ["patch", { shortNames: ["bo"] }, "patch definitions"],
        ["list", { spec: lesser }, "list all its objects"],
      ] as const
    ) {
      const client = refuse(what);
      if (what === "list") {
        Object.assign(client, {
          // deno-lint-ignore require-yield -- it fails at once
          async *list() {
            throw await Promise.resolve(error);
          },
        });
      }
      const name = "boats\\.harbour\\.example\\.com";
      await assert.rejects(
        new Yard({ client, clock: host.clock }).apply(options),
        new RegExp(
          `Cannot apply the definition "${name}": the right to ${right} is missing \\(take the rights of`,
        ),
      );
    }
  });
});

describe("applyCrds(), on a real control plane", () => {
  let place: Promise<RealPlace> | undefined;
  after(async () => await (await place)?.[Symbol.asyncDispose]());
  stories(findControlPlane().reason ?? false, async (story) => {
    const { client } = await (place ??= RealPlace.open());
    const yard = new Yard({ client, clock: currentHost().clock });
    try {
      await story(yard);
    } finally {
      await yard.clear();
    }
  });
});
