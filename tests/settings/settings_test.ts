import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { kopf } from "../../lib/settings/persistence/presets.ts";
import { RULES } from "../../lib/settings/rules.ts";
import {
  checkSettings,
  defaultSettings,
  mergeSettings,
  type SettingsOverrides,
} from "../../lib/settings/settings.ts";

/** As users of JavaScript call it, whom types do not hold back. */
function merge(overrides: unknown) {
  return mergeSettings(defaultSettings(), overrides as SettingsOverrides);
}

describe("defaultSettings()", () => {
  it("[A20] [B306] [C1] gives Kopf's defaults, but for what is ours on purpose", () => {
    const { persistence, ...sections } = defaultSettings();
    assert.deepEqual(sections, {
      process: { ultimateExitingTimeout: 600, heapSnapshots: false },
      probing: { reasons: false, metricsReview: false },
      posting: {
        enabled: true,
        failures: true,
        loggers: false,
        level: "info",
        api: "events.k8s.io/v1",
        reportingComponent: "lotse",
        reportingInstance: "dev",
        eventNamePrefix: "lotse-event-",
        defaultBackoffs: [1, 1, 2, 3, 5, 8, 13, 21],
        loggingBackoffs: [1, 1, 2, 3, 5],
        workerLimit: null,
        idleTimeout: 1,
      },
      peering: {
        name: "default",
        stealth: false,
        priority: 0,
        lifetime: 60,
        mandatory: false,
        standalone: false,
        clusterwide: false,
      },
      watching: {
        serverTimeout: null,
        clientTimeout: null,
        connectTimeout: null,
        reconnectBackoff: 0.1,
        inactivityTimeout: 70,
        chunkSize: 500,
        initialStreaming: "auto",
        labelSelectors: {},
        fieldSelectors: {},
        shardSelectors: {},
        metadataOnly: [],
        transform: {},
        memory: "auto",
      },
      queueing: {
        workerLimit: null,
        exitTimeout: 2,
        errorDelays: [1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610],
        eventLimit: 100,
      },
      replicas: {
        enabled: false,
        name: null,
        namespace: null,
        shards: 1,
        leaseDuration: 15,
        renewDeadline: 10,
        retryPeriod: 2,
        drainTimeout: 30,
      },
      scanning: { disabled: false, clusterwideFrom: 10 },
      admission: {
        server: null,
        managed: null,
        release: "own",
        certificateValidity: 31_536_000,
        certificateSettle: 60,
        linger: 10,
      },
      execution: { defaultBackoff: 60, warnAfter: 60, maxWorkers: null, objectPauses: true },
      background: { cancellationPolling: 60, instantExitTimeout: null, instantExitZeroTimeCycles: 10 },
      networking: {
        requestTimeout: 300,
        responseTimeout: 75,
        connectTimeout: null,
        requestLimit: 64,
        fieldManager: "lotse",
        errorBackoffs: [1, 1, 2, 3, 5, 8, 13, 21],
        enforceRetryAfter: false,
        trustEnv: false,
      },
    });
    assert.deepEqual([persistence.finalizer, persistence.consistencyTimeout], ["lotse.dev/finalizer", 5]);
    assert.deepEqual(persistence.progress.keys("fn"), ["lotse.dev/fn", "status.lotse.progress.fn"]);
    assert.deepEqual(persistence.diffBase.reserved?.(), [
      "lotse.dev/last-handled-configuration",
      "status.lotse.last-handled-configuration",
    ]);
  });

  it("gives a new tree each time", () => {
    defaultSettings().queueing.errorDelays = [];
    assert.equal(defaultSettings().queueing.errorDelays.length, 15);
  });

  it("has a rule for each setting, which it passes, and no rule for anything else", () => {
    const names = Object.entries(defaultSettings()).flatMap(([section, values]) =>
      Object.keys(values).map((key) => `${section}.${key}`)
    );
    assert.deepEqual(names.sort(), Object.keys(RULES).sort());
    checkSettings(defaultSettings());
  });
});

describe("mergeSettings()", () => {
  it("changes what is given, and neither argument", () => {
    const base = defaultSettings();
    const overrides: SettingsOverrides = {
      posting: { enabled: false },
      queueing: { errorDelays: [1] },
      watching: undefined,
      peering: { name: undefined },
    };
    const merged = mergeSettings(base, overrides);
    assert.equal(merged.posting.enabled, false);
    assert.deepEqual(merged.queueing, { ...base.queueing, errorDelays: [1] });
    assert.deepEqual([merged.posting.loggers, merged.peering, merged.watching], [
      false,
      base.peering,
      base.watching,
    ]);
    merged.execution.defaultBackoff = 1;
    assert.deepEqual([base.posting.enabled, base.execution.defaultBackoff], [true, 60]);
  });

  it("takes a preset for persistence, and keeps the timeout", () => {
    const { persistence } = mergeSettings(defaultSettings(), { persistence: kopf() });
    assert.deepEqual([persistence.finalizer, persistence.consistencyTimeout], [
      "kopf.zalando.org/KopfFinalizerMarker",
      5,
    ]);
  });

  it("takes null and Infinity where there may be no limit", () => {
    for (const none of [null, Infinity]) {
      assert.equal(merge({ networking: { requestTimeout: none } }).networking.requestTimeout, none);
      assert.equal(merge({ queueing: { workerLimit: none } }).queueing.workerLimit, none);
    }
    assert.throws(() => merge({ execution: { defaultBackoff: null } }), TypeError);
  });

  it("takes backoffs in all of Kopf's forms", () => {
    const endless = {
      *[Symbol.iterator](): Generator<number> {
        while (true) yield 1;
      },
    };
    for (const backoffs of [5, 0, [], [1, 2.5], endless, new Set([1, 2])]) {
      merge({ networking: { errorBackoffs: backoffs } });
    }
    for (const bad of [-1, NaN, "5", [1, "2"], [-1], null, endless[Symbol.iterator]()]) {
      assert.throws(() => merge({ networking: { errorBackoffs: bad } }), /networking\.errorBackoffs/);
    }
  });

  it("names the nearest setting for one that it does not know", () => {
    const mistakes: [unknown, RegExp][] = [
      [
        { watching: { inactvityTimeout: 1 } },
        /"watching\.inactvityTimeout".*did you mean "watching\.inactivityTimeout"/,
      ],
      [{ execution: { default_backoff: 1 } }, /did you mean "execution\.defaultBackoff"/],
      [{ queuing: { exitTimeout: 1 } }, /"queuing".*did you mean "queueing"/],
      [{ posting: { somethingElse: 1 } }, /"posting\.somethingElse": there is no such setting$/],
      [JSON.parse('{"__proto__":{"a":1}}'), /"__proto__": there is no such section/],
      [JSON.parse('{"posting":{"__proto__":1}}'), /"posting\.__proto__"/],
      [{ constructor: {} }, /"constructor"/],
    ];
    for (const [overrides, message] of mistakes) {
      assert.throws(() => merge(overrides), { name: "TypeError", message });
    }
  });

  it("[B307] refuses to run no handlers in workers at once", () => {
    assert.throws(() => merge({ execution: { maxWorkers: 0 } }), {
      name: "RangeError",
      message: /"execution\.maxWorkers" to 0/,
    });
    assert.equal(merge({ execution: { maxWorkers: 1 } }).execution.maxWorkers, 1);
  });

  it("names the setting, the value, and what is expected instead", () => {
    const mistakes: [unknown, string, RegExp][] = [
      [{ posting: { enabled: "yes" } }, "TypeError", /"posting\.enabled" to "yes": expected true or false$/],
      [{ posting: { level: "loud" } }, "TypeError", /"loud": expected "debug" or "info"/],
      [{ execution: { defaultBackoff: -1 } }, "RangeError", /-1: expected a number of seconds, 0 or more/],
      [{ execution: { defaultBackoff: NaN } }, "RangeError", /NaN/],
      [{ execution: { defaultBackoff: "60" } }, "TypeError", /"60"/],
      [{ execution: { maxWorkers: 0 } }, "RangeError", /0: expected a whole number, 1 or more, or null/],
      [{ queueing: { workerLimit: 1.5 } }, "RangeError", /1\.5/],
      [{ queueing: { errorDelays: 5 } }, "TypeError", /expected a list of seconds/],
      [{ peering: { priority: Infinity } }, "RangeError", /whole number/],
      [{ watching: { chunkSize: 0 } }, "RangeError", /chunkSize/],
      [{ watching: { initialStreaming: "yes" } }, "TypeError", /true or false or "auto"/],
      [{ watching: { labelSelectors: "a=b" } }, "TypeError", /labelSelectors/],
      [{ watching: { labelSelectors: { "v1/pods": "a=b" } } }, "TypeError", /name\.group\/version/],
      [{ watching: { labelSelectors: { pods: 5 } } }, "TypeError", /labelSelectors/],
      [{ watching: { memory: { "pods.v1": "warm" } } }, "TypeError", /selectors and one of these/],
      [{ watching: { memory: "warm" } }, "TypeError", /"hot", "cold" or "auto"/],
      [{ watching: { metadataOnly: "pods" } }, "TypeError", /a list of resource selectors/],
      [{ watching: { metadataOnly: ["v1/pods"] } }, "TypeError", /name\.group\/version/],
      [{ watching: { transform: { pods: "x" } } }, "TypeError", /resource selectors and functions/],
      [{ persistence: { finalizer: "" } }, "RangeError", /finalizer/],
      [{ persistence: { finalizer: "no slash" } }, "RangeError", /example\.com\/finalizer/],
      [{ persistence: { progress: {} } }, "TypeError", /methods fetch, store/],
      [{ posting: true }, "TypeError", /"posting" to true: expected an object/],
      [null, "TypeError", /null/],
      [[], "TypeError", /settings/],
    ];
    for (const [overrides, name, message] of mistakes) {
      assert.throws(() => merge(overrides), { name, message });
    }
  });
});

describe("checkSettings()", () => {
  it("finds what was broken in place", () => {
    const settings = defaultSettings();
    settings.execution.defaultBackoff = NaN;
    assert.throws(() => checkSettings(settings), RangeError);
    const misspelt = defaultSettings();
    (misspelt.posting as unknown as Record<string, unknown>).enabeld = false;
    assert.throws(() => checkSettings(misspelt), /did you mean "posting\.enabled"/);
    const incomplete = defaultSettings();
    delete (incomplete as unknown as Record<string, unknown>).posting;
    assert.throws(() => checkSettings(incomplete), TypeError);
  });
});
