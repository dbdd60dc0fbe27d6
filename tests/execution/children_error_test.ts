import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ApiError } from "../../lib/client/errors.ts";
import { ChildrenError } from "../../lib/execution/children_error.ts";
import type { StatusBody } from "../../lib/model/object.ts";

function refusal(status: number, body: Partial<StatusBody>): ApiError {
  const whole = { kind: "Status", apiVersion: "v1", code: status, ...body } as StatusBody;
  return new ApiError({
    status,
    request: "PATCH /api/v1/namespaces/default/secrets/a-b?force=true",
    body: whole,
  });
}

describe("ChildrenError", () => {
  it("names child, kind and what the server said, without what it was asked", () => {
    const error = refusal(403, {
      reason: "Forbidden",
      message: 'secrets "a-b" is forbidden: User "x" cannot patch resource "secrets" in API group ""',
    });
    const { message, cause, isThrown } = new ChildrenError([{
      child: "b",
      title: 'Secret "default/a-b"',
      error,
    }]);
    assert.equal(
      message,
      'Cannot bring about child "b" (Secret "default/a-b"): 403 Forbidden: secrets "a-b" is forbidden: User "x" ' +
        'cannot patch resource "secrets" in API group ""; a role must allow "patch" on "secrets"',
    );
    assert.deepEqual([cause, isThrown], [error, false]);
  });

  it("names what has one cause together, and of many those at the beginning", () => {
    const error = new Error("no");
    const failed = Array.from({ length: 7 }, (_, at) => ({ child: `c${at}`, title: "Secret", error }));
    const other = { child: "late", error: new TypeError("there is no such kind") };
    assert.equal(
      new ChildrenError([...failed, other]).message,
      'Cannot bring about 8 children: "c0" (Secret); "c1" (Secret); "c2" (Secret); "c3" (Secret); "c4" (Secret); ' +
        'and 2 more: no; "late": there is no such kind',
    );
    const each = failed.map((one, at) => ({ ...one, error: new Error(`no ${at}`) }));
    assert.match(new ChildrenError(each).message, /"c4" \(Secret\): no 4; and 2 more$/);
  });

  it("says how what may not change once it is set is made anew: lists, not their items", () => {
    const causes = [{
      field: "spec.clusterIPs[0]",
      message: 'Invalid value: ["None"]: may not change once set',
    }];
    const error = refusal(422, { reason: "Invalid", message: "Service is invalid", details: { causes } });
    const { message } = new ChildrenError([{ child: "web", title: 'Service "default/web"', error }]);
    assert.match(message, /made anew: recreateOn: \["spec\.clusterIPs"\]\)$/);
  });

  it("leaves values out that the server repeats, and says how the object can be made anew", () => {
    const value = `Invalid value: core.PodTemplateSpec{${
      'Name:"", Image: "a", '.repeat(100)
    }}: field is immutable`;
    const error = refusal(422, {
      reason: "Invalid",
      message: `Job.batch "a-b" is invalid: spec.template: ${value}`,
      details: { causes: [{ field: "spec.template", message: value, reason: "FieldValueInvalid" }] },
    });
    const { message, cause, failed } = new ChildrenError([{ child: "b", title: 'Job "default/a-b"', error }]);
    assert.deepEqual([cause, failed[0]?.error], [undefined, error], "the log would tell it with the cause");
    assert.equal(
      message,
      'Cannot bring about child "b" (Job "default/a-b"): 422 Invalid: spec.template: field is immutable ' +
        '(to have the object deleted and made anew: recreateOn: ["spec.template"])',
    );
  });

  it("has what a function has thrown as its cause, as the stack tells where", () => {
    const [refused, thrown] = [new Error("connection refused"), new TypeError("not a function")];
    const error = new ChildrenError([
      { child: "late", error: new TypeError("there is no such kind") },
      { child: "a", title: "Secret", error: refused },
      { child: "b", title: "Secret", error: thrown },
    ]);
    assert.deepEqual([error.cause, error.isThrown], [thrown, true]);
    assert.equal(new ChildrenError(error.failed.slice(0, 2)).isThrown, false, "kinds may come later");
  });
});
