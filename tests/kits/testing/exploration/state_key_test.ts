import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate as aMoment } from "node:timers/promises";
import { StateKeys } from "../../../../lib/kits/testing/exploration/state_key.ts";
import { History } from "../../../../lib/kits/testing/simulation/history.ts";

interface Told {
  readonly type?: string;
  readonly uid?: string;
  readonly version?: string;
  readonly at?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly cups?: number;
}

/** The past of a tea, as a watch tells it. */
async function historyOf(...states: readonly Told[]): Promise<History> {
  const lines = states.map((
    { type = "ADDED", uid = "u1", version = "1", at = "2026-01-01T00:00:00Z", annotations, cups = 1 },
  ) =>
    JSON.stringify({
      type,
      object: {
        kind: "Tea",
        metadata: { name: "a", uid, resourceVersion: version, creationTimestamp: at, annotations },
        spec: { cups },
        status: { brewedAt: at },
      },
    })
  );
  const history = new History(() => 0);
  await history.followAt("/teas", { kind: "Tea" }, {
    fetch: () => Promise.resolve(new Response(`${lines.join("\n")}\n`)),
  });
  while (history.states.length < states.length) await aMoment();
  return history;
}

/** The key of a server with one tea. */
async function keyOf(states: readonly Told[], author: unknown = 1): Promise<string> {
  const others = new History(() => 0);
  return new StateKeys().serverKeyOf({ world: { history: await historyOf(...states) }, others, author });
}

describe("StateKeys", () => {
  it("are the same for states that differ in uids, versions and times alone, and in what came before", async () => {
    const one = await keyOf([{}]);
    assert.equal(await keyOf([{ uid: "u2", version: "7", at: "2026-05-05T05:05:05Z" }]), one);
    assert.equal(await keyOf([{ cups: 4 }, { type: "MODIFIED", version: "2" }]), one);
  });

  it("are others for other specs, notes, moves of the author, and where the object has gone", async () => {
    const keys = await Promise.all([
      keyOf([{}]),
      keyOf([{ cups: 2 }]),
      keyOf([{ annotations: { "lotse.dev/last-handled-configuration": "{}" } }]),
      keyOf([{}], 2),
      keyOf([{}, { type: "DELETED", version: "2" }]),
    ]);
    assert.equal(new Set(keys).size, keys.length);
  });
});
