import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkRule } from "../../../../lib/kits/apiserver/faults/check.ts";

/** As tests pass it whose types nobody has looked at. */
function check(rule: object): void {
  checkRule(rule as Parameters<typeof checkRule>[0]);
}

describe("checkRule()", () => {
  it("takes every fault there is, and every condition", () => {
    const conditions = {
      ...{ verbs: ["patch", "watch"], resource: "pods", group: "", subresource: "status", name: "a" },
      ...{ namespace: "b", userAgent: "lotse/", when: () => true, times: Infinity, rate: 0.5, seed: 7 },
    };
    for (
      const fault of [
        { type: "refuse", code: 429, reason: "Busy", message: "no", retryAfter: 0.5, when: "after" },
        { type: "answer", code: 200, body: "", contentType: "text/html", when: "before" },
        { type: "reset", when: undefined },
        { type: "silence", lines: 0 },
        { type: "delay", seconds: 1 },
        { type: "cut", lines: 2, where: "character", how: "end" },
        { type: "error-event", code: 410 },
        { type: "lag", seconds: [0, 2] },
        { type: "duplicate" },
        { type: "reorder" },
      ]
    ) check({ ...conditions, fault: [fault, { type: "reset" }] });
  });

  it("refuses what would strike nothing, or not as it says, and names what there is", () => {
    const reset = { type: "reset" };
    const refused: readonly [object, RegExp][] = [
      [{}, /^Cannot inject nothing: give "fault" a fault/],
      [{ fault: [] }, /^Cannot inject nothing/],
      [{ fault: "reset" }, /with "fault" "reset": give a fault, or a list of faults$/],
      [{ fault: reset, verb: "patch" }, /^Cannot inject a fault with "verb": known are fault, verbs, /],
      [{ fault: reset, verbs: ["pach"] }, /"verbs" \["pach"\]: give a list of get, list, /],
      [{ fault: reset, verbs: "patch" }, /"verbs" "patch": give a list/],
      [{ fault: reset, times: -1 }, /"times" -1: give a whole number from 1 on, or Infinity$/],
      [{ fault: reset, rate: 5 }, /"rate" 5: give a number from 0 to 1$/],
      [{ fault: reset, rate: NaN }, /"rate" NaN: /],
      [
        { fault: { type: "rest" } },
        /^Cannot inject a fault of type "rest": known are refuse, answer, reset, /,
      ],
      [{ fault: { type: "constructor" } }, /of type "constructor": known are /],
      [{ fault: [reset, null] }, /of type undefined: known are /],
      [{ fault: { type: "refuse" } }, /^Cannot inject "refuse" without "code"$/],
      [{ fault: { type: "refuse", code: 700 } }, /"refuse" with "code" 700: give a status of HTTP/],
      [{ fault: { type: "refuse", code: 500, when: "later" } }, /"when" "later": give "before" or "after"$/],
      [{ fault: { type: "delay", seconds: [2, 1] } }, /"seconds" \[2,1\]: give a number of seconds/],
      [{ fault: { type: "lag" } }, /^Cannot inject "lag" without "seconds"$/],
      [
        { fault: { type: "cut", where: "word" } },
        /"where" "word": give "line-end" or "line" or "character"$/,
      ],
      [{ fault: { type: "silence", lines: 0.5 } }, /"lines" 0.5: give a whole number from 0 on$/],
    ];
    for (const [rule, message] of refused) assert.throws(() => check(rule), { name: "TypeError", message });
  });
});
