import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  ownWebhooks,
  planWebhooks,
  type WebhookMember,
} from "../../../lib/handlers/admission/webhook_plan.ts";
import type { JsonObject } from "../../../lib/model/object.ts";

function webhook(name: string, operations: readonly string[] = ["CREATE"]): JsonObject {
  return {
    name,
    rules: [{ operations: [...operations] }],
    clientConfig: { service: { name: "s" }, caBundle: "old" },
  };
}

function member(serves: Readonly<Record<string, string>> | undefined, isAble = true): WebhookMember {
  return { serves: serves && new Map(Object.entries(serves)), isAble };
}

const OWN = ownWebhooks([webhook("a")]);
const DIGEST = OWN[0]!.digest;

/** What becomes of the one own webhook. */
function plan(options: {
  readonly stood?: string;
  readonly others?: readonly WebhookMember[];
  readonly live?: readonly JsonObject[];
}): unknown {
  const { stood, others = [], live = [] } = options;
  const standing = new Map(stood === undefined ? [] : [["a", stood]]);
  const { webhooks, digests, awaited } = planWebhooks({
    own: OWN,
    others,
    live,
    stood: standing,
    caBundle: "new",
  });
  return {
    operations: webhooks.map(({ rules }) => (rules as JsonObject[])[0]?.operations),
    digests: [...digests.values()],
    awaited,
  };
}

const STANDS = { operations: [["CREATE"]], digests: [DIGEST], awaited: [] };

describe("planWebhooks()", () => {
  it("[N27.9] adds a webhook when every live replica serves it, whether it is able or leaves", () => {
    assert.deepEqual(plan({}), STANDS, "there is no other");
    assert.deepEqual(plan({ others: [member({ a: DIGEST }), member({ a: DIGEST }, false)] }), STANDS);
    const absent = { operations: [], digests: [], awaited: ["a"] };
    assert.deepEqual(plan({ others: [member({ a: DIGEST }), member({ b: "1" })] }), absent);
    assert.deepEqual(
      plan({ others: [member(undefined)] }),
      absent,
      "a replica that says nothing yet may not serve it",
    );
  });

  it("[N27.9] takes a webhook off when a replica that is able does not serve it, and not before", () => {
    const gone = { operations: [], digests: [], awaited: [] };
    assert.deepEqual(plan({ stood: DIGEST, others: [member({})] }), gone);
    assert.deepEqual(plan({ stood: DIGEST, others: [member({}, false)] }), STANDS);
    assert.deepEqual(plan({ stood: DIGEST, others: [member(undefined)] }), STANDS);
  });

  it("takes webhooks off that this replica does not serve", () => {
    const { webhooks } = planWebhooks({
      own: [],
      others: [],
      live: [webhook("a")],
      stood: new Map([["a", "1"]]),
      caBundle: "",
    });
    assert.deepEqual(webhooks, []);
  });

  it("[N27.10] keeps the old rules as long as a replica serves them, or may do so", () => {
    const live = [webhook("a", ["UPDATE"])];
    const old = { operations: [["UPDATE"]], digests: ["1"], awaited: ["a"] };
    assert.deepEqual(plan({ stood: "1", live, others: [member({ a: "1" }), member({ a: DIGEST })] }), old);
    assert.deepEqual(plan({ stood: "1", live, others: [member(undefined)] }), old);
    assert.deepEqual(plan({ stood: "1", live, others: [member({ a: DIGEST })] }), STANDS);
    assert.deepEqual(plan({ stood: "1", live }), STANDS);
    assert.deepEqual(plan({ stood: "", live }), STANDS, "a configuration of manifests says no digests");
  });

  it("[N27.7] puts back what a stranger has taken off: what stood counts, not what is there", () => {
    assert.deepEqual(plan({ stood: DIGEST, others: [member({ a: DIGEST }), member(undefined)] }), STANDS);
    const lost = plan({ stood: "1", others: [member({ a: "1" })] });
    assert.deepEqual(lost, { ...STANDS }, "only the new rules are known here, and asking beats letting pass");
  });

  it("writes the authorities into each webhook, which its digest does not tell", () => {
    const { webhooks } = planWebhooks({ own: OWN, others: [], live: [], stood: new Map(), caBundle: "new" });
    assert.deepEqual(webhooks[0]?.clientConfig, { service: { name: "s" }, caBundle: "new" });
    const [other] = ownWebhooks([{
      ...webhook("a"),
      clientConfig: { service: { name: "s" }, caBundle: "other" },
    }]);
    assert.equal(other?.digest, DIGEST);
    assert.notEqual(ownWebhooks([webhook("a", ["DELETE"])])[0]?.digest, DIGEST);
  });
});
