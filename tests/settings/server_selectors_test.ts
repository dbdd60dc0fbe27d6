import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EVENTS, PODS } from "../../lib/model/kinds.ts";
import type { Resource } from "../../lib/model/resource.ts";
import { EVERYTHING, parseSelector, selectorKey, type SelectorTerm } from "../../lib/model/selector.ts";
import {
  confidentialFieldsOf,
  entriesOf,
  joinedTextFor,
  textsFor,
} from "../../lib/settings/server_selectors.ts";
import { defaultSettings, mergeSettings } from "../../lib/settings/settings.ts";

const texts: Map<SelectorTerm | readonly SelectorTerm[], string> = new Map<
  SelectorTerm | readonly SelectorTerm[],
  string
>([
  ["pods", "b=2"],
  [["v1", "pods"], "a=1"],
  [EVERYTHING, "b=2"],
  [({ plural }) => plural === "pods", ""],
  ["services", "c=3"],
]);

describe("textsFor()", () => {
  it("gives the texts of all keys that match, in order, repetitions included", () => {
    assert.deepEqual(textsFor(texts, PODS), ["b=2", "a=1", "b=2", ""]);
    assert.deepEqual(textsFor({ "pods.v1": "x", "pods.metrics.k8s.io": "y" }, PODS), ["x"]);
  });

  it("does not apply EVERYTHING and predicates to events", () =>
    assert.deepEqual(textsFor(texts, EVENTS), []));
});

describe("textsFor() with keys of several forms", () => {
  it("[C15] gives the texts of all that match a version, in order", () => {
    const texts: Map<SelectorTerm | readonly SelectorTerm[], string> = new Map();
    texts.set(["kopf.dev/v1", EVERYTHING], "x").set("kopfexamples", "y").set(EVERYTHING, "z");
    const kind = { ...PODS, group: "kopf.dev", plural: "kopfexamples", kind: "KopfExample", preferred: true };
    assert.deepEqual(textsFor(texts, { ...kind, version: "v1" }), ["x", "y", "z"]);
    assert.deepEqual(textsFor(texts, { ...kind, version: "v2" }), ["y", "z"]);
  });

  it("[C14] refuses keys that are no selectors, and takes names that nothing has", () => {
    for (const key of [123, true, null, undefined, PODS]) {
      const texts = new Map([[key, "x"]]) as unknown as ReadonlyMap<SelectorTerm, string>; // as JavaScript allows
      assert.throws(() => entriesOf(texts), TypeError, String(key));
    }
    assert.deepEqual(textsFor({ unknowns: "x" }, PODS), []);
  });
});

describe("joinedTextFor()", () => {
  it("gives different texts, sorted, as one", () => {
    assert.equal(joinedTextFor(texts, PODS), "a=1,b=2");
    assert.equal(joinedTextFor({}, PODS), undefined);
    assert.equal(joinedTextFor({ pods: "" }, PODS), undefined);
  });
});

describe("entriesOf()", () => {
  it("[C13] gives keys of all forms as the selectors that are so written", () => {
    const isPod = ({ plural }: { readonly plural: string }): boolean => plural === "pods";
    const keys: readonly (readonly SelectorTerm[])[] = [
      ["pods"],
      ["v1", "pods"],
      ["apps", "v1", "deployments"],
      [EVERYTHING],
      [isPod],
      ["apps/v1", EVERYTHING],
    ];
    const stored = new Map<SelectorTerm | readonly SelectorTerm[], string>();
    for (const [index, key] of keys.entries()) stored.set(key.length === 1 ? key[0]! : key, `text ${index}`);
    const entries = entriesOf(stored);
    assert.deepEqual(
      entries.map(([selector]) => selectorKey(selector)),
      keys.map((key) => selectorKey(parseSelector(key))),
    );
    assert.deepEqual(entries.map(([, text]) => text), keys.map((_, index) => `text ${index}`));
    assert.deepEqual(entriesOf({ pods: "a=1" }), [[parseSelector(["pods"]), "a=1"]]);
  });

  it("[C16] refuses keys that could only match nothing", () => {
    assert.throws(() => entriesOf({ "v1/pods": "a=1" }), TypeError);
    assert.throws(() => entriesOf({ "": "a=1" }), TypeError);
    assert.deepEqual(textsFor({ "pods.v1": "x" }, PODS), ["x"]);
  });
});

const SECRETS: Resource = {
  ...PODS,
  plural: "secrets",
  singular: "secret",
  kind: "Secret",
};

describe("confidentialFieldsOf()", () => {
  it("names the data of core Secrets in any case, and nothing else by default", () => {
    const { persistence } = defaultSettings();
    assert.deepEqual(confidentialFieldsOf(persistence, SECRETS), [["data"], ["stringData"]]);
    assert.deepEqual(confidentialFieldsOf(persistence, PODS), []);
    assert.deepEqual(confidentialFieldsOf(persistence, { ...SECRETS, group: "example.com" }), []);
  });

  it("adds what the settings name", () => {
    const confidential = { pods: ["spec.password", ["metadata", "annotations", "a.b/c"]], secrets: ["type"] };
    const { persistence } = mergeSettings(defaultSettings(), { persistence: { confidential } });
    assert.deepEqual(confidentialFieldsOf(persistence, PODS), [["spec", "password"], [
      "metadata",
      "annotations",
      "a.b/c",
    ]]);
    assert.deepEqual(confidentialFieldsOf(persistence, SECRETS).length, 3);
  });

  it("is refused where it is no list of fields", () => {
    for (
      const wrong of [{ pods: "spec.password" }, { pods: [""] }, { pods: [5] }, "pods", { pods: ["a..b"] }]
    ) {
      const settings = { persistence: { confidential: wrong as never } };
      assert.throws(() => mergeSettings(defaultSettings(), settings), TypeError, JSON.stringify(wrong));
    }
  });
});
