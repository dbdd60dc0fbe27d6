import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { callWith } from "../../../lib/execution/current.ts";
import { resolveOwner, warnHandled } from "../../../lib/kits/hierarchies/owner.ts";
import { createLogger, type LogRecord } from "../../../lib/runtime/logging.ts";
import { virtualHost } from "../../../lib/runtime/virtual.ts";

const body = { kind: "Pod", metadata: { name: "a" } };
const other = { kind: "Pod", metadata: { name: "b" } };

describe("resolveOwner()", () => {
  it("gives the object of the running handler, unless one is named", () => {
    callWith({ body }, () => {
      assert.equal(resolveOwner({}), body);
      assert.equal(resolveOwner({ owner: other }), other);
    });
  });

  it("finds none in handlers that are about no object, or outside of all", () => {
    assert.throws(() => callWith({ settings: {} }, () => resolveOwner({})), TypeError);
    assert.throws(() => resolveOwner({}), TypeError);
  });
});

describe("warnHandled()", () => {
  it("logs to the running handler's logger, and nowhere else", () => {
    const lines: LogRecord[] = [];
    const logger = createLogger({ level: "debug", write: (line) => lines.push(line) }, virtualHost().clock);
    warnHandled("outside", {});
    callWith({ body, logger }, () => warnHandled("inside", { child: "x" }));
    assert.deepEqual(lines.map(({ level, message }) => [level, message]), [["warn", "inside"]]);
  });
});
