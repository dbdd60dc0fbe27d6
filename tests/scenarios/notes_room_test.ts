/** Notes that go to the status where the kind keeps them: one write instead of two, and nobody is called again when they move. */

import assert from "node:assert/strict";
import { operator, persistence, resource, TemporaryError } from "../../mod.ts";
import type { JsonObject, KubeObject } from "../../lib/model/object.ts";
import type { Persistence } from "../../lib/public/persistence.ts";
import { suite } from "../support/scenario.ts";
import {
  Example,
  EXAMPLES,
  LAST_HANDLED,
  type Loose,
  Objects,
  PLAINS,
  type World,
} from "../support/worlds.ts";
import { Plain } from "../support/worlds.ts";

const OPEN = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
const STATE = { state: { type: "string" } };
const CLOSED = { type: "object", properties: STATE };
const ROOMY = { type: "object", properties: { ...STATE, lotse: OPEN } };

const DEFINITIONS = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  namespaced: false,
} as const;

suite("notes by default", (scenario) => {
  scenario.virtual(
    "a creation costs one write where the status has room, and two where it has none",
    async (world) => {
      const op = operator();
      for (const kind of [Example, Plain]) {
        op.on.create(kind, { id: "make" }, ({ patch }) => void (patch.status.state = "made"));
      }
      const running = await world.start(op);
      const { metadata: { uid } } = await new Objects(world).create("one", { spec: { a: 1 } });
      await new Objects(world, PLAINS).create("two");
      await running.advance(600);
      const writes = world.writes().map(({ method, path }) =>
        `${method} ${path.replace(/^.*\/default\//, "")}`
      );
      assert.deepEqual(writes, ["PATCH examples/one/status", "PATCH plains/two"]);
      assert.deepEqual((await new Objects(world).get("one")).status, {
        state: "made",
        lotse: {
          "last-handled-configuration":
            `{"$lotse":{"format":1,"of":"${world.namespace}/one/${uid}"},"spec":{"a":1}}`,
        },
      });
      const plain = await new Objects(world, PLAINS).get("two");
      assert.deepEqual(plain.status, { state: "made" });
      assert.deepEqual(Object.keys(plain.metadata.annotations ?? {}), [LAST_HANDLED]);
      await running.stop();
    },
  );

  scenario(
    "notes move when the definition makes room, and back when it takes it away: nobody is called again",
    async (world) => {
      const rooms = await Rooms.make(world, CLOSED);
      await rooms.run(async () => {
        await rooms.create("done", 1);
        await rooms.create("stuck", 1);
        await rooms.until("done", (notes) => notes.annotations.includes(LAST_HANDLED));
        await rooms.until("stuck", (notes) => notes.annotations.includes("lotse.dev/make"));
      });
      assert.deepEqual(rooms.calls, ["make done 1", "make stuck 1"]);
      await rooms.define(ROOMY);
      await rooms.run(async () => {
        // At rest it is as it was; with its next write the note moves.
        await world.settle();
        assert.deepEqual(rooms.calls.splice(0), ["make done 1", "make stuck 1"]);
        assert.deepEqual((await rooms.notes("done")).status, undefined);
        await rooms.change("done", 2);
        await rooms.until(
          "done",
          ({ status, annotations }) => status?.includes('"size":2') === true && annotations.length === 0,
        );
        rooms.isFree = true;
        await rooms.until("stuck", (notes) => notes.status !== undefined && notes.annotations.length === 0);
      });
      assert.deepEqual(rooms.calls.splice(0).sort(), ["change done 1 2", "make stuck 2"]);
      // A definition that drops the field drops the notes: they are moved before.
      await rooms.run(async () => {
        await rooms.until("done", ({ annotations }) => annotations.includes(LAST_HANDLED));
        await rooms.until("stuck", ({ annotations }) => annotations.includes(LAST_HANDLED));
      }, persistence.migrate({ to: persistence.annotations(), from: [persistence.auto()], atOnce: true }));
      await rooms.define(CLOSED);
      await rooms.run(async () => {
        await rooms.change("done", 3);
        await rooms.until("done", ({ annotations }) => annotations.includes(LAST_HANDLED));
        await world.until(() => rooms.calls.length > 0);
        await world.settle();
      });
      assert.deepEqual(rooms.calls, ["change done 2 3"]);
    },
  );

  scenario(
    "a status that notes alone would make invalid is left to the author: they go to annotations",
    async (world) => {
      for (
        const status of [{ ...ROOMY, required: ["state"] }, {
          ...ROOMY,
          "x-kubernetes-validations": [{ rule: "has(self.state)" }],
        }]
      ) {
        const rooms = await Rooms.make(world, status);
        await rooms.run(async () => {
          await rooms.create("stuck", 1);
          await rooms.until("stuck", (notes) => notes.annotations.includes("lotse.dev/make"));
        });
        assert.deepEqual(rooms.calls, ["make stuck 1"]);
      }
    },
  );

  scenario.virtual(
    "what the status drops after all goes to annotations at once",
    async (world) => {
      world.intercept = async (request) => {
        // A proxy, say, that lets no field through which it does not know.
        if (request.method !== "PATCH" || !request.url.endsWith("/status")) return undefined;
        const { lotse: _, ...status } = JSON.parse(await request.clone().text()).status;
        const body = JSON.stringify({ status });
        return await world.server.fetch(
          new Request(request.url, { method: "PATCH", headers: request.headers, body }),
        );
      };
      const op = operator();
      const calls: string[] = [];
      op.on.create(Example, { id: "make" }, ({ patch }) => {
        calls.push("make");
        patch.status.state = "made";
      });
      op.on.update(Example, { id: "change" }, () => void calls.push("change"));
      const running = await world.start(op);
      const objects = new Objects(world);
      await objects.create("one", { spec: { a: 1 } });
      await running.advance(60);
      assert.deepEqual([calls, (await objects.get("one")).status], [["make"], { state: "made" }]);
      assert.ok(LAST_HANDLED in ((await objects.get("one")).metadata.annotations ?? {}));
      await objects.patch("one", { spec: { a: 2 } });
      await running.advance(60);
      assert.deepEqual(calls, ["make", "change"]);
      assert.ok(LAST_HANDLED in ((await objects.get("one")).metadata.annotations ?? {}));
      await running.stop();
    },
  );

  scenario.virtual("where definitions may not be read, annotations are the place", async (world) => {
    world.intercept = ({ method, url }) => {
      const isDefinition = method === "GET" && url.includes("/customresourcedefinitions/");
      return isDefinition ? new Response("{}", { status: 403 }) : undefined;
    };
    const op = operator();
    op.on.create(Example, { id: "make" }, () => {});
    const running = await world.start(op);
    const objects = new Objects(world);
    await objects.create("one");
    await running.advance(60);
    assert.ok(LAST_HANDLED in ((await objects.get("one")).metadata.annotations ?? {}));
    const said = running.logs.filter(({ message }) => message === "Notes have their place");
    assert.deepEqual(said.map(({ level, fields }) => [level, fields.kind, fields.in]), [
      ["debug", "examples.v1.lotse.test", "annotations"],
    ]);
    assert.match(String(said[0]?.fields.refusal), /403/);
    assert.deepEqual(running.logs.filter(({ level }) => level === "warn"), []);
    await running.stop();
  });
});

/** Where an object's notes are. */
interface Notes {
  readonly annotations: readonly string[];
  /** The handled state in the status. */
  readonly status: string | undefined;
}

/** A kind whose definition changes, and an operator that comes and goes. */
class Rooms {
  static #count = 0;
  readonly calls: string[] = [];
  /** Whether what was stuck goes well. */
  isFree = false;
  readonly #world: World;
  readonly #kind: typeof EXAMPLES;

  private constructor(world: World) {
    this.#world = world;
    const group = `rooms-${world.namespace}-${++Rooms.#count}.lotse.test`;
    this.#kind = { ...EXAMPLES, group, plural: "rooms", kind: "Room" } as unknown as typeof EXAMPLES;
  }

  static async make(world: World, status: JsonObject): Promise<Rooms> {
    const rooms = new Rooms(world);
    await world.client.create(DEFINITIONS, rooms.#definition(status));
    await world.until(() =>
      rooms.#get("none").then(
        () => false,
        ({ status, details }) => status === 404 && details?.name === "none",
      )
    );
    return rooms;
  }

  async define(status: JsonObject): Promise<void> {
    const { metadata, spec } = this.#definition(status);
    const body = { spec: { versions: (spec as JsonObject).versions } };
    await this.#world.client.patch(DEFINITIONS, { name: metadata.name ?? "" }, { type: "merge", body });
    // A server takes up to a second to serve by the new definition.
    await this.#world.until(async () => {
      const probe = { lotse: { probe: "yes" } };
      await this.#patch("done", { status: probe }, "status");
      const kept = (await this.#get("done")).status as JsonObject | undefined;
      const isRoomy = (status.properties as JsonObject).lotse !== undefined;
      if (isRoomy) await this.#patch("done", { status: { lotse: { probe: null } } }, "status");
      return ((kept?.lotse as JsonObject | undefined)?.probe === "yes") === isRoomy;
    });
  }

  async run(story: () => Promise<void>, notes?: Persistence): Promise<void> {
    const op = operator({ persistence: notes });
    const Room = resource<Loose, Loose>(this.#kind);
    op.on.create(Room, { id: "make" }, ({ name, retry }) => {
      this.calls.push(`make ${name} ${retry + 1}`);
      if (name === "stuck" && !this.isFree) throw new TemporaryError("stuck", { delay: 8 });
    });
    op.on.field(Room, "spec.size", { id: "change" }, ({ name, old, new: size }) => {
      if (old !== undefined) this.calls.push(`change ${name} ${old} ${size}`);
    });
    const running = await this.#world.start(op);
    await story();
    await running.stop();
  }

  async create(name: string, size: number): Promise<void> {
    await this.#world.client.create(this.#kind, {
      apiVersion: `${this.#kind.group}/v1`,
      kind: "Room",
      metadata: { name, namespace: this.#world.namespace },
      spec: { size },
    });
  }

  async change(name: string, size: number): Promise<void> {
    await this.#patch(name, { spec: { size } });
  }

  async until(name: string, isRight: (notes: Notes) => boolean): Promise<void> {
    await this.#world.until(async () => isRight(await this.notes(name)), 30);
  }

  async notes(name: string): Promise<Notes> {
    const { metadata, status } = await this.#get(name);
    const lotse = (status as JsonObject | undefined)?.lotse as JsonObject | undefined;
    const state = lotse?.["last-handled-configuration"];
    return {
      annotations: Object.keys(metadata.annotations ?? {}),
      status: typeof state === "string" ? state : undefined,
    };
  }

  async #get(name: string): Promise<KubeObject> {
    return await this.#world.client.get(this.#kind, { name, namespace: this.#world.namespace });
  }

  async #patch(name: string, body: JsonObject, subresource?: string): Promise<void> {
    const address = { name, namespace: this.#world.namespace, subresource };
    await this.#world.client.patch(this.#kind, address, { type: "merge", body });
  }

  #definition(status: JsonObject): KubeObject {
    const { group } = this.#kind;
    const schema = { openAPIV3Schema: { type: "object", properties: { spec: OPEN, status } } };
    return {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: `rooms.${group}` },
      spec: {
        group,
        scope: "Namespaced",
        names: { plural: "rooms", singular: "room", kind: "Room" },
        versions: [{ name: "v1", served: true, storage: true, schema, subresources: { status: {} } }],
      },
    };
  }
}
