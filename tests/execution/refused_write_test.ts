import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ApiError } from "../../lib/client/errors.ts";
import {
  FunctionFailure,
  markAsTold,
  RefusedWrite,
  tellOfDropped,
} from "../../lib/execution/refused_write.ts";
import { createLogger, type LogRecord } from "../../lib/runtime/logging.ts";
import { virtualHost } from "../../lib/runtime/virtual/host.ts";

const sent = { spec: { ports: [{ port: 0 }], size: 5 }, metadata: { labels: { "a b": "!" } } };

function refusalOf(...fields: string[]): ApiError {
  const causes = fields.map((field) => ({ field }));
  return new ApiError({
    status: 422,
    request: "PATCH /one",
    body: { kind: "Status", apiVersion: "v1", details: { causes } },
  });
}

describe("RefusedWrite", () => {
  it("has the values that were sent for the fields that the server names", () => {
    const error = new RefusedWrite(
      refusalOf("spec.ports[0].port", "metadata.labels", "metadata.resourceVersion"),
      sent,
    );
    assert.deepEqual({ ...error.sent }, { "spec.ports[0].port": 0, "metadata.labels": { "a b": "!" } });
    assert.match(
      error.message,
      /^The server refuses what was written \(fields: spec\.ports\[0\]\.port, metadata\.labels\): /,
    );
  });

  it("has what holds a field that was not sent, and nothing of strangers", () => {
    assert.deepEqual({ ...new RefusedWrite(refusalOf("spec.size.unit", "spec.ports[3].x"), sent).sent }, {
      "spec.size.unit": 5,
      "spec.ports[3].x": sent.spec.ports,
    });
    for (const field of ["status.phase", "__proto__.x", "constructor"]) {
      assert.equal(new RefusedWrite(refusalOf(field), sent).sent, undefined);
    }
    assert.equal(new RefusedWrite(refusalOf("spec.size")).sent, undefined, "confidential");
  });
});

describe("tellOfDropped()", () => {
  it("tells of a write that no failure of an attempt has told of", () => {
    const lines: LogRecord[] = [];
    const logger = createLogger({ level: "debug", write: (line) => lines.push(line) }, virtualHost().clock);
    const errors = [
      new RefusedWrite(refusalOf()),
      new FunctionFailure("no", { cause: new Error("oops") }),
      new Error("other"),
    ];
    for (const error of errors) tellOfDropped(error, logger);
    assert.deepEqual(lines.map(({ level, message }) => [level, message.slice(0, 30)]), [
      ["error", "The server refuses the patch a"],
      ["error", "Cannot apply the functions of "],
    ]);
    for (const error of errors) {
      markAsTold(error);
      tellOfDropped(error, logger);
    }
    assert.equal(lines.length, 2);
  });
});
