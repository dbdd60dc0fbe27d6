import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ABSENT, operator, PRESENT, resource } from "../../mod.ts";
import { ADMISSION, type AdmissionHandler } from "../../lib/handlers/admission/admission_handler.ts";
import { INDEX } from "../../lib/handlers/index/index_handler.ts";
import { CHANGE, type ChangeHandler } from "../../lib/handlers/change/change_handler.ts";
import { declareInto, type On } from "../../lib/handlers/on.ts";
import { Registry } from "../../lib/handlers/registry.ts";

const Kind = resource({ group: "example.com", version: "v1", plural: "databases" });
const Other = resource({ group: "example.com", version: "v1", plural: "others" });

function declared(declare: (on: On) => void): readonly ChangeHandler[] {
  const registry = new Registry();
  declare(declareInto(registry).on);
  return registry.all(CHANGE);
}

function only(declare: (on: On) => void): ChangeHandler {
  const [handler, ...rest] = declared(declare);
  assert.ok(handler !== undefined && rest.length === 0);
  return handler;
}

describe("op.on", () => {
  it("[A1] takes the function's name as the id", () => {
    function fn(): void {}
    assert.equal(only((on) => on.create(Kind, fn)).id, "fn");
  });

  it("[A2] appends the field to the function's name", () => {
    function fn(): void {}
    assert.equal(only((on) => on.update(Kind, { field: "spec.a.b" }, fn)).id, "fn/spec.a.b");
  });

  it("[A3] appends the field to an explicit id", () => {
    const handler = only((on) => on.field(Kind, { id: "x", field: ["spec", "a"] }, function fn() {}));
    assert.equal(handler.id, "x/spec.a");
  });

  it("[A4] appends no field to the name of an index", () => {
    const registry = new Registry();
    declareInto(registry).index(Kind, { field: "spec.a" }, function fn() {});
    assert.deepEqual(registry.all(INDEX).map(({ id, field }) => [id, field]), [["fn", ["spec", "a"]]]);
  });

  it("[A5] takes the name of the function that a bound one calls", () => {
    function fn(): void {}
    assert.equal(only((on) => on.create(Kind, fn.bind(undefined).bind(undefined))).id, "fn");
  });

  it("takes the cause's name for a function without a name", () => {
    assert.equal(only((on) => on.create(Kind, () => {})).id, "create");
    assert.equal(only((on) => on.field(Kind, "spec.a", () => {})).id, "field/spec.a");
  });

  it("[A7] refuses a field handler without a field", () => {
    // @ts-expect-error The compiler refuses it as well.
    assert.throws(() => declared((on) => on.field(Kind, {}, () => {})), /TypeError: .*its field is missing/);
    assert.throws(() => declared((on) => on.field(Kind, { field: [] }, () => {})), /its field is missing/);
  });

  it("[A8] refuses a value without a field, for any cause", () => {
    const options = { value: "v" };
    const op = operator();
    const attempts = [
      ...(["create", "update", "delete", "resume", "event", "validate", "mutate"] as const)
        .map((cause) => () => Reflect.apply(op.on[cause], op.on, [Kind, options, () => {}])),
      () => op.index(Kind, options, () => {}),
      () => op.daemon(Kind, options, () => {}),
      () => op.timer(Kind, { ...options, interval: 1 }, () => {}),
    ];
    const error = { name: "TypeError", message: /needs a field/ };
    for (const attempt of attempts) assert.throws(attempt, error, `${attempt}`);
  });

  it("[A9] refuses a value together with old or new", () => {
    for (const name of ["old", "new"]) {
      const options = { field: "spec.a", value: "v", [name]: "x" };
      const error = { name: "TypeError", message: new RegExp(`by "value" and "${name}"`) };
      assert.throws(() => declared((on) => on.update(Kind, options, () => {})), error, name);
      assert.throws(() => declared((on) => on.field(Kind, options, () => {})), error, name);
    }
  });

  it("[A10] refuses null as a label's or annotation's value", () => {
    for (const name of ["labels", "annotations"]) {
      const options = { [name]: { key: null } } as object;
      const error = { name: "TypeError", message: /take PRESENT or ABSENT/ };
      assert.throws(() => declared((on) => on.create(Kind, options, () => {})), error, name);
      assert.throws(() => declareInto(new Registry()).on.event(Kind, options, () => {}), error, name);
    }
  });

  it("refuses old and new where there is no such thing", () => {
    // @ts-expect-error The compiler refuses it as well.
    assert.throws(() => declared((on) => on.create(Kind, { field: "spec.a", old: 1 }, () => {})), TypeError);
  });

  it("refuses unknown options, and names those that are known", () => {
    const options = { retrys: 3 } as object;
    assert.throws(() => declared((on) => on.create(Kind, options, () => {})), /"retrys".*retries/);
  });

  it("refuses to register without a function", () => {
    // @ts-expect-error The compiler refuses it as well.
    assert.throws(() => declared((on) => on.create(Kind, { id: "x" })), TypeError);
  });

  it("[A15] refuses a second function under the same id on the same kind", () => {
    const on = declareInto(new Registry()).on;
    on.create(Kind, { id: "same" }, () => {});
    assert.throws(() => on.update(Kind, { id: "same" }, () => {}), /two handlers with the id "same"/);
    on.create(Other, { id: "same" }, () => {});
  });

  it("refuses ids whose progress would be stored under one name", () => {
    const op = operator();
    op.on.create(Kind, { id: "a/b" }, () => {});
    assert.throws(() => op.on.create(Kind, { id: "a.b" }, () => {}), /under one name/);
  });

  it("[A17] keeps the handlers of operators apart", () => {
    const [one, two] = [operator(), operator()];
    one.on.create(Kind, () => {});
    assert.deepEqual([one.isEmpty, two.isEmpty], [false, true]);
  });

  it("takes all forms of kinds", () => {
    const on = declareInto(new Registry()).on;
    for (const kind of ["databases", "databases.example.com", "databases.example.com/v1", "db"]) {
      on.create(kind, () => {});
    }
    on.create((each) => each.group === "example.com", () => {});
    assert.throws(() => on.create("", () => {}), TypeError);
  });

  it("takes markers and predicates as filters", () => {
    const handler = only((on) =>
      on.update(Kind, { labels: { a: PRESENT, b: ABSENT, c: (value) => value === "x" } }, () => {})
    );
    assert.equal(handler.labels?.a, PRESENT);
  });
});

describe("Operator", () => {
  it("[A19] goes back to `asap` when its lifecycle is set to null", () => {
    const op = operator();
    const initial = op.lifecycle;
    op.lifecycle = (handlers) => handlers;
    assert.notEqual(op.lifecycle, initial);
    op.lifecycle = null;
    assert.equal(op.lifecycle, initial);
    assert.equal(op.lifecycle.name, "asap");
  });
});

const KIND = "examples.lotse.test";

describe("op.daemon() and op.timer()", () => {
  it("register the function under its id, its name or their own, with the field", () => {
    const registry = new Registry();
    const { daemon, timer } = declareInto(registry);
    daemon(KIND, function monitor() {});
    daemon(KIND, { id: "named", field: "spec.x" }, () => {});
    daemon(KIND, () => {});
    timer(KIND, { interval: 5 }, () => {});
    assert.deepEqual(registry.objectHandlers.map(({ id }) => id), [
      "monitor",
      "named/spec.x",
      "daemon",
      "timer",
    ]);
  });

  it("refuse a second function with the same id, and take the same one", () => {
    const op = operator();
    function monitor(): void {}
    op.daemon(KIND, monitor);
    op.daemon(KIND, { labels: { a: "b" } }, monitor);
    assert.throws(() => op.timer(KIND, { id: "monitor" }, () => {}), /two handlers with the id "monitor"/);
  });

  it("refuse options that are unknown, or of the other", () => {
    const op = operator();
    const options: object = { cancellationTimeout: 1 };
    assert.throws(() => op.timer(KIND, options, () => {}), /"timer" with option "cancellationTimeout"/);
    const interval: object = { interval: 1 };
    assert.throws(() => op.daemon(KIND, interval, () => {}), /"daemon" with option "interval"/);
    const old: object = { field: "spec.x", old: 1 };
    assert.throws(() => op.daemon(KIND, old, () => {}), /"daemon" with option "old"/);
  });

  it("refuse times that are negative or no numbers; null is none", () => {
    const op = operator();
    assert.throws(() => op.timer(KIND, { interval: -1 }, () => {}), RangeError);
    assert.throws(() => op.timer(KIND, { idle: Number.NaN }, () => {}), RangeError);
    assert.throws(() => op.daemon(KIND, { initialDelay: -1 }, () => {}), RangeError);
    assert.throws(() => op.daemon(KIND, { cancellationBackoff: -1 }, () => {}), RangeError);
    const nulls: object = { interval: null, idle: null, initialDelay: null };
    op.timer(KIND, nulls, () => {});
  });
});

function admissionHandlers(declare: (on: On) => void): readonly AdmissionHandler[] {
  const registry = new Registry();
  declare(declareInto(registry).on);
  assert.deepEqual(registry.objectHandlers, [], "nothing is watched on their account");
  return registry.all(ADMISSION);
}

describe("op.on.validate() and op.on.mutate()", () => {
  it("[A18] [B124] refuses an empty list of operations", () => {
    assert.throws(
      () => admissionHandlers((on) => on.validate(Kind, { operations: [] }, () => {})),
      RangeError,
    );
    assert.throws(() => admissionHandlers((on) => on.mutate(Kind, { operations: [] }, () => {})), RangeError);
  });

  it("keeps what was asked for, with Kopf's defaults", () => {
    const [plain, full] = admissionHandlers((on) => {
      on.validate(Kind, function check() {});
      on.mutate(Kind, {
        id: "change",
        field: "spec.a",
        operations: ["UPDATE", "CREATE"],
        operation: "CREATE",
        subresource: "*",
        persistent: true,
        sideEffects: true,
        ignoreFailures: true,
        labels: { a: "b" },
        param: 1,
      }, () => {});
    });
    assert.match(plain?.site?.place ?? "", /on_test\.ts:\d+/);
    assert.deepEqual({ ...plain, fn: undefined, selector: undefined, site: undefined }, {
      id: "check",
      site: undefined,
      type: "admission",
      cause: "validate",
      field: undefined,
      operations: undefined,
      subresource: undefined,
      persistent: false,
      sideEffects: false,
      ignoreFailures: false,
      fn: undefined,
      selector: undefined,
    });
    assert.equal(full?.id, "change/spec.a");
    assert.deepEqual(full?.operations, ["CREATE", "UPDATE"]);
    assert.deepEqual(
      [
        full?.cause,
        full?.subresource,
        full?.persistent,
        full?.sideEffects,
        full?.ignoreFailures,
        full?.param,
      ],
      ["mutate", "*", true, true, true, 1],
    );
  });

  it("refuses what cannot be meant", () => {
    const bad: object[] = [
      { operations: ["create"] },
      { operations: "CREATE" },
      { operation: "PATCH" },
      { subresource: "" },
      { subresource: 1 },
      { persistent: "yes" },
      { value: "v" },
      { labels: { a: null } },
    ];
    for (const options of bad) {
      assert.throws(
        () => admissionHandlers((on) => on.validate(Kind, options, () => {})),
        TypeError,
        JSON.stringify(options),
      );
    }
  });

  it("refuses limits, which have no meaning where somebody waits for an answer", () => {
    for (const name of ["errors", "timeout", "retries", "backoff"]) {
      const options = { [name]: 1 } as object;
      assert.throws(
        () => admissionHandlers((on) => on.validate(Kind, options, () => {})),
        new RegExp(`"${name}"`),
      );
    }
  });

  it("refuses two functions under one id on one kind", () => {
    const twice = (on: On): void => {
      on.validate(Kind, { id: "same" }, () => {});
      on.mutate(Kind, { id: "same" }, () => {});
    };
    assert.throws(() => admissionHandlers(twice), /two handlers with the id "same"/);
  });
});

describe("What is declared at run time", () => {
  const op = operator();

  it("works when it is taken off its object", () => {
    const { on, index } = operator();
    const { create, startup } = on;
    create(Kind, { id: "a" }, () => {});
    startup(() => {});
    assert.equal(index(Kind, { id: "a" }, () => null).size, 0);
  });

  it("must be a kind: no list, no object, nothing empty", () => {
    for (const kind of [["databases"], { plural: "databases" }, null, undefined, 3, "", { selector: {} }]) {
      assert.throws(() => op.on.create(kind as never, () => {}), TypeError, JSON.stringify(kind));
      assert.throws(
        () => op.timer(kind as never, { interval: 1 }, () => {}),
        TypeError,
        JSON.stringify(kind),
      );
    }
    assert.throws(() => op.on.create(["a"] as never, () => {}), /by a list: .* once for each kind/);
    assert.throws(() => resource("databases" as never), /Cannot declare a kind: pass an object/);
    assert.throws(() => resource({ plural: "a", namespace: "b" } as never), /with option "namespace"/);
    assert.throws(() => resource({ plural: 1 } as never), /"plural" of type "number"/);
  });

  it("must have options as the compiler wants them", () => {
    const bad: [cause: "create" | "update" | "delete" | "resume" | "event" | "validate", options: object][] =
      [
        ["create", { retries: "3" }],
        ["create", { labels: ["a"] }],
        ["create", { labels: { a: 1 } }],
        ["create", { when: "always" }],
        ["create", { when: async () => await Promise.resolve(true) }],
        ["update", { field: "spec.a", old: async () => await Promise.resolve(true) }],
        ["delete", { optional: "yes" }],
        ["resume", { deleted: 1 }],
        ["event", { retries: 3 }],
        ["validate", { subresource: "" }],
      ];
    for (const [cause, options] of bad) {
      assert.throws(
        () => Reflect.apply(op.on[cause], undefined, [Kind, options, () => {}]),
        TypeError,
        JSON.stringify(options),
      );
    }
    assert.throws(() => op.timer(Kind, { interval: 1, sharp: "no" } as never, () => {}), TypeError);
    assert.throws(() => op.on.create(Kind, [] as never, () => {}), /options of type "list"/);
    assert.throws(
      () => Reflect.apply(op.on.create, undefined, [Kind, {}, () => {}, 1]),
      /behind its function/,
    );
    assert.throws(
      () => op.on.startup({ interval: 1 } as never, () => {}),
      /"startup" with option "interval"/,
    );
    assert.ok(op.isEmpty);
  });

  it("is refused by an error whose stack begins at the author's call", () => {
    function author(): void {
      op.on.create(Kind, { retrys: 3 } as never, () => {});
    }
    const attempts = [
      author,
      function author(): void {
        op.daemon(Kind, { interval: 3 } as never, () => {});
      },
      function author(): void {
        resource({ plural: "" });
      },
      function author(): void {
        op.on.login({ id: "" }, () => {});
      },
    ];
    for (const attempt of attempts) {
      assert.throws(attempt, (error: Error) => {
        const [first = ""] = (error.stack ?? "").split("\n").filter((line) => /on_test|lib\//.test(line));
        assert.match(first, /author/);
        return true;
      });
    }
  });
});

describe("operator()", () => {
  it("refuses a lifecycle that is no function, and settings that are not known, where the author calls it", () => {
    function author(): void {
      operator({ lifecycle: "asap" as never });
    }
    assert.throws(author, (error: Error) => {
      assert.match(error.message, /Cannot take "asap" for a lifecycle: take one of `lifecycles`/);
      const [first = ""] = (error.stack ?? "").split("\n").filter((line) => /on_test|lib\//.test(line));
      assert.match(first, /author/);
      return true;
    });
    assert.throws(() => operator({ execution: { defaultBackof: 1 } } as never), /did you mean/);
    const op = operator();
    assert.throws(() => op.lifecycle = "asap" as never, TypeError);
  });

  it("refuses options of a run that are not known", async () => {
    await assert.rejects(
      operator().run({ namespace: "a" } as never),
      /Cannot run an operator with option "namespace"/,
    );
  });
});
