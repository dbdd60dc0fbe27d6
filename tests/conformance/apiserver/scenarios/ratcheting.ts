/** Updates of custom objects after their schema has become stricter: what was wrong before and did not change is let pass. */

import assert from "node:assert/strict";
import { type Answer, APPLY, JSON_PATCH, MERGE, type Session } from "../session.ts";
import { databases, type Scenario } from "./scenario.ts";

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** One kind, whose schema a scenario makes stricter. */
class Tightened {
  readonly path: string;
  readonly #api: Session;
  readonly #group: string;
  #step = 0;

  constructor(api: Session, group: string) {
    this.#api = api;
    this.#group = group;
    this.path = `/apis/${group}/v1/namespaces/default/databases`;
  }

  object(fields: Answer, name = "a"): Answer {
    return { apiVersion: `${this.#group}/v1`, kind: "Database", metadata: { name }, ...fields };
  }

  async define(properties: Answer): Promise<void> {
    const openAPIV3Schema = { type: "object", properties };
    await this.#api.define(databases(this.#group, { version: { schema: { openAPIV3Schema } } }));
  }

  /** Replaces the properties, and waits until they are in force. */
  async tighten(properties: Answer): Promise<void> {
    const mark = `step${++this.#step}`;
    const probe = { type: "string", enum: [mark] };
    const { code, body } = await this.#api.peek("PATCH", `${DEFINITIONS}/databases.${this.#group}`, [{
      op: "replace",
      path: "/spec/versions/0/schema/openAPIV3Schema/properties",
      value: { ...properties, probe },
    }], JSON_PATCH);
    assert.equal(code, 200, JSON.stringify(body));
    const dry = `${this.path}?dryRun=All`;
    await this.#api.until(async () => {
      const { body } = await this.#api.peek("POST", dry, this.object({ probe: "other" }, "probe"));
      return JSON.stringify(body).includes(mark);
    }, "the new schema holds");
  }
}

const TEXT = { type: "string" };
const NUMBER = { type: "integer" };

/** Says what an update of an object is answered. */
async function update(api: Session, path: string, changes: Answer): Promise<void> {
  await api.call("PATCH", path, changes, MERGE);
}

export const RATCHETING: readonly Scenario[] = [
  {
    name: "takes lists of type map in another order for unchanged, and no other lists",
    async run(api) {
      const kind = new Tightened(api, "order.ratchet.example.com");
      const item = {
        type: "object",
        required: ["name", "port"],
        properties: { name: TEXT, port: NUMBER, note: TEXT },
      };
      const keyed = {
        type: "array",
        items: item,
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name", "port"],
      };
      const plain = { type: "array", items: { type: "object", additionalProperties: TEXT } };
      await kind.define({ keyed, plain, other: TEXT });
      const [a, b, c] = ["a", "b", "c"].map((name, port) => ({ name, port, note: "x" }));
      const before = { keyed: [a, b, c], plain: [{ k: "1" }, { k: "2" }] };
      await api.ok("POST", kind.path, kind.object(before));
      const one = `${kind.path}/a`;
      await kind.tighten({ keyed: { ...keyed, maxItems: 2 }, plain: { ...plain, minItems: 3 }, other: TEXT });
      await api.ok("PATCH", one, { keyed: [c, a, b] }, MERGE);
      await api.ok("PATCH", one, { other: "x" }, MERGE);
      await api.refused(422, "PATCH", one, { keyed: [c, a, { ...b, note: "y" }] }, MERGE);
      await api.refused(422, "PATCH", one, { plain: [{ k: "2" }, { k: "1" }] }, MERGE);
      const odd = { ...item, properties: { ...item.properties, port: { ...NUMBER, multipleOf: 2 } } };
      const short = { type: "object", additionalProperties: { ...TEXT, minLength: 2 } };
      await kind.tighten({ keyed: { ...keyed, items: odd }, plain: { ...plain, items: short }, other: TEXT });
      await api.ok("PATCH", one, { keyed: [a, { ...b, note: "y" }, { name: "d", port: 4 }] }, MERGE);
      await api.refused(422, "PATCH", one, { keyed: [{ name: "e", port: 5 }] }, MERGE);
      await api.refused(422, "PATCH", one, { plain: [{ k: "1" }, { k: "2", l: "long" }] }, MERGE);
    },
  },
  {
    name: "refuses lists that are none any more, whose items have rules",
    async run(api) {
      const kind = new Tightened(api, "lists.ratchet.example.com");
      const item = {
        type: "object",
        properties: { a: NUMBER },
        "x-kubernetes-validations": [{ rule: "self.a < 10" }],
      };
      const list = { type: "array", maxItems: 9, items: item };
      await kind.define({ list, other: TEXT });
      await api.ok("POST", kind.path, kind.object({ list: [{ a: 1 }, { a: 2 }] }));
      await kind.tighten({ list: { ...list, type: "object" }, other: { ...TEXT, maxLength: 3 } });
      await api.refused(422, "PATCH", `${kind.path}/a`, { other: "x" }, MERGE);
      await api.refused(422, "POST", kind.path, kind.object({ list: [{ a: 11 }] }, "b"));
      await api.ok("POST", kind.path, kind.object({ list: { b: 1 } }, "c"));
    },
  },
  {
    name: "lets nothing pass in combinations, at the root, and where fields are not known",
    async run(api) {
      const kind = new Tightened(api, "whole.ratchet.example.com");
      const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
      const inner = { type: "object", properties: { a: TEXT, b: TEXT } };
      await kind.define({ open, inner, free: { ...open, properties: { a: TEXT } }, other: TEXT });
      const before = { open: { a: 1 }, inner: { a: "long", b: "x" }, free: { a: "long" } };
      await api.ok("POST", kind.path, kind.object(before));
      const one = `${kind.path}/a`;
      const short = { ...TEXT, maxLength: 2 };
      const combined = { ...inner, allOf: [{ properties: { a: { maxLength: 2 } } }] };
      await kind.tighten({
        open: { ...open, maxProperties: 0 },
        inner: combined,
        free: { ...open, properties: { a: short } },
        other: TEXT,
      });
      await update(api, one, { other: "x" });
      await update(api, one, { open: null, other: "x" });
      await update(api, one, { inner: { b: "y" } });
      await update(api, one, { free: { b: "y" } });
      for (const junctor of ["anyOf", "oneOf"]) {
        const branch = { properties: { a: { maxLength: 2 } } };
        await kind.tighten({ open, inner: { ...inner, [junctor]: [branch] }, free: open, other: TEXT });
        await update(api, one, { other: junctor });
        await update(api, one, { inner: { b: junctor } });
      }
      const schema = { properties: { open, inner, free: open, other: TEXT }, required: ["missing"] };
      const { code } = await api.peek("PATCH", `${DEFINITIONS}/databases.whole.ratchet.example.com`, [{
        op: "add",
        path: "/spec/versions/0/schema/openAPIV3Schema/required",
        value: schema.required,
      }], JSON_PATCH);
      assert.equal(code, 200);
      await api.until(async () => {
        const { code } = await api.peek("POST", `${kind.path}?dryRun=All`, kind.object({}, "probe"));
        return code === 422;
      }, "the field is required");
      await api.refused(422, "PATCH", one, { other: "z" }, MERGE);
      await api.refused(422, "PATCH", one, {}, MERGE);
    },
  },
  {
    name: "lets rules pass where their values did not change, unless they look at the old value",
    async run(api) {
      const kind = new Tightened(api, "rules.ratchet.example.com");
      const rule = (text: string, more: Answer = {}) => ({
        "x-kubernetes-validations": [{ rule: text, ...more }],
      });
      const item = { type: "object", required: ["name"], properties: { name: TEXT, note: TEXT } };
      const keyed = {
        type: "array",
        items: item,
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
      };
      const list = { type: "array", items: TEXT };
      const whole = { type: "object", properties: { a: TEXT }, "x-kubernetes-map-type": "atomic" };
      const moved = { type: "object", properties: { a: TEXT, b: TEXT } };
      await kind.define({ text: TEXT, keyed, list, whole, moved, other: TEXT });
      const before = {
        text: "old",
        keyed: [{ name: "a", note: "x" }, { name: "b", note: "x" }],
        list: ["a", "b"],
        whole: { a: "old" },
        moved: { a: "old" },
      };
      await api.ok("POST", kind.path, kind.object(before));
      const one = `${kind.path}/a`;
      const all = { text: TEXT, keyed, list, whole, moved, other: TEXT };
      // NB: one field at a time, because the real server warns of fields in random order.
      const text = { ...TEXT, ...rule("self != 'old'", { message: "must not be old" }) };
      await kind.tighten({ ...all, text });
      await api.ok("PATCH", one, { other: "x" }, MERGE);
      await update(api, one, { text: "older" });
      const noted = {
        ...item,
        properties: { ...item.properties, note: { ...TEXT, ...rule("self != 'x'") } },
      };
      await kind.tighten({ ...all, keyed: { ...keyed, items: { ...noted, ...rule("self.name != 'b'") } } });
      await update(api, one, { keyed: [{ name: "b", note: "x" }, { name: "a", note: "x" }] });
      await update(api, one, { keyed: [{ name: "b", note: "y" }, { name: "a", note: "x" }] });
      await kind.tighten({ ...all, list: { ...list, items: { ...TEXT, ...rule("self != 'a'") } } });
      await update(api, one, { other: "y" });
      await update(api, one, { list: ["a", "b", "c"] });
      const same = { a: { ...TEXT, ...rule("self == oldSelf") } };
      await kind.tighten({ ...all, whole: { ...whole, properties: same } });
      await update(api, one, { whole: { a: "new" } });
      await kind.tighten({ ...all, moved: { ...moved, ...rule("self.a != 'old'") } });
      await update(api, one, { other: "z" });
      await update(api, one, { moved: { b: "new" } });
      await kind.tighten({
        ...all,
        text: { ...TEXT, ...rule("!oldSelf.hasValue()", { optionalOldSelf: true }) },
        moved: { ...moved, ...rule("oldSelf.a != 'old'") },
      });
      await api.refused(422, "PATCH", one, { other: "y" }, MERGE);
      await api.refused(422, "PATCH", one, { moved: null, other: "y" }, MERGE);
      await api.ok("PATCH", one, { text: null, moved: null, other: "y" }, MERGE);
      const applied = `${one}?fieldManager=one&force=true`;
      await api.ok("PATCH", applied, kind.object({ text: "new" }), APPLY);
      await api.refused(422, "PATCH", applied, kind.object({ text: "new" }), APPLY);
    },
  },
  {
    name: "checks the status alone where the status alone is written, and lets what did not change pass",
    async run(api) {
      const kind = new Tightened(api, "status.ratchet.example.com");
      const status = (a: Answer) => ({ type: "object", properties: { a, b: TEXT } });
      await kind.define({ status: status(TEXT), text: TEXT });
      await api.ok("POST", kind.path, kind.object({ text: "long" }));
      const one = `${kind.path}/a`;
      await api.ok("PATCH", `${one}/status`, { status: { a: "long" } }, MERGE);
      const short = { ...TEXT, maxLength: 2 };
      await kind.tighten({ status: status(short), text: short });
      await api.ok("PATCH", `${one}/status`, { status: { b: "x" } }, MERGE);
      await api.refused(422, "PATCH", `${one}/status`, { status: { a: "longer" } }, MERGE);
      await api.ok("PATCH", one, { metadata: { labels: { a: "b" } } }, MERGE);
      await api.refused(422, "PATCH", one, { text: "longer" }, MERGE);
      await api.ok("PATCH", one, { text: "ok" }, MERGE);
    },
  },
];
