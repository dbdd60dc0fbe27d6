import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { AdmissionHandler } from "../../lib/registry/handlers.ts";
import { On } from "../../lib/registry/on.ts";
import { Registry } from "../../lib/registry/registry.ts";
import { resource } from "../../lib/registry/resource.ts";

const Kind = resource({ group: "example.com", version: "v1", plural: "databases" });

function declared(declare: (on: On) => void): readonly AdmissionHandler[] {
  const registry = new Registry();
  declare(new On(registry));
  assert.deepEqual(registry.objectHandlers, [], "nothing is watched on their account");
  return registry.admissionHandlers;
}

describe("OnAdmission", () => {
  it("[A18] [B124] refuses an empty list of operations", () => {
    assert.throws(() => declared((on) => on.validate(Kind, { operations: [] }, () => {})), RangeError);
    assert.throws(() => declared((on) => on.mutate(Kind, { operations: [] }, () => {})), RangeError);
  });

  it("keeps what was asked for, with Kopf's defaults", () => {
    const [plain, full] = declared((on) => {
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
    assert.deepEqual({ ...plain, fn: undefined, selector: undefined }, {
      id: "check",
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
        () => declared((on) => on.validate(Kind, options, () => {})),
        TypeError,
        JSON.stringify(options),
      );
    }
  });

  it("refuses limits, which have no meaning where somebody waits for an answer", () => {
    for (const name of ["errors", "timeout", "retries", "backoff"]) {
      const options = { [name]: 1 } as object;
      assert.throws(() => declared((on) => on.validate(Kind, options, () => {})), new RegExp(`"${name}"`));
    }
  });

  it("refuses two functions under one id on one kind", () => {
    const twice = (on: On): void => {
      on.validate(Kind, { id: "same" }, () => {});
      on.mutate(Kind, { id: "same" }, () => {});
    };
    assert.throws(() => declared(twice), /two handlers with the id "same"/);
  });
});
