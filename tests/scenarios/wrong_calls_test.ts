/** Calls that the compiler refuses, and JavaScript lets pass; and declarations that could never come true. */

import assert from "node:assert/strict";
import { kinds, operator, resource } from "../../mod.ts";
import { suite } from "../support/scenario.ts";
import { Example, EXAMPLES, type Loose, Objects } from "../support/worlds.ts";

/** Any call, as JavaScript sees it. */
type Call = (...args: unknown[]) => Promise<unknown>;

suite("op.api in JavaScript", (scenario) => {
  scenario("refuses a text for a kind, and addresses without a name, with a sentence", async (world) => {
    const op = operator();
    op.on.create(Example, () => {});
    const running = await world.start(op);
    const api = op.api as unknown as Record<
      "get" | "patch" | "delete" | "scale" | "waitFor" | "create" | "apply" | "deleteCollection",
      Call
    >;
    const address = { name: "one", namespace: world.namespace };
    const first = async (list: unknown): Promise<void> => {
      for await (const _ of list as AsyncIterable<unknown>) return;
    };
    const ofKind: (() => Promise<unknown>)[] = [
      () => api.get("configmaps", address),
      () => api.patch("configmaps", address, {}),
      () => api.delete("configmaps", address),
      () => api.scale("configmaps", address, 1),
      () => api.waitFor("configmaps", address, "Ready"),
      () => api.create("configmaps", { metadata: address }),
      () => api.apply("configmaps", { metadata: address }),
      () => api.deleteCollection("configmaps", {}),
      () => first((op.api.list as unknown as (kind: string) => unknown)("configmaps")),
      () => api.get(undefined, address),
      () => api.get({ plural: "configmaps" }, address),
    ];
    for (const call of ofKind) {
      await assert.rejects(call, {
        name: "TypeError",
        message: /^Cannot take .* as a kind: pass a constant such as kinds/,
      });
    }
    for (const wrong of ["one", {}, undefined, { namespace: "x" }, { name: "" }]) {
      for (
        const [verb, ...rest] of [["get"], ["patch", {}], ["delete"], ["scale", 1], [
          "waitFor",
          "Ready",
        ]] as const
      ) {
        await assert.rejects(() => api[verb](kinds.ConfigMap, wrong, ...rest), {
          name: "TypeError",
          message:
            /^Cannot (get|patch|delete|scale|wait for) .*: pass its address, such as \{ namespace, name \}/,
        });
      }
    }
    await running.stop();
  });
});

suite("op.api.delete()", (scenario) => {
  scenario("takes an object, and deletes no other one of its name", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    op.on.event(Example, () => {});
    const running = await world.start(op);
    const one = await objects.create("one", { spec: { a: 1 } });
    await op.api.delete(Example, one);
    await world.until(async () => await objects.find("one") === undefined);
    await assert.rejects(() => op.api.delete(Example, one), { name: "ApiError", status: 404 });
    await op.api.delete(Example, one, { ifExists: true });
    const namesake = await objects.create("one", { spec: { a: 2 } });
    await assert.rejects(() => op.api.delete(Example, one), { name: "ApiError", status: 409 });
    await op.api.delete(Example, one, { ifExists: true });
    assert.equal((await objects.get("one")).metadata.uid, namesake.metadata.uid);
    await op.api.delete(Example, { name: "one", namespace: world.namespace });
    await world.until(async () => await objects.find("one") === undefined);
    await running.stop();
  });
});

suite("declarations that can never come true", (scenario) => {
  scenario.virtual("are refused: dotted texts of keys with dots", async (world) => {
    const declare = (kind: unknown, field: string): void => {
      const op = operator();
      const on = op.on as unknown as Record<"field" | "update" | "event", (...args: unknown[]) => void>;
      for (const cause of ["field", "update", "event"] as const) {
        assert.throws(() => on[cause](kind, { field }, () => {}), {
          name: "SyntaxError",
          message: new RegExp(
            `^Cannot parse field "${field}": a key with dots in it must stand in a list of keys, such as \\[`,
          ),
        }, `${cause} ${field}`);
      }
    };
    for (const kind of [Example, kinds.ConfigMap, "examples"]) {
      declare(kind, "metadata.annotations.example.com/x");
      declare(kind, "metadata.labels.app.kubernetes.io/name");
      declare(kind, "metadata.labels.a.b");
      declare(kind, "spec.template.spec.nodeSelector.kubernetes.io/os");
    }
    for (const kind of [kinds.Secret, "secrets", "secrets.v1", kinds.ConfigMap, "cm"]) {
      declare(kind, "data.tls.crt");
    }
    // These can be.
    const op = operator();
    op.on.field(resource<Loose>(EXAMPLES), ["metadata", "annotations", "example.com/x"] as never, () => {});
    for (const field of ["metadata.annotations.example/x", "metadata.labels.app", "data.key", "spec.a.b.c"]) {
      (op.on.event as unknown as (...args: unknown[]) => void)(Example, { id: field, field }, () => {});
    }
    const running = await world.start(op);
    await running.stop();
  });

  scenario.virtual("are refused: cron lines whose time never comes, and empty time zones", (_world) => {
    const op = operator();
    const every = (options: unknown) => () =>
      op.every("task", options as { readonly cron: string }, () => {});
    assert.throws(every({ cron: "0 0 30 2 *" }), {
      name: "SyntaxError",
      message: /"0 0 30 2 \*": its time never comes/,
    });
    assert.throws(every({ cron: "0 0 * * *", timeZone: "" }), {
      name: "SyntaxError",
      message: /an empty text as the time zone/,
    });
    assert.throws(every({ cron: "0 0 * * *", timeZone: null }), {
      name: "SyntaxError",
      message: /null as the time zone/,
    });
    assert.throws(every({ cron: "0 0 * * *", timeZone: "Mars/Olympus" }), {
      name: "SyntaxError",
      message: /Mars/,
    });
    op.every("leap", { cron: "0 0 29 2 *" }, () => {});
    return Promise.resolve();
  });
});
