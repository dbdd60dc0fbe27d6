import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Observation } from "../../lib/operator/observation.ts";
import { On } from "../../lib/registry/on.ts";
import { Registry } from "../../lib/registry/registry.ts";
import { silentLogger } from "../../lib/runtime/logging.ts";
import { virtualWorld } from "../support/virtual_world.ts";
import { Example, Plain } from "../support/worlds.ts";

describe("Observation", () => {
  it("[A47] does not watch kinds on account of admission handlers", async () => {
    const { client } = await virtualWorld();
    const registry = new Registry();
    const on = new On(registry);
    on.validate(Example, function check() {});
    on.mutate(Example, function change() {});
    on.event(Plain, () => {});
    const kinds = await new Observation({ client, registry, logger: silentLogger() }).watched();
    assert.deepEqual(kinds.map(({ plural }) => plural), ["plains"]);
    assert.deepEqual(registry.admissionHandlers.map(({ id }) => id), ["check", "change"]);
  });
});
