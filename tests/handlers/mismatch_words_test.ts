import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ABSENT, type Filters, PRESENT } from "../../lib/handlers/filters.ts";
import { mismatchWords } from "../../lib/handlers/mismatch_words.ts";

const body = { metadata: { name: "one", labels: { team: "red" } }, spec: { size: 1, password: "tops3cret" } };

function words(
  filters: Filters,
  change?: { readonly old: unknown; readonly new: unknown },
): string | undefined {
  const candidate = { body, change, args: () => ({}) };
  return mismatchWords({ filters, candidate, confidential: [["spec", "password"]] });
}

describe("mismatchWords()", () => {
  it("names the label, its value and the wanted one", () => {
    assert.equal(words({ labels: { team: "red" } }), undefined);
    assert.equal(words({ labels: { team: "blue" } }), "label `team` is `red`, wanted `blue`");
    assert.equal(
      words({ labels: { team: "red", tier: PRESENT } }),
      "label `tier` is absent, wanted any value",
    );
    assert.equal(words({ labels: { team: ABSENT } }), "label `team` is `red`, wanted none");
    assert.equal(
      words({ labels: { team: (value: unknown) => value === "x" } as never }),
      "label `team` is `red`, which its filter does not take",
    );
  });

  it("names the field, and how it has changed", () => {
    const field = ["spec", "size"];
    const before = { old: { spec: { size: 1 } }, new: { spec: { size: 1 } } };
    assert.equal(words({ field, needsChange: true }, before), "field `spec.size` has not changed");
    const after = { old: { spec: { size: 1 } }, new: { spec: { size: 2 } } };
    assert.equal(
      words({ field, needsChange: true, new: 3 }, after),
      "field `spec.size` has changed from `1` to `2`, which is not as wanted",
    );
    assert.equal(words({ field: ["spec", "mode"] }), "field `spec.mode` is absent, wanted any value");
  });

  it("tells no confidential value", () => {
    const told = words({ field: ["spec", "password"], value: "1234" });
    assert.equal(told, "field `spec.password` is not as wanted (its value is confidential)");
    const change = { old: { spec: { password: "a" } }, new: { spec: { password: "b" } } };
    assert.equal(
      words({ field: ["spec", "password"], needsChange: true, new: "c" }, change),
      "field `spec.password` has changed, but not as wanted",
    );
  });

  it("cuts long values, and tells filters that throw", () => {
    assert.match(words({ labels: { team: "x".repeat(500) } }) ?? "", /wanted `x{60}…`$/);
    const when = (): boolean => {
      throw new TypeError("no such thing");
    };
    assert.equal(words({ when }), "its filter fails: no such thing");
    assert.equal(words({ when: () => false }), "its condition (`when`) does not hold");
  });
});
