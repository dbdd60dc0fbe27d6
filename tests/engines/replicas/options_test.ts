import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkReplicas } from "../../../lib/engines/replicas/options.ts";

const DEFAULTS = { name: "op", namespace: "ns" };
const NONE = { name: undefined, namespace: undefined };

describe("checkReplicas()", () => {
  it("gives nothing where replicas are off, and Kubernetes' own durations where they are on", () => {
    assert.equal(checkReplicas(undefined, NONE), undefined);
    assert.equal(checkReplicas(false, NONE), undefined);
    const settings = {
      name: "op",
      namespace: "ns",
      shards: 1,
      leaseDuration: 15,
      renewDeadline: 10,
      retryPeriod: 2,
      drainTimeout: 30,
    };
    assert.deepEqual(checkReplicas(true, DEFAULTS), settings);
    assert.deepEqual(checkReplicas({ shards: 64, name: "a".repeat(50) }, DEFAULTS), {
      ...settings,
      shards: 64,
      name: "a".repeat(50),
    });
    assert.equal(
      checkReplicas({ leaseDuration: 3, renewDeadline: 2, retryPeriod: 0.5 }, DEFAULTS)?.retryPeriod,
      0.5,
    );
  });

  it("says what is wrong, and what to write", () => {
    const cases: readonly (readonly [unknown, RegExp, (typeof NONE | typeof DEFAULTS)?])[] = [
      ["yes", /must be true, or an object such as \{ shards: 8 \}, not "yes"/],
      [[], /not a list/],
      [{ shard: 3 }, /"replicas.shard" is no option: there are name, namespace, shards/],
      [{ shards: 0 }, /"replicas.shards" must be a whole number from 1 to 64, not 0/],
      [{ shards: 65 }, /from 1 to 64, not 65/],
      [{ shards: 1.5 }, /whole number/],
      [{ shards: "3" }, /must be a number, not "3"/],
      [{ name: "Op" }, /DNS label/],
      [{ name: "a.b" }, /DNS label/],
      [{ name: "-a" }, /DNS label/],
      [{ name: "a".repeat(60) }, /at most 50 characters.*has 60: set a shorter one/],
      [{ name: 3 }, /DNS label.*not 3/],
      [{ namespace: 3 }, /"replicas.namespace" must be the name of a namespace/],
      [
        { leaseDuration: 10 },
        /"replicas.leaseDuration" \(10 s\) must be longer than "replicas.renewDeadline" \(10 s\)/,
      ],
      [{ leaseDuration: 15.5 }, /whole seconds/],
      [{ renewDeadline: 2.4 }, /must be longer than 1.2 times "replicas.retryPeriod" \(2 s\)/],
      [{ retryPeriod: 0 }, /a positive number of seconds, not 0/],
      [{ retryPeriod: NaN }, /a positive number/],
      [{ drainTimeout: -1 }, /no negative number/],
      [{ drainTimeout: "1m" }, /number of seconds, not "1m"/],
      [true, /"replicas.name" is missing/, { ...NONE }],
      [{ name: "op" }, /"replicas.namespace" is missing: outside of a cluster/, NONE],
    ];
    for (const [given, message, defaults = DEFAULTS] of cases) {
      assert.throws(() => checkReplicas(given, defaults), message, JSON.stringify(given));
    }
  });

  it("does not take what an object inherits for options", () => {
    const given = JSON.parse('{ "__proto__": { "shards": 3 } }');
    assert.throws(() => checkReplicas(given, DEFAULTS), /"replicas.__proto__" is no option/);
  });
});
