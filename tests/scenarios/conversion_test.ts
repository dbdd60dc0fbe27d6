/** Objects of a kind in several versions, which the operator converts for the API server. */

import assert from "node:assert/strict";
import { z } from "zod";
import { makeCrds } from "../../lib/kits/definitions/crds.ts";
import { CRDS } from "../../lib/engines/definitions/served_schema.ts";
import { type KubeObject, operator, resource, type ResourceType, webhookServer } from "../../mod.ts";
import { suite } from "../support/scenario.ts";
import type { Loose, World } from "../support/worlds.ts";

const OLD = z.object({ size: z.string() });
const NEW = z.object({ replicas: z.int() });

/** A kind of which each scenario has one of its own. */
class Hulls {
  readonly #world: World;
  readonly #plural: string;

  constructor(world: World, plural: string) {
    this.#world = world;
    this.#plural = plural;
  }

  get names() {
    return {
      group: "hulls.test",
      plural: this.#plural,
      kind: this.#plural.replace(/s$/, "").toUpperCase(),
    } as const;
  }

  /** As it was first: without another version. */
  first(): ResourceType<{ size: string }> {
    return resource({ ...this.names, version: "v1beta1", spec: OLD });
  }

  /** The version of today is the hub. */
  now(): ResourceType<{ replicas: number }> {
    return resource({
      ...this.names,
      version: "v1",
      spec: NEW,
      versions: {
        v1beta1: {
          spec: OLD,
          convert: {
            toHub: ({ spec }) => {
              if (spec.size === "broken") throw new Error("it leaks");
              return { spec: { replicas: Number(spec.size) } };
            },
            fromHub: ({ spec }) => ({ spec: { size: String(spec.replicas) } }),
          },
        },
      },
    });
  }

  /** In the old version, once: failures are not tried again. */
  async create(name: string, size: string): Promise<void> {
    const { kind, plural } = this.names;
    const { client, namespace } = this.#world;
    await client.transport.request({
      method: "POST",
      path: `/apis/hulls.test/v1beta1/namespaces/${namespace}/${plural}`,
      body: { apiVersion: "hulls.test/v1beta1", kind, metadata: { name, namespace }, spec: { size } },
      backoffs: [],
    });
  }

  /** Returns why it cannot be made. */
  async refusal(name: string, size: string): Promise<string> {
    let reason: string | undefined;
    const report = (error: unknown): void => void (reason = error instanceof Error ? error.message : "");
    this.create(name, size).then(() => reason = "it was made", report);
    await this.#world.until(() => reason !== undefined);
    return reason ?? "";
  }

  async spec(name: string, version: string): Promise<unknown> {
    return (await this.#world.client.get<KubeObject<Loose>>(this.#at(version), this.#address(name))).spec;
  }

  async patch(name: string, version: string, spec: Loose): Promise<void> {
    await this.#world.client.patch(this.#at(version), this.#address(name), { type: "merge", body: { spec } });
  }

  async storedVersions(): Promise<unknown> {
    return (await this.#world.client.get(CRDS, { name: `${this.#plural}.hulls.test` })).status
      ?.storedVersions;
  }

  /** As somebody applies what `lotse generate crd` prints. */
  async define(): Promise<void> {
    const service = { namespace: "nowhere", name: "nobody", path: "/convert", port: 443 };
    const [crd] = makeCrds([this.now().options], { service });
    assert.ok(crd !== undefined);
    await this.#world.client.create(CRDS, crd);
  }

  async remove(): Promise<void> {
    await this.#world.client.delete(CRDS, { name: `${this.#plural}.hulls.test` });
  }

  #at(version: string) {
    return { group: "hulls.test", version, plural: this.#plural, namespaced: true };
  }

  #address(name: string) {
    return { name, namespace: this.#world.namespace };
  }
}

/** NB: scenarios run beside each other, and a name of configurations belongs to one process. */
function admission({ plural }: { readonly plural: string }) {
  return { server: webhookServer({ addr: "127.0.0.1" }), managed: `${plural}.hulls.test` } as const;
}

async function succeeds(work: () => Promise<unknown>): Promise<boolean> {
  return await work().then(() => true, () => false);
}

suite("Conversion", (scenario) => {
  scenario(
    "[N49.1] objects are converted while the operator serves, and nothing is written unconverted before and after",
    async (world) => {
      const hulls = new Hulls(world, "barges");
      await hulls.define();
      const seen: unknown[] = [];
      const op = operator({ admission: admission(hulls.names) });
      op.on.create(hulls.now(), ({ name, spec }) => void seen.push([name, spec]));
      // The definition names somebody who does not answer.
      let refusal: string;
      do refusal = await hulls.refusal("early", "1"); while (/404 page not found/.test(refusal)); // not served yet
      assert.match(refusal, /conversion webhook/);
      const running = await world.start(op);
      await world.until(() => succeeds(() => hulls.create("one", "3")));
      await world.until(() => seen.length > 0);
      assert.deepEqual(seen, [["one", { replicas: 3 }]]);
      assert.deepEqual(await hulls.spec("one", "v1"), { replicas: 3 });
      await hulls.patch("one", "v1beta1", { size: "5" });
      assert.deepEqual(await hulls.spec("one", "v1"), { replicas: 5 });
      assert.match(
        await hulls.refusal("leaking", "broken"),
        /from hulls\.test\/v1beta1 to hulls\.test\/v1: it leaks/,
      );
      await running.stop();
      assert.match(await hulls.refusal("late", "1"), /conversion webhook/);
      // Another process, another certificate.
      const again = await world.start(op);
      await world.until(() => succeeds(() => hulls.spec("one", "v1beta1")));
      assert.deepEqual(await hulls.spec("one", "v1beta1"), { size: "5" });
      await again.stop();
      await hulls.remove();
    },
  );

  scenario(
    '[N49.2] with crds: "apply", stored objects are moved to the new version, converted, before anything is watched',
    async (world) => {
      const hulls = new Hulls(world, "ketches");
      const first = operator({ crds: "apply" });
      first.on.create(hulls.first(), () => {});
      await (await world.start(first)).stop();
      await hulls.create("one", "3");
      const seen: unknown[] = [];
      const next = operator({ crds: "apply", admission: admission(hulls.names) });
      next.on.create(hulls.now(), ({ spec }) => void seen.push(spec));
      const running = await world.start(next);
      await world.until(() => seen.length > 0);
      assert.deepEqual(seen, [{ replicas: 3 }]);
      assert.deepEqual(await hulls.storedVersions(), ["v1"]);
      await world.until(() => succeeds(() => hulls.spec("one", "v1beta1")));
      assert.deepEqual(await hulls.spec("one", "v1beta1"), { size: "3" });
      await running.stop();
      await hulls.remove();
    },
  );
});
