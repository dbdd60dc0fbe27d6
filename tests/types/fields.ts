/** What the compiler must infer of field paths and of the values behind them, and what it must refuse. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { adopt, label } from "../../lib/public/hierarchies.ts";
import { ABSENT, type JsonObject, operator, PRESENT, resource } from "../../mod.ts";
import { all, not } from "../../lib/public/filters.ts";

interface Port {
  name: string;
  number?: number;
}

interface Spec {
  engine: "postgresql" | "mysql";
  replicas?: number;
  enabled?: boolean;
  storage?: { size: string; class?: { name: string; fast?: boolean } };
  ports: Port[];
  labels?: Record<string, string>;
  limits?: Record<string, { cpu: number }>;
  source: { kind: "git"; url: string } | { kind: "file"; path: string };
  nullable?: string | null;
  anything?: unknown;
}

interface Status {
  state?: "up" | "down";
  conditions?: { type: string; status: string }[];
}

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;

function expectType<T extends true>(..._: T[]): void {}

const Database = resource<Spec, Status>({ group: "example.com", version: "v1", plural: "databases" });

describe("Field paths", () => {
  it("lead through optional steps, to the value without undefined steps in between", () => {
    const op = operator();
    op.on.field(Database, "spec.storage", { id: "1" }, ({ old }) => {
      expectType<Equal<NonNullable<typeof old>["size"], string>>();
    });
    op.on.field(Database, "spec.storage.class.fast", { id: "2" }, ({ old, new: now }) => {
      expectType<Equal<typeof old, boolean | undefined>>();
      expectType<Equal<typeof now, boolean | undefined>>();
    });
    op.on.field(Database, "spec.engine", { id: "3" }, ({ new: now }) => {
      expectType<Equal<typeof now, "postgresql" | "mysql" | undefined>>();
    });
    op.on.field(Database, "status.state", { id: "4" }, ({ new: now }) => {
      expectType<Equal<typeof now, "up" | "down" | undefined>>();
    });
    op.on.create(Database, { id: "5", field: "spec.replicas" }, ({ new: now }) => {
      expectType<Equal<typeof now, number | undefined>>();
    });
  });

  it("end at lists", () => {
    const op = operator();
    op.on.field(Database, "spec.ports", { id: "1" }, ({ new: now }) => {
      expectType<Equal<NonNullable<typeof now>[number]["name"], string>>();
    });
    op.on.field(Database, "status.conditions", { id: "2" }, ({ new: now }) => {
      expectType<Equal<NonNullable<typeof now>[number]["type"], string>>();
    });
    // @ts-expect-error Items of lists have no path.
    op.on.field(Database, "spec.ports.0", { id: "3" }, () => {});
    // @ts-expect-error Nor have their fields.
    op.on.field(Database, "spec.ports.name", { id: "4" }, () => {});
    // @ts-expect-error Nor has their length.
    op.on.field(Database, "spec.ports.length", { id: "5" }, () => {});
  });

  it("take any key of records, and keys with dots as lists of keys", () => {
    const op = operator();
    op.on.field(Database, "spec.labels.app", { id: "1" }, ({ new: now }) => {
      expectType<Equal<typeof now, string | undefined>>();
    });
    op.on.field(Database, "spec.limits.web", { id: "2" }, ({ new: now }) => {
      expectType<Equal<NonNullable<typeof now>["cpu"], number>>();
    });
    op.on.field(Database, "metadata.labels.app", { id: "3" }, ({ new: now }) => {
      expectType<Equal<typeof now, string | undefined>>();
    });
    op.on.field(Database, ["metadata", "labels", "app.kubernetes.io/name"], { id: "4" }, ({ new: now }) => {
      expectType<Equal<typeof now, unknown>>();
    });
    op.on.update(Database, { id: "5", field: ["spec", "engine"], new: "mysql" }, () => {});
  });

  it("lead into each member of unions, and stop at unknown values only where the author does", () => {
    const op = operator();
    op.on.field(Database, "spec.source.kind", { id: "1" }, ({ new: now }) => {
      expectType<Equal<typeof now, "git" | "file" | undefined>>();
    });
    op.on.field(Database, "spec.source.url", { id: "2" }, () => {});
    op.on.field(Database, "spec.source.path", { id: "3" }, () => {});
    op.on.field(Database, "spec.nullable", { id: "4" }, ({ new: now }) => {
      expectType<Equal<typeof now, string | undefined>>();
    });
    op.on.field(Database, "spec.anything.at.all", { id: "5" }, ({ new: now }) => {
      expectType<Equal<typeof now, unknown>>();
    });
    // @ts-expect-error No member has that.
    op.on.field(Database, "spec.source.host", { id: "6" }, () => {});
  });

  it("must be there", () => {
    const op = operator();
    // @ts-expect-error Misspelt at the first step.
    op.on.field(Database, "specs.engine", { id: "1" }, () => {});
    // @ts-expect-error Misspelt at the last step.
    op.on.field(Database, "spec.storage.class.nam", { id: "2" }, () => {});
    // @ts-expect-error Scalars have no fields.
    op.on.field(Database, "spec.engine.length", { id: "3" }, () => {});
    // @ts-expect-error The status has no such field.
    op.on.field(Database, "status.replicas", { id: "4" }, () => {});
    // @ts-expect-error An empty step leads nowhere.
    assert.throws(() => op.on.field(Database, "spec.", { id: "5" }, () => {}), SyntaxError);
    // @ts-expect-error Not what changes are detected in.
    op.on.field(Database, "metadata.resourceVersion", { id: "6" }, () => {});
    // @ts-expect-error Among the options as well.
    op.on.update(Database, { id: "7", field: "spec.replica" }, () => {});
    // @ts-expect-error And for raw events.
    op.on.event(Database, { id: "8", field: "spec.replica" }, () => {});
  });
});

describe("Filter values", () => {
  it("have the type of the field", () => {
    const op = operator();
    op.on.update(Database, { id: "1", field: "spec.replicas", old: 1, new: 3 }, () => {});
    op.on.update(Database, { id: "2", field: "spec.replicas", old: ABSENT, new: PRESENT }, () => {});
    op.on.create(Database, { id: "3", field: "spec.storage", value: { size: "1Gi" } }, () => {});
    op.on.create(Database, { id: "4", field: "spec.ports", value: [{ name: "http" }] }, () => {});
    // @ts-expect-error It is a number.
    op.on.update(Database, { id: "5", field: "spec.replicas", new: "3" }, () => {});
    // @ts-expect-error It is a number, before as well.
    op.on.update(Database, { id: "6", field: "spec.replicas", old: "3" }, () => {});
    // @ts-expect-error There is no such engine.
    op.on.create(Database, { id: "7", field: "spec.engine", value: "oracle" }, () => {});
    // @ts-expect-error Sizes are texts.
    op.on.create(Database, { id: "8", field: "spec.storage", value: { size: 1 } }, () => {});
    // @ts-expect-error There is no such state.
    op.on.event(Database, { id: "9", field: "status.state", value: "upp" }, () => {});
    // @ts-expect-error Booleans are not texts.
    op.on.field(Database, "spec.enabled", { id: "10", new: "true" }, () => {});
  });

  it("are handed to predicates, with undefined where there is none", () => {
    const op = operator();
    op.on.update(Database, {
      id: "1",
      field: "spec.replicas",
      new: (value, { spec, old }) => {
        expectType<Equal<typeof value, number | undefined>>();
        expectType<Equal<typeof spec.enabled, boolean | undefined>>();
        void old?.spec?.engine;
        return true;
      },
    }, () => {});
    op.on.create(Database, {
      id: "2",
      labels: {
        app: (value) => {
          expectType<Equal<typeof value, string | undefined>>();
          return true;
        },
      },
      when: all([({ name }) => name === "a", not(({ spec }) => spec.enabled === true)]),
    }, () => {});
    // @ts-expect-error Predicates answer yes or no.
    op.on.create(Database, { id: "3", when: () => "yes" }, () => {});
    // @ts-expect-error At once, not some day.
    op.on.create(Database, { id: "4", when: () => Promise.resolve(true) }, () => {});
    // @ts-expect-error Labels are texts.
    assert.throws(() => op.on.create(Database, { id: "5", labels: { app: 1 } }, () => {}), TypeError);
  });

  it("belong to the causes that have them", () => {
    const op = operator();
    const created = { id: "1", field: "spec.replicas" } as const;
    // @ts-expect-error Nothing was before.
    assert.throws(() => op.on.create(Database, { ...created, old: 1 }, () => {}), TypeError);
    // @ts-expect-error Only deletion handlers are optional.
    assert.throws(() => op.on.create(Database, { id: "2", optional: true }, () => {}), TypeError);
    // @ts-expect-error Only resumption handlers care for it.
    assert.throws(() => op.on.update(Database, { id: "3", deleted: true }, () => {}), TypeError);
    // @ts-expect-error Raw events are not retried.
    assert.throws(() => op.on.event(Database, { id: "4", retries: 3 }, () => {}), TypeError);
  });
});

describe("Arguments", () => {
  it("have the types of the kind, and are for reading", () => {
    const op = operator();
    op.on.create(Database, { id: "1" }, ({ spec, status, patch, meta, labels, diff }) => {
      expectType<Equal<typeof spec.ports[number]["number"], number | undefined>>();
      expectType<Equal<typeof status.state, "up" | "down" | undefined>>();
      patch.status.state = "up";
      patch.status.conditions = [{ type: "Ready", status: "True" }];
      patch.spec.storage = { size: "1Gi" };
      patch.meta.labels.app = "x";
      for (const [operation] of diff) expectType<Equal<typeof operation, "add" | "change" | "remove">>();
      // @ts-expect-error There is no such state.
      patch.status.state = "sideways";
      // @ts-expect-error There is no such status.
      patch.status.ready = true;
      // @ts-expect-error Conditions have a status.
      patch.status.conditions = [{ type: "Ready" }];
      // @ts-expect-error Lists are for reading too.
      spec.ports.push({ name: "a" });
      // @ts-expect-error So are the objects in them.
      spec.ports[0]!.name = "a";
      // @ts-expect-error And labels.
      labels.app = "x";
      // @ts-expect-error And metadata.
      meta.name = "x";
    });
  });

  it("of sub-handlers are those of the kind", () => {
    const op = operator();
    op.on.update(Database, { id: "1" }, ({ sub }) => {
      sub("scale", { field: "spec.replicas", new: 3 }, ({ old, new: now }) => {
        expectType<Equal<typeof old, number | undefined>>();
        expectType<Equal<typeof now, number | undefined>>();
      });
      // @ts-expect-error The path is misspelt.
      sub("misspelt", { field: "spec.replica" }, () => {});
      // @ts-expect-error It is a number.
      sub("wrong", { field: "spec.replicas", new: "3" }, () => {});
    });
  });

  it("are unknown where the kind is named by a text", () => {
    const op = operator();
    op.on.update("widgets", { id: "1", field: "spec.any.thing", new: 3 }, ({ spec, old }) => {
      expectType<Equal<typeof spec.size, unknown>>();
      expectType<Equal<typeof old, unknown>>();
    });
  });
});

describe("Indexes", () => {
  it("hold what their functions return", () => {
    const op = operator();
    const byEngine = op.index(Database, function byEngine({ spec, name }) {
      return { [spec.engine]: { name, replicas: spec.replicas } };
    });
    for (const [key, values] of byEngine) {
      expectType<Equal<typeof key, string>>();
      expectType<Equal<(typeof values)[number]["name"], string>>();
      expectType<Equal<(typeof values)[number]["replicas"], number | undefined>>();
      // @ts-expect-error Nothing of that name is in there.
      void values[0]?.engine;
      // @ts-expect-error Lists are for reading.
      assert.throws(() => values.push({ name: "a", replicas: 1 }));
    }
    // @ts-expect-error Keys are texts.
    byEngine.get(1);
    // @ts-expect-error There is no such engine.
    op.index(Database, { field: "spec.engine", value: "oracle" }, function wrong() {});
    // @ts-expect-error The operator writes it, nobody else.
    byEngine.set;
  });
});

describe("Children", () => {
  it("are objects, model classes, and lists of them", () => {
    class Meta {
      name?: string;
      labels?: { [key: string]: string };
      creationTimestamp?: Date;
    }
    class Pod {
      kind?: string;
      metadata?: Meta = new Meta();
      spec?: object;
    }
    const owner = { apiVersion: "v1", kind: "Pod", metadata: { name: "a", uid: "u" } };
    const untyped: JsonObject = {};
    adopt([new Pod(), untyped, { kind: "Pod", spec: { a: 1 } }, null, [[new Pod()]]], { owner });
    label(new Set([new Pod()]), { a: "b" });
    // @ts-expect-error Labels are texts.
    label({}, { a: 1 });
    // @ts-expect-error There is no such option.
    adopt({}, { owner, force: true });
  });
});
