/**
 * Scenarios of `x-kubernetes-validations`: rules in expressions, refused when they are declared or when they are broken.
 */

import assert from "node:assert/strict";
import { type Answer, MERGE, type Session } from "../session.ts";
import type { Scenario } from "./scenario.ts";

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** Returns a definition whose spec has the schema. */
function definition(group: string, spec: Answer, more: Answer = {}): Answer {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `ships.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural: "ships", kind: "Ship" },
      versions: [{
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: { spec, status: { type: "object", properties: { phase: { type: "string" } } } },
            ...more,
          },
        },
      }],
    },
  };
}

function rules(...list: Answer[]): Answer {
  return { "x-kubernetes-validations": list };
}

function ship(group: string, name: string, spec: Answer): Answer {
  return { apiVersion: `${group}/v1`, kind: "Ship", metadata: { name }, spec };
}

const TEXT = { type: "string", maxLength: 20 };

/** What the rules of the scenarios are about. */
const PROPERTIES = {
  name: TEXT,
  seats: { type: "integer" },
  most: { type: "integer" },
  speed: { type: "number" },
  built: { type: "string", format: "date-time" },
  journey: { type: "string", format: "duration" },
  port: { "x-kubernetes-int-or-string": true },
  "home-port": TEXT,
  namespace: TEXT,
  labels: { type: "object", maxProperties: 5, additionalProperties: TEXT },
  tags: { type: "array", maxItems: 5, items: TEXT },
  decks: {
    type: "array",
    maxItems: 5,
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name"],
    items: {
      type: "object",
      required: ["name"],
      properties: { name: TEXT, level: { type: "integer" } },
    },
  },
};

/** Expressions that are taken, and others that are refused; every answer is compared. */
const TAKEN = [
  "!has(self.tags) || self.tags.size() > 0 && has(self.decks[0].name)",
  "has(self.labels['a'].size) || true ? true : has(self.decks.filter(d, d.level > 1)[0].name)",
  "semver('v1.2', true).major() == 1 && isSemver('1.2.3') && semver('1.2.3-rc.1').isLessThan(semver('1.2.3'))",
  "[3, 1].sort() == [1, 3] && [1, 1].distinct() == [1] && [[1]].flatten() == [1] && lists.range(3).size() == 3",
  "[1, 2].first().hasValue() && [1, 2].slice(0, 1) == [1] && [1, 2].reverse() == [2, 1] && [{'a': 1}].sortBy(x, x.a).size() == 1",
  "[1, 2].all(i, v, v > i) && {'a': 1}.exists(k, v, v == 1) && [1].transformList(i, v, i + v) == [1]",
  "[1].transformMap(i, v, v > 0, v) == {0: 1} && ['a'].transformMapEntry(i, v, {v: i}) == {'a': 0}",
  "[?optional.of(1)] == [1] && {?'a': optional.none()} == {} && self.?name.orValue('') != 'x'",
  "!format.dns1123Label().validate('a').hasValue() && !format.named('nothing').hasValue()",
  "timestamp('2020-01-01T00:00:00Z').getFullYear() == 2020 && duration('1h').getHours() == 1 && type(1) == int",
  "ip.isCanonical('1.1.1.1') && r'\\d' == '\\\\d' && b'\\x61' == bytes('a') && 0x10 == 16 && -1 < 0",
] as const;
const NOT_TAKEN = [
  "cel.bind(x, 1, x == 1)",
  "'abc'.reverse() == 'cba'",
  "timestamp('x') < timestamp('y')",
  "math.greatest(1, 2) == 2",
  "['a', 'b'].join('-') == 'a-b'",
  "[1, 'a'].size() == 2",
  "self.name.size() > 0 && self.nothing == 1 && unknown(self.name)",
  "self.tags.all(t, t > 1)",
  "self.name ==",
  "self.name == 'x')",
  "self.name = 'x'",
  "has(self)",
  "self.labels.map(l, l, l, l, l)",
  "'a'.matches('(')",
  "1e400 > 1.0",
] as const;

export const RULES: readonly Scenario[] = [{
  name: "knows the functions of the libraries that Kubernetes has, and no others",
  accepted: [{ line: /selfType/, because: "types have names with a number in them on the real server" }],
  async run(api) {
    const decks = {
      type: "array",
      maxItems: 3,
      items: { type: "object", properties: { name: TEXT, level: { type: "integer" } } },
    };
    const labels = {
      type: "object",
      maxProperties: 5,
      additionalProperties: { type: "object", properties: { size: { type: "integer" } } },
    };
    for (const [list, code] of [[TAKEN, 201], [NOT_TAKEN, 422]] as const) {
      for (const rule of list) {
        const spec = { type: "object", properties: { ...PROPERTIES, decks, labels }, ...rules({ rule }) };
        const path = `${DEFINITIONS}?dryRun=All`;
        const reply = await api.call("POST", path, definition("libraries.example.com", spec));
        assert.equal(reply.code, code, `${rule}: ${JSON.stringify(reply.body.message)}`);
      }
    }
  },
}, {
  name: "refuses rules that cannot be evaluated, when they are declared",
  accepted: [
    { line: /selfType/, because: "types have names with a number in them on the real server" },
    { line: /Syntax error/, because: "the real parser words some by its state" },
  ],
  async run(api) {
    const refuse = async (...list: Answer[]) => {
      const spec = { type: "object", properties: PROPERTIES, ...rules(...list) };
      return await api.refused(422, "POST", DEFINITIONS, definition("refused-rules.lotse.dev", spec));
    };
    const status = await refuse({ rule: "this is not CEL" });
    assert.match(status.message, /compilation failed: ERROR: <input>:1:6/);
    await refuse({ rule: "self.typo == 1" });
    await refuse({ rule: "unknown == 1" });
    await refuse({ rule: "self.seats + 'a' == 'b'" });
    await refuse({ rule: "self.seats" });
    await refuse({ rule: "self.name.noSuchFunction()" });
    await refuse({ rule: "" });
    await refuse({ rule: "self.seats > 0", message: " " });
    await refuse({ rule: "self.seats > 0", message: "a\nb" });
    await refuse({ rule: "self.seats >\n0" });
    await refuse({ rule: "self.seats > 0", messageExpression: " " });
    await refuse({ rule: "self.seats > 0", messageExpression: "self.seats" });
    await refuse({ rule: "self.seats > 0", messageExpression: "no(" });
    await refuse({ rule: "self.seats > 0", reason: "FieldValueOdd" });
    await refuse({ rule: "self.seats > 0", fieldPath: ".nowhere" });
    await refuse({ rule: "self.seats > 0", fieldPath: "seats" });
    await refuse({ rule: "self.seats > 0", optionalOldSelf: true });
    await refuse({ rule: "self.seats > 0" }, { rule: "self.seats > 0" }, { rule: "self.nothing" });
    const items = {
      type: "array",
      maxItems: 3,
      items: { type: "integer", ...rules({ rule: "self >= oldSelf" }) },
    };
    const spec = { type: "object", properties: { list: items } };
    await api.refused(422, "POST", DEFINITIONS, definition("refused-rules.lotse.dev", spec));
  },
}, {
  name: "refuses rules that cost too much, and ends those that take too long",
  accepted: [{ line: /acceptedNames|status\.conditions/, because: "ours are accepted at once" }],
  async run(api) {
    const group = "costs.lotse.dev";
    const list = (items: Answer, most: Answer = {}) => ({ type: "array", items, ...most });
    const texts = { type: "array", items: { type: "string" }, ...rules({ rule: "self.all(s, s == 'a')" }) };
    const integers = (more: Answer) => list({ type: "integer" }, more);
    const nested = "self.few.all(x, self.few.all(y, y == x))";
    const refuse = async (properties: Answer, ...list: Answer[]) => {
      await api.refused(
        422,
        "POST",
        DEFINITIONS,
        definition(group, { type: "object", properties, ...rules(...list) }),
      );
    };
    await refuse({ x: list(texts) });
    await refuse({ any: { type: "string" } }, { rule: "self.any.split(',').all(p, p.size() < 3)" });
    await refuse({ few: integers({ maxItems: 3000 }) }, { rule: nested });
    await refuse({ few: integers({ maxItems: 1700 }) }, { rule: nested });
    await refuse(
      { few: integers({ maxItems: 1200 }) },
      ...Array.from({ length: 15 }, () => ({ rule: nested })),
    );
    await refuse({ a: { type: "string" } }, {
      rule: "has(self.a)",
      messageExpression: "self.a.split('').map(x, x + x).join()",
    });
    const few = integers({ maxItems: 725 });
    await api.ok(
      "POST",
      DEFINITIONS,
      definition(group, { type: "object", properties: { few }, ...rules({ rule: nested }) }),
    );
    const path = `/apis/${group}/v1/namespaces/default/ships`;
    await api.until(async () => (await api.peek("GET", path)).code === 200, "the kind is served");
    const equal = (length: number) => ({ few: Array.from({ length }, () => 7) });
    await api.refused(422, "POST", path, ship(group, "long", equal(725)));
    await api.ok("POST", path, ship(group, "short", equal(50)));
    await api.ok("DELETE", `${DEFINITIONS}/ships.${group}`);
  },
}, {
  name: "checks rules when objects are written",
  async run(api) {
    const group = "rules.lotse.dev";
    const spec = {
      type: "object",
      properties: PROPERTIES,
      ...rules(
        {
          rule: "!has(self.most) || self.seats <= self.most",
          message: "too many seats",
          fieldPath: ".seats",
        },
        {
          rule: "self.name != 'x'",
          messageExpression: "'not called ' + self.name",
          reason: "FieldValueForbidden",
        },
        { rule: "!has(self.speed) || self.speed < 50.5", reason: "FieldValueRequired" },
        {
          rule: "!has(self.built) || self.built < timestamp('2020-01-01T00:00:00Z')",
          reason: "FieldValueDuplicate",
        },
        { rule: "!has(self.journey) || self.journey < duration('24h')", reason: "FieldValueInvalid" },
        { rule: "!has(self.port) || (type(self.port) == int ? self.port > 0 : self.port == 'any')" },
        {
          rule: "!has(self.__namespace__) || self.__namespace__ != self.home__dash__port",
          message: "at home",
        },
        {
          rule: "!has(self.labels) || self.labels.all(key, key.startsWith('ship-'))",
          fieldPath: ".labels['a.b']",
        },
        { rule: "!has(self.tags) || self.tags.isSorted()" },
        { rule: "!has(self.decks) || self.decks.exists_one(d, d.level == 0)" },
        {
          rule: "!has(self.tags) || self.tags.map(t, t.size()).sum() < 10",
          messageExpression: "1 / 0 == 1 ? 'a' : 'b'",
        },
        { rule: "self.name.matches('^[a-z]+$')" },
      ),
    };
    await api.define(
      definition(
        group,
        spec,
        rules({ rule: "self.metadata.name.startsWith('s')", message: "begins with s" }),
      ),
    );
    const path = `/apis/${group}/v1/namespaces/default/ships`;
    await api.ok("POST", path, ship(group, "sound", { name: "sound", seats: 3, most: 3, port: 5 }));
    const refuse = async (changes: Answer, name = "s") =>
      await api.refused(422, "POST", path, ship(group, name, { name: "s", seats: 1, ...changes }));
    await refuse({ seats: 4, most: 3 });
    await refuse({ name: "x" });
    await refuse({ speed: 51 });
    await refuse({ built: "2021-01-01T00:00:00Z" });
    await refuse({ journey: "25h" });
    await refuse({ port: 0 });
    await refuse({ port: "some" });
    await refuse({ namespace: "a", "home-port": "a" });
    await refuse({ labels: { "a.b": "c" } });
    await refuse({ tags: ["b", "a"] });
    await refuse({ tags: ["abcdef", "ghijklm"] });
    await refuse({ decks: [{ name: "a", level: 0 }, { name: "b", level: 0 }] });
    await refuse({ name: "S" });
    await refuse({}, "other");
    await refuse({ seats: 4, most: 3, name: "x" });
    // What is wrong in other ways hides the rules.
    await refuse({ seats: 4, most: 3, name: 7 });
    await refuse({ decks: [{ name: "a" }] });
  },
}, {
  name: "checks rules on changes, and lets pass what was wrong before",
  async run(api) {
    const group = "transitions.lotse.dev";
    const fixed = { ...TEXT, ...rules({ rule: "self == oldSelf", message: "is fixed" }) };
    const spec = {
      type: "object",
      properties: {
        ...PROPERTIES,
        name: fixed,
        seats: {
          type: "integer",
          ...rules({ rule: "!oldSelf.hasValue() || self >= oldSelf.value()", optionalOldSelf: true }),
        },
        decks: {
          ...PROPERTIES.decks,
          items: {
            ...PROPERTIES.decks.items,
            properties: {
              name: TEXT,
              level: { type: "integer", ...rules({ rule: "self >= oldSelf", message: "cannot sink" }) },
            },
          },
        },
      },
      ...rules({
        rule: "!has(oldSelf.most) || has(self.most)",
        message: "most cannot be removed",
        fieldPath: ".most",
      }),
    };
    await api.define(definition(group, spec));
    const path = `/apis/${group}/v1/namespaces/default/ships`;
    await api.ok(
      "POST",
      path,
      ship(group, "one", { name: "a", seats: 2, most: 3, decks: [{ name: "a", level: 1 }] }),
    );
    const refuse = async (changes: Answer) =>
      await api.refused(422, "PATCH", `${path}/one`, { spec: changes }, MERGE);
    await refuse({ name: "b" });
    await refuse({ most: null });
    await refuse({ seats: 1 });
    await refuse({ decks: [{ name: "a", level: 0 }] });
    await api.ok("PATCH", `${path}/one`, {
      spec: { decks: [{ name: "b", level: 0 }, { name: "a", level: 2 }], seats: 3 },
    }, MERGE);
    await api.ok("PATCH", `${path}/one`, { spec: { name: null } }, MERGE);
    await api.ok("PATCH", `${path}/one`, { spec: { name: "c" } }, MERGE);
    // A new rule, which the object already breaks, only counts when what it is about changes.
    const stricter = definition(group, {
      ...spec,
      properties: { ...spec.properties, tags: { ...PROPERTIES.tags, ...rules({ rule: "self.size() > 1" }) } },
    });
    await api.ok("PATCH", `${path}/one`, { spec: { tags: ["a"] } }, MERGE);
    await changeDefinition(api, group, stricter, path);
    await api.ok("PATCH", `${path}/one`, { spec: { seats: 4 } }, MERGE);
    await api.refused(422, "PATCH", `${path}/one`, { spec: { tags: ["b"] } }, MERGE);
    await api.ok("PATCH", `${path}/one/status`, { status: { phase: "fine" } }, MERGE);
  },
}];

/** Replaces a definition's spec, and waits until it is in force. */
async function changeDefinition(api: Session, group: string, changed: Answer, path: string): Promise<void> {
  await api.ok("PATCH", `${DEFINITIONS}/ships.${group}`, { spec: changed.spec }, MERGE);
  await api.until(async () => {
    const probe = ship(group, "probe", { tags: ["a"] });
    return (await api.peek("POST", `${path}?dryRun=All`, probe)).code === 422;
  }, "the new rule is in force");
}
