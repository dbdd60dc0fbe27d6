import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Resource } from "../../lib/model/resource.ts";
import {
  EVERYTHING,
  formatSelector,
  isSpecific,
  matches,
  parseSelector,
  select,
  selectorKey,
  type SelectorTerm,
} from "../../lib/model/selector.ts";

function make(part: Partial<Resource> = {}): Resource {
  return {
    group: "example.com",
    version: "v1",
    plural: "databases",
    kind: "Database",
    singular: "database",
    shortcuts: ["db"],
    categories: ["all"],
    subresources: [],
    namespaced: true,
    preferred: true,
    verbs: [],
    ...part,
  };
}

describe("parseSelector()", () => {
  it("[A21] [B205] refuses to do without a name", () => {
    const error = { name: "TypeError", message: /a name is missing/ };
    assert.throws(() => parseSelector([]), error);
    assert.throws(() => parseSelector([], { group: "g" }), error);
    assert.throws(() => parseSelector([], { group: "g", version: "v1" }), error);
  });

  it("[A22] splits a name and a group at the first dot", () => {
    assert.deepEqual(parseSelector(["name1.group1.example.com"]), {
      anyName: "name1",
      group: "group1.example.com",
    });
  });

  it("[A23] finds a version between name and group", () => {
    assert.deepEqual(parseSelector(["name1.v99beta99.group1"]), {
      anyName: "name1",
      version: "v99beta99",
      group: "group1",
    });
    assert.deepEqual(parseSelector(["name1.v1.group1.example.com"]), {
      anyName: "name1",
      version: "v1",
      group: "group1.example.com",
    });
  });

  it("[A24] takes an unconventional version for a group", () => {
    assert.deepEqual(parseSelector(["name1.v1nonconventional"]), {
      anyName: "name1",
      group: "v1nonconventional",
    });
    assert.deepEqual(parseSelector(["name1.v1gamma1.g"]), { anyName: "name1", group: "v1gamma1.g" });
  });

  it("[A25] takes a name with nothing but a version for one of the core group (unlike Kopf)", () => {
    const selector = parseSelector(["pods.v1"]);
    assert.deepEqual(selector, { anyName: "pods", version: "v1", group: "" });
    assert.ok(matches(selector, make({ group: "", plural: "pods" })));
    assert.ok(!matches(selector, make({ group: "metrics.k8s.io", plural: "pods" })));
  });

  it("[A26] takes v1 as the first of two for the core group", () => {
    assert.deepEqual(parseSelector(["v1", "pods"]), { anyName: "pods", group: "", version: "v1" });
  });

  it("[A27] splits group and version at the last slash", () => {
    assert.deepEqual(parseSelector(["group/v1", "name"]), { anyName: "name", group: "group", version: "v1" });
    assert.deepEqual(parseSelector(["a/b/v1", "name"]), { anyName: "name", group: "a/b", version: "v1" });
    assert.deepEqual(parseSelector(["group", "name"]), { anyName: "name", group: "group" });
    assert.deepEqual(parseSelector(["g", "v2", "name"]), { anyName: "name", group: "g", version: "v2" });
    assert.deepEqual(parseSelector(["", "v1", EVERYTHING]), {
      anyName: EVERYTHING,
      group: "",
      version: "v1",
    });
  });

  it("[A28] [B205] refuses four positional terms", () => {
    assert.throws(() => parseSelector(["a", "b", "c", "d"]), { name: "TypeError", message: /4/ });
  });

  it("[A29] refuses two names", () => {
    assert.throws(() => parseSelector([], { kind: "A", plural: "as" }), {
      name: "TypeError",
      message: /kind and plural/,
    });
    assert.throws(() => parseSelector(["a"], { category: "all" }), /category and anyName/);
    assert.throws(() => parseSelector([() => true], { plural: "as" }), /plural and predicate/);
  });

  it("[A30] [B205] refuses empty names", () => {
    for (
      const keywords of [{ kind: "" }, { plural: "" }, { singular: "" }, { shortcut: "" }, { category: "" }, {
        anyName: "",
      }]
    ) {
      assert.throws(() => parseSelector([], keywords), { name: "TypeError", message: /is empty/ });
    }
    for (const terms of [[""], ["g", ""], ["g", "v1", ""], [".group"]]) {
      assert.throws(() => parseSelector(terms), { name: "TypeError", message: /is empty/ });
    }
  });

  it("[A31] refuses a predicate beside a name", () => {
    const error = { name: "TypeError", message: /a predicate and a name/ };
    assert.throws(() => parseSelector([() => true, "name"]), error);
    assert.throws(() => parseSelector(["group", () => true]), error);
  });

  it("takes the forms of design.md: a name, a group and a version with a slash", () => {
    assert.deepEqual(parseSelector(["databases.example.com/v1"]), {
      anyName: "databases",
      group: "example.com",
      version: "v1",
    });
    assert.deepEqual(parseSelector(["databases.example.com/v1beta2"]), {
      anyName: "databases",
      group: "example.com",
      version: "v1beta2",
    });
    assert.deepEqual(parseSelector(["pods/v1"]), { anyName: "pods", group: "", version: "v1" });
    assert.deepEqual(parseSelector(["db"]), { anyName: "db" });
    assert.deepEqual(parseSelector([EVERYTHING]), { anyName: EVERYTHING });
  });

  it("refuses texts that could only match nothing, and says what to write", () => {
    assert.throws(() => parseSelector(["v1/pods"]), { name: "TypeError", message: /name\.group\/version/ });
    assert.throws(() => parseSelector(["example.com/databases"]), TypeError);
  });

  it("refuses what is no term", () => {
    // Users of JavaScript are not held back by types.
    for (const bad of [5, null, {}, undefined]) {
      assert.throws(() => parseSelector([bad as unknown as SelectorTerm]), TypeError);
      assert.throws(() => parseSelector([bad as unknown as SelectorTerm, "name"]), TypeError);
    }
  });
});

describe("matches()", () => {
  it("[A32] wants both the predicate and the group", () => {
    const selector = parseSelector([({ plural }) => plural === "databases"], { group: "example.com" });
    assert.ok(matches(selector, make()));
    assert.ok(!matches(selector, make({ group: "other.com" })));
    assert.ok(!matches(selector, make({ plural: "other" })));
  });

  it("[A33] matches any name with a kind, plural, singular or short name", () => {
    for (const name of ["Database", "databases", "database", "db"]) {
      assert.ok(matches(parseSelector([name]), make()), name);
    }
    assert.ok(!matches(parseSelector(["DATABASES"]), make()));
  });

  it("[A34] does not match any name with a category", () => {
    assert.ok(!matches(parseSelector(["all"]), make()));
    assert.ok(matches(parseSelector([], { category: "all" }), make()));
  });

  it("[A35] [B203] [B204] does not match a version that is not preferred, unless it is named", () => {
    const old = make({ version: "v1alpha1", preferred: false });
    assert.ok(!matches(parseSelector(["databases"]), old));
    assert.ok(!matches(parseSelector([EVERYTHING]), old));
    assert.ok(matches(parseSelector(["databases.v1alpha1.example.com"]), old));
    assert.ok(!matches(parseSelector(["databases.v1alpha1.example.com"]), make()));
  });

  it("[A36] shows predicates versions that are not preferred", () => {
    assert.ok(matches(parseSelector([() => true]), make({ version: "v1alpha1", preferred: false })));
  });

  it("[A37] never matches events with EVERYTHING or predicates", () => {
    for (const group of ["", "events.k8s.io"]) {
      for (const version of ["v1", "v1beta1"]) {
        const events = make({ group, version, plural: "events", kind: "Event" });
        assert.ok(!matches(parseSelector([EVERYTHING]), events));
        assert.ok(!matches(parseSelector([() => true]), events));
      }
    }
    assert.ok(
      matches(parseSelector([EVERYTHING]), make({ group: "calendar.com", plural: "events", kind: "Event" })),
    );
  });

  it("[A38] matches events by name", () => {
    assert.ok(matches(parseSelector(["events"]), make({ group: "", plural: "events", kind: "Event" })));
  });

  it("compares typed names with their own kind of name only", () => {
    assert.ok(matches(parseSelector([], { kind: "Database" }), make()));
    assert.ok(matches(parseSelector([], { plural: "databases" }), make()));
    assert.ok(matches(parseSelector([], { singular: "database" }), make()));
    assert.ok(matches(parseSelector([], { shortcut: "db" }), make()));
    for (
      const keywords of [{ kind: "databases" }, { plural: "Database" }, { singular: "db" }, {
        shortcut: "database",
      }, { category: "db" }]
    ) {
      assert.ok(!matches(parseSelector([], keywords), make()), JSON.stringify(keywords));
    }
  });
});

describe("select()", () => {
  const pods = make({ group: "", plural: "pods", kind: "Pod", singular: "pod", shortcuts: ["po"] });
  const metrics = make({
    group: "metrics.k8s.io",
    plural: "pods",
    kind: "PodMetrics",
    singular: "",
    shortcuts: [],
  });

  it("[A39] [B191] prefers the core group where the selector is specific", () => {
    assert.deepEqual(select(parseSelector(["pods"]), [metrics, pods]), [pods]);
    assert.deepEqual(select(parseSelector([], { plural: "pods" }), [metrics, pods]), [pods]);
    assert.deepEqual(select(parseSelector(["pods"]), [metrics]), [metrics]);
  });

  it("[A40] gives all kinds for a category, EVERYTHING or a predicate", () => {
    assert.deepEqual(select(parseSelector([], { category: "all" }), [metrics, pods]), [metrics, pods]);
    assert.deepEqual(select(parseSelector([EVERYTHING]), [metrics, pods]), [metrics, pods]);
    assert.deepEqual(select(parseSelector([() => true]), [metrics, pods]), [metrics, pods]);
  });
});

describe("isSpecific()", () => {
  it("tells names from what can mean many kinds", () => {
    assert.ok(isSpecific(parseSelector(["pods"])) && isSpecific(parseSelector([], { kind: "Pod" })));
    for (
      const selector of [
        parseSelector([EVERYTHING]),
        parseSelector([() => true]),
        parseSelector([], { category: "all" }),
      ]
    ) {
      assert.ok(!isSpecific(selector));
    }
  });
});

describe("formatSelector()", () => {
  it("gives what a reader knows the kinds by", () => {
    assert.equal(formatSelector(parseSelector(["databases.example.com/v1"])), "databases.v1.example.com");
    assert.equal(formatSelector(parseSelector([], { kind: "Pod", group: "" })), "kind=Pod");
    assert.equal(formatSelector(parseSelector([EVERYTHING])), "EVERYTHING");
    assert.equal(
      formatSelector(parseSelector([function mine() {
        return true;
      }])),
      "(mine)",
    );
  });
});

describe("selectorKey()", () => {
  it("differs exactly where selectors do", () => {
    const selectors = [
      parseSelector(["pods"]),
      parseSelector(["v1", "pods"]),
      parseSelector(["pods.g"]),
      parseSelector([], { plural: "pods" }),
      parseSelector([], { kind: "pods" }),
      parseSelector([EVERYTHING]),
      parseSelector(["EVERYTHING"]),
      parseSelector(["g", EVERYTHING]),
      parseSelector([], { category: "pods" }),
    ];
    assert.equal(new Set(selectors.map(selectorKey)).size, selectors.length);
    assert.equal(selectorKey(parseSelector(["pods.v1"])), selectorKey(parseSelector(["v1", "pods"])));
  });
});
