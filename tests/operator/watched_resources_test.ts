import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Resource } from "../../lib/model/resource.ts";
import { EVERYTHING } from "../../lib/model/selector.ts";
import { WatchedResources, type WatchedResourcesOptions } from "../../lib/operator/watched_resources.ts";
import { declareInto } from "../../lib/handlers/on.ts";
import { Registry } from "../../lib/handlers/registry.ts";
import { createLogger, type LogRecord, silentLogger } from "../../lib/runtime/logging.ts";
import { defaultSettings, type WatchingSettings } from "../../lib/settings/settings.ts";
import { virtualWorld } from "../support/virtual_world.ts";
import { Example, Plain } from "../support/worlds.ts";

describe("WatchedResources", () => {
  it("[A47] [B198] does not watch kinds on account of admission handlers", async () => {
    const { client } = await virtualWorld();
    const registry = new Registry();
    const on = declareInto(registry).on;
    on.validate(Example, function check() {});
    on.mutate(Example, function change() {});
    on.event(Plain, () => {});
    const observation = observe({ client, registry, logger: silentLogger() });
    const names = (kinds: readonly Resource[]): string[] => kinds.map(({ plural }) => plural);
    assert.deepEqual(names(await observation.watched()), ["plains"]);
    const admitted = [...observation.admitted].map(([{ id }, kinds]) => [id, names(kinds)]);
    assert.deepEqual(admitted, [["check", ["examples"]], ["change", ["examples"]]]);
  });

  it("warns of handlers that meet on a kind under one id, as only the first of them is called", async () => {
    const { client, host } = await virtualWorld();
    const registry = new Registry();
    const on = declareInto(registry).on;
    on.create(Example, { id: "make" }, () => {});
    on.create("examples", { id: "make" }, () => {});
    on.create("plains", { id: "make" }, () => {});
    const same = (): void => {};
    on.create("plains", { id: "same" }, same);
    on.update(Plain, { id: "same" }, same);
    const told: unknown[] = [];
    const write = ({ level, fields }: LogRecord): void => void told.push([level, fields]);
    const logger = createLogger({ level: "debug", write }, host.clock);
    const observation = observe({ client, registry, logger });
    await observation.watched();
    await observation.watched();
    assert.deepEqual(told, [
      ["warn", { kind: "examples.v1.lotse.test", handler: "make" }],
      ["debug", { kind: "examples.v1.lotse.test", in: "status" }],
    ]);
  });

  it("[N2.12] warns once of op.owns and op.watches where nothing is reconciled that they could wake", async () => {
    const { client, host } = await virtualWorld();
    const told: unknown[] = [];
    const write = ({ message, fields }: LogRecord): void => void told.push([message.slice(0, 24), fields]);
    const logger = createLogger({ level: "warn", write }, host.clock);
    const registry = new Registry();
    const { on, owns, watches, reconcile } = declareInto(registry);
    on.event(Example, () => {});
    on.child(Example, "services", function follow() {});
    owns(Example, "configmaps");
    watches("secrets", function ownersOf() {
      return [];
    });
    const observation = observe({ client, registry, logger });
    await observation.watched();
    await observation.watched();
    const owner = "examples.v1.lotse.test owns configmaps";
    const unheard = ["op.owns wakes nobody: no", { handler: owner }];
    const unmapped = ["op.watches wakes nobody:", { handler: "ownersOf" }];
    assert.deepEqual(told, [unheard, unmapped]);

    told.length = 0;
    reconcile(Plain, () => {});
    await observe({ client, registry, logger }).watched();
    assert.deepEqual(told, [unheard]);

    told.length = 0;
    reconcile("examples", () => {});
    await observe({ client, registry, logger }).watched();
    assert.deepEqual(told, []);
  });

  it("does not warn of op.watches while the kind that is reconciled is not served yet", async () => {
    const { client, host } = await virtualWorld();
    const told: unknown[] = [];
    const logger = createLogger(
      { level: "warn", write: ({ message }) => void told.push(message) },
      host.clock,
    );
    const registry = new Registry();
    const { watches, owns, reconcile } = declareInto(registry);
    reconcile("lates.late.test/v1", () => {});
    owns("lates.late.test/v1", "configmaps");
    watches("secrets", () => []);
    await observe({ client, registry, logger }).watched();
    assert.deepEqual(told, ["Nothing matches the selector yet: its handlers wait for such a kind"]);
  });

  it("warns once of keys in settings that match nothing that is watched", async () => {
    const { client, host } = await virtualWorld();
    const registry = new Registry();
    declareInto(registry).on.event(Example, () => {});
    const told: unknown[] = [];
    const logger = createLogger({ level: "warn", write: ({ fields }) => void told.push(fields) }, host.clock);
    const settings: WatchingSettings = {
      ...defaultSettings().watching,
      labelSelectors: { examples: "a=b", exmaples: "a=b", namespaces: "a=b" },
      metadataOnly: ["Example", "other.lotse.test", EVERYTHING],
    };
    const observation = observe({ client, registry, logger, settings });
    await observation.watched();
    await observation.watched();
    assert.deepEqual(told, [
      { setting: "watching.labelSelectors", key: "exmaples" },
      { setting: "watching.metadataOnly", key: "other.lotse.test" },
    ]);
  });
});

type Observed =
  & Omit<WatchedResourcesOptions, "settings" | "persistence">
  & Partial<Pick<WatchedResourcesOptions, "settings">>;

/** What is watched, with the settings by default. */
function observe(options: Observed): WatchedResources {
  const { watching: settings, persistence } = defaultSettings();
  return new WatchedResources({ settings, persistence, ...options });
}
